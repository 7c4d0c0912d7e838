/* SPDX-License-Identifier: PostgreSQL */
/*
 * plan.h
 *	  Planning a statement with blocks.
 */
#ifndef DP_STATEMENT_PLAN_H
#define DP_STATEMENT_PLAN_H

#include "postgres.h"

#include "optimizer/planner.h"

struct ExplainState;

/*
 * Plan a statement: one that calls none of our functions goes to `planner` as
 * it is; otherwise its blocks are rewritten first.  Raises the reason if it is
 * not allowed.  What EXPLAIN asks of the plan, if it does, is asked of nothing below the
 * releases.
 */
extern PlannedStmt *dp_statement_plan(planner_hook_type planner, Query *query, const char *source,
									  int cursor_options, ParamListInfo params, struct ExplainState *explain);

/*
 * Was the plan made without the values of its parameters, with a block in it?
 * It grants nothing and cannot answer.
 */
extern bool dp_statement_planned_without_values(PlannedStmt *plan);

#endif							/* DP_STATEMENT_PLAN_H */
