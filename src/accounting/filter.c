/* SPDX-License-Identifier: PostgreSQL */
/*
 * filter.c
 *	  The privacy filter.
 *
 * Within (epsilon, delta) is a history if its partition-selection cost Q is at most
 * delta_partition, and one of three rules admits it: its pure cost P is at most epsilon, or
 * (*) below, or that of variances (variance.h).  Shares of delta are fixed when a history begins;
 * doc/accounting.md has the proofs.
 *
 * The rule "admit while there is some order at which the history fits" is not
 * valid against an adaptive analyst: which order survives may depend on earlier
 * answers.  Here orders a_j and weights w_j, which add up to at most 1, are fixed
 * when a history begins.  With Renyi cost S[a] at each order and pure cost P it is admitted if,
 * for all x with 0 < x <= exp(P),
 *
 *	 x - exp(epsilon) <= delta_rdp sum_j w_j x^a_j exp(-(a_j - 1) S[a_j]).	(*)
 *
 * Proof.  Let x be the likelihood ratio of the whole transcript between
 * neighbouring databases.  For each j, x^a_j exp(-(a_j - 1) S[a_j]) is a
 * nonnegative supermartingale that starts at 1, however the next charge is
 * chosen (Feldman, Zrnic 2021), and so is their mean with weights w_j.  Each
 * release bounds its own factor of x by the exponential of its pure cost, so
 * that x <= exp(P).  Whenever the analyst stops, the history satisfies (*), at
 * its own x too: max(x - exp(epsilon), 0) is at most delta_rdp times that mean,
 * and in expectation at most delta_rdp, which is what (epsilon, delta_rdp)-
 * differential privacy asks.
 *
 * With P <= epsilon, (*) holds without its right side: pure composition costs no
 * delta.  With one order alone and P infinite it says S[a] <= epsilon +
 * log(a d) / (a - 1) - log(1 - 1/a), d = w delta_rdp, the conversion of Canonne,
 * Kamath, Steinke 2020: the right side then touches the left at one x.  The sum
 * admits more than the best of its orders.
 *
 * The least epsilon with (*) is the logarithm of the maximum over x <= exp(P) of
 * x - m(x), with m(x) for the right side.  As m is convex, the maximum lies where
 * m'(x) = 1, or at exp(P) if m' is less than 1 until there.
 */
#include <stddef.h>

#include "accounting/filter.h"
#include "accounting/rounding.h"
#include "accounting/variance.h"

/*
 * Relative slack of a few operations on long doubles, the errors of which
 * log1p(-share) enlarges by 1/(1 - share) <= 1/(1 - 1/a) <= 11.
 */
#define PLACE_SLACK 0x1p-58L
#define SHARE_SLACK 0x1p-55L

/* By how much the sum of shares may exceed 1: 0.1, 0.45 and 0.45 do, as doubles. */
#define SHARES_ROUNDING 0x1p-51L

/* The orders of a budget without delta suit this one: its delta may be raised. */
#define NOMINAL_DELTA 1e-6

/* How near m' must come to 1, and how often to step there. */
#define SLOPE_PRECISION 0x1p-50L
#define SLOPE_STEPS 100

/* Weights and the places between two orders are multiples of one part in this. */
#define PARTS 1024

/*
 * Where the weight lies, as multiples of a - 1 for the order a that suits
 * Gaussian loads.  Most is there.  The rest is for loads of few large Laplace
 * releases, whose best order is greater, alone and beside Gaussian noise, and
 * for the beginnings of a history; the greater an order, the less weight it
 * needs.  The numbers were found by search; test_filter_loads says what they
 * achieve.
 */
static const struct
{
	double		distance;
	int			weight;			/* parts */
}			place[DP_FILTER_ORDERS / 2] = {{1.085, 922}, {1.6, 51}, {2.4, 31}, {5, 15}, {20, 5}};

/*
 * How much of a load of Gaussian releases, whose curve is proportional to the
 * order, an order alone would admit with d for delta.
 */
static long double
gaussian_load(long double order, double epsilon, double d)
{
	return (epsilon + logl(order * d) / (order - 1) - log1pl(-1 / order)) / order;
}

