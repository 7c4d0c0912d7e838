/* SPDX-License-Identifier: PostgreSQL */
/*
 * estimate_interval.c
 *	  Intervals of statistics of noisy moments.
 *
 * As Fieller has it (1954, "Some problems in interval estimation"): each statistic t is
 * the root of an equation P - t Q = 0 between two combinations of the exact features.
 * So the noisy P - t Q is nothing but noise, of standard deviation sigma |p - t q|, and
 * t is kept if that is within its reach: a quadratic inequality.  Where P and Q depend
 * on other unknowns (means, a ratio of variances), these get intervals of their own for
 * a small part of 1 - level.  Then t is kept if it is for some of their values.  By the
 * union bound the level holds, for few rows too.
 */
#include <math.h>

#include "aggregate/estimate.h"

/* Steps through the values of a nuisance parameter. */
#define STEPS 16
#define FEW_STEPS 4

/* How many reaches are kept. */
#define REACHES 8

/* How far a normal variable of deviation 1 goes, either way, with the probability of a level. */
typedef struct Reach
{
	double		level;
	double		reach;
} Reach;

typedef struct Interval
{
	double		low;
	double		high;
} Interval;

/* How far a normal variable of deviation 1 goes but for a probability of 1 - level, from above. */
static double
seek_normal_reach(double level)
{
	double		low = 0;
	double		high = 40;

	for (int i = 0; i < 100; i++)
	{
		double		normal = (low + high) / 2;

		if (erfc(normal / sqrt(2)) > 1 - level)
			low = normal;
		else
			high = normal;
	}
	return high;
}

/* The same; all rows of an answer ask for the same few levels, so those found last are kept. */
static double
normal_reach(double level)
{
	static Reach found[REACHES];	/* reach is 0: none yet */
	static int	oldest = 0;

	for (int i = 0; i < REACHES; i++)
		if (found[i].level == level && found[i].reach > 0)
			return found[i].reach;
	oldest = (oldest + 1) % REACHES;
	found[oldest] = (Reach) {.level = level, .reach = seek_normal_reach(level)};
	return found[oldest].reach;
}

double
dp_aggregate_estimate_reach(double level, bool gaussian)
{
	double		normal = normal_reach(level);

	if (gaussian)
		return normal;
	return fmax(normal, -log1p(-level) / sqrt(2));
}

static double
inner(const DpCombination *p, const DpCombination *q)
{
	double		sum = 0;

	for (int i = 0; i < DP_MOMENTS_MOST; i++)
		sum += p->of[i] * q->of[i];
	return sum;
}

/* How far noise may move a combination of norm 1, but for probability `miss`: any way for 0. */
static double
reach(const DpFeatures *features, double miss)
{
	if (!(miss > 0))
		return INFINITY;
	return features->stddev * dp_aggregate_estimate_reach(1 - miss, features->gaussian) + features->slack;
}

/*
 * All t with |P - t Q| <= reach * |p - t q|, or all numbers where that is not an
 * interval.
 */
static Interval
fieller(const DpFeatures *features, const DpCombination *p, const DpCombination *q, double reach)
{
	double		h = reach * reach;
	double		P = dp_aggregate_features_total(features, p);
	double		Q = dp_aggregate_features_total(features, q);
	double		a = Q * Q - h * inner(q, q);
	double		b = P * Q - h * inner(p, q);
	double		c = P * P - h * inner(p, p);
	double		root = sqrt(fmax(b * b - a * c, 0));
	Interval	all = {-INFINITY, INFINITY};
	Interval	result;

	if (!(a > 0))
		return all;
	result.low = (b - root) / a;
	result.high = (b + root) / a;
	return isfinite(result.low) && isfinite(result.high) ? result : all;
}

/* Grow to hold the other. */
static void
unite(Interval *into, Interval other)
{
	into->low = fmin(into->low, other.low);
	into->high = fmax(into->high, other.high);
}

static Interval
intersect(Interval interval, double low, double high)
{
	interval.low = dp_aggregate_limit(interval.low, low, high);
	interval.high = dp_aggregate_limit(interval.high, low, high);
	return interval;
}

/* The i-th of `steps` + 1 values through an interval. */
static double
step(Interval interval, int i, int steps)
{
	return interval.low + (interval.high - interval.low) * i / steps;
}

static const Interval nothing = {INFINITY, -INFINITY};

