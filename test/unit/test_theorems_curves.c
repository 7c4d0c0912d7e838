/*
 * test_theorems_curves.c
 *	  The analysts' Renyi curves: reference values, and what must hold between
 *	  them at any argument.
 */
#include "theorems.h"
#include "theorems_reference.h"

#include "accounting/curve.h"
#include "accounting/mechanisms.h"
#include "accounting/subsampling.h"

#define ROUNDS 20000
#define SLOW_ROUNDS 500

/* Rounding up may raise a lesser value by this much. */
#define ROUNDING (1 + 1e-12)

static void
test_reference(void)
{
	EVERY(laplace_real, bounds,
		  dp_accounting_rdp_laplace(row->alpha, row->scale, row->sensitivity));
	EVERY(laplace_integer, bounds,
		  dp_accounting_rdp_laplace_integer(row->alpha, row->scale, row->sensitivity));
	EVERY(gaussian_integer, bounds,
		  dp_accounting_rdp_gaussian_integer(row->alpha, row->sigma2, row->sensitivity));
	EVERY(randomized_response, bounds,
		  dp_accounting_rdp_randomized_response(row->alpha, row->p));
	EVERY(exponential, bounds, dp_accounting_rdp_exponential(row->alpha, row->epsilon));
	EVERY(sampled_gaussian, bounds,
		  dp_accounting_rdp_subsampled_gaussian(row->alpha, row->p, row->sigma));
	EVERY(sampled_laplace, bounds,
		  dp_accounting_rdp_subsampled_laplace(row->alpha, row->p, row->scale));
}

static double
any_order(double high)
{
	return 1 + log_uniform(0.0101, high);
}

/* What is exact in mathematics comes out exact. */
static void
test_exact(void)
{
	ok(dp_accounting_rdp_gaussian(2, 1, 1) == 1 && dp_accounting_rdp_gaussian(32, 4, 8) == 64 &&
	   dp_accounting_rdp_gaussian(1.5, 0.5, 3) == 27, "Gaussian curve at small integers");
	ok(dp_accounting_rdp_gaussian_integer(2, 1, 1) == 1 &&
	   dp_accounting_rdp_gaussian_integer(2.5, 0.25, 2) == 20,
	   "discrete Gaussian curve at whole shifts");
	ok(dp_accounting_rdp_randomized_response(2, 0.5) == 0, "a fair coin costs nothing");
	ok(dp_accounting_rdp_pure(2, 0) == 0 && dp_accounting_rdp_exponential(2, 0) == 0,
	   "epsilon 0 costs nothing");
	ok(dp_accounting_rdp_gaussian(1e9, 1e-300, 1) == INFINITY &&
	   dp_accounting_rdp_laplace(2, 1e-300, 1e300) == INFINITY, "overflow is infinite");
	ok(dp_accounting_rdp_gaussian(2, 1e300, 1) == DBL_TRUE_MIN &&
	   dp_accounting_rdp_subsampled_gaussian(2, 1e-300, 1) == DBL_TRUE_MIN,
	   "underflow is never 0");
}

/* Gaussian curve: the least double not below alpha (sensitivity / sigma)^2 / 2. */
static void
test_gaussian(void)
{
	int			bad = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		alpha = any_order(1e9);
		double		sigma = log_uniform(1e-9, 1e9);
		double		sensitivity = log_uniform(1e-9, 1e9);
		double		rdp = dp_accounting_rdp_gaussian(alpha, sigma, sensitivity);
		long double square = sensitivity * (long double) sensitivity;
		long double truth = alpha * square / sigma / sigma / 2;

		bad += rdp < truth * (1 - 0x1p-60L) || nextafter(nextafter(rdp, 0), 0) > truth;
	}
	ok(bad == 0, "Gaussian curve is rounded up by less than two units in the last place");
}

