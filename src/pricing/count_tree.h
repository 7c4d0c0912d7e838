/*
 * count_tree.h
 *	  Trees of counts whose leaves are the groups.
 */
#ifndef DP_PRICING_COUNT_TREE_H
#define DP_PRICING_COUNT_TREE_H

#include "postgres.h"

#define DP_MAX_TREE_LEVELS 32

/* How many children a node of the tree over so many bins has, at most. */
extern int	dp_query_tree_branching(int bins);

/* Number of levels of that tree, root and leaves included. */
extern int	dp_query_tree_levels(int bins, int branching);

/* Number of nodes of each level, the root's first; returns the number of levels. */
extern int	dp_query_tree_widths(int bins, int branching, int *width);

#endif							/* DP_PRICING_COUNT_TREE_H */
