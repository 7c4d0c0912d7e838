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

#endif							/* DP_DRAW_RELEASE_FORMS_H */
