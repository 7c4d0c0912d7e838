/*
 * compact.c
 *	  dp_agg.compact_ledger: a checkpoint in place of old rows.
 *
 * Rows never change once they are there, so that removing some of them stops
 * no charge; only the checkpoint, like any act, is appended at commit.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/table.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "budget/audit/books.h"
#include "budget/audit/checkpoint.h"
#include "budget/rows/ledger.h"
#include "budget/account/store.h"
#include "budget/rows/walk.h"
#include "base/compat.h"

PG_FUNCTION_INFO_V1(dp_budget_compact_ledger);

/* The number of the newest row; 0 if there is none. */
static int64
newest_row(Relation ledger, Snapshot snapshot)
{
	Relation	index = index_open(dp_compat_primary_key(ledger), AccessShareLock);
	SysScanDesc scan = systable_beginscan_ordered(ledger, index, snapshot, 0, NULL);
	HeapTuple	tuple = systable_getnext_ordered(scan, BackwardScanDirection);
	bool		null;
	int64		id = 0;

	if (HeapTupleIsValid(tuple))
		id = DatumGetInt64(heap_getattr(tuple, DP_LEDGER_ID + 1, RelationGetDescr(ledger), &null));
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return id;
}

/* Enter a row in the books and remove it from the ledger; it must be right. */
static void
compact_row(DpWalk *walk, DpBooks *books, const char *problem)
{
	MemoryContext old = MemoryContextSwitchTo(walk->row_context);

	if (problem == NULL)
		problem = dp_budget_books_enter(books, walk->values, walk->nulls);
	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("row " INT64_FORMAT " of the ledger does not verify: %s",
						walk->id, problem),
				 errhint("See dp_agg.verify_ledger().")));
	simple_heap_delete(walk->ledger, &walk->tuple->t_self);
	MemoryContextSwitchTo(old);
}

/*
 * Remove all rows before the first one that is not older, and never the newest:
 * the chain goes on from it.  Returns how many, and the books at their end.
 */
static int64
compact_rows(Relation ledger, Snapshot snapshot, TimestampTz before, DpBooks *books,
			 DpChainEnd *end)
{
	int64		newest = newest_row(ledger, snapshot);
	int64		removed = 0;
	const char *problem;
	DpWalk		walk;

	dp_budget_walk_begin(&walk, ledger, snapshot, end);
	while (dp_budget_walk_next(&walk, &problem) && walk.id < newest &&
		   DatumGetTimestampTz(walk.values[DP_LEDGER_AT]) < before)
	{
		compact_row(&walk, books, problem);
		*end = walk.last;
		removed++;
	}
	dp_budget_walk_end(&walk);
	return removed;
}

static void
check_owner(Relation ledger)
{
	if (!dp_compat_owns_relation(RelationGetRelid(ledger), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(ledger));
}

/* dp_agg.compact_ledger(before timestamptz) returns bigint */
Datum
dp_budget_compact_ledger(PG_FUNCTION_ARGS)
{
	Relation	ledger = dp_budget_store_read_ledger();
	DpChainEnd	end;
	DpBooks    *books;
	Snapshot	snapshot;
	int64		removed;

	check_owner(ledger);
	PreventCommandIfReadOnly("dp_agg.compact_ledger()");
	LockRelationOid(RelationGetRelid(ledger), ShareUpdateExclusiveLock);
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	books = dp_budget_books_open(ledger, snapshot, DP_NUMBERS_ALL, 0, &end);
	removed = compact_rows(ledger, snapshot, PG_GETARG_TIMESTAMPTZ(0), books, &end);
	if (removed > 0)
		dp_budget_books_save(books, &end);
	UnregisterSnapshot(snapshot);
	table_close(ledger, NoLock);
	PG_RETURN_INT64(removed);
}
