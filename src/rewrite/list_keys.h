/*
 * list_keys.h
 *	  The query that reads the keys that public tables list.
 */
#ifndef DP_REWRITE_LIST_KEYS_H
#define DP_REWRITE_LIST_KEYS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "pricing/block_rewrite.h"

/* Do public tables list all of the block's keys? */
extern bool dp_query_keys_are_listed(const DpBlockRewrite *rewrite);

/* The query that lists them, in their order. */
extern Query *dp_query_list_keys(const DpBlockRewrite *rewrite);

/* Most keys that are answered. */
#define DP_MOST_KEYS 1000000

#endif							/* DP_REWRITE_LIST_KEYS_H */
