/*
 * test_theorems_values.c
 *	  The analysts' functions against the values of an independent
 *	  implementation.
 */
#include "theorems.h"
#include "theorems_values.h"

#include "accounting/composition.h"
#include "accounting/conversion.h"
#include "accounting/curve.h"
#include "accounting/discrete_gaussian.h"
#include "accounting/mechanisms.h"
#include "accounting/privacy_curve.h"
#include "accounting/subsampling.h"
#include "accounting/threshold.h"

/* The values' own search for the best order ends here: 1 + exp(16). */
#define GREATEST_ORDER 8886111.5205078725

#define MOST_COMPOSED 1000

static double epsilons[MOST_COMPOSED];
static double deltas[MOST_COMPOSED];

static void
fill(int64_t count, double epsilon, double delta)
{
	for (int i = 0; i < count; i++)
	{
		epsilons[i] = epsilon;
		deltas[i] = delta;
	}
}

static void
test_curves(void)
{
	EVERY(value_rdp_gaussian, bounds,
		  dp_accounting_rdp_gaussian(row->alpha, row->sigma, row->sensitivity));
	EVERY(value_rdp_laplace, bounds,
		  dp_accounting_rdp_laplace(row->alpha, row->scale, row->sensitivity));
	EVERY(value_rdp_discrete_laplace, bounds,
		  dp_accounting_rdp_laplace_integer(row->alpha, row->scale, row->sensitivity));
	EVERY(value_rdp_discrete_gaussian, bounds,
		  dp_accounting_rdp_gaussian_integer(row->alpha, row->sigma2, row->sensitivity));
	EVERY(value_rdp_pure, bounds, dp_accounting_rdp_pure(row->alpha, row->epsilon));
	EVERY(value_rdp_exponential_bounded_range, bounds,
		  dp_accounting_rdp_exponential(row->alpha, row->epsilon));
	EVERY(value_rdp_subsampled_gaussian, bounds,
		  dp_accounting_rdp_subsampled_gaussian(row->alpha, row->p, row->sigma));
	EVERY(value_rdp_subsampled_laplace, bounds,
		  dp_accounting_rdp_subsampled_laplace(row->alpha, row->p, row->scale));
}

/* The values are as good as 0 where they are. */
static bool
bounds_or_zero(long double value, long double truth)
{
	return fabsl(truth) < 1e-60L ? value == 0 : bounds(value, truth);
}

/* Groups filled up to the sum of all changes, each to its own bound; 0: no such sum. */
static double
filled_groups(double alpha, double scale, int64_t groups, int64_t sum, int64_t each)
{
	double		rdp = 0;

	for (; groups > 0; groups--)
	{
		int64_t		change = sum > 0 && sum < each ? sum : each;

		rdp += dp_accounting_rdp_laplace_integer(alpha, scale, change);
		if (sum > 0 && (sum -= change) == 0)
			break;
	}
	return rdp;
}

static void
test_other_curves(void)
{
	EVERY(value_rdp_randomized_response, bounds_or_zero,
		  dp_accounting_rdp_randomized_response(row->alpha, row->p));
	EVERY(value_rdp_discrete_laplace_groups, bounds,
		  filled_groups(row->alpha, row->scale, row->groups, row->sum, row->each));
}

static double
mixture_rdp(double alpha, const Mixture *mixture)
{
	return mixture->gaussians * dp_accounting_rdp_gaussian(alpha, mixture->sigma, 1) +
		mixture->pures * dp_accounting_rdp_pure(alpha, mixture->epsilon) +
		mixture->laplaces * dp_accounting_rdp_laplace(alpha, mixture->scale, 1) +
		mixture->integers * dp_accounting_rdp_laplace_integer(alpha, mixture->integer_scale, 1);
}

static double
mixture_epsilon(double alpha, const Mixture *mixture, double delta)
{
	return dp_accounting_rdp_to_epsilon(alpha, mixture_rdp(alpha, mixture), delta);
}

static double
mixture_delta(double alpha, const Mixture *mixture, double epsilon)
{
	return dp_accounting_rdp_to_delta(alpha, mixture_rdp(alpha, mixture), epsilon);
}

