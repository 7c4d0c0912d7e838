/* SPDX-License-Identifier: PostgreSQL */
/*
 * split_windows.h
 *	  Subqueries with window functions, or with DISTINCT, taken apart.
 */
#ifndef DP_FROM_SPLIT_WINDOWS_H
#define DP_FROM_SPLIT_WINDOWS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * Turn a query with window functions, in place, into a projection of queries that only
 * compute these, one around the other.
 */
extern DpReason *dp_from_split_windows(Query *query, const char *alias);

/*
 * A query without DISTINCT that means the same as this one, which has it beside GROUP BY
 * or window functions, or ON some columns: in FROM of another.
 */
extern Query *dp_from_nest_distinct(Query *query, const char *alias);

#endif							/* DP_FROM_SPLIT_WINDOWS_H */
