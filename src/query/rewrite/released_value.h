/*
 * released_value.h
 *	  What stands above a release for an aggregate: a conversion of its noisy totals.
 */
#ifndef DP_QUERY_REWRITE_RELEASED_VALUE_H
#define DP_QUERY_REWRITE_RELEASED_VALUE_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "query/block/block_rewrite.h"

/* The number of the measure that one of the block's aggregates is released by. */
extern int	dp_query_measure_of(const DpBlockRewrite *rewrite, Aggref *aggref);

/* What stands above the release for it. */
extern Node *dp_query_released_value(DpBlockRewrite *rewrite, Aggref *aggref);

#endif							/* DP_QUERY_REWRITE_RELEASED_VALUE_H */
