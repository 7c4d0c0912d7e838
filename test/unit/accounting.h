/*
 * accounting.h
 *	  What the accounting tests share: arguments spread over all magnitudes,
 *	  and the meaning of "rounded outward".
 */
#ifndef DP_TEST_ACCOUNTING_H
#define DP_TEST_ACCOUNTING_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "reference.h"
#include "tap.h"

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

static uint64_t argument_state = 1;

/* Sixty-four well-spread bits (splitmix64). */
static inline uint64_t
bits64(void)
{
	uint64_t	z = (argument_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Between low and high. */
static inline double
uniform(double low, double high)
{
	return low + (high - low) * (double) (bits64() >> 11) * 0x1p-53;
}

/* Between low and high, every order of magnitude equally often. */
static inline double
log_uniform(double low, double high)
{
	return (double) expl(uniform((double) logl(low), (double) logl(high)));
}

/* An integer from 1 to high, every order of magnitude equally often. */
static inline uint64_t
log_uniform_integer(double high)
{
	return (uint64_t) log_uniform(1, high);
}

/* Is value not below truth, and within 1e-12 relative of it? */
static inline bool
outward(long double value, long double truth)
{
	return value >= truth && value <= truth * (1 + 1e-12L);
}

/* Are both within the given relative distance? */
static inline bool
near(long double a, long double b, long double distance)
{
	return fabsl(a - b) <= distance * fabsl(b);
}

#endif							/* DP_TEST_ACCOUNTING_H */
