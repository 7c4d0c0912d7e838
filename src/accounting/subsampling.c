/* SPDX-License-Identifier: PostgreSQL */
/*
 * subsampling.c
 *	  Renyi curves of mechanisms run on a Poisson sample of the units.
 *
 * At whole orders a the moment is the sum over k = 0 ... a of the binomial
 * probabilities of k times exp((k - 1) RDP(k)), which is taken as 1 for k = 0
 * and 1 (Steinke 2022, Theorem 34; by Theorem 35 the direction of neighbours
 * does not matter).  Since the probabilities add up to 1, it is 1 plus the sum
 * over k >= 2 of probability times gain, gain = exp((k - 1) RDP(k)) - 1.
 *
 * Between orders gain(a) / (a (a - 1)) is at most its geometric chord, and below
 * order 2 it is at most gain(2) / 2: doc/accounting.md, "Samples".
 *
 * Below order 2 there is a bound from the gains at a and at 2 alone.  With r the
 * likelihood ratio, whose mean is 1, (1 - p + p r)^a has the second derivative
 * a (a - 1) p^2 (1 - p + p r)^(a - 2).  As t^(a - 2) is convex, the last factor is
 * at most w^(3-a) (1-p)^(a-2) + (1-w)^(3-a) p^(a-2) r^(a-2), for every w between 0
 * and 1.  Two functions that agree at r = 1 with their first derivatives are in
 * the order of their second, so the moment is at most 1 plus
 *
 *	 w^(3-a) (1-p)^(a-2) p^2 a (a-1)/2 gain(2) + (1-w)^(3-a) p^a gain(a),
 *
 * p^2 gain(2) at order 2, and gain(a) at p = 1.
 */
#include <stdbool.h>
#include <string.h>

#include "accounting/outward.h"
#include "accounting/subsampling.h"
#include "accounting/variance.h"

/* log(exp((k - 1) RDP(k)) - 1) of the mechanism that runs on the sample. */
typedef long double (*LogGain) (long double k, const void *mechanism);

/* log(exp(x) - 1) */
static long double
log_expm1(long double x)
{
	return x < 1 ? logl(expm1l(x)) : x + log1pl(-expl(-x));
}

/* RDP(k) = k / (2 sigma^2). */
static long double
gaussian_log_gain(long double k, const void *mechanism)
{
	long double sigma = *(const double *) mechanism;

	return log_expm1(k * (k - 1) / sigma / sigma / 2);
}

/*
 * Randomised response with epsilon = s = 1 / scale: the gain is
 * 2 sinh(k s / 2) sinh((k - 1) s / 2) / cosh(s / 2).
 */
static long double
laplace_log_gain(long double k, const void *mechanism)
{
	long double s = 1 / (long double) *(const double *) mechanism;

	return (k - 1) * s + logl(-expm1l(-k * s)) + logl(-expm1l(-(k - 1) * s)) - log1pl(expl(-s));
}

/* More than what logarithms of numbers of moderate size, and sums of a few of them, err by. */
#define LOG_ERROR 0x1p-56L

/* log(1 + exp(x)), rounded up. */
static long double
log_one_plus(long double x)
{
	return (x > 1000 ? x : log1pl(expl(x))) * (1 + DP_LOG_SLACK);
}

/*
 * log(exp((a - 1) RDP(a)) - 1) at a whole order a >= 2, rounded up.
 *
 * The binomial probabilities follow from each other; theirs is weight times
 * exp(log_scale), rescaled to stay in range.  What they and the gains err by is
 * below 2^-60 times the number of steps and the size of the exponents.
 */
static long double
whole_log_gain(int a, double p, LogGain log_gain, const void *mechanism)
{
	long double odds = p / (1 - (long double) p);
	long double weight = 1;
	long double log_scale = a * log1pl(-(long double) p);
	long double greatest = -INFINITY;
	long double sum = 0;		/* relative to exp(greatest) */
	long double size;

	if (p == 1)
		return log_gain(a, mechanism) + LOG_ERROR;
	size = a + fabsl(log_gain(a, mechanism)) - a * logl(p) - log_scale;
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
		term = log_scale + logl(weight) + log_gain(k, mechanism);
		if (term > greatest)
		{
			sum = sum * expl(greatest - term) + 1;
			greatest = term;
		}
		else
			sum += expl(term - greatest);
	}
	return greatest + logl(sum) + size * 0x1p-60L;
}