/* The order at which that is most, within the grid. */
static double
best_gaussian_order(double epsilon, double d)
{
	int			best = 0;
	double		low;
	double		high;

	for (int i = 1; i < DP_ORDERS; i++)
		if (gaussian_load(dp_accounting_order[i], epsilon, d) >
			gaussian_load(dp_accounting_order[best], epsilon, d))
			best = i;
	low = dp_accounting_order[best > 0 ? best - 1 : 0];
	high = dp_accounting_order[best < DP_ORDERS - 1 ? best + 1 : best];
	for (int i = 0; i < 64; i++)
	{
		double		third = (high - low) / 3;

		if (gaussian_load(low + third, epsilon, d) < gaussian_load(high - third, epsilon, d))
			low += third;
		else
			high -= third;
	}
	return low;
}

/*
 * Share a weight among the two orders of the grid around the wanted one; of all
 * orders outside the grid, its nearest gets all.
 */
static void
share_weight(DpLimit *limit, double wanted, int weight)
{
	int			i = 0;
	double		between;
	double		parts;

	while (i < DP_ORDERS - 2 && dp_accounting_order[i + 1] < wanted)
		i++;
	between = log((wanted - 1) / (dp_accounting_order[i] - 1)) /
		log((dp_accounting_order[i + 1] - 1) / (dp_accounting_order[i] - 1));
	parts = rint(PARTS * fmin(fmax(between, 0), 1));

	limit->order[limit->orders] = i;
	limit->weight[limit->orders++] = weight * (PARTS - parts) / (PARTS * PARTS);
	limit->order[limit->orders] = i + 1;
	limit->weight[limit->orders++] = weight * parts / (PARTS * PARTS);
}

const DpShares dp_accounting_default_shares = {.partition = 0.1, .variance = 0.45, .rdp = 0.45};

bool
dp_accounting_are_shares(const DpShares *shares)
{
	return shares->partition >= 0 && shares->variance >= 0 && shares->rdp >= 0 &&
		(long double) shares->partition + shares->variance + shares->rdp <= 1 + SHARES_ROUNDING;
}

/* The greatest double not above x. */
static double
down(long double x)
{
	double		d = (double) x;

	return d > x ? nextafter(d, -INFINITY) : d;
}

/*
 * With r for the parts of the rules, at least 2^-8, (1 + 2^-40) p + (1 - 2^-30) r <= p + r - 2^-39,
 * and else everything is reduced by more than shares may exceed 1.
 */
void
dp_accounting_divide_delta(DpLimit *limit)
{
	const DpShares *shares = &limit->shares;
	bool		roomy = shares->variance + shares->rdp >= 0x1p-8;
	long double most = limit->delta * (roomy ? 1 + 0x1p-40L : 1 - 0x1p-49L);
	long double rest = limit->delta * (roomy ? 1 - 0x1p-30L : 1 - 0x1p-49L);

	limit->delta_partition = down(shares->partition * most);
	limit->delta_variance = down(shares->variance * rest);
	limit->delta_rdp = down(shares->rdp * rest);
}

/* The least delta that noise and thresholds are calibrated for: see the setting dp_agg.delta. */
#define LEAST_DELTA 1e-30

double
dp_accounting_chosen_delta(const DpLimit *limit)
{
	double		delta = (double) ((long double) limit->shares.partition * limit->delta / DP_STATEMENTS_OF_DELTA);

	return delta < LEAST_DELTA ? 0 : fmin(delta, DP_MOST_CHOSEN_DELTA);
}

bool
dp_accounting_takes_gaussian(const DpLimit *limit)
{
	return fmax(limit->delta_variance, limit->delta_rdp) >= LEAST_DELTA;
}

