/* SPDX-License-Identifier: PostgreSQL */
/*
 * store.c
 *	  The budget and ledger tables: finding, locking and writing their rows.
 *
 * Lock order: budgets that begin, whether charges are decided, budget table, ledger
 * table, chain, budget rows.  The keeper waits for none of them; who holds the chain waits for
 * nothing at all.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "budget/account/row_tid.h"
#include "budget/account/store.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

/* Where the tables are, until one of them changes. */
static struct
{
	bool		valid;
	Oid			budget;
	Oid			ledger;
	Oid			answer;
}			catalog;

static void
forget_tables(Datum arg, Oid relid)
{
	if (relid == InvalidOid || relid == catalog.budget || relid == catalog.ledger ||
		relid == catalog.answer)
		catalog.valid = false;
}

/* A relation of the extension by name; never one that only bears its name. */
static Oid
extension_relation(Oid extension, Oid schema, const char *name)
{
	Oid			relid = get_relname_relid(name, schema);

	if (OidIsValid(relid) &&
		getExtensionOfObject(RelationRelationId, relid) != extension)
		relid = InvalidOid;
	return relid;
}

static void
watch_tables(void)
{
	static bool registered = false;

	if (!registered)
		CacheRegisterRelcacheCallback(forget_tables, (Datum) 0);
	registered = true;
}

/* Find the tables, if the extension is here and has them. */
static void
look_for_tables(void)
{
	Oid			extension;
	Oid			schema;

	if (catalog.valid)
		return;
	extension = get_extension_oid("dp_agg", true);
	schema = get_namespace_oid("dp_agg", true);
	if (!OidIsValid(extension) || !OidIsValid(schema))
		return;
	watch_tables();
	catalog.budget = extension_relation(extension, schema, "budget");
	catalog.ledger = extension_relation(extension, schema, "ledger");
	catalog.answer = extension_relation(extension, schema, "kept_answer");
	catalog.valid = OidIsValid(catalog.budget) && OidIsValid(catalog.ledger) &&
		OidIsValid(catalog.answer);
}

static void
raise_missing(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("extension \"%s\" has no relation \"%s.%s\"", "dp_agg", "dp_agg", name)));
}

static void
find_tables(void)
{
	look_for_tables();
	if (catalog.valid)
		return;
	if (!OidIsValid(get_extension_oid("dp_agg", true)) ||
		!OidIsValid(get_namespace_oid("dp_agg", true)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension \"%s\" is not installed in this database", "dp_agg")));
	raise_missing(!OidIsValid(catalog.budget) ? "budget" :
				  !OidIsValid(catalog.ledger) ? "ledger" : "kept_answer");
}

static bool
lock_table(Oid relid, LOCKMODE mode, bool wait)
{
	if (!wait)
		return ConditionalLockRelationOid(relid, mode);
	LockRelationOid(relid, mode);
	return true;
}

/* Lock both tables; false if somebody else has, and we are not to wait. */
static bool
lock_tables(LOCKMODE mode, bool wait)
{
	do
	{
		if (!catalog.valid)
			find_tables();
		if (!lock_table(catalog.budget, mode, wait) ||
			!lock_table(catalog.ledger, mode, wait))
			return false;
	} while (!catalog.valid);	/* changed before we had the locks */
	return true;
}

/*
 * Lock what a table stands for, until this transaction ends: the ledger for the
 * end of the chain, the budget table for whether charges are decided, that of
 * answers for budgets that begin.  No lock
 * of the table itself would do: those that exclude each other exclude autovacuum
 * too, and whoever names the table, with no right to it, makes them wait.
 */
static bool
lock_meaning(Oid relid, LOCKMODE mode, bool wait)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, relid, 0);
	return LockAcquire(&tag, mode, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

bool
dp_budget_store_is_as_made(Relation relation, const Oid *types, int columns)
{
	TupleDesc	desc = RelationGetDescr(relation);
	bool		good = relation->rd_rel->relkind == RELKIND_RELATION &&
		relation->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT &&
		desc->natts >= columns;

	for (int i = 0; good && i < columns; i++)
		good = TupleDescAttr(desc, i)->atttypid == types[i];
	return good;
}

Snapshot
dp_budget_store_snapshot(Relation table)
{
	return RegisterSnapshot(GetCatalogSnapshot(RelationGetRelid(table)));
}

/* Refuse a table that is not. */
static void
check_table(Relation relation, const Oid *types, int columns)
{
	if (!dp_budget_store_is_as_made(relation, types, columns))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is not as extension \"%s\" made it",
						RelationGetRelationName(relation), "dp_agg")));
}

