/* SPDX-License-Identifier: PostgreSQL */
/*
 * query_text.h
 *	  Queries as text.
 */
#ifndef DP_TREE_QUERY_TEXT_H
#define DP_TREE_QUERY_TEXT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * The text of a query, as pg_get_querydef has it, also where constants in it were folded: what a
 * subquery's comparison became is compared with true.
 */
extern char *dp_tree_as_text(Query *query, bool pretty);

/*
 * Does an expression that stands so deep below a query, 0 being that query's own, name columns, aggregates or
 * grouping sets of those around it?  For a query of its own depth is -1.
 */
extern bool dp_tree_names_outer(Node *node, int depth);

/* A copy with a parameter in place of each of those names, to be shown. */
extern Node *dp_tree_hide_outer(Node *node, int depth);

#endif							/* DP_TREE_QUERY_TEXT_H */
