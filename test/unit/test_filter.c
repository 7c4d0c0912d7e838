/*
 * test_filter.c
 *	  The privacy filter: its rule, its boundary, and how much of the budget
 *	  it lets be used.
 */
#include "accounting.h"

#include "accounting/filter.h"

#define ROUNDS 20000

/* What an order admits, from the definition. */
static long double
budget(long double a, long double epsilon, long double d)
{
	return epsilon + logl(a * d) / (a - 1) - logl(1 - 1 / a);
}

/* Rounding error to allow for when the above is compared with. */
static long double
margin(long double a, long double epsilon, long double d)
{
	return 1e-14L * (epsilon + fabsl(logl(a * d)) / (a - 1) - logl(1 - 1 / a));
}

static int
order_index(double order)
{
	int			i = 0;

	while (i < DP_ORDERS && dp_accounting_order[i] != order)
		i++;
	return i;
}

/* A history without a pure guarantee that costs nothing at any order. */
static DpCurve
empty_curve(void)
{
	return (DpCurve) {.pure = INFINITY};
}

static void
test_reference(void)
{
	int			bad = 0;

	for (int i = 0; i < LENGTH(order_budget); i++)
	{
		long double value = order_budget[i].value;
		long double error = margin(order_budget[i].alpha, order_budget[i].epsilon,
								   order_budget[i].delta);
		int			order = order_index(order_budget[i].alpha);
		DpLimit		limit = {
			.epsilon = order_budget[i].epsilon,.delta = order_budget[i].delta,
			.delta_rdp = order_budget[i].delta,.order = {order, order, order},.weight = {1}
		};
		DpCurve		total = empty_curve();

		total.rdp[order] = value - error;
		bad += dp_accounting_admits(&limit, &total) != (value - error >= 0);
		total.rdp[order] = fmaxl(value + error, 0);
		bad += dp_accounting_admits(&limit, &total);
	}
	ok(bad == 0, "an order admits up to its budget for %d reference values",
	   LENGTH(order_budget));
}

static void
test_arguments(void)
{
	DpLimit		limit;

	ok(dp_accounting_limit_init(&limit, 0, 0) != NULL &&
	   dp_accounting_limit_init(&limit, -1, 0) != NULL &&
	   dp_accounting_limit_init(&limit, INFINITY, 0) != NULL &&
	   dp_accounting_limit_init(&limit, NAN, 0) != NULL, "epsilon must be positive and finite");
	ok(dp_accounting_limit_init(&limit, 1, -1e-300) != NULL &&
	   dp_accounting_limit_init(&limit, 1, 1) != NULL &&
	   dp_accounting_limit_init(&limit, 1, NAN) != NULL, "delta must lie in [0, 1)");
}

static void
test_setup(void)
{
	DpLimit		limit;
	int			unsound = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = log_uniform(1e-9, 1e9);
		double		delta = i % 2 ? log_uniform(5e-324, 0.99) : i * 0x1p-1074;
		long double weights = 0;

		unsound += dp_accounting_limit_init(&limit, epsilon, delta) != NULL;
		unsound += limit.epsilon > epsilon || limit.delta > delta;
		unsound += limit.delta_rdp < 0 || limit.delta_partition < 0 ||
			(long double) limit.delta_rdp + limit.delta_partition > delta;
		for (int j = 0; j < DP_FILTER_ORDERS; j++)
		{
			weights += limit.weight[j];
			unsound += limit.order[j] < 0 || limit.order[j] >= DP_ORDERS;
		}
		unsound += weights > 1;
	}
	ok(unsound == 0, "shares of %d budgets add up to no more than the budget", ROUNDS);

	/* At 7/8 of half this delta, 1e-6, the optimum over all orders is 21.98. */
	dp_accounting_limit_init(&limit, 1, 1e-6 * 16 / 7);
	ok(dp_accounting_order[limit.order[0]] == 22 && dp_accounting_order[limit.order[1]] == 47 &&
	   dp_accounting_order[limit.order[2]] == 87,
	   "the orders are the best for Gaussian loads, and about twice and four times it");
}

