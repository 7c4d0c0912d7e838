/* SPDX-License-Identifier: PostgreSQL */
/*
 * subquery.c
 *	  Subqueries in FROM: what can be looked through, and what groups.
 *
 * A subquery that groups is split in two: a query that only groups, which
 * grouped_subquery.c validates, and a projection of its columns, which is merged into
 * the block like any other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"

#include "base/compat_planner.h"
#include "expression/refusals.h"
#include "expression/validate.h"
#include "from/grouped_subquery.h"
#include "from/lateral.h"
#include "from/subquery.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"
#include "tree/release_query.h"

/* Is this a release, which a block has become? */
static bool
is_release(Query *query)
{
	return list_length(query->rtable) == 1 &&
		dp_tree_release_number(linitial_node(RangeTblEntry, query->rtable)) >= 0;
}

/* Is this what a histogram has become: windows over nothing but a release? */
static bool
is_histogram(Query *query)
{
	if (!query->hasWindowFuncs)
		return false;
	while (!is_release(query))
	{
		if (list_length(query->rtable) != 1 ||
			linitial_node(RangeTblEntry, query->rtable)->rtekind != RTE_SUBQUERY)
			return false;
		query = linitial_node(RangeTblEntry, query->rtable)->subquery;
	}
	return true;
}

DpReason *
dp_from_subselect_obstacle(RangeTblEntry *rte, int depth, int location)
{
	Query	   *query = rte->subquery;

	if (is_release(query) || is_histogram(query))
		return dp_tree_reason(location, "Around it, write count, sum and avg without dp_: over released values they are PostgreSQL's own, and free.",
							  "a released result is not protected rows");
	if (query->limitCount || query->limitOffset)
		return dp_tree_reason(exprLocation(query->limitCount ? query->limitCount : query->limitOffset),
							  "Choose rows by a condition in WHERE: of each unit by DISTINCT ON, or row_number() partitioned by it; of all by a quantile, n > (SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY n) FROM ...).",
							  "LIMIT, OFFSET and FETCH are not allowed " DP_IN_SUBSELECT);
	if (query->hasTargetSRFs)
		return dp_tree_reason(location, "Join the rows they would make as a table.",
							  "set-returning functions are not allowed " DP_IN_SUBSELECT);
	if (query->groupingSets)
		return dp_tree_reason(location, "Group by the privacy unit, and by what else there is.",
							  "GROUPING SETS, ROLLUP and CUBE are not allowed " DP_IN_SUBSELECT);
	if (query->jointree->fromlist == NIL && query->setOperations == NULL && !dp_from_names_outside(query, depth))
		return dp_tree_reason(location, "Select from a protected table.",
							  "a subquery without FROM has no protected rows");
	return dp_from_lateral_obstacle(rte, depth, location);
}

/* A volatile select list is never merged: say what in it is not allowed. */
DpReason *
dp_from_projection_obstacle(Query *query, const DpStatement *statement)
{
	DpReason   *reason = NULL;
	ListCell   *lc;

	if (!contain_volatile_functions((Node *) query->targetList))
		return NULL;
	foreach(lc, query->targetList)
	{
		dp_expression_validate_expression(query, (Node *) lfirst_node(TargetEntry, lc)->expr,
										  statement, &reason);
		if (reason)
			return reason;
	}
	return dp_tree_reason(exprLocation((Node *) query->targetList), "Leave them out.",
						  "volatile functions are not allowed " DP_IN_SUBSELECT);
}

/* Splitting a query. */
typedef struct Split
{
	Query	   *inner;			/* what only groups */
	DpReason   *reason;
} Split;

/* The column of the inner query that holds this expression; added if new. */
static Var *
inner_column(Split *split, Node *expr)
{
	ListCell   *lc;

	foreach(lc, split->inner->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (equal(target->expr, expr))
			return makeVarFromTargetEntry(1, target);
	}
	return dp_tree_add_column(split->inner, expr,
							  psprintf("a%d", list_length(split->inner->targetList) + 1));
}

static Node *
cast_by(Oid function, Oid result, Node *arg)
{
	return (Node *) makeFuncExpr(function, result, list_make1(arg), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CAST);
}

/*
 * The aggregate over floats as one over numeric, cast back outside.  What
 * cannot be cast back, being too large, becomes NULL there.
 */
