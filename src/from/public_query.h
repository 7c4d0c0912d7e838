/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_query.h
 *	  What a part of a block reads: nothing protected, and nothing of the rows around it?
 */
#ifndef DP_FROM_PUBLIC_QUERY_H
#define DP_FROM_PUBLIC_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Does an expression of a query, or an item of its FROM, read no protected table at any depth, but for
 * what blocks released, and no column of the query or of those around it?  `levels` are
 * the queries that it may name WITH queries of, innermost first.
 */
extern bool dp_from_is_public_expression(Node *expr, List *levels);
extern bool dp_from_is_public_entry(RangeTblEntry *rte, List *levels);

/* The WITH query that a reference names, and its place among the levels; or NULL. */
extern CommonTableExpr *dp_from_find_with(const RangeTblEntry *rte, List *levels, int depth, int *place);

/*
 * Have a query that takes the place of the innermost level bring the WITH queries that it
 * names, of whichever level, itself.  They are no longer counted where they were.
 */
extern void dp_from_bring_with(Query *query, List *levels);

#endif							/* DP_FROM_PUBLIC_QUERY_H */
