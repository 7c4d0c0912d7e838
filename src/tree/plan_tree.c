/*
 * plan_tree.c
 *	  Walking finished plans.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/planmain.h"

#include "tree/plan_tree.h"

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

/* Keep a plan's rows.  Workers share nothing of the new node, so it needs no number of its own. */
static Plan *
materialize(Plan *plan)
{
	Plan	   *kept = materialize_finished_plan(plan);

	kept->plan_node_id = plan->plan_node_id;
	kept->extParam = bms_copy(plan->extParam);
	kept->allParam = bms_copy(plan->allParam);
	return kept;
}

void
dp_query_read_once(Plan *plan)
{
	ListCell   *lc;

	check_stack_depth();
	if (IsA(plan, NestLoop) && ((NestLoop *) plan)->nestParams == NIL &&
		!IsA(innerPlan(plan), Material))
		innerPlan(plan) = materialize(innerPlan(plan));
	foreach(lc, dp_query_plans_below(plan))
		dp_query_read_once(lfirst(lc));
}
