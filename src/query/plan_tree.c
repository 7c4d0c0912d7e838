/*
 * plan_tree.c
 *	  Walking finished plans.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/planmain.h"

#include "query/plan_tree.h"

List *
dp_query_plans_below(Plan *plan)
{
	List	   *below = NIL;

	if (plan->lefttree)
		below = lappend(below, plan->lefttree);
	if (plan->righttree)
		below = lappend(below, plan->righttree);
	switch (nodeTag(plan))
	{
		case T_Append:
			return list_concat(below, ((Append *) plan)->appendplans);
		case T_MergeAppend:
			return list_concat(below, ((MergeAppend *) plan)->mergeplans);
		case T_BitmapAnd:
			return list_concat(below, ((BitmapAnd *) plan)->bitmapplans);
		case T_BitmapOr:
			return list_concat(below, ((BitmapOr *) plan)->bitmapplans);
		case T_SubqueryScan:
			return lappend(below, ((SubqueryScan *) plan)->subplan);
		case T_CustomScan:
			return list_concat(below, ((CustomScan *) plan)->custom_plans);
		default:
			return below;
	}
}

void
dp_query_read_once(Plan *plan)
{
	ListCell   *lc;

	check_stack_depth();
	if (IsA(plan, NestLoop) && ((NestLoop *) plan)->nestParams == NIL &&
		!IsA(innerPlan(plan), Material))
		innerPlan(plan) = materialize_finished_plan(innerPlan(plan));
	foreach(lc, dp_query_plans_below(plan))
		dp_query_read_once(lfirst(lc));
}

/* Number a plan's nodes from *next on, but for those below releases, which are added to *hidden. */
static void
number_nodes(Plan *plan, List *releases, int *next, List **hidden)
{
	List	   *below = dp_query_plans_below(plan);
	ListCell   *lc;

	check_stack_depth();
	plan->plan_node_id = (*next)++;
	if (list_member_ptr(releases, plan))
		*hidden = list_concat(*hidden, below);
	else
		foreach(lc, below)
			number_nodes(lfirst(lc), releases, next, hidden);
}

void
dp_query_number_nodes(PlannedStmt *statement, List *releases)
{
	List	   *hidden = NIL;
	int			next = 0;
	ListCell   *lc;

	number_nodes(statement->planTree, releases, &next, &hidden);
	foreach(lc, statement->subplans)
		if (lfirst(lc))
			number_nodes(lfirst(lc), releases, &next, &hidden);

	/* What is read there reads no release, which would add to them. */
	foreach(lc, hidden)
		number_nodes(lfirst(lc), NIL, &next, &hidden);
}
