/* SPDX-License-Identifier: PostgreSQL */
/*
 * read_listed_keys.h
 *	  Reading the keys that public tables list.
 */
#ifndef DP_DRAW_READ_LISTED_KEYS_H
#define DP_DRAW_READ_LISTED_KEYS_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* Keys that were listed, one after the other. */
typedef struct DpKeys DpKeys;

/*
 * Read all keys by their plan, under a statement's snapshot, into the current memory context.
 * Raises an error if there are more than can be answered.
 */
extern DpKeys *dp_draw_read_keys(PlannedStmt *plan, const EState *estate);

/* How many there are. */
extern int64 dp_draw_count_keys(const DpKeys *keys);

/* Keys as packed rows (packed_rows.h), or NULL; the next key is then the first. */
extern bytea *dp_draw_pack_keys(DpKeys *keys);

/* Move to the next key; false after the last. */
extern bool dp_draw_next_key(DpKeys *keys);

/* The current key. */
extern TupleTableSlot *dp_draw_current_key(const DpKeys *keys);

/* How the current key compares with that of an exact row: less than, equal to or greater than 0. */
extern int	dp_draw_compare_key(DpKeys *keys, TupleTableSlot *exact);
extern void dp_draw_end_keys(DpKeys *keys);

#endif							/* DP_DRAW_READ_LISTED_KEYS_H */
