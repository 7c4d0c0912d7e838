/* SPDX-License-Identifier: PostgreSQL */
/*
 * quantile.c
 *	  Odds of what a quantile is without rows, or beyond all of them; see quantile.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "aggregate/rank_interval.h"
#include "pricing/quantile.h"
#include "pricing/release.h"

/*
 * How often a quantile of no rows may be a point: that often, or so rarely where that does not
 * matter for one row.
 */
#define NOBODY 0.01
#define NOBODY_RARELY 1e-12

/* How much better "none" is has that many bits at most, and what it is multiplied by. */
#define NONE_BITS 60

/* A score, in grid units, that some point, or place, exceeds above the least with probability `miss` at most. */
static double
score_beyond(const DpRelease *release, double miss)
{
	double		alternatives = ldexp(release->rank.cells, release->split.bits);

	return ldexp(dp_accounting_choice_width(&release->noise[0], alternatives, 1 - miss), -release->noise[0].grid);
}

static bool
is_extreme(const DpQuantileRank *rank)
{
	return rank->fraction % (1 << rank->fraction_bits) == 0;
}

void
dp_pricing_set_offset(DpRelease *release)
{
	DpQuantileRank *rank = &release->rank;

	if (!is_extreme(rank))
		return;
	rank->offset = (int64) ceil(Min(score_beyond(release, DP_RANK_BEYOND), 0x1p60));
	if (rank->fraction > 0)
		rank->offset = -rank->offset;
}

/*
 * Without rows, all points together are drawn with a probability of NOBODY at most.
 * Where there are too few rows for an extreme to aim that far inside, "none" takes the
 * place of points beyond all rows.  Let there be m points, u = exp(-n / (2 scale)), and
 * w the weight of none without rows.  Then such points are drawn with a probability of
 * m u / (1 + w u^2) at most, which is m / (2 sqrt(w)) wherever it is greatest.
 */
void
dp_pricing_set_none(DpRelease *release, uint64 row)
{
	DpQuantileRank *rank = &release->rank;
	uint64		half = row / 2;
	double		rarely = Min(score_beyond(release, NOBODY_RARELY), half);
	double		none = Max(rarely, is_extreme(rank) ? 2 * score_beyond(release, 2 * DP_RANK_BEYOND)
						   : score_beyond(release, NOBODY));

	rank->none_bits = Max(0, ilogb(Max(none, 1)) - NONE_BITS);
	rank->none = (int64) ceil(ldexp(none, -rank->none_bits));
}
