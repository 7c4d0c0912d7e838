/* SPDX-License-Identifier: PostgreSQL */
/*
 * interval.c
 *	  dp_interval(aggregate, level): where the aggregate would lie without noise.
 *
 * It stands in the outer query: computed from released values and from the public
 * parameters of their noise.  So it costs nothing, and belongs to the very answer that
 * stands beside it.
 *
 * Around a count or sum the interval is the noise's own.  Where that count decides
 * whether its group is answered, answers near the threshold are there only because
 * noise was large, and the lower end has to hold given that there is an answer: P[miss
 * | answered].  Let P[Z > h] <= miss / 4.  The lower end is x - h for x > threshold +
 * h, else 1, which is certain.  Two cases:
 *	 a true count t at the threshold or above is answered with probability 1/2 at least;
 *	 one below is missed only if Z > threshold - t + h, given Z >= threshold - t: for
 *	 Laplace noise a probability of P[Z > h] times at most 2, for Gaussian noise, whose tail
 *	 falls faster, no more than from t = threshold.
 * The upper end needs no care: being answered makes small answers rarer.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregate/exact.h"
#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "expression/fold_constants.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/clipping.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "pricing/statistic.h"
#include "rewrite/interval.h"
#include "rewrite/interval_range.h"
#include "rewrite/of_class.h"
#include "rewrite/released_value.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

#define DEFAULT_LEVEL 0.95

/* The noise of a count or sum, as a bytea constant in plans. */
typedef struct DpAround
{
	int32		vl_len_;		/* varlena header */
	int32		integral;		/* is the truth a whole number? */
	DpSpread	spread;
	double		threshold;		/* -INFINITY: answered in any case */
} DpAround;

PG_FUNCTION_INFO_V1(dp_rewrite_interval_around);
PG_FUNCTION_INFO_V1(dp_rewrite_interval_clamped);
PG_FUNCTION_INFO_V1(dp_rewrite_interval_of);

/* Read a DpAround; 22023 for bytes that hold none. */
static void
read_around(const bytea *value, DpAround *around)
{
	const Size	size = sizeof(DpAround) - VARHDRSZ;
	bool		sane = VARSIZE_ANY_EXHDR(value) == size;

	if (sane)
	{
		memcpy((char *) around + VARHDRSZ, VARDATA_ANY(value), size);
		sane = dp_rewrite_is_sane_spread(&around->spread) && !isnan(around->threshold);
	}
	if (!sane)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid description of released totals")));
}

/* How far the value may be from the truth, with so much probability. */
static double
half_width(const DpAround *around, double probability)
{
	double		width = dp_rewrite_spread_width(&around->spread, probability);

	return around->integral ? ceil(width) : width + ldexp(1, around->spread.noise.grid);
}

/* The interval at this level around a value with such noise. */
static Datum
interval_around(Numeric value, const DpAround *around, double level)
{
	double		miss = 1 - level;
	double		below;
	double		above;
	double		approximate = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
																 NumericGetDatum(value)));
	Datum		low;
	Datum		high;

	above = half_width(around, level);
	below = around->threshold > -INFINITY ? half_width(around, 1 - miss / 2) : above;
	if (!isfinite(approximate) || !isfinite(above) || !isfinite(below))
		return dp_rewrite_range_of((Datum) 0, false, (Datum) 0, false);
	low = DirectFunctionCall2(numeric_sub, NumericGetDatum(value), dp_rewrite_numeric_of(below));
	high = DirectFunctionCall2(numeric_add, NumericGetDatum(value), dp_rewrite_numeric_of(above));
	if (around->threshold > -INFINITY &&
		approximate <= around->threshold + below + 1 + ldexp(1, around->spread.noise.grid))
		low = NumericGetDatum(int64_to_numeric(1));
	if (DatumGetBool(DirectFunctionCall2(numeric_lt, high, low)))
		low = high;
	return dp_rewrite_range_of(low, true, high, true);
}

/* interval_around(value numeric, around bytea, level float8) */
Datum
dp_rewrite_interval_around(PG_FUNCTION_ARGS)
{
	DpAround	around;

	read_around(PG_GETARG_BYTEA_PP(1), &around);
	PG_RETURN_DATUM(interval_around(PG_GETARG_NUMERIC(0), &around, dp_rewrite_read_level(fcinfo, 2)));
}

/*
 * interval_clamped(value numeric, around bytea, level float8, totals bytea): the same of a value
 * whose clamp was chosen, and tells the step, around being the noise of the first.
 */
Datum
dp_rewrite_interval_clamped(PG_FUNCTION_ARGS)
{
	__int128	totals[2];
	DpAround	around;

	read_around(PG_GETARG_BYTEA_PP(1), &around);
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(3), 2, totals);
	around.spread.noise.grid = (int) Min(around.spread.noise.grid + Min(Max(totals[1], 0), DP_LADDER_MOST), DP_GRID_MAX);
	PG_RETURN_DATUM(interval_around(PG_GETARG_NUMERIC(0), &around, dp_rewrite_read_level(fcinfo, 2)));
}

