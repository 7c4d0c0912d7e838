/* SPDX-License-Identifier: PostgreSQL */
/*
 * estimate.c
 *	  Statistics of noisy moments.
 */
#include <math.h>
#include <string.h>

#include "aggregate/estimate.h"

#define MOST_DEGREE 2

/* c^power in the Bernstein polynomials of a degree. */
static const double bernstein[MOST_DEGREE + 1][MOST_DEGREE + 1][MOST_DEGREE + 1] = {
	{{1}},
	{{1, 1}, {-1, 1}},
	{{1, 1, 1}, {-1, 0, 1}, {1, -1, 1}}
};

const double dp_aggregate_one[] = {1, 0, 0};
const double dp_aggregate_linear[] = {0, 1, 0};
const double dp_aggregate_square[] = {0, 0, 1};

void
dp_aggregate_features_read(const DpEstimate *estimate, const double *totals, DpFeatures *features)
{
	bool		is_mean = estimate->statistic == DP_STATISTIC_MEAN && !estimate->with_variance;
	int			parts = dp_aggregate_estimate_parts(estimate);
	double		unit = estimate->unit;

	memset(features, 0, sizeof(*features));
	features->degree_x = is_mean ? 1 : dp_aggregate_moments_degree_x((DpMomentsShape) estimate->shape);
	features->degree_y = is_mean ? 0 : dp_aggregate_moments_degree_y((DpMomentsShape) estimate->shape);
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

void
dp_aggregate_features_add(DpCombination *combination, const DpFeatures *features, double weight,
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

DpCombination
dp_aggregate_features_product(const DpFeatures *features, const double *f, const double *g)
{
	DpCombination result = {{0}};

	dp_aggregate_features_add(&result, features, 1, f, g);
	return result;
}

double
dp_aggregate_features_total(const DpFeatures *features, const DpCombination *combination)
{
	double		sum = 0;

	for (int i = 0; i < DP_MOMENTS_MOST; i++)
		sum += combination->of[i] * features->share[i];
	return sum;
}

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

int
dp_aggregate_estimate_parts(const DpEstimate *estimate)
{
	return estimate->statistic == DP_STATISTIC_MEAN && !estimate->with_variance ? 2
		: dp_aggregate_moments_parts((DpMomentsShape) estimate->shape);
}

/* The least number of rows that PostgreSQL has the statistic of. */
static int
least_rows(const DpEstimate *estimate)
{
	switch ((DpStatistic) estimate->statistic)
	{
		case DP_STATISTIC_VARIANCE:
		case DP_STATISTIC_STDDEV:
		case DP_STATISTIC_COVAR_SAMP:
			return 2;
		default:
			return 1;
	}
}

double
dp_aggregate_estimate_excess(const DpEstimate *estimate, const double *totals)
{
	int			parts = dp_aggregate_estimate_parts(estimate);
	double		rows = 0;

	if (!(estimate->unit > 0))
		return INFINITY;
	for (int i = estimate->centred ? 1 : 0; i < parts; i++)
		rows += totals[i];
	return rows - estimate->feigned - (least_rows(estimate) - 1) * estimate->unit;
}

bool
dp_aggregate_estimate_has_rows(const DpEstimate *estimate, const double *totals)
{
	return dp_aggregate_estimate_excess(estimate, totals) > 0;
}

/* Does the shape have the moments the statistic needs? */
static bool
shape_fits(const DpEstimate *estimate)
{
	switch ((DpStatistic) estimate->statistic)
	{
		case DP_STATISTIC_MEAN:
			return !estimate->with_variance || (estimate->shape == DP_MOMENTS_VARIANCE && !estimate->centred);
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
dp_aggregate_estimate_is_sane(const DpEstimate *estimate)
{
	const double numbers[] = {
		estimate->lower_x, estimate->upper_x, estimate->lower_y, estimate->upper_y,
		estimate->unit, estimate->noise, estimate->noise_count, estimate->ratio, estimate->feigned
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!isfinite(numbers[i]) || (i >= 4 && numbers[i] < 0))
			return false;
	return estimate->statistic >= 0 && estimate->statistic < DP_STATISTICS &&
		shape_fits(estimate) &&
		estimate->lower_x <= estimate->upper_x && estimate->lower_y <= estimate->upper_y;
}

/* Total of c^a d^b. */
static double
moment(const DpFeatures *features, const double *f, const double *g)
{
	DpCombination combination = dp_aggregate_features_product(features, f, g);

	return dp_aggregate_features_total(features, &combination);
}

static void
read_moments(const DpFeatures *features, Moments *moments)
{
	double		n = moment(features, dp_aggregate_one, dp_aggregate_one);

	memset(moments, 0, sizeof(*moments));
	moments->rows = n;
	if (!(n > 0))
		return;
	moments->mean_c = moment(features, dp_aggregate_linear, dp_aggregate_one) / n;
	if (features->degree_x == 2)
		moments->var_c = moment(features, dp_aggregate_square, dp_aggregate_one) / n - moments->mean_c * moments->mean_c;
	if (features->degree_y == 0)
		return;
	moments->mean_d = moment(features, dp_aggregate_one, dp_aggregate_linear) / n;
	moments->cov = moment(features, dp_aggregate_linear, dp_aggregate_linear) / n - moments->mean_c * moments->mean_d;
	if (features->degree_y == 2)
		moments->var_d = moment(features, dp_aggregate_one, dp_aggregate_square) / n - moments->mean_d * moments->mean_d;
}

/* A variance or covariance of a sample, between -2 and 2; 0 with one row or less. */
static double
sample(double value, double rows)
{
	return rows > 1 ? dp_aggregate_limit(value * rows / (rows - 1), -2, 2) : 0;
}

/* Slope of d on c, 0 where there is none. */
static double
slope(const Moments *moments)
{
	double		value = moments->var_c > 0 ? moments->cov / moments->var_c : 0;

	return isfinite(value) ? value : 0;
}

/* The mean from a sum about the middle and a count, as a share of half the width. */
static double
centred_mean(const double *totals, double ratio)
{
	return totals[1] > 0 ? totals[0] / totals[1] * ratio : 0;
}

double
dp_aggregate_estimate_value(const DpEstimate *estimate, const double *totals)
{
	double		x = dp_aggregate_half_width(estimate->lower_x, estimate->upper_x);
	double		y = dp_aggregate_half_width(estimate->lower_y, estimate->upper_y);
	double		middle_x = dp_aggregate_middle(estimate->lower_x, estimate->upper_x);
	double		middle_y = dp_aggregate_middle(estimate->lower_y, estimate->upper_y);
	double		value;
	DpFeatures	features;
	Moments		moments;

	dp_aggregate_features_read(estimate, totals, &features);
	read_moments(&features, &moments);
	switch ((DpStatistic) estimate->statistic)
	{
		case DP_STATISTIC_MEAN:
			if (estimate->centred)
				value = middle_x + centred_mean(totals, estimate->ratio);
			else
				value = middle_x + x * moments.mean_c;
			return dp_aggregate_limit(value, estimate->lower_x, estimate->upper_x);
		case DP_STATISTIC_VARIANCE:
			return sample(dp_aggregate_limit(moments.var_c, 0, 1), moments.rows) * x * x;
		case DP_STATISTIC_STDDEV:
			return sqrt(sample(dp_aggregate_limit(moments.var_c, 0, 1), moments.rows)) * x;
		case DP_STATISTIC_COVAR_POP:
			return dp_aggregate_limit(moments.cov, -1, 1) * x * y;
		case DP_STATISTIC_COVAR_SAMP:
			return sample(dp_aggregate_limit(moments.cov, -1, 1), moments.rows) * x * y;
		case DP_STATISTIC_CORR:
			if (!(moments.var_c > 0) || !(moments.var_d > 0))
				return 0;
			return dp_aggregate_limit(moments.cov / sqrt(moments.var_c) / sqrt(moments.var_d), -1, 1);
		case DP_STATISTIC_SLOPE:
			value = slope(&moments) * dp_aggregate_slope_scale(estimate);
			return isfinite(value) ? value : 0;
		case DP_STATISTIC_INTERCEPT:
			value = middle_y + y * dp_aggregate_limit(moments.mean_d, -1, 1) -
				slope(&moments) * dp_aggregate_slope_scale(estimate) *
				(middle_x + x * dp_aggregate_limit(moments.mean_c, -1, 1));
			return isfinite(value) ? value : middle_y;
	}
	return 0;
}