/* The rule itself, in long double: 1 admitted, -1 refused, 0 too close to tell. */
static int
rule(const DpLimit *limit, const DpCurve *total)
{
	int			verdict = total->pure <= limit->epsilon ? 1 : -1;

	if (total->delta > limit->delta_partition)
		return -1;
	for (int j = 0; j < DP_FILTER_ORDERS && verdict < 1; j++)
	{
		long double a = dp_accounting_order[limit->order[j]];
		long double d = (long double) limit->weight[j] * limit->delta_rdp;
		long double left = budget(a, limit->epsilon, d) - total->rdp[limit->order[j]];
		long double error = margin(a, limit->epsilon, d);

		if (left > error)
			verdict = 1;
		else if (left >= -error)
			verdict = 0;
	}
	return verdict;
}

static void
test_rule(void)
{
	int			wrong = 0;
	int			inconsistent = 0;
	int			loose = 0;
	int			admitted = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		DpLimit		limit;
		DpCurve		total = {
			.pure = i % 3 ? INFINITY : log_uniform(1e-3, 1e3),
			.delta = i % 5 ? 0 : log_uniform(1e-13, 1e-3)
		};
		double		spent;
		int			verdict;

		dp_accounting_limit_init(&limit, log_uniform(0.01, 100), log_uniform(1e-12, 1e-3));
		for (int j = 0; j < DP_ORDERS; j++)
			total.rdp[j] = limit.epsilon * log_uniform(0.3, 3);
		spent = dp_accounting_epsilon_spent(&limit, &total);
		verdict = rule(&limit, &total);
		admitted += verdict == 1;
		wrong += verdict != 0 && dp_accounting_admits(&limit, &total) != (verdict == 1);
		inconsistent += dp_accounting_admits(&limit, &total) != (spent <= limit.epsilon);

		/* The least epsilon: that much admits, less does not. */
		limit.epsilon = spent;
		inconsistent += dp_accounting_admits(&limit, &total) != (spent < INFINITY);
		loose += spent < INFINITY && rule(&limit, &total) < 0;
		limit.epsilon = spent * (1 - 1e-12) - 1e-12;
		loose += spent < INFINITY && limit.epsilon > 0 && rule(&limit, &total) > 0;
	}
	ok(admitted > ROUNDS / 10 && admitted < ROUNDS * 9 / 10,
	   "histories lie on both sides of the boundary");
	ok(wrong == 0, "admission follows the rule on %d histories", ROUNDS);
	ok(inconsistent == 0, "a history is admitted exactly if epsilon spent is within the limit");
	ok(loose == 0, "epsilon spent is the least that admits");
}

static void
test_pure(void)
{
	DpLimit		limit;
	DpCurve		total = {.pure = 1};

	for (int i = 0; i < DP_ORDERS; i++)
		total.rdp[i] = 1;
	dp_accounting_limit_init(&limit, 1, 0);
	ok(dp_accounting_admits(&limit, &total), "without delta, pure epsilon may use all of epsilon");
	total.pure = nextafter(1, 2);
	ok(!dp_accounting_admits(&limit, &total), "and no more");
	total = empty_curve();
	ok(!dp_accounting_admits(&limit, &total), "without delta, a Renyi cost of zero is not enough");
	ok(isinf(dp_accounting_epsilon_spent(&limit, &total)), "no epsilon would be");
	total = (DpCurve) {.delta = 5e-324};
	ok(!dp_accounting_admits(&limit, &total), "without delta, no partition selection");
	ok(dp_accounting_epsilon_spent(&limit, &(DpCurve) {.pure = 0}) == 0, "an empty history spent 0");
	dp_accounting_limit_init(&limit, 1, 0.5);
	total = empty_curve();
	ok(dp_accounting_epsilon_spent(&limit, &total) == 0, "epsilon spent is never negative");
}

