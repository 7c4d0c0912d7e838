/*
 * row_tid.c
 *	  Finding a row of the budget table.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "budget/row.h"
#include "budget/row_tid.h"
#include "compat.h"

/* So many places are remembered, one of all roles with the same remainder. */
#define DP_PLACES 64

static struct
{
	Oid			role;
	ItemPointerData tid;		/* invalid if there is none */
	TransactionId xid;			/* that left it there */
	char		dataset[NAMEDATALEN];
}			places[DP_PLACES];

SysScanDesc
dp_budget_tid_scan(Relation budget, Snapshot snapshot, Oid role, const char *dataset)
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

	heap_page_prune_opt(budget, buffer);
	ReleaseBuffer(buffer);
}

/* Is the row still where it was left?  There is one row of a key, so it is the one. */
static bool
find_remembered(Relation budget, Oid role, const char *dataset, TupleTableSlot *slot,
				ItemPointer tid)
{
	int			i = role % DP_PLACES;

	if (!ItemPointerIsValid(&places[i].tid) || places[i].role != role ||
		strcmp(places[i].dataset, dataset) != 0 ||
		ItemPointerGetBlockNumber(&places[i].tid) >= RelationGetNumberOfBlocks(budget))
		return false;
	prune(budget, ItemPointerGetBlockNumber(&places[i].tid));
	if (!table_tuple_fetch_row_version(budget, &places[i].tid, GetActiveSnapshot(), slot))
		return false;
	*tid = places[i].tid;
	return dp_budget_tid_is_of(slot, role, dataset);
}

bool
dp_budget_tid_find(Relation budget, Oid role, const char *dataset, TupleTableSlot *slot,
				   ItemPointer tid)
{
	SysScanDesc scan;
	HeapTuple	tuple;

	if (find_remembered(budget, role, dataset, slot, tid))
		return true;
	scan = dp_budget_tid_scan(budget, GetActiveSnapshot(), role, dataset);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		*tid = tuple->t_self;
	systable_endscan(scan);
	return HeapTupleIsValid(tuple);
}

void
dp_budget_tid_remember(Oid role, const char *dataset, const ItemPointerData *tid)
{
	int			i = role % DP_PLACES;

	places[i].role = role;
	strlcpy(places[i].dataset, dataset, NAMEDATALEN);
	places[i].tid = *tid;
	places[i].xid = GetCurrentTransactionId();
}

bool
dp_budget_tid_is_left(Oid role, const char *dataset, TupleTableSlot *slot)
{
	int			i = role % DP_PLACES;
	bool		null;
	Datum		xmin = slot_getsysattr(slot, MinTransactionIdAttributeNumber, &null);

	return places[i].role == role && strcmp(places[i].dataset, dataset) == 0 &&
		ItemPointerEquals(&places[i].tid, &slot->tts_tid) &&
		TransactionIdIsNormal(places[i].xid) &&
		places[i].xid == DatumGetTransactionId(xmin);
}
