/*
 * released_value.h
 *	  What stands above a release for an aggregate: a conversion of its noisy totals.
 */
#ifndef DP_QUERY_REWRITE_RELEASED_VALUE_H
#define DP_QUERY_REWRITE_RELEASED_VALUE_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "query/block/block_rewrite.h"

/* What stands above the release for one of the block's aggregates. */
extern Node *dp_query_released_value(DpBlockRewrite *rewrite, Aggref *aggref);

#endif							/* DP_QUERY_REWRITE_RELEASED_VALUE_H */
