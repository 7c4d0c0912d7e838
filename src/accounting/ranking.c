/* SPDX-License-Identifier: PostgreSQL */
/*
 * ranking.c
 *	  How far a ranking of counts errs, and which of several ways to draw it is the best.
 *
 * Proofs: doc/accounting.md, "Naming the greatest, and the first above a threshold".
 */
#include <math.h>
#include <stddef.h>

#include "accounting/block_cost.h"
#include "accounting/ranking.h"
#include "accounting/rounding.h"

/* Widths are compared at this probability to be beyond. */
#define MISS 0.05

/* A way is better than one before it if the limits admit more of it by so much: less is rounding. */
#define MARGIN 1e-6

/* Numbers of rankings admitted that are told apart. */
#define LEAST_ADMITTED 0x1p-20
#define MOST_ADMITTED 0x1p60

/* A number of grid units that the difference of two noises exceeds with this probability at most. */
static double
difference_width(const DpNoise *noise, double tail)
{
	DpNoise		both = *noise;

	if (noise->mechanism == DP_LAPLACE)
		return (double) dp_accounting_pair_reach(noise, tail) - 1;
	if (dp_accounting_rescale(&both, sqrtl(2)) != NULL)
		return INFINITY;
	return ldexp(dp_accounting_half_width(&both, 1 - 2 * tail), -noise->grid) + 1;
}

/*
 * Noisy counts: none is off by more than half of a width, on either side, or no two that are compared
 * differ in their noise by more.
 */
static double
noisy_width(const DpNoise *noise, double candidates, int draws, double miss)
{
	double		pairs = draws * fmax(candidates - 1, 1);
	double		apart = 2 * dp_accounting_half_width(noise, 1 - miss / candidates);

	return fmin(apart, ldexp(difference_width(noise, fmin(miss / pairs, 0.5)), noise->grid));
}

double
dp_accounting_ranking_width(const DpNoise *noise, double candidates, int draws, double miss)
{
	double		share = noise->mechanism == DP_EXPONENTIAL ? 1 : 0.5;

	if (noise->mechanism != DP_PERMUTE_AND_FLIP && noise->mechanism != DP_EXPONENTIAL)
		return noisy_width(noise, candidates, draws, miss);
	return candidates < 2 ? 0 :
		dp_accounting_choice_width(noise, (candidates - 1) * share, 1 - miss / draws);
}

/* A cost so many times, which need be no whole number. */
static DpCurve
multiply(const DpCurve *cost, double times)
{
	DpCurve		total = *cost;

	for (int i = 0; i < DP_ORDERS; i++)
		total.rdp[i] *= times;
	total.pure *= times;
	total.variance *= times;
	return total;
}

static bool
all_admit(const DpRankingChoice *choice, const DpCurve *total)
{
	for (int i = 0; i < choice->limits; i++)
		if (!dp_accounting_admits(&choice->limit[i], total))
			return false;
	return true;
}

double
dp_accounting_rankings_admitted(const DpRankingChoice *choice, const DpNoise *noise)
{
	DpCurve		cost = {.pure = 0};
	double		low = LEAST_ADMITTED;
	double		high = MOST_ADMITTED;

	dp_accounting_add_release(&cost, noise, 1);
	dp_accounting_complete_block(&cost, choice->sample_rate, 0);
	if (choice->beside_gaussian)
		cost.pure = INFINITY;
	while (high > low * (1 + MARGIN / 8))
	{
		double		middle = sqrt(low) * sqrt(high);
		DpCurve		total = multiply(&cost, middle);

		if (all_admit(choice, &total))
			low = middle;
		else
			high = middle;
	}
	return low;
}

int
dp_accounting_best_ranking(const DpRankingChoice *choice, const DpNoise *way, int ways)
{
	int			best = 0;
	double		most = dp_accounting_rankings_admitted(choice, &way[0]);

	for (int i = 1; i < ways; i++)
	{
		double		width = dp_accounting_ranking_width(&way[best], choice->candidates, choice->draws, MISS);
		DpNoise		scaled = way[i];

		width /= dp_accounting_ranking_width(&scaled, choice->candidates, choice->draws, MISS);
		if (!(width > 0 && width < INFINITY) || dp_accounting_rescale(&scaled, width) != NULL)
			continue;
		if (dp_accounting_rankings_admitted(choice, &scaled) > most * (1 + MARGIN))
		{
			best = i;
			most = dp_accounting_rankings_admitted(choice, &way[i]);
		}
	}
	return best;
}
