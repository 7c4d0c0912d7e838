/* SPDX-License-Identifier: PostgreSQL */
/*
 * coins.h
 *	  Exact coins: events whose probability is rational, or exp of a rational.
 *
 * [CKS] Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential
 * Privacy" (2020), Algorithm 1; [L] Lemire, "Fast random integer generation in
 * an interval" (2019).
 *
 * Integers only, from the bits of random.h.  Inline, since samplers throw many.
 */
#ifndef DP_NOISE_COINS_H
#define DP_NOISE_COINS_H

#include <stdbool.h>

#include "noise/random.h"

typedef unsigned __int128 DpUInt128;

/*
 * The series of exp(-1/q), cut after 1/(16! q^16), as a fraction over
 * DP_EXP_TOTAL(q): S_0 = 1, S_n = q n S_(n-1) + (-1)^n.  For q in {1, 2}.
 */
#define DP_FACTORIAL_16 UINT64_C(20922789888000)
#define DP_EXP_TOTAL(q) ((q) == 1 ? DP_FACTORIAL_16 : DP_FACTORIAL_16 << 16)
#define DP_TWO_TERMS(sum, q, n) (((sum) * (q) * (n) - 1) * (q) * ((n) + 1) + 1)
#define DP_EXP_SUM(q) \
	DP_TWO_TERMS(DP_TWO_TERMS(DP_TWO_TERMS(DP_TWO_TERMS(DP_TWO_TERMS(DP_TWO_TERMS(DP_TWO_TERMS(DP_TWO_TERMS( \
		UINT64_C(1), q, 1), q, 3), q, 5), q, 7), q, 9), q, 11), q, 13), q, 15)

_Static_assert(DP_FACTORIAL_16 == UINT64_C(2) * 3 * 4 * 5 * 6 * 7 * 8 * 9 * 10 * 11 * 12 *
			   13 * 14 * 15 * 16, "16!");
_Static_assert(DP_FACTORIAL_16 >> 47 == 0, "16! 2^16 fits in 63 bits");

/*
 * Uniform on 0 .. n - 1, 1 <= n < 2^64.  Exact [L]: of the words that give
 * a result, those with low half below 2^64 mod n are drawn again, which leaves
 * floor(2^64 / n) words for each.
 */
static inline uint64_t
dp_noise_uniform_below(uint64_t n)
{
	DpUInt128	product = (DpUInt128) dp_noise_random64() * n;

	if (__builtin_expect((uint64_t) product < n, 0))
	{
		uint64_t	excess = -n % n;

		while ((uint64_t) product < excess)
			product = (DpUInt128) dp_noise_random64() * n;
	}
	return (uint64_t) (product >> 64);
}

/* True with probability a / (n k); 0 <= a <= n, 1 <= n, 1 <= k. */
static inline bool
dp_noise_bernoulli_ratio(uint64_t a, uint64_t n, uint64_t k)
{
	uint64_t	nk;

	if (__builtin_expect(!__builtin_mul_overflow(n, k, &nk), 1))
		return dp_noise_uniform_below(nk) < a;
	return dp_noise_uniform_below(k) == 0 && dp_noise_uniform_below(n) < a;
}

/*
 * True with probability exp(-a/n); 0 <= a <= n.  [CKS] Algorithm 1: the first
 * k at which a coin of probability g/k fails is odd with probability exp(-g).
 */
static inline bool
dp_noise_bernoulli_exp(uint64_t a, uint64_t n)
{
	uint64_t	k = 1;

	while (dp_noise_bernoulli_ratio(a, n, k))
		k++;
	return (k & 1) != 0;
}

/*
 * The coins of Algorithm 1 for exp(-1/q) from the 17th on: true if an even
 * number of them succeeds before one fails.
 */
extern bool dp_noise_exp_tail(uint64_t q);

/*
 * True with probability exp(-1/q), q in {1, 2}: Algorithm 1 with its first 16
 * coins thrown at once.  With T = DP_EXP_TOTAL, S = DP_EXP_SUM,
 *
 *		T exp(-1/q) = S - 1/(17q) (1 - 1/(18q) (1 - ...))
 *
 * so that S - 1 of T outcomes are true, and one is true with probability
 * 1 - 1/(17q) (1 - 1/(18q) (1 - ...)), which the remaining coins decide.
 */
static inline __attribute__((always_inline)) bool
dp_noise_bernoulli_exp_reciprocal(uint64_t q)
{
	uint64_t	outcome = dp_noise_uniform_below(DP_EXP_TOTAL(q));

	if (__builtin_expect(outcome == DP_EXP_SUM(q) - 1, 0))
		return dp_noise_exp_tail(q);
	return outcome < DP_EXP_SUM(q) - 1;
}

/* True with probability exp(-(whole + a/n)); 0 <= a <= n. */
static inline bool
dp_noise_bernoulli_exp_sum(uint64_t whole, uint64_t a, uint64_t n)
{
	for (uint64_t i = 0; i < whole; i++)
		if (!dp_noise_bernoulli_exp_reciprocal(1))
			return false;
	return dp_noise_bernoulli_exp(a, n);
}

#endif							/* DP_NOISE_COINS_H */
