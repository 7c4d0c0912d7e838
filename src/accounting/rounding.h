/* SPDX-License-Identifier: PostgreSQL */
/*
 * rounding.h
 *	  Outward rounding, for this room only.
 *
 * Plain C: no server header.  Intermediate results are long double with at
 * least 64 bits of mantissa, in round-to-nearest; doubles are evaluated as
 * doubles.  Both are asserted here because every "never below the true value"
 * in this room rests on them.
 */
#ifndef DP_ACCOUNTING_ROUNDING_H
#define DP_ACCOUNTING_ROUNDING_H

#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG >= 64, "long double is too short for outward rounding");
_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be evaluated as doubles");

/* Relative slack of a handful of multiplications, divisions and roots. */
#define DP_PRODUCT_SLACK 0x1p-60L

/* The least double not below x. */
static inline double
dp_accounting_up(long double x)
{
	double		d = (double) x;

	return (long double) d < x ? nextafter(d, INFINITY) : d;
}

/*
 * The least double not below a + b (Knuth's TwoSum gives the rounding error
 * exactly); infinite if that overflows or either is infinite.
 */
static inline double
dp_accounting_add_up(double a, double b)
{
	double		sum = a + b;
	double		rest = sum - a;
	double		error = (a - (sum - rest)) + (b - rest);

	return error > 0 ? nextafter(sum, INFINITY) : sum;
}

#endif							/* DP_ACCOUNTING_ROUNDING_H */
