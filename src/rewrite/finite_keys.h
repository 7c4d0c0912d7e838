/* SPDX-License-Identifier: PostgreSQL */
/*
 * finite_keys.h
 *	  Group keys whose values are public by nature: booleans and enums.
 */
#ifndef DP_REWRITE_FINITE_KEYS_H
#define DP_REWRITE_FINITE_KEYS_H

#include "postgres.h"

#include "utils/array.h"

#include "pricing/block_rewrite.h"

/*
 * The keys that are declared of the column which an expression is, or whose lower() it is if it is of citext, as an array
 * of its type in their order; NULL if there are none, or it is no column of a table.
 */
extern ArrayType *dp_rewrite_declared_keys(Query *query, Node *expr);

/*
 * The labels of an enum in their order, as constants.  A plan made of them is made anew once
 * there are others.
 */
extern List *dp_policy_enum_values(Oid type);

/*
 * Make one number of the keys, if all are public by nature, declared, or, if these count,
 * computed; and keys of that number again, in the outer query.
 */
extern void dp_rewrite_make_keys_public(DpBlockRewrite *rewrite, bool computes);
extern void dp_rewrite_restore_public_keys(DpBlockRewrite *rewrite);

/*
 * The query that reads the keys that public tables list.
 */

/* Do public tables list all of the block's keys? */
extern bool dp_rewrite_keys_are_listed(const DpBlockRewrite *rewrite);

/* The query that lists them, in their order. */
extern Query *dp_rewrite_list_keys(const DpBlockRewrite *rewrite);

/* Most keys that are answered. */
#define DP_MOST_KEYS 1000000

/*
 * How many rows the planner is told that a release has.
 */

/*
 * How many rows a described block's release is planned to have, by its keys and the setting;
 * `keys` is the query that lists them, or NULL.
 */
extern double dp_rewrite_release_rows(const DpBlockRewrite *rewrite, const Query *keys);

#endif							/* DP_REWRITE_FINITE_KEYS_H */
