/*
 * totals.c
 *	  Totals as a value (DpTotals), and the exact aggregates over units that
 *	  add up what unit_sum, unit_avg and unit_rows returned.
 *
 * Sums are 128 bits wide: 2^63 units of 64 bits each cannot overflow them.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "aggregate/state.h"

#define PARTS 2

/* Transition state: one flat chunk in the aggregate's context. */
typedef struct UnitTotals
{
	int128		part[PARTS];
} UnitTotals;

PG_FUNCTION_INFO_V1(dp_aggregate_add_total);
PG_FUNCTION_INFO_V1(dp_aggregate_add_pair);
PG_FUNCTION_INFO_V1(dp_aggregate_totals_combine);
PG_FUNCTION_INFO_V1(dp_aggregate_totals_serialize);
PG_FUNCTION_INFO_V1(dp_aggregate_totals_deserialize);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_total);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_pair);

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

/* The transition state, made on first use. */
static UnitTotals *
unit_totals(FunctionCallInfo fcinfo)
{
	if (likely(!PG_ARGISNULL(0)))
		return (UnitTotals *) PG_GETARG_POINTER(0);
	return MemoryContextAllocZero(dp_aggregate_context(fcinfo), sizeof(UnitTotals));
}

/* add_total(internal, bigint) */
Datum
dp_aggregate_add_total(PG_FUNCTION_ARGS)
{
	UnitTotals *state = unit_totals(fcinfo);

	if (likely(!PG_ARGISNULL(1)))
		state->part[0] += PG_GETARG_INT64(1);
	PG_RETURN_POINTER(state);
}

/* add_pair(internal, bigint, bigint): both or neither. */
Datum
dp_aggregate_add_pair(PG_FUNCTION_ARGS)
{
	UnitTotals *state = unit_totals(fcinfo);

	if (likely(!PG_ARGISNULL(1) && !PG_ARGISNULL(2)))
	{
		state->part[0] += PG_GETARG_INT64(1);
		state->part[1] += PG_GETARG_INT64(2);
	}
	PG_RETURN_POINTER(state);
}

/* totals_combine(internal, internal): add the second state into the first. */
Datum
dp_aggregate_totals_combine(PG_FUNCTION_ARGS)
{
	UnitTotals *into = unit_totals(fcinfo);

	if (!PG_ARGISNULL(1))
	{
		UnitTotals *from = (UnitTotals *) PG_GETARG_POINTER(1);

		for (int i = 0; i < PARTS; i++)
			into->part[i] += from->part[i];
	}
	PG_RETURN_POINTER(into);
}

/* totals_serialize(internal): the state as a DpTotals. */
Datum
dp_aggregate_totals_serialize(PG_FUNCTION_ARGS)
{
	UnitTotals *state = (UnitTotals *) PG_GETARG_POINTER(0);
	__int128	totals[PARTS] = {state->part[0], state->part[1]};

	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(PARTS, totals));
}

/*
 * totals_deserialize(bytea, internal): the state again, in the current memory
 * context.  Errors: 22023 for bytes of another size.
 */
Datum
dp_aggregate_totals_deserialize(PG_FUNCTION_ARGS)
{
	UnitTotals *state = palloc(sizeof(UnitTotals));
	__int128	totals[PARTS];

	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), PARTS, totals);
	for (int i = 0; i < PARTS; i++)
		state->part[i] = totals[i];
	PG_RETURN_POINTER(state);
}

/* The first `count` totals of a final function's state; zeros without one. */
static Datum
final_totals(FunctionCallInfo fcinfo, int count)
{
	__int128	totals[PARTS] = {0, 0};

	if (!PG_ARGISNULL(0))
	{
		UnitTotals *state = (UnitTotals *) PG_GETARG_POINTER(0);

		for (int i = 0; i < PARTS; i++)
			totals[i] = state->part[i];
	}
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(count, totals));
}

/* Final function of exact_total: one total. */
Datum
dp_aggregate_exact_total(PG_FUNCTION_ARGS)
{
	return final_totals(fcinfo, 1);
}

/* Final function of exact_pair: two totals. */
Datum
dp_aggregate_exact_pair(PG_FUNCTION_ARGS)
{
	return final_totals(fcinfo, 2);
}
