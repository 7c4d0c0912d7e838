/*
 * forms.h
 *	  Blocks of which something else is released than a count per group.
 */
#ifndef DP_QUERY_BLOCK_FORMS_H
#define DP_QUERY_BLOCK_FORMS_H

#include "postgres.h"

#include "query/nodes/reason.h"
#include "query/rewrite/rewrite.h"

/* Is this the block of a call that asks for a form of its own? */
extern bool dp_query_is_formed(const DpShape *shape);

/*
 * Calibrate the block as its call asks, in place of the counts it was written
 * with.  Returns NULL, or why it is not possible.
 */
extern DpReason *dp_query_set_form(DpShape *shape);

/* How many children a node of the tree over so many bins has, at most. */
extern int	dp_query_tree_branching(int bins);

/* Number of levels of that tree, root and leaves included. */
extern int	dp_query_tree_levels(int bins, int branching);

#define DP_MAX_TREE_LEVELS 32

/* Number of nodes of each level, the root's first; returns the number of levels. */
extern int	dp_query_tree_widths(int bins, int branching, int *width);

#endif							/* DP_QUERY_BLOCK_FORMS_H */
