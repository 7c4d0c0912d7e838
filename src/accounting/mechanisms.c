/* SPDX-License-Identifier: PostgreSQL */
/*
 * mechanisms.c
 *	  Renyi curves of mechanisms with real parameters.
 */
#include "accounting/curve.h"
#include "accounting/discrete_gaussian.h"
#include "accounting/mechanisms.h"
#include "accounting/outward.h"

/*
 * Relative slack of curves that lose up to alpha / (alpha - 1) <= 2^7 to
 * cancellation.
 */
#define CURVE_SLACK 0x1p-46L

/* Up to this alpha * epsilon / 2 the curve of bounded range is its bound, to 1e-11. */
#define SMALL_RANGE 1e-6L

/* exp(y) - 1 - y, without cancellation. */
static long double
exp_excess(long double y)
{
	long double term = y * y / 2;
	long double sum = 0;

	if (fabsl(y) >= 0.5L)
		return expm1l(y) - y;
	for (int n = 3; n <= 20; n++)
	{
		sum += term;
		term *= y / n;
	}
	return sum;
}

/* alpha * sensitivity^2 / (2 sigma^2), every operation rounded up. */
double
dp_accounting_rdp_gaussian(double alpha, double sigma, double sensitivity)
{
	long double ratio = dp_accounting_div_up(sensitivity, sigma);
	long double square = dp_accounting_mul_up(ratio, ratio);

	return dp_accounting_up(dp_accounting_mul_up(square, alpha) / 2);
}

/*
 * With x = sensitivity / scale and a = alpha, (a - 1) RDP is the logarithm of
 * (a exp((a-1) x) + (a-1) exp(-a x)) / (2a - 1) (Mironov 2017, Proposition 6).
 * Since a (a-1) x - (a-1) a x = 0, that is 1 plus terms that do not cancel.
 */
double
dp_accounting_rdp_laplace(double alpha, double scale, double sensitivity)
{
	long double x = (long double) sensitivity / scale;
	long double a = alpha;
	long double up = (a - 1) * x;
	long double log_moment;

	if (up < 1)
		log_moment = log1pl((a * exp_excess(up) + (a - 1) * exp_excess(-a * x)) / (2 * a - 1));
	else
		log_moment = up + logl(a / (2 * a - 1)) +
			log1pl((a - 1) / a * expl(-(2 * a - 1) * x));
	return dp_accounting_up(log_moment / (a - 1) * (1 + DP_LOG_SLACK));
}

/* A double in range has its last bit at 2^-63 or above. */
void
dp_accounting_scale_ratio(double scale, uint64_t *num, uint64_t *den)
{
	int			bits = 52 - ilogb(scale);

	bits = bits < 0 ? 0 : bits > 63 ? 63 : bits;
	*num = (uint64_t) ldexp(scale, bits);
	*den = UINT64_C(1) << bits;
}

/* The curve that releases are charged. */
double
dp_accounting_rdp_laplace_integer(double alpha, double scale, int64_t sensitivity)
{
	uint64_t	num;
	uint64_t	den;

	dp_accounting_scale_ratio(scale, &num, &den);
	return dp_accounting_rdp_discrete_laplace(alpha, num, den, (uint64_t) sensitivity);
}

/* The fraction of (alpha - 1) * shift, exactly: alpha - 1 is a multiple of 2^-52. */
static long double
shift_fraction(double alpha, int64_t shift)
{
	double		fraction = fmod(alpha - 1, 1);
	uint64_t	units = (uint64_t) ldexp(fraction, 52) * (uint64_t) shift;

	return ldexpl(units & ((UINT64_C(1) << 52) - 1), -52);
}

/*
 * Completing the square in sum_z P(z)^a P(z - D)^(1 - a) gives
 *
 *	 (a - 1) RDP = a (a - 1) D^2 / (2 sigma2) + log(theta(c) / theta(0)),
 *
 * c = (a - 1) D, theta(c) the sum over all z of exp(-(z + c)^2 / (2 sigma2)).
 * The second part is at most 0, and 0 for whole c (Canonne, Kamath, Steinke
 * 2020).
 */
