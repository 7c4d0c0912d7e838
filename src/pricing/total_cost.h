/* SPDX-License-Identifier: PostgreSQL */
/*
 * total_cost.h
 *	  What a block's releases cost together.
 */
#ifndef DP_PRICING_TOTAL_COST_H
#define DP_PRICING_TOTAL_COST_H

#include "pricing/release.h"

/*
 * Compute the block's cost from its releases, once they are all there.  Where max_groups is chosen that
 * is the choice's, and of all others at each order the most that they cost for any class.
 */
extern void dp_pricing_block_set_cost(DpBlock *block);

/*
 * cost += what the block would cost with every epsilon multiplied by factor; false if some release
 * cannot be calibrated then.
 */
extern bool dp_pricing_block_scaled_cost(const DpBlock *block, double factor, DpCurve *cost);

/*
 * Calibrate a release of counts, sums and the like, as it was asked, for so many times its epsilon; false if
 * that fails.
 */
extern bool dp_pricing_scale_release(DpRelease *release, double factor);

#endif							/* DP_PRICING_TOTAL_COST_H */
