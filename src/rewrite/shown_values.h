/* SPDX-License-Identifier: PostgreSQL */
/*
 * shown_values.h
 *	  What a block shows of its release, to be compared with its noise when rows are there.
 */
#ifndef DP_REWRITE_SHOWN_VALUES_H
#define DP_REWRITE_SHOWN_VALUES_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/* One of them, as a list that plans can hold: its members in this order. */
enum
{
	DP_SHOWN_LABEL,				/* String: the aggregate, or the call that it is made of, as
								 * written */
	DP_SHOWN_VALUE,				/* expressions over the columns of the release: bigint, numeric or
								 * double precision; of a quantile the number of rows, */
	DP_SHOWN_INTERVAL,			/* and numrange, of 95 % */
	DP_SHOWN_RELEASE,			/* Integer: number of the release */
	DP_SHOWN_CLIPS,				/* Integer: can its clamp be chosen, by dp_agg.clipping, and is it
								 * not? */
	DP_SHOWN_CUT,				/* Integer: does the upper end hold what a chosen clamp cuts, too? */
	DP_SHOWN_TAIL				/* Float: of a quantile, the lesser part of rows on one side; else
								 * 0 */
};

/*
 * Those of a block's counts, sums, means, variances and standard deviations, and none if dp_agg.noise_notice is off.
 * Covariances and the like are left out: many are near zero, and known to be.  Quantiles are there if their rows are
 * counted beside them: what is known of their noise is how far off ranks are.
 */
extern List *dp_rewrite_shown_values(DpBlockRewrite *rewrite);

#endif							/* DP_REWRITE_SHOWN_VALUES_H */
