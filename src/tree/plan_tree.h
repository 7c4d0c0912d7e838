/*
 * plan_tree.h
 *	  Walking finished plans.
 */
#ifndef DP_TREE_PLAN_TREE_H
#define DP_TREE_PLAN_TREE_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* The plans a node reads, in their order; sub-selects apart. */
extern List *dp_query_plans_below(Plan *plan);

/*
 * Have every loop in a finished plan read its inner side once, however many rows it has
 * outside.
 */
extern void dp_query_read_once(Plan *plan);

#endif							/* DP_TREE_PLAN_TREE_H */
