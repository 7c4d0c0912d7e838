/*
 * subsampling.c
 *	  Renyi curves of mechanisms run on a Poisson sample of the units.
 *
 * At whole orders a the moment is the sum over k = 0 ... a of the binomial
 * probabilities of k times exp((k - 1) RDP(k)), which is taken as 1 for k = 0
 * and 1 (Steinke 2022, Theorem 34; by Theorem 35 the direction of neighbours
 * does not matter).  Since the probabilities add up to 1, it is 1 plus the sum
 * over k >= 2 of probability times gain, gain = exp((k - 1) RDP(k)) - 1.
 */
#include "accounting/subsampling.h"

#include "accounting/outward.h"

/* log(exp((k - 1) RDP(k)) - 1) of the mechanism that runs on the sample. */
typedef long double (*LogGain) (long double k, long double parameter);

/* RDP(k) = k / (2 sigma^2). */
static long double
gaussian_log_gain(long double k, long double sigma)
{
	long double x = k * (k - 1) / sigma / sigma / 2;

	return x < 1 ? logl(expm1l(x)) : x + log1pl(-expl(-x));
}

/*
 * Randomised response with epsilon = s = 1 / scale: the gain is
 * 2 sinh(k s / 2) sinh((k - 1) s / 2) / cosh(s / 2).
 */
static long double
laplace_log_gain(long double k, long double scale)
{
	long double s = 1 / scale;

	return (k - 1) * s + logl(-expm1l(-k * s)) + logl(-expm1l(-(k - 1) * s)) - log1pl(expl(-s));
}

/* log(1 + exp(x)), rounded up. */
static long double
log_one_plus(long double x)
{
	return (x > 1000 ? x : log1pl(expl(x))) * (1 + DP_LOG_SLACK);
}

/*
 * (a - 1) RDP(a) at a whole order, rounded up.
 *
 * The binomial probabilities follow from each other; theirs is weight times
 * exp(log_scale), rescaled to stay in range.  What they and the gains err by is
 * below 2^-60 times the number of steps and the size of the exponents.
 */
static long double
log_moment(int a, double p, LogGain log_gain, double parameter)
{
	long double odds = p / (1 - (long double) p);
	long double weight = 1;
	long double log_scale = a * log1pl(-(long double) p);
	long double greatest = -INFINITY;
	long double sum = 0;		/* relative to exp(greatest) */
	long double size;

	if (a < 2)
		return 0;
	if (p == 1)
		return log_one_plus(log_gain(a, parameter));
	size = a + fabsl(log_gain(a, parameter)) - a * logl(p) - log_scale;
	for (int k = 1; k <= a; k++)
	{
		long double term;

		weight *= (long double) (a - k + 1) / k * odds;
		if (weight > 0x1p8000L || weight < 0x1p-8000L)
		{
			log_scale += logl(weight);
			weight = 1;
		}
		if (k == 1)
			continue;
		term = log_scale + logl(weight) + log_gain(k, parameter);
		if (term > greatest)
		{
			sum = sum * expl(greatest - term) + 1;
			greatest = term;
		}
		else
			sum += expl(term - greatest);
	}
	greatest += logl(sum) + size * 0x1p-60L;
	return log_one_plus(greatest);
}

/* Whole orders on either side of alpha, (alpha - 1) RDP interpolated. */
static double
rdp_subsampled(double alpha, double p, LogGain log_gain, double parameter)
{
	int			below = (int) alpha;
	long double share = alpha - below;
	long double moment = (1 - share) * log_moment(below, p, log_gain, parameter);

	if (share > 0)
		moment += share * log_moment(below + 1, p, log_gain, parameter);
	return dp_accounting_up(moment / ((long double) alpha - 1) * (1 + DP_LOG_SLACK));
}

double
dp_accounting_rdp_subsampled_gaussian(double alpha, double p, double sigma)
{
	return rdp_subsampled(alpha, p, gaussian_log_gain, sigma);
}

double
dp_accounting_rdp_subsampled_laplace(double alpha, double p, double scale)
{
	return rdp_subsampled(alpha, p, laplace_log_gain, scale);
}
