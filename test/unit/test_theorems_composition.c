/*
 * test_theorems_composition.c
 *	  Composition theorems: reference values, closed forms, who is tighter.
 */
#include <stdlib.h>

#include "theorems.h"
#include "theorems_reference.h"

#include "accounting/composition.h"
#include "accounting/privacy_curve.h"

#define ROUNDS 5000
#define SLOW_ROUNDS 30

static void
test_reference(void)
{
	EVERY(optimal, bounds,
		  dp_accounting_kov_optimal(row->epsilon, row->delta, row->k, row->delta_total));
	EVERY(drv, bounds, dp_accounting_advanced_composition_drv(row->epsilon, row->k, row->slack));
	EVERY(group, bounds, dp_accounting_group_privacy(row->epsilon, row->delta, row->k).delta);
}

static void
test_composed_reference(void)
{
	int			bad[2] = {0};

	for (int i = 0; i < LENGTH(composed); i++)
	{
		const __typeof__(composed[0]) *row = &composed[i];
		DpGuarantee total = dp_accounting_kov_bound(COMPOSED, row->epsilons, row->deltas, row->slack);

		bad[0] += !bounds(total.epsilon, row->kov_epsilon) || !bounds(total.delta, row->kov_delta);
		total = dp_accounting_advanced_composition(COMPOSED, row->epsilons, row->deltas, row->slack);
		bad[1] += !bounds(total.epsilon, row->advanced_epsilon) ||
			!bounds(total.delta, row->advanced_delta);
	}
	ok(bad[0] == 0, "bounds of different mechanisms: %d rows", LENGTH(composed));
	ok(bad[1] == 0, "advanced composition of different mechanisms: %d rows", LENGTH(composed));
}

static void
test_ends(void)
{
	const double half[] = {0.5, 0.25, 0.125};
	const double whole[] = {1, 0, 0};
	const double none[] = {0, 0, 0};
	DpGuarantee total = dp_accounting_basic_composition(3, half, half);

	ok(total.epsilon == 0.875 && total.delta == 0.875, "sums that are exact");
	total = dp_accounting_basic_composition(0, NULL, NULL);
	ok(total.epsilon == 0 && total.delta == 0, "nothing composed");
	total = dp_accounting_basic_composition(3, half, whole);
	ok(total.delta == 1 && dp_accounting_kov_bound(3, half, whole, 0.5).delta == 1, "delta 1");
	total = dp_accounting_advanced_composition(3, none, none, 0.25);
	ok(total.epsilon == 0 && total.delta == 0.25, "nothing but slack");
	total = dp_accounting_group_privacy(0.25, 1e-6, 1);
	ok(total.epsilon == 0.25 && total.delta == 1e-6, "a group of one");
	total = dp_accounting_group_privacy(1e6, 1e-300, 1000000);
	ok(total.epsilon == 1e12 && total.delta == 1, "a great group");
	total = dp_accounting_group_privacy(1e6, 0, 1000000);
	ok(total.delta == 0, "a great group without delta");
	ok(dp_accounting_advanced_composition_drv(1e6, 1000, 0.5) == INFINITY, "overflow is infinite");
}

static void
test_optimal_ends(void)
{
	ok(dp_accounting_kov_optimal(0.5, 0, 3, 0) == 1.5, "without delta epsilons add up");
	ok(dp_accounting_kov_optimal(0.5, 1e-6, 1, 1e-6) == 0.5, "one mechanism");
	ok(dp_accounting_kov_optimal(0.5, 1e-6, 2, 1e-6) == INFINITY &&
	   dp_accounting_kov_optimal(0.5, 1e-6, 1, 0.9e-6) == INFINITY, "too little delta");
	ok(dp_accounting_kov_optimal(0.5, 1e-6, 2, 2e-6) <= 1, "enough for the deltas");
	ok(dp_accounting_kov_optimal(0, 1e-6, 5, 1e-3) == 0 &&
	   dp_accounting_kov_optimal(0.1, 0, 1, 0.5) == 0 &&
	   dp_accounting_kov_optimal(0.1, 0, 2, 0.5) == 0, "no epsilon needed");
	ok(dp_accounting_kov_optimal(50, 0, 1000000, nextafter(1, 0)) > 49e6, "a delta near 1");
}

/* Sums: never below, and hardly above. */
static void
test_basic(void)
{
	size_t		count = DP_MAX_COMPOSED;
	double	   *values = malloc(count * sizeof(double));
	long double sum = 0;
	DpGuarantee total;

	for (size_t i = 0; i < count; i++)
		sum += values[i] = log_uniform(1e-9, 1e-7);
	total = dp_accounting_basic_composition(count, values, values);
	ok(near(total.epsilon, sum, 1e-12L) && total.epsilon == total.delta, "a million mechanisms");
	free(values);
}

