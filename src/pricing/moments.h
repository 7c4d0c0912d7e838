/*
 * moments.h
 *	  Variance, covariance, correlation and regression: from aggregates as
 *	  written to totals of features (aggregate/moments.h), and from noisy totals to
 *	  statistics.
 */
#ifndef DP_PRICING_MOMENTS_H
#define DP_PRICING_MOMENTS_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "tree/statement.h"

/* The same as dp_pricing_measure for the aggregates of moments. */
extern DpReason *dp_pricing_measure_moments(Query *block, const DpContribution *contribution,
											const DpStatement *statement, DpMeasure *measure);

/* Calibrate the noise of all totals, with the epsilon that the release has. */
extern DpReason *dp_pricing_calibrate_moments(DpMeasure *measure, const DpContribution *contribution);

/* Arguments of the exact aggregates of these moments: values and bounds. */
extern List *dp_pricing_moments_arguments(const DpMeasure *measure);

/*
 * What an aggregate is made of: equal() for those that one release answers.  Of moments
 * it has the number of their shape for a function, which no aggregate of ours has.
 */
extern Node *dp_pricing_released_as(Aggref *aggref);

/* The same for an aggregate of moments, from their noisy totals. */
extern Node *dp_pricing_released_moments(const DpMeasure *measure, const Aggref *aggref, Node *totals);

/*
 * How the totals of a mean or of moments became public; the aggregate may be a mean that is
 * answered from a variance's.  `threshold` is what a mean's rows had to reach for its group to be shown
 * (selector.h), or 0.
 */
extern Const *dp_pricing_make_estimate(const DpMeasure *measure, const Aggref *aggref, double threshold);

#endif							/* DP_PRICING_MOMENTS_H */
