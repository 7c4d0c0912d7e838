/*
 * block.c
 *	  Cost and description of a block's releases.
 */
#include "postgres.h"

#include "accounting/subsampling.h"
#include "query/block/block.h"

/*
 * The Laplace average releases two complementary totals: a unit that moves one
 * by x moves the other by width - x, so the pair costs what one of them costs
 * at full width.  Gaussian noise terms are charged each.
 */
static int
charged_terms(const DpRelease *release)
{
	if (release->noise[0].mechanism == DP_LAPLACE)
		return 1;
	return release->nnoise;
}

int
dp_query_block_priced(const DpBlock *block)
{
	return block->form == DP_FORM_FIRST ? 1 : block->nreleases;
}

void
dp_query_block_set_cost(DpBlock *block)
{
	DpCurve    *cost = &block->cost;

	memset(cost, 0, sizeof(*cost));
	for (int i = 0; i < dp_query_block_priced(block); i++)
	{
		const DpRelease *release = &block->release[i];

		for (int j = 0; j < charged_terms(release); j++)
			dp_accounting_add_noise(cost, &release->noise[j]);
	}
	dp_accounting_amplify(cost, block->sample_rate);
	if (block->selector >= 0)
		dp_accounting_add_delta(cost, block->threshold_delta);
}

void
dp_query_block_cost(const DpBlock *block, DpCurve *cost)
{
	dp_accounting_compose(cost, &block->cost);
}

bool
dp_query_block_scaled_cost(const DpBlock *block, double factor, DpCurve *cost)
{
	DpCurve		own = {{0}};

	for (int i = 0; i < dp_query_block_priced(block); i++)
	{
		const DpRelease *release = &block->release[i];

		for (int j = 0; j < charged_terms(release); j++)
		{
			const DpNoise *asked = &release->noise[j];
			DpNoise		noise;

			if (dp_accounting_calibrate(&noise, asked->mechanism, release->epsilon * factor,
										release->delta, asked->groups, charged_terms(release),
										asked->sensitivity, asked->grid) != NULL)
				return false;
			dp_accounting_add_noise(&own, &noise);
		}
	}
	dp_accounting_amplify(&own, block->sample_rate);
	dp_accounting_compose(cost, &own);
	if (block->selector >= 0)
		dp_accounting_add_delta(cost, block->threshold_delta);
	return true;
}
