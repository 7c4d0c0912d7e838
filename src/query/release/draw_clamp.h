/*
 * draw_clamp.h
 *	  Choosing the clamp of a total, and releasing the total clamped there.
 */
#ifndef DP_QUERY_RELEASE_DRAW_CLAMP_H
#define DP_QUERY_RELEASE_DRAW_CLAMP_H

#include "postgres.h"

#include "query/block/block.h"
#include "query/release/release_state.h"

/*
 * Draw a release whose clamp is chosen, of one group, given what its column in the exact row
 * holds: a DpTotals of two, the noisy total on the grid of the noise at the step chosen, and
 * that step; or of a mean, its two noisy totals on such grids.
 */
extern Datum dp_query_draw_clamped(const DpRelease *release, Datum value, bool isnull, int *step);

/* Note that a step was chosen for a node's i-th release. */
extern void dp_query_note_clamp(DpReleaseState *state, int i, int step);

/* Tell a copy of a node's block which steps were chosen, as far as that is known. */
extern void dp_query_tell_clamps(const DpReleaseState *state, DpBlock *copy);

#endif							/* DP_QUERY_RELEASE_DRAW_CLAMP_H */
