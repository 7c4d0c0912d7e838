/*
 * test_filter.c
 *	  The privacy filter: its rule and its boundary.
 */
#include "accounting.h"

#include "accounting/filter.h"

#define ROUNDS 20000
#define RULE_ROUNDS 3000

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

/* An epsilon up to which a limit admits what Renyi composition has cost. */
static double
rounded(double epsilon)
{
	return epsilon * (1 + DP_FILTER_ROUNDING);
}

static int
order_index(double order)
{
	int			i = 0;

	while (i < DP_ORDERS && dp_accounting_order[i] != order)
		i++;
	return i;
}

/* A history without a pure guarantee or a variance that costs nothing at any order. */
static DpCurve
empty_curve(void)
{
	return (DpCurve) {.pure = INFINITY, .variance = INFINITY};
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
			.epsilon = rounded(order_budget[i].epsilon), .delta = order_budget[i].delta,
			.delta_rdp = order_budget[i].delta, .orders = 1, .order = {order}, .weight = {1}
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

	ok(dp_accounting_limit_init(&limit, 0, 0, &dp_accounting_default_shares) != NULL &&
	   dp_accounting_limit_init(&limit, -1, 0, &dp_accounting_default_shares) != NULL &&
	   dp_accounting_limit_init(&limit, INFINITY, 0, &dp_accounting_default_shares) != NULL &&
	   dp_accounting_limit_init(&limit, NAN, 0, &dp_accounting_default_shares) != NULL, "epsilon must be positive and finite");
	ok(dp_accounting_limit_init(&limit, 1, -1e-300, &dp_accounting_default_shares) != NULL &&
	   dp_accounting_limit_init(&limit, 1, 1, &dp_accounting_default_shares) != NULL &&
	   dp_accounting_limit_init(&limit, 1, NAN, &dp_accounting_default_shares) != NULL, "delta must lie in [0, 1)");
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

		unsound += dp_accounting_limit_init(&limit, epsilon, delta, &dp_accounting_default_shares) != NULL;
		unsound += limit.epsilon > epsilon || limit.delta > delta;
		unsound += limit.delta_rdp < 0 || limit.delta_variance < 0 || limit.delta_partition < 0 ||
			(long double) limit.delta_rdp + limit.delta_variance + limit.delta_partition > delta;
		for (int j = 0; j < limit.orders; j++)
		{
			weights += limit.weight[j];
			unsound += limit.order[j] < 0 || limit.order[j] >= DP_ORDERS || limit.weight[j] < 0;
		}
		unsound += weights != 1 || limit.orders != DP_FILTER_ORDERS;
	}
	ok(unsound == 0, "shares of %d budgets add up to the budget", ROUNDS);

	/* At 922/1024 of what (*) has of this delta, 1e-6, the optimum over all orders is 21.98. */
	dp_accounting_limit_init(&limit, 1, 1e-6 * 1024 / 922 / 0.45, &dp_accounting_default_shares);
	for (int j = 0; j < DP_FILTER_ORDERS; j += 2)
	{
		static const double wanted[] = {23.77, 34.57, 51.36, 105.92, 420.7};
		double		low = dp_accounting_order[limit.order[j]];
		double		high = dp_accounting_order[limit.order[j + 1]];
		double		share = limit.weight[j + 1] / (limit.weight[j] + limit.weight[j + 1]);
		double		middle = 1 + (low - 1) * pow((high - 1) / (low - 1), share);

		ok(low <= wanted[j / 2] && wanted[j / 2] <= high && near(middle, wanted[j / 2], 1e-3),
		   "orders %g and %g share the weight of %g", low, high, wanted[j / 2]);
	}
}

/* Is a part of delta what its share is, but for what rounding is allowed? */
static bool
is_part(double part, double share, double delta)
{
	return fabs(part - share * delta) <= 0x1p-29 * delta;
}

