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

#include "access/htup.h"
#include "executor/tuptable.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

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

#endif							/* DP_BUDGET_ACCOUNT_ROW_TID_H */