ResultRelInfo *
dp_budget_store_open_for_write(EState *estate, Oid relid, const Oid *types, int columns)
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
dp_budget_store_open(DpStore *store, bool wait)
{
	Relation	ledger;

	if (!lock_tables(RowExclusiveLock, wait) ||
		!lock_meaning(catalog.budget, ShareLock, wait) ||
		!lock_meaning(catalog.ledger, ExclusiveLock, wait))
		return false;
	PushActiveSnapshot(GetLatestSnapshot());

	store->estate = CreateExecutorState();
	store->budget = dp_budget_store_open_for_write(store->estate, catalog.budget,
												   dp_budget_row_types, DP_BUDGET_COLUMNS);
	store->ledger = dp_budget_store_open_for_write(store->estate, catalog.ledger,
												   dp_budget_ledger_types, DP_LEDGER_COLUMNS);

	ledger = store->ledger->ri_RelationDesc;
	store->changed = ExecInitExtraTupleSlot(store->estate,
											RelationGetDescr(store->budget->ri_RelationDesc),
											&TTSOpsVirtual);
	dp_budget_append_begin(&store->appender, store->estate, store->ledger);

	GetUserIdAndSecContext(&store->save_user, &store->save_context);
	SetUserIdAndSecContext(ledger->rd_rel->relowner,
						   store->save_context | SECURITY_RESTRICTED_OPERATION);
	store->save_nest = NewGUCNestLevel();
	return true;
}

void
dp_budget_store_close(DpStore *store)
{
	dp_budget_append_flush(&store->appender);
	AtEOXact_GUC(false, store->save_nest);
	SetUserIdAndSecContext(store->save_user, store->save_context);

	ExecResetTupleTable(store->estate->es_tupleTable, false);
	ExecCloseIndices(store->budget);
	ExecCloseIndices(store->ledger);
	table_close(store->budget->ri_RelationDesc, NoLock);
	table_close(store->ledger->ri_RelationDesc, NoLock);
	FreeExecutorState(store->estate);
	PopActiveSnapshot();
}

static DpLookup
decode(const Datum *values, const bool *nulls, DpBudgetRow *row)
{
	return dp_budget_row_decode(values, nulls, row) ? DP_LOOKUP_FOUND : DP_LOOKUP_MALFORMED;
}

/* A cap has a row without a role; a role that was dropped has none. */
static bool
may_have_row(Oid role)
{
	return !OidIsValid(role) || SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role));
}

DpLookup
dp_budget_store_lock(DpStore *store, Oid role, const char *dataset, DpBudgetRow *row,
					 TupleTableSlot **found)
{
	Relation	budget = store->budget->ri_RelationDesc;
	ItemPointerData tid;
	TM_FailureData failure;
	TM_Result	result;
	TupleTableSlot *slot;

	if (!may_have_row(role))
		return DP_LOOKUP_ABSENT;
	slot = table_slot_create(budget, &store->estate->es_tupleTable);
	if (!dp_budget_tid_find(budget, role, dataset, slot, &tid))
		return DP_LOOKUP_ABSENT;
	result = table_tuple_lock(budget, &tid, GetActiveSnapshot(), slot,
							  GetCurrentCommandId(false), LockTupleNoKeyExclusive,
							  LockWaitSkip, TUPLE_LOCK_FLAG_FIND_LAST_VERSION, &failure);
	if (result == TM_WouldBlock || result == TM_Updated || result == TM_Deleted)
		return DP_LOOKUP_BUSY;
	if (result != TM_Ok)
		elog(ERROR, "unexpected status %d of a budget row", result);

	/* Somebody may have changed whose it is. */
	if (!dp_budget_tid_is_of(slot, role, dataset))
		return DP_LOOKUP_BUSY;
	slot_getallattrs(slot);
	*found = slot;
	return decode(slot->tts_values, slot->tts_isnull, row);
}

/* Prepare a slot for as many columns as its table has, all null. */
static void
clear_slot(TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
}

void
dp_budget_store_update(DpStore *store, const DpBudgetRow *row, TupleTableSlot *found)
{
	TupleTableSlot *changed = store->changed;
	int			columns = changed->tts_tupleDescriptor->natts;

	clear_slot(changed);
	memcpy(changed->tts_values, found->tts_values, columns * sizeof(Datum));
	memcpy(changed->tts_isnull, found->tts_isnull, columns * sizeof(bool));
	dp_budget_row_encode(row, changed->tts_values, changed->tts_isnull);
	ExecStoreVirtualTuple(changed);

	dp_budget_update_row(store->budget, store->estate, found, changed);
	dp_budget_tid_remember(row->role, row->dataset, &changed->tts_tid);
}

