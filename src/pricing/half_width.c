/* SPDX-License-Identifier: PostgreSQL */
/*
 * half_width.c
 *	  How far answers may be off, see half_width.h.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/sum_of_noise.h"
#include "aggregate/estimate.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
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
 * A quantile at fraction f between two others adds (1 - f) of the lower one's rank
 * error and f of the upper one's to its own.  To the others' errors comes what one
 * place holds, which is a part of all rows, and so is the rounding of the fraction.
 * Each draw may fail with an even share of the probability.
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
	if (dp_kind(release)->half_width)
		return dp_kind(release)->half_width(block, release);
	if (dp_form(block)->half_width)
		return dp_form(block)->half_width(block, release, factor);
	if (dp_form(block)->of_groups && release->rounded)
		return rounded_width(total_width(release));
	return factor * total_width(release);
}
