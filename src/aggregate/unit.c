/*
 * unit.c
 *	  Results of the exact aggregates over the rows of one unit in one group.
 *
 * What a unit hands to the next level is bounded here, whatever its rows hold
 * and however many there are.  NULL if no row counted.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/scale.h"
#include "aggregate/state.h"

PG_FUNCTION_INFO_V1(dp_aggregate_unit_sum);
PG_FUNCTION_INFO_V1(dp_aggregate_unit_avg);
PG_FUNCTION_INFO_V1(dp_aggregate_unit_rows);

/* The state of a unit with rows, or NULL. */
static const DpExactState *
counted(FunctionCallInfo fcinfo)
{
	const DpExactState *state;

	if (PG_ARGISNULL(0))
		return NULL;
	state = (const DpExactState *) PG_GETARG_POINTER(0);
	return state->rows > 0 ? state : NULL;
}

/* Final function of unit_sum: the unit's total, clamped to the bounds. */
Datum
dp_aggregate_unit_sum(PG_FUNCTION_ARGS)
{
	const DpExactState *state = counted(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	if (state->total <= state->bounds->lower)
		PG_RETURN_INT64(state->bounds->lower);
	if (state->total >= state->bounds->upper)
		PG_RETURN_INT64(state->bounds->upper);
	PG_RETURN_INT64((int64) state->total);
}

/*
 * Final function of unit_avg: the sum of (place - lower), scaled down to
 * max_rows rows if there are more.  0 <= result <= (upper - lower) * max_rows.
 */
Datum
dp_aggregate_unit_avg(PG_FUNCTION_ARGS)
{
	const DpExactState *state = counted(fcinfo);
	uint128		sum;

	if (state == NULL)
		PG_RETURN_NULL();
	sum = (uint128) (state->total - (int128) state->rows * state->bounds->lower);
	PG_RETURN_INT64(dp_aggregate_scale_down(sum, Min(state->rows, state->bounds->max_rows), state->rows));
}

/* Final function of unit_rows: the rows, at most max_rows of them. */
Datum
dp_aggregate_unit_rows(PG_FUNCTION_ARGS)
{
	const DpExactState *state = counted(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_INT64(Min(state->rows, state->bounds->max_rows));
}