/* Curves rise with the order, fall with the noise, rise with the change. */
static void
test_monotone(void)
{
	int			bad[5] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		alpha = any_order(1e6);
		double		beta = alpha * (1 + log_uniform(1e-9, 10));
		double		x = log_uniform(2e-3, 1e4);
		double		y = x * (1 + log_uniform(1e-9, 10));
		double		z = log_uniform(1e-9, 1e3);
		int64_t		d = (int64_t) log_uniform_integer(1e6);
		double		p = uniform(0.5, 1);
		double		q = uniform(p, 1);

		bad[0] += dp_accounting_rdp_laplace(alpha, y, z) >
			dp_accounting_rdp_laplace(beta, x, z) * ROUNDING;
		bad[1] += dp_accounting_rdp_laplace_integer(alpha, y, d) >
			dp_accounting_rdp_laplace_integer(beta, x, d + 1) * ROUNDING;
		bad[2] += dp_accounting_rdp_gaussian_integer(alpha, fmax(z, 1e-6), d) >
			dp_accounting_rdp_gaussian_integer(beta, fmax(z, 1e-6), d + 1) * ROUNDING;
		bad[3] += dp_accounting_rdp_randomized_response(alpha, p) >
			dp_accounting_rdp_randomized_response(beta, q) * ROUNDING;
		bad[4] += dp_accounting_rdp_exponential(alpha, z) >
			dp_accounting_rdp_exponential(beta, z * y / x) * ROUNDING;
	}
	ok(bad[0] == 0, "Laplace curve is monotone");
	ok(bad[1] == 0, "discrete Laplace curve is monotone");
	ok(bad[2] == 0, "discrete Gaussian curve is monotone");
	ok(bad[3] == 0, "randomised response is monotone");
	ok(bad[4] == 0, "exponential mechanism's curve is monotone");
}

/* Who is worse than whom. */
static void
test_between(void)
{
	int			bad[5] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		alpha = any_order(1e6);
		double		scale = log_uniform(2e-3, 1e9);
		double		epsilon = 1 / scale;
		double		sigma2 = log_uniform(1e-6, 1e6);
		int64_t		d = (int64_t) log_uniform_integer(1e6);
		double		pure = dp_accounting_rdp_pure(alpha, epsilon);
		double		exponential = dp_accounting_rdp_exponential(alpha, epsilon);
		double		p = 1 / (1 + exp(-epsilon));

		bad[0] += dp_accounting_rdp_laplace(alpha, scale, 1) >
			dp_accounting_rdp_laplace_integer(alpha, scale, 1) * ROUNDING;
		bad[1] += !near(dp_accounting_rdp_laplace_integer(alpha, scale, 1), pure, 1e-12L);
		bad[2] += exponential > pure * ROUNDING ||
			exponential > alpha * epsilon * epsilon / 8 * ROUNDING ||
			exponential * ROUNDING < dp_accounting_rdp_pure(alpha, epsilon / 2);
		bad[3] += dp_accounting_rdp_gaussian_integer(alpha, sigma2, d) >
			alpha * d * d / sigma2 / 2 * ROUNDING;
		bad[4] += epsilon > 1e-3 && epsilon < 10 &&
			!near(dp_accounting_rdp_randomized_response(alpha, p), pure, 1e-9L);
	}
	ok(bad[0] == 0, "continuous Laplace noise costs no more than discrete");
	ok(bad[1] == 0, "discrete Laplace noise at distance 1 costs what the worst pure mechanism does");
	ok(bad[2] == 0, "bounded range costs no more than epsilon or alpha epsilon^2 / 8, "
	   "no less than epsilon / 2");
	ok(bad[3] == 0, "discrete Gaussian noise costs no more than continuous");
	ok(bad[4] == 0, "randomised response with p = 1 / (1 + exp(-epsilon)) is the worst pure mechanism");
}

/* Far orders reach the pure epsilon; coarse noise on wide grids is continuous. */
static void
test_limits(void)
{
	int			bad[3] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		alpha = any_order(1e4);
		double		epsilon = log_uniform(0.01, 50);

		bad[0] += !near(dp_accounting_rdp_laplace(1e9, 1, epsilon), epsilon, 1e-6L) ||
			!near(dp_accounting_rdp_pure(1e9, epsilon), epsilon, 1e-6L) ||
			!near(dp_accounting_rdp_exponential(1e9, epsilon), epsilon, 1e-5L);
		bad[1] += !near(dp_accounting_rdp_laplace_integer(alpha, 1e15 / epsilon, (int64_t) 1e15),
						dp_accounting_rdp_laplace(alpha, 1e15 / epsilon, 1e15), 1e-10L);
		bad[2] += !near(dp_accounting_rdp_gaussian_integer(alpha, 20 + epsilon, 3),
						dp_accounting_rdp_gaussian(alpha, sqrt(20 + epsilon), 3), 1e-12L);
	}
	ok(bad[0] == 0, "the greatest order reaches epsilon");
	ok(bad[1] == 0, "discrete Laplace noise with a great scale is continuous");
	ok(bad[2] == 0, "discrete Gaussian noise above sigma 4 is continuous");
}

