/* SPDX-License-Identifier: PostgreSQL */
/*
 * gaussian.c
 *	  The continuous Gaussian distribution: Mills ratio, tail quantile, and
 *	  the analytic calibration of Balle and Wang (2018).
 *
 * Q(u) = P[N(0,1) >= u], phi its density, M(u) = Q(u) / phi(u) its Mills ratio.
 */
#include "accounting/gaussian.h"
#include "accounting/rounding.h"

#define HALF_LOG_2PI 0.918938533204672741780329736405617640L
#define SQRT_HALF_PI 1.253314137315500251207882642405522627L
#define SQRT_HALF 0.707106781186547524400844362104849039L

/* From here on the continued fraction is exact to 2^-68 with its terms. */
#define FRACTION_LIMIT 5
#define FRACTION_TERMS 40

/*
 * The tail 1 / (u + 2 / (u + 3 / (u + ...))) of Laplace's continued fraction
 * M(u) = 1 / (u + tail), for u >= FRACTION_LIMIT.
 */
static long double
mills_tail(long double u)
{
	long double tail = 0;

	for (int k = FRACTION_TERMS; k >= 1; k--)
		tail = k / (u + tail);
	return tail;
}

/* M(u), for u >= -10. */
long double
dp_accounting_mills(long double u)
{
	if (u >= FRACTION_LIMIT)
		return 1 / (u + mills_tail(u));
	return SQRT_HALF_PI * erfcl(u * SQRT_HALF) * expl(u * u / 2);
}

/* -M'(u) = 1 - u M(u) > 0, for u >= -10. */
static long double
mills_descent(long double u)
{
	if (u >= FRACTION_LIMIT)
	{
		long double tail = mills_tail(u);

		return tail / (u + tail);
	}
	return 1 - u * dp_accounting_mills(u);
}

/*
 * M(u) - M(u + h) without cancellation: for small h by ten-point
 * Gauss-Legendre quadrature of the descent, which is entire.
 */
long double
dp_accounting_mills_difference(long double u, long double h)
{
	static const long double node[] = {
		0.148874338981631210884826001129719985L, 0.433395394129247190799265943165784162L,
		0.679409568299024406234327365114873576L, 0.865063366688984510732096688423493049L,
		0.973906528517171720077964012084452053L
	};
	static const long double weight[] = {
		0.295524224714752870173815619188768962L, 0.269266719309996355091226921569469353L,
		0.219086362515982043995534934228163192L, 0.149451349150580593145863397657697332L,
		0.066671344308688137593568809893331792L
	};
	long double sum = 0;

	if (h >= 0.5L)
		return dp_accounting_mills(u) - dp_accounting_mills(u + h);
	for (int i = 0; i < 5; i++)
		sum += weight[i] * (mills_descent(u + h / 2 * (1 - node[i])) +
							mills_descent(u + h / 2 * (1 + node[i])));
	return sum * h / 2;
}

/*
 * An x >= 0, rounded up, with Q(x) <= probability <= 1/2.
 *
 * log Q is concave and falls, so Newton's method comes down on the root from
 * above, where it starts: Q(x) <= exp(-x^2/2) / 2.
 */
long double
dp_accounting_normal_quantile(long double probability)
{
	long double target = logl(probability);
	long double x = sqrtl(fmaxl(0, -2 * (target + logl(2))));

	for (int i = 0; i < 50; i++)
	{
		long double m = dp_accounting_mills(x);
		long double step = (-x * x / 2 - HALF_LOG_2PI + logl(m) - target) * m;

		x += step;
		if (fabsl(step) <= x * 0x1p-58L)
			break;
	}
	return fmaxl(x, 0) * (1 + 0x1p-50L) + 0x1p-60L;
}

/*
 * Log of the least delta at which Gaussian noise of ratio t is (epsilon,
 * delta)-differentially private, and its derivative in log t.
 *
 * Balle, Wang 2018, Theorem 8: delta = Q(u) - exp(epsilon) Q(u + h) with
 * h = 1/t and u = epsilon t - h/2.  Since exp(epsilon) phi(u + h) = phi(u), this
 * is phi(u) (M(u) - M(u + h)); the derivative of delta in h is phi(u).
 */
static long double
log_delta(long double epsilon, long double t, long double *slope)
{
	long double h = 1 / t;
	long double u = epsilon * t - h / 2;
	long double difference;

	if (u < -10)
	{
		*slope = -1;			/* any descent: delta is 1 here, to 22 digits */
		return 0;
	}
	difference = dp_accounting_mills_difference(u, h);
	*slope = -h / difference;
	return -u * u / 2 - HALF_LOG_2PI + logl(difference);
}

/*
 * The least ratio, rounded up: the root of log_delta by Newton's method in
 * log t, with bounded steps and kept within the bracket seen so far, then moved
 * up until delta is certainly not exceeded.
 */
long double
dp_accounting_gaussian_ratio(double epsilon, double delta)
{
	long double target = logl(delta) - 0x1p-46L;	/* above the error of log_delta */
	long double t = 1 / sqrtl(2 * (long double) epsilon);
	long double low = 0;
	long double high = INFINITY;
	long double slack = 0x1p-50L;
	long double slope;

	for (int i = 0; i < 200; i++)
	{
		long double excess = log_delta(epsilon, t, &slope) - target;
		long double next = t * expl(fminl(fmaxl(-excess / slope, -2), 2));

		if (fabsl(next - t) <= t * 0x1p-54L)
			break;
		if (excess > 0)
			low = t;
		else
			high = t;
		t = next > low && next < high ? next : sqrtl(low) * sqrtl(high);
	}
	for (; log_delta(epsilon, t, &slope) > target; slack *= 2)
		t *= 1 + slack;
	return t;
}
