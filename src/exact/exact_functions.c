/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact_functions.c
 *	  Functions the rewriter puts into exact plans.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "access/tupmacs.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "base/compat_varlena.h"
#include "expression/allow_list.h"
#include "expression/null_on_error.h"
#include "expression/value_size.h"
#include "noise/random.h"

PG_FUNCTION_INFO_V1(dp_exact_detoasted);
PG_FUNCTION_INFO_V1(dp_exact_random_priority);
PG_FUNCTION_INFO_V1(dp_exact_canonical_float4);
PG_FUNCTION_INFO_V1(dp_exact_canonical_float8);
PG_FUNCTION_INFO_V1(dp_exact_canonical_interval);
PG_FUNCTION_INFO_V1(dp_exact_packed);
PG_FUNCTION_INFO_V1(dp_exact_elements);

/* Is the first argument of a type whose values may be TOASTed?  Looked up once. */
static bool
may_lie_out_of_line(FmgrInfo *call)
{
	bool	   *known = call->fn_extra;

	if (known == NULL)
	{
		known = MemoryContextAlloc(call->fn_mcxt, sizeof(bool));
		*known = get_typlen(get_fn_expr_argtype(call, 0)) == -1;
		call->fn_extra = known;
	}
	return *known;
}

/*
 * A value of a public table, with nothing of it in a TOAST table, under a running release;
 * an error anywhere else.  NULL if it is longer than expressions take: copying many
 * megabytes along with a row that matches takes time that tells.
 */
Datum
dp_exact_detoasted(PG_FUNCTION_ARGS)
{
	if (!dp_expression_release_running)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("exact totals are only available to a differentially private release")));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!may_lie_out_of_line(fcinfo->flinfo))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (dp_expression_value_size(PG_GETARG_DATUM(0)) > DP_MAX_VALUE_SIZE)
		PG_RETURN_NULL();
	if (VARATT_IS_EXTERNAL(PG_GETARG_POINTER(0)))
		PG_RETURN_POINTER(detoast_external_attr((struct varlena *) PG_GETARG_POINTER(0)));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Sixty-four fresh random bits. */
Datum
dp_exact_random_priority(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) dp_noise_random64());
}

/* A float with one zero and one NaN: equal values have the same bits. */
Datum
dp_exact_canonical_float4(PG_FUNCTION_ARGS)
{
	float4		x = PG_GETARG_FLOAT4(0);

	PG_RETURN_FLOAT4(isnan(x) ? get_float4_nan() : x == 0 ? 0 : x);
}

Datum
dp_exact_canonical_float8(PG_FUNCTION_ARGS)
{
	float8		x = PG_GETARG_FLOAT8(0);

	PG_RETURN_FLOAT8(isnan(x) ? get_float8_nan() : x == 0 ? 0 : x);
}

/* Take as many parts of this size out of a span as an int32 counts. */
static int32
take_parts(__int128 *span, __int128 size)
{
	__int128	parts = *span / size;

	parts = Min(Max(parts, PG_INT32_MIN), PG_INT32_MAX);
	*span -= parts * size;
	return (int32) parts;
}

/*
 * An interval as days and a time, where that many days can be, and else as months, days and a
 * time.  It depends on nothing but what PostgreSQL compares, with months of 30 days and days
 * of 24 hours: so equal intervals have the same bits.  What is infinite stays that.
 */
Datum
dp_exact_canonical_interval(PG_FUNCTION_ARGS)
{
	const Interval *interval = PG_GETARG_INTERVAL_P(0);
	Interval   *result = palloc0(sizeof(Interval));
	__int128	days = (__int128) interval->month * DAYS_PER_MONTH + interval->day;
	__int128	span = days * USECS_PER_DAY + interval->time;

	days = span / USECS_PER_DAY;
	if (days < PG_INT32_MIN || days > PG_INT32_MAX)
		result->month = take_parts(&span, (__int128) DAYS_PER_MONTH * USECS_PER_DAY);
	result->day = take_parts(&span, USECS_PER_DAY);
	result->time = (int64) span;
	PG_RETURN_INTERVAL_P(result);
}

/* How values of an argument are stored. */
typedef struct Stored
{
	int16		length;
	bool		by_value;
} Stored;

