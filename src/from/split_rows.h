/* SPDX-License-Identifier: PostgreSQL */
/*
 * split_rows.h
 *	  Rows made of the elements of a row's array, or of the parts of its text.
 */
#ifndef DP_FROM_SPLIT_ROWS_H
#define DP_FROM_SPLIT_ROWS_H

#include "postgres.h"

#include "from/contribution.h"
#include "tree/statement.h"

/*
 * Where an item of FROM is made so of columns of another, have that other be the rows that are split, as a query of
 * its own: *rows, which is NULL if the item is none.  Nothing is left of the item in the join tree but a
 * FROM of nothing.
 */
extern DpReason *dp_from_split_item(Query *query, Index varno, int location, Query **rows);

/* Is it a call of one of the functions that split? */
extern bool dp_from_is_split(const Node *node);

/* Is it a query that an item has become so? */
extern bool dp_from_splits_rows(const Query *query);

/*
 * Validate the columns of such a query, whose FROM has been read, in place; set what its rows contribute as item
 * `varno` of FROM.
 */
extern DpReason *dp_from_check_split(Query *query, Index varno, DpStatement *statement, int location,
									 DpContribution *contribution);

/* The call that splits the rows of such a query: of dp_agg_internal.elements(). */
extern FuncExpr *dp_from_splitting_call(const Query *query);

/* Is it a call of dp_agg_internal.elements()? */
extern bool dp_from_is_elements(const FuncExpr *call);

#endif							/* DP_FROM_SPLIT_ROWS_H */
