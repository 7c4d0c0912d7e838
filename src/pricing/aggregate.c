/*
 * aggregate.c
 *	  Arguments, bounds and calibration of the aggregates.
 *
 * Everything here depends on the statement's text, the settings and the
 * declared policy alone; no data is read.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "expression/allow_list.h"
#include "expression/canonical_key.h"
#include "expression/validate.h"
#include "from/contribution.h"
#include "pricing/aggregate.h"
#include "pricing/aggregate_args.h"
#include "pricing/asked.h"
#include "pricing/block.h"
#include "pricing/clipping.h"
#include "pricing/kind.h"
#include "pricing/model.h"
#include "pricing/moments.h"
#include "pricing/quantile.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/*
 * FILTER of aggregates, as part of what they are over.
 *
 * 		dp_sum(x, 0, 9) FILTER (WHERE c)	is	dp_sum(CASE WHEN c THEN x END, 0, 9)
 * 		dp_count(*) FILTER (WHERE c)		is	dp_count(CASE WHEN c THEN 1 END)
 */

/* The value where the condition holds, under the casts that the parser added to it. */
static Node *
value_if(Node *condition, Node *value)
{
	FuncExpr   *cast = (FuncExpr *) value;

	if (!IsA(value, FuncExpr) || cast->funcformat != COERCE_IMPLICIT_CAST)
		return dp_tree_make_if(condition, value);
	linitial(cast->args) = value_if(condition, linitial(cast->args));
	return value;
}

static void
fold_filter(Aggref *aggref)
{
	Node	   *condition = (Node *) aggref->aggfilter;
	TargetEntry *first;

	aggref->aggfilter = NULL;
	if (aggref->aggstar)
	{
		aggref->aggstar = false;
		aggref->aggfnoid = dp_tree_count_function(1);
		aggref->args = list_make1(makeTargetEntry((Expr *) dp_tree_make_int4(1), 1, NULL, false));
		aggref->aggargtypes = list_make1_oid(INT4OID);
	}
	first = linitial_node(TargetEntry, aggref->args);
	first->expr = (Expr *) value_if(condition, (Node *) first->expr);
}

static bool
fold_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, fold_walker, context);
	if (((Aggref *) node)->aggfilter && ((Aggref *) node)->agglevelsup == 0 &&
		dp_tree_is_ours(node) &&
		dp_tree_function(((Aggref *) node)->aggfnoid) != DP_FUNCTION_KEYS_ALONE)
		fold_filter((Aggref *) node);
	return false;
}

void
dp_pricing_fold_filters(Query *block)
{
	(void) fold_walker((Node *) block->targetList, NULL);
	(void) fold_walker(block->havingQual, NULL);
}

/* Largest bound in grid units: leaves room for differences in 64 bits. */
#define MAX_GRID_BOUND_EXPONENT 61

/*
 * Is this t.*, of a protected item that no outer join puts NULLs in place of?
 * Then it is never NULL.
 */
static bool
is_whole_row(Node *expr, const DpContribution *contribution)
{
	ListCell   *lc;

	if (!IsA(expr, Var) || ((Var *) expr)->varattno != 0)
		return false;
	foreach(lc, contribution->units)
		if (lfirst_node(Var, lc)->varno == ((Var *) expr)->varno &&
			((Var *) expr)->varlevelsup == 0)
			return true;
	return false;
}

/* Is this the unit for some rows, by CASE, and NULL for others? */
static bool
is_unit_or_null(Node *expr, const DpContribution *contribution)
{
	CaseExpr   *cases = (CaseExpr *) expr;
	ListCell   *lc;

	if (IsA(expr, Const) && ((Const *) expr)->constisnull)
		return true;
	if (!IsA(expr, CaseExpr))
		return dp_from_is_unit(expr, contribution);
	foreach(lc, cases->args)
		if (!is_unit_or_null((Node *) lfirst_node(CaseWhen, lc)->result, contribution))
			return false;
	return cases->defresult == NULL || is_unit_or_null((Node *) cases->defresult, contribution);
}

