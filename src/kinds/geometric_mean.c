/* SPDX-License-Identifier: PostgreSQL */
/*
 * geometric_mean.c
 *	  Geometric means: e to the mean of logarithms.
 *
 * A value counts as the logarithm of what it is clamped to, which lies between those of the bounds.
 * So the release is that of a mean of values within these bounds, and its proof and its noise are
 * that mean's; the answer and its interval are e to the power of the mean's.  Price lines show
 * the error of the logarithm: 0.01 is a part of 1 % of the answer.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"

#include "from/contribution.h"
#include "kinds/kinds.h"
#include "kinds/mean.h"
#include "pricing/aggregate_args.h"
#include "pricing/bounded.h"
#include "pricing/clipping.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"
#include "rewrite/interval.h"
#include "rewrite/interval_range.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

PG_FUNCTION_INFO_V1(dp_kinds_log_within);
PG_FUNCTION_INFO_V1(dp_kinds_released_exp);
PG_FUNCTION_INFO_V1(dp_kinds_interval_of_logs);

/* log_within(value float8, lower float8, upper float8): of what the value is clamped to; NULL for NaN. */
Datum
dp_kinds_log_within(PG_FUNCTION_ARGS)
{
	double		value = PG_GETARG_FLOAT8(0);
	double		lower = PG_GETARG_FLOAT8(1);
	double		upper = PG_GETARG_FLOAT8(2);

	if (!(lower > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lower bound must be greater than 0")));
	if (isnan(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(log(Max(Min(value, upper), lower)));
}

/* released_exp(mean float8, lower float8, upper float8): e to the mean of logarithms, within the bounds. */
Datum
dp_kinds_released_exp(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(Max(Min(exp(PG_GETARG_FLOAT8(0)), PG_GETARG_FLOAT8(2)), PG_GETARG_FLOAT8(1)));
}

/* interval_of_logs(totals bytea, estimate bytea, level float8): where e to the mean of logarithms lies. */
Datum
dp_kinds_interval_of_logs(PG_FUNCTION_ARGS)
{
	double		low;
	double		high;

	if (!dp_rewrite_read_interval(fcinfo, &low, &high))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(dp_rewrite_make_range(exp(low) * (1 - 1e-14), exp(high) * (1 + 1e-14)));
}

/* A double as a constant, from a call's argument. */
static Node *
bound(const DpMeasure *measure, int n)
{
	return copyObject(list_nth(((FuncExpr *) measure->value)->args, n));
}

static DpReason *
measure_logs(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	Oid			types[] = {FLOAT8OID, FLOAT8OID, FLOAT8OID};
	Aggref	   *aggref = measure->aggref;
	DpReason   *reason = dp_pricing_read_bounded(block, contribution, statement, measure, &dp_kinds_geometric_mean);

	if (reason)
		return reason;
	if (aggref->aggdistinct)
		return dp_tree_reason(aggref->location, "Leave DISTINCT out.",
							  "DISTINCT is not allowed in this aggregate");
	if (!(measure->lower > 0))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, aggref->location, NULL,
								 "lower bound must be greater than 0");
	measure->value = (Node *) dp_tree_make_call("log_within", types, lengthof(types),
												list_make3(measure->value, dp_tree_make_float8(measure->lower),
														   dp_tree_make_float8(measure->upper)),
												FLOAT8OID);
	measure->lower = log(measure->lower);
	measure->upper = Max(log(measure->upper), measure->lower);
	return dp_pricing_clips(contribution) ? dp_pricing_clip_avg(measure, contribution)
		: dp_kinds_calibrate_mean(measure, contribution);
}

static Node *
value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	Oid			types[] = {FLOAT8OID, FLOAT8OID, FLOAT8OID};
	Node	   *mean = dp_kinds_convert_mean(measure, dp_rewrite_totals_of_rows(rewrite, number));

	return (Node *) dp_tree_make_call("released_exp", types, lengthof(types),
									  list_make3(mean, bound(measure, 1), bound(measure, 2)), FLOAT8OID);
}

static Node *
interval(DpBlockRewrite *rewrite, const DpAskedInterval *asked, DpReason **untold)
{
	return dp_rewrite_interval_by("interval_of_logs", rewrite, asked);
}

static const DpFunction asked_by[] = {DP_FUNCTION_GEOMETRIC_MEAN, DP_FUNCTION_OTHER};

const DpKind dp_kinds_geometric_mean = {
	.number = DP_RELEASE_GEOMETRIC_MEAN,
	.functions = asked_by,
	.measure = measure_logs,
	.totals = 2,
	.over_rows = true,
	.selects = true,
	.goes_with_groups = true,
	.knows_rows = true,
	.exact = dp_kinds_mean_exact,
	.ask = dp_kinds_mean_ask,
	.draw = dp_kinds_mean_draw,
	.draw_clamped = dp_kinds_mean_draw_clamped,
	.noise_weight = DP_MEAN_NOISE,
	.factor = dp_kinds_mean_factor,
	.scale = dp_pricing_scale_release,
	.told_rows = dp_kinds_mean_told_rows,
	.value = value,
	.interval = interval,
	.estimate = dp_kinds_mean_estimate,
};
