/*
 * group_noise.h
 *	  Noise of blocks whose max_groups is chosen, for each that may be; see chosen_groups.h.
 */
#ifndef DP_PRICING_GROUP_NOISE_H
#define DP_PRICING_GROUP_NOISE_H

#include "pricing/block.h"

/* How many classes there are to choose from, and max_groups of one, from 0, before it is chosen. */
extern int	dp_query_group_classes(const DpBlock *block);
extern int	dp_query_groups_of_class(const DpBlock *block, int class);

/* Set apart what the choice costs, of releases calibrated as asked; false if that fails. */
extern bool dp_query_share_with_classes(DpBlock *block);

/* Calibrate all noise of a block for a class, but for that of the choice; false if that fails. */
extern bool dp_query_set_class(DpBlock *block, int class);

#endif							/* DP_PRICING_GROUP_NOISE_H */
