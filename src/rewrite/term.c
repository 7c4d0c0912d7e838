/* SPDX-License-Identifier: PostgreSQL */
/*
 * term.c
 *	  Making terms (term.h) of released values and of each other.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "rewrite/term.h"

/* Integers up to here are doubles. */
#define MOST_EXACT ldexp(1, 53)

/* Numerics made of doubles have 15 digits. */
#define RELATIVE_SLACK 1e-14

PG_FUNCTION_INFO_V1(dp_rewrite_term_numeric);
PG_FUNCTION_INFO_V1(dp_rewrite_term_float8);
PG_FUNCTION_INFO_V1(dp_rewrite_term_around);
PG_FUNCTION_INFO_V1(dp_rewrite_term_clamped);
PG_FUNCTION_INFO_V1(dp_rewrite_term_of);
PG_FUNCTION_INFO_V1(dp_rewrite_term_operation);
PG_FUNCTION_INFO_V1(dp_rewrite_term_rounded);

void
dp_rewrite_append_term(StringInfo term, const void *bytes, int size)
{
	appendBinaryStringInfo(term, bytes, size);
	appendStringInfoSpaces(term, MAXALIGN(size) - size);
	memset(term->data + term->len - (MAXALIGN(size) - size), 0, MAXALIGN(size) - size);
}

void
dp_rewrite_append_kind(StringInfo term, DpTermKind kind, int size)
{
	DpTermPart	part = {.kind = kind, .size = size};

	dp_rewrite_append_term(term, &part, sizeof(part));
}

void
dp_rewrite_append_constant(StringInfo term, double low, double high)
{
	DpTermConstant constant = {low, high};

	dp_rewrite_append_kind(term, DP_TERM_CONSTANT, sizeof(constant));
	dp_rewrite_append_term(term, &constant, sizeof(constant));
}

void
dp_rewrite_begin_term(StringInfo term)
{
	initStringInfo(term);
	appendStringInfoSpaces(term, VARHDRSZ);
}

bytea *
dp_rewrite_finish_term(StringInfo term)
{
	if (term->len > DP_TERM_MOST_BYTES)
	{
		dp_rewrite_begin_term(term);
		dp_rewrite_append_kind(term, DP_TERM_UNKNOWN, 0);
	}
	SET_VARSIZE(term->data, term->len);
	return (bytea *) term->data;
}

/* Doubles on either side of a number, unless it is whole. */
static DpTermConstant
bounds_of(Numeric value)
{
	double		number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value)));

	if (fabs(number) <= MOST_EXACT && number == rint(number) &&
		DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(value),
										 NumericGetDatum(int64_to_numeric((int64) number)))))
		return (DpTermConstant) {number, number};
	return (DpTermConstant) {number - fabs(number) * RELATIVE_SLACK - DBL_MIN, number + fabs(number) * RELATIVE_SLACK + DBL_MIN};
}

/* term_constant(value numeric) */
Datum
dp_rewrite_term_numeric(PG_FUNCTION_ARGS)
{
	DpTermConstant constant = bounds_of(PG_GETARG_NUMERIC(0));
	StringInfoData term;

	dp_rewrite_begin_term(&term);
	dp_rewrite_append_constant(&term, constant.low, constant.high);
	PG_RETURN_BYTEA_P(dp_rewrite_finish_term(&term));
}

/* term_constant(value float8) */
Datum
dp_rewrite_term_float8(PG_FUNCTION_ARGS)
{
	StringInfoData term;

	dp_rewrite_begin_term(&term);
	dp_rewrite_append_constant(&term, PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(0));
	PG_RETURN_BYTEA_P(dp_rewrite_finish_term(&term));
}

/* The leaf that arguments 0 and 1 tell of, without its value; 22023 if they do not. */
static DpTermLeaf
read_leaf(FunctionCallInfo fcinfo)
{
	const bytea *origin = PG_GETARG_BYTEA_PP(0);
	DpTermLeaf	leaf = {.row = PG_GETARG_INT64(1)};

	if (VARSIZE_ANY_EXHDR(origin) != sizeof(DpTermOrigin) - VARHDRSZ)
		dp_aggregate_refuse_description();
	memcpy((char *) &leaf.origin + VARHDRSZ, VARDATA_ANY(origin), sizeof(DpTermOrigin) - VARHDRSZ);
	return leaf;
}

/* Append a count or sum. */
static void
append_around(StringInfo term, const DpTermLeaf *leaf, const DpAround *around)
{
	dp_rewrite_append_kind(term, DP_TERM_AROUND, MAXALIGN(sizeof(DpTermLeaf)) + MAXALIGN(sizeof(DpAround)));
	dp_rewrite_append_term(term, leaf, sizeof(DpTermLeaf));
	dp_rewrite_append_term(term, around, sizeof(DpAround));
}

