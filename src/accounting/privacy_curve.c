/* SPDX-License-Identifier: PostgreSQL */
/*
 * privacy_curve.c
 *	  Privacy curves delta(epsilon) of the noise distributions.
 *
 * delta(epsilon) is the sum or integral of max(0, P(z) - exp(epsilon) P'(z)),
 * P and P' the distributions of the answer on neighbouring databases.
 */
#include "accounting/discrete_gaussian.h"
#include "accounting/gaussian.h"
#include "accounting/outward.h"
#include "accounting/privacy_curve.h"

#define HALF_LOG_2PI 0.918938533204672741780329736405617640L

/*
 * Logarithm of delta for Gaussian noise whose sensitivity is h standard
 * deviations, wrong by at most *error.
 *
 * Balle, Wang 2018, Theorem 8: delta = Q(u) - exp(epsilon) Q(u + h) with
 * u = epsilon / h - h / 2, which is phi(u) (M(u) - M(u + h)).
 */
static long double
gaussian_log_delta(long double h, long double epsilon, long double *error)
{
	long double u = epsilon / h - h / 2;

	*error = 0x1p-52L + 0x1p-58L * (1 + fabsl(u)) * (1 + fabsl(u) + h);
	if (u < -10)
		return 0;
	return -u * u / 2 - HALF_LOG_2PI + logl(dp_accounting_mills_difference(u, h));
}

double
dp_accounting_gaussian_delta(double sigma, double epsilon, double sensitivity)
{
	long double error;
	long double log_delta = gaussian_log_delta((long double) sensitivity / sigma, epsilon, &error);

	return dp_accounting_probability_up(log_delta, error);
}

double
dp_accounting_gaussian_sigma(double epsilon, double delta, double sensitivity)
{
	return dp_accounting_up(dp_accounting_mul_up(dp_accounting_gaussian_ratio(epsilon, delta),
												 sensitivity));
}

double
dp_accounting_gdp_to_delta(double mu, double epsilon)
{
	return dp_accounting_gaussian_delta(1, epsilon, mu);
}

/*
 * The least epsilon whose delta is not exceeded, rounded up.
 *
 * log delta falls and is concave in epsilon (delta is a convolution of
 * log-concave functions), so Newton's method comes down on the root from
 * above, where it starts: delta <= Q(u) <= exp(-u^2 / 2).  The derivative is
 * -M(u + h) / (M(u) - M(u + h)).
 */
double
dp_accounting_gdp_to_epsilon(double mu, double delta)
{
	long double h = mu;
	long double target = logl(delta);
	long double epsilon = h * h / 2 + h * sqrtl(-2 * target);
	long double slack = 0x1p-52L;
	long double error;

	if (gaussian_log_delta(h, 0, &error) + error <= target)
		return 0;
	for (int i = 0; i < 100; i++)
	{
		long double u = epsilon / h - h / 2;
		long double excess = gaussian_log_delta(h, epsilon, &error) + error - target;
		long double step = excess * dp_accounting_mills_difference(u, h) /
			dp_accounting_mills(u + h);

		epsilon = fmaxl(epsilon + step, 0);
		if (fabsl(step) <= epsilon * 0x1p-56L)
			break;
	}
	for (; gaussian_log_delta(h, epsilon, &error) + error > target; slack *= 2)
		epsilon = epsilon * (1 + slack) + h * 0x1p-70L;
	return dp_accounting_up(epsilon);
}

/* With r = sensitivity / scale - epsilon, delta is 0 for r <= 0, else 1 - exp(-r/2). */
double
dp_accounting_laplace_delta(double scale, double epsilon, double sensitivity)
{
	long double gap = fmal(-(long double) epsilon, scale, sensitivity);

	if (gap <= 0)
		return 0;
	return dp_accounting_up(-expm1l(-gap / scale / 2) * (1 + DP_LOG_SLACK));
}

/*
 * With s = 1 / scale, gap = sensitivity - epsilon * scale and m the greatest
 * integer below gap / 2, the privacy loss s (sensitivity - 2z) of an answer z
 * exceeds epsilon exactly for z <= m.  For gap > 0 the sum over these is
 *
 *	 ((1 - exp(-s (gap - m))) + exp(-s) (1 - exp(-s m))) / (1 + exp(-s)),
 *
 * which is continuous in gap.
 */
double
dp_accounting_discrete_laplace_delta(double scale, double epsilon, int64_t sensitivity)
{
	long double s = 1 / (long double) scale;
	long double gap = fmal(-(long double) epsilon, scale, sensitivity);
	long double m = ceill(gap / 2) - 1;
	long double mass;

	if (gap <= 0)
		return 0;
	mass = -expm1l(-s * (gap - m)) - expl(-s) * expm1l(-s * m);
	return fmin(dp_accounting_up(mass / (1 + expl(-s)) * (1 + DP_LOG_SLACK)), 1);
}

double
dp_accounting_discrete_gaussian_delta(double sigma2, double epsilon, int64_t sensitivity)
{
	long double error;
	long double log_delta = dp_accounting_gaussian_integer_log_delta(sigma2, epsilon,
																	 sensitivity, &error);

	return dp_accounting_probability_up(log_delta, error);
}

/* 1 / (2 sinh(1 / (2 scale))^2). */
double
dp_accounting_discrete_laplace_variance(double scale)
{
	long double root = sinhl(0.5L / scale);

	return (double) (0.5L / root / root);
}

double
dp_accounting_discrete_gaussian_variance(double sigma2)
{
	return (double) dp_accounting_gaussian_integer_variance(sigma2);
}
