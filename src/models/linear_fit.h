/* SPDX-License-Identifier: PostgreSQL */
/*
 * linear_fit.h
 *	  Linear regression from noisy totals (layout.h).
 *
 * Plain C: no server header.  All of it is made of released numbers.
 *
 * With n rows, means m and the centred matrix C = X'X - n m m', coefficients are (C +
 * lambda)^-1 (X'y - n m my); the intercept is not shrunk.  Here lambda = max(0, f s
 * sqrt(d) - l), where s is the standard deviation of the noise of a total, d the number
 * of coordinates, l the least eigenvalue of C and f a factor.  The factor is 4 for the
 * coefficients, which then err least, and 1 for the errors, since shrinking more makes
 * them false.
 *
 * The residual of the normal equations, X'y - X'X theta, has noise that is linear in that of the totals
 * with known coefficients J.  So coefficients have the covariance A^-1 ((r + e) X'X+ + s^2 J J') A^-1, with
 * A = X'X + lambda, r the variance of residuals, e the deviation of its noise, and X'X+ as X'X without negative
 * eigenvalues.
 *
 * Nothing is NaN.  With one row or less, by the noisy count, all coefficients but the intercept
 * are 0 and errors infinite.
 */
#ifndef DP_MODELS_LINEAR_FIT_H
#define DP_MODELS_LINEAR_FIT_H

#include <stddef.h>

#include "models/layout.h"

#define DP_LINEAR_MOST_TERMS (DP_MODEL_MOST_COORDINATES + 1)

/* From a coordinate to its column: middle + half * coordinate. */
typedef struct DpLinearScale
{
	double		middle;
	double		half;
} DpLinearScale;

/*
 * The matrix, terms squared, that takes coefficients of coordinates, intercept first, to those of their columns,
 * where what is predicted is `half` of its unit.
 */
extern void dp_models_linear_to_columns(int terms, const DpLinearScale *scale, double half, double *matrix);

/* In the columns' units.  Terms are the intercept, then the coordinates. */
typedef struct DpLinearFit
{
	int			terms;
	bool		shrunk;			/* is lambda > 0 for the coefficients? */
	double		coef[DP_LINEAR_MOST_TERMS];
	double		centre[DP_LINEAR_MOST_TERMS];	/* the coefficients that the errors are of */
	double		std_err[DP_LINEAR_MOST_TERMS];
	double		covariance[DP_LINEAR_MOST_TERMS * DP_LINEAR_MOST_TERMS];
	double		sigma;			/* standard deviation of residuals */
	double		sigma_lower;	/* 95 % of the noise lie above this, and */
	double		sigma_upper;	/* below this */
} DpLinearFit;

/* How many doubles of room the fit of such a model needs. */
extern size_t dp_models_linear_fit_room(const DpModelSpec *spec);

/*
 * Fit a model, its last block a number, to its totals in units of a row, whose noise has this
 * deviation > 0; scales of coordinates, and last of what is predicted.
 */
extern void dp_models_linear_fit(const DpModelSpec *spec, const double *total, double noise,
								 const DpLinearScale *scale, double *room, DpLinearFit *fit);

#endif							/* DP_MODELS_LINEAR_FIT_H */
