/* SPDX-License-Identifier: PostgreSQL */
/*
 * planning.c
 *	  What the planner is working on, for the hooks that it calls.
 */
#include "postgres.h"

#include "base/compat_planner.h"
#include "exact/planning.h"

static const DpPlanning nothing = {.location = -1};
static const DpPlanning *planning = &nothing;

PlannedStmt *
dp_exact_plan_as(const DpPlanning *what, planner_hook_type planner, Query *query,
				 const char *source, int cursor_options, ParamListInfo params)
{
	const DpPlanning *outer = planning;
	PlannedStmt *volatile plan = NULL;

	planning = what;
	PG_TRY();
	{
		plan = DP_CALL_PLANNER(planner, query, source, cursor_options, params, what->explain);
	}
	PG_FINALLY();
	{
		planning = outer;
	}
	PG_END_TRY();
	return plan;
}

const DpPlanning *
dp_exact_planning(void)
{
	return planning;
}

bool
dp_exact_is_below_release(void)
{
	return planning->exact != NULL;
}

bool
dp_exact_is_exact(PlannerInfo *root)
{
	return planning->exact != NULL && root->parent_root == NULL;
}
