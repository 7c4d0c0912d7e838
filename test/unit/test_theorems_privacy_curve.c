/*
 * test_theorems_privacy_curve.c
 *	  Privacy curves: reference values, sums by brute force, limits.
 */
#include "theorems.h"
#include "theorems_reference.h"

#include "accounting/discrete_gaussian.h"
#include "accounting/mechanisms.h"
#include "accounting/privacy_curve.h"

#define ROUNDS 5000
#define SLOW_ROUNDS 200

static void
test_reference(void)
{
	EVERY(gaussian_curve, bounds,
		  dp_accounting_gaussian_delta(row->sigma, row->epsilon, row->sensitivity));
	EVERY(gaussian_scale, bounds,
		  dp_accounting_gaussian_sigma(row->epsilon, row->delta, row->sensitivity));
	EVERY(gdp_epsilon, bounds, dp_accounting_gdp_to_epsilon(row->mu, row->delta));
	EVERY(laplace_mass, bounds,
		  dp_accounting_laplace_delta(row->scale, row->epsilon, row->sensitivity));
	EVERY(laplace_integer_mass, bounds,
		  dp_accounting_discrete_laplace_delta(row->scale, row->epsilon, row->sensitivity));
	EVERY(gaussian_integer_mass, bounds,
		  dp_accounting_discrete_gaussian_delta(row->sigma2, row->epsilon, row->sensitivity));
	EVERY(laplace_integer_variance, nearly,
		  dp_accounting_discrete_laplace_variance(row->scale));
	EVERY(gaussian_integer_variance, nearly,
		  dp_accounting_discrete_gaussian_variance(row->sigma2));
}

static void
test_ends(void)
{
	ok(dp_accounting_gaussian_delta(1e-9, 1, 1) == 1 &&
	   dp_accounting_discrete_gaussian_delta(1e-6, 1, 1000) == 1 &&
	   dp_accounting_discrete_laplace_delta(1e-3, 1, INT64_MAX) == 1, "delta is at most 1");
	ok(dp_accounting_gaussian_delta(1e9, 1e6, 1) == DBL_TRUE_MIN &&
	   dp_accounting_discrete_gaussian_delta(1e18, 1e6, 1) == DBL_TRUE_MIN &&
	   dp_accounting_discrete_gaussian_delta(1e-6, 600000, 1) == DBL_TRUE_MIN,
	   "a Gaussian delta is never rounded to 0");
	ok(dp_accounting_laplace_delta(10, 0.1, 1) == 0 && dp_accounting_laplace_delta(4, 0.25, 1) == 0 &&
	   dp_accounting_discrete_laplace_delta(4, 0.25, 1) == 0 &&
	   dp_accounting_discrete_laplace_delta(4, 0.5, 2) == 0,
	   "at their pure epsilon Laplace noises have none");
	ok(dp_accounting_laplace_delta(4, nextafter(0.25, 0), 1) > 0 &&
	   dp_accounting_discrete_laplace_delta(4, nextafter(0.5, 0), 2) > 0,
	   "just below it they have some");
	ok(dp_accounting_gdp_to_epsilon(0.1, 0.5) == 0, "a great delta needs no epsilon");
	ok(dp_accounting_gdp_to_epsilon(1e200, 0.5) == INFINITY &&
	   dp_accounting_gdp_to_epsilon(1e5, 1e-300) > 0.5e10, "great means");
}

/* Calibrated noise has the delta it was calibrated for, and not more. */
static void
test_calibration(void)
{
	int			bad[3] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = log_uniform(1e-6, 50);
		double		delta = log_uniform(1e-15, 0.5);
		double		sensitivity = log_uniform(1e-3, 1e3);
		double		mu = log_uniform(1e-3, 30);
		double		sigma = dp_accounting_gaussian_sigma(epsilon, delta, sensitivity);
		double		back = dp_accounting_gaussian_delta(sigma, epsilon, sensitivity);

		bad[0] += back > delta * (1 + 1e-12) || back < delta * (1 - 1e-9);
		bad[1] += dp_accounting_gdp_to_delta(mu, epsilon) !=
			dp_accounting_gaussian_delta(1, epsilon, mu);
		epsilon = dp_accounting_gdp_to_epsilon(mu, delta);
		back = dp_accounting_gdp_to_delta(mu, epsilon);
		bad[2] += back > delta * (1 + 1e-12) || (epsilon > 0 && back < delta * (1 - 1e-9));
	}
	ok(bad[0] == 0, "Gaussian noise from epsilon and delta, and its delta");
	ok(bad[1] == 0, "mu is sensitivity over sigma");
	ok(bad[2] == 0, "epsilon from mu and delta, and its delta");
}

