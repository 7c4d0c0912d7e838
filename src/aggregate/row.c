/*
 * row.c
 *	  Transition functions of the exact aggregates over rows, one per type, and
 *	  the results of those for which a row is a whole unit.
 *
 * A row costs one conversion to the grid, one clamp and one 128-bit addition:
 * nothing is allocated and, short of a toasted numeric, nothing is called.
 * NULL and NaN are skipped; infinities count as the bound they exceed.
 * Integer addition makes results independent of the order of rows.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/state.h"

typedef enum ValueType
{
	SMALLINT,
	INTEGER,
	BIGINT,
	NUMERIC,
	REAL,
	DOUBLE
} ValueType;

PG_FUNCTION_INFO_V1(dp_aggregate_exact_sum);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_avg);

/* The place of a numeric as stored, detoasted only if it must be. */
static pg_attribute_always_inline int64
numeric_place(struct varlena *value, const DpGrid *grid)
{
	if (unlikely(VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value)))
		value = pg_detoast_datum_packed(value);
	if (VARATT_IS_SHORT(value))
		return dp_grid_numeric((uint8 *) VARDATA_SHORT(value),
							   VARSIZE_SHORT(value) - VARHDRSZ_SHORT, grid);
	return dp_grid_numeric((uint8 *) VARDATA(value), VARSIZE(value) - VARHDRSZ, grid);
}

/* The place of a value of the given type on the grid, or DP_GRID_SKIP. */
static pg_attribute_always_inline int64
place_of(Datum value, ValueType type, const DpGrid *grid)
{
	switch (type)
	{
		case SMALLINT:
			return dp_grid_integer(DatumGetInt16(value), grid);
		case INTEGER:
			return dp_grid_integer(DatumGetInt32(value), grid);
		case BIGINT:
			return dp_grid_integer(DatumGetInt64(value), grid);
		case NUMERIC:
			return numeric_place((struct varlena *) DatumGetPointer(value), grid);
		case REAL:
			return dp_grid_double(DatumGetFloat4(value), grid);
		case DOUBLE:
			return dp_grid_double(DatumGetFloat8(value), grid);
	}
	pg_unreachable();
}

/* One row into the state; the state exists from the first row on, NULL or not. */
static pg_attribute_always_inline Datum
accumulate(FunctionCallInfo fcinfo, ValueType type, bool clamped)
{
	DpExactState *state;
	int64		place;

	if (unlikely(PG_ARGISNULL(0)))
		state = dp_aggregate_new_state(fcinfo, clamped);
	else
		state = (DpExactState *) PG_GETARG_POINTER(0);
	if (unlikely(PG_ARGISNULL(1)))
		PG_RETURN_POINTER(state);

	place = place_of(PG_GETARG_DATUM(1), type, &state->grid);
	if (type >= NUMERIC && unlikely(place == DP_GRID_SKIP))
		PG_RETURN_POINTER(state);
	place = place < state->high ? place : state->high;
	place = place > state->low ? place : state->low;
	state->total += place;
	state->rows++;
	PG_RETURN_POINTER(state);
}

#define DP_ACCUMULATE(name, type, clamped) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		return accumulate(fcinfo, type, clamped); \
	} \
	extern Datum name(PG_FUNCTION_ARGS)

/* add_clamped(internal, type, bytea): each row clamped to the bounds. */
DP_ACCUMULATE(dp_aggregate_add_clamped_int2, SMALLINT, true);
DP_ACCUMULATE(dp_aggregate_add_clamped_int4, INTEGER, true);
DP_ACCUMULATE(dp_aggregate_add_clamped_int8, BIGINT, true);
DP_ACCUMULATE(dp_aggregate_add_clamped_numeric, NUMERIC, true);
DP_ACCUMULATE(dp_aggregate_add_clamped_float4, REAL, true);
DP_ACCUMULATE(dp_aggregate_add_clamped_float8, DOUBLE, true);

/* add_limited(internal, type, bytea): each row within +-2^62 grid units. */
DP_ACCUMULATE(dp_aggregate_add_limited_int2, SMALLINT, false);
DP_ACCUMULATE(dp_aggregate_add_limited_int4, INTEGER, false);
DP_ACCUMULATE(dp_aggregate_add_limited_int8, BIGINT, false);
DP_ACCUMULATE(dp_aggregate_add_limited_numeric, NUMERIC, false);
DP_ACCUMULATE(dp_aggregate_add_limited_float4, REAL, false);
DP_ACCUMULATE(dp_aggregate_add_limited_float8, DOUBLE, false);

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

		totals[0] = state->total - (__int128) state->rows * state->lower;
		totals[1] = state->rows;
	}
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(2, totals));
}
