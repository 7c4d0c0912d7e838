/*
 * estimate.c
 *	  Statistics of noisy moments, and their intervals.
 *
 * Values are taken from -1 to 1 between their bounds, features as shares of what
 * a row adds to all of them.  Then 1, c and c^2 have small integer coefficients
 * in the Bernstein polynomials of degree 2, and every moment is a combination of
 * noisy features whose noise is known.
 *
 * Intervals (Fieller 1954, "Some problems in interval estimation").  Each statistic
 * t is the root of an equation P - t Q = 0 between two combinations of the
 * exact features.  So the noisy P - t Q is nothing but noise, of standard deviation
 * sigma |p - t q|, and t is kept if that is within its reach: a quadratic inequality.
 * Where P and Q depend on other unknowns (means, a ratio of variances), these
 * get intervals of their own for a small part of 1 - level, and t is kept if it is for
 * some of their values: by the union bound the level holds, for few rows too.
 */
#include <math.h>
#include <string.h>

#include "aggregate/estimate.h"

#define MOST_DEGREE 2

/* Steps through the values of a nuisance parameter. */
#define STEPS 16
#define FEW_STEPS 4

/* Noisy features as shares, and what noise may do to them. */
typedef struct Features
{
	int			degree_x;
	int			degree_y;
	double		share[DP_MOMENTS_MOST];
	double		stddev;			/* of each */
	double		slack;			/* rounding, for a combination of norm 1 */
	bool		gaussian;
} Features;

/* Coefficients of a combination of features. */
typedef struct Combination
{
	double		of[DP_MOMENTS_MOST];
} Combination;

typedef struct Interval
{
	double		low;
	double		high;
} Interval;

/* Moments of values taken from -1 to 1. */
typedef struct Moments
{
	double		rows;
	double		mean_c;
	double		mean_d;
	double		var_c;			/* of the population; may be negative */
	double		var_d;
	double		cov;
} Moments;

/* c^power in the Bernstein polynomials of a degree. */
static const double bernstein[MOST_DEGREE + 1][MOST_DEGREE + 1][MOST_DEGREE + 1] = {
	{{1}},
	{{1, 1}, {-1, 1}},
	{{1, 1, 1}, {-1, 0, 1}, {1, -1, 1}}
};

