/*
 * test_moments.c
 *	  What moments promise: a unit never moves their totals by more than is charged,
 *	  statistics are those of the rows where there is no noise, and intervals hold
 *	  them where there is.
 *
 * Data and noise are random.  Coverage is tested at 6 standard deviations of the
 * binomial beyond the level: a chance of 1e-9 each that a true level fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "moments.h"
#include "tap.h"

#define RUNS 2000

/* Features of a unit, limited to `counted` of its rows, of the greatest widths there may be. */
static bool
check_unit(DpMomentsShape shape, int rows, int counted)
{
	int64_t		most = INT64_C(1) << dp_aggregate_moments_bits(shape);
	int64_t		width_y = shape == DP_MOMENTS_VARIANCE ? 0 : most - (int64_t) (random64() % 3);
	DpMoment	whole = dp_aggregate_moments_whole(shape, most, width_y);
	DpMoment	sums[DP_MOMENTS_MOST] = {0};
	DpMoment	features[DP_MOMENTS_MOST] = {0};
	DpMoment	total = 0;
	bool		fine = true;

	for (int i = 0; i < rows; i++)
	{
		int64_t		x = random64() % 3 ? (int64_t) (random64() % (most + 1)) : random64() % 2 ? most : 0;
		int64_t		y = random64() % 3 ? (int64_t) (random64() % (width_y + 1)) : random64() % 2 ? width_y : 0;
		int64_t		back_x;
		int64_t		back_y;

		dp_aggregate_moments_unpack(dp_aggregate_moments_pack(x, y), most, width_y, &back_x, &back_y);
		fine = fine && back_x == x && back_y == y;
		dp_aggregate_moments_add(shape, sums, x, y);
	}
	dp_aggregate_moments_to_features(shape, most, width_y, sums, features);
	dp_aggregate_moments_scale_down(shape, whole, counted, rows, features);
	for (int i = 0; i < dp_aggregate_moments_parts(shape); i++)
	{
		fine = fine && features[i] <= whole * counted;	/* not negative either: that wraps */
		total += features[i];
	}
	return fine && total == whole * (rows < counted ? rows : counted);
}

static void
check_units(void)
{
	for (int shape = 0; shape < DP_MOMENTS_SHAPES; shape++)
	{
		bool		fine = true;

		for (int i = 0; i < 3000; i++)
		{
			int			rows = 1 + (int) (random64() % 40);

			fine = fine && check_unit((DpMomentsShape) shape, rows, 1 + (int) (random64() % 40));
		}
		ok(fine, "shape %d: a unit's features are not negative and add up to its rows that count", shape);
	}
}

/*
 * P[|sum of weights * Laplace noises| > t], for weights of which no two are alike:
 * a partial fraction expansion.
 */
static double
laplace_tail(const double *weight, int n, double t)
{
	long double tail = 0;

	for (int i = 0; i < n; i++)
	{
		long double share = 1;

		for (int j = 0; j < n; j++)
			if (j != i)
				share *= (long double) weight[i] * weight[i] /
					((long double) weight[i] * weight[i] - (long double) weight[j] * weight[j]);
		tail += share * expl(-t / weight[i]);
	}
	return (double) tail;
}

/* Weights of two to five noises, apart enough for the expansion. */
static int
random_weights(double *weight, double *stddev)
{
	int			n = 2 + (int) (random64() % 4);
	double		square = 0;

	weight[0] = 1;
	for (int i = 1; i < n; i++)
		weight[i] = weight[i - 1] * (1.02 + (random64() % 2 ? random_unit() * 0.1 : random_unit() * 2));
	for (int i = 0; i < n; i++)
		square += 2 * weight[i] * weight[i];
	*stddev = sqrt(square);
	return n;
}

static void
check_reach(void)
{
	static const double levels[] = {0.5, 0.75, 0.9, 0.905, 0.91, 0.915, 0.92, 0.95, 0.99, 0.999, 1 - 1e-6};
	double		worst = 0;
	double		widest = 1;

	for (int i = 0; i < 200000; i++)
	{
		double		level = levels[random64() % (sizeof(levels) / sizeof(levels[0]))];
		double		weight[5];
		double		stddev;
		int			n = random_weights(weight, &stddev);
		double		tail = laplace_tail(weight, n, dp_aggregate_estimate_reach(level, false) * stddev);

		worst = fmax(worst, tail / (1 - level));
		widest = fmin(widest, tail / (1 - level));
	}
	ok(worst <= 1 + 1e-6, "sums of Laplace noises stay within their reach: at worst %.6f of what may miss", worst);
	ok(widest < 1, "reach is generous at times: %.3f", widest);
	ok(fabs(dp_aggregate_estimate_reach(0.95, true) - 1.959963985) < 1e-8, "reach of normal noise");
	ok(fabs(dp_aggregate_estimate_reach(0.99, false) - log(100) / sqrt(2)) < 1e-12, "reach of one Laplace noise");
}

