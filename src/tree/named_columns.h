/* SPDX-License-Identifier: PostgreSQL */
/*
 * named_columns.h
 *	  The columns that a part of a query names.
 */
#ifndef DP_TREE_NAMED_COLUMNS_H
#define DP_TREE_NAMED_COLUMNS_H

#include "postgres.h"

#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"

/*
 * The columns of the query's own items of FROM that an expression, or the whole query, names: a list of Var,
 * each as often as it is named, those in its subqueries too.  Unlike pull_vars_of_level's, all are columns:
 * PostgreSQL puts what a subquery computes on the nullable side of an outer join into a PlaceHolderVar when it
 * pulls the subquery up, and the columns in there are named as well.
 */
extern List *dp_tree_named_columns(Node *node);

/* The numbers of those of one item, system columns and whole rows aside. */
extern Bitmapset *dp_tree_named_columns_of(Node *node, int varno);

#endif							/* DP_TREE_NAMED_COLUMNS_H */
