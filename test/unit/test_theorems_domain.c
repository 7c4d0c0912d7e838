/*
 * test_theorems_domain.c
 *	  Every analysts' function at the corners of its domain: a number that is
 *	  not negative, in bounded time, with no undefined behaviour.
 */
#include "theorems.h"

#include "accounting/composition.h"
#include "accounting/conversion.h"
#include "accounting/curve.h"
#include "accounting/mechanisms.h"
#include "accounting/privacy_curve.h"
#include "accounting/subsampling.h"
#include "accounting/threshold.h"

#define BELOW_ONE (1 - DBL_EPSILON / 2)

static const double alphas[] = {1.01, 2, 3.5, 1e9};
static const double sampled_alphas[] = {1.01, 1.5, 2, 3, 1e5};
static const double positives[] = {DBL_TRUE_MIN, 1e-9, 1, 1e9, DBL_MAX};
static const double costs[] = {0, DBL_TRUE_MIN, 1, DBL_MAX};
static const double scales[] = {1e-3, 0.5, 1, 1e18};
static const double variances[] = {1e-6, 0.25, 4096, 1e30};
static const double epsilons[] = {0, DBL_TRUE_MIN, 1e-9, 1, 50, 1e6};
static const double some_epsilons[] = {1e-9, 1e-3, 1, 50, 1e6};
static const double deltas[] = {DBL_TRUE_MIN, 1e-15, 0.5, BELOW_ONE};
static const double half_deltas[] = {DBL_TRUE_MIN, 1e-15, 0.5};
static const double any_deltas[] = {0, DBL_TRUE_MIN, 0.5, BELOW_ONE, 1};
static const double composed_deltas[] = {0, DBL_TRUE_MIN, 1e-7, 0.5, BELOW_ONE};
static const double truths[] = {DBL_TRUE_MIN, 0.25, 0.5, BELOW_ONE};
static const double samples[] = {DBL_TRUE_MIN, 1e-3, 0.5, BELOW_ONE, 1};
static const int64_t shifts[] = {1, 2, 1000000007, INT64_MAX};
static const int64_t sizes[] = {0, 1, 1000, INT64_MAX};
static const int counts[] = {1, 2, 3, 1000, DP_MAX_COMPOSED};
static const int groups[] = {1, 1000, INT32_MAX};

#define EACH(i, values) for (int i = 0; i < LENGTH(values); i++)

#define REPORT(name, formula, ...) \
	do { \
		double		value = (formula); \
		\
		if (!(value >= 0)) \
		{ \
			bad++; \
			printf("# " name " gave %g for %g, %g, %g\n", value, __VA_ARGS__); \
		} \
	} while (0)

/* One check of a function of two arguments, or of three, from two or three lists. */
#define CORNERS_2(name, function, list_a, list_b) \
	do { \
		int			bad = 0; \
		\
		EACH(a, list_a) \
			EACH(b, list_b) \
				REPORT(name, function(list_a[a], list_b[b]), \
					   (double) list_a[a], (double) list_b[b], 0.0); \
		ok(bad == 0, name); \
	} while (0)

#define CORNERS_3(name, function, list_a, list_b, list_c) \
	do { \
		int			bad = 0; \
		\
		EACH(a, list_a) \
			EACH(b, list_b) \
				EACH(c, list_c) \
					REPORT(name, function(list_a[a], list_b[b], list_c[c]), \
						   (double) list_a[a], (double) list_b[b], (double) list_c[c]); \
		ok(bad == 0, name); \
	} while (0)

static void
test_curves(void)
{
	CORNERS_3("rdp_gaussian", dp_accounting_rdp_gaussian, alphas, positives, positives);
	CORNERS_3("rdp_laplace", dp_accounting_rdp_laplace, alphas, positives, positives);
	CORNERS_3("rdp_discrete_laplace", dp_accounting_rdp_laplace_integer, alphas, scales, shifts);
	CORNERS_3("rdp_discrete_gaussian", dp_accounting_rdp_gaussian_integer, alphas, variances, shifts);
	CORNERS_2("rdp_pure", dp_accounting_rdp_pure, alphas, epsilons);
	CORNERS_2("rdp_randomized_response", dp_accounting_rdp_randomized_response, alphas, truths);
	CORNERS_2("rdp_exponential", dp_accounting_rdp_exponential, alphas, epsilons);
	CORNERS_3("rdp_subsampled_gaussian", dp_accounting_rdp_subsampled_gaussian,
			  sampled_alphas, samples, positives);
	CORNERS_3("rdp_subsampled_laplace", dp_accounting_rdp_subsampled_laplace,
			  sampled_alphas, samples, scales);
}

