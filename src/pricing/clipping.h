/* SPDX-License-Identifier: PostgreSQL */
/*
 * clipping.h
 *	  Counts, sums and means whose clamp is chosen privately (dp_agg.clipping = auto).
 *
 * A unit's total in a group is clamped at one of several powers of two times the least clamp,
 * or of a mean its rows are (aggregate/ladder.h).  One of these is chosen for all groups of a
 * block, by noisy numbers of the units on each step, and the totals clamped there are released
 * with noise for that clamp.  One epsilon pays for both.  Proof: doc/accounting.md.
 */
#ifndef DP_PRICING_CLIPPING_H
#define DP_PRICING_CLIPPING_H

#include "postgres.h"

#include "aggregate/ladder_cut.h"
#include "pricing/aggregate_args.h"

/* Does a block have the clamps of counts, sums and means chosen? */
extern bool dp_pricing_clips(const DpContribution *contribution);

/* Calibrate a count, or a sum or mean of values within measure->lower and upper, whose clamp is chosen. */
extern DpReason *dp_pricing_clip_count(DpMeasure *measure, const DpContribution *contribution);
extern DpReason *dp_pricing_clip_sum(DpMeasure *measure, const DpContribution *contribution, bool integral);
extern DpReason *dp_pricing_clip_avg(DpMeasure *measure, const DpContribution *contribution);

/*
 * By how many bits the grid of the noise is finer at a step than at the last.  It is the same
 * noise at each, of which a unit moves the total by as much.
 */
static inline int
dp_pricing_clip_bits(const DpRelease *release, int step)
{
	return release->ladder.steps - 1 - step;
}

/* The j-th noise at a step, on its grid. */
extern DpNoise dp_pricing_clip_noise(const DpRelease *release, int j, int step);

/* The clamp of a step, in the value's unit; of a mean, in rows. */
extern double dp_pricing_clip_bound(const DpRelease *release, int step);

/*
 * What is cut, as noisy numbers of units tell (aggregate/ladder_cut.h): they are paid for by the choice,
 * whatever is made of them.
 */

/* A number of units beyond this is no noise. */
extern double dp_pricing_clip_firm(const DpNoise *choice);

/* The most that the clamp cuts in all groups together, in least clamps, but for probability `miss`; or INFINITY. */
extern double dp_pricing_clip_most_cut(const DpLadderSeen *seen, const DpNoise *choice, int steps, double miss);

/*
 * The most units that a group lacks of those in more groups than count, likewise, where their noisy
 * number is the sum of so many.
 */
extern double dp_pricing_clip_most_beyond(int64 beyond, const DpNoise *noise, int terms, double miss);

/*
 * What of an epsilon the choice of a clamp has, and what the totals clamped there; see
 * clipping.h.
 */

/*
 * Calibrate what is added to the numbers of units on the steps of a ladder, or to totals whose clamp
 * is chosen, which are together for this epsilon.  NULL, or what is wrong (accounting/calibrate.h).
 */
extern const char *dp_pricing_clip_calibrate_choice(DpNoise *choice, DpMechanism mechanism, double epsilon,
													double delta, int groups);

extern const char *dp_pricing_clip_calibrate_noise(DpNoise *noise, DpMechanism mechanism, double epsilon,
												   double delta, int groups, int parts, uint64 sensitivity,
												   int grid);

#endif							/* DP_PRICING_CLIPPING_H */