/* The mean of c, or of d, within -1 and 1. */
static Interval
mean_interval(const DpFeatures *features, bool of_d, double miss)
{
	DpCombination p = dp_aggregate_features_product(features, of_d ? dp_aggregate_one : dp_aggregate_linear,
													of_d ? dp_aggregate_linear : dp_aggregate_one);
	DpCombination q = dp_aggregate_features_product(features, dp_aggregate_one, dp_aggregate_one);

	return intersect(fieller(features, &p, &q, reach(features, miss)), -1, 1);
}

/*
 * The variance of c, or of d, given an interval for its mean m: the root of
 * sum of (c - m)^2 - t = 0.
 */
static Interval
variance_interval(const DpFeatures *features, bool of_d, Interval mean, double miss)
{
	DpCombination q = dp_aggregate_features_product(features, dp_aggregate_one, dp_aggregate_one);
	double		far = reach(features, miss);
	Interval	result = nothing;

	for (int i = 0; i <= STEPS; i++)
	{
		double		m = step(mean, i, STEPS);
		double		f[] = {m * m, -2 * m, 1};
		DpCombination p = dp_aggregate_features_product(features, of_d ? dp_aggregate_one : f,
														of_d ? f : dp_aggregate_one);

		unite(&result, fieller(features, &p, &q, far));
	}
	return intersect(result, 0, 1);
}

/* Covariance: the root of sum of (c - m)(d - k) - t = 0. */
static Interval
covariance_interval(const DpFeatures *features, double miss)
{
	Interval	means = mean_interval(features, false, 0.05 * miss);
	Interval	means_d = mean_interval(features, true, 0.05 * miss);
	DpCombination q = dp_aggregate_features_product(features, dp_aggregate_one, dp_aggregate_one);
	double		far = reach(features, 0.9 * miss);
	Interval	result = nothing;

	for (int i = 0; i <= FEW_STEPS; i++)
	{
		for (int j = 0; j <= FEW_STEPS; j++)
		{
			double		f[] = {-step(means, i, FEW_STEPS), 1, 0};
			double		g[] = {-step(means_d, j, FEW_STEPS), 1, 0};
			DpCombination p = dp_aggregate_features_product(features, f, g);

			unite(&result, fieller(features, &p, &q, far));
		}
	}
	return intersect(result, -1, 1);
}

/* Slope of d on c: the root of sum of (c - m)((d - k) - t (c - m)) = 0. */
static Interval
slope_interval(const DpFeatures *features, double miss)
{
	Interval	means = mean_interval(features, false, 0.05 * miss);
	Interval	means_d = mean_interval(features, true, 0.05 * miss);
	double		far = reach(features, 0.9 * miss);
	Interval	result = nothing;

	for (int i = 0; i <= FEW_STEPS; i++)
	{
		for (int j = 0; j <= FEW_STEPS; j++)
		{
			double		m = step(means, i, FEW_STEPS);
			double		f[] = {-m, 1, 0};
			double		ff[] = {m * m, -2 * m, 1};
			double		g[] = {-step(means_d, j, FEW_STEPS), 1, 0};
			DpCombination p = dp_aggregate_features_product(features, f, g);
			DpCombination q = dp_aggregate_features_product(features, ff, dp_aggregate_one);

			unite(&result, fieller(features, &p, &q, far));
		}
	}
	return result;
}

/*
 * The line's height at c = c0, given an interval for its slope b: the root of
 * sum of d - b (c - c0) - t = 0, which is linear in b.
 */
static Interval
height_interval(const DpFeatures *features, Interval slopes, double c0, double miss)
{
	DpCombination q = dp_aggregate_features_product(features, dp_aggregate_one, dp_aggregate_one);
	double		far = reach(features, miss);
	Interval	result = nothing;

	if (!isfinite(slopes.low) || !isfinite(slopes.high))
		return slopes;
	for (int i = 0; i <= FEW_STEPS; i++)
	{
		double		b = step(slopes, i, FEW_STEPS);
		double		f[] = {b * c0, -b, 0};
		DpCombination p = dp_aggregate_features_product(features, f, dp_aggregate_one);

		dp_aggregate_features_add(&p, features, 1, dp_aggregate_one, dp_aggregate_linear);
		unite(&result, fieller(features, &p, &q, far));
	}
	return result;
}

/*
 * Correlation: the root of sum of (c - m)(d - k) - t/2 (r (c - m)^2 + (d - k)^2 / r) = 0
 * for r, the ratio of the standard deviations of d and c.
 */
