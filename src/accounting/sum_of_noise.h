/* SPDX-License-Identifier: PostgreSQL */
/*
 * sum_of_noise.h
 *	  How far the sum of several noises of one kind reaches.
 *
 * Plain C: no server header.
 */
#ifndef DP_ACCOUNTING_SUM_OF_NOISE_H
#define DP_ACCOUNTING_SUM_OF_NOISE_H

#include "accounting/calibrate.h"

/*
 * Standard deviation, in the value's unit, of the sum of n >= 1 independent noises, of
 * Laplace or Gaussian noise.  `rounded`: each was added to a whole number of units, and the
 * result rounded to one.
 */
extern double dp_accounting_sum_stddev(const DpNoise *noise, int n, bool rounded);

/* An h with P[|sum| <= h] >= probability, in the value's unit, to within n grid units. */
extern double dp_accounting_sum_half_width(const DpNoise *noise, int n, bool rounded, double probability);

#endif							/* DP_ACCOUNTING_SUM_OF_NOISE_H */
