/*
 * test_ranking.c
 *	  The way to draw a ranking that is chosen: no other that errs as little costs less of the
 *	  limits.  And the widths it is chosen by hold, by exact laws.
 */
#include <stdlib.h>

#include "accounting.h"

#include "accounting/ranking.h"

#define WAYS 3
#define MISS 0.05
#define MOST 60

static const DpMechanism mechanism[WAYS] = {DP_PERMUTE_AND_FLIP, DP_EXPONENTIAL, DP_GAUSSIAN};

/* The noise of one way to draw k ranks at this epsilon, for units in so many groups. */
static DpNoise
way_of(DpMechanism kind, double epsilon, int k, int groups)
{
	DpNoise		noise;
	int			grid = kind == DP_EXPONENTIAL ? -1 : 0;

	if (kind == DP_LAPLACE || kind == DP_GAUSSIAN)
	{
		grid = dp_accounting_grid(kind, epsilon, 1e-9, groups, 1, 1, true);
		k = groups;
	}
	dp_accounting_calibrate(&noise, kind, epsilon, kind == DP_GAUSSIAN ? 1e-9 : 0, k, 1,
							(uint64_t) ceil(ldexp(kind == DP_EXPONENTIAL ? 0.5 : 1, -grid)), grid);
	return noise;
}

static DpRankingChoice
choice_of(double epsilon, double delta, double candidates, int k, double sample_rate)
{
	DpRankingChoice choice = {
		.candidates = candidates, .draws = k, .sample_rate = sample_rate,
		.beside_gaussian = delta > 0, .limits = 1
	};

	dp_accounting_limit_init(&choice.limit[0], epsilon, delta, &dp_accounting_default_shares);
	return choice;
}

/* By how much more the limits admit of another way, scaled to err as little as the chosen one; 1 and less: none. */
static double
admitted_beyond(const DpRankingChoice *choice, const DpNoise *way, int ways, int chosen)
{
	double		own = dp_accounting_rankings_admitted(choice, &way[chosen]);
	double		width = dp_accounting_ranking_width(&way[chosen], choice->candidates, choice->draws, MISS);
	double		most = 0;

	for (int i = 0; i < ways; i++)
	{
		DpNoise		other = way[i];

		if (i == chosen || dp_accounting_rescale(&other, width / dp_accounting_ranking_width(&other, choice->candidates, choice->draws, MISS)) != NULL)
			continue;
		most = fmax(most, dp_accounting_rankings_admitted(choice, &other) / own);
	}
	return most;
}

/* Whatever is asked, of a budget with a delta or without. */
static void
test_never_dearer(void)
{
	static const double limit[] = {0.2, 5};
	static const double candidates[] = {2, 1000};
	static const int ranks[] = {1, 2, 10, 100};
	static const int groups[] = {1, 5, 30};
	double		worst = 0;
	int			count[WAYS] = {0};

	for (int pure = 0; pure < 2; pure++)
		for (int l = 0; l < LENGTH(limit); l++)
			for (int c = 0; c < LENGTH(candidates); c++)
				for (int r = 0; r < LENGTH(ranks); r++)
					for (int g = 0; g < LENGTH(groups); g++)
						for (double part = 1e-3; part < 2; part *= 2.2)
						{
							double		rate = (r + g) % 3 == 0 ? 0.1 : 1;
							DpRankingChoice choice = choice_of(limit[l], pure ? 0 : 1e-6, candidates[c], ranks[r], rate);
							DpNoise		way[WAYS];
							int			best;

							for (int i = 0; i < WAYS; i++)
								way[i] = way_of(pure && mechanism[i] == DP_GAUSSIAN ? DP_LAPLACE : mechanism[i], part * limit[l], ranks[r], groups[g]);
							best = dp_accounting_best_ranking(&choice, way, WAYS);
							count[best]++;
							worst = fmax(worst, admitted_beyond(&choice, way, WAYS, best));
						}
	ok(worst <= 1.000001, "no other way that errs as little is cheaper: %.4f", worst);
	ok(count[0] > 100 && count[1] > 100 && count[2] > 100, "each way is chosen: %d, %d, %d", count[0], count[1], count[2]);
}

