/*
 * finite_keys.h
 *	  Group keys whose values are public by nature: booleans and enums.
 */
#ifndef DP_QUERY_REWRITE_FINITE_KEYS_H
#define DP_QUERY_REWRITE_FINITE_KEYS_H

#include "postgres.h"

#include "query/block/block_rewrite.h"

/*
 * Make one number of the keys, if all are public by nature; and keys
 * of that number again, above the release.
 */
extern void dp_query_make_keys_public(DpBlockRewrite *rewrite);
extern void dp_query_restore_public_keys(DpBlockRewrite *rewrite);

/* Values (Const of one type) as an array constant whose subscripts begin so. */
extern Const *dp_query_make_array(List *values, int lower);

#endif							/* DP_QUERY_REWRITE_FINITE_KEYS_H */
