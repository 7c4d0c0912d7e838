/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_table.c
 *	  The table of kept answers: its columns, opening it, finding and making its rows.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/itup.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat_catalog.h"
#include "base/compat_varlena.h"
#include "budget/account/own_index.h"
#include "budget/account/row_tid.h"
#include "budget/account/store.h"
#include "budget/kept/kept_table.h"
#include "budget/queue/row_hint.h"
#include "budget/rows/chain.h"

/*
 * Finding rows of the table of kept answers, without their old versions.
 */

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

	return dp_budget_own_index_named(table, "kept_answer_base", column, lengthof(column), false);
}

static Relation
open_key(Relation table)
{
	static const AttrNumber column[] = {DP_KEPT_BUDGET + 1, DP_KEPT_QUESTION + 1};

	return dp_budget_own_index_open(table, dp_compat_primary_key(table), column, lengthof(column), true, "kept_answer_pkey");
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

/* Size of a row beside its answer and its text. */
#define DP_KEPT_ROW_BYTES 256

const Oid	dp_budget_kept_types[DP_KEPT_COLUMNS] = {
	[DP_KEPT_BUDGET] = INT8OID,
	[DP_KEPT_QUESTION] = BYTEAOID,
	[DP_KEPT_ASKED_AT] = TIMESTAMPTZOID,
	[DP_KEPT_ASKED] = TEXTOID,
	[DP_KEPT_RELATIONS] = TEXTARRAYOID,
	[DP_KEPT_ROWS] = INT4OID,
	[DP_KEPT_REPLAYS] = INT8OID,
	[DP_KEPT_ENTRY] = INT8OID,
	[DP_KEPT_RELEASED] = BYTEAOID,
	[DP_KEPT_HASH] = BYTEAOID,
	[DP_KEPT_BASE] = BYTEAOID,
	[DP_KEPT_SHAPE] = BYTEAOID
};

static bool
lock_table(Oid relid, bool wait)
{
	if (wait)
		LockRelationOid(relid, RowExclusiveLock);
	return wait || ConditionalLockRelationOid(relid, RowExclusiveLock);
}

bool
dp_budget_kept_table_open(DpKeptTable *table, bool wait)
{
	Oid			relid = dp_budget_store_kept(false);
	TupleDesc	desc;

	if (!lock_table(relid, wait))
		return false;
	table->wait = wait;
	PushActiveSnapshot(GetLatestSnapshot());
	table->estate = CreateExecutorState();
	table->info = dp_budget_store_open_for_write(table->estate, relid, dp_budget_kept_types,
												 DP_KEPT_COLUMNS);
	desc = RelationGetDescr(table->info->ri_RelationDesc);
	table->slot = ExecInitExtraTupleSlot(table->estate, desc, &TTSOpsVirtual);
	table->found = table_slot_create(table->info->ri_RelationDesc, &table->estate->es_tupleTable);
	GetUserIdAndSecContext(&table->save_user, &table->save_context);
	SetUserIdAndSecContext(table->info->ri_RelationDesc->rd_rel->relowner,
						   table->save_context | SECURITY_RESTRICTED_OPERATION);
	table->save_nest = NewGUCNestLevel();
	return true;
}

void
dp_budget_kept_table_close(DpKeptTable *table)
{
	AtEOXact_GUC(false, table->save_nest);
	SetUserIdAndSecContext(table->save_user, table->save_context);
	ExecResetTupleTable(table->estate->es_tupleTable, false);
	ExecCloseIndices(table->info);
	table_close(table->info->ri_RelationDesc, NoLock);
	FreeExecutorState(table->estate);
	PopActiveSnapshot();
}

void
dp_budget_kept_table_step(void)
{
	CommandCounterIncrement();
	UpdateActiveSnapshotCommandId();
}

Relation
dp_budget_kept_table_read(void)
{
	Oid			relid = dp_budget_store_kept(true);
	Relation	table;

	if (!OidIsValid(relid) || !ConditionalLockRelationOid(relid, AccessShareLock))
		return NULL;
	table = try_table_open(relid, NoLock);
	if (table != NULL && dp_budget_store_is_as_made(table, dp_budget_kept_types, DP_KEPT_COLUMNS))
		return table;
	if (table != NULL)
		table_close(table, NoLock);
	UnlockRelationOid(relid, AccessShareLock);
	return NULL;
}

/* Bytes as a bytea. */
static bytea *
make_bytea(const uint8 *bytes, Size size)
{
	bytea	   *result = palloc(VARHDRSZ + size);

	SET_VARSIZE(result, VARHDRSZ + size);
	memcpy(VARDATA(result), bytes, size);
	return result;
}

/* A value that the chain knows no type of, as text. */
static Datum
as_text(Oid function, Datum value)
{
	return CStringGetTextDatum(OidOutputFunctionCall(function, value));
}

/* Bytes of any length as text. */
static Datum
digest_text(Datum bytes)
{
	return DirectFunctionCall2(binary_encode, DirectFunctionCall1(sha256_bytea, bytes),
							   CStringGetTextDatum("hex"));
}

void
dp_budget_kept_table_hash(const Datum *values, const uint8 *charge, uint8 *hash)
{
	static const Oid types[] = {INT8OID, TEXTOID, TIMESTAMPTZOID, TEXTOID, TEXTOID, INT8OID, INT8OID, TEXTOID,
	TEXTOID, TEXTOID};
	static const bool nulls[lengthof(types)] = {false};
	Datum		columns[lengthof(types)] = {
		values[DP_KEPT_BUDGET],
		digest_text(values[DP_KEPT_QUESTION]),
		values[DP_KEPT_ASKED_AT],
		values[DP_KEPT_ASKED],
		as_text(F_ARRAY_OUT, values[DP_KEPT_RELATIONS]),
		Int64GetDatum(DatumGetInt32(values[DP_KEPT_ROWS])),
		values[DP_KEPT_ENTRY],
		digest_text(values[DP_KEPT_RELEASED]),
		digest_text(values[DP_KEPT_BASE]),
		digest_text(values[DP_KEPT_SHAPE])
	};

	dp_budget_chain_hash(charge, lengthof(types), types, columns, nulls, NULL, hash);
}

static Datum
relations_array(const List *relations)
{
	Datum	   *names = palloc(Max(list_length(relations), 1) * sizeof(Datum));
	ListCell   *lc;

	foreach(lc, relations)
		names[foreach_current_index(lc)] = CStringGetTextDatum(lfirst(lc));
	return PointerGetDatum(construct_array(names, list_length(relations), TEXTOID, -1, false,
										   TYPALIGN_INT));
}

/* Fill the table's slot with an answer. */
static void
fill_slot(TupleTableSlot *slot, const DpKeptAnswer *answer)
{
	Datum	   *values = slot->tts_values;
	uint8		hash[DP_CHAIN_BYTES];

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	memset(slot->tts_isnull, false, DP_KEPT_COLUMNS * sizeof(bool));
	values[DP_KEPT_BUDGET] = Int64GetDatum(answer->budget);
	values[DP_KEPT_QUESTION] = PointerGetDatum(make_bytea(answer->question, DP_QUESTION_BYTES));
	values[DP_KEPT_ASKED_AT] = TimestampTzGetDatum(answer->receipt.at);
	values[DP_KEPT_ASKED] = CStringGetTextDatum(answer->asked);
	values[DP_KEPT_RELATIONS] = relations_array(answer->relations);
	values[DP_KEPT_ROWS] = Int32GetDatum(answer->rows);
	values[DP_KEPT_REPLAYS] = Int64GetDatum(0);
	values[DP_KEPT_ENTRY] = Int64GetDatum(answer->receipt.entry);
	values[DP_KEPT_RELEASED] = PointerGetDatum(answer->released);
	values[DP_KEPT_BASE] = PointerGetDatum(make_bytea(answer->base, answer->shape ? DP_QUESTION_BYTES : 0));
	values[DP_KEPT_SHAPE] = PointerGetDatum(answer->shape ? answer->shape : make_bytea(answer->base, 0));
	dp_budget_kept_table_hash(values, answer->receipt.hash, hash);
	values[DP_KEPT_HASH] = PointerGetDatum(make_bytea(hash, DP_CHAIN_BYTES));
	ExecStoreVirtualTuple(slot);
}

/* Lock a row, and have it in the table's other slot; false if it cannot be had. */
static bool
lock_at(DpKeptTable *table, ItemPointer tid, LockTupleMode mode)
{
	TM_FailureData failure;

	return table_tuple_lock(table->info->ri_RelationDesc, tid, GetActiveSnapshot(),
							table->found, GetCurrentCommandId(false), mode,
							table->wait ? LockWaitBlock : LockWaitSkip,
							TUPLE_LOCK_FLAG_FIND_LAST_VERSION, &failure) == TM_Ok;
}

void
dp_budget_kept_table_put(DpKeptTable *table, const DpKeptAnswer *answer)
{
	Relation	relation = table->info->ri_RelationDesc;
	bool		there = dp_budget_kept_row_find(relation, GetActiveSnapshot(), answer->budget,
												answer->question, table->found);
	ItemPointerData tid = table->found->tts_tid;
	bool		null;

	if (there &&
		(DatumGetTimestampTz(slot_getattr(table->found, DP_KEPT_ASKED_AT + 1, &null)) > answer->receipt.at ||
		 !lock_at(table, &tid, LockTupleNoKeyExclusive)))
		return;
	fill_slot(table->slot, answer);
	if (there)
		dp_budget_update_row(table->info, table->estate, table->found, table->slot);
	else
		ExecSimpleRelationInsert(table->info, table->estate, table->slot);
	ResetPerTupleExprContext(table->estate);
}

bool
dp_budget_kept_table_delete(DpKeptTable *table, const ItemPointerData *tid)
{
	ItemPointerData last = *tid;
	bool		there = lock_at(table, &last, LockTupleExclusive);

	if (there)
		ExecSimpleRelationDelete(table->info, table->estate, NULL, table->found);
	return there;
}

void
dp_budget_kept_table_count(DpKeptTable *table, int64 budget, const uint8 *question, int64 replays)
{
	Relation	relation = table->info->ri_RelationDesc;
	bool		there = dp_budget_kept_row_find(relation, GetActiveSnapshot(), budget, question, table->found);
	ItemPointerData tid = table->found->tts_tid;
	TupleTableSlot *slot = table->slot;
	int			columns = slot->tts_tupleDescriptor->natts;

	if (!there || !lock_at(table, &tid, LockTupleNoKeyExclusive))
		return;
	slot_getallattrs(table->found);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, table->found->tts_values, columns * sizeof(Datum));
	memcpy(slot->tts_isnull, table->found->tts_isnull, columns * sizeof(bool));
	slot->tts_values[DP_KEPT_REPLAYS] =
		Int64GetDatum(DatumGetInt64(slot->tts_values[DP_KEPT_REPLAYS]) + replays);
	ExecStoreVirtualTuple(slot);
	dp_budget_update_row(table->info, table->estate, table->found, slot);
	ResetPerTupleExprContext(table->estate);
}

Size
dp_budget_kept_size(Size released, Size asked, Size shape)
{
	return DP_KEPT_ROW_BYTES + released + asked + shape;
}

Size
dp_budget_kept_table_size(TupleTableSlot *slot)
{
	bool		null;
	Datum		released = slot_getattr(slot, DP_KEPT_RELEASED + 1, &null);
	Datum		asked = slot_getattr(slot, DP_KEPT_ASKED + 1, &null);
	Datum		shape = slot_getattr(slot, DP_KEPT_SHAPE + 1, &null);

	return dp_budget_kept_size(toast_raw_datum_size(released), toast_raw_datum_size(asked),
							   toast_raw_datum_size(shape));
}