static Node *
split_float(Split *split, Aggref *aggref, Oid function)
{
	bool		single = linitial_oid(aggref->aggargtypes) == FLOAT4OID;
	TargetEntry *arg = linitial_node(TargetEntry, aggref->args);
	Node	   *result;

	if (single)
		arg->expr = (Expr *) cast_by(F_FLOAT8_FLOAT4, FLOAT8OID, (Node *) arg->expr);
	arg->expr = (Expr *) cast_by(F_NUMERIC_FLOAT8, NUMERICOID, (Node *) arg->expr);
	aggref->aggfnoid = function;
	aggref->aggargtypes = list_make1_oid(NUMERICOID);
	single = aggref->aggtype == FLOAT4OID;
	aggref->aggtype = NUMERICOID;
	result = (Node *) inner_column(split, (Node *) aggref);
	return single ? cast_by(F_FLOAT4_NUMERIC, FLOAT4OID, result)
		: cast_by(F_FLOAT8_NUMERIC, FLOAT8OID, result);
}

/* An aggregate, as an expression over columns of the inner query. */
static Node *
split_aggregate(Split *split, Aggref *aggref)
{
	aggref = copyObject(aggref);
	switch (aggref->aggfnoid)
	{
		case F_SUM_FLOAT4:
		case F_SUM_FLOAT8:
			return split_float(split, aggref, F_SUM_NUMERIC);
		case F_AVG_FLOAT4:
		case F_AVG_FLOAT8:
			return split_float(split, aggref, F_AVG_NUMERIC);
		default:
			return (Node *) inner_column(split, (Node *) aggref);
	}
}

/* Replace keys and aggregates by columns of the inner query. */
static Node *
split_mutator(Node *node, Split *split)
{
	ListCell   *lc;

	if (node == NULL || split->reason)
		return NULL;
	foreach(lc, split->inner->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (target->ressortgroupref > 0 && equal(target->expr, node))
			return (Node *) makeVarFromTargetEntry(1, target);
	}
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
		return split_aggregate(split, (Aggref *) node);
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		split->reason = dp_tree_reason(((Var *) node)->location,
									   "Add it to GROUP BY, or use it inside an aggregate such as min.",
									   "a column outside GROUP BY is not allowed " DP_IN_SUBSELECT);
	else if (IsA(node, GroupingFunc))
		split->reason = dp_expression_check_construct(node);
	else if (IsA(node, SubLink))
		split->reason = dp_expression_check_construct(node);
	else
		return expression_tree_mutator(node, split_mutator, split);
	return NULL;
}

/* Grouping only: the query's FROM, WHERE and keys, without aggregates yet. */
static Query *
make_inner(Query *query)
{
	Query	   *inner = dp_tree_make_select(query->rtable, query->jointree);
	ListCell   *lc;

	dp_compat_take_permissions(inner, query);
	foreach(lc, query->groupClause)
	{
		SortGroupClause *clause = copyObject(lfirst_node(SortGroupClause, lc));
		TargetEntry *target = get_sortgroupclause_tle(clause, query->targetList);

		dp_tree_add_column(inner, copyObject((Node *) target->expr),
						   psprintf("k%d", foreach_current_index(lc) + 1));
		clause->tleSortGroupRef = list_length(inner->targetList);
		llast_node(TargetEntry, inner->targetList)->ressortgroupref = clause->tleSortGroupRef;
		inner->groupClause = lappend(inner->groupClause, clause);
	}
	inner->hasAggs = query->hasAggs;
	inner->hasSubLinks = query->hasSubLinks;
	inner->hasRowSecurity = query->hasRowSecurity;
	return inner;
}

DpReason *
dp_from_split_grouped(Query *query, const char *alias, int location)
{
	Split		split = {0};
	Query	   *outer;

	if (query->groupClause == NIL)
		return dp_tree_reason(location, DP_UNIT_HINT,
							  "an aggregate over everybody is not allowed " DP_IN_SUBSELECT);
	split.inner = make_inner(query);
	query->targetList = (List *) split_mutator((Node *) query->targetList, &split);
	query->havingQual = split_mutator(query->havingQual, &split);
	if (split.reason)
		return split.reason;
	outer = dp_tree_make_open_select_from(split.inner, alias);
	dp_tree_read_grouped(query, outer);
	query->constraintDeps = NIL;
	return NULL;
}
