/*
 * interval.h
 *	  dp_interval(aggregate, level): where the aggregate would lie without noise.
 */
#ifndef DP_REWRITE_INTERVAL_H
#define DP_REWRITE_INTERVAL_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * What a call of dp_interval on one of the block's aggregates
 * becomes, `level` being the rewritten second argument or NULL.
 */
extern Node *dp_rewrite_released_interval(DpBlockRewrite *rewrite, FuncExpr *call, Node *level,
										  DpReason **reason);

#endif							/* DP_REWRITE_INTERVAL_H */
