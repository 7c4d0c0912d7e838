/* SPDX-License-Identifier: PostgreSQL */
/*
 * estimate.h
 *	  Statistics of noisy moments, and intervals that hold what they would be
 *	  without noise.
 *
 * Plain C: no server header.  Post-processing: whatever the noise made of the
 * totals, the answers are finite, and rules that know no data decide where the
 * formula has none.
 */
#ifndef DP_AGGREGATE_ESTIMATE_H
#define DP_AGGREGATE_ESTIMATE_H

#include <stdbool.h>

#include "aggregate/moments.h"

typedef enum DpStatistic
{
	DP_STATISTIC_MEAN,
	DP_STATISTIC_VARIANCE,		/* of a sample: divided by the rows less one */
	DP_STATISTIC_STDDEV,
	DP_STATISTIC_COVAR_POP,
	DP_STATISTIC_COVAR_SAMP,
	DP_STATISTIC_CORR,
	DP_STATISTIC_SLOPE,
	DP_STATISTIC_INTERCEPT
} DpStatistic;

#define DP_STATISTICS 8

/* How totals became public, as a bytea constant in plans. */
typedef struct DpEstimate
{
	int32_t		vl_len_;		/* varlena header */
	int32_t		statistic;		/* DpStatistic */
	int32_t		shape;			/* DpMomentsShape; of a mean: unused */
	int32_t		gaussian;		/* noise: Gaussian or Laplace */
	int32_t		centred;		/* a mean from sum about the middle, and count */
	int32_t		with_variance;	/* a mean from the features of a variance */
	double		lower_x;		/* bounds */
	double		upper_x;
	double		lower_y;
	double		upper_y;
	double		unit;			/* what a row adds to all totals together */
	double		noise;			/* Laplace scale or sigma of each, in the same unit */
	double		noise_count;	/* centred: of the count, in its unit */
	double		ratio;			/* centred: the sum's unit over the count's */
	double		feigned;		/* of totals, where rows have none: what noise makes of them at
								 * most, but for a share of DP_FEIGNED_SHARE; centred: of the
								 * count */
} DpEstimate;

/* Number of totals of an estimate. */
extern int	dp_aggregate_estimate_parts(const DpEstimate *estimate);

/*
 * Are the numbers in it such that the functions below may be called: enumerations
 * in range, bounds in order, all finite and none of the rest negative?
 */
extern bool dp_aggregate_estimate_is_sane(const DpEstimate *estimate);

/*
 * Whether these noisy totals are of rows at all, of two or more if the statistic is one
 * of a sample: false where noise alone might have made them of none, or of one.  It is
 * true for at most a share `feigned` of the groups with so few rows.
 */
extern bool dp_aggregate_estimate_has_rows(const DpEstimate *estimate, const double *totals);

/*
 * The statistic of these noisy totals.
 *
 * Mean: within the bounds, their middle without rows.  Variances within 0 and what
 * values between the bounds can have (for a sample twice that), covariances likewise; 0 with
 * one row or less, of a population without rows.  Correlation within -1 and 1, and 0 where
 * a variance is not positive.  Slope 0 where the variance of x is not positive;
 * the intercept follows from slope and means, which are limited to the bounds.
 */
extern double dp_aggregate_estimate_value(const DpEstimate *estimate, const double *totals);

/*
 * Bounds that hold what the statistic would be without noise, with probability
 * `level`, 0 < level < 1, at least; -INFINITY and INFINITY where nothing is
 * known.  That is so too given that the totals are of rows, as dp_aggregate_estimate_has_rows
 * has it.  They hold the value above as well.
 */
extern void dp_aggregate_estimate_interval(const DpEstimate *estimate, const double *totals, double level,
										   double *low, double *high);

/*
 * Least factor z such that a sum of independent noises of standard deviation 1
 * in all lies within -z and z with this probability: for Laplace noises the larger
 * of what a single one needs and what a normal one does.
 */
extern double dp_aggregate_estimate_reach(double level, bool gaussian);

/*
 * Noisy moments as shares of what a row adds, and combinations of them.
 *
 * Values are taken from -1 to 1 between their bounds, features as shares of what
 * a row adds to all of them.  Then 1, c and c^2 have small integer coefficients
 * in the Bernstein polynomials of degree 2, and every moment is a combination of
 * noisy features whose noise is known.
 */

/* Noisy features as shares, and what noise may do to them. */
typedef struct DpFeatures
{
	int			degree_x;
	int			degree_y;
	double		share[DP_MOMENTS_MOST];
	double		stddev;			/* of each */
	double		slack;			/* rounding, for a combination of norm 1 */
	bool		gaussian;
} DpFeatures;

/* Coefficients of a combination of features. */
typedef struct DpCombination
{
	double		of[DP_MOMENTS_MOST];
} DpCombination;

/* Polynomials of degree 2 by their coefficients: 1, c, c^2. */
extern const double dp_aggregate_one[];
extern const double dp_aggregate_linear[];
extern const double dp_aggregate_square[];

/* The noisy totals as shares of a row. */
extern void dp_aggregate_features_read(const DpEstimate *estimate, const double *totals,
									   DpFeatures *features);

/* combination += weight * f(c) g(d), polynomials given by their coefficients. */
extern void dp_aggregate_features_add(DpCombination *combination, const DpFeatures *features,
									  double weight, const double *f, const double *g);

/* The combination f(c) g(d). */
extern DpCombination dp_aggregate_features_product(const DpFeatures *features, const double *f,
												   const double *g);

/* The noisy total of a combination. */
extern double dp_aggregate_features_total(const DpFeatures *features, const DpCombination *combination);

/*
 * By how much the totals of rows exceed what noise may make of too few; INFINITY where
 * rows add nothing to them.  Centred: the count does.
 */
extern double dp_aggregate_estimate_excess(const DpEstimate *estimate, const double *totals);

static inline double
dp_aggregate_limit(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

/* Half the width of bounds, and their middle: where -1 to 1 is taken to. */
static inline double
dp_aggregate_half_width(double lower, double upper)
{
	return upper / 2 - lower / 2;
}

static inline double
dp_aggregate_middle(double lower, double upper)
{
	return upper / 2 + lower / 2;
}

/* A normalised slope in the units of y over x; 0 where x has no width. */
static inline double
dp_aggregate_slope_scale(const DpEstimate *estimate)
{
	double		x = dp_aggregate_half_width(estimate->lower_x, estimate->upper_x);

	return x > 0 ? dp_aggregate_half_width(estimate->lower_y, estimate->upper_y) / x : 0;
}

#endif							/* DP_AGGREGATE_ESTIMATE_H */
