/* SPDX-License-Identifier: PostgreSQL */
/*
 * change_exprs.h
 *	  Changing whatever in a query names columns of its FROM.
 */
#ifndef DP_TREE_CHANGE_EXPRS_H
#define DP_TREE_CHANGE_EXPRS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Replaces an expression, or each of a list; queries stand in it a level deeper. */
typedef Node *(*DpChangeExpr) (Node *expr, void *arg);

/*
 * Change the select list, HAVING, the conditions in FROM and what LATERAL items are made of.  Nodes of
 * the join tree and entries of the range table stay where they are.  Aliases of joins are left alone.
 */
extern void dp_tree_change_exprs(Query *query, DpChangeExpr change, void *arg);

/* Change the aliases of joins. */
extern void dp_tree_change_aliases(Query *query, DpChangeExpr change, void *arg);

#endif							/* DP_TREE_CHANGE_EXPRS_H */
