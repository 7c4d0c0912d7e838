/* SPDX-License-Identifier: PostgreSQL */
/*
 * fixed.h
 *	  Fixed point numbers of 60 binary digits, of which tables are made that are the same on
 *	  every machine.
 *
 * Plain C: no server header.
 */
#ifndef DP_MODELS_FIXED_H
#define DP_MODELS_FIXED_H

#include <stdint.h>

#define DP_FIXED_BITS 60
#define DP_FIXED_ONE (INT64_C(1) << DP_FIXED_BITS)

static inline int64_t
dp_models_fixed_product(int64_t a, int64_t b)
{
	return (int64_t) (((__int128) a * b) >> DP_FIXED_BITS);
}

/* a / b, 0 <= a <= b */
static inline int64_t
dp_models_fixed_quotient(int64_t a, int64_t b)
{
	return (int64_t) (((__int128) a << DP_FIXED_BITS) / b);
}

/* exp(-2^-bits), bits > 0, by its series. */
static inline int64_t
dp_models_fixed_exp_of_step(int bits)
{
	int64_t		term = DP_FIXED_ONE;
	int64_t		sum = DP_FIXED_ONE;

	for (int k = 1; term != 0; k++)
	{
		term = -term / ((INT64_C(1) << bits) * k);
		sum += term;
	}
	return sum;
}

#endif							/* DP_MODELS_FIXED_H */
