/*
 * quantile.c
 *	  Quantiles, and the least and greatest values: points drawn by their ranks.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"

#include "kinds/kinds.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"

/* How far off its rank is, but for what is a part of all rows. */
static double
half_width(const DpBlock *block, const DpRelease *release)
{
	DpRankError error = dp_pricing_rank_error(block, release);

	return error.scale * log(error.alternatives / DP_PRICING_MISS) + error.inside;
}

/* The rank that it aims at, and how it shares its price. */
static void
spell(StringInfo text, const DpRelease *release)
{
	pq_sendint32(text, release->rank.cells);
	pq_sendint32(text, release->rank.fraction);
	pq_sendint32(text, release->rank.fraction_bits);
	pq_sendint64(text, release->rank.offset);
	pq_sendint64(text, release->rank.none);
	pq_sendint32(text, release->rank.none_bits);
	pq_sendint32(text, release->split.sharers);
	pq_sendint32(text, release->split.level);
	pq_sendint32(text, release->split.bits);
	pq_sendint32(text, release->split.asked);
}

const DpKind dp_kinds_quantile = {
	.number = DP_RELEASE_QUANTILE,
	.totals = 1,
	.is_rank = true,
	.half_width = half_width,
	.scale = dp_pricing_scale_release,
	.spell = spell,
};
