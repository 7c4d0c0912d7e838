/*
 * interval.h
 *	  dp_interval(aggregate, level): where the aggregate would lie without noise.
 */
#ifndef DP_QUERY_REWRITE_INTERVAL_H
#define DP_QUERY_REWRITE_INTERVAL_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/primnodes.h"

#include "query/block/block_rewrite.h"
#include "query/nodes/reason.h"

/*
 * What a call of dp_interval on one of the block's aggregates
 * becomes, `level` being the rewritten second argument or NULL.
 */
extern Node *dp_query_released_interval(DpBlockRewrite *rewrite, FuncExpr *call, Node *level,
										DpReason **reason);

/* The confidence level in an argument, from 0; 22023 if it is none. */
extern double dp_query_read_level(FunctionCallInfo fcinfo, int n);

/* Can such noise have been drawn? */
extern bool dp_query_is_sane_noise(const DpNoise *noise);

/* A closed range of numerics, without an end where that is infinite. */
extern Datum dp_query_make_range(double low, double high);

/* What the i-th release of a block has to reach for its group to be answered; -INFINITY: nothing. */
extern double dp_query_selects_by(const DpBlock *block, int i);

#endif							/* DP_QUERY_REWRITE_INTERVAL_H */