/* One randomised response, or two, by hand. */
static void
test_by_hand(void)
{
	int			bad[2] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		long double e = log_uniform(1e-3, 3);
		long double spent = e * uniform(0, 1);
		long double p = 1 / (1 + expl(-e));
		double		delta = (double) (-p * expm1l(spent - e));
		double		twice = (double) (-p * p * expm1l(spent - 2 * e));

		bad[0] += !near(dp_accounting_kov_optimal((double) e, 0, 1, delta), spent, 1e-9L);
		bad[1] += !near(dp_accounting_kov_optimal((double) e, 0, 2, twice), spent, 1e-9L);
	}
	ok(bad[0] == 0, "one mechanism by hand");
	ok(bad[1] == 0, "two mechanisms by hand");
}

/* delta at `spent` of k mechanisms, by logarithms of binomial coefficients. */
static long double
delta_by_terms(long double e, int k, long double spent)
{
	long double sum = 0;

	for (int l = k; l >= 0 && (2 * l - k) * e > spent; l--)
		sum -= expl(lgammal(k + 1) - lgammal(l + 1) - lgammal(k - l + 1) +
					l * e - k * (e + log1pl(expl(-e)))) * expm1l(spent - (2 * l - k) * e);
	return sum;
}

/* Right to within rounding in the sums, and in the epsilon. */
static void
test_optimal_by_terms(void)
{
	int			bad = 0;

	for (int i = 0; i < SLOW_ROUNDS; i++)
	{
		int			k = i == 0 ? DP_MAX_COMPOSED : (int) log_uniform_integer(50000);
		double		epsilon = log_uniform(0.01, 10) / sqrt(k);
		double		delta = log_uniform(1e-15, 0.1);
		double		spent = dp_accounting_kov_optimal(epsilon, 0, k, delta);

		bad += spent > 0 &&
			fabsl(delta_by_terms(epsilon, k, spent) - delta) > 1e-8L * delta + 1e-15L * spent;
	}
	ok(bad == 0, "delta of up to a million mechanisms at their optimal epsilon");
}

/* Of all theorems the exact one is tightest. */
static void
test_tightest(void)
{
	int			bad[3] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilons[100];
		double		deltas[100];
		int			k = (int) log_uniform_integer(100);
		double		epsilon = log_uniform(1e-4, 3);
		double		delta = i % 2 ? 0 : log_uniform(1e-15, 1e-4);
		double		slack = log_uniform(1e-15, 0.5);
		double		other = slack * (1 + log_uniform(1e-9, 0.9));
		DpGuarantee bound;

		for (int j = 0; j < k; j++)
		{
			epsilons[j] = epsilon;
			deltas[j] = delta;
		}
		bound = dp_accounting_kov_bound(k, epsilons, deltas, slack);
		bad[0] += dp_accounting_kov_optimal(epsilon, delta, k, bound.delta) >
			bound.epsilon * (1 + 1e-12);
		bad[1] += bound.epsilon >
			fmin(dp_accounting_advanced_composition(k, epsilons, deltas, slack).epsilon,
				 fmin(dp_accounting_basic_composition(k, epsilons, deltas).epsilon,
					  dp_accounting_advanced_composition_drv(epsilon, k, slack))) * (1 + 1e-12);
		bad[2] += dp_accounting_kov_optimal(epsilon, 0, k, other) >
			dp_accounting_kov_optimal(epsilon, 0, k, slack) * (1 + 1e-12) ||
			dp_accounting_kov_optimal(epsilon, 0, k, slack) >
			dp_accounting_kov_optimal(epsilon, 0, k + 1, slack) * (1 + 1e-12) ||
			dp_accounting_kov_optimal(epsilon, 0, k, slack) >
			dp_accounting_kov_optimal(epsilon * 1.01, 0, k, slack) * (1 + 1e-12);
	}
	ok(bad[0] == 0, "the optimal epsilon is no more than the bound");
	ok(bad[1] == 0, "the bound is no more than older ones");
	ok(bad[2] == 0, "the optimal epsilon is monotone");
}

/* Discrete Laplace noise moved by k steps is group privacy of noise moved by one. */
static void
test_group(void)
{
	int			bad = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		scale = log_uniform(0.5, 100);
		double		epsilon = log_uniform(0.01, 1) / scale;
		int			k = (int) log_uniform_integer(30);
		double		delta = dp_accounting_discrete_laplace_delta(scale, epsilon, 1);
		DpGuarantee all = dp_accounting_group_privacy(epsilon, delta, k);

		bad += dp_accounting_discrete_laplace_delta(scale, all.epsilon, k) > all.delta;
	}
	ok(bad == 0, "groups are as private as stated");
}

int
main(void)
{
	test_reference();
	test_composed_reference();
	test_ends();
	test_optimal_ends();
	test_basic();
	test_by_hand();
	test_optimal_by_terms();
	test_tightest();
	test_group();
	return done_testing();
}
