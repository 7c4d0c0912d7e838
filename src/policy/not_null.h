/*
 * not_null.h
 *	  What cannot be NULL, as columns are declared NOT NULL.
 *
 * Statements are planned anew once a declaration is gone, of which PostgreSQL tells every session.
 */
#ifndef DP_POLICY_NOT_NULL_H
#define DP_POLICY_NOT_NULL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is this a column, and no system column, of a table, which is locked, that is declared NOT NULL? */
extern bool dp_query_is_declared_not_null(const RangeTblEntry *rte, AttrNumber attno);

/* Can an expression over a block's rows be NULL?  Where in doubt, yes. */
extern bool dp_query_can_be_null(Query *query, Node *expr);

#endif							/* DP_POLICY_NOT_NULL_H */