static void
test_partition(void)
{
	DpLimit		limit;
	DpCurve		total = {.delta = 0};

	dp_accounting_limit_init(&limit, 1, 1e-6);
	total.delta = limit.delta_partition;
	ok(dp_accounting_admits(&limit, &total), "partition selection may use its share of delta");
	total.delta = nextafter(limit.delta_partition, 1);
	ok(!dp_accounting_admits(&limit, &total) && isinf(dp_accounting_epsilon_spent(&limit, &total)),
	   "and no more, whatever epsilon");
}

/* What only the invalid rule "some order fits" would admit. */
static void
test_fixed_orders(void)
{
	DpLimit		limit;
	int			admitted = 0;

	dp_accounting_limit_init(&limit, 1, 1e-6);
	for (int i = 0; i < DP_ORDERS; i++)
	{
		DpCurve		total = empty_curve();
		bool		fixed = false;

		for (int j = 0; j < DP_FILTER_ORDERS; j++)
			fixed |= limit.order[j] == i;
		for (int j = 0; j < DP_ORDERS; j++)
			total.rdp[j] = i == j ? 0 : INFINITY;
		admitted += !fixed && dp_accounting_admits(&limit, &total);
	}
	ok(admitted == 0, "an order that was not fixed beforehand admits nothing");

	for (int j = 0; j < DP_FILTER_ORDERS; j++)
	{
		int			i = limit.order[j];
		DpCurve		total = empty_curve();

		for (int k = 0; k < DP_ORDERS; k++)
			total.rdp[k] = INFINITY;
		total.rdp[i] = budget(dp_accounting_order[i], 1, limit.weight[j] * limit.delta_rdp);
		total.rdp[i] *= 1 + 1e-12;
		ok(!dp_accounting_admits(&limit, &total), "order %g uses its own share of delta only",
		   dp_accounting_order[i]);
		total.rdp[i] *= 1 - 1e-11;
		ok(dp_accounting_admits(&limit, &total), "order %g may use all of that",
		   dp_accounting_order[i]);
	}
}

/* Limits that do not add up and totals that are no numbers admit nothing. */
static void
test_fail_closed(void)
{
	DpCurve		nothing = {.pure = 0};
	DpCurve		total;
	DpLimit		good;
	DpLimit		limit;

	dp_accounting_limit_init(&good, 1, 1e-6);
	ok(dp_accounting_admits(&good, &nothing), "a sound budget admits the empty history");
	limit = good;
	limit.weight[2] = 0.04;
	ok(!dp_accounting_admits(&limit, &nothing), "weights above 1 admit nothing");
	limit = good;
	limit.order[1] = DP_ORDERS;
	ok(!dp_accounting_admits(&limit, &nothing), "an unknown order admits nothing");
	limit = good;
	limit.delta_partition *= 1.01;
	ok(!dp_accounting_admits(&limit, &nothing), "shares above delta admit nothing");
	limit = good;
	limit.epsilon = INFINITY;
	total = empty_curve();
	total.delta = 1;
	ok(!dp_accounting_admits(&limit, &total), "an infinite epsilon does not admit all");

	total = empty_curve();
	for (int i = 0; i < DP_ORDERS; i++)
		total.rdp[i] = i % 2 ? NAN : -1;
	total.pure = NAN;
	ok(!dp_accounting_admits(&good, &total), "what is negative or no number admits nothing");
	total = nothing;
	total.delta = NAN;
	ok(!dp_accounting_admits(&good, &total), "a partition delta that is no number admits nothing");
}

/*
 * A load: one release costs (1 - gaussian) times that of discrete Laplace noise
 * at the given pure epsilon, plus gaussian * epsilon * alpha.
 */
typedef struct Load
{
	double		epsilon;
	double		gaussian;
	uint64_t	shift;			/* how far the Laplace total moves */
} Load;

