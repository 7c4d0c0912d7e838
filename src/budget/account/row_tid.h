/* SPDX-License-Identifier: PostgreSQL */
/*
 * row_tid.h
 *	  Finding a row of the budget table.
 *
 * A keeper writes the same few rows again and again.  Where it left a row is
 * remembered, by the keeper and for all sessions (place.h), since an index leads
 * past all the versions before it.
 */
#ifndef DP_BUDGET_ACCOUNT_ROW_TID_H
#define DP_BUDGET_ACCOUNT_ROW_TID_H

#include "postgres.h"

#include "access/genam.h"
#include "nodes/execnodes.h"

/*
 * A copy of the row of (role, dataset) that a snapshot sees, in the current memory
 * context; NULL if there is none.  If the snapshot is new that takes as long whatever
 * versions there are, unless the row's place is not known.
 */
extern HeapTuple dp_budget_tid_read(Relation budget, Snapshot snapshot, Oid role,
									const char *dataset);

/*
 * Find the row of (role, dataset) that the active snapshot sees; false if there
 * is none.  The slot is one of the table's, and may be used for it meanwhile.
 */
extern bool dp_budget_tid_find(Relation budget, Oid role, const char *dataset,
							   TupleTableSlot *slot, ItemPointer tid);

/*
 * Remember where a row was left.  A place is looked at before it is believed:
 * it may be another row's by now, or gone.
 */
extern void dp_budget_tid_remember(Oid role, const char *dataset, const ItemPointerData *tid);

/*
 * Is a row, as it was read from the table, the version that was left, by the
 * transaction that left it?  False, too, if that is no longer remembered.
 */
extern bool dp_budget_tid_is_left(Oid role, const char *dataset, TupleTableSlot *slot);

/* Does a row belong to (role, dataset)? */
extern bool dp_budget_tid_is_of(TupleTableSlot *slot, Oid role, const char *dataset);

/*
 * Writing a new version of a row whose key stays as it is.
 */

/*
 * Replace a row that this transaction has locked by one with the same primary key, as
 * the executor does, except for one thing.  It does not check again that no other row
 * has that key, or any other key that stays the same, since that would read all
 * versions of the row that an index still leads to.  The lock says so: there is one row
 * of a key, and it is this one.
 */
extern void dp_budget_update_row(ResultRelInfo *table, EState *estate, TupleTableSlot *found,
								 TupleTableSlot *changed);

/*
 * Going through the rows of the budget table, without their old versions.
 */

/*
 * A walk through all rows that a snapshot sees, or those of one role, in the order of
 * the primary key.  It goes from key to key, and finds a row by its position where the
 * index leads to an older version first.  The time it takes depends on the number of
 * keys, not on that of versions or on how long the table once was.
 */
typedef struct DpRowWalk
{
	Relation	budget;
	Snapshot	snapshot;
	Relation	index;
	IndexScanDesc scan;
	TupleTableSlot *slot;
	bool		all;			/* of all roles */
	bool		within;			/* is the scan for one role? */
	Oid			role;			/* the key it has come to, */
	char	   *dataset;		/* NULL if to none */
	int			same;			/* and how often it has met it again */
} DpRowWalk;

/* Begin a walk through the rows of a role, or of all. */
extern void dp_budget_row_walk_begin(DpRowWalk *walk, Relation budget, Snapshot snapshot, Oid role);
extern void dp_budget_row_walk_begin_all(DpRowWalk *walk, Relation budget, Snapshot snapshot);

/* The next row, a copy in the current memory context; NULL if there are no more. */
extern HeapTuple dp_budget_row_walk_next(DpRowWalk *walk);

extern void dp_budget_row_walk_end(DpRowWalk *walk);

#endif							/* DP_BUDGET_ACCOUNT_ROW_TID_H */
