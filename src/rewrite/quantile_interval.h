/* SPDX-License-Identifier: PostgreSQL */
/*
 * quantile_interval.h
 *	  dp_interval of a quantile: between other quantiles of the same values.
 */
#ifndef DP_REWRITE_QUANTILE_INTERVAL_H
#define DP_REWRITE_QUANTILE_INTERVAL_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * The interval of the block's n-th measure, a quantile; NULL with a reason set if nothing is asked
 * beside it that tells of one.
 */
extern Node *dp_rewrite_quantile_interval(DpBlockRewrite *rewrite, int n, Node *level, DpReason **reason);

#endif							/* DP_REWRITE_QUANTILE_INTERVAL_H */
