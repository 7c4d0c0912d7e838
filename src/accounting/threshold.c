/* SPDX-License-Identifier: PostgreSQL */
/*
 * threshold.c
 *	  Which groups may show that they exist.
 */
#include "accounting/calibrate.h"
#include "accounting/discrete_gaussian.h"
#include "accounting/gaussian.h"
#include "accounting/mechanisms.h"
#include "accounting/outward.h"
#include "accounting/threshold.h"

/* Relative slack of a tail. */
#define TAIL_SLACK 0x1p-48L

/* The threshold that releases use. */
double
dp_accounting_discrete_laplace_threshold(double scale, double delta, int groups)
{
	DpNoise		noise = {.mechanism = DP_LAPLACE, .groups = groups, .sensitivity = 1};
	int64_t		threshold;

	dp_accounting_scale_ratio(scale, &noise.scale_num, &noise.scale_den);
	threshold = dp_accounting_threshold(&noise, delta);
	return threshold < INT64_MAX ? dp_accounting_up(threshold) : INFINITY;
}

/*
 * 1 + the least m >= 1 with P[Z >= m] <= p, where 1 - (1 - p)^groups = delta:
 * the continuous tail leads to within a few steps of it.
 */
double
dp_accounting_discrete_gaussian_threshold(double sigma2, double delta, int groups)
{
	long double p = -expm1l(log1pl(-(long double) delta) / groups) * (1 - TAIL_SLACK);
	long double quantile = dp_accounting_normal_quantile(fminl(p, 0.5L));
	long double m = fmaxl(1, ceill(sqrtl(sigma2) * quantile));

	while (m > 1 && dp_accounting_gaussian_integer_tail(sigma2, m - 1) <= p)
		m--;
	while (dp_accounting_gaussian_integer_tail(sigma2, m) > p)
		m++;
	return dp_accounting_up(m + 1);
}

/*
 * Desfontaines, Voss, Gipson, Mandayam 2020: the greatest probabilities
 * satisfy
 *
 *	 f(0) = 0,
 *	 f(n + 1) = min(exp(epsilon) f(n) + delta,
 *					1 - exp(-epsilon) (1 - f(n) - delta), 1),
 *
 * the first up to some n = rise and the second from there.  They are
 * delta (exp(n epsilon) - 1) / (exp(epsilon) - 1), and with m = n - rise
 * (1 - exp(-m epsilon)) (1 + delta / (exp(epsilon) - 1)) + exp(-m epsilon) f(rise).
 */
double
dp_accounting_partition_select(int64_t n, double epsilon, double delta)
{
	long double e = epsilon;
	long double down = expl(-e);
	long double grow = -expm1l(-e);
	long double rise = 1 + floorl(logl((grow + 2 * delta * down) / (delta * (1 + down))) / e);
	long double start = fminl(n, rise);
	long double f = delta * expl((start - 1) * e) * -expm1l(-start * e) / grow;
	long double m = n - start;

	if (m > 0)
		f = -expm1l(-m * e) * (1 + delta * down / grow) + expl(-m * e) * f;
	return (double) fminl(f, 1);
}
