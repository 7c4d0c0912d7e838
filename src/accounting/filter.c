/*
 * filter.c
 *	  The privacy filter.
 *
 * The rule "admit while there is some order at which the history fits" is not
 * valid against an adaptive analyst: which order survives may depend on earlier
 * answers.  Here the orders and the share of delta each may use are fixed when
 * the budget is set.  A history with Renyi cost S[a] at each order, pure cost P
 * and partition-selection cost Q is within (epsilon, delta) if
 *
 *	 Q <= delta_partition  and
 *	 (P <= epsilon  or  S[a_j] <= B(a_j; epsilon, w_j delta_rdp) for some j),
 *
 *	 B(a; epsilon, d) = epsilon + log(a d) / (a - 1) - log(1 - 1/a).
 *
 * Proof.  Let x be the likelihood ratio of the whole transcript between
 * neighbouring databases.  Pointwise, with epsilon as e,
 *	 max(x - exp(e), 0) <= (1/a) (1 - 1/a)^(a-1) exp(-(a-1) e) x^a
 * (Canonne, Kamath, Steinke 2020), and x^a exp(-(a-1) S[a]) is
 * a nonnegative supermartingale however the next charge is chosen (Feldman,
 * Zrnic 2021).  Where the history ends with P <= epsilon, the left side is 0.
 * Where it ends admitted by order a_j, it is at most w_j delta_rdp times the
 * supermartingale of that order.  Summed, the expectation is at most
 * delta_rdp times the sum of the weights, which is at most 1.  Partition
 * selection adds at most delta_partition.
 */
#include "accounting/filter.h"

#include <stddef.h>

#include "accounting/rounding.h"

/* Relative slack of a few logarithms and divisions. */
#define OFFSET_SLACK 0x1p-56L

/* Sum exactly to 1, as doubles. */
static const double default_weight[DP_FILTER_ORDERS] = {0.875, 0.09375, 0.03125};

/*
 * What an order admits beyond epsilon, B(a; epsilon, d) - epsilon, rounded
 * down; minus infinity for d = 0.
 */
static long double
conversion_offset(double order, long double d)
{
	long double conversion = logl(order * d) / (order - 1.0L);
	long double gain = -log1pl(-1.0L / order);

	return conversion + gain - (fabsl(conversion) + gain) * OFFSET_SLACK;
}

/*
 * The order that admits most of a load of Gaussian releases, whose curve is
 * proportional to the order: the argument of the greatest B(a) / a.
 */
static int
best_gaussian_order(double epsilon, long double d)
{
	int			best = 0;
	long double most = -INFINITY;

	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		order = dp_accounting_order[i];
		long double admitted = (epsilon + conversion_offset(order, d)) / order;

		if (admitted > most)
		{
			most = admitted;
			best = i;
		}
	}
	return best;
}

/* The order of the grid nearest to the given one, by ratio of (order - 1). */
static int
nearest_order(double wanted)
{
	int			i = 0;

	while (i < DP_ORDERS - 1 &&
		   (dp_accounting_order[i] - 1) * (dp_accounting_order[i + 1] - 1) <
		   (wanted - 1) * (wanted - 1))
		i++;
	return i;
}

/*
 * Set up a budget: half of delta for partition selection; of the rest, most at
 * the order a that suits many small releases, some at 2a and 4a, which suit
 * few large ones beside Gaussian noise.
 */
const char *
dp_accounting_limit_init(DpLimit *limit, double epsilon, double delta)
{
	double		order;

	if (!(epsilon > 0 && epsilon < INFINITY))
		return "epsilon must be positive and finite";
	if (!(delta >= 0 && delta < 1))
		return "delta must be at least 0 and less than 1";

	limit->epsilon = epsilon;
	limit->delta = delta;
	limit->delta_rdp = delta / 2;
	limit->delta_partition = delta - limit->delta_rdp;
	for (int j = 0; j < DP_FILTER_ORDERS; j++)
		limit->weight[j] = default_weight[j];

	limit->order[0] = best_gaussian_order(epsilon, (long double) default_weight[0] * limit->delta_rdp);
	order = dp_accounting_order[limit->order[0]];
	for (int j = 1; j < DP_FILTER_ORDERS; j++)
		limit->order[j] = nearest_order(order * (1 << j));
	return NULL;
}

/* Do the shares of delta add up to no more than delta, at known orders? */
static bool
limit_is_sound(const DpLimit *limit)
{
	double		weights = 0;

	for (int j = 0; j < DP_FILTER_ORDERS; j++)
	{
		if (limit->order[j] < 0 || limit->order[j] >= DP_ORDERS || !(limit->weight[j] >= 0))
			return false;
		weights = dp_accounting_add_up(weights, limit->weight[j]);
	}
	return weights <= 1 && limit->delta_rdp >= 0 && limit->delta_partition >= 0 &&
		dp_accounting_add_up(limit->delta_rdp, limit->delta_partition) <= limit->delta;
}

/*
 * Does a history with this total cost stay within the budget?  False for a
 * budget whose shares do not add up, or a total that is not a number.
 */
bool
dp_accounting_admits(const DpLimit *limit, const DpCurve *total)
{
	double		spent = dp_accounting_epsilon_spent(limit, total);

	return spent < INFINITY && spent <= limit->epsilon;
}

/*
 * The smallest epsilon, rounded up, for which the same filter would admit
 * this total; infinite if none does.
 */
double
dp_accounting_epsilon_spent(const DpLimit *limit, const DpCurve *total)
{
	double		spent = INFINITY;

	if (!limit_is_sound(limit) ||
		!(total->delta >= 0 && total->delta <= limit->delta_partition))
		return INFINITY;
	if (total->pure >= 0)
		spent = total->pure;
	for (int j = 0; j < DP_FILTER_ORDERS; j++)
	{
		int			i = limit->order[j];
		long double d = (long double) limit->weight[j] * limit->delta_rdp;
		long double renyi = total->rdp[i] - conversion_offset(dp_accounting_order[i], d);

		if (total->rdp[i] >= 0 && renyi < spent)
			spent = dp_accounting_up(renyi);
	}
	return spent > 0 ? spent : 0;
}
