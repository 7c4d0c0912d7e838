/* SPDX-License-Identifier: PostgreSQL */
/*
 * released_rows.h
 *	  The rows that a release node holds.
 */
#ifndef DP_STATEMENT_RELEASED_ROWS_H
#define DP_STATEMENT_RELEASED_ROWS_H

#include "postgres.h"

#include "draw/release_state.h"

/* Read the next row of what was drawn, or of the kept answer; false if there is none. */
extern bool dp_statement_next_released(DpReleaseState *state, TupleTableSlot *slot);

/*
 * Show NULL where noise alone may have made it of no rows, within memory that lasts until the next row
 * is read.
 */
extern void dp_statement_hide_feigned(DpReleaseState *state, TupleTableSlot *slot);

/* Begin again with the rows that a node holds. */
extern void dp_statement_rewind_released(DpReleaseState *state);

/* Go through the first rows that a node holds, as it shows them; it begins with them anew afterwards. */
extern void dp_statement_read_released(DpReleaseState *state, int most, void (*take) (TupleTableSlot *slot, void *arg),
									   void *arg);

#endif							/* DP_STATEMENT_RELEASED_ROWS_H */
