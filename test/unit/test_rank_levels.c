/*
 * test_rank_levels.c
 *	  Quantiles drawn one inside the other, by the law of doc/accounting.md, every place by itself: a level
 *	  has the range of one draw, whichever rows a unit has, and the first has it with "none" among its
 *	  alternatives; and intervals of such quantiles hold what they are without noise as often as they say.
 *
 * Coverage is tested at 6 standard deviations of the binomial beyond the level: a chance of 1e-9 each that a
 * true level fails.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "moments.h"
#include "tap.h"

#include "aggregate/rank_interval.h"

#define MOST_POINTS 48
#define PLACES 64				/* of a point */
#define MOST_PLACES (MOST_POINTS * PLACES + 1)
#define RUNS 1000
#define NONE (-1)

/* Rows at each point. */
typedef struct Table
{
	int			points;
	int			places;			/* of a point */
	double		rows[MOST_POINTS];
} Table;

/* Logarithms of the odds of places from `first` on, and of none behind them, if it is possible. */
typedef struct Law
{
	int			first;
	int			count;
	double		odds[MOST_PLACES];
} Law;

static double
rows_at(const Table *table, int place)
{
	return table->rows[place / table->places] / table->places;
}

/* The law of the fraction f between two places, or the ends; with these shares of a row's weight. */
static void
set_law(Law *law, const Table *table, double f, double scale, int lower, int upper, bool none)
{
	int			last = upper < 0 ? table->points * table->places - 1 : upper;
	int			counted = lower < 0 ? 0 : lower + 1;
	double		total = 0;
	double		below = 0;

	law->first = lower < 0 ? 0 : lower;
	law->count = last - law->first + 1;
	for (int place = counted; place <= last; place++)
		total += rows_at(table, place);
	for (int i = 0; i < law->count; i++)
	{
		int			place = law->first + i;
		double		here = place < counted ? 0 : rows_at(table, place);

		law->odds[i] = -fmax(0, fmax(below - f * total, f * total - below - here)) / scale;
		below += here;
	}
	if (none)
	{
		law->odds[law->count] = log(law->count * 100.0) - fmax(f, 1 - f) * total / scale;
		law->count++;
	}
}

/* By how much logarithms of probabilities move apart between two laws of the same places. */
static double
range_between(const Law *x, const Law *y)
{
	double		least = INFINITY;
	double		most = -INFINITY;

	for (int i = 0; i < x->count; i++)
	{
		least = fmin(least, y->odds[i] - x->odds[i]);
		most = fmax(most, y->odds[i] - x->odds[i]);
	}
	return most - least;
}

/* The greatest range of the first level and of any second one, for the fractions low, middle and high. */
static void
find_ranges(const Table *without, const Table *with, const double *fraction, double unit, double *first, double *second)
{
	double		below = fraction[0] / fraction[1];
	double		above = (fraction[2] - fraction[1]) / (1 - fraction[1]);
	Law			x;
	Law			y;

	/* Scales for epsilon 1. */
	set_law(&x, without, fraction[1], 2 * unit * fmax(fraction[1], 1 - fraction[1]), NONE, NONE, true);
	set_law(&y, with, fraction[1], 2 * unit * fmax(fraction[1], 1 - fraction[1]), NONE, NONE, true);
	*first = fmax(*first, range_between(&x, &y));
	for (int middle = 0; middle < x.count - 1; middle++)
	{
		double		range;

		set_law(&x, without, below, 2 * unit * fmax(below, 1 - below), NONE, middle, false);
		set_law(&y, with, below, 2 * unit * fmax(below, 1 - below), NONE, middle, false);
		range = range_between(&x, &y);
		set_law(&x, without, above, 2 * unit * fmax(above, 1 - above), middle, NONE, false);
		set_law(&y, with, above, 2 * unit * fmax(above, 1 - above), middle, NONE, false);
		*second = fmax(*second, range + range_between(&x, &y));
		set_law(&x, without, fraction[1], 2 * unit * fmax(fraction[1], 1 - fraction[1]), NONE, NONE, true);
	}
}

/* All tables of up to three rows at each of four points, beside a unit with rows at any two of them. */
static void
check_ranges(const double *fraction)
{
	double		first = 0;
	double		second = 0;

	for (int number = 0; number < 256; number++)
		for (int unit = 0; unit < 16; unit++)
		{
			Table		without = {.points = 4, .places = 8};
			Table		with;

			for (int i = 0; i < 4; i++)
				without.rows[i] = (number >> 2 * i) % 4;
			with = without;
			with.rows[unit % 4]++;
			with.rows[unit / 4]++;
			find_ranges(&without, &with, fraction, 2, &first, &second);
		}
	ok(first <= 1 + 1e-9 && first > 0.7, "fractions %g, %g, %g: the first level has a range of %.4f epsilon",
	   fraction[0], fraction[1], fraction[2], first);
	ok(second <= 1 + 1e-9 && second > 0.99, "the second level has a range of %.4f epsilon", second);
}

/* Draw from a law; NONE for what is behind the places of the first level. */
static int
draw_place(Law *law, bool none)
{
	double		all = 0;
	double		at;
	int			i = 0;

	for (int j = 0; j < law->count; j++)
		all += exp(law->odds[j]);
	at = random_unit() * all;
	while (i < law->count - 1 && (at -= exp(law->odds[i])) > 0)
		i++;
	return none && i == law->count - 1 ? NONE : law->first + i;
}

