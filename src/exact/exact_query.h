/*
 * exact_query.h
 *	  The query that computes a block's exact totals per group.
 */
#ifndef DP_EXACT_EXACT_QUERY_H
#define DP_EXACT_EXACT_QUERY_H

#include "postgres.h"

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

#endif							/* DP_EXACT_EXACT_QUERY_H */