static void
test_shares(void)
{
	DpLimit		limit;
	DpLimit		more;
	DpShares	shares = {0.1, 0.45, 0.45};
	int			bad = 0;

	ok((long double) 0.1 + 0.45 + 0.45 > 1, "the default shares exceed 1 as doubles");
	for (int i = 0; i < ROUNDS; i++)
	{
		double		delta = i % 2 ? log_uniform(1e-30, 0.9) : i * 0x1p-1074;
		double		greater = delta * (1 + (i % 7) * 0x1p-52);
		double		rest = 1 - (shares.partition = uniform(0, 1));

		shares.variance = i % 5 ? rest * uniform(0, 1) : 0;
		shares.rdp = i % 3 ? 1 - shares.partition - shares.variance : 0;
		bad += dp_accounting_limit_init(&limit, 1, delta, &shares) != NULL;
		bad += dp_accounting_limit_init(&more, 1, greater, &shares) != NULL;
		bad += (long double) limit.delta_rdp + limit.delta_variance + limit.delta_partition > delta;
		bad += more.delta_rdp < limit.delta_rdp || more.delta_variance < limit.delta_variance ||
			more.delta_partition < limit.delta_partition;
		bad += delta > 1e-300 && !(is_part(limit.delta_rdp, shares.rdp, delta) &&
								   is_part(limit.delta_variance, shares.variance, delta) &&
								   is_part(limit.delta_partition, shares.partition, delta));
	}
	ok(bad == 0, "parts of %d budgets are their shares, and do not fall when delta grows", ROUNDS);
	ok(dp_accounting_limit_init(&limit, 1, 1e-6, &(DpShares) {0.1, 0.45, 0.4501}) != NULL &&
	   dp_accounting_limit_init(&limit, 1, 1e-6, &(DpShares) {1.1, -0.1, 0}) != NULL &&
	   dp_accounting_limit_init(&limit, 1, 1e-6, &(DpShares) {0.1, NAN, 0.1}) != NULL &&
	   dp_accounting_limit_init(&limit, 1, 1e-6, &(DpShares) {INFINITY, 0, 0}) != NULL,
	   "shares are not negative, and not more than there is");
	ok(dp_accounting_limit_init(&limit, 1, 1e-6, &(DpShares) {0, 0, 0}) == NULL &&
	   dp_accounting_admits(&limit, &(DpCurve) {.pure = 1, .variance = INFINITY}),
	   "without shares, pure epsilon may use all of epsilon");
}

/* A hundred thresholds fit into a tenth of delta, if each has a thousandth. */
static void
test_thresholds(void)
{
	int			bad = 0;

	for (int i = 0; i < 1000; i++)
	{
		double		delta = log_uniform(1e-15, 1e-3);
		DpCurve		total = {.pure = 0};
		DpLimit		limit;

		dp_accounting_limit_init(&limit, 1, delta, &dp_accounting_default_shares);
		for (int j = 0; j < 100; j++)
			dp_accounting_compose(&total, &(DpCurve) {.delta = delta / 1000});
		bad += !dp_accounting_admits(&limit, &total);
		dp_accounting_compose(&total, &(DpCurve) {.delta = delta / 1000});
		bad += dp_accounting_admits(&limit, &total);
	}
	ok(bad == 0, "a hundred thousandths of delta fit into a tenth of it, and no more");
}

/* Of the delta that is chosen for a statement a thousand fit, and no more. */
static void
test_chosen_delta(void)
{
	int			bad = 0;
	DpLimit		limit;

	for (int i = 0; i < 300; i++)
	{
		DpShares	shares = {uniform(0.01, 0.9), 0, 0};
		DpCurve		total = {.pure = 0};

		shares.rdp = shares.variance = (1 - shares.partition) / 2;
		dp_accounting_limit_init(&limit, 1, log_uniform(1e-15, 1e-3), &shares);
		for (int j = 0; j < 1000; j++)
			dp_accounting_compose(&total, &(DpCurve) {.delta = dp_accounting_chosen_delta(&limit)});
		bad += !dp_accounting_admits(&limit, &total);
		dp_accounting_compose(&total, &(DpCurve) {.delta = dp_accounting_chosen_delta(&limit)});
		bad += dp_accounting_admits(&limit, &total);
	}
	ok(bad == 0, "a thousand statements of the chosen delta fit into the share of private groups, and no more");
	dp_accounting_limit_init(&limit, 1, 0.9, &dp_accounting_default_shares);
	ok(dp_accounting_chosen_delta(&limit) == DP_MOST_CHOSEN_DELTA, "the chosen delta has a limit");
	dp_accounting_limit_init(&limit, 1, 0, &dp_accounting_default_shares);
	ok(dp_accounting_chosen_delta(&limit) == 0, "without delta none is chosen");
	dp_accounting_limit_init(&limit, 1, 1e-6, &(DpShares) {0, 0.5, 0.5});
	ok(dp_accounting_chosen_delta(&limit) == 0, "nor without a share for private groups");
}