static Interval
correlation_interval(const DpFeatures *features, double miss)
{
	Interval	all = {-1, 1};
	Interval	means = mean_interval(features, false, 0.04 * miss);
	Interval	means_d = mean_interval(features, true, 0.04 * miss);
	Interval	vars = variance_interval(features, false, means, 0.06 * miss);
	Interval	vars_d = variance_interval(features, true, means_d, 0.06 * miss);
	double		far = reach(features, 0.8 * miss);
	Interval	ratio;
	Interval	result = nothing;

	if (!(vars.low > 0) || !(vars_d.low > 0))
		return all;
	ratio.low = log(vars_d.low / vars.high) / 2;
	ratio.high = log(vars_d.high / vars.low) / 2;
	for (int n = 0; n < (FEW_STEPS + 1) * (FEW_STEPS + 1) * (FEW_STEPS + 1); n++)
	{
		double		m = step(means, n % (FEW_STEPS + 1), FEW_STEPS);
		double		k = step(means_d, n / (FEW_STEPS + 1) % (FEW_STEPS + 1), FEW_STEPS);
		double		r = exp(step(ratio, n / (FEW_STEPS + 1) / (FEW_STEPS + 1), FEW_STEPS));
		double		f[] = {-m, 1, 0};
		double		g[] = {-k, 1, 0};
		double		ff[] = {m * m, -2 * m, 1};
		double		gg[] = {k * k, -2 * k, 1};
		DpCombination p = dp_aggregate_features_product(features, f, g);
		DpCombination q = {{0}};

		dp_aggregate_features_add(&q, features, r / 2, ff, dp_aggregate_one);
		dp_aggregate_features_add(&q, features, 1 / r / 2, dp_aggregate_one, gg);
		unite(&result, fieller(features, &p, &q, far));
	}
	return intersect(result, -1, 1);
}

/* From a population to a sample: times n / (n - 1), n being 2 at least. */
static Interval
of_sample(const DpFeatures *features, Interval interval, double miss)
{
	DpCombination n = dp_aggregate_features_product(features, dp_aggregate_one, dp_aggregate_one);
	double		rows = dp_aggregate_features_total(features, &n);
	double		h = reach(features, miss) * sqrt(inner(&n, &n));
	double		most = fmax(rows - h, 2);
	double		least = fmax(rows + h, 2);

	most = most / (most - 1);
	least = least / (least - 1);
	interval.low *= interval.low > 0 ? least : most;
	interval.high *= interval.high > 0 ? most : least;
	return interval;
}

/*
 * A mean from a sum about the middle and a count, each with its own noise: features
 * of noise 1, whose quotient is the mean but for a factor.
 */
static Interval
centred_interval(const DpEstimate *estimate, const double *totals, double miss)
{
	double		sum = fmax(estimate->noise, 1e-300);
	double		count = fmax(estimate->noise_count, 1e-300);
	DpFeatures	features = {
		.share = {totals[0] / sum, totals[1] / count},
		.stddev = estimate->gaussian ? 1 : sqrt(2),
		.slack = 2 / sum + 2 / count,
		.gaussian = estimate->gaussian != 0
	};
	DpCombination p = {{1}};
	DpCombination q = {{0, 1}};
	Interval	result = fieller(&features, &p, &q, reach(&features, miss));
	double		factor = sum / count * estimate->ratio;
	double		low = dp_aggregate_middle(estimate->lower_x, estimate->upper_x);

	result.low = low + result.low * factor;
	result.high = low + result.high * factor;
	return result;
}

/* Times a factor that is not negative, and moved. */
static Interval
scale(Interval interval, double factor, double shift)
{
	interval.low = interval.low * factor + shift;
	interval.high = interval.high * factor + shift;
	return interval;
}

/* The line's height at x = 0, in the units of y. */
static Interval
intercept_interval(const DpEstimate *estimate, const DpFeatures *features, double miss)
{
	double		x = dp_aggregate_half_width(estimate->lower_x, estimate->upper_x);
	double		c0 = x > 0 ? -dp_aggregate_middle(estimate->lower_x, estimate->upper_x) / x : 0;
	Interval	slopes = slope_interval(features, miss / 2);

	return scale(height_interval(features, slopes, c0, miss / 2),
				 dp_aggregate_half_width(estimate->lower_y, estimate->upper_y),
				 dp_aggregate_middle(estimate->lower_y, estimate->upper_y));
}

