/* SPDX-License-Identifier: PostgreSQL */
/*
 * estimate.c
 *	  dp_randomized_estimate: what share of all people has each value, from
 *	  answers that dp_randomize made.
 *
 * Let a share f of n answers name a value.  With E = e^epsilon - 1 and k values, the
 * truth is told with probability p = (E + 1) / (E + k) and a value told by those who
 * have another with q = 1 / (E + k).  Then (f - q) / (p - q) = f (1 + k/E)
 * - 1/E is an unbiased estimate of the share r who have the value; its variance,
 * for these people, is (r p (1 - p) + (1 - r) q (1 - q)) / n (p - q)^2, into
 * which the estimate is put for r.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "base/compat_varlena.h"
#include "local/choices.h"

PG_FUNCTION_INFO_V1(dp_local_add_boolean);
PG_FUNCTION_INFO_V1(dp_local_add_text);
PG_FUNCTION_INFO_V1(dp_local_combine);
PG_FUNCTION_INFO_V1(dp_local_serialize);
PG_FUNCTION_INFO_V1(dp_local_deserialize);
PG_FUNCTION_INFO_V1(dp_local_estimate_boolean);
PG_FUNCTION_INFO_V1(dp_local_estimate_text);

/* Answers counted so far. */
typedef struct Answers
{
	double		epsilon;
	DpAnswerList *choices;		/* NULL: true and false */
	int			count;			/* of choices */
	int64	   *told;			/* how often each was */
} Answers;

static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
}

static Answers *
make_answers(MemoryContext context, double epsilon, const ArrayType *list)
{
	Answers    *answers = MemoryContextAllocZero(context, sizeof(Answers));

	answers->epsilon = epsilon;
	if (list != NULL)
		answers->choices = dp_local_read_choices(list, context);
	answers->count = list == NULL ? 2 : answers->choices->count;
	answers->told = MemoryContextAllocZero(context, answers->count * sizeof(int64));
	return answers;
}

/* Answers can be added up only if all were randomised alike. */
static void
check_alike(const Answers *answers, double epsilon, const ArrayType *list)
{
	if (answers->epsilon != epsilon ||
		(list != NULL && !dp_local_same_choices(answers->choices, list)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("domain and epsilon must be the same for all answers")));
}

/* add(internal, answer boolean, epsilon float8) */
Datum
dp_local_add_boolean(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	Answers    *answers = PG_ARGISNULL(0) ? NULL : (Answers *) PG_GETARG_POINTER(0);
	double		epsilon = dp_local_epsilon(fcinfo, 2);

	if (answers == NULL)
		answers = make_answers(context, epsilon, NULL);
	check_alike(answers, epsilon, NULL);
	if (!PG_ARGISNULL(1))
		answers->told[PG_GETARG_BOOL(1) ? 0 : 1]++;
	PG_RETURN_POINTER(answers);
}

/* add(internal, answer text, domain text[], epsilon float8) */
Datum
dp_local_add_text(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	Answers    *answers = PG_ARGISNULL(0) ? NULL : (Answers *) PG_GETARG_POINTER(0);
	DpAnswerList *choices = dp_local_choices(fcinfo, 2);
	double		epsilon = dp_local_epsilon(fcinfo, 3);

	if (answers == NULL)
		answers = make_answers(context, epsilon, choices->list);
	check_alike(answers, epsilon, choices->list);
	if (!PG_ARGISNULL(1))
		answers->told[dp_local_find_choice(choices, PG_GETARG_TEXT_PP(1))]++;
	PG_RETURN_POINTER(answers);
}

Datum
dp_local_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	Answers    *a = PG_ARGISNULL(0) ? NULL : (Answers *) PG_GETARG_POINTER(0);
	Answers    *b = PG_ARGISNULL(1) ? NULL : (Answers *) PG_GETARG_POINTER(1);

	if (b == NULL && a == NULL)
		PG_RETURN_NULL();
	if (b == NULL)
		PG_RETURN_POINTER(a);
	if (a == NULL)
		a = make_answers(context, b->epsilon, b->choices ? b->choices->list : NULL);
	check_alike(a, b->epsilon, b->choices ? b->choices->list : NULL);
	for (int i = 0; i < a->count; i++)
		a->told[i] += b->told[i];
	PG_RETURN_POINTER(a);
}

