/*
 * kept_table.c
 *	  The table of kept answers: its columns, opening it, finding and making its rows.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
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

#include "budget/chain.h"
#include "budget/kept_table.h"
#include "budget/store.h"
#include "budget/update.h"
#include "compat.h"

/* What a row takes beside its answer and its text. */
#define DP_KEPT_ROW_BYTES 256

/* So many places are remembered. */
#define DP_KEPT_PLACES 64

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
	Oid			relid = dp_budget_store_answer(false);
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
	Oid			relid = dp_budget_store_answer(true);
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

SysScanDesc
dp_budget_kept_table_scan(Relation table, Snapshot snapshot, int64 budget, const uint8 *question)
{
	ScanKeyData key[2];

	ScanKeyInit(&key[0], DP_KEPT_BUDGET + 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(budget));
	ScanKeyInit(&key[1], DP_KEPT_QUESTION + 1, BTEqualStrategyNumber, F_BYTEAEQ,
				PointerGetDatum(make_bytea(question, DP_QUESTION_BYTES)));
	return systable_beginscan(table, dp_compat_primary_key(table), true, snapshot, lengthof(key), key);
}

/* An index of answers by budget and another column. */
static Relation
open_index(Relation table, const char *name, AttrNumber column)
{
	Oid			relid = get_relname_relid(name, RelationGetNamespace(table));
	Relation	index = OidIsValid(relid) ? index_open(relid, AccessShareLock) : NULL;

	if (index == NULL || index->rd_index->indrelid != RelationGetRelid(table) ||
		!index->rd_index->indisvalid || index->rd_index->indnkeyatts != 2 ||
		index->rd_index->indkey.values[0] != DP_KEPT_BUDGET + 1 ||
		index->rd_index->indkey.values[1] != column)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" of table \"%s\" is not as extension \"%s\" made it",
						name, RelationGetRelationName(table), "dp_agg")));
	return index;
}

SysScanDesc
dp_budget_kept_table_scan_by_age(Relation table, Snapshot snapshot, int64 budget, Relation *index)
{
	ScanKeyData key;

	*index = open_index(table, "answer_age", DP_KEPT_ASKED_AT + 1);
	ScanKeyInit(&key, DP_KEPT_BUDGET + 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(budget));
	return systable_beginscan_ordered(table, *index, snapshot, 1, &key);
}

SysScanDesc
dp_budget_kept_table_scan_by_base(Relation table, Snapshot snapshot, int64 budget, const uint8 *base,
								  Relation *index)
{
	ScanKeyData key[2];

	*index = open_index(table, "answer_base", DP_KEPT_BASE + 1);
	ScanKeyInit(&key[0], DP_KEPT_BUDGET + 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(budget));
	ScanKeyInit(&key[1], DP_KEPT_BASE + 1, BTEqualStrategyNumber, F_BYTEAEQ,
				PointerGetDatum(make_bytea(base, DP_QUESTION_BYTES)));
	return systable_beginscan_ordered(table, *index, snapshot, lengthof(key), key);
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

/* Is the row in the table's other slot the answer to the same question? */
static bool
answers_same(DpKeptTable *table, const DpKeptAnswer *answer)
{
	bool		null;
	bytea	   *question;

	if (DatumGetInt64(slot_getattr(table->found, DP_KEPT_BUDGET + 1, &null)) != answer->budget)
		return false;
	question = DatumGetByteaPP(slot_getattr(table->found, DP_KEPT_QUESTION + 1, &null));
	return VARSIZE_ANY_EXHDR(question) == DP_QUESTION_BYTES &&
		memcmp(VARDATA_ANY(question), answer->question, DP_QUESTION_BYTES) == 0;
}

/* Where the keeper left the last answer to such a question; a digest is as good as a hash. */
static ItemPointer
place_of(const DpKeptAnswer *answer)
{
	static ItemPointerData places[DP_KEPT_PLACES];

	return &places[answer->question[0] % DP_KEPT_PLACES];
}

/*
 * Find the answer to the same question, in the table's other slot.  A question that is asked
 * again and again has many versions, which an index leads past, so its last place is looked
 * at first.  It is believed only if the answer is there: it may be another's by now.
 */
static bool
find_answer(DpKeptTable *table, const DpKeptAnswer *answer, ItemPointer tid)
{
	Relation	relation = table->info->ri_RelationDesc;
	SysScanDesc scan;
	HeapTuple	tuple;

	*tid = *place_of(answer);
	if (ItemPointerIsValid(tid) && ItemPointerGetBlockNumber(tid) < RelationGetNumberOfBlocks(relation) &&
		table_tuple_fetch_row_version(relation, tid, GetActiveSnapshot(), table->found) &&
		answers_same(table, answer))
		return true;
	scan = dp_budget_kept_table_scan(relation, GetActiveSnapshot(), answer->budget, answer->question);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		*tid = tuple->t_self;
	systable_endscan(scan);
	return HeapTupleIsValid(tuple) &&
		table_tuple_fetch_row_version(relation, tid, GetActiveSnapshot(), table->found);
}

void
dp_budget_kept_table_put(DpKeptTable *table, const DpKeptAnswer *answer)
{
	ItemPointerData tid;
	bool		there = find_answer(table, answer, &tid);
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
	*place_of(answer) = table->slot->tts_tid;
	ResetPerTupleExprContext(table->estate);
}

bool
dp_budget_kept_table_delete(DpKeptTable *table, HeapTuple tuple)
{
	bool		there = lock_at(table, &tuple->t_self, LockTupleExclusive);

	if (there)
		ExecSimpleRelationDelete(table->info, table->estate, NULL, table->found);
	return there;
}

void
dp_budget_kept_table_count(DpKeptTable *table, HeapTuple tuple, int64 replays)
{
	TupleTableSlot *slot = table->slot;
	int			columns = slot->tts_tupleDescriptor->natts;

	if (!lock_at(table, &tuple->t_self, LockTupleNoKeyExclusive))
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
dp_budget_kept_table_size(Relation table, HeapTuple tuple)
{
	bool		null;
	Datum		released = heap_getattr(tuple, DP_KEPT_RELEASED + 1, RelationGetDescr(table), &null);
	Datum		asked = heap_getattr(tuple, DP_KEPT_ASKED + 1, RelationGetDescr(table), &null);

	Datum		shape = heap_getattr(tuple, DP_KEPT_SHAPE + 1, RelationGetDescr(table), &null);

	return dp_budget_kept_size(toast_raw_datum_size(released), toast_raw_datum_size(asked),
							   toast_raw_datum_size(shape));
}