/* delta falls in epsilon and in the noise, and rises with the change. */
static void
test_monotone(void)
{
	int			bad[4] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		noise = log_uniform(0.05, 300);
		double		more = noise * (1 + log_uniform(1e-6, 1));
		double		epsilon = log_uniform(1e-6, 50);
		double		further = epsilon * (1 + log_uniform(1e-6, 1));
		int64_t		d = (int64_t) log_uniform_integer(100);

		bad[0] += dp_accounting_gaussian_delta(more, further, d) >
			dp_accounting_gaussian_delta(noise, epsilon, d) * (1 + 1e-12);
		bad[1] += dp_accounting_laplace_delta(more, further, d) >
			dp_accounting_laplace_delta(noise, epsilon, d + 1);
		bad[2] += dp_accounting_discrete_laplace_delta(more, further, d) >
			dp_accounting_discrete_laplace_delta(noise, epsilon, d + 1) * (1 + 1e-12);
		bad[3] += dp_accounting_discrete_gaussian_delta(noise, further, d) >
			dp_accounting_discrete_gaussian_delta(noise, epsilon, d + 1) * (1 + 1e-12);
	}
	ok(bad[0] == 0, "Gaussian delta is monotone");
	ok(bad[1] == 0, "Laplace delta is monotone");
	ok(bad[2] == 0, "discrete Laplace delta is monotone");
	ok(bad[3] == 0, "discrete Gaussian delta is monotone");
}

/* The sum over all answers of max(0, P(z) - exp(epsilon) P(z + shift)). */
static long double
delta_by_terms(long double sigma2, long double epsilon, int shift)
{
	int			reach = (int) sqrtl(sigma2) * 50 + 50 + shift;
	long double sum = 0;
	long double total = 0;

	for (int z = -reach; z <= reach; z++)
	{
		long double p = expl(-(long double) z * z / sigma2 / 2);
		long double loss = ((long double) 2 * z + shift) * shift / sigma2 / 2;

		total += p;
		if (loss > epsilon)
			sum -= p * expm1l(epsilon - loss);
	}
	return sum / total;
}

/* Both ways of summing, on either side of where they meet. */
static void
test_by_terms(void)
{
	int			bad[2] = {0};

	for (int i = 0; i < SLOW_ROUNDS; i++)
	{
		double		sigma = log_uniform(16, 1024);
		int			d = (int) log_uniform_integer(6 * sigma);
		double		h = d / sigma;
		double		epsilon = fmax(0, h * (h / 2 + uniform(-6, 8)));
		double		sigma2 = sigma * sigma;
		double		delta = dp_accounting_discrete_gaussian_delta(sigma2, epsilon, d);
		long double m = ceill(sigma * (long double) uniform(0.01, 8));
		long double tail = 0;

		bad[0] += !near(delta, delta_by_terms(sigma2, epsilon, d), 1e-12L);
		for (long double z = m + 40 * ceill(sigma); z >= m; z--)
			tail += expl(-z * z / sigma2 / 2);
		tail /= sqrtl(2 * acosl(-1) * (long double) sigma2);
		bad[1] += !near(dp_accounting_gaussian_integer_tail(sigma2, m), tail, 1e-14L);
	}
	ok(bad[0] == 0, "discrete Gaussian delta is the sum over its definition");
	ok(bad[1] == 0, "discrete Gaussian tail is the sum of its terms");
}

/*
 * Great noise on integers is continuous: for the Gaussian the relative
 * difference is about (1 + x^2) / (12 sigma^2), x where the tail begins.
 */
static void
test_limits(void)
{
	int			bad[2] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		sigma = log_uniform(1e5, 1e15);
		int64_t		d = (int64_t) fmax(1, sigma * log_uniform(1e-9, 3));
		double		h = d / sigma;
		double		epsilon = h * fmax(0, h / 2 + uniform(-3, 10));
		double		scale = log_uniform(1e10, 1e15);
		double		gaussian = dp_accounting_gaussian_delta(sigma, epsilon, d);
		double		laplace;

		bad[0] += !near(dp_accounting_discrete_gaussian_delta(sigma * sigma, epsilon, d),
						gaussian, 3e-9L);
		d = (int64_t) (scale * uniform(1, 30));
		epsilon = d / scale * uniform(0, 0.99);
		laplace = dp_accounting_laplace_delta(scale, epsilon, d);
		bad[1] += !near(dp_accounting_discrete_laplace_delta(scale, epsilon, d), laplace, 1e-7L);
	}
	ok(bad[0] == 0, "discrete Gaussian noise with a great sigma is continuous");
	ok(bad[1] == 0, "discrete Laplace noise with a great scale is continuous");
}

/* The variance of a mechanism lies where it must, and steps nowhere. */
static void
test_variance(void)
{
	int			bad[3] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		scale = log_uniform(1e-3, 1e18);
		double		sigma2 = log_uniform(1e-6, 1e30);
		double		variance = dp_accounting_discrete_laplace_variance(scale);

		bad[0] += variance > 2 * scale * scale * (1 + 1e-15) ||
			(scale > 1e9 && !near(variance, 2 * scale * (long double) scale, 1e-15L));
		variance = dp_accounting_discrete_gaussian_variance(sigma2);
		bad[1] += variance > sigma2 || (sigma2 > 3 && variance < sigma2 * (1 - 1e-15));
		bad[2] += variance > dp_accounting_discrete_gaussian_variance(sigma2 * 1.000001);
	}
	ok(bad[0] == 0, "discrete Laplace variance is below the continuous");
	ok(bad[1] == 0, "discrete Gaussian variance is below the continuous");
	ok(bad[2] == 0, "discrete Gaussian variance rises");
}

int
main(void)
{
	test_reference();
	test_ends();
	test_calibration();
	test_monotone();
	test_by_terms();
	test_limits();
	test_variance();
	return done_testing();
}
