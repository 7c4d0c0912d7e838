/*
 * not_null.h
 *	  Columns that are declared NOT NULL.
 */
#ifndef DP_QUERY_POLICY_NOT_NULL_H
#define DP_QUERY_POLICY_NOT_NULL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is this a column, and no system column, of a table, which is locked, that is declared NOT NULL? */
extern bool dp_query_is_declared_not_null(const RangeTblEntry *rte, AttrNumber attno);

#endif							/* DP_QUERY_POLICY_NOT_NULL_H */