const char *
dp_accounting_limit_init(DpLimit *limit, double epsilon, double delta, const DpShares *shares)
{
	double		order;

	if (!(epsilon > 0 && epsilon < INFINITY))
		return "epsilon must be positive and finite";
	if (!(delta >= 0 && delta < 1))
		return "delta must be at least 0 and less than 1";
	if (!dp_accounting_are_shares(shares))
		return "shares of delta must not be negative, nor add up to more than 1";

	*limit = (DpLimit) {.epsilon = epsilon, .delta = delta, .shares = *shares};
	dp_accounting_divide_delta(limit);
	order = best_gaussian_order(epsilon, (limit->delta_rdp > 0 ? limit->delta_rdp : NOMINAL_DELTA) *
								place[0].weight / PARTS);
	for (int i = 0; i < DP_FILTER_ORDERS / 2; i++)
		share_weight(limit, 1 + (order - 1) * place[i].distance, place[i].weight);
	return NULL;
}

/* Do the shares of delta add up to no more than delta, at known orders? */
static bool
limit_is_sound(const DpLimit *limit)
{
	double		weights = 0;

	if (limit->orders < 0 || limit->orders > DP_FILTER_ORDERS)
		return false;
	for (int j = 0; j < limit->orders; j++)
	{
		if (limit->order[j] < 0 || limit->order[j] >= DP_ORDERS || !(limit->weight[j] >= 0))
			return false;
		weights = dp_accounting_add_up(weights, limit->weight[j]);
	}
	return weights <= 1 && limit->delta_rdp >= 0 && limit->delta_variance >= 0 &&
		limit->delta_partition >= 0 &&
		dp_accounting_add_up(dp_accounting_add_up(limit->delta_rdp, limit->delta_variance),
							 limit->delta_partition) <= limit->delta;
}

/*
 * The right side of (*) as a function of y = log x: the derivative m' is the sum
 * of exp(height + slope (y - cost)), and m(x) / x that of the same over 1 + slope.
 */
typedef struct Majorant
{
	int			terms;
	long double height[DP_FILTER_ORDERS];	/* log(delta_rdp w a) */
	double		slope[DP_FILTER_ORDERS];	/* a - 1 */
	double		cost[DP_FILTER_ORDERS]; /* S[a] */
} Majorant;

/* Leave out what is no number. */
static void
make_majorant(Majorant *m, const DpFilter *filter, const DpCurve *total)
{
	m->terms = 0;
	for (int j = 0; j < filter->terms; j++)
	{
		double		cost = total->rdp[filter->order[j]];

		if (!(cost >= 0 && cost < INFINITY))
			continue;
		m->height[m->terms] = filter->height[j];
		m->slope[m->terms] = filter->slope[j];
		m->cost[m->terms++] = cost;
	}
}

/* A log x at which one term alone makes m' 1; `most` if none does before. */
static long double
steep_enough(const Majorant *m, long double most)
{
	for (int j = 0; j < m->terms; j++)
		most = fminl(most, m->cost[j] - m->height[j] / m->slope[j]);
	return most;
}

/*
 * Where m' = 1 by Newton's method on log m', which is convex: it comes down from
 * the right and does not pass.  Stays where it is if m' is less than 1 there.
 */
static long double
find_maximum(const Majorant *m, long double y)
{
	for (int i = 0; i < SLOPE_STEPS; i++)
	{
		double		slope = 0;
		double		growth = 0;

		for (int j = 0; j < m->terms; j++)
		{
			double		term = exp((double) (m->height[j] + m->slope[j] * (y - m->cost[j])));

			slope += term;
			growth += term * m->slope[j];
		}
		if (slope <= 1 + SLOPE_PRECISION)
			break;
		y -= log(slope) * slope / growth;
	}
	return y;
}

/*
 * Not less than log max(x - m(x)), given a y at which m' is at least 1 (the
 * maximum is before, where the tangent is above), or that must not be passed.
 */
static double
maximum(const Majorant *m, long double y)
{
	long double slope = 0;
	long double share = 0;
	long double error = fabsl(y) * PLACE_SLACK;

	for (int j = 0; j < m->terms; j++)
	{
		long double term = expl(m->height[j] + m->slope[j] * (y - m->cost[j]));
		long double part = term / (1 + m->slope[j]);

		slope += term;
		share += part;
		error += part * (1 + fabsl(m->height[j])) * SHARE_SLACK;
	}
	return dp_accounting_up(y + log1pl(fmaxl(slope - 1, 0) - share) + error);
}

