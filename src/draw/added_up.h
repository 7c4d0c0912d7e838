/* SPDX-License-Identifier: PostgreSQL */
/*
 * added_up.h
 *	  Answers that are added up from those of finer groups that are kept.
 */
#ifndef DP_DRAW_ADDED_UP_H
#define DP_DRAW_ADDED_UP_H

#include "postgres.h"

#include "budget/kept/kept.h"
#include "draw/release_state.h"
#include "kept/cells.h"

/*
 * Find the kept answer, asked not before a time, that a node with these cells is answered by adding up,
 * with the least noise; false if there is none.  The node then says how its noise is, when it
 * was drawn, and of how many groups; *finer is the answer.
 */
extern bool dp_draw_find_finer(DpReleaseState *state, const DpBlockCells *cells, const DpBudgetId *budget,
							   TimestampTz since, DpKeptFiner *finer);

/*
 * The same, and have the node hold the sums.  False, too, if the answer has been replaced, or is
 * not what it is said to be.
 */
extern bool dp_draw_add_up(DpReleaseState *state, const DpBlockCells *cells, const DpBudgetId *budget,
						   TimestampTz since, DpKeptFiner *finer);

/* The block as its noise is: of what is added up, the sum of several. */
extern const DpBlock *dp_draw_shown_block(const DpReleaseState *state);

#endif							/* DP_DRAW_ADDED_UP_H */
