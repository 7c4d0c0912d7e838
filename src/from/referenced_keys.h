/* SPDX-License-Identifier: PostgreSQL */
/*
 * referenced_keys.h
 *	  Group keys whose values a public table has, as their column's owner declares
 *	  (dp_agg.set_domain with refers_to).
 */
#ifndef DP_FROM_REFERENCED_KEYS_H
#define DP_FROM_REFERENCED_KEYS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * If all keys of a block are such columns, have it be what
 *
 *		SELECT c.id, ... FROM (its FROM and WHERE) v RIGHT JOIN clinics c ON c.id = v.clinic GROUP BY c.id
 *
 * is: the keys are listed (listed_keys.h), rows of other values are in no group, and those
 * tables are read by the right of who asks.  FROM has been flattened and not yet been read.
 * *replaced is then a list of pairs of Var: the column of such a table, and the protected one in whose place it
 * is.  Returns NULL, or why it cannot be.
 */
extern DpReason *dp_from_join_references(Query *query, int location, List **replaced);

/*
 * Such a block as it was before, except for groups that it lacks.  It is a copy of a
 * query of its FROM and WHERE, without those tables and what they were joined by, and
 * with the protected columns in place of theirs.
 */
extern Query *dp_from_without_references(Query *query, List *replaced);

/*
 * If all keys of a block are such columns, the query of their values, in the order of the
 * keys; else NULL.  *reason is set if it cannot be.
 */
extern Query *dp_from_list_references(Query *query, int location, DpReason **reason);

#endif							/* DP_FROM_REFERENCED_KEYS_H */
