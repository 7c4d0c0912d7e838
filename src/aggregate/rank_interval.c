/* SPDX-License-Identifier: PostgreSQL */
/*
 * rank_interval.c
 *	  Intervals of values for quantiles, from other quantiles of the same rows.
 */
#include <math.h>

#include "aggregate/rank_interval.h"

bool
dp_aggregate_rank_is_sane(const DpRank *rank)
{
	return rank->fraction >= 0 && rank->fraction <= 1 && rank->slack >= 0 && isfinite(rank->slack) &&
		rank->scale > 0 && isfinite(rank->scale) && rank->points >= 1 && isfinite(rank->points) &&
		rank->drift >= 0 && isfinite(rank->drift);
}

/* The same seen from above: the quantile of as many rows at the other end. */
static DpRank
mirrored(const DpRank *rank)
{
	DpRank		result = *rank;

	result.fraction = 1 - rank->fraction;
	return result;
}

/* The rank that a quantile of n rows aims at. */
static double
aim(const DpRank *rank, double n)
{
	double		inside = fmin(rank->slack, n / 2);

	if (rank->fraction == 0)
		return inside;
	return rank->fraction == 1 ? n - inside : rank->fraction * n;
}

/*
 * Is what was drawn no greater than the quantile of a fraction, but for a probability of `miss`, if there are
 * n rows or more?  The greatest value that was drawn exceeds the greatest one with a probability of
 * DP_RANK_BEYOND at most, however few rows there are.  It says nothing of lesser fractions, as their ranks
 * fall back behind its own while n grows.
 */
static bool
lies_below(const DpRank *rank, double fraction, double n, double miss)
{
	if (rank->fraction == 1 && (fraction < 1 || miss >= DP_RANK_BEYOND))
		return fraction == 1;
	return (fraction - rank->drift) * n - aim(rank, n) > rank->scale * log(rank->points / miss);
}

/* The closest of the answers from below; -1 if none is. */
static int
closest_below(const DpRank *rank, const bool *absent, int count, int asked, double n, double miss, bool mirror)
{
	double		fraction = mirror ? 1 - rank[asked].fraction : rank[asked].fraction;
	double		best = -INFINITY;
	int			found = -1;

	for (int i = 0; i < count; i++)
	{
		DpRank		one = mirror ? mirrored(&rank[i]) : rank[i];

		if (absent[i] || !lies_below(&one, fraction, n, miss) || aim(&one, n) <= best)
			continue;
		best = aim(&one, n);
		found = i;
	}
	return found;
}

void
dp_aggregate_rank_interval(const DpRank *rank, const double *answer, const bool *absent, int count, int asked,
						   double rows, double miss, double lower, double upper, double *low, double *high)
{
	int			below = closest_below(rank, absent, count, asked, rows, miss, false);
	int			above = closest_below(rank, absent, count, asked, rows, miss, true);

	*low = fmin(below < 0 ? lower : answer[below], answer[asked]);
	*high = fmax(above < 0 ? upper : answer[above], answer[asked]);
}
