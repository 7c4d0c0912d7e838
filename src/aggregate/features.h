/*
 * features.h
 *	  Noisy moments as shares of what a row adds, and combinations of them.
 *
 * Values are taken from -1 to 1 between their bounds, features as shares of what
 * a row adds to all of them.  Then 1, c and c^2 have small integer coefficients
 * in the Bernstein polynomials of degree 2, and every moment is a combination of
 * noisy features whose noise is known.
 */
#ifndef DP_AGGREGATE_FEATURES_H
#define DP_AGGREGATE_FEATURES_H

#include "aggregate/estimate.h"

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
extern const double dp_one[];
extern const double dp_linear[];
extern const double dp_square[];

/* The noisy totals as shares of a row. */
extern void dp_features_read(const DpEstimate *estimate, const double *totals,
							 DpFeatures *features);

/* combination += weight * f(c) g(d), polynomials given by their coefficients. */
extern void dp_features_add(DpCombination *combination, const DpFeatures *features,
							double weight, const double *f, const double *g);

/* The combination f(c) g(d). */
extern DpCombination dp_features_product(const DpFeatures *features, const double *f,
										 const double *g);

/* The noisy total of a combination. */
extern double dp_features_total(const DpFeatures *features, const DpCombination *combination);

/*
 * By how much the totals of rows exceed what noise may make of too few; INFINITY where
 * rows add nothing to them.  Centred: the count does.
 */
extern double dp_estimate_excess(const DpEstimate *estimate, const double *totals);

static inline double
dp_limit(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

/* Half the width of bounds, and their middle: where -1 to 1 is taken to. */
static inline double
dp_half_width(double lower, double upper)
{
	return upper / 2 - lower / 2;
}

static inline double
dp_middle(double lower, double upper)
{
	return upper / 2 + lower / 2;
}

/* What a normalised slope is in the units of y over x; 0 where x has no width. */
static inline double
dp_slope_scale(const DpEstimate *estimate)
{
	double		x = dp_half_width(estimate->lower_x, estimate->upper_x);

	return x > 0 ? dp_half_width(estimate->lower_y, estimate->upper_y) / x : 0;
}

#endif							/* DP_AGGREGATE_FEATURES_H */
