/*
 * selector.h
 *	  The release whose noisy rows decide which private groups are shown.
 *
 * A count of units, or a mean that counts a row of each: a unit that alone makes a group exist moves
 * what is compared by its sensitivity at most.
 */
#ifndef DP_PRICING_SELECTOR_H
#define DP_PRICING_SELECTOR_H

#include "pricing/block.h"

/*
 * The least noisy rows that a group is shown with, in units of the totals that tell them: of a mean with
 * Laplace noise the sum of both, else the count in grid units.  INT64_MAX: none is shown.
 */
extern int64 dp_query_threshold(const DpRelease *selector, double delta);

/* What one row adds to that. */
extern double dp_query_threshold_unit(const DpRelease *selector);

/* Noise of the rows that it tells: standard deviation, and what 95 % of it is within. */
extern void dp_query_threshold_noise(const DpRelease *selector, double *stddev, double *half_width);

#endif							/* DP_PRICING_SELECTOR_H */
