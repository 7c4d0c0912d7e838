/*
 * test_ladder_choice.c
 *	  Which clamp is taken, given numbers of units on the steps: where it is plain which is right, and,
 *	  over tables with and without tails, how much farther off answers are than with the best clamp.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data_draws.h"
#include "tap.h"

#include "aggregate/ladder_choice.h"

#define STEPS 18
#define RUNS 4000
#define UNITS 10000

/* Noise over the clamp is the same at each. */
static void
set_noise(DpLadderRule *rule, double noise)
{
	for (int i = 0; i < STEPS; i++)
		rule->noise[i] = ldexp(noise, i);
}

/* The rule for Laplace noise of this scale, as the node makes it. */
static DpLadderRule
rule_of(double scale, double noise)
{
	DpLadderRule rule = {.steps = STEPS};

	set_noise(&rule, noise);
	for (int i = 0; i < STEPS; i++)
	{
		rule.first[i] = scale * log(0.5 / (0.05 * pow(0.45, i)));
		rule.above[i] = scale * log(0.5 / (0.008 * pow(0.3, i - 1)));
	}
	return rule;
}

static void
plain_cases(void)
{
	DpLadderRule rule = rule_of(5, 1.25);
	DpLadderRule sure = {.steps = STEPS};
	double		units[STEPS] = {0};

	ok(dp_aggregate_ladder_choose(&rule, units) == 0, "of nobody the least clamp");
	ok(dp_aggregate_ladder_choose(&sure, units) == 0, "and without noise too");
	units[17] = 1;
	ok(dp_aggregate_ladder_choose(&sure, units) == 17, "one unit at the greatest, without noise");
	ok(dp_aggregate_ladder_choose(&rule, units) == 0, "which noise hides");
	units[17] = 0;
	units[5] = 200;
	ok(dp_aggregate_ladder_choose(&rule, units) == 5, "a step that all units are on");
	units[0] = 5000;
	units[9] = -40;
	ok(dp_aggregate_ladder_choose(&rule, units) == 5, "and others below, and noise above");
	set_noise(&rule, 1e6);
	ok(dp_aggregate_ladder_choose(&rule, units) == 0, "where noise is more than what is cut, a lower clamp");
	set_noise(&rule, 1.25);
	memset(units, 0, sizeof(units));
	for (int i = 0; i < STEPS; i++)
		units[i] = 2 * ldexp(1000, -i);
	ok(dp_aggregate_ladder_choose(&rule, units) > 7, "a tail is followed beyond what noise hides");
	units[6] = units[7] = units[8] = 0;
	ok(dp_aggregate_ladder_choose(&rule, units) == 5, "but not where it ends");
}

typedef struct Table
{
	double		units[STEPS];	/* on each step */
	double		sum[STEPS];		/* of rows, at each clamp */
} Table;

static void
add(Table *table, double rows)
{
	int			step = 0;

	while (step < STEPS - 1 && ldexp(1, step) < rows)
		step++;
	table->units[step]++;
	for (int i = 0; i < STEPS; i++)
		table->sum[i] += fmin(rows, ldexp(1, i));
}

/* Mean of |bias + noise|, the noise of this scale. */
static double
off(const Table *table, int step, double scale)
{
	double		bias = table->sum[STEPS - 1] - table->sum[step];
	double		at = ldexp(scale, step);

	return bias + at * exp(-bias / at);
}

/* How many times as far off answers are as with the best clamp, in the mean. */
static double
ratio(const Table *table, double epsilon)
{
	DpLadderRule rule = rule_of(1 / (0.2 * epsilon), 1 / (0.8 * epsilon));
	double		best = INFINITY;
	double		mean = 0;

	for (int i = 0; i < STEPS; i++)
		best = fmin(best, off(table, i, 1 / epsilon));
	for (int n = 0; n < RUNS; n++)
	{
		double		noisy[STEPS];

		for (int i = 0; i < STEPS; i++)
			noisy[i] = table->units[i] + laplace(1 / (0.2 * epsilon));
		mean += off(table, dp_aggregate_ladder_choose(&rule, noisy), 1 / (0.8 * epsilon)) / RUNS;
	}
	return mean / best;
}

/* Rows of the n-th of UNITS units. */
static double
rows_of(int table, int n)
{
	double		u = (n + 0.5) / UNITS;

	switch (table)
	{
		case 0:
			return 1 + n % 20;
		case 1:
			return ceil(2 * pow(u, -1 / 1.5));
		case 2:
			return ceil(2 * pow(u, -1 / 2.5));
		default:
			return ceil(exp(1.5 + 1.1 * sqrt(-2 * log(u)) * cos(2 * M_PI * 0.618034 * n)));
	}
}

/* The limits are what these runs come to, and a tenth more. */
static void
tables(void)
{
	static const char *const name[] = {"1 to 20 rows", "a tail of 1.5", "a tail of 2.5", "lognormal"};
	static const double limit[][2] = {{1.45, 1.45}, {1.8, 1.8}, {1.8, 1.6}, {2.1, 1.6}};

	for (int table = 0; table < 4; table++)
	{
		Table		all = {{0}, {0}};
		double		few;
		double		many;

		for (int n = 0; n < UNITS; n++)
			add(&all, rows_of(table, n));
		few = ratio(&all, 0.1);
		many = ratio(&all, 1);
		ok(few < limit[table][0] && many < limit[table][1], "%s: %.2f times the best at epsilon 0.1, %.2f at 1", name[table], few, many);
	}
}

int
main(void)
{
	data_state = 7;
	plain_cases();
	tables();
	return done_testing();
}
