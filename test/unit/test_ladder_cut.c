/*
 * test_ladder_cut.c
 *	  How much a clamp is thought to cut: plain cases, and over tables with and without tails how often the
 *	  truth is within it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data_draws.h"
#include "tap.h"

#include "aggregate/ladder_cut.h"

#define STEPS 18
#define RUNS 4000
#define UNITS 10000

/* What may miss of a bound, a quarter of 5 %. */
#define MISS 0.0125

/* How far Laplace noise goes one way but for this probability. */
static double
one_way(double scale, double miss)
{
	return scale * log(0.5 / miss);
}

/* The rule for Laplace noise of this scale, as the node makes it. */
static DpLadderRule
rule_of(double scale, double noise)
{
	DpLadderRule rule = {.steps = STEPS};

	for (int i = 0; i < STEPS; i++)
	{
		rule.noise[i] = ldexp(noise, i);
		rule.first[i] = scale * log(0.5 / (0.05 * pow(0.45, i)));
		rule.above[i] = scale * log(0.5 / (0.008 * pow(0.3, i - 1)));
	}
	return rule;
}

/* Numbers are kept in 2^-10. */
#define GRID (-10)

static DpLadderReach
reach_of(const DpLadderSeen *seen, double scale, double miss)
{
	return (DpLadderReach) {
		.grid = GRID,
		.above = one_way(scale, seen->held > seen->step ? miss / 2 : 0.75 * miss),
		.below = one_way(scale, miss / 8),
		.deviations = fmax(one_way(1, miss / 2) / sqrt(2), 2.5),
		.stddev = sqrt(2) * scale
	};
}

/* The most that is cut at a step, of these numbers of units. */
static double
most_cut(const double *units, int step, double scale)
{
	DpLadderRule rule = rule_of(scale, 1);
	DpLadderSeen seen;
	DpLadderReach reach;

	dp_aggregate_ladder_see(&seen, &rule, units, step, one_way(scale, MISS), GRID);
	reach = reach_of(&seen, scale, MISS);
	return dp_aggregate_ladder_most_cut(&seen, STEPS, &reach);
}

static bool
near(double a, double b)
{
	return fabs(a - b) < 0.01 * b;
}

static void
plain_cases(void)
{
	double		units[STEPS] = {0};

	ok(isinf(most_cut(units, 0, 5)), "of nobody who would stand out of noise nothing is known");
	ok(most_cut(units, STEPS - 1, 5) == 0, "but that the greatest clamp cuts nothing");
	ok(most_cut(units, 0, 0.01) == 0, "nor any, without noise");
	units[3] = 1000;
	ok(most_cut(units, 3, 0.01) == 0, "and where none is beyond");
	units[5] = 10;
	ok(near(most_cut(units, 3, 0.001), 10 * (32 - 8)), "those that are seen are cut by as much as they may have beyond it");
	ok(most_cut(units, 5, 0.001) == 0, "and not by their own clamp");
	units[5] = 0;
	ok(near(most_cut(units, 3, 5), one_way(5, 0.75 * MISS) * 4), "noise hides some on the next step, and none beyond");
	units[4] = 15;
	ok(most_cut(units, 3, 5) > 1.6 * one_way(5, 0.75 * MISS) * 4, "more where there are more");
	for (int i = 0; i < STEPS; i++)
		units[i] = ldexp(1e9, -i);
	ok(most_cut(units, 9, 5) >= 1e9 * (0.75 * (STEPS - 10) - 1), "a tail as long as may be is cut on all steps");
}

/* Seen, put into numbers, and read again. */
static void
as_totals(void)
{
	DpLadderSeen seen = {.step = 3, .held = 7, .units = {5, -3, INT64_C(1) << 62, -(INT64_C(1) << 62)}, .above = -9, .cut = 0x1p100, .beyond = -1};
	DpLadderSeen again;
	__int128	totals[DP_LADDER_SEEN_TOTALS];
	bool		sane = true;

	memset(&again, 0, sizeof(again));
	dp_aggregate_ladder_put_seen(&seen, totals);
	ok(dp_aggregate_ladder_get_seen(&again, STEPS, totals) && again.step == 3 && again.held == 7 &&
	   memcmp(again.units, seen.units, sizeof(seen.units)) == 0 && again.above == -9 && again.cut == 0x1p100 && again.beyond == -1, "what is seen is read again");
	ok(!dp_aggregate_ladder_get_seen(&again, 7, totals), "not of a shorter ladder");
	for (int i = 0; i < DP_LADDER_SEEN_TOTALS; i++)
	{
		__int128	was = totals[i];

		if (i == 2 || i == 3 || i == 5)
			continue;
		totals[i] = (__int128) 1 << 100;
		sane = sane && !dp_aggregate_ladder_get_seen(&again, STEPS, totals);
		totals[i] = -((__int128) 1 << 100);
		sane = sane && !dp_aggregate_ladder_get_seen(&again, STEPS, totals);
		totals[i] = was;
	}
	ok(sane, "nor what is out of range");
}

/* Rows of the n-th of UNITS units. */
static double
rows_of(int table, int n)
{
	double		u = (n + 0.5) / UNITS;

	switch (table)
	{
		case 0:
			return 1;
		case 1:
			return 1 + n % 20;
		case 2:
			return ceil(2 * pow(1 - u, -1 / 1.5));
		case 3:
			return ceil(fmin(4 * pow(1 - u, -1 / 1.5), 549));
		case 4:
			return ceil(exp(1.5 + 1.1 * sqrt(-2 * log(u)) * cos(2 * M_PI * 0.618034 * n)));
		case 5:
			return n < 40 ? 1 + n % 8 : 0;
		default:
			return ceil(1 - 3 * log(u));
	}
}

static const char *const names[] = {"one row", "1 to 20 rows", "heavy tail", "heavy tail that ends", "lognormal", "few units", "exponential"};

/* How often is more cut than is thought, and how often nothing known, in 1,000? */
static void
measure(int table, double epsilon)
{
	double		scale = 1 / (0.2 * epsilon);
	double		units[STEPS] = {0};
	double		sum[STEPS] = {0};
	int			misses = 0;
	int			unknown = 0;

	for (int n = 0; n < UNITS; n++)
	{
		double		rows = rows_of(table, n);
		int			step = 0;

		while (step < STEPS - 1 && ldexp(1, step) < rows)
			step++;
		units[step] += rows > 0;
		for (int i = 0; i < STEPS; i++)
			sum[i] += fmin(rows, ldexp(1, i));
	}
	for (int n = 0; n < RUNS; n++)
	{
		DpLadderRule rule = rule_of(scale, 1 / (0.8 * epsilon));
		double		noisy[STEPS];
		double		cut;
		int			step;

		for (int i = 0; i < STEPS; i++)
			noisy[i] = units[i] + laplace(scale);
		step = dp_aggregate_ladder_choose(&rule, noisy);
		cut = most_cut(noisy, step, scale);
		misses += sum[STEPS - 1] - sum[step] > cut;
		unknown += isinf(cut);
	}
	ok(misses < 0.05 * RUNS && (table == 5 || unknown < 0.1 * RUNS), "%s at epsilon %g: %d in 4000 cut more than is thought, of %d nothing is known",
	   names[table], epsilon, misses, unknown);
}

int
main(void)
{
	data_state = 7;
	plain_cases();
	as_totals();
	for (int table = 0; table < 7; table++)
	{
		measure(table, 0.1);
		measure(table, 0.5);
		measure(table, 1);
	}
	return done_testing();
}
