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

/* How many reaches are kept. */
#define REACHES 8

/* How far the sum of n Laplace noises of scale 1 goes but for a probability. */
typedef struct Reach
{
	int			n;
	long double miss;
	long double reach;
} Reach;

double
dp_accounting_sum_stddev(const DpNoise *noise, int n, bool rounded)
{
	long double stddev = dp_accounting_stddev(noise);

	if (rounded && noise->grid < 0)
		return (double) sqrtl(n * (stddev * stddev + ROUNDING_VARIANCE));
	return (double) (sqrtl(n) * stddev);
}

/* The probability that blue is complete while n - 1 red events have come. */
static long double
first_weight(int n)
{
	return expl(lgammal(2.0L * n - 1) - 2 * lgammal(n) - (2.0L * n - 1) * logl(2));
}

/* P[S > t] for the sum of n Laplace noises of scale 1, t >= 0. */
static long double
laplace_tail(int n, long double weight, long double t)
{
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
seek_reach(int n, long double miss)
{
	long double weight = first_weight(n);
	long double low = 0;
	long double high = 1;

	while (laplace_tail(n, weight, high) > miss / 2)
		high *= 2;
	for (int i = 0; i < STEPS; i++)
	{
		long double middle = (low + high) / 2;

		if (laplace_tail(n, weight, middle) > miss / 2)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The same; a statement asks for the same few again and again, so those found last are kept. */
static long double
laplace_reach(int n, long double miss)
{
	static Reach found[REACHES];	/* n is 0: none yet */
	static int	oldest = 0;

	for (int i = 0; i < REACHES; i++)
		if (found[i].n == n && found[i].miss == miss)
			return found[i].reach;
	oldest = (oldest + 1) % REACHES;
	found[oldest] = (Reach) {.n = n, .miss = miss, .reach = seek_reach(n, miss)};
	return found[oldest].reach;
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