/*
 * RDP(a) at an order between 1 and 2 by the bound above, rounded up, from the
 * logarithms of the gains at a and at 2.  With x and y for what w^(3-a) and
 * (1-w)^(3-a) are multiplied by, the sum is least at w = 1 / (1 + exp(t)),
 * t = log(x / y) / (2 - a).  It holds for every w, so what t errs by makes it
 * larger at most.
 */
static double
rdp_below_2(long double a, long double p, long double gain, long double gain_of_2)
{
	long double x = (a - 2) * log1pl(-p) + 2 * logl(p) + logl(a * (a - 1) / 2) + gain_of_2;
	long double y = a * logl(p) + gain;
	long double size = fabsl(x) + fabsl(y) + fabsl(gain) + fabsl(gain_of_2) - 4 * logl(p);
	long double t = fminl(fmaxl((x - y) / (2 - a), -1000), 1000);
	long double greatest;
	long double sum;

	if (p == 1)
		return dp_accounting_up(log_one_plus(gain) / (a - 1) * (1 + DP_LOG_SLACK));
	x -= (3 - a) * log1pl(expl(t));
	y -= (3 - a) * log1pl(expl(-t));
	greatest = fmaxl(x, y);
	sum = expl(x - greatest) + expl(y - greatest);
	greatest += logl(sum) + (size + 4000) * 0x1p-60L;
	return dp_accounting_up(log_one_plus(greatest) / (a - 1) * (1 + DP_LOG_SLACK));
}

/*
 * The gain at a between two orders at which its logarithm is known, by the lesser of two chords: that
 * of log(1 + gain), and that of log(gain / (a (a - 1))); both are convex.
 */
static long double
log_gain_between(long double a, long double below, long double gain_below, long double above, long double gain_above)
{
	long double share = (a - below) / (above - below);
	long double moment = (1 - share) * log_one_plus(gain_below) + share * log_one_plus(gain_above);
	long double chord = (1 - share) * gain_below + share * gain_above;
	long double sizes = (1 - share) * logl(below * (below - 1)) + share * logl(above * (above - 1));
	long double error = (fabsl(gain_below) + fabsl(gain_above) + sizes) * 0x1p-60L + LOG_ERROR;

	return fminl(log_expm1(moment) + LOG_ERROR, chord + logl(a * (a - 1)) - sizes + error);
}

/* From whole orders on either side of alpha; below 2 from that, by the lesser of two bounds again. */
static double
rdp_between_whole(double alpha, double p, LogGain log_gain, const void *mechanism)
{
	int			below = (int) alpha;
	long double a = alpha;
	long double gain;

	if (below < 2)
	{
		gain = whole_log_gain(2, p, log_gain, mechanism);
		gain = fminl(gain + logl(a * (a - 1) / 2), log_expm1((a - 1) * log_one_plus(gain))) + LOG_ERROR;
	}
	else
	{
		gain = whole_log_gain(below, p, log_gain, mechanism);
		if (a > below)
			gain = log_gain_between(a, below, gain, below + 1, whole_log_gain(below + 1, p, log_gain, mechanism));
	}
	return dp_accounting_up(log_one_plus(gain) / (a - 1) * (1 + DP_LOG_SLACK));
}

/*
 * The lesser of that and, below order 2 and up to a rate, the bound from the gains at alpha and at 2: at
 * greater rates it is proven for laws of which either may be that without the unit.
 */
static double
rdp_subsampled(double alpha, double p, double most_rate, long double gain, LogGain log_gain, const void *mechanism)
{
	double		rdp = rdp_between_whole(alpha, p, log_gain, mechanism);

	if (alpha < 2 && p <= most_rate)
		rdp = fmin(rdp, rdp_below_2(alpha, p, gain, log_gain(2, mechanism)));
	return rdp;
}

