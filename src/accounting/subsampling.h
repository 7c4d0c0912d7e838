/* SPDX-License-Identifier: PostgreSQL */
/*
 * subsampling.h
 *	  Renyi curves of mechanisms run on a Poisson sample of the units.
 *
 * Plain C: no server header.  Results are never below what the theorem gives.
 */
#ifndef DP_ACCOUNTING_SUBSAMPLING_H
#define DP_ACCOUNTING_SUBSAMPLING_H

#include "accounting/curve.h"

/* The work is proportional to the order: some 10^-7 s times alpha. */
#define DP_MAX_SAMPLED_ALPHA 1e5

/*
 * Every unit is in the sample with probability p, 0 < p <= 1, by coins of its own that
 * are fresh and stay secret (Steinke 2022, Theorem 34).  The theorem is for whole
 * orders.  Between them chords are taken of two functions that are convex.  Below order
 * 2 a smaller bound follows from the mechanism's RDP at alpha and 2.  The order alpha
 * is from DP_MIN_ALPHA (mechanisms.h) to DP_MAX_SAMPLED_ALPHA.
 *
 * Gaussian noise with sigma > 0 for sensitivity 1, or discrete Laplace noise
 * with scale > 0 for a shift by 1.
 */
extern double dp_accounting_rdp_subsampled_gaussian(double alpha, double p, double sigma);
extern double dp_accounting_rdp_subsampled_laplace(double alpha, double p, double scale);

/*
 * The cost of a mechanism, all that is released of one sample together, if it runs on a
 * Poisson sample in which every unit is with probability 0 < p <= 1.  Its Renyi curve
 * follows by Theorem 34 from chords of the whole mechanism's curve, and below order 2
 * by the bound in subsampling.c; its pure epsilon as below.  Delta, of partition
 * selection, stays.  Never more than without sampling.
 */
extern void dp_accounting_amplify(DpCurve *curve, double p);

/* log(1 + p (exp(epsilon) - 1)), rounded up; epsilon > 0 (Steinke 2022, Theorem 29). */
extern double dp_accounting_amplified(double epsilon, double p);

#endif							/* DP_ACCOUNTING_SUBSAMPLING_H */
