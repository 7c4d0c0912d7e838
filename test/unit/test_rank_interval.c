/*
 * test_rank_interval.c
 *	  Intervals of quantiles hold what they are without noise as often as they say, of groups
 *	  that are answered, with a noisy number of rows; and tell more than the bounds where there are rows enough.
 *
 * Answers are drawn by the law of doc/accounting.md.  Coverage is tested at 6 standard deviations of the
 * binomial beyond the level: a chance of 1e-9 each that a true level fails.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "moments.h"
#include "tap.h"

#include "aggregate/rank_interval.h"

#define POINTS 64
#define RUNS 3000
#define MOST_DRAWS 60000

/* The quantiles that are asked, and rows at each point. */
#define ASKED 7
static const double fractions[ASKED] = {0, 0.25, 0.45, 0.5, 0.55, 0.75, 1};
static int	weight[POINTS];

static int
count_rows(void)
{
	int			n = 0;

	for (int i = 0; i < POINTS; i++)
		n += weight[i];
	return n;
}

static DpRank
make_rank(double fraction, double epsilon)
{
	DpRank		rank = {
		.fraction = fraction, .scale = 2 * fmax(fraction, 1 - fraction) / epsilon, .points = POINTS
	};

	if (fraction == 0 || fraction == 1)
		rank.slack = rank.scale * log(POINTS / DP_RANK_BEYOND);
	return rank;
}

/* The rank that is aimed at. */
static double
target(const DpRank *rank, double n)
{
	double		inside = fmin(rank->slack, n / 2);

	return rank->fraction == 0 ? inside : rank->fraction == 1 ? n - inside : rank->fraction * n;
}

/* Draw a point, or POINTS for none. */
static int
draw_point(const DpRank *rank)
{
	bool		extreme = rank->fraction == 0 || rank->fraction == 1;
	double		n = count_rows();
	double		aim = target(rank, n);
	double		odds[POINTS + 1];
	double		below = 0;
	double		all = 0;
	double		at;
	int			point = 0;

	for (int i = 0; i < POINTS; i++)
	{
		odds[i] = exp(-fmax(0, fmax(below - aim, aim - below - weight[i])) / rank->scale);
		below += weight[i];
	}
	odds[POINTS] = exp(-n * fmax(rank->fraction, 1 - rank->fraction) / rank->scale) *
		(extreme ? pow(POINTS / (2 * DP_RANK_BEYOND), 2) : POINTS / 0.01);
	for (int i = 0; i <= POINTS; i++)
		all += odds[i];
	at = random_unit() * all;
	while (point < POINTS && (at -= odds[point]) > 0)
		point++;
	return point;
}

/* The points that hold the rank which is asked for; of the extremes, the least or greatest row. */
static void
find_truth(double fraction, int *first, int *last)
{
	double		rank = fraction * count_rows();
	double		below = 0;

	*first = POINTS;
	*last = -1;
	for (int i = 0; i < POINTS; i++)
	{
		bool		row = weight[i] > 0;

		if (below <= rank && rank <= below + weight[i] && (row || (fraction > 0 && fraction < 1)))
		{
			*first = *first < i ? *first : i;
			*last = i;
		}
		below += weight[i];
	}
	if (fraction == 0)
		*last = *first;
	if (fraction == 1)
		*first = *last;
}

/* One answer of all quantiles; false if the one whose interval is asked is none. */
static bool
answer_all(const DpRank *rank, int asked, double *answer, bool *absent)
{
	for (int i = 0; i < ASKED; i++)
	{
		int			point = draw_point(&rank[i]);

		absent[i] = point == POINTS;
		answer[i] = point;
	}
	return !absent[asked];
}

/* How often intervals of one of the quantiles hold the truth, with a noisy count or without. */
static void
check_coverage(const char *name, int asked, double epsilon, double level, bool counted)
{
	double		miss = (1 - level) / 3;
	double		reach = -log(2 * miss) / epsilon;
	DpRank		rank[ASKED];
	double		answer[ASKED];
	bool		absent[ASKED];
	int			first;
	int			last;
	int			held = 0;
	int			answered = 0;
	double		width = 0;
	double		rows = count_rows();
	bool		sound = true;

	for (int i = 0; i < ASKED; i++)
		rank[i] = make_rank(fractions[i], epsilon);
	find_truth(fractions[asked], &first, &last);
	for (int i = 0; i < MOST_DRAWS && answered < RUNS; i++)
	{
		double		least = counted ? fmax(0, rows + draw(1 / epsilon, false) - reach) : 0;
		double		low;
		double		high;

		if (!answer_all(rank, asked, answer, absent))
			continue;
		dp_aggregate_rank_interval(rank, answer, absent, ASKED, asked, least, miss, 0, POINTS - 1, &low, &high);
		answered++;
		held += low <= first && last <= high;
		width += high - low;
		sound = sound && low <= answer[asked] && answer[asked] <= high;
	}
	ok(sound && held >= level * answered - 6 * sqrt(level * (1 - level) * answered),
	   "%s, fraction %g of %g rows, epsilon %g%s: %d of %d hold the truth, of %g", name, fractions[asked], rows, epsilon,
	   counted ? "" : ", no count", held, answered, level);
	if (rows * epsilon >= 800 && (counted || asked == 0 || asked == ASKED - 1))
		ok(width < (last - first + 45) * answered, "it is %.1f of %d points wide", width / answered, POINTS);
}

/* The extremes, whatever rows there are, are beyond them in one answer of 1,000 at most. */
static void
check_beyond(int rows, double epsilon)
{
	DpRank		rank = make_rank(1, epsilon);
	int			beyond = 0;

	for (int i = 0; i < POINTS; i++)
		weight[i] = i == 5 ? rows : 0;
	for (int i = 0; i < MOST_DRAWS; i++)
	{
		int			point = draw_point(&rank);

		beyond += point > 5 && point < POINTS;
	}
	ok(beyond <= DP_RANK_BEYOND * MOST_DRAWS + 6 * sqrt(DP_RANK_BEYOND * MOST_DRAWS),
	   "the greatest of %d rows, epsilon %g: %.4f %% beyond them", rows, epsilon, 100.0 * beyond / MOST_DRAWS);
}

/* Rows by a shape: all at one point, at both ends, everywhere, at random. */
static void
lay_out(int shape, int rows)
{
	for (int i = 0; i < POINTS; i++)
		weight[i] = 0;
	for (int i = 0; i < rows; i++)
	{
		int			spread[] = {20, i % 2 ? POINTS - 3 : 2, i % POINTS, (int) (random64() % 40 + random64() % 20)};

		weight[spread[shape]]++;
	}
}

int
main(void)
{
	static const char *const shapes[] = {"one point", "both ends", "everywhere", "at random"};
	static const int loads[] = {8, 24, 40, 80, 200, 1000};

	random_state = (uint64_t) time(NULL) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	for (int shape = 0; shape < 4; shape++)
		for (size_t load = 0; load < sizeof(loads) / sizeof(loads[0]); load++)
			for (int asked = 0; asked < ASKED; asked += shape == 3 ? 1 : 3)
			{
				lay_out(shape, loads[load]);
				check_coverage(shapes[shape], asked, 1, load % 2 ? 0.95 : 0.8, true);
			}
	for (int rows = 8; rows <= 72; rows += 16)
		check_beyond(rows, 1);
	for (int rows = 60; rows <= 1000; rows *= 2)
	{
		lay_out(3, rows);
		check_coverage("at random", 0, 1, 0.95, false);
		check_coverage("at random", ASKED - 1, 1, 0.95, false);
	}
	return done_testing();
}