/* The quantiles that are asked, at epsilon 1, and what is known of their ranks. */
static const double asked[3] = {0.2, 0.5, 0.75};

static void
set_ranks(DpRank *rank, const Table *table)
{
	double		places = table->points * table->places;
	double		place = 1.0 / table->places;

	rank[1] = (DpRank) {.fraction = asked[1], .scale = 1, .points = places};
	rank[0] = (DpRank) {.fraction = asked[0], .scale = 1.2 + 0.4, .points = 2 * places, .drift = 0.4 * place};
	rank[2] = (DpRank) {.fraction = asked[2], .scale = 1 + 0.5, .points = 2 * places, .drift = 0.5 * place};
}

/* Draw all three; false if they are none. */
static bool
draw_answers(const Table *table, double *answer)
{
	static Law	law;
	int			middle;

	set_law(&law, table, 0.5, 1, NONE, NONE, true);
	middle = draw_place(&law, true);
	if (middle == NONE)
		return false;
	set_law(&law, table, 0.4, 1.2, NONE, middle, false);
	answer[0] = draw_place(&law, false) / table->places;
	set_law(&law, table, 0.5, 1, middle, NONE, false);
	answer[2] = draw_place(&law, false) / table->places;
	answer[1] = middle / table->places;
	return true;
}

/* The points that hold a rank. */
static void
find_truth(const Table *table, double rank, int *first, int *last)
{
	double		below = 0;

	*first = table->points;
	*last = -1;
	for (int i = 0; i < table->points; i++)
	{
		if (below <= rank && rank <= below + table->rows[i])
		{
			*first = *first < i ? *first : i;
			*last = i;
		}
		below += table->rows[i];
	}
}

/* Does the interval of one of three answers, at this level, hold the truth?  Adds its width. */
static bool
holds(const Table *table, const double *answer, int number, int n, double level, double *width)
{
	static const bool absent[3] = {false, false, false};
	DpRank		rank[3];
	double		low;
	double		high;
	int			first;
	int			last;

	set_ranks(rank, table);
	find_truth(table, asked[number] * n, &first, &last);
	dp_aggregate_rank_interval(rank, answer, absent, 3, number, n, (1 - level) / 2, 0, table->points - 1, &low, &high);
	*width += high - low - (last - first);
	return low <= first && last <= high;
}

static void
check_coverage(const char *name, const Table *table, int n)
{
	const double level = 0.9;
	double		answer[3];
	double		width[3] = {0, 0, 0};
	int			held[3] = {0, 0, 0};
	int			answered = 0;

	for (int run = 0; run < RUNS; run++)
	{
		if (!draw_answers(table, answer))
			continue;
		answered++;
		for (int number = 0; number < 3; number++)
			held[number] += holds(table, answer, number, n, level, &width[number]);
	}
	for (int number = 0; number < 3; number++)
		ok(held[number] >= level * answered - 6 * sqrt(level * (1 - level) * answered),
		   "%s, fraction %g of %d rows: %d of %d hold the truth, of %g", name, asked[number], n, held[number], answered, level);
	if (n >= 200)
		ok(width[1] < 40 * answered, "%.1f of %d points are in it beside the truth", width[1] / answered, table->points);
}

/* What an answer may be off by for certain, as a part of all rows, has to be allowed for. */
static void
check_drift(void)
{
	static const double answer[2] = {10, 20};
	static const bool absent[2] = {false, false};
	DpRank		rank[2] = {{.fraction = 0.45, .scale = 1, .points = 100}, {.fraction = 0.5, .scale = 1, .points = 100}};
	double		low;
	double		high;

	rank[0].drift = 0.04;
	dp_aggregate_rank_interval(rank, answer, absent, 2, 1, 10000, 0.01, 0, 99, &low, &high);
	ok(low == 10 && high == 99, "five parts of 100 are more than four");
	dp_aggregate_rank_interval(rank, answer, absent, 2, 1, 800, 0.01, 0, 99, &low, &high);
	ok(low == 0, "eight rows are too few for what the draw may be off by");
	rank[0].drift = 0.06;
	dp_aggregate_rank_interval(rank, answer, absent, 2, 1, 1e12, 0.01, 0, 99, &low, &high);
	ok(low == 0, "they are fewer than six, however many rows there are");
	rank[0].drift = -0.01;
	ok(!dp_aggregate_rank_is_sane(&rank[0]), "what is off is not below zero");
}

int
main(void)
{
	static const char *const shapes[] = {"one point", "both ends", "everywhere", "at random"};
	static const double fractions[][3] = {{0.25, 0.5, 0.75}, {0.1, 0.6, 0.7}, {0.2, 0.9, 0.99}};

	random_state = (uint64_t) time(NULL) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	for (int i = 0; i < 3; i++)
		check_ranges(fractions[i]);
	check_drift();
	for (int shape = 0; shape < 4; shape++)
		for (int n = 40; n <= 1000; n *= 5)
		{
			Table		table = {.points = MOST_POINTS, .places = PLACES};

			for (int i = 0; i < n; i++)
			{
				int			spread[] = {20, i % 2 ? MOST_POINTS - 3 : 2, i % MOST_POINTS, (int) (random64() % 30 + random64() % 18)};

				table.rows[spread[shape]]++;
			}
			check_coverage(shapes[shape], &table, n);
		}
	return done_testing();
}
