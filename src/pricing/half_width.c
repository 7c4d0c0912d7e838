/*
 * half_width.c
 *	  How far answers may be off, see half_width.h.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/sum_of_noise.h"
#include "aggregate/estimate.h"
#include "pricing/block.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"

/*
 * How far off an answer is that is taken from another aggregate's release.
 */

double
dp_pricing_answer_stddev(const DpRelease *release, const DpAnswer *answer)
{
	double		stddev = 0;

	for (int i = 0; i < lengthof(answer->factor); i++)
		if (answer->factor[i] != 0)
			stddev = hypot(stddev, answer->factor[i] * dp_accounting_sum_stddev(&release->noise[i],
																				Max(release->summed, 1), false));
	return stddev;
}

/* How far off an answer is that is a multiple of one noisy total. */
static double
single_width(const DpRelease *release, const DpAnswer *answer)
{
	int			i = answer->factor[0] == 0 ? 1 : 0;

	return fabs(answer->factor[i]) * dp_accounting_sum_half_width(&release->noise[i], Max(release->summed, 1), false, 0.95);
}

double
dp_pricing_answer_half_width(const DpRelease *release, const DpAnswer *answer)
{
	double		reach = dp_aggregate_estimate_reach(0.95, release->noise[0].mechanism == DP_GAUSSIAN);
	double		width = dp_pricing_answer_stddev(release, answer) * reach;

	if (answer->single)
		width = single_width(release, answer);
	return answer->rounded ? floor(width + 0.5) : width;
}

/* The error of the draw itself, with so many draws that may be off. */
static DpRankError
draw_error(const DpRelease *release, int draws)
{
	const DpNoise *noise = &release->noise[0];

	return (DpRankError) {
		.scale = ldexp((double) noise->scale_num / noise->scale_den, noise->grid),
		.alternatives = ldexp(release->rank.cells, release->split.bits) * draws,
		.inside = ldexp(fabs((double) release->rank.offset), noise->grid)
	};
}

/* Add a share of what the rank of a quantile is off by that another lies beside. */
static void
add_error(DpRankError *error, double share, const DpBlock *block, int beside)
{
	const DpRelease *release = &block->release[beside];
	DpRankError other = dp_pricing_rank_error(block, release);

	error->scale += share * other.scale;
	error->drift += share * (other.drift + ldexp(1, -release->split.bits));
}

/*
 * Of the fraction f of what lies between two others, it is off by (1 - f) times what the lower is and
 * by f times what the upper is, besides its own draw: and these by as much as a place holds, which is a part
 * of all rows.  So is what the fraction was rounded by.  Each draw may fail with an even share of the probability.
 */
DpRankError
dp_pricing_rank_error(const DpBlock *block, const DpRelease *release)
{
	const DpSplit *split = &release->split;
	double		fraction = ldexp(release->rank.fraction, -release->rank.fraction_bits);
	DpRankError error = draw_error(release, split->level + 1);

	if (split->sharers == 0)
		return error;
	error.drift = ldexp(1, -DP_SPLIT_FRACTION_BITS(split->bits));
	if (split->lower >= 0)
		add_error(&error, 1 - fraction, block, split->lower);
	if (split->upper >= 0)
		add_error(&error, fraction, block, split->upper);
	return error;
}

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
		return 2 * dp_accounting_half_width(noise, 1 - DP_PRICING_MISS / candidates);
	return candidates < 2 ? 0
		: dp_accounting_choice_width(noise, (candidates - 1) * share, 1 - DP_PRICING_MISS / draws);
}

/* How far the noise that was added to a total may have moved it: the sum of several, if so. */
static double
total_width(const DpRelease *release)
{
	return dp_accounting_sum_half_width(&release->noise[0], Max(release->summed, 1), dp_pricing_rounds_each(release),
										1 - DP_PRICING_MISS);
}

/* How far off an answer is that noise took so far at most, and that was rounded then. */
static double
rounded_width(double width)
{
	return floor(width + 0.5);
}

bool
dp_pricing_rounds_each(const DpRelease *release)
{
	return release->summed > 1 && dp_kind(release)->whole;
}

double
dp_pricing_half_width(const DpBlock *block, const DpRelease *release, double factor)
{
	const DpNoise *noise = &release->noise[0];

	if (dp_kind(release)->half_width)
		return dp_kind(release)->half_width(block, release);
	switch (block->form)
	{
		case DP_FORM_RANKING:
			return ranking_width(noise, block->domain > 0 ? block->domain : 2, block->size);
		case DP_FORM_LEAST:
			return factor * ranking_width(noise, block->size, 1);
		case DP_FORM_FIRST:
			/* One side of the difference from the threshold for each count. */
			return dp_accounting_half_width(noise, fmax(0, 1 - 2 * DP_PRICING_MISS / block->nreleases));
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