/* The least over all orders, by golden sections in log(alpha - 1). */
static double
at_best_order(double (*function) (double alpha, const Mixture *mixture, double other),
			  const Mixture *mixture, double other)
{
	const double ratio = (sqrt(5) - 1) / 2;
	double		low = log(DP_MIN_ALPHA - 1 + 1e-9);
	double		high = log(GREATEST_ORDER - 1);

	while (high - low > 1e-8)
	{
		double		a = high - ratio * (high - low);
		double		b = low + ratio * (high - low);

		if (function(1 + exp(a), mixture, other) <= function(1 + exp(b), mixture, other))
			high = b;
		else
			low = a;
	}
	return fmin(function(1 + exp(low), mixture, other), function(1 + exp(high), mixture, other));
}

/* A search ends beside the optimum, by little. */
static bool
found(long double value, long double truth)
{
	return near(value, truth, 1e-9L);
}

static void
test_conversions(void)
{
	EVERY(value_rdp_order_to_eps, bounds,
		  dp_accounting_rdp_to_epsilon(row->alpha, row->rdp, row->delta));
	EVERY(value_rdp_order_to_delta, bounds,
		  dp_accounting_rdp_to_delta(row->alpha, row->rdp, row->epsilon));
	EVERY(value_rdp_to_eps, found, at_best_order(mixture_epsilon, &row->mixture, row->delta));
	EVERY(value_rdp_to_delta, found, at_best_order(mixture_delta, &row->mixture, row->epsilon));
	EVERY(value_zcdp_to_eps, bounds, dp_accounting_zcdp_to_epsilon(row->rho, row->delta));
	EVERY(value_zcdp_to_delta, bounds, dp_accounting_zcdp_to_delta(row->rho, row->epsilon));
	EVERY(value_zcdp_max_rho, bounds_below,
		  dp_accounting_zcdp_max_rho(row->epsilon, row->delta));
}

/* The greatest rho just fits at the best order, and at no other. */
static void
test_best_order(void)
{
	int			bad = 0;

	for (int i = 0; i < LENGTH(value_zcdp_max_rho_alpha); i++)
	{
		double		alpha = (double) value_zcdp_max_rho_alpha[i].value;
		double		epsilon = value_zcdp_max_rho_alpha[i].epsilon;
		double		delta = value_zcdp_max_rho_alpha[i].delta;
		double		rho = dp_accounting_zcdp_max_rho(epsilon, delta);

		bad += !near(dp_accounting_rdp_to_epsilon(alpha, alpha * rho, delta), epsilon, 1e-9L);
		for (double beside = 0.97; beside < 1.04; beside += 0.06)
		{
			double		other = 1 + (alpha - 1) * beside;

			bad += dp_accounting_rdp_to_epsilon(other, other * rho, delta) <= epsilon;
		}
	}
	ok(bad == 0, "best orders of concentrated privacy");
}

static void
test_privacy_curves(void)
{
	EVERY(value_gaussian_delta, bounds,
		  dp_accounting_gaussian_delta(row->sigma, row->epsilon, row->sensitivity));
	EVERY(value_gaussian_sigma, bounds,
		  dp_accounting_gaussian_sigma(row->epsilon, row->delta, row->sensitivity));
	EVERY(value_laplace_delta, bounds,
		  dp_accounting_laplace_delta(row->scale, row->epsilon, row->sensitivity));
	EVERY(value_discrete_laplace_delta, bounds,
		  dp_accounting_discrete_laplace_delta(row->scale, row->epsilon, row->sensitivity));
	EVERY(value_discrete_gaussian_delta, bounds,
		  dp_accounting_discrete_gaussian_delta(row->sigma2, row->epsilon, row->sensitivity));
	EVERY(value_discrete_laplace_variance, nearly,
		  dp_accounting_discrete_laplace_variance(row->scale));
	EVERY(value_discrete_gaussian_variance, nearly,
		  dp_accounting_discrete_gaussian_variance(row->sigma2));
	EVERY(value_discrete_gaussian_tail, nearly,
		  row->m > 0 ? dp_accounting_gaussian_integer_tail(row->sigma2, row->m) :
		  1 - dp_accounting_gaussian_integer_tail(row->sigma2, 1 - row->m));
}

