/*
 * plan_tree.h
 *	  Walking finished plans.
 */
#ifndef DP_QUERY_PLAN_TREE_H
#define DP_QUERY_PLAN_TREE_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* The plans a node reads, in their order; sub-selects apart. */
extern List *dp_query_plans_below(Plan *plan);

/*
 * Have every loop in a plan that is about to be finished read its inner side once,
 * however many rows it has outside.
 */
extern void dp_query_read_once(Plan *plan);

/*
 * Number the nodes of a statement anew, those below its releases last, so that
 * the numbers of the others do not tell how many these are.
 */
extern void dp_query_number_nodes(PlannedStmt *statement, List *releases);

#endif							/* DP_QUERY_PLAN_TREE_H */
