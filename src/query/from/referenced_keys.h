/*
 * referenced_keys.h
 *	  Group keys whose values a public table has, as their column's owner declares
 *	  (dp_agg.set_domain with refers_to).
 */
#ifndef DP_QUERY_FROM_REFERENCED_KEYS_H
#define DP_QUERY_FROM_REFERENCED_KEYS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "query/nodes/reason.h"

/*
 * If all keys of a block are such columns, have it be what
 *
 *		SELECT c.id, ... FROM (its FROM and WHERE) v RIGHT JOIN clinics c ON c.id = v.clinic GROUP BY c.id
 *
 * is: the keys are listed (listed_keys.h), rows of other values are in no group, and those
 * tables are read by the right of who asks.  FROM has been flattened and not yet been read.
 * Returns NULL, or why it cannot be.
 */
extern DpReason *dp_query_join_references(Query *query, int location);

/*
 * If all keys of a block are such columns, the query of their values, in the order of the
 * keys; else NULL.  *reason is set if it cannot be.
 */
extern Query *dp_query_list_references(Query *query, int location, DpReason **reason);

#endif							/* DP_QUERY_FROM_REFERENCED_KEYS_H */