/* What is chosen in some cases that documents tell of. */
static void
test_known(void)
{
	static const struct
	{
		double		limit;
		double		delta;
		double		epsilon;
		double		rate;
		int			k;
		int			groups;
		DpMechanism best;
	}			known[] = {
		{1, 1e-6, 0.1, 1, 1, 1, DP_EXPONENTIAL},
		{1, 1e-6, 0.2, 1, 1, 1, DP_EXPONENTIAL},
		{1, 1e-6, 0.25, 1, 1, 1, DP_PERMUTE_AND_FLIP},
		{5, 1e-6, 0.5, 1, 1, 1, DP_EXPONENTIAL},
		{5, 1e-6, 2, 1, 1, 1, DP_PERMUTE_AND_FLIP},
		{1, 1e-6, 0.5, 1, 10, 10, DP_EXPONENTIAL},
		{1, 1e-6, 0.1, 1, 10, 1, DP_GAUSSIAN},
		{1, 1e-6, 0.1, 0.01, 1, 1, DP_EXPONENTIAL},
		{1, 1e-6, 0.1, 0.01, 3, 1, DP_GAUSSIAN},
		{1, 1e-6, 0.5, 0.9, 1, 1, DP_PERMUTE_AND_FLIP},
		{1, 0, 0.1, 1, 1, 1, DP_PERMUTE_AND_FLIP},
		{1, 0, 0.1, 1, 10, 10, DP_PERMUTE_AND_FLIP},
		{1, 0, 0.1, 1, 10, 2, DP_LAPLACE},
	};

	for (int i = 0; i < LENGTH(known); i++)
	{
		DpRankingChoice choice = choice_of(known[i].limit, known[i].delta, 40, known[i].k, known[i].rate);
		DpNoise		way[WAYS];
		DpMechanism kind[WAYS];
		int			best;

		for (int j = 0; j < WAYS; j++)
		{
			kind[j] = known[i].delta == 0 && mechanism[j] == DP_GAUSSIAN ? DP_LAPLACE : mechanism[j];
			way[j] = way_of(kind[j], known[i].epsilon, known[i].k, known[i].groups);
		}
		best = dp_accounting_best_ranking(&choice, way, WAYS);
		ok(kind[best] == known[i].best, "of (%g, %g) at %g, k = %d, %d groups, rate %g: %d is chosen, %d expected", known[i].limit, known[i].delta,
		   known[i].epsilon, known[i].k, known[i].groups, known[i].rate, (int) kind[best], (int) known[i].best);
		choice.limit[1] = choice.limit[0];
		choice.limits = 2;
		choice.limit[0].epsilon *= 1000;
		ok(dp_accounting_best_ranking(&choice, way, WAYS) == best, "and where the cap is the narrower limit");
	}
}

/*
 * The law of one draw among n, one of which is best and the others are `gap` rows behind: the
 * probability that it is another.
 */
static long double
draw_misses(const DpNoise *noise, int n, double gap)
{
	long double x = gap / ldexpl((long double) noise->scale_num / noise->scale_den, noise->grid);
	long double heads = expl(-x);
	long double miss = 0;
	long double exactly = powl(1 - heads, n - 1);

	if (noise->mechanism == DP_EXPONENTIAL)
		return (n - 1) * heads / (1 + (n - 1) * heads);
	for (int h = 0; h < n; h++)
	{
		miss += exactly * h / (h + 1);
		exactly *= (n - 1 - h) * heads / (1 - heads) / (h + 1);
	}
	return miss;
}

/* The probability that the greatest of n - 1 noisy counts, each `gap` rows behind, passes that of the best. */
static long double
laplace_misses(const DpNoise *noise, int n, int gap)
{
	long double s = (long double) noise->scale_den / noise->scale_num;
	long double q = expl(-s);
	int			reach = (int) (60 / s) + 1;
	long double miss = 0;

	for (int z = -reach; z <= reach; z++)
	{
		int			m = z + gap + 1;	/* strictly beyond */
		long double tail = m >= 1 ? powl(q, m) / (1 + q) : 1 - powl(q, 1 - m) / (1 + q);

		miss += (1 - q) / (1 + q) * powl(q, abs(z)) * -expm1l((n - 1) * log1pl(-tail));
	}
	return miss;
}

static void
test_widths(void)
{
	static const int candidates[] = {2, 5, 40, 1000};
	static const double epsilons[] = {0.02, 0.3, 2};

	for (int c = 0; c < LENGTH(candidates); c++)
		for (int e = 0; e < LENGTH(epsilons); e++)
		{
			int			n = candidates[c];
			DpNoise		flip = way_of(DP_PERMUTE_AND_FLIP, epsilons[e], 1, 1);
			DpNoise		gumbel = way_of(DP_EXPONENTIAL, epsilons[e], 1, 1);
			DpNoise		laplace = way_of(DP_LAPLACE, epsilons[e], 1, 1);
			DpNoise		gaussian = way_of(DP_GAUSSIAN, epsilons[e], 1, 1);
			double		sigma = ldexp((double) gaussian.sigma, gaussian.grid);
			double		width = dp_accounting_ranking_width(&gaussian, n, 1, MISS);
			long double missed[3] = {
				draw_misses(&flip, n, dp_accounting_ranking_width(&flip, n, 1, MISS)),
				draw_misses(&gumbel, n, dp_accounting_ranking_width(&gumbel, n, 1, MISS)),
				laplace_misses(&laplace, n, (int) dp_accounting_ranking_width(&laplace, n, 1, MISS))
			};

			for (int i = 0; i < 3; i++)
				ok(missed[i] <= MISS * (1 + 1e-9) && missed[i] > 0.2 * MISS, "of %d candidates at %g, way %d trails by more with %.4Lf", n, epsilons[e], i, missed[i]);

			/*
			 * Of normal noises, each of the others passes the best with the tail of their
			 * difference.
			 */
			ok((n - 1) * erfc(width / sigma / 2) / 2 <= MISS * (1 + 1e-9), "and noisy counts, which are Gaussian");
			ok(n > 5 || width == dp_accounting_ranking_width(&gaussian, 2, n - 1, MISS), "for each rank as for each candidate");
			ok(n > 2 || erfc(width / sigma / 2) / 2 > MISS * 0.999, "whose width is no greater than it need be for two");
		}
}

int
main(void)
{
	test_known();
	test_never_dearer();
	test_widths();
	return done_testing();
}