/* Epsilon, the counts with their number, and the list of choices, if any. */
Datum
dp_local_serialize(PG_FUNCTION_ARGS)
{
	Answers    *answers = (Answers *) PG_GETARG_POINTER(0);
	StringInfoData bytes;

	(void) aggregate_context(fcinfo);
	pq_begintypsend(&bytes);
	pq_sendfloat8(&bytes, answers->epsilon);
	pq_sendint32(&bytes, answers->count);
	for (int i = 0; i < answers->count; i++)
		pq_sendint64(&bytes, answers->told[i]);
	if (answers->choices)
		pq_sendbytes(&bytes, (char *) answers->choices->list, VARSIZE(answers->choices->list));
	PG_RETURN_BYTEA_P(pq_endtypsend(&bytes));
}

/* Bytes that this server's own processes wrote; they alone can call it. */
Datum
dp_local_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	StringInfoData bytes;
	Answers    *answers = palloc0(sizeof(Answers));

	(void) aggregate_context(fcinfo);
	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	answers->epsilon = pq_getmsgfloat8(&bytes);
	answers->count = pq_getmsgint(&bytes, 4);
	answers->told = palloc(answers->count * sizeof(int64));
	for (int i = 0; i < answers->count; i++)
		answers->told[i] = pq_getmsgint64(&bytes);
	if (bytes.cursor < bytes.len)
	{
		int			size = bytes.len - bytes.cursor;
		ArrayType  *list = palloc(size);

		memcpy(list, pq_getmsgbytes(&bytes, size), size);
		answers->choices = dp_local_read_choices(list, CurrentMemoryContext);
	}
	PG_RETURN_POINTER(answers);
}

/* How many answers there are. */
static int64
total(const Answers *answers)
{
	int64		sum = 0;

	for (int i = 0; i < answers->count; i++)
		sum += answers->told[i];
	return sum;
}

/* One row of estimates: value, how many told it, share, standard error. */
static Datum
estimate(const Answers *answers, int place, Datum value, TupleDesc desc)
{
	double		n = (double) total(answers);
	double		e = expm1(answers->epsilon);
	double		others = answers->count - 1;
	double		share = answers->told[place] / n * (1 + answers->count / e) - 1 / e;
	double		r = Min(Max(share, 0), 1);
	double		variance = r * (1 + 1 / e) * (others / e) + (1 - r) * (1 + others / e) / e;
	bool		nulls[4] = {false};
	Datum		values[4] = {
		value,
		Int64GetDatum(answers->told[place]),
		Float8GetDatum(share),
		Float8GetDatum(sqrt(variance / n))
	};

	return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

/* (internal) returns the composite type */
Datum
dp_local_estimate_boolean(PG_FUNCTION_ARGS)
{
	Answers    *answers = PG_ARGISNULL(0) ? NULL : (Answers *) PG_GETARG_POINTER(0);
	TupleDesc	desc;

	(void) aggregate_context(fcinfo);
	if (answers == NULL || total(answers) == 0)
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PG_RETURN_DATUM(estimate(answers, 0, CStringGetTextDatum("true"), BlessTupleDesc(desc)));
}

/* (internal) returns an array of the composite type, in the domain's order */
Datum
dp_local_estimate_text(PG_FUNCTION_ARGS)
{
	Answers    *answers = PG_ARGISNULL(0) ? NULL : (Answers *) PG_GETARG_POINTER(0);
	Oid			type = get_element_type(get_fn_expr_rettype(fcinfo->flinfo));
	TupleDesc	desc;
	Datum	   *rows;

	(void) aggregate_context(fcinfo);
	if (answers == NULL || total(answers) == 0)
		PG_RETURN_NULL();
	desc = lookup_rowtype_tupdesc_copy(type, -1);
	rows = palloc(answers->count * sizeof(Datum));
	for (int i = 0; i < answers->count; i++)
		rows[i] = estimate(answers, i, answers->choices->value[i], desc);
	PG_RETURN_ARRAYTYPE_P(construct_array(rows, answers->count, type, -1, false, TYPALIGN_DOUBLE));
}
