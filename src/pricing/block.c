/* SPDX-License-Identifier: PostgreSQL */
/*
 * block.c
 *	  Description of a block's releases.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/block_cost.h"
#include "pricing/block.h"

double
dp_pricing_sampled_delta(const DpBlock *block, double delta)
{
	return block->sample_rate < 1 ? Min(delta, nextafter(block->sample_rate * delta, 1)) : delta;
}

bool
dp_pricing_is_charged(const DpBlock *block, int i)
{
	const DpSplit *split = &block->release[i].split;

	return split->sharers == 0 || split->payer == i;
}

int
dp_pricing_charged_terms(const DpRelease *release)
{
	return dp_accounting_charged_terms(release->noise[0].mechanism, release->nnoise);
}

void
dp_pricing_block_cost(const DpBlock *block, DpCurve *cost)
{
	dp_accounting_compose(cost, &block->cost);
}