void
dp_budget_store_append(DpStore *store, const DpLedgerRow *row)
{
	dp_budget_append_row(&store->appender, row);
}

static Relation
open_for_read(Oid relid, const Oid *types, int columns)
{
	Relation	relation = table_open(relid, AccessShareLock);

	check_table(relation, types, columns);
	return relation;
}

Relation
dp_budget_store_read_budget(void)
{
	if (!catalog.valid)
		find_tables();
	return open_for_read(catalog.budget, dp_budget_row_types, DP_BUDGET_COLUMNS);
}

Relation
dp_budget_store_read_ledger(void)
{
	if (!catalog.valid)
		find_tables();
	return open_for_read(catalog.ledger, dp_budget_ledger_types, DP_LEDGER_COLUMNS);
}

void
dp_budget_store_lock_beginnings(void)
{
	if (!catalog.valid)
		find_tables();
	(void) lock_meaning(catalog.answer, ExclusiveLock, true);
}

bool
dp_budget_store_is_budget(Oid relid)
{
	if (!catalog.valid)
		find_tables();
	return relid == catalog.budget;
}

bool
dp_budget_store_is_guarded(Oid relid)
{
	Oid			extension = get_extension_oid("dp_agg", true);

	return OidIsValid(extension) && get_rel_relkind(relid) == RELKIND_RELATION &&
		getExtensionOfObject(RelationRelationId, relid) == extension;
}

Relation
dp_budget_store_try_budget(void)
{
	Oid			relid;
	Relation	budget;

	look_for_tables();
	relid = catalog.budget;
	if (!catalog.valid || !ConditionalLockRelationOid(relid, AccessShareLock))
		return NULL;
	budget = try_table_open(relid, NoLock);
	if (budget != NULL && dp_budget_store_is_as_made(budget, dp_budget_row_types, DP_BUDGET_COLUMNS))
		return budget;
	if (budget != NULL)
		table_close(budget, NoLock);
	UnlockRelationOid(relid, AccessShareLock);
	return NULL;
}

Oid
dp_budget_store_budget(void)
{
	look_for_tables();
	return catalog.valid ? catalog.budget : InvalidOid;
}

Oid
dp_budget_store_kept(bool missing_ok)
{
	if (missing_ok)
		look_for_tables();
	else if (!catalog.valid)
		find_tables();
	return catalog.valid ? catalog.answer : InvalidOid;
}

Oid
dp_budget_store_view(AttrNumber *role)
{
	Oid			view = extension_relation(get_extension_oid("dp_agg", false),
										  get_namespace_oid("dp_agg", false), "budgets");

	*role = OidIsValid(view) ? get_attnum(view, "role") : InvalidAttrNumber;
	if (*role == InvalidAttrNumber)
		raise_missing("budgets");
	return view;
}

bool
dp_budget_store_decode(Relation budget, HeapTuple tuple, DpBudgetRow *row)
{
	int			columns = RelationGetNumberOfAttributes(budget);
	Datum	   *values = palloc(columns * sizeof(Datum));
	bool	   *nulls = palloc(columns * sizeof(bool));
	bool		good;

	heap_deform_tuple(tuple, RelationGetDescr(budget), values, nulls);
	good = dp_budget_row_decode(values, nulls, row);
	pfree(values);
	pfree(nulls);
	return good;
}

DpLookup
dp_budget_store_find(Relation budget, Snapshot snapshot, Oid role, const char *dataset,
					 DpBudgetRow *row)
{
	HeapTuple	tuple = dp_budget_tid_read(budget, snapshot, role, dataset);
	bool		good;

	if (tuple == NULL)
		return DP_LOOKUP_ABSENT;
	good = dp_budget_store_decode(budget, tuple, row);
	heap_freetuple(tuple);
	return good ? DP_LOOKUP_FOUND : DP_LOOKUP_MALFORMED;
}

void
dp_budget_store_exclude_charges(void)
{
	if (!catalog.valid)
		find_tables();
	(void) lock_meaning(catalog.budget, ExclusiveLock, true);
}

void
dp_budget_store_allow_charges(void)
{
	if (!catalog.valid)
		find_tables();
	(void) lock_meaning(catalog.budget, ShareLock, true);
}

void
dp_budget_store_durably(void)
{
	if (synchronous_commit < SYNCHRONOUS_COMMIT_ON)
		set_config_option("synchronous_commit", "on", PGC_USERSET, PGC_S_SESSION,
						  GUC_ACTION_LOCAL, true, 0, false);
}
