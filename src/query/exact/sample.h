/*
 * sample.h
 *	  Asking a random sample of the units (setting dp_agg.sample_rate).
 */
#ifndef DP_QUERY_EXACT_SAMPLE_H
#define DP_QUERY_EXACT_SAMPLE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "query/block/block_rewrite.h"
#include "query/nodes/reason.h"

/*
 * Why a block's units cannot be sampled, if the setting asks for that;
 * and the condition that chooses the sample, in a query over their rows.
 */
extern DpReason *dp_query_sample_obstacle(const DpBlockRewrite *rewrite, int location);
extern void dp_query_add_sampling(const DpBlockRewrite *rewrite, Query *query);

#endif							/* DP_QUERY_EXACT_SAMPLE_H */
