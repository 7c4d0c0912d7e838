/* SPDX-License-Identifier: PostgreSQL */
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

#include "aggregate/exact.h"
#include "aggregate/state.h"
#include "base/compat_varlena.h"

/*
 * Totals as a value (DpTotals).
 */

/* Bytes of a DpTotals of `count` totals. */
static Size
totals_size(int count)
{
	return offsetof(DpTotals, part) + count * 2 * sizeof(int64);
}

/* `count` totals as a value, in the current memory context. */
bytea *
dp_aggregate_make_totals(int count, const __int128 *totals)
{
	DpTotals   *result = palloc(totals_size(count));

	SET_VARSIZE(result, totals_size(count));
	result->padding = 0;
	for (int i = 0; i < count; i++)
	{
		result->part[2 * i] = (int64) totals[i];
		result->part[2 * i + 1] = (int64) (totals[i] >> 64);
	}
	return (bytea *) result;
}

int
dp_aggregate_count_totals(const bytea *value)
{
	Size		size = VARSIZE_ANY_EXHDR(value) + VARHDRSZ;
	Size		part = totals_size(1) - totals_size(0);

	return size < totals_size(0) || (size - totals_size(0)) % part != 0 ? -1
		: (int) ((size - totals_size(0)) / part);
}

/*
 * Read a value of exactly `count` totals, in whatever form a tuple left it.
 * Errors: 22023 if it is of another size.
 */
void
dp_aggregate_read_totals(const bytea *value, int count, __int128 *totals)
{
	const bytea *plain = pg_detoast_datum_packed(unconstify(bytea *, value));
	const char *data = VARDATA_ANY(plain) + offsetof(DpTotals, part) - VARHDRSZ;

	if (VARSIZE_ANY_EXHDR(plain) != totals_size(count) - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid totals of an exact aggregate")));
	for (int i = 0; i < count; i++)
	{
		uint64		half[2];

		memcpy(half, data + i * sizeof(half), sizeof(half));
		totals[i] = (__int128) (((unsigned __int128) half[1] << 64) | half[0]);
	}
}

/* Least number of bytes that hold a total as a two's complement. */
static int
bytes_of(__int128 total)
{
	int			bytes = 1;

	while (bytes < (int) sizeof(total) && total >> (8 * bytes - 1) != (total < 0 ? -1 : 0))
		bytes++;
	return bytes;
}

/*
 * The same where most totals are 0: of each other one its number, the number of its bytes, and these,
 * the least significant first.
 */
bytea *
dp_aggregate_make_few_totals(int count, const __int128 *totals)
{
	bytea	   *result = palloc(VARHDRSZ + count * (2 + sizeof(__int128)));
	uint8	   *to = (uint8 *) VARDATA(result);

	Assert(count <= PG_UINT8_MAX + 1);
	for (int i = 0; i < count; i++)
	{
		int			bytes = bytes_of(totals[i]);

		if (totals[i] == 0)
			continue;
		*to++ = (uint8) i;
		*to++ = (uint8) bytes;
		for (int j = 0; j < bytes; j++)
			*to++ = (uint8) (totals[i] >> (8 * j));
	}
	SET_VARSIZE(result, to - (uint8 *) result);
	return result;
}

/* Read them, in whatever form a tuple left them.  Errors: 22023 if they are not of so many. */
void
dp_aggregate_read_few_totals(const bytea *value, int count, __int128 *totals)
{
	const bytea *plain = pg_detoast_datum_packed(unconstify(bytea *, value));
	const uint8 *from = (const uint8 *) VARDATA_ANY(plain);
	const uint8 *end = from + VARSIZE_ANY_EXHDR(plain);

	memset(totals, 0, count * sizeof(*totals));
	while (from < end)
	{
		unsigned __int128 total = 0;
		int			number = from[0];
		int			bytes = end - from > 1 ? from[1] : 0;

		if (number >= count || bytes < 1 || bytes > (int) sizeof(total) || end - from < 2 + bytes)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid totals of an exact aggregate")));
		for (int j = 0; j < bytes; j++)
			total |= (unsigned __int128) from[2 + j] << (8 * j);
		if (bytes < (int) sizeof(total) && from[1 + bytes] & 0x80)
			total |= ~(unsigned __int128) 0 << (8 * bytes);
		totals[number] = (__int128) total;
		from += 2 + bytes;
	}
}

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
	bounds->grid = dp_aggregate_grid_init(grid);
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
