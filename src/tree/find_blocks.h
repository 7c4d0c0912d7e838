/* SPDX-License-Identifier: PostgreSQL */
/*
 * find_blocks.h
 *	  Finding what concerns us in a statement.
 */
#ifndef DP_TREE_FIND_BLOCKS_H
#define DP_TREE_FIND_BLOCKS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is this node a call of one of the analyst's functions? */
extern bool dp_tree_is_ours(Node *node);

/* Is this what makes a block of a query that shows keys alone? */
extern bool dp_tree_is_keys_alone(Node *node);

/* Does a statement hold any of these, anywhere in it? */
#define DP_FINDS_OURS			0x1 /* calls of the analyst's functions */
#define DP_FINDS_USER_FUNCTION	0x2 /* calls in FROM that may be SQL functions */
#define DP_FINDS_COUNTS			0x4 /* counts of tables read from pg_class */
#define DP_FINDS_SIZES			0x8 /* calls of functions that tell a size */
#define DP_FINDS_PROTECTED		0x10	/* protected tables */

/* is_protected: which tables are. */
extern int	dp_tree_find(Query *query, bool (*is_protected) (Oid));

/* Where the first of these calls stands, or -1. */
extern int	dp_tree_first_mention(Query *query);

/*
 * Is this query level a block: does its select list or HAVING call one of our
 * aggregates, subqueries not counted?
 */
extern bool dp_tree_is_block(Query *query);

/* The distinct aggregates of a block's select list and HAVING, in order. */
extern List *dp_tree_aggregates(Query *block);

/* The first of them, or NULL. */
extern Aggref *dp_tree_first_aggregate(Query *query);

#endif							/* DP_TREE_FIND_BLOCKS_H */
