/* SPDX-License-Identifier: PostgreSQL */
/*
 * draw_clamp.h
 *	  Choosing the clamp of totals, and releasing totals clamped there.
 *
 * If the clamp of a release is chosen, its exact column holds a group's ladder: NULL
 * where the group has no rows.
 */
#ifndef DP_DRAW_DRAW_CLAMP_H
#define DP_DRAW_DRAW_CLAMP_H

#include "postgres.h"

#include "aggregate/ladder_cut.h"
#include "draw/release_state.h"
#include "noise/sampler.h"

/* The mean absolute noise of an answer, over its clamp. */
extern double dp_draw_noise_per_clamp(const DpRelease *release);

/* value * 2^bits, to the nearest integer. */
extern DpInt128 dp_draw_shift(DpInt128 value, int bits);

/* The noisy total of a ladder clamped at a step, on the grid of its noise; and what is seen of the clamp. */
extern Datum dp_draw_clamped_total(const DpRelease *release, const DpInt128 *parts, const DpLadderSeen *seen);

/* How many groups units fill whose contributions are so many clamps, given the noise of each. */
extern double dp_draw_filled_groups(double each, double contributions);

/*
 * The noise of all groups together that matters, given that of each, how much units contribute to
 * all, in clamps, and how many groups there are.
 */
extern double dp_draw_noise_of_groups(double each, double contributions, double groups);

/* Read numbers of units through noise; and set which of them are not thought to be noise. */
extern void dp_draw_draw_steps(const DpNoise *noise, int steps, const int64 *units, double *noisy);
extern void dp_draw_set_rule(DpLadderRule *rule, const DpNoise *noise, int steps);

/*
 * Groups that wait for their totals' clamp to be chosen.
 */

typedef struct DpClampedGroups DpClampedGroups;

/* Have a store for the groups of a block; NULL if it has no release whose clamp is chosen. */
extern DpClampedGroups *dp_draw_begin_clamped(const DpReleaseState *state);

/*
 * Keep a group that will be answered: what is released of it, but in columns of totals whose clamp
 * is chosen what the exact row holds.
 */
extern void dp_draw_keep_clamped(DpClampedGroups *groups, TupleTableSlot *result);

/* Choose the clamps, note them in the node, release all groups kept into its store, and free them. */
extern void dp_draw_release_clamped(DpClampedGroups *groups, DpReleaseState *state, TupleTableSlot *result);

#endif							/* DP_DRAW_DRAW_CLAMP_H */
