/* SPDX-License-Identifier: PostgreSQL */
/*
 * computed_keys.h
 *	  Group keys whose values follow from bounds of a column.
 */
#ifndef DP_REWRITE_COMPUTED_KEYS_H
#define DP_REWRITE_COMPUTED_KEYS_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

/* Most groups that come of keys among which one is computed. */
#define DP_MOST_COMPUTED 1000

/*
 * All values that a validated key has where its column is within its bounds, as constants in
 * the order of their type, NULL last if it can be that; NIL if they are not known, or too many.
 * They are computed by the key itself, of what is declared and written alone.
 */
extern List *dp_rewrite_computed_values(Query *query, Node *key);

/*
 * Do two keys, of whose values this product is made, depend on one column, so that most pairs
 * of values cannot be?
 */
extern bool dp_rewrite_are_entangled(Node *key, List *others);

#endif							/* DP_REWRITE_COMPUTED_KEYS_H */
