/*
 * row_tid.c
 *	  Finding a row of the budget table.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "budget/queue/row_hint.h"
#include "budget/rows/row.h"
#include "budget/account/row_tid.h"
#include "base/compat.h"

/* So many rows that this keeper left are remembered, one of all with the same remainder. */
#define DP_LEFT 1024

typedef struct DpLeft
{
	Oid			role;
	ItemPointerData tid;		/* invalid if there is none */
	TransactionId xid;			/* that left it there */
	char		dataset[NAMEDATALEN];
} DpLeft;

/* What may be remembered of a row. */
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
