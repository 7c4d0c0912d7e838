/* SPDX-License-Identifier: PostgreSQL */
/*
 * shared_noise.h
 *	  Which releases of a block share a part of their noise (accounting/shared_noise.h).
 */
#ifndef DP_PRICING_SHARED_NOISE_H
#define DP_PRICING_SHARED_NOISE_H

#include "pricing/block.h"

/* In which units move a total within these bounds: 1 up, -1 down, 0 either. */
extern int	dp_pricing_direction(int64 lower, int64 upper);

/*
 * Have counts and sums of a block share noise where each has less for it then.  They have to be what every
 * group shows, of all units; what decides about groups, or has a clamp that is chosen, has noise of its own.
 * Blocks of samples, or whose max_groups is chosen, are left alone.  Those of all groups share noise where it is known how many
 * are answered, and the statement does not add them up.  By public numbers alone.
 */
extern void dp_pricing_share_noise(DpBlock *block);

/* Is any of the block's noise shared? */
static inline bool
dp_pricing_shares_noise(const DpBlock *block)
{
	return block->shared.sigma > 0;
}

/* Is it shared by all groups?  Then `across` of the noise that is shared says so. */
static inline bool
dp_pricing_shares_across(const DpBlock *block)
{
	return dp_pricing_shares_noise(block) && block->shared.across;
}

#endif							/* DP_PRICING_SHARED_NOISE_H */
