/* SPDX-License-Identifier: PostgreSQL */
/*
 * conversion.c
 *	  From Renyi and concentrated differential privacy to (epsilon, delta).
 *
 * A mechanism with Renyi divergence rdp at order a = 1 + x is (epsilon,
 * delta)-differentially private (Canonne, Kamath, Steinke 2020) with
 *
 *	 epsilon = rdp - log((1 + x) delta) / x - log(1 + 1/x),
 *	 log delta = x (rdp - epsilon) - log(1 + x) - x log(1 + 1/x).
 *
 * rho-concentrated privacy is rdp = rho a at all orders.  Any order gives a
 * valid bound, so the search for the best one need not be rounded: an order
 * off by 2^-40 costs 2^-80 or so.
 */
#include "accounting/conversion.h"
#include "accounting/outward.h"

/* Slack relative to the sum of the magnitudes that are added up. */
#define SUM_SLACK 0x1p-60L

/* Data of the function whose root is an order. */
typedef struct Target
{
	long double rho;
	long double epsilon;
	long double log_delta;
} Target;

/* Where an increasing function of x > 0 crosses zero between low and high. */
static long double
crossing(long double (*function) (long double x, const Target *target),
		 const Target *target, long double low, long double high)
{
	while (high > low * (1 + 0x1p-40L))
	{
		long double middle = sqrtl(low) * sqrtl(high);

		if (middle <= low || middle >= high)
			break;
		if (function(middle, target) < 0)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * What the conversion at order 1 + x adds to the Renyi divergence to make
 * epsilon, rounded up.
 */
static long double
epsilon_offset(long double x, long double log_delta)
{
	long double conversion = -(log1pl(x) + log_delta) / x;
	long double size = (log1pl(x) - log_delta) / x;
	long double gain = log1pl(1 / x);

	return conversion - gain + (size + gain) * SUM_SLACK;
}

/* The delta of the conversion at order 1 + x, rounded up. */
static double
delta_at(long double x, long double rdp, long double epsilon)
{
	long double loss = log1pl(x) + x * log1pl(1 / x);
	long double size = x * (rdp + epsilon) + loss;

	return dp_accounting_probability_up(x * (rdp - epsilon) - loss, size * SUM_SLACK);
}

double
dp_accounting_rdp_to_epsilon(double alpha, double rdp, double delta)
{
	long double offset = epsilon_offset((long double) alpha - 1, logl(delta));

	return fmax(dp_accounting_up(dp_accounting_sum_up(rdp, offset)), 0);
}

double
dp_accounting_rdp_to_delta(double alpha, double rdp, double epsilon)
{
	return delta_at((long double) alpha - 1, rdp, epsilon);
}

/* x^2 times the derivative in x of the epsilon at order 1 + x. */
static long double
epsilon_slope(long double x, const Target *target)
{
	return target->rho * x * x + log1pl(x) + target->log_delta;
}

double
dp_accounting_zcdp_to_epsilon(double rho, double delta)
{
	Target		target = {.rho = rho, .log_delta = logl(delta)};
	long double x;
	long double rdp;

	if (rho == 0)
		return 0;
	x = crossing(epsilon_slope, &target, 0x1p-200L, 1 / (long double) delta);
	rdp = (1 + x) * rho * (1 + DP_PRODUCT_SLACK);
	return fmax(dp_accounting_up(dp_accounting_sum_up(rdp, epsilon_offset(x, target.log_delta))), 0);
}

/* The derivative in x of log delta at order 1 + x. */
static long double
delta_slope(long double x, const Target *target)
{
	return (2 * x + 1) * target->rho - target->epsilon - log1pl(1 / x);
}

double
dp_accounting_zcdp_to_delta(double rho, double epsilon)
{
	Target		target = {.rho = rho, .epsilon = epsilon};
	long double high = 1;
	long double x;

	if (rho == 0)
		return 0;
	while (delta_slope(high, &target) < 0)
		high *= 2;
	x = crossing(delta_slope, &target, 0x1p-16000L, high);
	return delta_at(x, (1 + x) * rho, epsilon);
}

/*
 * Epsilon, less that of the rho for which 1 + x is the best order:
 * rho = -log((1 + x) delta) / x^2, epsilon = (2x + 1) rho - log(1 + 1/x).
 */
static long double
rho_excess(long double x, const Target *target)
{
	long double rho = -(log1pl(x) + target->log_delta) / x / x;

	return target->epsilon - (2 * x + 1) * rho + log1pl(1 / x);
}

/* Rounded down: what epsilon leaves beyond the conversion, divided by the order. */
double
dp_accounting_zcdp_max_rho(double epsilon, double delta)
{
	Target		target = {.epsilon = epsilon, .log_delta = logl(delta)};
	long double high = (1 - (long double) delta) / delta;
	long double x = crossing(rho_excess, &target, 0x1p-200L, high);
	long double left = -dp_accounting_sum_up(-(long double) epsilon,
											 epsilon_offset(x, target.log_delta));

	return -dp_accounting_up(fminl(-left / (1 + x) * (1 - DP_PRODUCT_SLACK), 0));
}
