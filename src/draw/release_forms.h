/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_forms.h
 *	  Releases of something else than a count per group: rankings, the first
 *	  count above a threshold, trees of counts.
 */
#ifndef DP_DRAW_RELEASE_FORMS_H
#define DP_DRAW_RELEASE_FORMS_H

#include "postgres.h"

#include "draw/release_state.h"

/* Release what the block's form is, but for groups. */
extern void dp_draw_release_form(DpReleaseState *state, TupleTableSlot *result);

/* The keys of the greatest counts, with their ranks. */
extern void dp_draw_release_ranking(DpReleaseState *state, TupleTableSlot *result);

/* One row: the number of the first count that reaches the level, or zero. */
extern void dp_draw_release_first(DpReleaseState *state, TupleTableSlot *result);

/* One row: the number of a candidate, by the mechanism that was paid for. */
extern void dp_draw_release_least(DpReleaseState *state, TupleTableSlot *result);

/* Every node of the tree, the root first, level by level, with its noisy count. */
extern void dp_draw_release_tree(DpReleaseState *state, TupleTableSlot *result);

#endif							/* DP_DRAW_RELEASE_FORMS_H */
