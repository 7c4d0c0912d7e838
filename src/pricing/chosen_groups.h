/* SPDX-License-Identifier: PostgreSQL */
/*
 * chosen_groups.h
 *	  Blocks whose max_groups is chosen privately (dp_agg.clipping = auto).
 *
 * Units are counted by classes of their number of groups, with noise, first.  One of the classes is
 * chosen by these numbers, and all else is released as of a block whose max_groups is its upper
 * end (accounting/block_cost.h).  What is charged is the numbers, and at each order the most that
 * any of the classes costs.  Proof: doc/accounting.md.
 */
#ifndef DP_PRICING_CHOSEN_GROUPS_H
#define DP_PRICING_CHOSEN_GROUPS_H

#include "pricing/block_rewrite.h"

/* The classes as the node over units knows them. */
extern DpLadder dp_pricing_group_ladder(int most);

/*
 * Have a block's max_groups be chosen, if it is one for that: of counts, sums and means alone, with
 * groups of which a unit may be in several.  All its other releases are there, as for the most;
 * what the choice costs is taken from them, and it comes as one more.
 */
extern void dp_pricing_choose_groups(DpBlockRewrite *rewrite);

/* A copy of a block as it is once this class is chosen. */
extern DpBlock *dp_pricing_block_of_class(const DpBlock *block, int class);

/*
 * Noise of blocks whose max_groups is chosen, for each that may be; see chosen_groups.h.
 */

/* How many classes there are to choose from, and max_groups of one, from 0, before it is chosen. */
extern int	dp_pricing_group_classes(const DpBlock *block);
extern int	dp_pricing_groups_of_class(const DpBlock *block, int class);

/* Set apart what the choice costs, of releases calibrated as asked; false if that fails. */
extern bool dp_pricing_share_with_classes(DpBlock *block);

/* Calibrate all noise of a block for a class, but for that of the choice; false if that fails. */
extern bool dp_pricing_set_class(DpBlock *block, int class);

#endif							/* DP_PRICING_CHOSEN_GROUPS_H */
