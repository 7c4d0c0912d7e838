/* SPDX-License-Identifier: PostgreSQL */
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
 * A statement with calls of dp_histogram and its like replaced, at every level, by the
 * blocks they stand for, and dp_agg_internal.counted by dp_count; or NULL, and why not.
 * Later steps read no text and run no user code.  Where there was a call of the latter, functions of ours work intervals
 * out of several answers, which takes their noise for independent: then no noise of the statement is shared.
 */
extern Query *dp_asking_expand_calls(const Query *query, DpStatement *statement, DpReason **reason);

#endif							/* DP_ASKING_EXPAND_CALLS_H */
