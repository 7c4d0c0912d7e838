/* SPDX-License-Identifier: PostgreSQL */
/*
 * gaussian.h
 *	  The continuous Gaussian distribution as far as calibration and tails
 *	  need it; for this room only.
 *
 * Plain C: no server header.
 */
#ifndef DP_ACCOUNTING_GAUSSIAN_H
#define DP_ACCOUNTING_GAUSSIAN_H

/* The Mills ratio M(u) = P[N(0,1) >= u] / phi(u), for u >= -10. */
extern long double dp_accounting_mills(long double u);

/* M(u) - M(u + h) without cancellation, for u >= -10 and h > 0. */
extern long double dp_accounting_mills_difference(long double u, long double h);

/*
 * An x >= 0, rounded up, with P[N(0,1) >= x] <= probability, for
 * 0 < probability <= 1/2.
 */
extern long double dp_accounting_normal_quantile(long double probability);

/*
 * The least ratio, rounded up, of sigma to L2 sensitivity at which Gaussian
 * noise is (epsilon, delta)-differentially private; epsilon > 0 and
 * 0 < delta <= 1/2.
 */
extern long double dp_accounting_gaussian_ratio(double epsilon, double delta);

#endif							/* DP_ACCOUNTING_GAUSSIAN_H */
