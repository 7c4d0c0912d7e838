/* SPDX-License-Identifier: PostgreSQL */
/*
 * threshold.h
 *	  Which groups may show that they exist: thresholds for noisy counts of
 *	  units, and optimal partition selection.
 *
 * Plain C: no server header.
 */
#ifndef DP_ACCOUNTING_THRESHOLD_H
#define DP_ACCOUNTING_THRESHOLD_H

#include <stdint.h>

/*
 * The least threshold for a count of units plus discrete Laplace noise with
 * which a unit that alone makes up to `groups` >= 1 groups exist has any of
 * them released with probability at most delta, 0 < delta < 1; where rounding
 * leaves a doubt, the next one.  Infinite if there is none below 2^63.  The
 * scale is from DP_MIN_SCALE to DP_MAX_SCALE (mechanisms.h).
 */
extern double dp_accounting_discrete_laplace_threshold(double scale, double delta, int groups);

/*
 * The same for discrete Gaussian noise with a variance parameter from
 * DP_MIN_SIGMA2 to DP_MAX_SIGMA2; never infinite.
 */
extern double dp_accounting_discrete_gaussian_threshold(double sigma2, double delta, int groups);

/*
 * The greatest probability with which any (epsilon, delta)-differentially
 * private mechanism may release a group of n >= 0 units, to within 1e-15
 * relative; 0 < epsilon <= 1e6, 0 < delta < 1, one group for each unit.
 */
extern double dp_accounting_partition_select(int64_t n, double epsilon, double delta);

#endif							/* DP_ACCOUNTING_THRESHOLD_H */