/*
 * The least of sum_j w_j delta_rdp x^a exp(-(a - 1) S) - x + exp(epsilon), in
 * units of exp(epsilon), over x from exp(epsilon) to exp(P); by golden section.
 */
static long double
least_slack(const DpLimit *limit, const DpCurve *total, long double epsilon)
{
	const long double ratio = 0.6180339887498948482L;
	long double low = 0;
	long double high = total->pure - epsilon;
	long double c[DP_FILTER_ORDERS];
	long double least = 0;

	for (int j = 0; j < limit->orders; j++)
	{
		long double a = dp_accounting_order[limit->order[j]];

		c[j] = logl(limit->weight[j] * (long double) limit->delta_rdp) +
			(a - 1) * (epsilon - total->rdp[limit->order[j]]);
		if (c[j] > -INFINITY)
			high = fminl(high, -c[j] / (a - 1));
	}
	if (high <= 0)
		return 1;
	for (int i = 0; i < 120; i++)
	{
		long double u[2] = {high - ratio * (high - low), low + ratio * (high - low)};
		long double slack[2];

		for (int k = 0; k < 2; k++)
		{
			slack[k] = 1 - expl(u[k]);
			for (int j = 0; j < limit->orders; j++)
				slack[k] += expl(c[j] + dp_accounting_order[limit->order[j]] * u[k]);
		}
		least = fminl(slack[0], slack[1]);
		if (slack[0] < slack[1])
			high = u[1];
		else
			low = u[0];
	}
	return least;
}

/* The rule itself, in long double: 1 admitted, -1 refused, 0 too close to tell. */
static int
rule(const DpLimit *limit, const DpCurve *total)
{
	long double epsilon = limit->epsilon / (1 + DP_FILTER_ROUNDING);
	long double less = epsilon * (1 - 1e-12L) - 1e-14L;
	long double more = epsilon * (1 + 1e-12L) + 1e-14L;

	if (total->delta > limit->delta_partition)
		return -1;
	if (total->pure <= limit->epsilon)
		return 1;
	if (less > 0 && least_slack(limit, total, less) >= 0)
		return 1;
	return least_slack(limit, total, more) >= 0 ? 0 : -1;
}