/* Have a value of which distinct ones count look the same wherever it is. */
static DpReason *
tell_apart(DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	Oid			equality = linitial_node(SortGroupClause, aggref->aggdistinct)->eqop;
	Node	   *value;
	DpReason   *unlike;

	if (dp_expression_type_is_groupable(exprType(measure->value)) && equality < FirstUnpinnedObjectId)
	{
		value = dp_expression_canonical_key(measure->value, &unlike);
		if (unlike == NULL)
		{
			measure->value = value;
			return NULL;
		}
	}
	return dp_tree_reason(exprLocation((Node *) linitial_node(TargetEntry, aggref->args)->expr),
						  "Cast it to text, or to a type whose equal values look the same.",
						  "DISTINCT is not allowed with values of this type");
}

static DpReason *
measure_count(Query *block, const DpContribution *contribution, const DpStatement *statement,
			  DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	double		epsilon;
	int			bound = contribution->max_rows;
	DpReason   *reason;

	reason = dp_pricing_read_epsilon(aggref, 1, statement, &epsilon);
	if (reason)
		return reason;
	if (!aggref->aggstar)
	{
		Node	   *arg = (Node *) linitial_node(TargetEntry, aggref->args)->expr;

		measure->distinct_values = aggref->aggdistinct && !is_unit_or_null(arg, contribution);
		measure->distinct_units = aggref->aggdistinct && dp_from_is_unit(arg, contribution);
		if (aggref->aggdistinct)
			bound = measure->distinct_values ? contribution->max_values : 1;
		if (measure->distinct_values && IsA(arg, RowExpr))
			return dp_tree_reason(exprLocation(arg), "Count one of them in groups by the others, and add that up.",
								  "DISTINCT of several columns is not allowed in a differentially private query");
		if (measure->distinct_values || !is_whole_row(arg, contribution))
		{
			measure->value = dp_expression_validate_expression(block, arg, statement, &reason);
			if (reason == NULL && measure->distinct_values)
				reason = tell_apart(measure);
			if (reason)
				return reason;
			measure->value_type = exprType(measure->value);
		}
	}
	measure->most_rows = bound;
	dp_pricing_init_release(contribution->pricing, &measure->release, &dp_kinds_count, epsilon);
	if (dp_pricing_clips(contribution) && aggref->aggdistinct == NIL)
		return dp_pricing_clip_count(measure, contribution);
	return dp_pricing_calibrate_count(&measure->release, 0, contribution, 1, bound, aggref->location);
}

/* Is the bound type of this aggregate an integer type? */
static bool
is_integer_aggregate(Aggref *aggref)
{
	return list_nth_oid(aggref->aggargtypes, 1) == INT8OID;
}

/*
 * Put the bounds on the grid.  The grid is the one the noise asks for, made
 * coarser where the bounds themselves would not fit in 62 bits.
 */
static void
set_spec(DpMeasure *measure, const DpContribution *contribution, int grid)
{
	double		largest = Max(fabs(measure->lower), fabs(measure->upper));

	if (largest > 0)
		grid = Max(grid, ilogb(largest) + 1 - MAX_GRID_BOUND_EXPONENT);
	measure->spec.grid = grid;
	measure->spec.lower = (int64) rint(ldexp(measure->lower, -grid));
	measure->spec.upper = (int64) rint(ldexp(measure->upper, -grid));
	measure->spec.max_rows = measure->most_rows;
	measure->spec.lower_value = measure->lower;
	measure->spec.upper_value = measure->upper;
}

/*
 * The grid is finer by so many bits where distinct values are told apart on it.  Noise is 2^53
 * grid units then at most, and answers, in 64 bits, have room for it.
 */
#define FINER_BITS 12

/* A grid for noise of this bound, finer for distinct values. */
static int
choose_grid(const DpMeasure *measure, const DpContribution *contribution, int parts, double bound,
			bool integral)
{
	const DpRelease *release = &measure->release;
	int			grid = dp_accounting_grid(contribution->pricing->mechanism, release->epsilon, release->delta,
										  contribution->max_groups, parts, bound, integral);

	if (!measure->distinct_values || integral || contribution->pricing->mechanism == DP_GAUSSIAN)
		return grid;
	return Max(grid - FINER_BITS, ilogb(bound) + 1 - MAX_GRID_BOUND_EXPONENT);
}

