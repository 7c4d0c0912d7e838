/*
 * set_operations.h
 *	  UNION, INTERSECT and EXCEPT of protected rows, as UNION ALL and GROUP BY.
 */
#ifndef DP_QUERY_FROM_SET_OPERATIONS_H
#define DP_QUERY_FROM_SET_OPERATIONS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "query/nodes/reason.h"

/*
 * Replace a query of set operations by one that means the same, of which each level is a
 * UNION ALL of queries whose columns are of the same types, or none.
 */
extern DpReason *dp_query_nest_set_operations(Query **query, const char *alias, int location);

#endif							/* DP_QUERY_FROM_SET_OPERATIONS_H */
