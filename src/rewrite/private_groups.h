/* SPDX-License-Identifier: PostgreSQL */
/*
 * private_groups.h
 *	  What decides which groups of private keys are shown.
 */
#ifndef DP_REWRITE_PRIVATE_GROUPS_H
#define DP_REWRITE_PRIVATE_GROUPS_H

#include "pricing/block_rewrite.h"

/*
 * Choose the release that does, and set the threshold.  It is a count of units that the
 * statement asks for anyway, or the one mean that it asks for alone, or else an extra
 * count of units, which is added to the block.  None where keys are public.
 */
extern DpReason *dp_rewrite_choose_selector(DpBlockRewrite *rewrite);

#endif							/* DP_REWRITE_PRIVATE_GROUPS_H */