/* The same of all arguments of a call, looked up once.  Raises an error if one is a C string, or of a type not known. */
static const Stored *
stored_arguments(FunctionCallInfo fcinfo)
{
	Stored	   *stored = fcinfo->flinfo->fn_extra;

	if (stored == NULL)
	{
		stored = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, Max(PG_NARGS(), 1) * sizeof(Stored));
		for (int i = 0; i < PG_NARGS(); i++)
		{
			Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);

			if (OidIsValid(type))
				get_typlenbyval(type, &stored[i].length, &stored[i].by_value);
			if (!OidIsValid(type) || stored[i].length == -2)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("values of this type cannot be packed")));
		}
		fcinfo->flinfo->fn_extra = stored;
	}
	return stored;
}

/* Append a value that is not NULL: one of variable length behind its length. */
static void
pack_value(StringInfo packed, Datum value, const Stored *stored)
{
	if (stored->length == -1)
	{
		struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);
		uint32		size = VARSIZE_ANY_EXHDR(bytes);

		appendBinaryStringInfo(packed, (const char *) &size, sizeof(size));
		appendBinaryStringInfo(packed, VARDATA_ANY(bytes), size);
	}
	else if (!stored->by_value)
		appendBinaryStringInfo(packed, (const char *) DatumGetPointer(value), stored->length);
	else
	{
		char		bytes[sizeof(Datum)] = {0};

		store_att_byval(bytes, value, stored->length);
		appendBinaryStringInfo(packed, bytes, stored->length);
	}
}

/*
 * packed(VARIADIC "any") returns bytea
 *
 * Values of types of one form per value in one: equal where all of them are, or both NULL.  None are C strings.
 */
Datum
dp_exact_packed(PG_FUNCTION_ARGS)
{
	const Stored *stored = stored_arguments(fcinfo);
	StringInfoData packed;

	initStringInfo(&packed);
	appendStringInfoSpaces(&packed, VARHDRSZ);
	for (int i = 0; i < PG_NARGS(); i++)
	{
		appendStringInfoChar(&packed, PG_ARGISNULL(i) ? 0 : 1);
		if (!PG_ARGISNULL(i))
			pack_value(&packed, PG_GETARG_DATUM(i), &stored[i]);
	}
	SET_VARSIZE(packed.data, packed.len);
	PG_RETURN_BYTEA_P(packed.data);
}

/* The elements of an array that are left. */
typedef struct Elements
{
	ArrayIterator iterator;		/* NULL if there is none */
	bool		none;			/* has none been seen, and is a row of NULL due then? */
	int64		left;			/* how many may come */
} Elements;

/* Begin with the first element. */
static Elements *
begin_elements(FunctionCallInfo fcinfo, FuncCallContext *context)
{
	MemoryContext old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
	Elements   *elements = palloc0(sizeof(Elements));

	elements->none = !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);
	elements->left = PG_ARGISNULL(2) ? 0 : PG_GETARG_INT64(2);
	if (!PG_ARGISNULL(0))
		elements->iterator = array_create_iterator(PG_GETARG_ARRAYTYPE_P_COPY(0), 0, NULL);
	MemoryContextSwitchTo(old);
	return elements;
}

/*
 * elements(value anyarray, keep boolean, most bigint) returns setof anyelement
 *
 * The first elements, whatever dimensions they are in; with `keep`, NULL where there is none.
 */
Datum
dp_exact_elements(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	Elements   *elements;
	Datum		value;
	bool		isnull;

	if (SRF_IS_FIRSTCALL())
	{
		context = SRF_FIRSTCALL_INIT();
		context->user_fctx = begin_elements(fcinfo, context);
	}
	context = SRF_PERCALL_SETUP();
	elements = context->user_fctx;
	if (elements->left-- > 0)
	{
		if (elements->iterator && array_iterate(elements->iterator, &value, &isnull))
		{
			elements->none = false;
			if (isnull)
				SRF_RETURN_NEXT_NULL(context);
			SRF_RETURN_NEXT(context, value);
		}
		elements->left = 0;
		if (elements->none)
			SRF_RETURN_NEXT_NULL(context);
	}
	SRF_RETURN_DONE(context);
}
