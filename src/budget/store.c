/*
 * store.c
 *	  The budget and ledger tables: finding, locking and writing their rows.
 *
 * Lock order: budget table, ledger table, budget rows; none is waited for.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "commands/sequence.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "budget/row.h"
#include "budget/store.h"

/* Where the tables are, until one of them changes. */
static struct
{
	bool		valid;
	Oid			budget;
	Oid			ledger;
	Oid			sequence;
}			catalog;

static void
forget_tables(Datum arg, Oid relid)
{
	if (relid == InvalidOid || relid == catalog.budget ||
		relid == catalog.ledger || relid == catalog.sequence)
		catalog.valid = false;
}

/* A relation of the extension by name; never one that only bears its name. */
static Oid
extension_relation(Oid extension, Oid schema, const char *name)
{
	Oid			relid = get_relname_relid(name, schema);

	if (!OidIsValid(relid) ||
		getExtensionOfObject(RelationRelationId, relid) != extension)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension \"%s\" has no relation \"%s.%s\"",
						"dp_agg", "dp_agg", name)));
	return relid;
}

static void
find_tables(void)
{
	static bool registered = false;
	Oid			extension = get_extension_oid("dp_agg", true);
	Oid			schema = get_namespace_oid("dp_agg", true);

	if (!OidIsValid(extension) || !OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension \"%s\" is not installed in this database", "dp_agg")));
	if (!registered)
	{
		CacheRegisterRelcacheCallback(forget_tables, (Datum) 0);
		registered = true;
	}
	catalog.budget = extension_relation(extension, schema, "budget");
	catalog.ledger = extension_relation(extension, schema, "ledger");
	catalog.sequence = extension_relation(extension, schema, "ledger_id_seq");
	catalog.valid = true;
}

/* Lock both tables without waiting; false if somebody else has. */
static bool
lock_tables(LOCKMODE mode)
{
	do
	{
		if (!catalog.valid)
			find_tables();
		if (!ConditionalLockRelationOid(catalog.budget, mode) ||
			!ConditionalLockRelationOid(catalog.ledger, mode))
			return false;
	} while (!catalog.valid);	/* changed before we had the locks */
	return true;
}

/* Refuse a table that is no longer as the extension made it. */
static void
check_table(Relation relation, const Oid *types, int columns)
{
	TupleDesc	desc = RelationGetDescr(relation);
	bool		good = relation->rd_rel->relkind == RELKIND_RELATION &&
		relation->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT &&
		desc->natts >= columns;

	for (int i = 0; good && i < columns; i++)
		good = TupleDescAttr(desc, i)->atttypid == types[i];
	if (!good)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is not as extension \"%s\" made it",
						RelationGetRelationName(relation), "dp_agg")));
}

/* Prepare a locked table for rows to be written to it; no trigger will fire. */
static ResultRelInfo *
open_for_write(EState *estate, Oid relid, const Oid *types, int columns)
{
	ResultRelInfo *info = makeNode(ResultRelInfo);
	Relation	relation = table_open(relid, NoLock);

	check_table(relation, types, columns);
	InitResultRelInfo(info, relation, 0, NULL, 0);
	info->ri_TrigDesc = NULL;
	ExecOpenIndices(info, false);
	return info;
}

bool
dp_budget_store_open(DpStore *store)
{
	Relation	budget;

	if (!lock_tables(RowExclusiveLock))
		return false;

	store->estate = CreateExecutorState();
	store->budget = open_for_write(store->estate, catalog.budget,
								   dp_budget_row_types, DP_BUDGET_COLUMNS);
	store->ledger = open_for_write(store->estate, catalog.ledger,
								   dp_budget_ledger_types, DP_LEDGER_COLUMNS);
	store->sequence = catalog.sequence;

	budget = store->budget->ri_RelationDesc;
	store->found = table_slot_create(budget, &store->estate->es_tupleTable);
	store->changed = ExecInitExtraTupleSlot(store->estate, RelationGetDescr(budget),
											&TTSOpsVirtual);
	store->entry = ExecInitExtraTupleSlot(store->estate,
										  RelationGetDescr(store->ledger->ri_RelationDesc),
										  &TTSOpsVirtual);

	GetUserIdAndSecContext(&store->save_user, &store->save_context);
	SetUserIdAndSecContext(budget->rd_rel->relowner,
						   store->save_context | SECURITY_RESTRICTED_OPERATION);
	store->save_nest = NewGUCNestLevel();
	return true;
}

void
dp_budget_store_close(DpStore *store)
{
	AtEOXact_GUC(false, store->save_nest);
	SetUserIdAndSecContext(store->save_user, store->save_context);

	ExecResetTupleTable(store->estate->es_tupleTable, false);
	ExecCloseIndices(store->budget);
	ExecCloseIndices(store->ledger);
	table_close(store->budget->ri_RelationDesc, NoLock);
	table_close(store->ledger->ri_RelationDesc, NoLock);
	FreeExecutorState(store->estate);
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
	return systable_beginscan(budget, RelationGetPrimaryKeyIndex(budget), true,
							  snapshot, lengthof(key), key);
}