/* term_around(origin bytea, row bigint, value numeric, around bytea) */
Datum
dp_rewrite_term_around(PG_FUNCTION_ARGS)
{
	DpTermLeaf	leaf = read_leaf(fcinfo);
	DpAround	around = {0};
	StringInfoData term;

	dp_rewrite_read_around(PG_GETARG_BYTEA_PP(3), &around);
	leaf.value = bounds_of(PG_GETARG_NUMERIC(2));
	dp_rewrite_begin_term(&term);
	append_around(&term, &leaf, &around);
	PG_RETURN_BYTEA_P(dp_rewrite_finish_term(&term));
}

/*
 * term_clamped(origin bytea, row bigint, value numeric, around bytea, totals bytea): the same where the clamp
 * was chosen: the value as it was clamped, and what that cuts, added.
 */
Datum
dp_rewrite_term_clamped(PG_FUNCTION_ARGS)
{
	DpTermLeaf	leaf = read_leaf(fcinfo);
	DpTermCut	cut = {0};
	DpAround	around;
	StringInfoData term;

	dp_rewrite_read_clamped_around(PG_GETARG_BYTEA_PP(3), &cut.around);
	dp_rewrite_read_seen(PG_GETARG_BYTEA_PP(4), &cut.around, &cut.seen);
	around = dp_rewrite_around_of_step(&cut.around, &cut.seen);
	leaf.value = bounds_of(PG_GETARG_NUMERIC(2));
	dp_rewrite_begin_term(&term);
	append_around(&term, &leaf, &around);
	leaf.value = (DpTermConstant) {0, 0};
	dp_rewrite_append_kind(&term, DP_TERM_CUT, MAXALIGN(sizeof(leaf)) + MAXALIGN(sizeof(cut)));
	dp_rewrite_append_term(&term, &leaf, sizeof(leaf));
	dp_rewrite_append_term(&term, &cut, sizeof(cut));
	dp_rewrite_append_kind(&term, DP_TERM_PLUS, 0);
	PG_RETURN_BYTEA_P(dp_rewrite_finish_term(&term));
}

/* term_of(origin bytea, row bigint, totals bytea, estimate bytea): a mean or statistic; NULL where it is */
Datum
dp_rewrite_term_of(PG_FUNCTION_ARGS)
{
	bytea	   *totals = PG_GETARG_BYTEA_P(2);
	DpTermLeaf	leaf = read_leaf(fcinfo);
	double		numbers[DP_MOMENTS_MOST];
	DpEstimate	estimate = {0};
	StringInfoData term;

	dp_aggregate_read_estimate(PG_GETARG_BYTEA_PP(3), totals, &estimate, numbers);
	if (!dp_aggregate_estimate_has_rows(&estimate, numbers))
		PG_RETURN_NULL();
	dp_rewrite_begin_term(&term);
	dp_rewrite_append_kind(&term, DP_TERM_ESTIMATE, MAXALIGN(sizeof(leaf)) + MAXALIGN(sizeof(estimate)) + MAXALIGN(VARSIZE(totals)));
	dp_rewrite_append_term(&term, &leaf, sizeof(leaf));
	SET_VARSIZE(&estimate, sizeof(estimate));
	dp_rewrite_append_term(&term, &estimate, sizeof(estimate));
	dp_rewrite_append_term(&term, totals, VARSIZE(totals));
	PG_RETURN_BYTEA_P(dp_rewrite_finish_term(&term));
}

/* term_operation(kind integer, term bytea [, other bytea]) */
Datum
dp_rewrite_term_operation(PG_FUNCTION_ARGS)
{
	int			kind = PG_GETARG_INT32(0);
	StringInfoData term;

	if (kind < DP_TERM_PLUS || kind >= DP_TERM_SUM || (kind >= DP_TERM_NEGATION) != (PG_NARGS() == 2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid operation on terms")));
	dp_rewrite_begin_term(&term);
	for (int i = 1; i < PG_NARGS(); i++)
	{
		const bytea *operand = PG_GETARG_BYTEA_PP(i);

		appendBinaryStringInfo(&term, VARDATA_ANY(operand), VARSIZE_ANY_EXHDR(operand));
	}
	dp_rewrite_append_kind(&term, kind, 0);
	PG_RETURN_BYTEA_P(dp_rewrite_finish_term(&term));
}

/* term_rounded(term bytea, by float8): what rounding moves by this at most */
Datum
dp_rewrite_term_rounded(PG_FUNCTION_ARGS)
{
	const bytea *operand = PG_GETARG_BYTEA_PP(0);
	double		by = fabs(PG_GETARG_FLOAT8(1));
	StringInfoData term;

	dp_rewrite_begin_term(&term);
	appendBinaryStringInfo(&term, VARDATA_ANY(operand), VARSIZE_ANY_EXHDR(operand));
	dp_rewrite_append_constant(&term, -by, by);
	dp_rewrite_append_kind(&term, DP_TERM_PLUS, 0);
	PG_RETURN_BYTEA_P(dp_rewrite_finish_term(&term));
}
