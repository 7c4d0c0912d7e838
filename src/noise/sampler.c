/* SPDX-License-Identifier: PostgreSQL */
/*
 * sampler.c
 *	  Exact samplers for the discrete Laplace and discrete Gaussian
 *	  distributions, in integer arithmetic only.
 *
 * [CKS] Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential
 * Privacy" (2020), Algorithms 1 to 3; [K] Karney, "Sampling exactly from the
 * normal distribution" (2016).
 *
 * Both samplers build |Z| from a whole part v and a fraction x = u/t, where t
 * is the scale: |Z| = u + t v, 0 <= u < t (for Laplace, divided by den).  All
 * randomness goes through coins (coins.h) whose probability is rational, and
 * exp(-g) for g in {1/2, 1, x, x^2/2}; all of these are at most 1, as
 * Algorithm 1 wants them.  Time depends on the scale and on the random bits:
 * nothing else is known here.
 *
 * Nothing overflows:
 *	 - 2 num <= 2^63, 2 sigma <= 2^56, and dp_noise_uniform_below multiplies
 *	   64 by 64 bits in 128;
 *	 - dp_noise_bernoulli_ratio tests its product and has a way around it;
 *	 - the magnitude is below t (v + 1): at most 2^62 2^64 = 2^126 for
 *	   Laplace, 2^55 2^64 = 2^119 for Gaussian, so it and its negative fit;
 *	 - k and v count successes in a row, one draw or more for each: 2^63 of
 *	   them would take centuries (and have probability below exp(-2^62)).
 */
#include "noise/coins.h"
#include "noise/sampler.h"

/*
 * The coins of Algorithm 1 for exp(-1/q) from the 17th on: true if an even
 * number of them succeeds before one fails.
 */
bool __attribute__((cold, noinline))
dp_noise_exp_tail(uint64_t q)
{
	uint64_t	k = 17;

	while (dp_noise_uniform_below(q * k) == 0)
		k++;
	return (k & 1) != 0;
}

/*
 * True with probability exp(-(a/n)^2 / 2); 0 <= a <= n.  The same, a coin of
 * probability (a/n)^2 / (2k) being two that must both succeed.
 */
static inline bool
bernoulli_exp_half_square(uint64_t a, uint64_t n)
{
	uint64_t	k = 1;

	while (dp_noise_bernoulli_ratio(a, n, 2 * k) && dp_noise_uniform_below(n) < a)
		k++;
	return (k & 1) != 0;
}

/* v >= 0 with probability proportional to exp(-v). */
static inline uint64_t
laplace_whole_part(void)
{
	uint64_t	v = 0;

	while (dp_noise_bernoulli_exp_reciprocal(1))
		v++;
	return v;
}

/* True with probability exp(-v (v - 1) / 2). */
static inline bool
accept_gaussian_whole_part(uint64_t v)
{
	for (uint64_t i = 1; i < v; i++)
		for (uint64_t j = 0; j < i; j++)
			if (!dp_noise_bernoulli_exp_reciprocal(1))
				return false;
	return true;
}

/*
 * v >= 0 with probability proportional to exp(-v^2 / 2), by rejection from
 * exp(-v/2).
 */
static inline uint64_t
gaussian_whole_part(void)
{
	uint64_t	v;

	do
	{
		v = 0;
		while (dp_noise_bernoulli_exp_reciprocal(2))
			v++;
	} while (!accept_gaussian_whole_part(v));
	return v;
}

/* True with probability exp(-x (v + x/2)), x = u/sigma. */
static inline bool
accept_gaussian_fraction(uint64_t u, uint64_t v, uint64_t sigma)
{
	if (!bernoulli_exp_half_square(u, sigma))
		return false;
	for (uint64_t i = 0; i < v; i++)
		if (!dp_noise_bernoulli_exp(u, sigma))
			return false;
	return true;
}

/* floor(x / den), sparing the long division where x is short. */
static inline DpUInt128
divide(DpUInt128 x, uint64_t den)
{
	if (den == 1)
		return x;
	if ((uint64_t) (x >> 64) == 0)
		return (uint64_t) x / den;
	return x / den;
}

/*
 * [CKS] Algorithm 2.  x = u/num is uniform and kept with probability exp(-x);
 * u + num v then has probability proportional to exp(-(u + num v) / num), and
 * dividing by den gathers den neighbours into one: exp(-|z| den / num).  The
 * sign is drawn along with u; minus zero is rejected, lest zero count twice.
 */
DpInt128
dp_noise_discrete_laplace(uint64_t num, uint64_t den)
{
	if (num < 1 || num > DP_NOISE_MAX_SCALE_NUM || den < 1 || den > DP_NOISE_MAX_SCALE_DEN)
		dp_noise_fail();
	for (;;)
	{
		uint64_t	signed_u = dp_noise_uniform_below(2 * num);
		uint64_t	u = signed_u >> 1;
		bool		negative = (signed_u & 1) != 0;
		DpUInt128	magnitude;

		if (!dp_noise_bernoulli_exp(u, num))
			continue;
		magnitude = divide(u + (DpUInt128) num * laplace_whole_part(), den);
		if (!negative)
			return (DpInt128) magnitude;
		if (magnitude != 0)
			return -(DpInt128) magnitude;
	}
}

/*
 * [CKS] Algorithm 3 with proposal scale sigma: a discrete Laplace y, |y| =
 * u + sigma v, is kept with probability exp(-(|y| - sigma)^2 / (2 sigma^2)).
 * With x = u/sigma, proposal and acceptance multiply to
 *
 *		exp(-x) exp(-v) exp(-(v + x - 1)^2 / 2)
 *			= exp(-1/2) exp(-v^2 / 2) exp(-x (v + x/2))
 *
 * which is drawn in the order of the right side, [K] Algorithm N: v alone,
 * then u uniform, then one acceptance.  The law is the same; the constant
 * factor is saved, no exponent is ever squared in full, and however large |y|
 * is, coins see only u and sigma.  Minus zero is rejected as above.
 */
DpInt128
dp_noise_discrete_gaussian(uint64_t sigma)
{
	if (sigma < 1 || sigma > DP_NOISE_MAX_SIGMA)
		dp_noise_fail();
	for (;;)
	{
		uint64_t	v = gaussian_whole_part();
		uint64_t	signed_u = dp_noise_uniform_below(2 * sigma);
		uint64_t	u = signed_u >> 1;
		bool		negative = (signed_u & 1) != 0;
		DpUInt128	magnitude;

		if (!accept_gaussian_fraction(u, v, sigma))
			continue;
		magnitude = u + (DpUInt128) sigma * v;
		if (!negative)
			return (DpInt128) magnitude;
		if (magnitude != 0)
			return -(DpInt128) magnitude;
	}
}

/* The magnitude of dp_noise_discrete_laplace before it has a sign. */
DpInt128
dp_noise_geometric(uint64_t num, uint64_t den)
{
	uint64_t	u;

	if (num < 1 || num > DP_NOISE_MAX_SCALE_NUM || den < 1 || den > DP_NOISE_MAX_SCALE_DEN)
		dp_noise_fail();
	do
		u = dp_noise_uniform_below(num);
	while (!dp_noise_bernoulli_exp(u, num));
	return (DpInt128) divide(u + (DpUInt128) num * laplace_whole_part(), den);
}
