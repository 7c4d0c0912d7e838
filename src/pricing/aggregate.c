/* SPDX-License-Identifier: PostgreSQL */
/*
 * aggregate.c
 *	  Arguments, bounds and calibration of the aggregates.
 *
 * Everything here depends on the statement's text, the settings and the
 * declared policy alone; no data is read.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "from/contribution.h"
#include "pricing/aggregate.h"
#include "pricing/aggregate_args.h"
#include "pricing/asked.h"
#include "pricing/kind.h"
#include "pricing/release.h"
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

DpReason *
dp_pricing_measure(Query *block, Aggref *aggref, const DpContribution *contribution,
				   const DpStatement *statement, DpMeasure *measure)
{
	const DpKind *kind = dp_pricing_kind_of_function(dp_tree_function(aggref->aggfnoid));
	DpReason   *reason;

	memset(measure, 0, sizeof(*measure));
	measure->aggref = aggref;
	if (aggref->agglevelsup > 0)
		return dp_tree_reason(aggref->location,
							  "Compute it in the query whose rows it counts.",
							  "an outer query's aggregate in a subquery is not allowed");
	if (aggref->aggorder)
		return dp_tree_reason(aggref->location, "Leave ORDER BY out.",
							  "ORDER BY is not allowed in a differentially private aggregate");
	if (kind == NULL)
		return dp_tree_reason(aggref->location, "Use dp_count, dp_sum, dp_avg or another aggregate of dp_agg.",
							  "this aggregate is not allowed in a differentially private query");
	reason = kind->measure(block, contribution, statement, measure);
	if (reason == NULL && !kind->of_call)
		dp_pricing_set_label(statement, block, aggref, measure->release.label);
	return reason;
}

Node *
dp_pricing_made_of(Aggref *aggref)
{
	const DpKind *kind = dp_pricing_kind_of_function(dp_tree_function(aggref->aggfnoid));

	return kind && kind->made_of ? kind->made_of(aggref) : (Node *) aggref;
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
