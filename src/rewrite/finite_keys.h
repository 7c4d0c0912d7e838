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
 * The keys that are declared of the column which an expression is, as an array of its type in
 * their order; NULL if there are none, or it is no column of a table.
 */
extern ArrayType *dp_query_declared_keys(Query *query, Node *expr);

/*
 * The labels of an enum in their order, as constants.  A plan made of them is made anew once
 * there are others.
 */
extern List *dp_query_enum_values(Oid type);

/*
 * Make one number of the keys, if all are public by nature; and keys
 * of that number again, above the release.
 */
extern void dp_query_make_keys_public(DpBlockRewrite *rewrite);
extern void dp_query_restore_public_keys(DpBlockRewrite *rewrite);

/* Values (Const of one type) as an array constant whose subscripts begin so. */
extern Const *dp_query_make_array(List *values, int lower);

#endif							/* DP_REWRITE_FINITE_KEYS_H */
