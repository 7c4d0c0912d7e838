/*
 * part.c
 *	  What one server hands to another: a state over some of a unit's rows.
 *
 * unit_part and unit_sum_part return, for the rows of a unit that one server
 * holds, the state that unit_avg, unit_rows and unit_sum would go on with; these
 * take such parts too, and put them together.  A part is bytes in network
 * order, and says which bounds its rows were clamped to, so that servers that
 * do not mean the same by a specification are found out.
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"

#include "aggregate/state.h"
#include "compat.h"

/* total, rows, grid, low, high */
#define PART_SIZE (16 + 8 + 4 + 8 + 8)

PG_FUNCTION_INFO_V1(dp_aggregate_part);
PG_FUNCTION_INFO_V1(dp_aggregate_add_part_clamped);
PG_FUNCTION_INFO_V1(dp_aggregate_add_part_limited);

/* Final function of unit_part and unit_sum_part; NULL without a state. */
Datum
dp_aggregate_part(PG_FUNCTION_ARGS)
{
	const DpExactState *state;
	StringInfoData part;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (const DpExactState *) PG_GETARG_POINTER(0);
	pq_begintypsend(&part);
	pq_sendint64(&part, (uint64) (state->total >> 64));
	pq_sendint64(&part, (uint64) state->total);
	pq_sendint64(&part, (uint64) state->rows);
	pq_sendint32(&part, (uint32) state->bounds->grid.grid);
	pq_sendint64(&part, (uint64) state->bounds->low);
	pq_sendint64(&part, (uint64) state->bounds->high);
	PG_RETURN_BYTEA_P(pq_endtypsend(&part));
}

/* A part is not what these bounds can make: 22023. */
static void
refuse_part(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid part of an exact aggregate")));
}

/*
 * Add the rows that a part stands for to a state.  Errors: 22023 unless it was
 * made under the state's bounds, and can have been.
 */
static void
add_part(DpExactState *state, bytea *value)
{
	const DpExactBounds *bounds = state->bounds;
	StringInfoData part = {
		.data = VARDATA_ANY(value),
		.len = VARSIZE_ANY_EXHDR(value),
		.maxlen = -1
	};
	int128		total;
	int64		rows;

	if (part.len != PART_SIZE)
		refuse_part();
	total = (int128) ((uint128) (uint64) pq_getmsgint64(&part) << 64);
	total |= (uint64) pq_getmsgint64(&part);
	rows = pq_getmsgint64(&part);
	if ((int) pq_getmsgint(&part, 4) != bounds->grid.grid ||
		pq_getmsgint64(&part) != bounds->low || pq_getmsgint64(&part) != bounds->high ||
		rows < 0 || total < (int128) rows * bounds->low || total > (int128) rows * bounds->high ||
		pg_add_s64_overflow(state->rows, rows, &state->rows))
		refuse_part();
	state->total += total;
}

/* The state exists from the first part on, NULL or not. */
static Datum
accumulate_part(FunctionCallInfo fcinfo, bool clamped)
{
	DpExactState *state;

	if (PG_ARGISNULL(0))
		state = dp_aggregate_new_state(fcinfo, clamped);
	else
		state = (DpExactState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
		add_part(state, PG_GETARG_BYTEA_PP(1));
	PG_RETURN_POINTER(state);
}

/* add_part_clamped(internal, bytea, bytea): what unit_part returned. */
Datum
dp_aggregate_add_part_clamped(PG_FUNCTION_ARGS)
{
	return accumulate_part(fcinfo, true);
}

/* add_part_limited(internal, bytea, bytea): what unit_sum_part returned. */
Datum
dp_aggregate_add_part_limited(PG_FUNCTION_ARGS)
{
	return accumulate_part(fcinfo, false);
}
