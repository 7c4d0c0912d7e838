/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_synthesis.h
 *	  Synthetic rows of exact tables.
 */
#ifndef DP_DRAW_RELEASE_SYNTHESIS_H
#define DP_DRAW_RELEASE_SYNTHESIS_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "draw/release_state.h"

/*
 * Release synthetic rows of what the exact plan returns, each a bytea (call/synthetic_values.h).  What it
 * takes besides is left in the present memory context.
 */
extern void dp_draw_release_synthesis(DpReleaseState *state, TupleTableSlot *result);

#endif							/* DP_DRAW_RELEASE_SYNTHESIS_H */
