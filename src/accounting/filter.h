/* SPDX-License-Identifier: PostgreSQL */
/*
 * filter.h
 *	  The privacy filter: which histories stay within an (epsilon, delta)
 *	  budget against an adaptive analyst.
 *
 * Plain C: no server header.  Budgets are rounded down.
 */
#ifndef DP_ACCOUNTING_FILTER_H
#define DP_ACCOUNTING_FILTER_H

#include <stdbool.h>

#include "accounting/curve.h"

/* Most orders a filter has. */
#define DP_FILTER_ORDERS 10

/*
 * Costs by Renyi composition are rounded up by so much, relatively: whoever adds up a
 * few pure epsilons then finds their sum, not a hair less.
 */
#define DP_FILTER_ROUNDING 0x1p-14

/*
 * Which parts of delta are whose: none negative, and together at most 1, but for the rounding of
 * numbers that do.
 */
typedef struct DpShares
{
	double		partition;		/* private groups */
	double		variance;		/* the rule of variances */
	double		rdp;			/* the rule of Renyi curves */
} DpShares;

/* A tenth for private groups, and equal parts for the rules. */
extern const DpShares dp_accounting_default_shares;

/*
 * A budget, with the shares, orders and weights that its filter began with.  The
 * orders are indexes into dp_accounting_order; weights add up to at most 1.
 */
typedef struct DpLimit
{
	double		epsilon;
	double		delta;
	DpShares	shares;
	double		delta_rdp;		/* what of delta is whose, by the shares: see below */
	double		delta_variance;
	double		delta_partition;
	int			orders;			/* how many, from 0 to DP_FILTER_ORDERS */
	int			order[DP_FILTER_ORDERS];
	double		weight[DP_FILTER_ORDERS];
} DpLimit;

/*
 * Set up a budget.  epsilon finite and > 0, 0 <= delta < 1 (delta = 0: pure
 * differential privacy only); shares as above.  Returns NULL, or what is wrong with the
 * arguments (a static string: lower case, no full stop).
 */
extern const char *dp_accounting_limit_init(DpLimit *limit, double epsilon, double delta,
											const DpShares *shares);

/* Are these shares of one delta? */
extern bool dp_accounting_are_shares(const DpShares *shares);

/*
 * Divide the limit's delta by its shares.  The parts add up to no more than delta, and none of them
 * falls when delta grows.  That of private groups is rounded up, at the expense of the others if
 * these have 1/256 of delta: so thresholds whose deltas add up to it fit.
 */
extern void dp_accounting_divide_delta(DpLimit *limit);

/*
 * The delta of a statement of which nobody has said it: a thousandth of what the limit has for private
 * groups, so that as many statements fit, and at most DP_MOST_CHOSEN_DELTA.  0 if the limit has none.
 */
#define DP_STATEMENTS_OF_DELTA 1000
#define DP_MOST_CHOSEN_DELTA 1e-6

extern double dp_accounting_chosen_delta(const DpLimit *limit);

/* Has it a delta for noise that has no pure epsilon, of a size that noise is calibrated for? */
extern bool dp_accounting_takes_gaussian(const DpLimit *limit);

/*
 * Does a history with this total cost stay within the budget?  Exactly if
 * dp_accounting_epsilon_spent gives no more than limit->epsilon.  Never for a
 * limit whose shares of delta exceed it; what is negative or NaN in a total
 * admits nothing.
 */
extern bool dp_accounting_admits(const DpLimit *limit, const DpCurve *total);

/*
 * The smallest epsilon for which the same filter (orders, weights, delta)
 * would admit this total; infinite if none does.
 */
extern double dp_accounting_epsilon_spent(const DpLimit *limit, const DpCurve *total);

/*
 * The least epsilon that the same rules prove of a list of releases fixed in advance, each with all of
 * what delta leaves after private groups, and at the orders that suit.
 */
extern double dp_accounting_fixed_epsilon(const DpCurve *total, double delta);

/*
 * What that takes of a limit, worked out once for many totals: its orders with some
 * weight, and their logarithms, a quarter of the time.
 */
typedef struct DpFilter
{
	double		delta_partition;	/* negative: nothing is admitted */
	double		delta_variance;
	int			terms;
	int			order[DP_FILTER_ORDERS];
	double		slope[DP_FILTER_ORDERS];	/* a - 1 */
	long double height[DP_FILTER_ORDERS];	/* log(delta_rdp w a) */
} DpFilter;

extern void dp_accounting_filter_init(DpFilter *filter, const DpLimit *limit);

/* The same as dp_accounting_epsilon_spent for the filter's limit. */
extern double dp_accounting_filter_spent(const DpFilter *filter, const DpCurve *total);

/* Does a total that comes to this epsilon, by the same limit, stay within it? */
extern bool dp_accounting_is_within(const DpLimit *limit, double epsilon_spent);

#endif							/* DP_ACCOUNTING_FILTER_H */
