/* SPDX-License-Identifier: PostgreSQL */
/*
 * unknown_keys.h
 *	  Constants that no declared key equals.
 */
#ifndef DP_REWRITE_UNKNOWN_KEYS_H
#define DP_REWRITE_UNKNOWN_KEYS_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * What is to be said of constants that a validated block compares with columns that have declared keys, if none
 * of these equals one: of String, a message for each such column.
 */
extern List *dp_rewrite_unknown_keys(const DpBlockRewrite *rewrite);

#endif							/* DP_REWRITE_UNKNOWN_KEYS_H */
