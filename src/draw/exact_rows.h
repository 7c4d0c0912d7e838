/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact_rows.h
 *	  Rows of a running exact plan.
 */
#ifndef DP_DRAW_EXACT_ROWS_H
#define DP_DRAW_EXACT_ROWS_H

#include "postgres.h"

#include "draw/release_state.h"

/* The next group of the running exact plan, deformed; NULL at the end. */
extern TupleTableSlot *dp_draw_next_exact(DpReleaseState *state);

/*
 * Put the keys of a row into a result, or without a row the n-th key of those that are
 * numbers.  Whether that row has them compressed or TOASTed does not show, and a key
 * that is too long for a row that may have many is NULL.
 */
extern void dp_draw_release_keys(const DpBlock *block, TupleTableSlot *keys, int n,
								 TupleTableSlot *result);

#endif							/* DP_DRAW_EXACT_ROWS_H */
