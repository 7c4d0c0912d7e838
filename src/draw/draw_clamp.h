/*
 * draw_clamp.h
 *	  Choosing the clamp of totals, and releasing totals clamped there.
 *
 * Of a release whose clamp is chosen the exact column holds a group's ladder: NULL where it has no
 * rows.
 */
#ifndef DP_DRAW_DRAW_CLAMP_H
#define DP_DRAW_DRAW_CLAMP_H

#include "postgres.h"

#include "aggregate/ladder_choice.h"
#include "pricing/block.h"

/* Add a group's units to the numbers of them on each step. */
extern void dp_query_count_on_steps(const DpRelease *release, Datum value, bool isnull, int64 *units);

/* The mean absolute noise of an answer, over its clamp. */
extern double dp_query_noise_per_clamp(const DpRelease *release);

/* How much noise weighs against what is cut. */
extern double dp_query_weight_of_noise(const DpRelease *release);

/* How many groups units fill whose contributions are so many clamps, given the noise of each. */
extern double dp_query_filled_groups(double each, double contributions);

/*
 * The noise of all groups together that matters, given that of each, how much units contribute to
 * all, in clamps, and how many groups there are.
 */
extern double dp_query_noise_of_groups(double each, double contributions, double groups);

/* Read numbers of units through noise; and set which of them are not thought to be noise. */
extern void dp_query_draw_steps(const DpNoise *noise, int steps, const int64 *units, double *noisy);
extern void dp_query_set_rule(DpLadderRule *rule, const DpNoise *noise, int steps);

/* Choose the step whose clamp is that of all groups, which are so many. */
extern int	dp_query_draw_clamp(const DpRelease *release, const int64 *units, int64 groups);

/*
 * Draw the total of one group, clamped at a step: a DpTotals of two, the noisy total on the grid
 * of the noise at that step, and the step; or of a mean, its two noisy totals on such grids.
 */
extern Datum dp_query_draw_clamped(const DpRelease *release, Datum value, bool isnull, int step);

#endif							/* DP_DRAW_DRAW_CLAMP_H */