static double
limit(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

int
dp_estimate_parts(const DpEstimate *estimate)
{
	return estimate->statistic == DP_STATISTIC_MEAN ? 2
		: dp_moments_parts((DpMomentsShape) estimate->shape);
}

/* Does the shape have the moments the statistic needs? */
static bool
shape_fits(const DpEstimate *estimate)
{
	switch ((DpStatistic) estimate->statistic)
	{
		case DP_STATISTIC_MEAN:
			return true;
		case DP_STATISTIC_VARIANCE:
		case DP_STATISTIC_STDDEV:
			return estimate->shape == DP_MOMENTS_VARIANCE;
		case DP_STATISTIC_COVAR_POP:
		case DP_STATISTIC_COVAR_SAMP:
			return estimate->shape == DP_MOMENTS_COVARIANCE;
		case DP_STATISTIC_CORR:
			return estimate->shape == DP_MOMENTS_CORRELATION;
		case DP_STATISTIC_SLOPE:
		case DP_STATISTIC_INTERCEPT:
			return estimate->shape == DP_MOMENTS_SLOPE;
	}
	return false;
}

bool
dp_estimate_is_sane(const DpEstimate *estimate)
{
	const double numbers[] = {
		estimate->lower_x, estimate->upper_x, estimate->lower_y, estimate->upper_y,
		estimate->unit, estimate->noise, estimate->noise_count, estimate->ratio
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!isfinite(numbers[i]) || (i >= 4 && numbers[i] < 0))
			return false;
	return estimate->statistic >= 0 && estimate->statistic < DP_STATISTICS &&
		shape_fits(estimate) &&
		estimate->lower_x <= estimate->upper_x && estimate->lower_y <= estimate->upper_y;
}

double
dp_estimate_reach(double level, bool gaussian)
{
	double		low = 0;
	double		high = 40;
	double		normal;

	for (int i = 0; i < 100; i++)
	{
		normal = (low + high) / 2;
		if (erfc(normal / sqrt(2)) > 1 - level)
			low = normal;
		else
			high = normal;
	}
	if (gaussian)
		return high;
	return fmax(high, -log1p(-level) / sqrt(2));
}

/* The noisy totals as shares of a row. */
static void
read_features(const DpEstimate *estimate, const double *totals, Features *features)
{
	bool		is_mean = estimate->statistic == DP_STATISTIC_MEAN;
	int			parts = dp_estimate_parts(estimate);
	double		unit = estimate->unit;

	memset(features, 0, sizeof(*features));
	features->degree_x = is_mean ? 1 : dp_moments_degree_x((DpMomentsShape) estimate->shape);
	features->degree_y = is_mean ? 0 : dp_moments_degree_y((DpMomentsShape) estimate->shape);
	features->gaussian = estimate->gaussian != 0;
	if (!(unit > 0))
		return;					/* bounds without width: rows add nothing */
	features->stddev = estimate->noise / unit * (features->gaussian ? 1 : sqrt(2));

	/* Noise and totals are whole numbers: each is off its like by less than one. */
	features->slack = 2 * sqrt(parts) / unit;
	for (int i = 0; i < parts; i++)
		features->share[i] = totals[i] / unit;
	if (is_mean)
	{
		features->share[0] = totals[1] / unit;	/* upper - x, then x - lower */
		features->share[1] = totals[0] / unit;
	}
}

/*
 * combination += weight * f(c) g(d), polynomials given by their coefficients.
 */
static void
add_product(Combination *combination, const Features *features, double weight,
			const double *f, const double *g)
{
	int			dx = features->degree_x;
	int			dy = features->degree_y;

	for (int i = 0; i <= dx; i++)
	{
		for (int j = 0; j <= dy; j++)
		{
			double		x = 0;
			double		y = 0;

			for (int a = 0; a <= dx; a++)
				x += f[a] * bernstein[dx][a][i];
			for (int b = 0; b <= dy; b++)
				y += g[b] * bernstein[dy][b][j];
			combination->of[i * (dy + 1) + j] += weight * x * y;
		}
	}
}

/* The combination f(c) g(d). */
static Combination
product(const Features *features, const double *f, const double *g)
{
	Combination result = {{0}};

	add_product(&result, features, 1, f, g);
	return result;
}

static const double one[] = {1, 0, 0};
static const double linear[] = {0, 1, 0};
static const double square[] = {0, 0, 1};

static double
total(const Features *features, const Combination *combination)
{
	double		sum = 0;

	for (int i = 0; i < DP_MOMENTS_MOST; i++)
		sum += combination->of[i] * features->share[i];
	return sum;
}

/* Total of c^a d^b. */
static double
moment(const Features *features, const double *f, const double *g)
{
	Combination combination = product(features, f, g);

	return total(features, &combination);
}

static double
inner(const Combination *p, const Combination *q)
{
	double		sum = 0;

	for (int i = 0; i < DP_MOMENTS_MOST; i++)
		sum += p->of[i] * q->of[i];
	return sum;
}

/* How far noise may move a combination of norm 1, but for probability `miss`. */
static double
reach(const Features *features, double miss)
{
	return features->stddev * dp_estimate_reach(1 - miss, features->gaussian) + features->slack;
}

/*
 * All t with |P - t Q| <= reach * |p - t q|, or all numbers where that is not an
 * interval.
 */
static Interval
fieller(const Features *features, const Combination *p, const Combination *q, double reach)
{
	double		h = reach * reach;
	double		P = total(features, p);
	double		Q = total(features, q);
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
	interval.low = limit(interval.low, low, high);
	interval.high = limit(interval.high, low, high);
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
mean_interval(const Features *features, bool of_d, double miss)
{
	Combination p = product(features, of_d ? one : linear, of_d ? linear : one);
	Combination q = product(features, one, one);

	return intersect(fieller(features, &p, &q, reach(features, miss)), -1, 1);
}

/*
 * The variance of c, or of d, given an interval for its mean m: the root of
 * sum of (c - m)^2 - t = 0.
 */
static Interval
variance_interval(const Features *features, bool of_d, Interval mean, double miss)
{
	Combination q = product(features, one, one);
	double		far = reach(features, miss);
	Interval	result = nothing;

	for (int i = 0; i <= STEPS; i++)
	{
		double		m = step(mean, i, STEPS);
		double		f[] = {m * m, -2 * m, 1};
		Combination p = product(features, of_d ? one : f, of_d ? f : one);

		unite(&result, fieller(features, &p, &q, far));
	}
	return intersect(result, 0, 1);
}

/* Covariance: the root of sum of (c - m)(d - k) - t = 0. */
static Interval
covariance_interval(const Features *features, double miss)
{
	Interval	means = mean_interval(features, false, 0.05 * miss);
	Interval	means_d = mean_interval(features, true, 0.05 * miss);
	Combination q = product(features, one, one);
	double		far = reach(features, 0.9 * miss);
	Interval	result = nothing;

	for (int i = 0; i <= FEW_STEPS; i++)
	{
		for (int j = 0; j <= FEW_STEPS; j++)
		{
			double		f[] = {-step(means, i, FEW_STEPS), 1, 0};
			double		g[] = {-step(means_d, j, FEW_STEPS), 1, 0};
			Combination p = product(features, f, g);

			unite(&result, fieller(features, &p, &q, far));
		}
	}
	return intersect(result, -1, 1);
}

/* Slope of d on c: the root of sum of (c - m)((d - k) - t (c - m)) = 0. */
static Interval
slope_interval(const Features *features, double miss)
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
			Combination p = product(features, f, g);
			Combination q = product(features, ff, one);

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
height_interval(const Features *features, Interval slopes, double c0, double miss)
{
	Combination q = product(features, one, one);
	double		far = reach(features, miss);
	Interval	result = nothing;

	if (!isfinite(slopes.low) || !isfinite(slopes.high))
		return slopes;
	for (int i = 0; i <= FEW_STEPS; i++)
	{
		double		b = step(slopes, i, FEW_STEPS);
		double		f[] = {b * c0, -b, 0};
		Combination p = product(features, f, one);

		add_product(&p, features, 1, one, linear);
		unite(&result, fieller(features, &p, &q, far));
	}
	return result;
}

/*
 * Correlation: the root of sum of (c - m)(d - k) - t/2 (r (c - m)^2 + (d - k)^2 / r) = 0
 * for r, the ratio of the standard deviations of d and c.
 */
static Interval
correlation_interval(const Features *features, double miss)
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
		Combination p = product(features, f, g);
		Combination q = {{0}};

		add_product(&q, features, r / 2, ff, one);
		add_product(&q, features, 1 / r / 2, one, gg);
		unite(&result, fieller(features, &p, &q, far));
	}
	return intersect(result, -1, 1);
}

