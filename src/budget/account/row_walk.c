/*
 * row_walk.c
 *	  Going through the rows of the budget table, without their old versions.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/itup.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "budget/account/row_tid.h"
#include "budget/account/row_walk.h"
#include "base/compat.h"

/* Columns of the primary key. */
#define DP_KEY_ROLE 1
#define DP_KEY_DATASET 2

/* An index leads to a key many times if its row has versions: after so many skip to the next. */
#define DP_SAME 32

/* Go on from where (role, dataset) compare so to these. */
static void
seek(DpRowWalk *walk, StrategyNumber roles, RegProcedure compare_role, Oid role,
	 StrategyNumber datasets, RegProcedure compare_dataset, const char *dataset)
{
	ScanKeyData key[2];

	ScanKeyInit(&key[0], DP_KEY_ROLE, roles, compare_role, ObjectIdGetDatum(role));
	ScanKeyInit(&key[1], DP_KEY_DATASET, datasets, compare_dataset, CStringGetTextDatum(dataset));
	index_rescan(walk->scan, key, lengthof(key), NULL, 0);
	walk->within = roles == BTEqualStrategyNumber;
	walk->same = 0;
}

static void
begin(DpRowWalk *walk, Relation budget, Snapshot snapshot)
{
	memset(walk, 0, sizeof(*walk));
	walk->budget = budget;
	walk->snapshot = snapshot;
	walk->index = index_open(dp_compat_primary_key(budget), AccessShareLock);
	walk->scan = dp_compat_begin_index_scan(budget, walk->index, snapshot, 2);
	walk->scan->xs_want_itup = true;
	walk->slot = table_slot_create(budget, NULL);
}

void
dp_budget_row_walk_begin(DpRowWalk *walk, Relation budget, Snapshot snapshot, Oid role)
{
	begin(walk, budget, snapshot);
	seek(walk, BTEqualStrategyNumber, F_OIDEQ, role, BTGreaterEqualStrategyNumber, F_TEXT_GE, "");
}

void
dp_budget_row_walk_begin_all(DpRowWalk *walk, Relation budget, Snapshot snapshot)
{
	begin(walk, budget, snapshot);
	walk->all = true;
	seek(walk, BTGreaterEqualStrategyNumber, F_OIDGE, InvalidOid,
		 BTGreaterEqualStrategyNumber, F_TEXT_GE, "");
}

/* Come to the key of an entry of the index; false if the walk is there already. */
static bool
come_to(DpRowWalk *walk, IndexTuple entry)
{
	bool		null;
	Oid			role = DatumGetObjectId(index_getattr(entry, DP_KEY_ROLE, walk->scan->xs_itupdesc, &null));
	char	   *dataset = TextDatumGetCString(index_getattr(entry, DP_KEY_DATASET,
															walk->scan->xs_itupdesc, &null));
	bool		same = walk->dataset != NULL && role == walk->role && strcmp(dataset, walk->dataset) == 0;

	if (same)
	{
		pfree(dataset);
		return false;
	}
	if (walk->dataset != NULL)
		pfree(walk->dataset);
	walk->role = role;
	walk->dataset = dataset;
	walk->same = 0;
	return true;
}

/* Come to the next key; false if there is none. */
static bool
next_key(DpRowWalk *walk)
{
	for (;;)
	{
		if (index_getnext_tid(walk->scan, ForwardScanDirection) == NULL)
		{
			if (!walk->all || !walk->within)
				return false;
			seek(walk, BTGreaterStrategyNumber, F_OIDGT, walk->role,
				 BTGreaterEqualStrategyNumber, F_TEXT_GE, "");
		}
		else if (come_to(walk, walk->scan->xs_itup))
			return true;
		else if (++walk->same == DP_SAME)
			seek(walk, BTEqualStrategyNumber, F_OIDEQ, walk->role,
				 BTGreaterStrategyNumber, F_TEXT_GT, walk->dataset);
	}
}

HeapTuple
dp_budget_row_walk_next(DpRowWalk *walk)
{
	HeapTuple	tuple = NULL;

	while (tuple == NULL && next_key(walk))
		tuple = index_fetch_heap(walk->scan, walk->slot) ? ExecCopySlotHeapTuple(walk->slot) :
			dp_budget_tid_read(walk->budget, walk->snapshot, walk->role, walk->dataset);
	return tuple;
}

void
dp_budget_row_walk_end(DpRowWalk *walk)
{
	ExecDropSingleTupleTableSlot(walk->slot);
	index_endscan(walk->scan);
	index_close(walk->index, AccessShareLock);
}
