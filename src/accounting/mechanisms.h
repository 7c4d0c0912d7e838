/* SPDX-License-Identifier: PostgreSQL */
/*
 * mechanisms.h
 *	  Renyi curves of mechanisms with real parameters, for analysts.
 *
 * Plain C: no server header.  Orders are from DP_MIN_ALPHA to DP_MAX_ALPHA.
 * Every result is never below the true Renyi divergence, and infinite where
 * that overflows; what is charged for a release is curve.h's, from integers.
 */
#ifndef DP_ACCOUNTING_MECHANISMS_H
#define DP_ACCOUNTING_MECHANISMS_H

#include <stdint.h>

#define DP_MIN_ALPHA 1.01
#define DP_MAX_ALPHA 1e9

/* Laplace scales that are exact quotients of 64-bit integers. */
#define DP_MIN_SCALE 1e-3
#define DP_MAX_SCALE 1e18

/* Variance parameters of the discrete Gaussian. */
#define DP_MIN_SIGMA2 1e-6
#define DP_MAX_SIGMA2 1e30

/* Gaussian noise of standard deviation sigma > 0 (Mironov 2017). */
extern double dp_accounting_rdp_gaussian(double alpha, double sigma, double sensitivity);

/* Continuous Laplace noise of scale > 0 (Mironov 2017). */
extern double dp_accounting_rdp_laplace(double alpha, double scale, double sensitivity);

/*
 * Discrete Laplace noise with a scale from DP_MIN_SCALE to DP_MAX_SCALE, for a
 * shift by sensitivity >= 1.
 */
extern double dp_accounting_rdp_laplace_integer(double alpha, double scale, int64_t sensitivity);

/*
 * Discrete Gaussian noise with a variance parameter from DP_MIN_SIGMA2 to
 * DP_MAX_SIGMA2, for a shift by sensitivity >= 1: the divergence itself.
 */
extern double dp_accounting_rdp_gaussian_integer(double alpha, double sigma2, int64_t sensitivity);

/* Binary randomised response that tells the truth with probability 0 < p < 1. */
extern double dp_accounting_rdp_randomized_response(double alpha, double p);

/* Any mechanism of epsilon-bounded range, as the exponential mechanism is. */
extern double dp_accounting_rdp_exponential(double alpha, double epsilon);

/* A scale in range as num / den, exactly. */
extern void dp_accounting_scale_ratio(double scale, uint64_t *num, uint64_t *den);

#endif							/* DP_ACCOUNTING_MECHANISMS_H */
