/* SPDX-License-Identifier: PostgreSQL */
/*
 * row_tid.c
 *	  Finding a row of the budget table.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/itup.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat_catalog.h"
#include "budget/account/row_tid.h"
#include "budget/queue/row_hint.h"
#include "budget/rows/row.h"

/*
 * Writing a new version of a row whose key stays as it is.
 */

/* Is the row the same in all columns of an index, of which none is an expression? */
static bool
has_same(const IndexInfo *info, TupleTableSlot *found, TupleTableSlot *changed)
{
	for (int i = 0; i < info->ii_NumIndexKeyAttrs; i++)
	{
		AttrNumber	column = info->ii_IndexAttrNumbers[i];

		if (column <= 0 || slot_attisnull(found, column) || slot_attisnull(changed, column) ||
			found->tts_values[column - 1] != changed->tts_values[column - 1])
			return false;
	}
	return info->ii_Predicate == NIL;
}

/* The open indexes that nobody else can have the row's key in, as a set: see row_tid.h. */
static Bitmapset *
own_keys(ResultRelInfo *table, TupleTableSlot *found, TupleTableSlot *changed)
{
	Oid			primary = dp_compat_primary_key(table->ri_RelationDesc);
	Bitmapset  *keys = NULL;

	for (int i = 0; i < table->ri_NumIndices; i++)
	{
		Relation	index = table->ri_IndexRelationDescs[i];

		if (index != NULL &&
			(RelationGetRelid(index) == primary ||
			 (index->rd_index->indisunique && has_same(table->ri_IndexRelationInfo[i], found, changed))))
			keys = bms_add_member(keys, i);
	}
	return keys;
}

/* Do indexes lead to a version by the one before it, on the same page? */
static bool
is_heap_only(Relation table, ItemPointer tid)
{
	Buffer		buffer = ReadBuffer(table, ItemPointerGetBlockNumber(tid));
	Page		page = BufferGetPage(buffer);
	bool		heap_only;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	heap_only = HeapTupleHeaderIsHeapOnly((HeapTupleHeader)
										  PageGetItem(page, PageGetItemId(page, ItemPointerGetOffsetNumber(tid))));
	UnlockReleaseBuffer(buffer);
	return heap_only;
}

/* Enter a version in the index of a key. */
static void
enter(ResultRelInfo *table, int key, EState *estate, TupleTableSlot *slot)
{
	IndexInfo  *info = table->ri_IndexRelationInfo[key];
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	FormIndexDatum(info, slot, estate, values, nulls);
	(void) index_insert(table->ri_IndexRelationDescs[key], values, nulls, &slot->tts_tid,
						table->ri_RelationDesc, UNIQUE_CHECK_NO, true, info);
}

void
dp_budget_update_row(ResultRelInfo *table, EState *estate, TupleTableSlot *found,
					 TupleTableSlot *changed)
{
	Bitmapset  *keys = own_keys(table, found, changed);
	int			key = -1;

	/* The executor leaves an index alone that is not ready. */
	while ((key = bms_next_member(keys, key)) >= 0)
		table->ri_IndexRelationInfo[key]->ii_ReadyForInserts = false;
	ExecSimpleRelationUpdate(table, estate, NULL, found, changed);
	key = -1;
	while ((key = bms_next_member(keys, key)) >= 0)
		table->ri_IndexRelationInfo[key]->ii_ReadyForInserts = true;
	if (is_heap_only(table->ri_RelationDesc, &changed->tts_tid))
		return;
	key = -1;
	while ((key = bms_next_member(keys, key)) >= 0)
		enter(table, key, estate, changed);
}

/* So many rows that this keeper left are remembered, one of all with the same remainder. */
#define DP_LEFT 1024

typedef struct DpLeft
{
	Oid			role;
	ItemPointerData tid;		/* invalid if there is none */
	TransactionId xid;			/* that left it there */
	char		dataset[NAMEDATALEN];
} DpLeft;

/* Parts of a row that may be remembered. */
static DpLeft *
left_of(Oid role, const char *dataset)
{
	static DpLeft left[DP_LEFT];

	return &left[hash_bytes_extended((const unsigned char *) dataset, strlen(dataset), role) % DP_LEFT];
}

/* Is it this one's? */
static bool
is_remembered(const DpLeft *left, Oid role, const char *dataset)
{
	return ItemPointerIsValid(&left->tid) && left->role == role &&
		strcmp(left->dataset, dataset) == 0;
}

static uint64
place_key(Relation budget, Oid role, const char *dataset)
{
	return dp_budget_place_key(budget, role, dataset, strlen(dataset));
}