static void
test_composition(void)
{
	EVERY(value_advanced_composition_drv, bounds,
		  dp_accounting_advanced_composition_drv(row->epsilon, (int) row->k, row->slack));
	EVERY(value_advanced_composition_pure, bounds,
		  (fill(row->k, row->epsilon, 0),
		   dp_accounting_advanced_composition(row->k, epsilons, deltas, row->delta).epsilon));
	EVERY(value_kov_heterogeneous, bounds,
		  (fill(row->k, row->epsilon, 0),
		   dp_accounting_kov_bound(row->k, epsilons, deltas, row->slack).epsilon));
	EVERY(value_kov_optimal_homogeneous, bounds,
		  dp_accounting_kov_optimal(row->epsilon, row->delta, (int) row->k, row->delta_total));
}

/* Here the values state the total delta, of which the slack is what is left. */
static void
test_approximate_composition(void)
{
	int			bad = 0;

	for (int i = 0; i < LENGTH(value_advanced_composition_approx); i++)
	{
		const __typeof__(value_advanced_composition_approx[0]) *row =
			&value_advanced_composition_approx[i];
		long double slack = row->delta - row->k * (long double) row->delta_each;
		DpGuarantee total;

		fill(row->k, row->epsilon, row->delta_each);
		total = dp_accounting_advanced_composition(row->k, epsilons, deltas, (double) slack);
		bad += !near(total.epsilon, row->value, 1e-14L) || !near(total.delta, row->delta, 1e-14L);
	}
	ok(bad == 0, "value_advanced_composition_approx");
}

/*
 * The third of the bounds of which dp_accounting_kov_bound takes the least, and
 * less than the second where the sum of squares is at least 1.
 */
static void
test_lecture_composition(void)
{
	int			bad = 0;

	for (int i = 0; i < LENGTH(value_advanced_composition_lecture); i++)
	{
		const __typeof__(value_advanced_composition_lecture[0]) *row =
			&value_advanced_composition_lecture[i];
		long double least = fminl(row->k * (long double) row->epsilon, row->value);
		double		bound;

		fill(row->k, row->epsilon, 0);
		bound = dp_accounting_kov_bound(row->k, epsilons, deltas, row->slack).epsilon;
		bad += row->k * row->epsilon * row->epsilon >= 1 ? !bounds(bound, least) : bound >= least;
	}
	ok(bad == 0, "value_advanced_composition_lecture");
}

/* A tail is the probability that a threshold one above its start just meets. */
static void
test_thresholds(void)
{
	EVERY(value_discrete_laplace_threshold, found,
		  dp_accounting_discrete_laplace_threshold(row->scale, row->delta, (int) row->groups));
	EVERY(value_discrete_gaussian_threshold, found,
		  dp_accounting_discrete_gaussian_threshold(row->sigma2, row->delta, (int) row->groups));
	EVERY(value_partition_select_prob, nearly,
		  dp_accounting_partition_select(row->n, row->epsilon, row->delta));
	for (int i = 0; i < LENGTH(value_discrete_laplace_tail); i++)
	{
		const __typeof__(value_discrete_laplace_tail[0]) *row = &value_discrete_laplace_tail[i];
		double		tail = (double) row->value;

		ok(dp_accounting_discrete_laplace_threshold(row->scale, tail * (1 + 1e-12), 1) == row->m + 1 &&
		   dp_accounting_discrete_laplace_threshold(row->scale, tail * (1 - 1e-12), 1) == row->m + 2,
		   "value_discrete_laplace_tail: m = %d", (int) row->m);
	}
}

int
main(void)
{
	test_curves();
	test_other_curves();
	test_conversions();
	test_best_order();
	test_privacy_curves();
	test_composition();
	test_approximate_composition();
	test_lecture_composition();
	test_thresholds();
	return done_testing();
}
