/*
 * features.c
 *	  Noisy moments as shares of what a row adds; see features.h.
 */
#include <math.h>
#include <string.h>

#include "aggregate/features.h"

#define MOST_DEGREE 2

/* c^power in the Bernstein polynomials of a degree. */
static const double bernstein[MOST_DEGREE + 1][MOST_DEGREE + 1][MOST_DEGREE + 1] = {
	{{1}},
	{{1, 1}, {-1, 1}},
	{{1, 1, 1}, {-1, 0, 1}, {1, -1, 1}}
};

const double dp_one[] = {1, 0, 0};
const double dp_linear[] = {0, 1, 0};
const double dp_square[] = {0, 0, 1};

void
dp_features_read(const DpEstimate *estimate, const double *totals, DpFeatures *features)
{
	bool		is_mean = estimate->statistic == DP_STATISTIC_MEAN && !estimate->with_variance;
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

void
dp_features_add(DpCombination *combination, const DpFeatures *features, double weight,
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
dp_features_product(const DpFeatures *features, const double *f, const double *g)
{
	DpCombination result = {{0}};

	dp_features_add(&result, features, 1, f, g);
	return result;
}

double
dp_features_total(const DpFeatures *features, const DpCombination *combination)
{
	double		sum = 0;

	for (int i = 0; i < DP_MOMENTS_MOST; i++)
		sum += combination->of[i] * features->share[i];
	return sum;
}