/* Where the row visible to the active snapshot is; false if there is none. */
static bool
find_row(Relation budget, Oid role, const char *dataset, ItemPointer tid)
{
	SysScanDesc scan = begin_scan(budget, GetActiveSnapshot(), role, dataset);
	HeapTuple	tuple = systable_getnext(scan);

	if (HeapTupleIsValid(tuple))
		*tid = tuple->t_self;
	systable_endscan(scan);
	return HeapTupleIsValid(tuple);
}

/* Does a row still belong to (role, dataset)?  Somebody may have changed it. */
static bool
same_key(TupleTableSlot *slot, Oid role, const char *dataset)
{
	return !slot->tts_isnull[DP_BUDGET_ROLE] && !slot->tts_isnull[DP_BUDGET_DATASET] &&
		DatumGetObjectId(slot->tts_values[DP_BUDGET_ROLE]) == role &&
		strcmp(TextDatumGetCString(slot->tts_values[DP_BUDGET_DATASET]), dataset) == 0;
}

static DpLookup
decode(const Datum *values, const bool *nulls, DpBudgetRow *row)
{
	return dp_budget_row_decode(values, nulls, row) ? DP_LOOKUP_FOUND : DP_LOOKUP_MALFORMED;
}

DpLookup
dp_budget_store_lock(DpStore *store, Oid role, const char *dataset, DpBudgetRow *row)
{
	Relation	budget = store->budget->ri_RelationDesc;
	ItemPointerData tid;
	TM_FailureData failure;
	TM_Result	result;

	/* A role that was dropped may still have a row, and a session. */
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)) ||
		!find_row(budget, role, dataset, &tid))
		return DP_LOOKUP_ABSENT;

	result = table_tuple_lock(budget, &tid, GetActiveSnapshot(), store->found,
							  GetCurrentCommandId(false), LockTupleNoKeyExclusive,
							  LockWaitSkip, TUPLE_LOCK_FLAG_FIND_LAST_VERSION, &failure);
	if (result == TM_WouldBlock || result == TM_Updated || result == TM_Deleted)
		return DP_LOOKUP_BUSY;
	if (result != TM_Ok)
		elog(ERROR, "unexpected status %d of a budget row", result);

	slot_getallattrs(store->found);
	if (!same_key(store->found, role, dataset))
		return DP_LOOKUP_BUSY;
	return decode(store->found->tts_values, store->found->tts_isnull, row);
}

/* Prepare a slot for as many columns as its table has, all null. */
static void
clear_slot(TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
}

void
dp_budget_store_update(DpStore *store, const DpBudgetRow *row)
{
	TupleTableSlot *found = store->found;
	TupleTableSlot *changed = store->changed;
	int			columns = changed->tts_tupleDescriptor->natts;

	clear_slot(changed);
	memcpy(changed->tts_values, found->tts_values, columns * sizeof(Datum));
	memcpy(changed->tts_isnull, found->tts_isnull, columns * sizeof(bool));
	dp_budget_row_encode(row, changed->tts_values, changed->tts_isnull);
	ExecStoreVirtualTuple(changed);

	ExecSimpleRelationUpdate(store->budget, store->estate, NULL, found, changed);
}

void
dp_budget_store_append(DpStore *store, const DpLedgerRow *row)
{
	TupleTableSlot *entry = store->entry;

	clear_slot(entry);
	dp_budget_row_encode_ledger(row, nextval_internal(store->sequence, false),
								entry->tts_values, entry->tts_isnull);
	ExecStoreVirtualTuple(entry);

	ExecSimpleRelationInsert(store->ledger, store->estate, entry);
	ResetPerTupleExprContext(store->estate);
}

DpLookup
dp_budget_store_peek(Oid role, const char *dataset, DpBudgetRow *row)
{
	DpLookup	result = DP_LOOKUP_ABSENT;
	Relation	budget;
	Snapshot	snapshot;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!catalog.valid)
		find_tables();
	budget = table_open(catalog.budget, AccessShareLock);
	check_table(budget, dp_budget_row_types, DP_BUDGET_COLUMNS);
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	scan = begin_scan(budget, snapshot, role, dataset);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		int			columns = RelationGetNumberOfAttributes(budget);
		Datum	   *values = palloc(columns * sizeof(Datum));
		bool	   *nulls = palloc(columns * sizeof(bool));

		heap_deform_tuple(tuple, RelationGetDescr(budget), values, nulls);
		result = decode(values, nulls, row);
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(budget, AccessShareLock);
	return result;
}
