/*
 * rank_error.c
 *	  How far ranks of quantiles may be off, see rank_error.h.
 */
#include "postgres.h"

#include <math.h>

#include "pricing/rank_error.h"

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
	DpRankError other = dp_query_rank_error(block, release);

	error->scale += share * other.scale;
	error->drift += share * (other.drift + ldexp(1, -release->split.bits));
}

/*
 * Of the fraction f of what lies between two others, it is off by (1 - f) times what the lower is and
 * by f times what the upper is, besides its own draw: and these by as much as a place holds, which is a part
 * of all rows.  So is what the fraction was rounded by.  Each draw may fail with an even share of the probability.
 */
DpRankError
dp_query_rank_error(const DpBlock *block, const DpRelease *release)
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