/* A unit's total is within the bounds; or each of the distinct values that it covers is. */
static DpReason *
calibrate_sum(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;
	int			values = measure->distinct_values ? measure->most_rows : 1;
	double		bound = Max(fabs(measure->lower), fabs(measure->upper)) * values;
	int			grid;
	uint64		sensitivity;

	if (!isfinite(bound))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL,
								 "bounds are too far apart");
	if (bound == 0)
		bound = 1;
	grid = choose_grid(measure, contribution, 1, bound, is_integer_aggregate(measure->aggref));
	set_spec(measure, contribution, grid);
	sensitivity = (uint64) Max(llabs(measure->spec.lower), llabs(measure->spec.upper));
	if (sensitivity > (uint64) DP_MAX_SENSITIVITY / values)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL,
								 "bounds are too far apart");
	return dp_pricing_calibrate(release, 0, contribution, 1, Max(sensitivity * values, 1),
								measure->spec.grid, measure->aggref->location);
}

/*
 * Laplace: the two complementary totals of doc/accounting, both with noise for
 * the full width; one term is charged.  Gaussian: the sum about the midpoint,
 * kept in half grid units so that the midpoint is an integer, and the count.
 */
static DpReason *
calibrate_avg(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;
	int			parts = contribution->pricing->mechanism == DP_GAUSSIAN ? 2 : 1;
	double		bound = (measure->upper - measure->lower) * measure->most_rows;
	int			location = measure->aggref->location;
	int			grid;
	uint64		sensitivity;
	DpReason   *reason;

	if (!isfinite(bound))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL,
								 "bounds are too far apart");
	if (bound == 0)
		bound = 1;

	/* What a unit with too many rows adds is scaled down: integers become fractions. */
	grid = choose_grid(measure, contribution, parts, bound, is_integer_aggregate(measure->aggref) &&
					   (contribution->row_is_unit || measure->distinct_values));
	set_spec(measure, contribution, grid);
	release->width = measure->spec.upper - measure->spec.lower;
	if (release->width > 0 &&
		measure->most_rows > (double) DP_MAX_SENSITIVITY / release->width)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL,
								 "bounds are too far apart");
	sensitivity = Max((uint64) release->width * measure->most_rows, 1);
	if (parts == 1)
	{
		reason = dp_pricing_calibrate(release, 0, contribution, parts, sensitivity, measure->spec.grid, location);
		release->noise[1] = release->noise[0];
		release->nnoise = 2;
		return reason;
	}
	reason = dp_pricing_calibrate(release, 0, contribution, parts, sensitivity, measure->spec.grid - 1, location);
	if (reason)
		return reason;
	return dp_pricing_calibrate_count(release, 1, contribution, parts, measure->most_rows, location);
}

static DpReason *
measure_bounded(Query *block, const DpContribution *contribution, const DpStatement *statement,
				DpMeasure *measure, DpReleaseKind kind)
{
	Aggref	   *aggref = measure->aggref;
	Node	   *value = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	Node	   *lower = (Node *) lsecond_node(TargetEntry, aggref->args)->expr;
	Node	   *upper = (Node *) lthird_node(TargetEntry, aggref->args)->expr;
	double		epsilon;
	DpReason   *reason;

	measure->distinct_values = aggref->aggdistinct != NIL;
	measure->most_rows = aggref->aggdistinct ? contribution->max_values : contribution->max_rows;
	reason = dp_pricing_read_number(lower, "lower bound", statement, &measure->lower);
	if (reason == NULL)
		reason = dp_pricing_read_number(upper, "upper bound", statement, &measure->upper);
	if (reason == NULL)
		reason = dp_pricing_read_epsilon(aggref, 3, statement, &epsilon);
	if (reason)
		return reason;
	if (measure->lower > measure->upper)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(lower), NULL,
								 "lower bound must not be greater than upper bound");
	measure->value = dp_expression_validate_expression(block, value, statement, &reason);
	if (reason)
		return reason;
	measure->value_type = linitial_oid(aggref->aggargtypes);
	dp_pricing_init_release(contribution->pricing, &measure->release, dp_kinds[kind], epsilon);
	measure->release.rounded = aggref->aggtype == INT8OID;
	if (dp_pricing_clips(contribution) && aggref->aggdistinct == NIL)
		return kind == DP_RELEASE_SUM ? dp_pricing_clip_sum(measure, contribution, is_integer_aggregate(aggref))
			: dp_pricing_clip_avg(measure, contribution);
	return kind == DP_RELEASE_SUM ? calibrate_sum(measure, contribution)
		: calibrate_avg(measure, contribution);
}

