/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact_plan.h
 *	  Planning an exact query: a statement of its own, which the statement that reads the
 *	  release knows nothing of.
 */
#ifndef DP_EXACT_EXACT_PLAN_H
#define DP_EXACT_EXACT_PLAN_H

#include "postgres.h"

#include "optimizer/planner.h"

#include "pricing/release.h"

/*
 * Plan a copy of an exact query, or of a query that lists keys, of a block.  Raises an
 * error if another server would have to send rows; it names the block's place in the
 * source, which may be NULL and -1.  Nothing shows how long it took, nor what for.
 */
extern PlannedStmt *dp_exact_plan_exact(const DpBlock *block, Query *query, const char *source,
										int location);

/*
 * A copy of such a plan, of which the node over units has units count in so many groups; with classes
 * of units alone, or with all but these (block/chosen_groups.h).
 */
extern PlannedStmt *dp_exact_limit_groups(const PlannedStmt *plan, int max_groups, bool classes);

/*
 * Enter the node that adds up units among the paths that group an exact query; leave
 * grouping the rows of foreign tables to their servers; leave every other query alone.
 * From create_upper_paths_hook.
 */
extern void dp_exact_add_paths(PlannerInfo *root, UpperRelationKind stage,
							   RelOptInfo *input_rel, RelOptInfo *output_rel, void *extra);

#endif							/* DP_EXACT_EXACT_PLAN_H */