static void
test_conversions(void)
{
	CORNERS_3("rdp_to_epsilon", dp_accounting_rdp_to_epsilon, alphas, costs, deltas);
	CORNERS_3("rdp_to_delta", dp_accounting_rdp_to_delta, alphas, costs, epsilons);
	CORNERS_2("zcdp_to_epsilon", dp_accounting_zcdp_to_epsilon, costs, deltas);
	CORNERS_2("zcdp_to_delta", dp_accounting_zcdp_to_delta, costs, epsilons);
	CORNERS_2("zcdp_max_rho", dp_accounting_zcdp_max_rho, epsilons, deltas);
}

static void
test_privacy_curves(void)
{
	CORNERS_3("gaussian_delta", dp_accounting_gaussian_delta, positives, epsilons, positives);
	CORNERS_3("gaussian_sigma", dp_accounting_gaussian_sigma, some_epsilons, half_deltas, positives);
	CORNERS_2("gdp_to_delta", dp_accounting_gdp_to_delta, positives, epsilons);
	CORNERS_2("gdp_to_epsilon", dp_accounting_gdp_to_epsilon, positives, deltas);
	CORNERS_3("laplace_delta", dp_accounting_laplace_delta, positives, epsilons, positives);
	CORNERS_3("discrete_laplace_delta", dp_accounting_discrete_laplace_delta, scales, epsilons, shifts);
	CORNERS_3("discrete_gaussian_delta", dp_accounting_discrete_gaussian_delta,
			  variances, epsilons, shifts);
}

/* kov_optimal for each delta, the other three arguments from lists. */
static double
optimal_half(double epsilon, int k, double total)
{
	return dp_accounting_kov_optimal(epsilon, 0.5, k, total);
}

static double
optimal_tiny(double epsilon, int k, double total)
{
	return dp_accounting_kov_optimal(epsilon, 1e-9, k, total);
}

static double
optimal_pure(double epsilon, int k, double total)
{
	return dp_accounting_kov_optimal(epsilon, 0, k, total);
}

static double
group_delta(double epsilon, double delta, int k)
{
	return dp_accounting_group_privacy(epsilon, delta, k).delta;
}

/* Of a single mechanism. */
static double
bound_delta(double epsilon, double delta, double slack)
{
	DpGuarantee bound = dp_accounting_kov_bound(1, &epsilon, &delta, slack);

	return bound.epsilon >= 0 ? bound.delta : NAN;
}

static double
advanced_epsilon(double epsilon, double delta, double slack)
{
	DpGuarantee advanced = dp_accounting_advanced_composition(1, &epsilon, &delta, slack);

	return advanced.delta >= slack ? advanced.epsilon : NAN;
}

static void
test_composition(void)
{
	CORNERS_3("kov_optimal, delta 0.5", optimal_half, epsilons, counts, composed_deltas);
	CORNERS_3("kov_optimal, delta 1e-9", optimal_tiny, epsilons, counts, composed_deltas);
	CORNERS_3("kov_optimal, delta 0", optimal_pure, epsilons, counts, composed_deltas);
	CORNERS_3("advanced_composition_drv", dp_accounting_advanced_composition_drv,
			  epsilons, counts, deltas);
	CORNERS_3("group_privacy", group_delta, epsilons, any_deltas, counts);
	CORNERS_3("kov_bound", bound_delta, epsilons, any_deltas, deltas);
	CORNERS_3("advanced_composition", advanced_epsilon, epsilons, any_deltas, deltas);
}

static void
test_thresholds(void)
{
	CORNERS_3("discrete_laplace_threshold", dp_accounting_discrete_laplace_threshold,
			  scales, deltas, groups);
	CORNERS_3("discrete_gaussian_threshold", dp_accounting_discrete_gaussian_threshold,
			  variances, deltas, groups);
	CORNERS_3("partition_select_probability", dp_accounting_partition_select,
			  sizes, some_epsilons, deltas);
}

int
main(void)
{
	test_curves();
	test_conversions();
	test_privacy_curves();
	test_composition();
	test_thresholds();
	return done_testing();
}