/* Leave out orders without weight: they add nothing. */
void
dp_accounting_filter_init(DpFilter *filter, const DpLimit *limit)
{
	filter->terms = 0;
	filter->delta_partition = -1;
	if (!limit_is_sound(limit))
		return;
	filter->delta_partition = limit->delta_partition;
	filter->delta_variance = limit->delta_variance;
	for (int j = 0; j < limit->orders; j++)
	{
		long double d = (long double) limit->weight[j] * limit->delta_rdp;
		double		order = dp_accounting_order[limit->order[j]];

		if (!(d > 0))
			continue;
		filter->height[filter->terms] = logl(d * order);
		filter->slope[filter->terms] = order - 1;
		filter->order[filter->terms++] = limit->order[j];
	}
}

/* The least epsilon by (*) and, if it is less than that, the pure cost. */
static double
renyi_spent(const DpFilter *filter, const DpCurve *total, double pure)
{
	Majorant	m;

	make_majorant(&m, filter, total);
	if (m.terms == 0)
		return pure;
	return fmin(pure, (1 + DP_FILTER_ROUNDING) *
				maximum(&m, find_maximum(&m, steep_enough(&m, pure))));
}

/*
 * The smallest epsilon, rounded up, for which the same filter would admit
 * this total: the least by the three rules; infinite if none does.
 */
double
dp_accounting_filter_spent(const DpFilter *filter, const DpCurve *total)
{
	double		pure = total->pure >= 0 ? total->pure : INFINITY;
	double		spent;

	if (!(total->delta >= 0 && total->delta <= filter->delta_partition))
		return INFINITY;
	spent = fmin(renyi_spent(filter, total, pure), (1 + DP_FILTER_ROUNDING) *
				 dp_accounting_variance_epsilon(total, filter->delta_variance));
	return spent > 0 ? spent : 0;
}

double
dp_accounting_epsilon_spent(const DpLimit *limit, const DpCurve *total)
{
	DpFilter	filter;

	dp_accounting_filter_init(&filter, limit);
	return dp_accounting_filter_spent(&filter, total);
}

bool
dp_accounting_is_within(const DpLimit *limit, double epsilon_spent)
{
	return epsilon_spent < INFINITY && epsilon_spent <= limit->epsilon;
}

/*
 * Does a history with this total cost stay within the budget?  False for a
 * budget whose shares do not add up, or a total that is not a number.
 */
bool
dp_accounting_admits(const DpLimit *limit, const DpCurve *total)
{
	return dp_accounting_is_within(limit, dp_accounting_epsilon_spent(limit, total));
}

/* Epsilons of budgets whose orders are tried: powers of two. */
#define LEAST_TRIED (-7)
#define MOST_TRIED 10

/* The least epsilon by (*) with one order, or with those of some budget, and this much delta. */
static double
fixed_renyi(const DpCurve *total, double delta)
{
	static const DpShares all = {.rdp = 1};
	double		least = INFINITY;
	DpLimit		limit;

	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		order = dp_accounting_order[i];
		DpFilter	filter = {.terms = 1, .order = {i}, .slope = {order - 1}, .height = {logl((long double) delta * order)}};

		least = fmin(least, dp_accounting_filter_spent(&filter, total));
	}
	for (int i = LEAST_TRIED; i <= MOST_TRIED; i++)
		if (dp_accounting_limit_init(&limit, ldexp(1, i), delta, &all) == NULL)
			least = fmin(least, dp_accounting_epsilon_spent(&limit, total));
	return least;
}

/* Where the list does not depend on answers, the rule and the orders may be chosen with a view to it. */
double
dp_accounting_fixed_epsilon(const DpCurve *total, double delta)
{
	DpCurve		rest = *total;
	double		left = down((long double) delta - total->delta);
	double		least = total->pure >= 0 ? total->pure : INFINITY;

	if (!(total->delta >= 0 && total->delta <= delta))
		return INFINITY;
	rest.delta = 0;
	if (!(left > 0 && left < 1))
		return least;
	least = fmin(least, fixed_renyi(&rest, left));
	return fmin(least, (1 + DP_FILTER_ROUNDING) * dp_accounting_variance_epsilon(&rest, left));
}
