/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_query.h
 *	  What a statement reads in place of a block: a subquery over a function that stands
 *	  for the release.
 *
 *		SELECT key_1, ..., total_1, ... FROM dp_agg_internal.release(n) OFFSET 0
 *
 * Nothing of the block is in it but the types of its columns.  The planner puts the
 * release node in place of the function, which nobody can call: its argument is of type
 * internal.  OFFSET 0 keeps conditions of the analyst's above the node.
 */
#ifndef DP_TREE_RELEASE_QUERY_H
#define DP_TREE_RELEASE_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * The subquery that reads the release of the statement's n-th block, from 0, which stands
 * at this place: with the columns of its exact query.
 */
extern Query *dp_tree_make_release_query(int n, const Query *exact, int location);

/* Is it the function that stands for releases? */
extern bool dp_tree_is_release_function(Oid function);

/*
 * Is there anything in an expression that may be another value, or act once more, when it is computed
 * again?  What is released is the same each time.
 */
extern bool dp_tree_varies(Node *expression);

/* A query of the numbers 1 to n. */
extern Query *dp_tree_make_numbers(int n);

/* The number of the block whose release an item of FROM stands for; -1 if it is another item. */
extern int	dp_tree_release_number(const RangeTblEntry *item);

#endif							/* DP_TREE_RELEASE_QUERY_H */
