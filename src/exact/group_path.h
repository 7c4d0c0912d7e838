/*
 * group_path.h
 *	  Grouping by public numbers in the planner.
 */
#ifndef DP_EXACT_GROUP_PATH_H
#define DP_EXACT_GROUP_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Paths that group the exact query by public numbers, of which there
 * are so many; 0: not by such.
 */
extern void dp_query_add_hashed_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
									  int groups);

#endif							/* DP_EXACT_GROUP_PATH_H */