double
dp_accounting_rdp_subsampled_gaussian(double alpha, double p, double sigma)
{
	return rdp_subsampled(alpha, p, 1, gaussian_log_gain(alpha, &sigma), gaussian_log_gain, &sigma);
}

double
dp_accounting_rdp_subsampled_laplace(double alpha, double p, double scale)
{
	return rdp_subsampled(alpha, p, 1, laplace_log_gain(alpha, &scale), laplace_log_gain, &scale);
}

/* The gains at whole orders up to that of the grid's last, from that which has this place. */
#define MAX_ORDER 4096
#define ORDER_TWO 6

static long double
listed_log_gain(long double k, const void *mechanism)
{
	return ((const long double *) mechanism)[(int) k];
}

/* The gain of a mechanism at an order of the grid. */
static long double
grid_log_gain(const DpCurve *curve, int i)
{
	return log_expm1((dp_accounting_order[i] - 1.0L) * curve->rdp[i] * (1 + DP_PRODUCT_SLACK)) + LOG_ERROR;
}

/* The gains of any mechanism at whole orders, from those of neighbouring orders of the grid. */
static void
list_log_gains(const DpCurve *curve, long double *gain)
{
	const double *order = dp_accounting_order;
	int			i = ORDER_TWO;
	long double below = grid_log_gain(curve, i);
	long double above = grid_log_gain(curve, i + 1);

	gain[2] = below;
	for (int k = 3; k <= MAX_ORDER; k++)
	{
		while (order[i + 1] < k)
		{
			i++;
			below = above;
			above = grid_log_gain(curve, i + 1);
		}
		gain[k] = k == order[i + 1] ? above : log_gain_between(k, order[i], below, order[i + 1], above);
	}
}

/* Up to this rate both directions of any two laws are bounded below order 2, too. */
#define MOST_RATE_BELOW_2 0.75

/* The Renyi divergences of what runs on a sample. */
static void
amplify_orders(const DpCurve *whole, double p, double *rdp)
{
	long double gain[MAX_ORDER + 1];

	list_log_gains(whole, gain);
	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		alpha = dp_accounting_order[i];
		double		amplified = INFINITY;

		if (isfinite(whole->rdp[i]) && whole->rdp[i] > 0)
			amplified = rdp_subsampled(alpha, p, MOST_RATE_BELOW_2,
									   log_expm1((alpha - 1.0L) * whole->rdp[i] * (1 + DP_PRODUCT_SLACK)),
									   listed_log_gain, gain);
		rdp[i] = amplified < whole->rdp[i] ? amplified : whole->rdp[i];
	}
}

static bool
same_orders(const double *a, const double *b)
{
	for (int i = 0; i < DP_ORDERS; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* How many curves of samples are remembered. */
#define KEPT_SAMPLES 32

/* That takes milliseconds, and a ledger has many blocks alike. */
void
dp_accounting_amplify(DpCurve *curve, double p)
{
	static struct
	{
		double		p;			/* 0: none */
		double		whole[DP_ORDERS];
		double		rdp[DP_ORDERS];
	}			kept[KEPT_SAMPLES];
	static unsigned next;
	unsigned	i = 0;
	double		pure = curve->pure;

	if (p >= 1)
		return;
	while (i < KEPT_SAMPLES && !(p == kept[i].p && same_orders(kept[i].whole, curve->rdp)))
		i++;
	if (i == KEPT_SAMPLES)
	{
		i = next;
		next = (next + 1) % KEPT_SAMPLES;
		kept[i].p = 0;
		amplify_orders(curve, p, kept[i].rdp);
		memcpy(kept[i].whole, curve->rdp, sizeof(kept[i].whole));
		kept[i].p = p;
	}
	memcpy(curve->rdp, kept[i].rdp, sizeof(kept[i].rdp));
	if (isfinite(pure))
		curve->pure = fmin(pure, dp_accounting_amplified(pure, p));
	dp_accounting_sample_variance(curve, pure, p);
}

double
dp_accounting_amplified(double epsilon, double p)
{
	return dp_accounting_up(log_one_plus(logl(p) + log_expm1(epsilon)));
}
