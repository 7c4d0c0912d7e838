/* SPDX-License-Identifier: PostgreSQL */
/*
 * unknown_keys.h
 *	  Constants that no key equals which is declared, or which a public table has.
 */
#ifndef DP_REWRITE_UNKNOWN_KEYS_H
#define DP_REWRITE_UNKNOWN_KEYS_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * What is to be said of constants that a validated block compares with columns that have declared keys, if none
 * of these equals one: of String, a message for each such column.  And, where public tables have the keys, of List: the
 * column's name; such a message; the table (of Oid); and a condition on its rows, as of the only item of a query, that one
 * holds for unless the message is to be said.
 */
extern List *dp_rewrite_unknown_keys(const DpBlockRewrite *rewrite);

#endif							/* DP_REWRITE_UNKNOWN_KEYS_H */
