/* SPDX-License-Identifier: PostgreSQL */
/*
 * privacy_curve.h
 *	  Privacy curves delta(epsilon) of the noise distributions, and variances.
 *
 * Plain C: no server header.  A delta is the least at which the mechanism is
 * (epsilon, delta)-differentially private, rounded up and at most 1; one that
 * is not 0 never becomes 0.  0 <= epsilon <= DP_MAX_CURVE_EPSILON.
 */
#ifndef DP_ACCOUNTING_PRIVACY_CURVE_H
#define DP_ACCOUNTING_PRIVACY_CURVE_H

#include <stdint.h>

#define DP_MAX_CURVE_EPSILON 1e6

/* Gaussian noise of standard deviation sigma > 0 (Balle, Wang 2018). */
extern double dp_accounting_gaussian_delta(double sigma, double epsilon, double sensitivity);

/*
 * The least sigma, rounded up, at which Gaussian noise is (epsilon,
 * delta)-differentially private; epsilon > 0, 0 < delta <= 1/2.
 */
extern double dp_accounting_gaussian_sigma(double epsilon, double delta, double sensitivity);

/* Gaussian differential privacy of parameter mu > 0 (Dong, Roth, Su 2022). */
extern double dp_accounting_gdp_to_delta(double mu, double epsilon);

/* The least epsilon >= 0, rounded up, for 0 < delta < 1. */
extern double dp_accounting_gdp_to_epsilon(double mu, double delta);

/* Continuous Laplace noise of scale > 0. */
extern double dp_accounting_laplace_delta(double scale, double epsilon, double sensitivity);

/* Discrete Laplace noise of scale > 0 and a shift by sensitivity >= 1. */
extern double dp_accounting_discrete_laplace_delta(double scale, double epsilon,
												   int64_t sensitivity);

/*
 * Discrete Gaussian noise with a variance parameter from DP_MIN_SIGMA2 to
 * DP_MAX_SIGMA2 (mechanisms.h) and a shift by sensitivity >= 1.
 */
extern double dp_accounting_discrete_gaussian_delta(double sigma2, double epsilon,
													int64_t sensitivity);

/* Variances, to the nearest double. */
extern double dp_accounting_discrete_laplace_variance(double scale);
extern double dp_accounting_discrete_gaussian_variance(double sigma2);

#endif							/* DP_ACCOUNTING_PRIVACY_CURVE_H */