/* From a population to a sample: times n / (n - 1), n being 2 at least. */
static Interval
of_sample(const Features *features, Interval interval, double miss)
{
	Combination n = product(features, one, one);
	double		rows = total(features, &n);
	double		h = reach(features, miss) * sqrt(inner(&n, &n));
	double		most = fmax(rows - h, 2);
	double		least = fmax(rows + h, 2);

	most = most / (most - 1);
	least = least / (least - 1);
	interval.low *= interval.low > 0 ? least : most;
	interval.high *= interval.high > 0 ? most : least;
	return interval;
}

static void
read_moments(const Features *features, Moments *moments)
{
	double		n = moment(features, one, one);

	memset(moments, 0, sizeof(*moments));
	moments->rows = n;
	if (!(n > 0))
		return;
	moments->mean_c = moment(features, linear, one) / n;
	if (features->degree_x == 2)
		moments->var_c = moment(features, square, one) / n - moments->mean_c * moments->mean_c;
	if (features->degree_y == 0)
		return;
	moments->mean_d = moment(features, one, linear) / n;
	moments->cov = moment(features, linear, linear) / n - moments->mean_c * moments->mean_d;
	if (features->degree_y == 2)
		moments->var_d = moment(features, one, square) / n - moments->mean_d * moments->mean_d;
}

/* A variance or covariance of a sample, between -2 and 2; 0 with one row or less. */
static double
sample(double value, double rows)
{
	return rows > 1 ? limit(value * rows / (rows - 1), -2, 2) : 0;
}

/* Slope of d on c, 0 where there is none. */
static double
slope(const Moments *moments)
{
	double		value = moments->var_c > 0 ? moments->cov / moments->var_c : 0;

	return isfinite(value) ? value : 0;
}

static double
width(double lower, double upper)
{
	return upper / 2 - lower / 2;
}

static double
middle(double lower, double upper)
{
	return upper / 2 + lower / 2;
}

/* The mean from a sum about the middle and a count, as a share of half the width. */
static double
centred_mean(const double *totals, double ratio)
{
	return totals[1] > 0 ? totals[0] / totals[1] * ratio : 0;
}

/* What a normalised slope is in the units of y over x; 0 where x has no width. */
static double
slope_scale(const DpEstimate *estimate)
{
	double		x = width(estimate->lower_x, estimate->upper_x);

	return x > 0 ? width(estimate->lower_y, estimate->upper_y) / x : 0;
}

