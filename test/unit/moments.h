/*
 * moments.h
 *	  Random rows and noise, and the statistics of them, for tests of moments.
 */
#ifndef DP_MOMENTS_TEST_H
#define DP_MOMENTS_TEST_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/estimate.h"

static uint64_t random_state;

static inline uint64_t
random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Between 0 and 1, neither included. */
static inline double
random_unit(void)
{
	return ((random64() >> 12) + 0.5) / 0x1p52;
}

static inline double
draw(double scale, bool gaussian)
{
	double		u = random_unit();

	if (gaussian)
		return scale * sqrt(-2 * log(u)) * cos(2 * M_PI * random_unit());
	return random64() & 1 ? scale * log(u) : -scale * log(u);
}

/* Rows, their exact totals as shares, and the statistic they have. */
typedef struct Data
{
	int			rows;
	double		x[2000];		/* from -1 to 1 */
	double		y[2000];
} Data;

/* Has every row the same x, or the same y?  Then it has no slope, or no correlation. */
static inline bool
has_no_spread(const Data *data)
{
	bool		same_x = data->rows > 1;
	bool		same_y = same_x;

	for (int i = 1; i < data->rows; i++)
	{
		same_x = same_x && data->x[i] == data->x[0];
		same_y = same_y && data->y[i] == data->y[0];
	}
	return same_x || same_y;
}

static inline void
make_data(Data *data, int rows)
{
	data->rows = rows;
	do
	{
		double		centre = random_unit() * 1.6 - 0.8;
		double		spread = 0.2 + 0.8 * random_unit();
		double		slope = random_unit() * 2 - 1;

		for (int i = 0; i < rows; i++)
		{
			data->x[i] = dp_aggregate_limit(centre + spread * (random_unit() * 2 - 1), -1, 1);
			data->y[i] = dp_aggregate_limit(slope * data->x[i] + (random_unit() * 2 - 1) * (1 - fabs(slope)), -1, 1);
		}
	} while (has_no_spread(data));
}

/* What a row adds to all features, in units of its own. */
#define UNIT 1e12

static inline void
exact_totals(const Data *data, const DpEstimate *estimate, double *totals)
{
	DpFeatures	features = {0};

	memset(totals, 0, DP_MOMENTS_MOST * sizeof(double));
	if (estimate->statistic == DP_STATISTIC_MEAN && !estimate->with_variance)
		features.degree_x = 1;
	else
	{
		features.degree_x = dp_aggregate_moments_degree_x((DpMomentsShape) estimate->shape);
		features.degree_y = dp_aggregate_moments_degree_y((DpMomentsShape) estimate->shape);
	}
	for (int n = 0; n < data->rows; n++)
	{
		double		u[] = {(1 - data->x[n]) / 2, (1 + data->x[n]) / 2};
		double		v[] = {(1 - data->y[n]) / 2, (1 + data->y[n]) / 2};
		double		fx[3] = {u[0], u[1]};
		double		fy[3] = {v[0], v[1]};

		if (features.degree_x == 2)
			fx[0] = u[0] * u[0], fx[1] = 2 * u[0] * u[1], fx[2] = u[1] * u[1];
		if (features.degree_y == 0)
			fy[0] = 1;
		if (features.degree_y == 2)
			fy[0] = v[0] * v[0], fy[1] = 2 * v[0] * v[1], fy[2] = v[1] * v[1];
		for (int i = 0; i <= features.degree_x; i++)
			for (int j = 0; j <= features.degree_y; j++)
				totals[i * (features.degree_y + 1) + j] += UNIT * fx[i] * fy[j];
	}
	if (estimate->statistic == DP_STATISTIC_MEAN && !estimate->with_variance)
	{
		double		lower = totals[0];

		totals[0] = totals[1];
		totals[1] = lower;
	}
}

/* The statistic by its textbook formula, x from 10 to 30, y from -2 to 4. */
static inline double
textbook(const Data *data, DpStatistic statistic)
{
	double		n = data->rows;
	double		mx = 0;
	double		my = 0;
	double		xx = 0;
	double		xy = 0;
	double		yy = 0;

	for (int i = 0; i < data->rows; i++)
	{
		mx += (20 + 10 * data->x[i]) / n;
		my += (1 + 3 * data->y[i]) / n;
	}
	for (int i = 0; i < data->rows; i++)
	{
		double		x = 20 + 10 * data->x[i] - mx;
		double		y = 1 + 3 * data->y[i] - my;

		xx += x * x;
		xy += x * y;
		yy += y * y;
	}
	switch (statistic)
	{
		case DP_STATISTIC_MEAN:
			return mx;
		case DP_STATISTIC_VARIANCE:
			return xx / (n - 1);
		case DP_STATISTIC_STDDEV:
			return sqrt(xx / (n - 1));
		case DP_STATISTIC_COVAR_POP:
			return xy / n;
		case DP_STATISTIC_COVAR_SAMP:
			return xy / (n - 1);
		case DP_STATISTIC_CORR:
			return xy / sqrt(xx * yy);
		case DP_STATISTIC_SLOPE:
			return xy / xx;
		case DP_STATISTIC_INTERCEPT:
			return my - xy / xx * mx;
	}
	return NAN;
}

/* Are means those that a variance's totals answer? */
static bool means_with_variance = false;

static inline DpEstimate
make_estimate(DpStatistic statistic, double noise, bool gaussian)
{
	static const DpMomentsShape shapes[] = {
		0, DP_MOMENTS_VARIANCE, DP_MOMENTS_VARIANCE, DP_MOMENTS_COVARIANCE, DP_MOMENTS_COVARIANCE,
		DP_MOMENTS_CORRELATION, DP_MOMENTS_SLOPE, DP_MOMENTS_SLOPE
	};

	return (DpEstimate) {
		.statistic = statistic, .shape = shapes[statistic], .gaussian = gaussian,
		.with_variance = statistic == DP_STATISTIC_MEAN && means_with_variance,
		.lower_x = 10, .upper_x = 30, .lower_y = -2, .upper_y = 4,
		.unit = UNIT, .noise = noise * UNIT
	};
}

static const char *const names[] = {
	"mean", "variance", "stddev", "covar_pop", "covar_samp", "corr", "slope", "intercept"
};

#endif							/* DP_MOMENTS_TEST_H */
