/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_passes.h
 *	  Totals of a model, and of passes through its rows.
 */
#ifndef DP_DRAW_RELEASE_PASSES_H
#define DP_DRAW_RELEASE_PASSES_H

#include "postgres.h"

#include "draw/release_state.h"

/*
 * Release one row: the noisy totals of products of coordinates, and behind them those of each pass.  Rows of the
 * exact plan are kept until the last pass, in work_mem and a temporary file.
 */
extern void dp_draw_release_passes(DpReleaseState *state, TupleTableSlot *result);

#endif							/* DP_DRAW_RELEASE_PASSES_H */
