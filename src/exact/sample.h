/* SPDX-License-Identifier: PostgreSQL */
/*
 * sample.h
 *	  Asking a random sample of the units (setting dp_agg.sample_rate).
 */
#ifndef DP_EXACT_SAMPLE_H
#define DP_EXACT_SAMPLE_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * Why a block's units cannot be sampled, if the setting asks for that;
 * and the condition that chooses the sample, in a query over their rows.
 */
extern DpReason *dp_exact_sample_obstacle(const DpBlockRewrite *rewrite, int location);
extern void dp_exact_add_sampling(const DpBlockRewrite *rewrite, Query *query);

/*
 * Keeping some rows of each group of a query, chosen at random.
 */

/*
 * A query of at most `limit` of the rows that have the same values in these columns (of int) of
 * `rows`: a uniformly random choice that depends on nothing but those rows.  It has no output
 * yet; column n of `rows` is column n of its only item.
 */
extern Query *dp_exact_keep_some(Query *rows, List *columns, int limit);

#endif							/* DP_EXACT_SAMPLE_H */