static void
test_rule(void)
{
	int			wrong = 0;
	int			inconsistent = 0;
	int			loose = 0;
	int			admitted = 0;

	for (int i = 0; i < RULE_ROUNDS; i++)
	{
		DpLimit		limit;
		DpCurve		total = {
			.pure = i % 3 == 0 ? log_uniform(1e-3, 1e3) : INFINITY, .variance = INFINITY,
			.delta = i % 5 ? 0 : log_uniform(1e-13, 1e-3)
		};
		double		spent;
		int			verdict;

		dp_accounting_limit_init(&limit, log_uniform(0.01, 100), log_uniform(1e-12, 1e-3), &dp_accounting_default_shares);
		for (int j = 0; j < DP_ORDERS; j++)
			total.rdp[j] = limit.epsilon * log_uniform(0.3, 3);
		if (i % 3 == 1)
			total.pure = limit.epsilon * uniform(1, 1.2);
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
	ok(admitted > RULE_ROUNDS / 10 && admitted < RULE_ROUNDS * 9 / 10,
	   "histories lie on both sides of the boundary");
	ok(wrong == 0, "admission follows the rule on %d histories", RULE_ROUNDS);
	ok(inconsistent == 0, "a history is admitted exactly if epsilon spent is within the limit");
	ok(loose == 0, "epsilon spent is the least that admits");
}

static void
test_pure(void)
{
	DpLimit		limit;
	DpCurve		total = {.pure = 1, .variance = INFINITY};

	for (int i = 0; i < DP_ORDERS; i++)
		total.rdp[i] = 1;
	dp_accounting_limit_init(&limit, 1, 0, &dp_accounting_default_shares);
	ok(dp_accounting_admits(&limit, &total), "without delta, pure epsilon may use all of epsilon");
	total.pure = nextafter(1, 2);
	ok(!dp_accounting_admits(&limit, &total), "and no more");
	total = empty_curve();
	ok(!dp_accounting_admits(&limit, &total), "without delta, a Renyi cost of zero is not enough");
	ok(isinf(dp_accounting_epsilon_spent(&limit, &total)), "no epsilon would be");
	total = (DpCurve) {.delta = 5e-324};
	ok(!dp_accounting_admits(&limit, &total), "without delta, no partition selection");
	ok(dp_accounting_epsilon_spent(&limit, &(DpCurve) {.pure = 0}) == 0, "an empty history spent 0");
	dp_accounting_limit_init(&limit, 1, 0.5, &dp_accounting_default_shares);
	total = empty_curve();
	ok(dp_accounting_epsilon_spent(&limit, &total) == 0, "epsilon spent is never negative");
}

static void
test_partition(void)
{
	DpLimit		limit;
	DpCurve		total = {.delta = 0};

	dp_accounting_limit_init(&limit, 1, 1e-6, &dp_accounting_default_shares);
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

	dp_accounting_limit_init(&limit, 1, 1e-6, &dp_accounting_default_shares);
	for (int i = 0; i < DP_ORDERS; i++)
	{
		DpCurve		total = empty_curve();
		bool		fixed = false;

		for (int j = 0; j < limit.orders; j++)
			fixed |= limit.order[j] == i;
		for (int j = 0; j < DP_ORDERS; j++)
			total.rdp[j] = i == j ? 0 : INFINITY;
		admitted += !fixed && dp_accounting_admits(&limit, &total);
	}
	ok(admitted == 0, "an order that was not fixed beforehand admits nothing");

	limit.epsilon = rounded(1);
	for (int j = 0; j < limit.orders; j++)
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

/* Orders none of which would admit a history, and a pure cost that would not either. */
static void
test_together(void)
{
	DpLimit		limit;
	DpCurve		total = empty_curve();

	dp_accounting_limit_init(&limit, 1, 1e-6, &dp_accounting_default_shares);
	limit.epsilon = rounded(1);
	for (int i = 0; i < DP_ORDERS; i++)
		total.rdp[i] = INFINITY;
	for (int j = 0; j < limit.orders; j++)
	{
		double		a = dp_accounting_order[limit.order[j]];

		total.rdp[limit.order[j]] = 0.002 + budget(a, 1, limit.weight[j] * limit.delta_rdp);
	}
	ok(dp_accounting_admits(&limit, &total), "orders admit together what none of them does");
	for (int j = 1; j < limit.orders; j++)
		total.rdp[limit.order[j]] = INFINITY;
	ok(!dp_accounting_admits(&limit, &total), "one of them does not");

	total.pure = 1.02;
	ok(dp_accounting_admits(&limit, &total), "with a pure cost not far above epsilon it does");
	total.pure = 1.1;
	ok(!dp_accounting_admits(&limit, &total), "but not with any");
}

/* Budgets may have been set up with other orders and weights, and fewer. */
static void
test_other_orders(void)
{
	DpLimit		limit = {
		.epsilon = 1, .delta = 1e-6, .delta_rdp = 5e-7, .delta_partition = 5e-7,
		.orders = 3, .order = {order_index(25), order_index(47), order_index(100)},
		.weight = {0.875, 0.09375, 0.03125}
	};
	DpCurve		total = empty_curve();

	for (int i = 0; i < DP_ORDERS; i++)
		total.rdp[i] = 0.02 * dp_accounting_order[i];
	ok(near(dp_accounting_epsilon_spent(&limit, &total),
			1 - budget(25, 1, 0.875 * 5e-7) + 0.5, 0.01), "three orders serve");
	limit.orders = 0;
	ok(!dp_accounting_admits(&limit, &total), "without orders there is no Renyi branch");
	total.pure = 1;
	ok(dp_accounting_admits(&limit, &total), "but the pure one");
	limit.orders = DP_FILTER_ORDERS + 1;
	ok(!dp_accounting_admits(&limit, &total), "more orders than there are admit nothing");
}

/* The limit with another delta: what a history began with stays. */
static DpLimit
with_delta(DpLimit limit, double delta)
{
	limit.delta = delta;
	dp_accounting_divide_delta(&limit);
	return limit;
}

/*
 * What a limit admits, one with the same orders, weights and shares, and a greater delta, admits too: so
 * that of the greatest limits there were holds for a history whose limits changed.
 */
static void
test_raised(void)
{
	int			lost = 0;
	int			lost_anew = 0;
	int			admitted = 0;

	for (int i = 0; i < RULE_ROUNDS; i++)
	{
		double		epsilon = log_uniform(0.01, 30);
		double		delta = log_uniform(1e-12, 1e-3);
		double		greater = delta * (i % 3 ? log_uniform(1, 1e6) : 1 + 0x1p-52);
		DpLimit		limit;
		DpLimit		anew;
		DpLimit		raised;
		DpCurve		total = {.pure = i % 2 ? INFINITY : epsilon * uniform(0.9, 1.2)};
		double		spent;

		dp_accounting_limit_init(&limit, epsilon, delta, &dp_accounting_default_shares);
		raised = with_delta(limit, greater < 1 ? greater : 0.5);
		dp_accounting_limit_init(&anew, epsilon, raised.delta, &dp_accounting_default_shares);
		for (int j = 0; j < DP_ORDERS; j++)
			total.rdp[j] = epsilon * log_uniform(0.5, 2);
		total.variance = i % 5 ? INFINITY : 3 * epsilon;
		total.delta = i % 7 ? 0 : limit.delta_partition;
		spent = dp_accounting_epsilon_spent(&limit, &total);
		admitted += spent <= epsilon;
		lost += !(dp_accounting_epsilon_spent(&raised, &total) <= spent * (1 + 1e-12));
		lost_anew += spent <= epsilon && !dp_accounting_admits(&anew, &total);
	}
	ok(admitted > 100 && lost == 0, "a greater delta takes nothing of what a history has");
	ok(lost_anew > 0, "with new orders it would take some, of %d in %d histories", lost_anew, admitted);
}

/* Limits that do not add up and totals that are no numbers admit nothing. */
static void
test_fail_closed(void)
{
	DpCurve		nothing = {.pure = 0};
	DpCurve		total;
	DpLimit		good;
	DpLimit		limit;

	dp_accounting_limit_init(&good, 1, 1e-6, &dp_accounting_default_shares);
	ok(dp_accounting_admits(&good, &nothing), "a sound budget admits the empty history");
	limit = good;
	limit.weight[2] += 0x1p-30;
	ok(!dp_accounting_admits(&limit, &nothing), "weights above 1 admit nothing");
	limit = good;
	limit.order[1] = DP_ORDERS;
	ok(!dp_accounting_admits(&limit, &nothing), "an unknown order admits nothing");
	limit = good;
	limit.delta_partition *= 1.01;
	ok(!dp_accounting_admits(&limit, &nothing), "shares above delta admit nothing");
	limit = good;
	limit.orders = 2;
	limit.weight[0] = 1;
	limit.weight[1] = 0x1p-54;
	ok(!dp_accounting_admits(&limit, &nothing), "nor do weights above 1 by less than a double can tell");
	limit.weight[0] = 1.5;
	limit.weight[1] = -0.5;
	ok(!dp_accounting_admits(&limit, &nothing), "nor does a negative weight make room for a greater one");
	limit = good;
	limit.delta = 0x1p-20;
	limit.delta_rdp = -0x1p-21;
	limit.delta_variance = 0;
	limit.delta_partition = 0x1.8p-20;
	ok(!dp_accounting_admits(&limit, &nothing), "a negative share admits nothing, though both add up to delta");
	limit = good;
	limit.delta = limit.delta_rdp = 0.5;
	limit.delta_variance = 0;
	limit.delta_partition = 0x1p-55;
	ok(!dp_accounting_admits(&limit, &nothing), "nor do shares above delta by less than a double can tell");
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
	total.delta = -0x1p-40;
	ok(!dp_accounting_admits(&good, &total), "nor does a negative one");
}

int
main(void)
{
	test_reference();
	test_arguments();
	test_setup();
	test_shares();
	test_thresholds();
	test_chosen_delta();
	test_rule();
	test_pure();
	test_partition();
	test_fixed_orders();
	test_together();
	test_other_orders();
	test_raised();
	test_fail_closed();
	return done_testing();
}
