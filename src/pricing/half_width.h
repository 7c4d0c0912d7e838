/* SPDX-License-Identifier: PostgreSQL */
/*
 * half_width.h
 *	  How far an answer may be off: half_width_95 of EXPLAIN, price and
 *	  last_release.
 */
#ifndef DP_PRICING_HALF_WIDTH_H
#define DP_PRICING_HALF_WIDTH_H

#include "postgres.h"

#include "pricing/release.h"

/* How often an answer is off by more. */
#define DP_PRICING_MISS 0.05

/*
 * How far an answer of this release is off, exceeded with a probability of 5 % at most:
 *
 * - Counts, sums and nodes of a tree: the noise, rounded where it is.  Means and statistics
 *   of moments: that of them times their rows, of which `factor` is the share.
 * - Quantiles: rows between the rank of the answer and the one asked for.
 * - Rankings: how many rows fewer a named value may have than any value not yet named.
 *   The number of private candidates is private, so there: than another named one.
 * - The first above a threshold: rows by which it has less than the threshold, or one
 *   before it, or each if none is named, more.
 *
 * From public parameters alone.
 */
extern double dp_pricing_half_width(const DpBlock *block, const DpRelease *release, double factor);

/* Is the noise of a release the sum of several, each added to a count and rounded with it? */
extern bool dp_pricing_rounds_each(const DpRelease *release);

/*
 * How far off an answer is that is taken from another aggregate's release.
 */

/* Standard deviation of its noise, in its own unit; of a mean times the number of rows. */
extern double dp_pricing_answer_stddev(const DpRelease *release, const DpAnswer *answer);

/* How far off it is, with probability 0.95 at least, to within a grid unit of each total; likewise. */
extern double dp_pricing_answer_half_width(const DpRelease *release, const DpAnswer *answer);

/*
 * How far ranks of quantiles may be off, drawn alone or one inside the other.
 *
 * From public parameters alone.
 */

/*
 * How far the rank of a quantile is off: with a probability of p at most by more than
 * scale ln(alternatives / p) + inside rows and a part `drift` of all rows, given that it is not none.
 */
typedef struct DpRankError
{
	double		scale;
	double		alternatives;
	double		inside;
	double		drift;
} DpRankError;

extern DpRankError dp_pricing_rank_error(const DpBlock *block, const DpRelease *release);

#endif							/* DP_PRICING_HALF_WIDTH_H */
