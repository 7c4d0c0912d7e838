/*
 * group_noise.c
 *	  Noise of blocks whose max_groups is chosen, for each that may be; see group_noise.h.
 *
 * Everything here depends on the block's public numbers alone.
 */
#include "postgres.h"

#include "accounting/block_cost.h"
#include "accounting/chosen_groups.h"
#include "base/compat.h"
#include "pricing/block.h"
#include "pricing/group_noise.h"

int
dp_query_group_classes(const DpBlock *block)
{
	return block->release[block->chooser].ladder.steps;
}

int
dp_query_groups_of_class(const DpBlock *block, int class)
{
	return dp_accounting_groups_of_class(block->max_groups, class);
}

/* What all releases of a block ask for, but for the choice. */
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
		for (int j = 0; j < dp_query_charged_terms(release); j++)
			asked.precision += dp_accounting_precision(&release->noise[j]);
		if (dp_query_is_clipped(release))
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
	return !dp_query_is_clipped(release) || dp_accounting_rescale(&release->choice, factor) == NULL;
}

bool
dp_query_share_with_classes(DpBlock *block)
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
	return !dp_query_is_clipped(release) ||
		dp_accounting_joint_noise_of_groups(&release->choice, most, groups) == NULL;
}

bool
dp_query_set_class(DpBlock *block, int class)
{
	int			groups = dp_query_groups_of_class(block, class);

	for (int i = 0; i < block->nreleases; i++)
		if (i != block->chooser && !set_class_of(&block->release[i], block->max_groups, groups))
			return false;
	block->max_groups = groups;
	block->release[block->chooser].chosen = class;
	return true;
}