static Interval
interval_of(const DpEstimate *estimate, const double *totals, double miss)
{
	double		x = dp_aggregate_half_width(estimate->lower_x, estimate->upper_x);
	double		y = dp_aggregate_half_width(estimate->lower_y, estimate->upper_y);
	Interval	result;
	DpFeatures	features;

	dp_aggregate_features_read(estimate, totals, &features);
	switch ((DpStatistic) estimate->statistic)
	{
		case DP_STATISTIC_MEAN:
			if (estimate->centred)
				result = centred_interval(estimate, totals, miss);
			else
				result = scale(mean_interval(&features, false, miss), x,
							   dp_aggregate_middle(estimate->lower_x, estimate->upper_x));
			return intersect(result, estimate->lower_x, estimate->upper_x);
		case DP_STATISTIC_VARIANCE:
		case DP_STATISTIC_STDDEV:
			result = variance_interval(&features, false, mean_interval(&features, false, 0.05 * miss),
									   0.9 * miss);
			result = of_sample(&features, result, 0.05 * miss);
			if (estimate->statistic == DP_STATISTIC_VARIANCE)
				return scale(result, x * x, 0);
			result.low = sqrt(result.low) * x;
			result.high = sqrt(result.high) * x;
			return result;
		case DP_STATISTIC_COVAR_POP:
			return scale(covariance_interval(&features, miss), x * y, 0);
		case DP_STATISTIC_COVAR_SAMP:
			result = of_sample(&features, covariance_interval(&features, 0.95 * miss), 0.05 * miss);
			return scale(result, x * y, 0);
		case DP_STATISTIC_CORR:
			return correlation_interval(&features, miss);
		case DP_STATISTIC_SLOPE:
			return scale(slope_interval(&features, miss), dp_aggregate_slope_scale(estimate), 0);
		case DP_STATISTIC_INTERCEPT:
			return intercept_interval(estimate, &features, miss);
	}
	result = (Interval) {-INFINITY, INFINITY};
	return result;
}

/* How far noise may move the total of rows, but for probability `miss`. */
static double
rows_reach(const DpEstimate *estimate, double miss)
{
	double		stddev = estimate->centred ? estimate->noise_count
		: estimate->noise * sqrt(dp_aggregate_estimate_parts(estimate));

	if (!estimate->gaussian)
		stddev *= sqrt(2);
	return stddev * dp_aggregate_estimate_reach(1 - miss, estimate->gaussian != 0) + dp_aggregate_estimate_parts(estimate);
}

/*
 * The part of `miss` that an interval may miss by, so that it holds as often among the
 * groups that are answered: those whose noisy rows exceed what noise may make of too few.  Let u
 * be what a group's rows, without noise, exceed that by, Z their noise, and R(p) the reach
 * with P[|Z| > R(p)] <= p.
 *	  Up to R(miss) above, nothing is said, which is certain.  If u < 0, more than that
 *	  given an answer is P[Z > R(miss) - u | Z > -u] <= P[Z > R(miss)] / P[Z > 0] <=
 *	  miss, as laws of log-concave density have it.  Otherwise at least half are
 *	  answered.  With r = R(miss / 20), beyond 2 r a miss of 9/10, and 9/20 below, are
 *	  at most 1/40 + 9/20 of miss if u < r, 95 % of it among those.  If u is more, all
 *	  but 1/40 of miss are answered, and none of the intervals is narrower than that for
 *	  9/10.
 */
static double
share_of_answered(const DpEstimate *estimate, const double *totals, double miss)
{
	double		excess = dp_aggregate_estimate_excess(estimate, totals);

	if (excess <= rows_reach(estimate, miss))
		return 0;
	return (excess <= 2 * rows_reach(estimate, miss / 20) ? 0.45 : 0.9) * miss;
}

void
dp_aggregate_estimate_interval(const DpEstimate *estimate, const double *totals, double level,
							   double *low, double *high)
{
	double		value = dp_aggregate_estimate_value(estimate, totals);
	Interval	result = interval_of(estimate, totals, share_of_answered(estimate, totals, 1 - level));

	if (isnan(result.low) || isnan(result.high))
		result = (Interval) {-INFINITY, INFINITY};
	*low = fmin(result.low, value);
	*high = fmax(result.high, value);
}