double
dp_accounting_rdp_gaussian_integer(double alpha, double sigma2, int64_t sensitivity)
{
	long double d = sensitivity;
	long double square = dp_accounting_mul_up(dp_accounting_div_up(d, sigma2), d);
	long double rdp = dp_accounting_mul_up(square, alpha) / 2;
	long double ratio = dp_accounting_theta_log_ratio(sigma2, shift_fraction(alpha, sensitivity));

	if (ratio < 0)
		rdp += rdp * DP_LOG_SLACK + ratio / ((long double) alpha - 1) * (1 - CURVE_SLACK);
	return dp_accounting_up(rdp);
}

/*
 * The curve of epsilon = |log(p / (1 - p))|, the mechanism's own pure epsilon;
 * 2p - 1 is exact wherever it is small.
 */
double
dp_accounting_rdp_randomized_response(double alpha, double p)
{
	long double likely = p < 0.5 ? 1 - (long double) p : p;
	long double unlikely = p < 0.5 ? p : 1 - (long double) p;
	long double epsilon = log1pl((likely - unlikely) / unlikely);

	return dp_accounting_rdp_pure(alpha, dp_accounting_up(epsilon * (1 + DP_LOG_SLACK)));
}

/*
 * The worst mechanism of epsilon-bounded range has two outcomes, with privacy
 * losses t and t - epsilon, for the worst t in [0, epsilon] (Dong, Durfee,
 * Rogers 2020).  With h = epsilon / 2, t = h + w, b = a - 1/2 its moment is
 *
 *	 exp(b w) (A cosh(w/2) - B sinh(w/2)),
 *	 A = cosh(b h) / cosh(h/2), B = sinh(b h) / sinh(h/2).
 *
 * With r = B / A the maximum is at tanh(w/2) = T = (b - r/2) / (b r - 1/2), so
 * that (a - 1) RDP = log A + 2b atanh T + log(1 - r T) - log(1 - T^2) / 2.
 * Where T is not small its closed form is used instead of T:
 * atanh T = log((a-1)(r+1) / (a (r-1))) / 2, and the rest becomes
 * log((r-1)(r+1) / (4a (a-1))) / 2.  Where all of it is tiny, so is what its
 * upper bound a epsilon^2 / 8 exceeds it by.
 */
double
dp_accounting_rdp_exponential(double alpha, double epsilon)
{
	long double a = alpha;
	long double b = a - 0.5L;
	long double h = (long double) epsilon / 2;
	long double log_a;
	long double log_gap;		/* log(r - 1) */
	long double r;
	long double t;
	long double gain;

	if (a * h < SMALL_RANGE)
		return dp_accounting_up(a * h * h / 2 * (1 + DP_PRODUCT_SLACK));

	if (b * h < 1000)
		log_a = log1pl(2 * sinhl(a * h / 2) * sinhl((a - 1) * h / 2) / coshl(h / 2));
	else
		log_a = (a - 1) * h + log1pl(expl(-2 * b * h)) - log1pl(expl(-h));

	log_gap = logl(2) - h + logl(-expm1l(-2 * (a - 1) * h)) -
		log1pl(expl(-2 * b * h)) - logl(-expm1l(-h));
	r = 1 + expl(log_gap);
	t = (b - r / 2) / (b * r - 0.5L);
	if (fabsl(t) < 0.25L)
		gain = 2 * b * atanhl(t) + log1pl(-r * t) - log1pl(-t * t) / 2;
	else
		gain = b * (logl((a - 1) * (r + 1) / a) - log_gap) +
			(log_gap + logl((r + 1) / (4 * a * (a - 1)))) / 2;
	return dp_accounting_up((log_a + gain) / (a - 1) * (1 + CURVE_SLACK));
}
