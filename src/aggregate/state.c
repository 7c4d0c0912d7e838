/*
 * state.c
 *	  Birth, union and transport of the state in state.h.
 *
 * Everything that comes in as bytes (a DpExactSpec, a serialized state) is
 * checked here, before a row is read; bytes that fail raise 22023.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "base/compat.h"
#include "aggregate/state.h"

#define SPEC_SIZE (sizeof(DpExactSpec) - VARHDRSZ)

/* A state between processes of one server: no pointers, no padding. */
typedef struct SavedState
{
	uint64		total_low;
	int64		total_high;
	int64		rows;
	int64		skipped;
	int64		lower;
	int64		upper;
	int64		max_rows;
	int32		grid;
	int32		clamped;
} SavedState;

PG_FUNCTION_INFO_V1(dp_aggregate_exact_combine);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_serialize);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_deserialize);

void
dp_aggregate_refuse(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid %s of an exact aggregate", what)));
}

MemoryContext
dp_aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "exact aggregate function called outside an aggregate");
	return context;
}

/*
 * Are these bounds within the limits all arithmetic here relies on?  Sums of
 * 2^63 places then fit 126 bits.
 */
static bool
bounds_are_sane(int grid, int64 lower, int64 upper, int64 max_rows)
{
	return grid >= DP_GRID_MIN && grid <= DP_GRID_MAX &&
		-DP_GRID_LIMIT <= lower && lower <= upper && upper <= DP_GRID_LIMIT &&
		max_rows >= 1;
}

/*
 * These bounds, shared with the states made before by the same FmgrInfo if
 * theirs are equal, as they are whenever the specification is constant.
 */
static const DpExactBounds *
share_bounds(FmgrInfo *flinfo, int grid, int64 lower, int64 upper, int64 max_rows, bool clamped)
{
	DpExactBounds *bounds = flinfo->fn_extra;
	int64		low = clamped ? lower : -DP_GRID_LIMIT;
	int64		high = clamped ? upper : DP_GRID_LIMIT;

	if (bounds != NULL && bounds->grid.grid == grid && bounds->low == low &&
		bounds->high == high && bounds->lower == lower && bounds->upper == upper &&
		bounds->max_rows == max_rows)
		return bounds;
	bounds = MemoryContextAlloc(flinfo->fn_mcxt, sizeof(DpExactBounds));
	bounds->low = low;
	bounds->high = high;
	bounds->grid = dp_grid_init(grid);
	bounds->lower = lower;
	bounds->upper = upper;
	bounds->max_rows = max_rows;
	flinfo->fn_extra = bounds;
	return bounds;
}

/* Read and check a DpExactSpec; 22023 unless it is sane. */
static void
read_spec(DpExactSpec *spec, const bytea *value)
{
	if (VARSIZE_ANY_EXHDR(value) != SPEC_SIZE)
		dp_aggregate_refuse("bounds");
	memcpy((char *) spec + VARHDRSZ, VARDATA_ANY(value), SPEC_SIZE);

	/* cppcheck-suppress uninitvar; all but the header was copied. */
	if (!bounds_are_sane(spec->grid, spec->lower, spec->upper, spec->max_rows) ||
		!isfinite(spec->lower_value) || !isfinite(spec->upper_value) ||
		spec->lower_value > spec->upper_value)
		dp_aggregate_refuse("bounds");
}

DpExactState *
dp_aggregate_new_state(FunctionCallInfo fcinfo, bool clamped)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	DpExactState *state;
	DpExactSpec spec;

	if (PG_ARGISNULL(2))
		dp_aggregate_refuse("bounds");
	read_spec(&spec, PG_GETARG_BYTEA_PP(2));
	state = MemoryContextAllocZero(context, sizeof(DpExactState));
	state->bounds = share_bounds(fcinfo->flinfo, spec.grid, spec.lower, spec.upper,
								 spec.max_rows, clamped);
	return state;
}

/* Were both states made from the same bounds? */
static bool
same_bounds(const DpExactBounds *a, const DpExactBounds *b)
{
	return a == b ||
		(a->grid.grid == b->grid.grid && a->low == b->low && a->high == b->high &&
		 a->lower == b->lower && a->upper == b->upper && a->max_rows == b->max_rows);
}

/* exact_combine(internal, internal): add the second state into the first. */
Datum
dp_aggregate_exact_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	DpExactState *into = PG_ARGISNULL(0) ? NULL : (DpExactState *) PG_GETARG_POINTER(0);
	DpExactState *from = PG_ARGISNULL(1) ? NULL : (DpExactState *) PG_GETARG_POINTER(1);

	if (from == NULL)
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	if (into == NULL)
	{
		into = MemoryContextAlloc(context, sizeof(DpExactState));
		*into = *from;
		PG_RETURN_POINTER(into);
	}
	if (!same_bounds(into->bounds, from->bounds))
		dp_aggregate_refuse("bounds");
	into->total += from->total;
	into->rows += from->rows;
	into->skipped += from->skipped;
	PG_RETURN_POINTER(into);
}

/* exact_serialize(internal): the state as a bytea. */
Datum
dp_aggregate_exact_serialize(PG_FUNCTION_ARGS)
{
	DpExactState *state = (DpExactState *) PG_GETARG_POINTER(0);
	const DpExactBounds *bounds = state->bounds;
	bytea	   *result = palloc(VARHDRSZ + sizeof(SavedState));
	SavedState	saved;

	saved.total_low = (uint64) state->total;
	saved.total_high = (int64) (state->total >> 64);
	saved.rows = state->rows;
	saved.skipped = state->skipped;
	saved.lower = bounds->lower;
	saved.upper = bounds->upper;
	saved.max_rows = bounds->max_rows;
	saved.grid = bounds->grid.grid;
	saved.clamped = bounds->low == bounds->lower && bounds->high == bounds->upper;
	SET_VARSIZE(result, VARHDRSZ + sizeof(SavedState));
	memcpy(VARDATA(result), &saved, sizeof(SavedState));
	PG_RETURN_BYTEA_P(result);
}

/*
 * exact_deserialize(bytea, internal): the state again, in the current memory
 * context.  Errors: 22023 for bytes no serialization produces.
 */
Datum
dp_aggregate_exact_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	DpExactState *state = palloc(sizeof(DpExactState));
	SavedState	saved;

	if (VARSIZE_ANY_EXHDR(value) != sizeof(SavedState))
		dp_aggregate_refuse("state");
	memcpy(&saved, VARDATA_ANY(value), sizeof(SavedState));
	if (!bounds_are_sane(saved.grid, saved.lower, saved.upper, saved.max_rows) ||
		saved.rows < 0 || saved.skipped < 0)
		dp_aggregate_refuse("state");
	state->total = (int128) (((uint128) saved.total_high << 64) | saved.total_low);
	state->rows = saved.rows;
	state->skipped = saved.skipped;
	state->bounds = share_bounds(fcinfo->flinfo, saved.grid, saved.lower, saved.upper,
								 saved.max_rows, saved.clamped != 0);
	if (state->total < (int128) state->rows * state->bounds->low ||
		state->total > (int128) state->rows * state->bounds->high)
		dp_aggregate_refuse("state");
	PG_RETURN_POINTER(state);
}
