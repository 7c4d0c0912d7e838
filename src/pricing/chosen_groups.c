/* SPDX-License-Identifier: PostgreSQL */
/*
 * chosen_groups.c
 *	  Calibration of blocks whose max_groups is chosen; see chosen_groups.h.
 *
 * Everything here depends on the statement's text, the settings and the declared policy alone;
 * no data is read.
 */
#include "postgres.h"

#include "accounting/block_cost.h"
#include "base/compat_varlena.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/chosen_groups.h"
#include "pricing/clipping.h"
#include "pricing/form_table.h"
#include "pricing/kind.h"
#include "pricing/selector.h"

/*
 * Noise of blocks whose max_groups is chosen, for each that may be; see chosen_groups.h.
 *
 * Everything here depends on the block's public numbers alone.
 */

int
dp_pricing_group_classes(const DpBlock *block)
{
	return block->release[block->chooser].ladder.steps;
}

int
dp_pricing_groups_of_class(const DpBlock *block, int class)
{
	return dp_accounting_groups_of_class(block->max_groups, class);
}

/* Noise that all releases of a block ask for, without the choice. */
static DpAskedNoise
asked_noise(const DpBlock *block)
{
	DpAskedNoise asked = {.mechanism = block->release[0].noise[0].mechanism};

	for (int i = 0; i < block->nreleases; i++)
	{
		const DpRelease *release = &block->release[i];

		if (i == block->chooser)
			continue;
		asked.epsilon += release->epsilon;
		asked.squares += release->epsilon * release->epsilon;
		if (asked.mechanism != DP_GAUSSIAN)
			continue;
		for (int j = 0; j < dp_pricing_charged_terms(release); j++)
			asked.precision += dp_accounting_precision(&release->noise[j]);
		if (dp_pricing_is_clipped(release))
			asked.precision += dp_accounting_precision(&release->choice);
	}
	return asked;
}

/* Have a release leave the choice its share. */
static bool
give_share(DpRelease *release, double share, long double factor)
{
	release->epsilon *= 1 - share;
	release->choice_epsilon *= 1 - share;
	for (int j = 0; j < release->nnoise; j++)
		if (dp_accounting_rescale(&release->noise[j], factor) != NULL)
			return false;
	return !dp_pricing_is_clipped(release) || dp_accounting_rescale(&release->choice, factor) == NULL;
}

bool
dp_pricing_share_with_classes(DpBlock *block)
{
	DpAskedNoise asked = asked_noise(block);
	DpRelease  *chooser = &block->release[block->chooser];
	long double factor;

	if (dp_accounting_calibrate_classes(&chooser->noise[0], &block->choice_share, &factor, &asked,
										block->max_groups) != NULL)
		return false;
	chooser->epsilon = block->choice_share * asked.epsilon;
	for (int i = 0; i < block->nreleases; i++)
		if (i != block->chooser && !give_share(&block->release[i], block->choice_share, factor))
			return false;
	return true;
}

/* Calibrate a release for a class. */
static bool
set_class_of(DpRelease *release, int most, int groups)
{
	for (int j = 0; j < release->nnoise; j++)
		if (dp_accounting_noise_of_groups(&release->noise[j], most, groups) != NULL)
			return false;
	return !dp_pricing_is_clipped(release) ||
		dp_accounting_joint_noise_of_groups(&release->choice, most, groups) == NULL;
}

bool
dp_pricing_set_class(DpBlock *block, int class)
{
	int			groups = dp_pricing_groups_of_class(block, class);

	for (int i = 0; i < block->nreleases; i++)
		if (i != block->chooser && !set_class_of(&block->release[i], block->max_groups, groups))
			return false;
	block->max_groups = groups;
	block->release[block->chooser].chosen = class;
	return true;
}

/* Where a unit counts in fewer groups, there is little to be won. */
#define LEAST_MAX_GROUPS 4
#define LABEL "groups of a unit"

DpLadder
dp_pricing_group_ladder(int most)
{
	return (DpLadder) {.first = 1, .steps = dp_accounting_classes(most), .kind = DP_LADDER_POSITIVE};
}

static void
set_threshold(DpBlock *block)
{
	if (block->selector >= 0)
		block->threshold = dp_pricing_threshold(&block->release[block->selector], block->selector_delta);
}

DpBlock *
dp_pricing_block_of_class(const DpBlock *block, int class)
{
	DpBlock    *copy = palloc(VARSIZE(block));

	memcpy(copy, block, VARSIZE(block));
	if (!dp_pricing_set_class(copy, class))
		elog(ERROR, "noise for fewer groups cannot be drawn");
	set_threshold(copy);
	return copy;
}

/*
 * Can something be chosen among these bounds?  Not in a sample: it is not proven that a
 * choice among releases is amplified as each of them is (doc/accounting.md).
 */
static bool
is_open(const DpBlockRewrite *rewrite)
{
	const DpContribution *contribution = &rewrite->contribution;

	return dp_pricing_clips(contribution) && !contribution->row_is_unit && !contribution->foreign &&
		rewrite->block->sample_rate >= 1 && rewrite->block->max_groups >= LEAST_MAX_GROUPS;
}

/* Has a block no releases but those whose noise is for so many groups, and goes with them? */
static bool
has_counts_alone(const DpBlock *block)
{
	for (int i = 0; i < block->nreleases; i++)
		if (!dp_kind(&block->release[i])->goes_with_groups)
			return false;
	return dp_form(block)->of_groups && block->nreleases > 0;
}

/* Is there noise for each class? */
static bool
has_all_classes(const DpBlock *block)
{
	for (int class = 0; class < dp_pricing_group_classes(block); class++)
	{
		DpBlock    *copy = palloc(VARSIZE(block));
		bool		possible;

		memcpy(copy, block, VARSIZE(block));
		possible = dp_pricing_set_class(copy, class);
		pfree(copy);
		if (!possible)
			return false;
	}
	return true;
}

/* The block with one more release, the choice. */
static DpBlock *
with_classes(const DpPricing *pricing, const DpBlock *block)
{
	int			n = block->nreleases;
	DpBlock    *more = palloc0(DpBlockSize(n + 1));
	DpRelease  *chooser = &more->release[n];

	memcpy(more, block, DpBlockSize(n));
	more->nreleases = n + 1;
	more->chooser = n;
	dp_pricing_init_release(pricing, chooser, &dp_kinds_classes, 0);
	chooser->delta = 0;
	chooser->column = more->nkeys + n;
	chooser->nnoise = 1;
	chooser->ladder = dp_pricing_group_ladder(more->max_groups);
	chooser->chosen = -1;
	strlcpy(chooser->label, LABEL, DP_LABEL_SIZE);
	SET_VARSIZE(more, DpBlockSize(n + 1));
	return more;
}

void
dp_pricing_choose_groups(DpBlockRewrite *rewrite)
{
	DpBlock    *block;

	if (!is_open(rewrite) || !has_counts_alone(rewrite->block))
		return;
	block = with_classes(&rewrite->statement->pricing, rewrite->block);
	if (!dp_pricing_share_with_classes(block) || !has_all_classes(block))
		return;
	set_threshold(block);
	rewrite->block = block;
}
