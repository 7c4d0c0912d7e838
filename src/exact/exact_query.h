/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact_query.h
 *	  The query that computes a block's exact totals per group.
 */
#ifndef DP_EXACT_EXACT_QUERY_H
#define DP_EXACT_EXACT_QUERY_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "pricing/block_rewrite.h"

/* The query that computes the exact totals per group. */
extern Query *dp_exact_exact(DpBlockRewrite *rewrite);

/* Why its measures cannot be computed, or not all of them at once; or NULL. */
extern DpReason *dp_exact_check_measures(DpBlockRewrite *rewrite, int location);

/*
 * Let a block read its protected tables on behalf of their owners, and look through the
 * views it reads them by.
 */
extern void dp_exact_grant(DpBlockRewrite *rewrite);

/*
 * What exact totals over rows that are units are made of.
 */

/* The arguments of a measure's exact aggregate: value and bounds. */
extern List *dp_exact_arguments(const DpMeasure *measure);

/*
 * The number of rows.  Where a sum or mean is computed anyway it comes for free with that state;
 * otherwise it is count(*).
 */
extern Node *dp_exact_row_count(DpBlockRewrite *rewrite);

/* An aggregate over distinct values alone, if these are what counts. */
extern Node *dp_exact_over_distinct(Node *node, const DpMeasure *measure);

#endif							/* DP_EXACT_EXACT_QUERY_H */
