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

#endif							/* DP_TREE_QUERY_TEXT_H */
