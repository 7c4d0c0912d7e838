/* SPDX-License-Identifier: PostgreSQL */
/*
 * nest_full_join.h
 *	  FULL JOIN as a query of its own in FROM; see full_join.h.
 */
#ifndef DP_FROM_NEST_FULL_JOIN_H
#define DP_FROM_NEST_FULL_JOIN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"
#include "tree/statement.h"

/*
 * Replace a FULL JOIN, a node of the query's FROM whose sides are simplified, by an
 * item of FROM that is a query of its own, in place.  Columns of its sides become
 * columns of that query, and COALESCE of two columns that ON equates becomes one
 * column. `levels` are the query and those around it.
 */
extern DpReason *dp_from_nest_full_join(Query *query, Node **place, List *levels, DpStatement *statement, int location);

/* An entry of a range table that nothing refers to. */
extern RangeTblEntry *dp_from_make_unused(void);

#endif							/* DP_FROM_NEST_FULL_JOIN_H */
