/*
 * test_theorems_conversion.c
 *	  Conversions of Renyi and concentrated privacy: reference values, and
 *	  agreement among themselves and with exact privacy curves.
 */
#include "theorems.h"
#include "theorems_reference.h"

#include "accounting/conversion.h"
#include "accounting/filter.h"
#include "accounting/mechanisms.h"
#include "accounting/privacy_curve.h"

#define ROUNDS 5000

static void
test_reference(void)
{
	EVERY(to_epsilon, bounds, dp_accounting_rdp_to_epsilon(row->alpha, row->rdp, row->delta));
	EVERY(to_delta, bounds, dp_accounting_rdp_to_delta(row->alpha, row->rdp, row->epsilon));
	EVERY(zcdp_epsilon, bounds, dp_accounting_zcdp_to_epsilon(row->rho, row->delta));
	EVERY(zcdp_delta, bounds, dp_accounting_zcdp_to_delta(row->rho, row->epsilon));
	EVERY(max_rho, bounds_below, dp_accounting_zcdp_max_rho(row->epsilon, row->delta));
}

static void
test_ends(void)
{
	ok(dp_accounting_zcdp_to_epsilon(0, 1e-6) == 0 && dp_accounting_zcdp_to_delta(0, 0) == 0,
	   "no cost at all");
	ok(dp_accounting_rdp_to_epsilon(2, 0, 0.999) == 0, "epsilon is never negative");
	ok(dp_accounting_rdp_to_delta(2, 50, 1) == 1, "delta is never above 1");
	ok(dp_accounting_rdp_to_delta(1e6, 0, 1e6) == DBL_TRUE_MIN &&
	   dp_accounting_zcdp_to_delta(1e-9, 50) == DBL_TRUE_MIN, "delta is never rounded to 0");
	ok(dp_accounting_zcdp_to_epsilon(1e308, 1e-308) >= 1e308, "great costs");
	ok(dp_accounting_zcdp_max_rho(0, 1e-6) > 0, "a delta alone allows some cost");
}

/* Converting there and back is close, and never better than the start. */
static void
test_inverse(void)
{
	int			bad[3] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		alpha = 1 + log_uniform(0.0101, 1e4);
		double		delta = log_uniform(1e-15, 0.5);
		double		rdp = log_uniform(1e-6, 100);
		double		rho = log_uniform(1e-9, 100);
		double		budget = log_uniform(1e-6, 50);
		double		epsilon = dp_accounting_rdp_to_epsilon(alpha, rdp, delta);
		double		back;

		if (epsilon > 0)
		{
			back = dp_accounting_rdp_to_delta(alpha, rdp, epsilon);
			bad[0] += back > delta * (1 + 1e-12) || !near(back, delta, 1e-8L);
		}
		epsilon = dp_accounting_zcdp_to_epsilon(rho, delta);
		if (epsilon > 0)
		{
			back = dp_accounting_zcdp_to_delta(rho, epsilon);
			bad[1] += back > delta * (1 + 1e-12) || !near(back, delta, 1e-8L);
		}
		back = dp_accounting_zcdp_to_epsilon(dp_accounting_zcdp_max_rho(budget, delta), delta);
		bad[2] += back > budget * (1 + 1e-13) || !near(back, budget, 1e-8L);
	}
	ok(bad[0] == 0, "Renyi to epsilon and back to delta");
	ok(bad[1] == 0, "concentrated to epsilon and back to delta");
	ok(bad[2] == 0, "epsilon to the greatest rho and back");
}

