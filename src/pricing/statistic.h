/* SPDX-License-Identifier: PostgreSQL */
/*
 * statistic.h
 *	  Statistics in the outer query: what is known of the noisy totals they are made of.
 */
#ifndef DP_PRICING_STATISTIC_H
#define DP_PRICING_STATISTIC_H

#include "postgres.h"

#include "pricing/aggregate_args.h"

/*
 * How the totals of a mean or of moments became public; the aggregate may be a mean that is
 * answered from a variance's.  `threshold` is what a mean's rows had to reach for its group to be shown
 * (selector.h), or 0.
 */
extern Const *dp_pricing_make_estimate(const DpMeasure *measure, const Aggref *aggref, double threshold);

/*
 * Expression in the outer query for an aggregate that is a statistic of noisy
 * totals.
 */
extern Node *dp_pricing_released_statistic(const DpMeasure *measure, const Aggref *aggref, Node *totals);

#endif							/* DP_PRICING_STATISTIC_H */
