/*
 * block.c
 *	  Cost and description of a block's releases.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/block_cost.h"
#include "accounting/tree_tables.h"
#include "query/block/block.h"
#include "query/block/clip_noise.h"

static int
charged_terms(const DpRelease *release)
{
	return dp_accounting_charged_terms(release->noise[0].mechanism, release->nnoise);
}

/* What thresholding the block's groups costs. */
static double
threshold_delta(const DpBlock *block)
{
	return block->selector >= 0 ? block->threshold_delta : 0;
}

double
dp_query_sampled_delta(const DpBlock *block, double delta)
{
	return block->sample_rate < 1 ? Min(delta, nextafter(block->sample_rate * delta, 1)) : delta;
}

int
dp_query_block_priced(const DpBlock *block)
{
	return block->form == DP_FORM_FIRST || block->form == DP_FORM_LEAST ? 1 : block->nreleases;
}

bool
dp_query_is_charged(const DpBlock *block, int i)
{
	const DpSplit *split = &block->release[i].split;

	return split->sharers == 0 || split->payer == i;
}

void
dp_query_block_set_cost(DpBlock *block)
{
	DpCurve    *cost = &block->cost;

	memset(cost, 0, sizeof(*cost));
	for (int i = 0; i < dp_query_block_priced(block); i++)
	{
		if (!dp_query_is_charged(block, i))
			continue;
		dp_accounting_add_release(cost, block->release[i].noise, block->release[i].nnoise,
								  block->sample_rate);
		if (dp_query_has_choice(&block->release[i]))
			dp_accounting_add_term(cost, &block->release[i].choice, block->sample_rate);
	}
	dp_accounting_complete_block(cost, block->sample_rate, threshold_delta(block));
}

void
dp_query_block_cost(const DpBlock *block, DpCurve *cost)
{
	dp_accounting_compose(cost, &block->cost);
}

/* cost += the choice of a clamp, if there is one, for so many times its epsilon; false if it cannot be calibrated. */
static bool
add_scaled_choice(const DpRelease *release, double factor, double sample_rate, DpCurve *cost)
{
	DpNoise		choice;

	if (!dp_query_is_clipped(release))
		return true;
	if (dp_query_clip_calibrate_choice(&choice, release->choice.mechanism, release->epsilon * factor, release->delta,
									   release->noise[0].groups) != NULL)
		return false;
	dp_accounting_add_term(cost, &choice, sample_rate);
	return true;
}

/* The j-th noise of a release for so many times its epsilon; false if it cannot be calibrated. */
static bool
scale_noise(const DpRelease *release, int j, double factor, DpNoise *noise)
{
	const DpNoise *asked = &release->noise[j];

	if (dp_query_is_clipped(release))
		return dp_query_clip_calibrate_noise(noise, asked->mechanism, release->epsilon * factor, release->delta,
											 asked->groups, charged_terms(release), asked->sensitivity,
											 asked->grid) == NULL;
	return dp_accounting_calibrate(noise, asked->mechanism, release->epsilon * factor, release->delta,
								   asked->groups, charged_terms(release), asked->sensitivity,
								   asked->grid) == NULL;
}

/* cost += synthetic rows for so many times their epsilon; false if they cannot be calibrated. */
static bool
add_scaled_tables(const DpRelease *release, double factor, DpCurve *cost)
{
	const DpNoise *margins = &release->noise[1];
	DpTreeNoise noise;

	if (dp_accounting_calibrate_tree(&noise, release->epsilon * factor, release->delta, margins->groups,
									 margins->sensitivity, margins->grid) != NULL)
		return false;
	dp_accounting_add_noise(cost, &noise.pairs);
	dp_accounting_add_noise(cost, &noise.margins);
	dp_accounting_add_noise(cost, &noise.tree);
	return true;
}

/* cost += a model and passes for so many times their epsilon; false if they cannot be calibrated. */
static bool
add_scaled_passes(const DpRelease *release, double factor, double sample_rate, DpCurve *cost)
{
	const DpNoise *asked[] = {&release->noise[0], &release->choice};

	for (int i = 0; i < lengthof(asked); i++)
	{
		DpNoise		noise;

		if (dp_accounting_calibrate(&noise, asked[i]->mechanism, release->epsilon * factor, release->delta,
									asked[i]->groups, DP_PASS_PARTS, asked[i]->sensitivity, asked[i]->grid) != NULL)
			return false;
		dp_accounting_add_term(cost, &noise, sample_rate);
	}
	return true;
}

bool
dp_query_block_scaled_cost(const DpBlock *block, double factor, DpCurve *cost)
{
	DpCurve		own = {{0}};

	for (int i = 0; i < dp_query_block_priced(block); i++)
	{
		const DpRelease *release = &block->release[i];

		if (!dp_query_is_charged(block, i))
			continue;
		if (release->kind == DP_RELEASE_TABLES)
		{
			if (!add_scaled_tables(release, factor, &own))
				return false;
			continue;
		}
		if (release->kind == DP_RELEASE_PASSES)
		{
			if (!add_scaled_passes(release, factor, block->sample_rate, &own))
				return false;
			continue;
		}
		if (!add_scaled_choice(release, factor, block->sample_rate, &own))
			return false;
		for (int j = 0; j < charged_terms(release); j++)
		{
			DpNoise		noise;

			if (!scale_noise(release, j, factor, &noise))
				return false;
			dp_accounting_add_term(&own, &noise, block->sample_rate);
		}
	}
	dp_accounting_complete_block(&own, block->sample_rate, threshold_delta(block));
	dp_accounting_compose(cost, &own);
	return true;
}