double
dp_estimate_value(const DpEstimate *estimate, const double *totals)
{
	double		x = width(estimate->lower_x, estimate->upper_x);
	double		y = width(estimate->lower_y, estimate->upper_y);
	double		middle_x = middle(estimate->lower_x, estimate->upper_x);
	double		middle_y = middle(estimate->lower_y, estimate->upper_y);
	double		value;
	Features	features;
	Moments		moments;

	read_features(estimate, totals, &features);
	read_moments(&features, &moments);
	switch ((DpStatistic) estimate->statistic)
	{
		case DP_STATISTIC_MEAN:
			if (estimate->centred)
				value = middle_x + centred_mean(totals, estimate->ratio);
			else
				value = middle_x + x * moments.mean_c;
			return limit(value, estimate->lower_x, estimate->upper_x);
		case DP_STATISTIC_VARIANCE:
			return sample(limit(moments.var_c, 0, 1), moments.rows) * x * x;
		case DP_STATISTIC_STDDEV:
			return sqrt(sample(limit(moments.var_c, 0, 1), moments.rows)) * x;
		case DP_STATISTIC_COVAR_POP:
			return limit(moments.cov, -1, 1) * x * y;
		case DP_STATISTIC_COVAR_SAMP:
			return sample(limit(moments.cov, -1, 1), moments.rows) * x * y;
		case DP_STATISTIC_CORR:
			if (!(moments.var_c > 0) || !(moments.var_d > 0))
				return 0;
			return limit(moments.cov / sqrt(moments.var_c) / sqrt(moments.var_d), -1, 1);
		case DP_STATISTIC_SLOPE:
			value = slope(&moments) * slope_scale(estimate);
			return isfinite(value) ? value : 0;
		case DP_STATISTIC_INTERCEPT:
			value = middle_y + y * limit(moments.mean_d, -1, 1) -
				slope(&moments) * slope_scale(estimate) *
				(middle_x + x * limit(moments.mean_c, -1, 1));
			return isfinite(value) ? value : middle_y;
	}
	return 0;
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
	Features	features = {
		.share = {totals[0] / sum, totals[1] / count},
		.stddev = estimate->gaussian ? 1 : sqrt(2),
		.slack = 2 / sum + 2 / count,
		.gaussian = estimate->gaussian != 0
	};
	Combination p = {{1}};
	Combination q = {{0, 1}};
	Interval	result = fieller(&features, &p, &q, reach(&features, miss));
	double		factor = sum / count * estimate->ratio;
	double		low = middle(estimate->lower_x, estimate->upper_x);

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
intercept_interval(const DpEstimate *estimate, const Features *features, double miss)
{
	double		x = width(estimate->lower_x, estimate->upper_x);
	double		c0 = x > 0 ? -middle(estimate->lower_x, estimate->upper_x) / x : 0;
	Interval	slopes = slope_interval(features, miss / 2);

	return scale(height_interval(features, slopes, c0, miss / 2),
				 width(estimate->lower_y, estimate->upper_y),
				 middle(estimate->lower_y, estimate->upper_y));
}

static Interval
interval_of(const DpEstimate *estimate, const double *totals, double miss)
{
	double		x = width(estimate->lower_x, estimate->upper_x);
	double		y = width(estimate->lower_y, estimate->upper_y);
	Interval	result;
	Features	features;

	read_features(estimate, totals, &features);
	switch ((DpStatistic) estimate->statistic)
	{
		case DP_STATISTIC_MEAN:
			if (estimate->centred)
				result = centred_interval(estimate, totals, miss);
			else
				result = scale(mean_interval(&features, false, miss), x,
							   middle(estimate->lower_x, estimate->upper_x));
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
			return scale(slope_interval(&features, miss), slope_scale(estimate), 0);
		case DP_STATISTIC_INTERCEPT:
			return intercept_interval(estimate, &features, miss);
	}
	result = (Interval) {-INFINITY, INFINITY};
	return result;
}

void
dp_estimate_interval(const DpEstimate *estimate, const double *totals, double level,
					 double *low, double *high)
{
	double		value = dp_estimate_value(estimate, totals);
	Interval	result = interval_of(estimate, totals, 1 - level);

	if (isnan(result.low) || isnan(result.high))
		result = (Interval) {-INFINITY, INFINITY};
	*low = fmin(result.low, value);
	*high = fmax(result.high, value);
}
