/*
 * half_width.c
 *	  How far answers may be off, see half_width.h.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/sum_of_noise.h"
#include "pricing/block.h"
#include "pricing/half_width.h"
#include "pricing/rank_error.h"

#define MISS 0.05

/*
 * Permute and flip names as if exponential noise were added to each count (Ding et
 * al. 2021): one of d rows less is named before another with probability
 * exp(-d / scale) / 2 at most, and there are candidates - 1 of them.  The exponential
 * mechanism does so with 1 / (1 + exp(d / scale)), less than exp(-d / scale).  Rankings of
 * more than a unit has groups are by noisy counts: none of them is off by more
 * than half of this, on either side.
 */
static double
ranking_width(const DpNoise *noise, double candidates, int draws)
{
	double		share = noise->mechanism == DP_EXPONENTIAL ? 1 : 0.5;

	if (noise->mechanism != DP_PERMUTE_AND_FLIP && noise->mechanism != DP_EXPONENTIAL)
		return 2 * dp_accounting_half_width(noise, 1 - MISS / candidates);
	return candidates < 2 ? 0
		: dp_accounting_choice_width(noise, (candidates - 1) * share, 1 - MISS / draws);
}

/* How far the noise that was added to a total may have moved it: the sum of several, if so. */
static double
total_width(const DpRelease *release)
{
	return dp_accounting_sum_half_width(&release->noise[0], Max(release->summed, 1), dp_query_rounds_each(release),
										1 - MISS);
}

/* How far off an answer is that noise took so far at most, and that was rounded then. */
static double
rounded_width(double width)
{
	return floor(width + 0.5);
}

/* How far off the rank of a quantile is, but for what is a part of all rows. */
static double
rank_width(const DpBlock *block, const DpRelease *release)
{
	DpRankError error = dp_query_rank_error(block, release);

	return error.scale * log(error.alternatives / MISS) + error.inside;
}

bool
dp_query_rounds_each(const DpRelease *release)
{
	return release->summed > 1 && release->kind == DP_RELEASE_COUNT;
}

double
dp_query_half_width(const DpBlock *block, const DpRelease *release, double factor)
{
	const DpNoise *noise = &release->noise[0];

	if (release->kind == DP_RELEASE_QUANTILE)
		return rank_width(block, release);
	switch (block->form)
	{
		case DP_FORM_RANKING:
			return ranking_width(noise, block->domain > 0 ? block->domain : 2, block->size);
		case DP_FORM_LEAST:
			return factor * ranking_width(noise, block->size, 1);
		case DP_FORM_FIRST:
			/* One side of the difference from the threshold for each count. */
			return dp_accounting_half_width(noise, fmax(0, 1 - 2 * MISS / block->nreleases));
		case DP_FORM_GROUPS:
			if (release->rounded)
				return rounded_width(total_width(release));
			break;
		case DP_FORM_TREE:
		case DP_FORM_SYNTHESIS:
		case DP_FORM_PASSES:
			break;
	}
	return factor * total_width(release);
}
