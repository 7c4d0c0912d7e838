/*
 * expand_calls.h
 *	  Set-returning functions of ours in FROM, replaced by the blocks they
 *	  stand for.
 */
#ifndef DP_ASKING_EXPAND_CALLS_H
#define DP_ASKING_EXPAND_CALLS_H

#include "postgres.h"

#include "pricing/block_rewrite.h"
#include "tree/statement.h"

/*
 * Replace calls of dp_histogram and its like, at every level, by the blocks
 * they stand for, and dp_agg_internal.counted by dp_count.  What is left to do needs no text
 * read and nobody's code run.
 */
extern DpReason *dp_asking_expand_calls(Query *query, const DpStatement *statement);

#endif							/* DP_ASKING_EXPAND_CALLS_H */