/* The best order is no worse than any order, and costs rise and fall as they should. */
static void
test_best_order(void)
{
	int			bad[2] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		alpha = 1 + log_uniform(0.0101, 1e6);
		double		delta = log_uniform(1e-15, 0.5);
		double		rho = log_uniform(1e-9, 100);
		double		epsilon = log_uniform(1e-6, 50);
		double		more = 1 + log_uniform(1e-9, 10);

		bad[0] += dp_accounting_zcdp_to_epsilon(rho, delta) >
			dp_accounting_rdp_to_epsilon(alpha, alpha * rho, delta) * (1 + 1e-13) ||
			dp_accounting_zcdp_to_delta(rho, epsilon) >
			dp_accounting_rdp_to_delta(alpha, alpha * rho, epsilon) * (1 + 1e-9);
		bad[1] += dp_accounting_zcdp_to_epsilon(rho, delta) >
			dp_accounting_zcdp_to_epsilon(rho * more, delta) * (1 + 1e-13) ||
			dp_accounting_zcdp_to_delta(rho, epsilon * more) >
			dp_accounting_zcdp_to_delta(rho, epsilon) * (1 + 1e-12) ||
			dp_accounting_zcdp_max_rho(epsilon, delta) >
			dp_accounting_zcdp_max_rho(epsilon * more, delta) * (1 + 1e-13);
	}
	ok(bad[0] == 0, "the best order is no worse than any other");
	ok(bad[1] == 0, "concentrated conversions are monotone");
}

/* No conversion promises more than the exact curve of the mechanism. */
static void
test_against_exact(void)
{
	int			bad[4] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		alpha = 1 + log_uniform(0.0101, 1e4);
		double		epsilon = log_uniform(1e-6, 10);
		double		sigma = log_uniform(0.1, 1000);
		double		sigma2 = log_uniform(0.01, 1000);
		int64_t		d = (int64_t) log_uniform_integer(20);

		bad[0] += dp_accounting_gaussian_delta(sigma, epsilon, 1) >
			dp_accounting_zcdp_to_delta(0.5 / sigma / sigma, epsilon) * (1 + 1e-9);
		bad[1] += dp_accounting_laplace_delta(sigma, epsilon, 1) >
			dp_accounting_rdp_to_delta(alpha, dp_accounting_rdp_laplace(alpha, sigma, 1),
									   epsilon) * (1 + 1e-9);
		bad[2] += dp_accounting_discrete_laplace_delta(sigma, epsilon, d) >
			dp_accounting_rdp_to_delta(alpha, dp_accounting_rdp_laplace_integer(alpha, sigma, d),
									   epsilon) * (1 + 1e-9);
		bad[3] += dp_accounting_discrete_gaussian_delta(sigma2, epsilon, d) >
			dp_accounting_rdp_to_delta(alpha, dp_accounting_rdp_gaussian_integer(alpha, sigma2, d),
									   epsilon) * (1 + 1e-9);
	}
	ok(bad[0] == 0, "Gaussian noise");
	ok(bad[1] == 0, "Laplace noise");
	ok(bad[2] == 0, "discrete Laplace noise");
	ok(bad[3] == 0, "discrete Gaussian noise");
}

/* A filter of one order converts by the same formula, and rounds up. */
static void
test_against_filter(void)
{
	int			bad = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		DpLimit		limit;
		DpCurve		total = {.pure = INFINITY};
		double		spent;
		double		least;

		dp_accounting_limit_init(&limit, log_uniform(0.01, 20), log_uniform(1e-12, 0.1), &dp_accounting_default_shares);
		for (int j = 0; j < DP_ORDERS; j++)
			total.rdp[j] = log_uniform(1e-3, 10);
		limit.orders = 1;
		limit.weight[0] = 1;
		spent = dp_accounting_epsilon_spent(&limit, &total);
		least = dp_accounting_rdp_to_epsilon(dp_accounting_order[limit.order[0]],
											 total.rdp[limit.order[0]], limit.delta_rdp);
		bad += !near(spent, least * (1 + DP_FILTER_ROUNDING), 1e-12L);
	}
	ok(bad == 0, "conversions agree with the filter");
}

int
main(void)
{
	test_reference();
	test_ends();
	test_inverse();
	test_best_order();
	test_against_exact();
	test_against_filter();
	return done_testing();
}
