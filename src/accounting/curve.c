/* SPDX-License-Identifier: PostgreSQL */
/*
 * curve.c
 *	  Privacy cost as a Renyi curve, and the curves of the mechanisms.
 *
 * Every charge is computed in long double, enlarged by a relative slack that
 * exceeds the error of its computation, and rounded up to a double.
 */
#include "accounting/curve.h"
#include "accounting/rounding.h"

/*
 * Relative slack of the discrete Laplace curve.  Its evaluation is some 2^4
 * operations and libm calls, each within 2^-60 relative, none cancelling except
 * by the factor alpha / (alpha - 1) <= 2^7 (alpha >= 1.01): together below 2^-48.
 */
#define LAPLACE_SLACK 0x1p-46L

/* Below this the discrete Laplace curve is summed as a series in tanh. */
#define SERIES_LIMIT 0.125L
#define SERIES_TERMS 12

/*
 * Geometric in (order - 1): step about 1.13 from 2 to 600, where budgets of
 * epsilon 0.1 to 20 have their best order, coarser outside; whole numbers
 * from 6 on, because there the discrete Gaussian's curve is exact and
 * theorems on subsampling apply.
 */
const double dp_accounting_order[DP_ORDERS] = {
	1.1, 1.15, 1.2, 1.3, 1.45, 1.7,
	2, 2.125, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.5, 5, 5.5,
	6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 22, 25, 28, 32, 36, 41, 47, 53, 60, 68, 77, 87,
	100, 112, 128, 145, 165, 187, 212, 241, 273, 310, 352, 400, 455, 517, 587,
	720, 880, 1080, 1330, 1640, 2048, 2580, 3250, 4096
};

/* The greater of two; no number if either is none. */
static double
greater(double a, double b)
{
	if (a >= b)
		return a;
	return b > a ? b : NAN;
}

/*
 * Add a cost to a total, each component rounded up; exact where the sum is a
 * double.  Adaptive sequential composition of Renyi curves (Mironov 2017), of
 * pure epsilons, of deltas and of variances.  Coarseness that is no number stays none.
 */
void
dp_accounting_compose(DpCurve *total, const DpCurve *cost)
{
	for (int i = 0; i < DP_ORDERS; i++)
		total->rdp[i] = dp_accounting_add_up(total->rdp[i], cost->rdp[i]);
	total->pure = dp_accounting_add_up(total->pure, cost->pure);
	total->delta = dp_accounting_add_up(total->delta, cost->delta);
	total->variance = dp_accounting_add_up(total->variance, cost->variance);
	total->coarseness = greater(total->coarseness, cost->coarseness);
}

void
dp_accounting_raise(DpCurve *cost, const DpCurve *other)
{
	for (int i = 0; i < DP_ORDERS; i++)
		cost->rdp[i] = greater(cost->rdp[i], other->rdp[i]);
	cost->pure = greater(cost->pure, other->pure);
	cost->delta = greater(cost->delta, other->delta);
	cost->variance = greater(cost->variance, other->variance);
	cost->coarseness = greater(cost->coarseness, other->coarseness);
}

/*
 * u coth u - 1 for u > 0, without cancellation: below 1 from Lambert's
 * continued fraction u^2 / (3 + u^2 / (5 + ...)).
 */
static long double
coth_excess(long double u)
{
	long double fraction = 0;

	if (u >= 1)
		return u / tanhl(u) - 1;
	for (int odd = 25; odd >= 3; odd -= 2)
		fraction = u * u / (odd + fraction);
	return fraction;
}

/*
 * log(cosh y + k sinh y) - k y for y > 0, 0 <= k < 1, given 1 - k, without
 * cancellation.  For small y, with T = tanh y, it is the sum over m >= 1 of
 * (1 - k^2m) (T^2m / 2m - k T^(2m+1) / (2m+1)), every term positive.
 */
static long double
log_growth(long double y, long double one_minus_k)
{
	long double k = 1 - one_minus_k;
	long double t = tanhl(y);
	long double first = one_minus_k * (1 + k);
	long double weight = first;
	long double power = t * t;
	long double sum = 0;

	if (y >= SERIES_LIMIT)
		return one_minus_k * y + log1pl(one_minus_k / 2 * expm1l(-2 * y));
	for (int m = 1; m <= SERIES_TERMS; m++)
	{
		sum += weight * power * (1.0L / (2 * m) - k * t / (2 * m + 1));
		weight = first + k * k * weight;
		power *= t * t;
	}
	return sum;
}