static void
check_exact(DpStatistic statistic)
{
	double		worst = 0;

	for (int i = 0; i < 200; i++)
	{
		DpEstimate	estimate = make_estimate(statistic, 0, false);
		double		totals[DP_MOMENTS_MOST];
		double		truth;
		double		low;
		double		high;
		Data		data;

		make_data(&data, 20 + (int) (random64() % 100));
		exact_totals(&data, &estimate, totals);
		truth = textbook(&data, statistic);
		worst = fmax(worst, fabs(dp_aggregate_estimate_value(&estimate, totals) - truth) / (1 + fabs(truth)));
		dp_aggregate_estimate_interval(&estimate, totals, 0.95, &low, &high);
		worst = fmax(worst, (high - low) / (1 + fabs(truth)));
	}
	ok(worst < 1e-6, "%s: that of the rows without noise (%.1e)", names[statistic], worst);
}

/* How often an interval holds the truth; every one holds the value. */
static void
check_coverage(DpStatistic statistic, int rows, double noise, bool gaussian, double level)
{
	double		slack = 6 * sqrt(level * (1 - level) / RUNS);
	DpEstimate	estimate = make_estimate(statistic, noise, gaussian);
	double		exact[DP_MOMENTS_MOST];
	double		totals[DP_MOMENTS_MOST];
	double		truth;
	int			held = 0;
	bool		sound = true;
	Data		data;

	make_data(&data, rows);
	exact_totals(&data, &estimate, exact);
	truth = textbook(&data, statistic);
	for (int i = 0; i < RUNS; i++)
	{
		double		low;
		double		high;
		double		value;

		for (int j = 0; j < DP_MOMENTS_MOST; j++)
			totals[j] = exact[j] + draw(noise * UNIT, gaussian);
		value = dp_aggregate_estimate_value(&estimate, totals);
		dp_aggregate_estimate_interval(&estimate, totals, level, &low, &high);
		held += low <= truth && truth <= high;
		sound = sound && isfinite(value) && low <= value && value <= high;
	}
	ok(sound && held >= (level - slack) * RUNS, "%s of %d rows, %s noise %g: %.3f hold the truth, of %g",
	   names[statistic], rows, gaussian ? "normal" : "Laplace", noise, (double) held / RUNS, level);
}

/* A mean made of the sum about the middle, and the count. */
static void
check_centred(int rows, double noise, double level)
{
	DpEstimate	estimate = make_estimate(DP_STATISTIC_MEAN, noise, true);
	double		slack = 6 * sqrt(level * (1 - level) / RUNS);
	double		sum = 0;
	double		truth;
	int			held = 0;
	Data		data;

	/* The sum in thousandths, the count in hundredths. */
	estimate.centred = 1;
	estimate.noise = noise * 10 * 1000;
	estimate.noise_count = noise * 100;
	estimate.ratio = 0.1;
	make_data(&data, rows);
	truth = textbook(&data, DP_STATISTIC_MEAN);
	for (int i = 0; i < rows; i++)
		sum += 10 * data.x[i];
	for (int i = 0; i < RUNS; i++)
	{
		double		totals[2] = {
			1000 * sum + draw(estimate.noise, true), 100 * rows + draw(estimate.noise_count, true)
		};
		double		low;
		double		high;

		dp_aggregate_estimate_interval(&estimate, totals, level, &low, &high);
		held += low <= truth && truth <= high;
	}
	ok(held >= (level - slack) * RUNS, "centred mean of %d rows: %.3f hold the truth, of %g", rows,
	   (double) held / RUNS, level);
}

static void
check_statistic(DpStatistic statistic)
{
	static const struct
	{
		int			rows;
		double		noise;
	}			loads[] = {{2000, 1}, {2000, 10}, {300, 2}, {40, 3}, {5, 2}};

	check_exact(statistic);
	for (size_t j = 0; j < sizeof(loads) / sizeof(loads[0]); j++)
		check_coverage(statistic, loads[j].rows, loads[j].noise, j % 2 == 1,
					   j % 3 == 0 ? 0.95 : j % 3 == 1 ? 0.8 : 0.99);
}

int
main(void)
{
	random_state = (uint64_t) time(NULL) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	check_units();
	check_reach();
	for (int i = 0; i < DP_STATISTICS; i++)
		check_statistic((DpStatistic) i);
	means_with_variance = true;
	check_statistic(DP_STATISTIC_MEAN);
	means_with_variance = false;
	check_centred(1000, 5, 0.95);
	check_centred(30, 5, 0.8);
	return done_testing();
}