DpReason *
dp_pricing_measure(Query *block, Aggref *aggref, const DpContribution *contribution,
				   const DpStatement *statement, DpMeasure *measure)
{
	DpReason   *reason = NULL;

	memset(measure, 0, sizeof(*measure));
	measure->aggref = aggref;
	if (aggref->agglevelsup > 0)
		return dp_tree_reason(aggref->location,
							  "Compute it in the query whose rows it counts.",
							  "an outer query's aggregate in a subquery is not allowed");
	if (aggref->aggorder)
		return dp_tree_reason(aggref->location, "Leave ORDER BY out.",
							  "ORDER BY is not allowed in a differentially private aggregate");
	switch (dp_tree_function(aggref->aggfnoid))
	{
		case DP_FUNCTION_COUNT:
			reason = measure_count(block, contribution, statement, measure);
			break;
		case DP_FUNCTION_SUM:
			reason = measure_bounded(block, contribution, statement, measure, DP_RELEASE_SUM);
			break;
		case DP_FUNCTION_AVG:
			reason = measure_bounded(block, contribution, statement, measure, DP_RELEASE_AVG);
			break;
		case DP_FUNCTION_QUANTILE:
		case DP_FUNCTION_MEDIAN:
		case DP_FUNCTION_MIN:
		case DP_FUNCTION_MAX:
			reason = dp_pricing_measure_quantile(block, contribution, statement, measure);
			break;
		case DP_FUNCTION_VARIANCE:
		case DP_FUNCTION_STDDEV:
		case DP_FUNCTION_COVAR_POP:
		case DP_FUNCTION_COVAR_SAMP:
		case DP_FUNCTION_CORR:
		case DP_FUNCTION_SLOPE:
		case DP_FUNCTION_INTERCEPT:
			reason = dp_pricing_measure_moments(block, contribution, statement, measure);
			break;
		case DP_FUNCTION_LOSSES:
			return dp_pricing_measure_losses(block, contribution, statement, measure);
		case DP_FUNCTION_MODEL:
			return dp_pricing_measure_model(block, contribution, statement, measure);
		default:
			return dp_tree_reason(aggref->location, "Use dp_count, dp_sum, dp_avg or another aggregate of dp_agg.",
								  "this aggregate is not allowed in a differentially private query");
	}
	if (reason == NULL)
		dp_pricing_set_label(statement, block, aggref, measure->release.label);
	return reason;
}

DpReason *
dp_pricing_recalibrate(DpMeasure *measure, const DpContribution *contribution)
{
	return measure->release.kind == DP_RELEASE_AVG ? calibrate_avg(measure, contribution)
		: dp_pricing_calibrate_moments(measure, contribution);
}

DpReason *
dp_pricing_measure_units(const DpContribution *contribution, DpRelease *release)
{
	dp_pricing_init_release(contribution->pricing, release, &dp_kinds_count, contribution->pricing->epsilon);
	strlcpy(release->label, "private groups", DP_LABEL_SIZE);
	return dp_pricing_calibrate_count(release, 0, contribution, 1, 1, -1);
}

DpReason *
dp_pricing_too_many_releases(int location)
{
	return dp_tree_reason_as(ERRCODE_PROGRAM_LIMIT_EXCEEDED, location,
							 psprintf("At most %d are allowed; ask for fewer at a time.", DP_MOST_RELEASES),
							 "too many differentially private aggregates in one statement");
}