/*
 * Renyi divergence of order alpha between P[Z = z] ~ exp(-s|z|) on the
 * integers and its shift by D, where x = s D; rounded up.
 *
 * Summing P(z)^alpha P(z - D)^(1 - alpha) over z <= 0, 0 < z < D and z >= D
 * gives, with b = alpha - 1/2 and k = tanh(s/2) / tanh(bs),
 *
 *	 (alpha - 1) RDP = -x/2 + log(cosh bx + k sinh bx)
 *					 = (bk - 1/2) x + (log(cosh bx + k sinh bx) - k bx),
 *
 * both parts nonnegative.  Here 2bk = (1 + R(bs)) / (1 + R(s/2)) with
 * R(u) = u coth u - 1, and 1 - k = sinh((alpha - 1) s) / (sinh(bs) cosh(s/2)).
 *
 * The derivative in x is b tanh(bx + atanh k) - 1/2, which is nonnegative: of
 * all ways to move several totals by at most D each, moving every one by D
 * costs most.
 */
static double
rdp_laplace(long double alpha, long double s, long double x)
{
	long double b = alpha - 0.5L;
	long double half = coth_excess(s / 2);
	long double slope = (coth_excess(b * s) - half) / (1 + half) / 2;
	long double one_minus_k = 2 / (1 + expl(s)) *
		expm1l(-2 * (alpha - 1) * s) / expm1l(-2 * b * s);
	long double log_moment = slope * x + log_growth(b * x, one_minus_k);

	return dp_accounting_up(log_moment / (alpha - 1) * (1 + LAPLACE_SLACK));
}

/*
 * Renyi divergence of the discrete Laplace mechanism, rounded up, for
 * alpha >= 1.01.  This, not the smaller curve of the continuous Laplace
 * distribution (Mironov 2017), is what integer noise costs.
 */
double
dp_accounting_rdp_discrete_laplace(double alpha, uint64_t num, uint64_t den,
								   uint64_t sensitivity)
{
	long double s = (long double) den / num;

	return rdp_laplace(alpha, s, s * sensitivity);
}

/*
 * Renyi divergence of the discrete Gaussian mechanism, rounded up: the bound
 * of Canonne, Kamath, Steinke 2020 (concentrated differential privacy), which
 * is exact when (alpha - 1) * sensitivity is a whole number.
 */
double
dp_accounting_rdp_discrete_gaussian(double alpha, uint64_t sigma, uint64_t sensitivity)
{
	long double ratio = (long double) sensitivity / sigma;

	return dp_accounting_up(alpha * ratio * ratio / 2 * (1 + DP_PRODUCT_SLACK));
}

/*
 * Renyi divergence of randomised response, rounded up, for alpha >= 1.01: the
 * greatest among all epsilon-DP mechanisms, and the discrete Laplace curve
 * with s = epsilon and a shift by 1.  Infinite for what is no epsilon.
 */
double
dp_accounting_rdp_pure(double alpha, double epsilon)
{
	if (epsilon == 0)
		return 0;
	if (!(epsilon > 0 && epsilon < INFINITY))
		return INFINITY;
	return rdp_laplace(alpha, epsilon, epsilon);
}

/* exp(a x) - 1 - a (exp(x) - 1) for a > 1, which is not negative, without cancellation for small x. */
static long double
moment_excess(long double a, long double x)
{
	long double power = x;
	long double exponent = a;
	long double sum = 0;

	if (fabsl(a * x) >= 0.25L)
		return expm1l(a * x) - a * expm1l(x);
	for (int n = 2; n <= 16; n++)
	{
		power *= x / n;
		exponent *= a;
		sum += (exponent - a) * power;
	}
	return sum;
}

/*
 * A moment E L^alpha, alpha > 1, is convex in the law of L; of those of mean 1 on an interval it is
 * greatest for the one on its two ends, exp(up) with probability q and exp(-down):
 *
 *	 exp((alpha - 1) RDP) = q exp(alpha up) + (1 - q) exp(-alpha down),
 *	 q = (1 - exp(-down)) / (exp(up) - exp(-down)).
 *
 * Since the mean is 1 that is 1 + q m(up) + (1 - q) m(-down), m(x) = exp(alpha x) - 1 -
 * alpha (exp(x) - 1), neither of which is negative.  Rounded up.
 */
double
dp_accounting_rdp_between(double alpha, double up, double down)
{
	long double a = alpha;
	long double u = up;
	long double l = down;
	long double miss = -expm1l(-(u + l));
	long double log_moment;

	if (!(up > 0 && up < INFINITY && down > 0 && down < INFINITY))
		return INFINITY;
	if (a * u < 1000)
	{
		long double q = expl(-u) * -expm1l(-l) / miss;
		long double rest = -expm1l(-u) / miss;

		log_moment = log1pl(q * moment_excess(a, u) + rest * moment_excess(a, -l));
	}
	else
		log_moment = (a - 1) * u + logl(-expm1l(-l) / miss) +
			log1pl(expl(u - a * (u + l)) * -expm1l(-u) / -expm1l(-l));
	return dp_accounting_up(log_moment / (a - 1) * (1 + LAPLACE_SLACK));
}
