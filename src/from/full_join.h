/* SPDX-License-Identifier: PostgreSQL */
/*
 * full_join.h
 *	  FULL JOIN of protected rows, as a query of its own in FROM.
 */
#ifndef DP_FROM_FULL_JOIN_H
#define DP_FROM_FULL_JOIN_H

#include "postgres.h"

#include "from/contribution.h"
#include "tree/statement.h"

/* Is this a query that a FULL JOIN has become? */
extern bool dp_from_is_full_join(const Query *query);

/* Is this a subquery that only chooses rows and computes, and stays by itself: a side of a FULL JOIN, or another join? */
extern bool dp_from_stands_alone(const Query *query);

/* The value without casts of tree/make_nodes.h, and without those of a whole number to a wider type. */
extern Node *dp_from_without_widening(Node *node);

/*
 * Forget the columns of an item of FROM, a FULL JOIN or one of its sides, that the query around
 * it makes nothing of.
 */
extern void dp_from_drop_unread_columns(Query *query, Query *outer, Index varno);

/*
 * Validate the columns of a query whose FROM has been read, in place; set what its rows contribute as item
 * `varno` of FROM.
 */
typedef DpReason *(*DpCheckColumns) (Query *query, Index varno, DpStatement *statement, int location,
									 DpContribution *contribution);

/* Those of a FULL JOIN, and of a side that is a subquery. */
extern DpReason *dp_from_check_full_join(Query *query, Index varno, DpStatement *statement, int location,
										 DpContribution *contribution);

extern DpReason *dp_from_check_side(Query *query, Index varno, DpStatement *statement, int location,
									DpContribution *contribution);

/* Those of the nullable side of another outer join, which has a join of its own: it shows its unit behind the others. */
extern DpReason *dp_from_check_nullable(Query *query, Index varno, DpStatement *statement, int location,
										DpContribution *contribution);

/*
 * Settle how much of a unit counts in a FULL JOIN, given its sides (of DpFromItem) and what they
 * would contribute to an inner join; and check that PostgreSQL can compute it.
 */
extern DpReason *dp_from_settle_full_join(Query *query, List *leaves, int location,
										  DpContribution *contribution);

/*
 * Columns of a FULL JOIN, and those that are the one of two which is there.
 */

/* Numbers in the range table of the query that a FULL JOIN becomes. */
enum
{
	LEFT_SIDE = 1,
	RIGHT_SIDE,
	FULL_JOIN
};

/* Two columns that ON equates, and the column of both. */
typedef struct DpMerged
{
	Var		   *left;
	Var		   *right;
	int			number;			/* in the select list */
} DpMerged;

/* A column of an item of FROM, a table or a subquery, by its number; NULL if it has been dropped from its table. */
extern Node *dp_from_column_of_item(const RangeTblEntry *rte, Index varno, AttrNumber number);

/* The same of a side. */
extern Node *dp_from_column_of_side(const RangeTblEntry *rte, Index side, AttrNumber number);

/*
 * Have the query of a FULL JOIN show each two columns that its ON equates as one, the left one or
 * else the right one, of their common type: a list of DpMerged.
 */
extern List *dp_from_show_merged(Query *query, Node *quals);

#endif							/* DP_FROM_FULL_JOIN_H */