/* (alpha - 1) RDP of a mechanism on a sample, for comparisons. */
static double
sampled(bool gaussian, double alpha, double p, double parameter)
{
	return gaussian ? dp_accounting_rdp_subsampled_gaussian(alpha, p, parameter) :
		dp_accounting_rdp_subsampled_laplace(alpha, p, parameter);
}

static double
unsampled(bool gaussian, double alpha, double parameter)
{
	return gaussian ? dp_accounting_rdp_gaussian(alpha, parameter, 1) :
		dp_accounting_rdp_laplace_integer(alpha, parameter, 1);
}

/* The logarithm of the moment between whole orders a and a + 1 by the chord of log(gain / (a (a - 1))). */
static long double
geometric(int a, long double share, long double below, long double above)
{
	long double order = a + share;
	long double log_gain = (1 - share) * logl(expm1l((a - 1) * below) / ((long double) a * (a - 1))) +
		share * logl(expm1l(a * above) / ((long double) a * (a + 1)));

	return log_gain < 5000 ? log1pl(order * (order - 1) * expl(log_gain)) : INFINITY;
}

static void
test_sampling(bool gaussian, const char *name)
{
	int			bad[6] = {0};

	for (int i = 0; i < SLOW_ROUNDS; i++)
	{
		double		parameter = log_uniform(0.05, 100);
		double		p = log_uniform(1e-6, 1);
		double		share = uniform(0, 1);
		int			a = 1 + (int) log_uniform_integer(500);
		double		below = sampled(gaussian, a, p, parameter);
		double		above = sampled(gaussian, a + 1, p, parameter);
		double		between = sampled(gaussian, a + share, p, parameter);
		long double gain = expm1l(unsampled(gaussian, 2, parameter));
		long double line = (1 - share) * (a - 1) * below + share * a * above;
		double		low = 1.01 + 0.98 * share;
		double		gain_low = expm1((low - 1) * unsampled(gaussian, low, parameter));

		bad[0] += below > unsampled(gaussian, a, parameter) * ROUNDING || below > above * ROUNDING;
		bad[1] += above > sampled(gaussian, a + 1, fmin(p * 1.01, 1), parameter) * ROUNDING;
		bad[2] += !near(sampled(gaussian, a, 1, parameter), unsampled(gaussian, a, parameter), 1e-12L);
		bad[3] += !near(sampled(gaussian, 2, p, parameter), log1pl(p * p * gain), 1e-10L);
		bad[4] += between * (a + (long double) share - 1) > line * ROUNDING ||
			(a > 1 ? !near(between * (a + (long double) share - 1), fminl(line, geometric(a, share, below, above)), 1e-11L) :
			 between * share > log1pl((1 + share) * share / 2 * expm1l(above)) * ROUNDING);
		/* with weights w = 1 - p the bound is another's upper one, with w = 0 and 1 too */
		bad[5] += sampled(gaussian, low, p, parameter) * (low - 1) > ROUNDING *
			fmin(log1p(p * p * ((1 - p) * low * (low - 1) / 2 * gain + p * gain_low)), log1p(pow(p, low) * gain_low));
	}
	ok(bad[0] == 0, "%s: a sample costs no more than all, a greater order no less", name);
	ok(bad[1] == 0, "%s: a greater sample costs no less", name);
	ok(bad[2] == 0, "%s: a sample of all costs what all do", name);
	ok(bad[3] == 0, "%s: at order 2 the closed form log(1 + p^2 (exp(RDP(2)) - 1))", name);
	ok(bad[4] == 0, "%s: the lesser chord between whole orders, at most that of order 2 below it", name);
	ok(bad[5] == 0, "%s: below order 2 at most the bound at any weights", name);
}

/* The greatest order ends soon, near the pure epsilon of the mechanism on the sample. */
static void
test_greatest_order(void)
{
	double		rdp = dp_accounting_rdp_subsampled_laplace(DP_MAX_SAMPLED_ALPHA, 0.5, 1);

	ok(near(rdp, log1pl(0.5L * expm1l(1)), 1e-4L),
	   "a sample of half at order 1e5 costs nearly log((1 + exp(epsilon)) / 2)");
}

int
main(void)
{
	test_reference();
	test_exact();
	test_gaussian();
	test_monotone();
	test_between();
	test_limits();
	test_sampling(true, "Gaussian sample");
	test_sampling(false, "Laplace sample");
	test_greatest_order();
	return done_testing();
}
