/* SPDX-License-Identifier: PostgreSQL */
/*
 * selector.h
 *	  The release whose noisy rows decide which private groups are shown.
 *
 * A count of units, or a mean that counts a row of each: a unit that alone makes a group exist moves
 * what is compared by its sensitivity at most.
 */
#ifndef DP_PRICING_SELECTOR_H
#define DP_PRICING_SELECTOR_H

#include "pricing/release.h"

/*
 * The least noisy rows that a group is shown with, in units of the totals that tell them: of a mean with
 * Laplace noise the sum of both, else the count in grid units.  INT64_MAX: none is shown.
 */
extern int64 dp_pricing_threshold(const DpRelease *selector, double delta);

/* Share of one row in that. */
extern double dp_pricing_threshold_unit(const DpRelease *selector);

/* Noise of the rows that it tells: standard deviation, and what 95 % of it is within. */
extern void dp_pricing_threshold_noise(const DpRelease *selector, double *stddev, double *half_width);

/*
 * Whether what was released of a group may be noise alone.
 *
 * A mean and statistics of moments are released as totals that tell, with noise, how many rows
 * they are of.  Where a group without rows would show as many by chance, the answer would say
 * nothing: NULL is shown instead, as PostgreSQL does for no rows.  It follows from what was
 * released and from the noise's public parameters.
 */

/* How many totals a mean or moments are released as. */
extern int	dp_pricing_totals_of(const DpRelease *release);

/*
 * The noisy rows that a group without any exceeds with that probability at most, in
 * units of the totals that show them.  For a mean with Laplace noise and for moments
 * that is the sum of all totals, which is `width` for each row.  For a mean with
 * Gaussian noise it is the count. -INFINITY where none does.
 */
extern double dp_pricing_feigned_rows(const DpRelease *release);

/* Do a release's totals, its column, show no more rows than that? */
extern bool dp_pricing_is_feigned(const DpRelease *release, double feigned, Datum column);

#endif							/* DP_PRICING_SELECTOR_H */
