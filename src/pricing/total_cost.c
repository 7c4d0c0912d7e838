/* SPDX-License-Identifier: PostgreSQL */
/*
 * total_cost.c
 *	  What a block's releases cost together; see total_cost.h.
 */
#include "postgres.h"

#include "accounting/block_cost.h"
#include "base/compat_varlena.h"
#include "pricing/block.h"
#include "pricing/chosen_groups.h"
#include "pricing/clipping.h"
#include "pricing/form_table.h"
#include "pricing/kind.h"
#include "pricing/shared_noise.h"
#include "pricing/total_cost.h"

/* Cost of thresholding the block's groups. */
static double
threshold_delta(const DpBlock *block)
{
	return block->selector >= 0 ? block->threshold_delta : 0;
}

/* cost += all that is charged of a release. */
static void
add_release(const DpBlock *block, int i, DpCurve *cost)
{
	const DpRelease *release = &block->release[i];

	if (!dp_pricing_is_charged(block, i))
		return;
	dp_accounting_add_release(cost, release->noise, release->nnoise);
	if (dp_pricing_has_choice(release))
		dp_accounting_add_noise(cost, &release->choice);
}

/* cost += all releases but the one by which max_groups is chosen. */
static void
add_releases(const DpBlock *block, DpCurve *cost)
{
	for (int i = 0; i < dp_pricing_block_priced(block); i++)
		if (i != block->chooser)
			add_release(block, i, cost);
	if (dp_pricing_shares_noise(block))
		dp_accounting_add_noise(cost, &block->shared);
}

/* cost += the choice of max_groups, and at each order what costs most of all that can be chosen. */
static void
add_classes(const DpBlock *block, DpCurve *cost)
{
	DpBlock    *copy = palloc(VARSIZE(block));
	DpCurve		most = {{0}};

	for (int class = 0; class < dp_pricing_group_classes(block); class++)
	{
		DpCurve		one = {{0}};

		memcpy(copy, block, VARSIZE(block));
		if (!dp_pricing_set_class(copy, class))
			elog(ERROR, "noise for fewer groups cannot be drawn");
		add_releases(copy, &one);
		dp_accounting_raise(&most, &one);
	}
	add_release(block, block->chooser, cost);
	dp_accounting_compose(cost, &most);
	pfree(copy);
}

void
dp_pricing_block_set_cost(DpBlock *block)
{
	DpCurve    *cost = &block->cost;

	memset(cost, 0, sizeof(*cost));
	if (dp_pricing_chooses_groups(block))
		add_classes(block, cost);
	else
		add_releases(block, cost);
	dp_accounting_complete_block(cost, block->sample_rate, threshold_delta(block));
}

bool
dp_pricing_scale_release(DpRelease *release, double factor)
{
	int			terms = dp_pricing_charged_terms(release);

	release->epsilon *= factor;
	for (int j = 0; j < release->nnoise; j++)
	{
		DpNoise    *noise = &release->noise[j];
		const DpNoise asked = *noise;
		const char *problem = dp_pricing_is_clipped(release) ?
			dp_pricing_clip_calibrate_noise(noise, asked.mechanism, release->epsilon, release->delta, asked.groups, terms,
											asked.sensitivity, asked.grid) :
			dp_accounting_calibrate(noise, asked.mechanism, release->epsilon, release->delta, asked.groups, terms,
									asked.sensitivity, asked.grid);

		if (problem)
			return false;
		noise->direction = asked.direction;
	}
	return !dp_pricing_is_clipped(release) ||
		dp_pricing_clip_calibrate_choice(&release->choice, release->choice.mechanism, release->epsilon, release->delta,
										 release->noise[0].groups) == NULL;
}

/* Calibrate all releases of a block for so many times their epsilon; false if that fails. */
static bool
scale_block(DpBlock *block, double factor)
{
	if (dp_pricing_chooses_groups(block))
		factor /= 1 - block->choice_share;
	for (int i = 0; i < dp_pricing_block_priced(block); i++)
	{
		DpRelease  *release = &block->release[i];

		if (i == block->chooser || !dp_pricing_is_charged(block, i))
			continue;
		if (!dp_kind(release)->scale(release, factor))
			return false;
	}
	if (dp_pricing_shares_noise(block))
		dp_pricing_share_noise(block);
	return !dp_pricing_chooses_groups(block) || dp_pricing_share_with_classes(block);
}

bool
dp_pricing_block_scaled_cost(const DpBlock *block, double factor, DpCurve *cost)
{
	DpBlock    *copy = palloc(VARSIZE(block));
	bool		possible;

	memcpy(copy, block, VARSIZE(block));
	possible = scale_block(copy, factor);
	if (possible)
	{
		dp_pricing_block_set_cost(copy);
		dp_accounting_compose(cost, &copy->cost);
	}
	pfree(copy);
	return possible;
}
