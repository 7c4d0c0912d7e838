/* SPDX-License-Identifier: PostgreSQL */
/*
 * row_hint.h
 *	  Where rows that are written again and again were last, in shared memory.
 *
 * An index leads past all the versions of a row before the present one, and while
 * somebody's transaction can see them, no vacuum removes them.  A place leads to the
 * row at once.  It is no more than a hint, which whoever takes it verifies: it may be
 * that of an older version, of another row, or of a table that is gone.
 */
#ifndef DP_BUDGET_QUEUE_ROW_HINT_H
#define DP_BUDGET_QUEUE_ROW_HINT_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

struct DpPlaces;

/* The memory that places take. */
extern Size dp_budget_place_memory(void);

/* Set it up, empty. */
extern void dp_budget_place_init(struct DpPlaces *places);

/* A key for a row of a table of this database, from what identifies it. */
extern uint64 dp_budget_place_key(Relation table, uint64 number, const void *bytes, Size size);

/*
 * Have the version of a row that a snapshot sees in a slot of the table's, if it is at the
 * row's place, or a version after that.  It may be another row's.
 */
extern bool dp_budget_place_fetch(Relation table, uint64 key, Snapshot snapshot, TupleTableSlot *slot);

/* Leave the place of a row that is committed. */
extern void dp_budget_place_leave(uint64 key, const ItemPointerData *tid);

/* Likewise of a row that was read, if no later version has followed it. */
extern void dp_budget_place_leave_newest(uint64 key, HeapTuple tuple);

#endif							/* DP_BUDGET_QUEUE_ROW_HINT_H */
