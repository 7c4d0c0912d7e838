/* SPDX-License-Identifier: PostgreSQL */
/*
 * row.c
 *	  Transition functions of the exact aggregates over rows, one per type, and
 *	  the results of those for which a row is a whole unit.
 *
 * A row costs one conversion to the grid, one clamp and one 128-bit addition;
 * nothing is allocated and, in the usual case, nothing is called.  NULL and NaN
 * are skipped; infinities count as the bound they exceed.
 * Integer addition makes results independent of the order of rows.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/exact.h"
#include "aggregate/place.h"
#include "aggregate/state.h"
#include "base/sql_function.h"

PG_FUNCTION_INFO_V1(dp_aggregate_exact_sum);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_avg);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_rows);

/* Count a row at a place, clamped. */
static pg_attribute_always_inline void
add_place(DpExactState *state, int64 place)
{
	const DpExactBounds *bounds = state->bounds;

	place = place < bounds->high ? place : bounds->high;
	place = place > bounds->low ? place : bounds->low;
	state->total += place;
	state->rows++;
}

/*
 * One row into the state, every case.  The state exists from the first row on,
 * NULL or not, so that whether bounds are refused does not depend on data.
 */
static pg_noinline Datum
accumulate_any(FunctionCallInfo fcinfo, DpValueType type, bool clamped)
{
	DpExactState *state;
	int64		place;

	if (PG_ARGISNULL(0))
		state = dp_aggregate_new_state(fcinfo, clamped);
	else
		state = (DpExactState *) PG_GETARG_POINTER(0);
	place = PG_ARGISNULL(1) ? DP_GRID_NONE
		: dp_aggregate_any_place(PG_GETARG_DATUM(1), type, state->bounds->grid.grid);
	if (place != DP_GRID_NONE)
		add_place(state, place);
	else
		state->skipped++;
	PG_RETURN_POINTER(state);
}

/* One row into the state: the usual case, or a tail call. */
static pg_attribute_always_inline Datum
accumulate(FunctionCallInfo fcinfo, DpValueType type, bool clamped)
{
	DpExactState *state = (DpExactState *) PG_GETARG_POINTER(0);
	int64		place;

	if (unlikely(PG_ARGISNULL(0) || PG_ARGISNULL(1)))
		return accumulate_any(fcinfo, type, clamped);
	place = dp_aggregate_quick_place(PG_GETARG_DATUM(1), type, &state->bounds->grid);
	if (unlikely(place == DP_GRID_NONE))
		return accumulate_any(fcinfo, type, clamped);
	add_place(state, place);
	PG_RETURN_POINTER(state);
}

/* add_clamped(internal, type, bytea): each row clamped to the bounds. */
DP_SQL_FUNCTION(dp_aggregate_add_clamped_int2, accumulate(fcinfo, DP_VALUE_SMALLINT, true));
DP_SQL_FUNCTION(dp_aggregate_add_clamped_int4, accumulate(fcinfo, DP_VALUE_INTEGER, true));
DP_SQL_FUNCTION(dp_aggregate_add_clamped_int8, accumulate(fcinfo, DP_VALUE_BIGINT, true));
DP_SQL_FUNCTION(dp_aggregate_add_clamped_numeric, accumulate(fcinfo, DP_VALUE_NUMERIC, true));
DP_SQL_FUNCTION(dp_aggregate_add_clamped_float4, accumulate(fcinfo, DP_VALUE_REAL, true));
DP_SQL_FUNCTION(dp_aggregate_add_clamped_float8, accumulate(fcinfo, DP_VALUE_DOUBLE, true));

/* add_limited(internal, type, bytea): each row within +-2^62 grid units. */
DP_SQL_FUNCTION(dp_aggregate_add_limited_int2, accumulate(fcinfo, DP_VALUE_SMALLINT, false));
DP_SQL_FUNCTION(dp_aggregate_add_limited_int4, accumulate(fcinfo, DP_VALUE_INTEGER, false));
DP_SQL_FUNCTION(dp_aggregate_add_limited_int8, accumulate(fcinfo, DP_VALUE_BIGINT, false));
DP_SQL_FUNCTION(dp_aggregate_add_limited_numeric, accumulate(fcinfo, DP_VALUE_NUMERIC, false));
DP_SQL_FUNCTION(dp_aggregate_add_limited_float4, accumulate(fcinfo, DP_VALUE_REAL, false));
DP_SQL_FUNCTION(dp_aggregate_add_limited_float8, accumulate(fcinfo, DP_VALUE_DOUBLE, false));

/* Final function of exact_sum: the sum of clamped places. */
Datum
dp_aggregate_exact_sum(PG_FUNCTION_ARGS)
{
	__int128	totals[1] = {0};

	if (!PG_ARGISNULL(0))
		totals[0] = ((DpExactState *) PG_GETARG_POINTER(0))->total;
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(1, totals));
}

/* Final function of exact_avg: the sum of (place - lower), and the rows. */
Datum
dp_aggregate_exact_avg(PG_FUNCTION_ARGS)
{
	__int128	totals[2] = {0, 0};

	if (!PG_ARGISNULL(0))
	{
		DpExactState *state = (DpExactState *) PG_GETARG_POINTER(0);

		totals[0] = state->total - (__int128) state->rows * state->bounds->lower;
		totals[1] = state->rows;
	}
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(2, totals));
}

/* Final function of exact_rows: all rows, skipped ones too. */
Datum
dp_aggregate_exact_rows(PG_FUNCTION_ARGS)
{
	DpExactState *state;

	if (PG_ARGISNULL(0))
		PG_RETURN_INT64(0);
	state = (DpExactState *) PG_GETARG_POINTER(0);
	PG_RETURN_INT64(state->rows + state->skipped);
}
