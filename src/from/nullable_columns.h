/* SPDX-License-Identifier: PostgreSQL */
/*
 * nullable_columns.h
 *	  What a subquery computes on the nullable side of an outer join.
 */
#ifndef DP_FROM_NULLABLE_COLUMNS_H
#define DP_FROM_NULLABLE_COLUMNS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Compute what a subquery, number varno of the range table, computes above the outer join
 * instead, of which it is the nullable side by itself.  False if that cannot be told there from
 * rows without a match.
 */
extern bool dp_from_compute_above(Query *query, JoinExpr *join, Index varno);

/* Tell all that names columns of a query's FROM that these joins put no NULLs in their place. */
extern void dp_from_forget_nulls_of(Query *query, Relids joins);

#endif							/* DP_FROM_NULLABLE_COLUMNS_H */
