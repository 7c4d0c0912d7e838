/* SPDX-License-Identifier: PostgreSQL */
/*
 * equal_columns.h
 *	  Columns of a query that hold the same value in every row, because WHERE says so.
 *
 * Which of them an expression names does not count: the unit of joined tables is a column
 * of whichever comes first in FROM.
 */
#ifndef DP_KEPT_EQUAL_COLUMNS_H
#define DP_KEPT_EQUAL_COLUMNS_H

#include "postgres.h"

#include "kept/spelling.h"

/*
 * Sets of columns that are equal to the last bit: lists of Var, no two of which share a column.
 * From equalities of columns that are members of these conditions' AND.
 */
extern List *dp_kept_equal_columns(List *conditions);

/* The first of the columns that this one is equal to in a query, by the numbers of items and columns. */
extern const Var *dp_kept_first_equal(const DpLevel *level, const Var *var);

/* Is a condition one of these equalities? */
extern bool dp_kept_equates_columns(Node *condition);

#endif							/* DP_KEPT_EQUAL_COLUMNS_H */
