/* SPDX-License-Identifier: PostgreSQL */
/*
 * sum_of_noise.c
 *	  How far the sum of several noises of one kind reaches.
 *
 * The sum of n Gaussian noises is Gaussian of sqrt(n) times the standard deviation.
 * The sum S of n Laplace noises of scale 1 is the difference of two sums of n
 * exponentials: the times at which the n-th of red and the n-th of blue events come, of
 * two Poisson processes of rate 1.  S > t if two things happen.  Blue is complete while
 * k < n red events have come, which has the probability C(n - 1 + k, k) / 2^(n + k).
 * And the n - k that are left take longer than t, which has exp(-t) (1 + t + ... + t^(n
 * - k - 1) / (n - k - 1)!).  The discrete distributions lie on a grid that is fine
 * beside their scale, or are of less variance than the continuous ones, by which they
 * are counted here.
 *
 * Rounding normal noise of standard deviation s to whole numbers makes its variance
 * s^2 + 1/12 at most (Sheppard, whose next term is negative).
 */
#include "accounting/gaussian.h"
#include "accounting/rounding.h"
#include "accounting/sum_of_noise.h"

#define ROUNDING_VARIANCE (1.0L / 12)

/* Halvings of an interval: as many as a double has digits, and some. */
#define STEPS 64

double
dp_accounting_sum_stddev(const DpNoise *noise, int n, bool rounded)
{
	long double stddev = dp_accounting_stddev(noise);

	if (rounded && noise->grid < 0)
		return (double) sqrtl(n * (stddev * stddev + ROUNDING_VARIANCE));
	return (double) (sqrtl(n) * stddev);
}

/* P[S > t] for the sum of n Laplace noises of scale 1, t >= 0. */
static long double
laplace_tail(int n, long double t)
{
	long double weight = expl(lgammal(2.0L * n - 1) - 2 * lgammal(n) - (2.0L * n - 1) * logl(2));
	long double term = expl(-t);
	long double longer = 0;
	long double tail = 0;

	for (int k = n - 1; k >= 0; k--)
	{
		longer += term;
		tail += weight * longer;
		term *= t / (n - k);
		if (k > 0)
			weight *= 2.0L * k / (n - 1 + k);
	}
	return tail;
}

/* The least t with P[|S| > t] <= miss, from above. */
static long double
laplace_reach(int n, long double miss)
{
	long double low = 0;
	long double high = 1;

	while (laplace_tail(n, high) > miss / 2)
		high *= 2;
	for (int i = 0; i < STEPS; i++)
	{
		long double middle = (low + high) / 2;

		if (laplace_tail(n, middle) > miss / 2)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double
dp_accounting_sum_half_width(const DpNoise *noise, int n, bool rounded, double probability)
{
	long double miss = 1 - (long double) probability;

	if (n == 1 && !rounded)
		return dp_accounting_half_width(noise, probability);
	if (probability <= 0)
		return 0;
	if (!(probability < 1))
		return INFINITY;
	if (noise->mechanism == DP_GAUSSIAN)
		return (double) (dp_accounting_sum_stddev(noise, n, rounded) * dp_accounting_normal_quantile(miss / 2));
	return (double) ldexpl(laplace_reach(n, miss) * noise->scale_num / noise->scale_den, noise->grid);
}
