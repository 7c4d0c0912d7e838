/* SPDX-License-Identifier: PostgreSQL */
/*
 * outward.h
 *	  Single operations on long doubles rounded upward, for this room only:
 *	  exact where the result is a long double, so that what is exact in
 *	  mathematics comes out exact.
 *
 * Plain C: no server header.  A fused multiply-add gives the rounding error of
 * a product or a quotient, Knuth's TwoSum that of a sum; only its sign is used.
 */
#ifndef DP_ACCOUNTING_OUTWARD_H
#define DP_ACCOUNTING_OUTWARD_H

#include "accounting/rounding.h"

/*
 * Relative slack of logarithms, exponentials and a few operations on them,
 * where nothing cancels.
 */
#define DP_LOG_SLACK 0x1p-56L

/* a * b, rounded up. */
static inline long double
dp_accounting_mul_up(long double a, long double b)
{
	long double product = a * b;

	return fmal(a, b, -product) > 0 ? nextafterl(product, INFINITY) : product;
}

/* a / b for b > 0, rounded up. */
static inline long double
dp_accounting_div_up(long double a, long double b)
{
	long double quotient = a / b;

	return fmal(-quotient, b, a) > 0 ? nextafterl(quotient, INFINITY) : quotient;
}

/* a + b, rounded up. */
static inline long double
dp_accounting_sum_up(long double a, long double b)
{
	long double sum = a + b;
	long double rest = sum - a;
	long double error = (a - (sum - rest)) + (b - rest);

	return error > 0 ? nextafterl(sum, INFINITY) : sum;
}

/*
 * A probability given by its logarithm, which may be wrong by `error`, rounded
 * up: never 0, at most 1.
 */
static inline double
dp_accounting_probability_up(long double log_probability, long double error)
{
	long double exponent = log_probability + error + DP_LOG_SLACK;

	return dp_accounting_up(expl(fminl(fmaxl(exponent, -11000), 0)));
}

#endif							/* DP_ACCOUNTING_OUTWARD_H */