bool
dp_rewrite_read_interval(FunctionCallInfo fcinfo, double *low, double *high)
{
	double		level = dp_rewrite_read_level(fcinfo, 2);
	DpEstimate	estimate;
	double		totals[DP_MOMENTS_MOST];

	dp_aggregate_read_estimate(PG_GETARG_BYTEA_PP(1), PG_GETARG_BYTEA_PP(0), &estimate, totals);
	if (!dp_aggregate_estimate_has_rows(&estimate, totals))
		return false;
	dp_aggregate_estimate_interval(&estimate, totals, level, low, high);

	/* Numerics made of doubles have 15 digits. */
	if (estimate.statistic != DP_STATISTIC_CORR || *low > -1)
		*low -= fabs(*low) * 1e-14;
	if (estimate.statistic != DP_STATISTIC_CORR || *high < 1)
		*high += fabs(*high) * 1e-14;
	return true;
}

/* interval_of(totals bytea, estimate bytea, level float8) */
Datum
dp_rewrite_interval_of(PG_FUNCTION_ARGS)
{
	double		low;
	double		high;

	if (!dp_rewrite_read_interval(fcinfo, &low, &high))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(dp_rewrite_make_range(low, high));
}

/* The release as seen from a value of its aggregate, or of one that it answers too. */
static Const *
make_around(const DpBlock *block, void *arg)
{
	const DpAskedInterval *seen = arg;
	const DpRelease *release = &block->release[seen->number];
	DpAround   *around = palloc0(sizeof(DpAround));

	around->integral = seen->aggref->aggtype == INT8OID;
	dp_rewrite_set_spread(&around->spread, release, seen->measure);
	if (dp_pricing_is_clipped(release))
		around->spread.noise = dp_pricing_clip_noise(release, 0, 0);
	around->threshold = dp_rewrite_selects_by(block, seen->number);
	return dp_tree_make_bytea(around, sizeof(DpAround));
}

/* The release as seen from a mean or a statistic. */
static Const *
make_estimate(const DpBlock *block, void *arg)
{
	const DpAskedInterval *seen = arg;
	DpMeasure	measure = seen->measure->carrier ? *seen->measure->carrier : *seen->measure;

	measure.release = block->release[seen->number];
	return dp_pricing_make_estimate(&measure, seen->aggref, seen->number == block->selector ? (double) block->threshold : 0);
}

/* A count or sum as a numeric. */
static Node *
as_numeric(Node *value)
{
	Oid			function = exprType(value) == INT8OID ? F_NUMERIC_INT8 : F_NUMERIC_FLOAT8;

	if (exprType(value) == NUMERICOID)
		return value;
	return (Node *) makeFuncExpr(function, NUMERICOID, list_make1(value), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* The interval of a count or sum. */
static Node *
around_value(DpBlockRewrite *rewrite, const DpAskedInterval *asked)
{
	Oid			types[] = {NUMERICOID, BYTEAOID, FLOAT8OID, BYTEAOID};
	bool		clipped = dp_pricing_is_clipped(&rewrite->block->release[asked->number]);
	List	   *args = list_make3(as_numeric(dp_rewrite_released_value(rewrite, asked->aggref)),
								  dp_rewrite_of_class(rewrite, make_around, unconstify(DpAskedInterval *, asked)), asked->level);

	if (clipped)
		args = lappend(args, copyObject(list_nth(rewrite->column_vars, asked->number)));
	return (Node *) dp_tree_make_call(clipped ? "interval_clamped" : "interval_around", types, list_length(args),
									  args, NUMRANGEOID);
}

Node *
dp_rewrite_interval_by(const char *function, DpBlockRewrite *rewrite, const DpAskedInterval *asked)
{
	Oid			types[] = {BYTEAOID, BYTEAOID, FLOAT8OID};

	return (Node *) dp_tree_make_call(function, types, lengthof(types),
									  list_make3(dp_rewrite_totals_of_rows(rewrite, asked->number),
												 dp_rewrite_of_class(rewrite, make_estimate,
																	 unconstify(DpAskedInterval *, asked)),
												 asked->level),
									  NUMRANGEOID);
}

Node *
dp_rewrite_statistic_interval(DpBlockRewrite *rewrite, const DpAskedInterval *asked, DpReason **untold)
{
	return dp_rewrite_interval_by("interval_of", rewrite, asked);
}

/* A level that is constant is checked before anything is charged. */
static DpReason *
check_level(Node *level, const DpStatement *statement)
{
	const Const *constant = dp_expression_constant(level, statement->params);

	if (constant == NULL || constant->constisnull ||
		(DatumGetFloat8(constant->constvalue) > 0 && DatumGetFloat8(constant->constvalue) < 1))
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(level), NULL,
							 "confidence level must be between 0 and 1");
}

Node *
dp_rewrite_released_interval(DpBlockRewrite *rewrite, FuncExpr *call, Node *level, DpReason **reason)
{
	Aggref	   *aggref = linitial(call->args);
	DpAskedInterval asked = {.aggref = aggref, .level = level};
	DpReason   *untold = NULL;
	const DpKind *kind;
	Node	   *interval;

	if (!IsA(aggref, Aggref) || !dp_tree_is_ours((Node *) aggref) || aggref->agglevelsup > 0)
		return (Node *) call;
	if (level == NULL)
		asked.level = (Node *) dp_tree_make_float8(DEFAULT_LEVEL);
	*reason = check_level(asked.level, rewrite->statement);
	asked.measure = dp_rewrite_measure_of(rewrite, aggref, &asked.number);
	rewrite->block->noise_above = true;
	kind = dp_kind(&asked.measure->release);
	interval = kind->interval ? kind->interval(rewrite, &asked, &untold) : around_value(rewrite, &asked);
	if (untold)
		*reason = untold;
	return untold ? (Node *) call : interval;
}