static double
load_rdp(const Load *load, double alpha)
{
	uint64_t	num = load->shift * 0x1p20 / load->epsilon;
	double		laplace = 0;

	if (load->gaussian < 1)
		laplace = dp_accounting_rdp_discrete_laplace(alpha, num, 1 << 20, load->shift);
	return (1 - load->gaussian) * laplace + load->gaussian * load->epsilon * alpha;
}

/* How many releases, fractions included, the filter admits. */
static double
filter_admits(const DpLimit *limit, const Load *load)
{
	DpCurve		one = {.pure = load->gaussian > 0 ? INFINITY : load->epsilon};
	double		low = 0;
	double		high = 1e18;

	for (int i = 0; i < DP_ORDERS; i++)
		one.rdp[i] = load_rdp(load, dp_accounting_order[i]);
	while (high > low * (1 + 1e-9) + 1e-30)
	{
		double		count = low > 0 ? sqrt(low * high) : high * 1e-6;
		DpCurve		total = {.pure = count * one.pure};

		for (int i = 0; i < DP_ORDERS; i++)
			total.rdp[i] = count * one.rdp[i];
		if (dp_accounting_admits(limit, &total))
			low = count;
		else
			high = count;
	}
	return low;
}

/* How many the best single order would admit, or pure composition. */
static double
best_admits(const DpLimit *limit, const Load *load)
{
	double		best = load->gaussian > 0 ? 0 : limit->epsilon / load->epsilon;

	for (double a = 1.02; a < 1e6; a = 1 + (a - 1) * 1.04)
		best = fmax(best, budget(a, limit->epsilon, limit->delta_rdp) / load_rdp(load, a));
	return best;
}

/*
 * The least share of what the best single order admits, over budgets of
 * epsilon 0.1 to 20 and delta 1e-12 to 1e-5, and over releases of `least` to
 * `most` of the budget's epsilon.
 */
static double
least_share(double gaussian, double least, double most, uint64_t shift)
{
	static const double epsilons[] = {0.1, 0.2, 0.5, 1, 2, 4, 7, 12, 20};
	double		share = 1;

	for (int i = 0; i < LENGTH(epsilons); i++)
		for (double delta = 1e-12; delta < 2e-5; delta *= 10)
			for (double part = least; part <= most; part *= 1.6)
			{
				Load		load = {part * epsilons[i], gaussian, shift};
				DpLimit		limit;

				/* Gaussian parts relative to what one order would charge. */
				if (gaussian > 0 && gaussian < 1)
					load.gaussian = gaussian * epsilons[i] / (4 * log(1 / delta));
				dp_accounting_limit_init(&limit, epsilons[i], delta);
				share = fmin(share, filter_admits(&limit, &load) / best_admits(&limit, &load));
			}
	return share;
}

static void
test_loads(void)
{
	double		share = least_share(1, 0.01, 0.01, 1);

	ok(share >= 0.97, "Gaussian loads: %.4f of what the best single order admits", share);
	share = fmin(least_share(0, 1e-4, 0.01, 1), least_share(0, 1e-4, 0.01, 1 << 20));
	ok(share >= 0.97, "loads of small Laplace releases: %.4f", share);
	share = fmin(least_share(0, 0.01, 0.9, 1), least_share(0, 0.01, 0.9, 1 << 20));
	ok(share >= 0.93, "loads of any Laplace releases: %.4f", share);
	share = 1;
	for (double gaussian = 0.01; gaussian < 1; gaussian *= 2.5)
		share = fmin(share, least_share(gaussian, 1e-4, 0.9, 1));
	ok(share >= 0.86, "mixed loads: %.4f", share);
}

int
main(void)
{
	test_reference();
	test_arguments();
	test_setup();
	test_rule();
	test_pure();
	test_partition();
	test_fixed_orders();
	test_fail_closed();
	test_loads();
	return done_testing();
}
