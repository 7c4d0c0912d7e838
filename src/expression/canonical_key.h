/* SPDX-License-Identifier: PostgreSQL */
/*
 * canonical_key.h
 *	  Group keys that tell nothing but their value.
 */
#ifndef DP_EXPRESSION_CANONICAL_KEY_H
#define DP_EXPRESSION_CANONICAL_KEY_H

#include "postgres.h"

#include "nodes/nodes.h"

#include "tree/reason.h"

/*
 * The key in a form in which equal values are identical; NULL and
 * *reason if its type has none.
 */
extern Node *dp_expression_canonical_key(Node *key, DpReason **reason);

/* A privacy unit, of which no one sees how it looks, in such a form; NULL if its type has none. */
extern Node *dp_expression_canonical_unit(Node *unit);

/*
 * Are two values of a type equal exactly if their bytes are the same?  For texts this
 * holds unless their collation is nondeterministic.
 */
extern bool dp_expression_equals_by_bytes(Oid type);

#endif							/* DP_EXPRESSION_CANONICAL_KEY_H */
