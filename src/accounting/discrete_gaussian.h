/* SPDX-License-Identifier: PostgreSQL */
/*
 * discrete_gaussian.h
 *	  The discrete Gaussian distribution, P[Z = z] proportional to
 *	  exp(-z^2 / (2 sigma2)) on the integers, for any real sigma2; for this
 *	  room only.
 *
 * Plain C: no server header.  sigma2 is from DP_MIN_SIGMA2 to DP_MAX_SIGMA2.
 * The work is bounded: at most some 10^5 terms are summed.
 */
#ifndef DP_ACCOUNTING_DISCRETE_GAUSSIAN_H
#define DP_ACCOUNTING_DISCRETE_GAUSSIAN_H

/*
 * log(theta(c) / theta(0)), at most 0, where theta(c) is the sum over the
 * integers of exp(-(z + c)^2 / (2 sigma2)) and 0 <= c < 1.
 */
extern long double dp_accounting_theta_log_ratio(long double sigma2, long double c);

/* The variance, to double precision; it lies below sigma2. */
extern long double dp_accounting_gaussian_integer_variance(long double sigma2);

/* P[Z >= m] for a whole m >= 1, within 2^-50 relative. */
extern long double dp_accounting_gaussian_integer_tail(long double sigma2, long double m);

/*
 * The least delta at which a shift by the whole number `shift` >= 1 is
 * (epsilon, delta)-differentially private, as a logarithm that errs by at most
 * *error; -infinity stands for less than exp(-800).  0 <= epsilon <= 2^20.
 */
extern long double dp_accounting_gaussian_integer_log_delta(long double sigma2, long double epsilon,
															long double shift, long double *error);

#endif							/* DP_ACCOUNTING_DISCRETE_GAUSSIAN_H */