/* Start a scan for the row of (role, dataset) by the primary key. */
static SysScanDesc
begin_scan(Relation budget, Snapshot snapshot, Oid role, const char *dataset)
{
	ScanKeyData key[2];

	ScanKeyInit(&key[0], DP_BUDGET_ROLE + 1, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
	ScanKeyInit(&key[1], DP_BUDGET_DATASET + 1, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(dataset));
	return systable_beginscan(budget, dp_compat_primary_key(budget), true,
							  snapshot, lengthof(key), key);
}

bool
dp_budget_tid_is_of(TupleTableSlot *slot, Oid role, const char *dataset)
{
	bool		no_role;
	bool		no_dataset;
	Datum		its_role = slot_getattr(slot, DP_BUDGET_ROLE + 1, &no_role);
	Datum		its_dataset = slot_getattr(slot, DP_BUDGET_DATASET + 1, &no_dataset);

	return !no_role && !no_dataset && DatumGetObjectId(its_role) == role &&
		strcmp(TextDatumGetCString(its_dataset), dataset) == 0;
}

/*
 * Make room on a page for the row's next version, as an index scan would: else
 * the row would move on from page to page, and the table grow, until a vacuum.
 */
static void
prune(Relation budget, BlockNumber block)
{
	Buffer		buffer = ReadBuffer(budget, block);

	dp_compat_prune(budget, buffer);
	ReleaseBuffer(buffer);
}

/* Is the row still where it was left?  There is one row of a key, so it is the one. */
static bool
find_remembered(Relation budget, Oid role, const char *dataset, TupleTableSlot *slot,
				ItemPointer tid)
{
	DpLeft	   *left = left_of(role, dataset);

	if (!is_remembered(left, role, dataset) ||
		ItemPointerGetBlockNumber(&left->tid) >= RelationGetNumberOfBlocks(budget))
		return false;
	prune(budget, ItemPointerGetBlockNumber(&left->tid));
	if (!table_tuple_fetch_row_version(budget, &left->tid, GetActiveSnapshot(), slot))
		return false;
	*tid = left->tid;
	return dp_budget_tid_is_of(slot, role, dataset);
}

/* Is it at the place that all know of? */
static bool
find_at_place(Relation budget, Snapshot snapshot, Oid role, const char *dataset,
			  TupleTableSlot *slot)
{
	return dp_budget_place_fetch(budget, place_key(budget, role, dataset), snapshot, slot) &&
		dp_budget_tid_is_of(slot, role, dataset);
}

/* The row by the primary key, copied; NULL if there is none. */
static HeapTuple
find_by_key(Relation budget, Snapshot snapshot, Oid role, const char *dataset)
{
	SysScanDesc scan = begin_scan(budget, snapshot, role, dataset);
	HeapTuple	tuple = systable_getnext(scan);

	if (HeapTupleIsValid(tuple))
		tuple = heap_copytuple(tuple);
	systable_endscan(scan);
	return tuple;
}

HeapTuple
dp_budget_tid_read(Relation budget, Snapshot snapshot, Oid role, const char *dataset)
{
	TupleTableSlot *slot = table_slot_create(budget, NULL);
	HeapTuple	tuple = find_at_place(budget, snapshot, role, dataset, slot) ?
		ExecCopySlotHeapTuple(slot) : NULL;

	ExecDropSingleTupleTableSlot(slot);
	if (tuple == NULL)
		tuple = find_by_key(budget, snapshot, role, dataset);
	if (tuple != NULL)
		dp_budget_place_leave_newest(place_key(budget, role, dataset), tuple);
	return tuple;
}

/*
 * The place that is left for all to find is that of the version found, which is committed;
 * it leads on to the one that this transaction makes.
 */
bool
dp_budget_tid_find(Relation budget, Oid role, const char *dataset, TupleTableSlot *slot,
				   ItemPointer tid)
{
	HeapTuple	tuple;

	if (!find_remembered(budget, role, dataset, slot, tid))
	{
		if (find_at_place(budget, GetActiveSnapshot(), role, dataset, slot))
			*tid = slot->tts_tid;
		else if ((tuple = find_by_key(budget, GetActiveSnapshot(), role, dataset)) != NULL)
			*tid = tuple->t_self;
		else
			return false;
	}
	dp_budget_place_leave(place_key(budget, role, dataset), tid);
	return true;
}

void
dp_budget_tid_remember(Oid role, const char *dataset, const ItemPointerData *tid)
{
	DpLeft	   *left = left_of(role, dataset);

	left->role = role;
	strlcpy(left->dataset, dataset, NAMEDATALEN);
	left->tid = *tid;
	left->xid = GetCurrentTransactionId();
}

bool
dp_budget_tid_is_left(Oid role, const char *dataset, TupleTableSlot *slot)
{
	DpLeft	   *left = left_of(role, dataset);
	bool		null;
	Datum		xmin = slot_getsysattr(slot, MinTransactionIdAttributeNumber, &null);

	return is_remembered(left, role, dataset) &&
		ItemPointerEquals(&left->tid, &slot->tts_tid) &&
		TransactionIdIsNormal(left->xid) &&
		left->xid == DatumGetTransactionId(xmin);
}

/*
 * Going through the rows of the budget table, without their old versions.
 */

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
