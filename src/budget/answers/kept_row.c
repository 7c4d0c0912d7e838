/*
 * kept_row.c
 *	  Finding rows of the table of kept answers, without their old versions.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/itup.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "budget/answers/kept_row.h"
#include "budget/queue/row_hint.h"
#include "budget/account/own_index.h"
#include "base/compat.h"

/* An index leads to a question many times if its row has versions: after so many skip to the next. */
#define DP_SAME 32

/* Bytes as a bytea. */
static Datum
bytea_datum(const uint8 *bytes, Size size)
{
	bytea	   *result = palloc(VARHDRSZ + size);

	SET_VARSIZE(result, VARHDRSZ + size);
	memcpy(VARDATA(result), bytes, size);
	return PointerGetDatum(result);
}

/* Is a value these bytes of a digest? */
static bool
is_digest(Datum value, const uint8 *digest)
{
	bytea	   *bytes = DatumGetByteaPP(value);

	return VARSIZE_ANY_EXHDR(bytes) == DP_QUESTION_BYTES &&
		memcmp(VARDATA_ANY(bytes), digest, DP_QUESTION_BYTES) == 0;
}

static uint64
place_key(Relation table, int64 budget, const uint8 *question)
{
	return dp_budget_place_key(table, budget, question, DP_QUESTION_BYTES);
}

/* Is the row at the place that all know of?  It is believed only if it is this one. */
static bool
find_at_place(Relation table, Snapshot snapshot, int64 budget, const uint8 *question, TupleTableSlot *slot)
{
	bool		null;

	return dp_budget_place_fetch(table, place_key(table, budget, question), snapshot, slot) &&
		DatumGetInt64(slot_getattr(slot, DP_KEPT_BUDGET + 1, &null)) == budget &&
		is_digest(slot_getattr(slot, DP_KEPT_QUESTION + 1, &null), question);
}

static bool
find_by_key(Relation table, Snapshot snapshot, int64 budget, const uint8 *question, TupleTableSlot *slot)
{
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found;

	ScanKeyInit(&key[0], DP_KEPT_BUDGET + 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(budget));
	ScanKeyInit(&key[1], DP_KEPT_QUESTION + 1, BTEqualStrategyNumber, F_BYTEAEQ,
				bytea_datum(question, DP_QUESTION_BYTES));
	scan = systable_beginscan(table, dp_compat_primary_key(table), true, snapshot, lengthof(key), key);
	tuple = systable_getnext(scan);
	found = HeapTupleIsValid(tuple) &&
		table_tuple_fetch_row_version(table, &tuple->t_self, snapshot, slot);
	systable_endscan(scan);
	return found;
}

/* Leave the place of a row that was found.  If this transaction wrote it, it may go back. */
static void
leave(Relation table, int64 budget, const uint8 *question, TupleTableSlot *slot)
{
	bool		should_free;
	HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);

	if (!TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)))
		dp_budget_place_leave_newest(place_key(table, budget, question), tuple);
	if (should_free)
		heap_freetuple(tuple);
}

bool
dp_budget_kept_row_find(Relation table, Snapshot snapshot, int64 budget, const uint8 *question,
						TupleTableSlot *slot)
{
	if (!find_at_place(table, snapshot, budget, question, slot) &&
		!find_by_key(table, snapshot, budget, question, slot))
		return false;
	leave(table, budget, question, slot);
	return true;
}

static Relation
open_base(Relation table)
{
	static const AttrNumber column[] = {DP_KEPT_BUDGET + 1, DP_KEPT_BASE + 1, DP_KEPT_QUESTION + 1};

	return dp_budget_own_index_named(table, "answer_base", column, lengthof(column), false);
}

static Relation
open_key(Relation table)
{
	static const AttrNumber column[] = {DP_KEPT_BUDGET + 1, DP_KEPT_QUESTION + 1};

	return dp_budget_own_index_open(table, dp_compat_primary_key(table), column, lengthof(column), true, "answer_pkey");
}

/* Go on behind the question that the walk has come to, if to any. */
static void
seek(DpKeptWalk *walk)
{
	ScanKeyData key[3];
	int			keys = 0;

	ScanKeyInit(&key[keys++], 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(walk->budget));
	if (walk->base)
		ScanKeyInit(&key[keys++], 2, BTEqualStrategyNumber, F_BYTEAEQ,
					bytea_datum(walk->base, DP_QUESTION_BYTES));
	ScanKeyInit(&key[keys], keys + 1, BTGreaterStrategyNumber, F_BYTEAGT,
				bytea_datum(walk->question, walk->begun ? DP_QUESTION_BYTES : 0));
	index_rescan(walk->scan, key, keys + 1, NULL, 0);
	walk->same = 0;
}

void
dp_budget_kept_walk_begin(DpKeptWalk *walk, Relation table, Snapshot snapshot, int64 budget, const uint8 *base)
{
	memset(walk, 0, sizeof(*walk));
	walk->table = table;
	walk->snapshot = snapshot;
	walk->budget = budget;
	walk->base = base;
	walk->index = base ? open_base(table) : open_key(table);
	walk->scan = dp_compat_begin_index_scan(table, walk->index, snapshot, base ? 3 : 2);
	walk->scan->xs_want_itup = true;
	walk->slot = table_slot_create(table, NULL);
	seek(walk);
}

/* Come to the question of an entry of the index; false if the walk is there already, or it is none. */
static bool
come_to(DpKeptWalk *walk)
{
	bool		null;
	Datum		value = index_getattr(walk->scan->xs_itup, walk->base ? 3 : 2, walk->scan->xs_itupdesc, &null);
	bytea	   *question = DatumGetByteaPP(value);

	if (VARSIZE_ANY_EXHDR(question) != DP_QUESTION_BYTES ||
		(walk->begun && is_digest(value, walk->question)))
		return false;
	memcpy(walk->question, VARDATA_ANY(question), DP_QUESTION_BYTES);
	walk->begun = true;
	walk->same = 0;
	return true;
}

static bool
next_question(DpKeptWalk *walk)
{
	while (index_getnext_tid(walk->scan, ForwardScanDirection) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (come_to(walk))
			return true;
		if (walk->begun && ++walk->same == DP_SAME)
			seek(walk);
	}
	return false;
}

/* Is the row in the slot of the base that is looked for?  A later version may be of another. */
static bool
is_of_base(const DpKeptWalk *walk)
{
	bool		null;

	return walk->base == NULL ||
		is_digest(slot_getattr(walk->slot, DP_KEPT_BASE + 1, &null), walk->base);
}

bool
dp_budget_kept_walk_next(DpKeptWalk *walk)
{
	while (next_question(walk))
		if ((index_fetch_heap(walk->scan, walk->slot) ||
			 dp_budget_kept_row_find(walk->table, walk->snapshot, walk->budget, walk->question, walk->slot)) &&
			is_of_base(walk))
			return true;
	return false;
}

void
dp_budget_kept_walk_end(DpKeptWalk *walk)
{
	ExecDropSingleTupleTableSlot(walk->slot);
	index_endscan(walk->scan);
	index_close(walk->index, AccessShareLock);
}
