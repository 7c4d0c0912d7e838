/* SPDX-License-Identifier: PostgreSQL */
/*
 * set_operations.h
 *	  UNION, INTERSECT and EXCEPT of protected rows, as UNION ALL and GROUP BY.
 */
#ifndef DP_FROM_SET_OPERATIONS_H
#define DP_FROM_SET_OPERATIONS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The place of window functions that nobody has written: they number rows that are alike. */
#define DP_QUERY_NUMBERED_ALIKE (-2)

/*
 * Replace a query of set operations by one that means the same, of which each level is a
 * UNION ALL of queries whose columns are of the same types, or none.
 */
extern void dp_from_nest_set_operations(Query **query, const char *alias, int location);

/*
 * stmt_location of a UNION ALL whose rows are compared with each other, by all their columns: they
 * are those that were written there, and no more.
 */
#define DP_QUERY_COMPARED (-2)

#endif							/* DP_FROM_SET_OPERATIONS_H */
