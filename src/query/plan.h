/*
 * plan.h
 *	  Planning a statement with blocks.
 */
#ifndef DP_QUERY_PLAN_H
#define DP_QUERY_PLAN_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "optimizer/planner.h"

/*
 * Plan a statement: one that calls none of our functions goes to `planner` as
 * it is; otherwise its blocks are rewritten first.  Raises the reason if it is
 * not allowed.
 */
extern PlannedStmt *dp_query_plan(planner_hook_type planner, Query *query, const char *source,
								  int cursor_options, ParamListInfo params);

/*
 * Was the plan made without the values of its parameters, with a block in it?
 * It grants nothing and cannot answer.
 */
extern bool dp_query_planned_without_values(PlannedStmt *plan);

/*
 * Put the release node on top of a block's finished paths, and the node that
 * adds up units below where it was asked for; leave grouping the rows of foreign
 * tables to their servers; leaves every other query alone.
 * From create_upper_paths_hook.
 */
extern void dp_query_add_paths(PlannerInfo *root, UpperRelationKind stage,
							   RelOptInfo *input_rel, RelOptInfo *output_rel, void *extra);

/* Is this the planning of an exact query, or of a part of one? */
extern bool dp_query_is_below_release(PlannerInfo *root);

/* Enter a release made for the statement being planned. */
extern void dp_query_note_release(CustomScan *scan);

#endif							/* DP_QUERY_PLAN_H */
