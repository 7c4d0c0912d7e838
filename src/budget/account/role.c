/* SPDX-License-Identifier: PostgreSQL */
/*
 * role.c
 *	  A role that has a budget cannot be dropped.
 *
 * By an entry in pg_shdepend, as for privileges: those of the column that shows
 * the role in the view dp_agg.budgets.  PostgreSQL removes it with the view or the
 * database, and copies it with the database.  Dumps and pg_upgrade do not carry it:
 * acknowledging a copy makes it anew.  The entry is also what is locked of a role.
 *
 * DROP OWNED takes the role's privileges away, of which there are none, and leaves the
 * entry, as it leaves the budget.  Privileges on the table itself may be dropped by
 * superusers only, and that would fail; everybody may read the view.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_shdepend.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "budget/account/role.h"
#include "budget/account/row_tid.h"
#include "budget/account/store.h"

/* The column that stands for what roles have in this database. */
typedef struct DpHolder
{
	Oid			view;
	AttrNumber	column;
} DpHolder;

static DpHolder
holder(void)
{
	DpHolder	found;

	found.view = dp_budget_store_view(&found.column);
	return found;
}

static SysScanDesc
begin_entries(Relation catalog, Oid role, Snapshot snapshot)
{
	ScanKeyData key[2];

	ScanKeyInit(&key[0], Anum_pg_shdepend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(AuthIdRelationId));
	ScanKeyInit(&key[1], Anum_pg_shdepend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
	return systable_beginscan(catalog, SharedDependReferenceIndexId, true, snapshot,
							  lengthof(key), key);
}

/* The next entry of the scan that is ours, or NULL. */
static HeapTuple
next_entry(SysScanDesc scan, DpHolder ours)
{
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_shdepend entry = (Form_pg_shdepend) GETSTRUCT(tuple);

		if (entry->dbid == MyDatabaseId && entry->classid == RelationRelationId &&
			entry->objid == ours.view && entry->objsubid == ours.column)
			return tuple;
	}
	return NULL;
}

/* Is there an entry already? */
static bool
is_held(Oid role, DpHolder ours)
{
	Relation	catalog = table_open(SharedDependRelationId, AccessShareLock);
	SysScanDesc scan = begin_entries(catalog, role, NULL);
	bool		found = next_entry(scan, ours) != NULL;

	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
}

/*
 * Lock an entry until this transaction ends, as a row is locked: however many there are, they need no room in the
 * table of locks.  TM_Ok, or what became of it.
 */
static TM_Result
lock_entry(Relation catalog, ItemPointer tid)
{
	HeapTupleData tuple = {.t_self = *tid};
	TM_FailureData failure;
	Buffer		buffer;
	TM_Result	result = heap_lock_tuple(catalog, &tuple, GetCurrentCommandId(true), LockTupleExclusive,
										 LockWaitBlock, false, &buffer, &failure);

	ReleaseBuffer(buffer);
	return result;
}

/* Lock the entries of a role, as committed by now: appends where they are; false if another session removed one. */
static bool
lock_those_seen(Relation catalog, Oid role, DpHolder ours, List **tids)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	SysScanDesc scan = begin_entries(catalog, role, snapshot);
	TM_Result	result = TM_Ok;
	HeapTuple	tuple;

	while (result == TM_Ok && (tuple = next_entry(scan, ours)) != NULL)
	{
		ItemPointer tid = palloc(sizeof(ItemPointerData));

		*tid = tuple->t_self;
		result = lock_entry(catalog, tid);
		if (result == TM_Invisible || result == TM_SelfModified)
			elog(ERROR, "entry of role %u is changed by this command", role);
		*tids = lappend(*tids, tid);
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	return result == TM_Ok;
}

/*
 * Where the entries of a role are, locked until this transaction ends: whoever else holds or releases the role waits.
 * Mostly one or none; two of sessions that found none at the same time.
 */
static List *
lock_entries(Relation catalog, Oid role, DpHolder ours)
{
	List	   *tids = NIL;

	while (!lock_those_seen(catalog, role, ours, &tids))
	{
		CHECK_FOR_INTERRUPTS();
		list_free_deep(tids);
		tids = NIL;
	}
	return tids;
}

Oid
dp_budget_role_named(const char *name)
{
	Relation	catalog = table_open(AuthIdRelationId, AccessShareLock);
	Oid			role = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	NameData	wanted;

	namestrcpy(&wanted, name);
	ScanKeyInit(&key, Anum_pg_authid_rolname, BTEqualStrategyNumber, F_NAMEEQ, NameGetDatum(&wanted));
	scan = systable_beginscan(catalog, AuthIdRolnameIndexId, true, NULL, 1, &key);
	if (HeapTupleIsValid(tuple = systable_getnext(scan)))
		role = ((Form_pg_authid) GETSTRUCT(tuple))->oid;
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return role;
}

/* Does the role have a budget, as far as this transaction knows? */
static bool
has_budget(Relation budget, Oid role)
{
	Snapshot	snapshot = dp_budget_store_snapshot(budget);
	DpRowWalk	walk;
	bool		found;

	dp_budget_row_walk_begin(&walk, budget, snapshot, role);
	found = dp_budget_row_walk_next(&walk) != NULL;
	dp_budget_row_walk_end(&walk);
	UnregisterSnapshot(snapshot);
	return found;
}

/* Lock what comes before roles: see role.h. */
static void
lock_first(void)
{
	Relation	budget;

	dp_budget_store_allow_charges();
	budget = dp_budget_store_read_budget();
	LockRelation(budget, RowExclusiveLock);
	table_close(budget, AccessShareLock);
}

void
dp_budget_role_lock(Oid role)
{
	Relation	catalog;

	lock_first();
	catalog = table_open(SharedDependRelationId, RowExclusiveLock);
	list_free_deep(lock_entries(catalog, role, holder()));
	table_close(catalog, NoLock);
}

/* Is this one more role than a transaction may lock one by one? */
static bool
are_too_many(void)
{
	static TransactionId transaction = InvalidTransactionId;
	static int	locked;

	if (transaction != GetTopTransactionId())
		locked = 0;
	transaction = GetTopTransactionId();
	return ++locked > max_locks_per_xact;
}

/*
 * Keep a role from being dropped until this transaction ends.  As many as a transaction is reckoned to lock are locked
 * themselves; for more there is no room, and no role at all can be created, altered or dropped meanwhile.
 */
static void
keep_from_drop(Oid role)
{
	if (are_too_many())
		LockRelationOid(AuthIdRelationId, ShareLock);
	else
		LockSharedObject(AuthIdRelationId, role, 0, AccessShareLock);
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role %u was concurrently dropped", role)));
}

/* The entry that privileges of the column would have, which the rest of this command finds. */
static void
insert_entry(Relation catalog, Oid role, DpHolder ours)
{
	Datum		values[Natts_pg_shdepend];
	bool		nulls[Natts_pg_shdepend] = {false};
	HeapTuple	tuple;

	values[Anum_pg_shdepend_dbid - 1] = ObjectIdGetDatum(MyDatabaseId);
	values[Anum_pg_shdepend_classid - 1] = ObjectIdGetDatum(RelationRelationId);
	values[Anum_pg_shdepend_objid - 1] = ObjectIdGetDatum(ours.view);
	values[Anum_pg_shdepend_objsubid - 1] = Int32GetDatum(ours.column);
	values[Anum_pg_shdepend_refclassid - 1] = ObjectIdGetDatum(AuthIdRelationId);
	values[Anum_pg_shdepend_refobjid - 1] = ObjectIdGetDatum(role);
	values[Anum_pg_shdepend_deptype - 1] = CharGetDatum(SHARED_DEPENDENCY_ACL);
	tuple = heap_form_tuple(RelationGetDescr(catalog), values, nulls);
	CatalogTupleInsert(catalog, tuple);
	heap_freetuple(tuple);

	/* The same statement may hold or release the role once more, and is to see it. */
	CommandCounterIncrement();
}

void
dp_budget_role_hold(Oid role)
{
	DpHolder	ours = holder();
	Relation	catalog;

	lock_first();
	if (!OidIsValid(role) || IsPinnedObject(AuthIdRelationId, role))
		return;
	catalog = table_open(SharedDependRelationId, RowExclusiveLock);
	if (lock_entries(catalog, role, ours) == NIL)
	{
		keep_from_drop(role);
		insert_entry(catalog, role, ours);
	}
	table_close(catalog, NoLock);
}

void
dp_budget_role_release(Oid role)
{
	Relation	budget = dp_budget_store_read_budget();
	Relation	catalog = table_open(SharedDependRelationId, RowExclusiveLock);
	List	   *tids = lock_entries(catalog, role, holder());
	ListCell   *lc;

	if (!has_budget(budget, role))
	{
		foreach(lc, tids)
			CatalogTupleDelete(catalog, lfirst(lc));
		CommandCounterIncrement();
	}
	table_close(catalog, NoLock);
	table_close(budget, AccessShareLock);
}

/* What to do before the first of these roles that has a budget can be dropped, or NULL. */
static char *
drop_hint(const DropRoleStmt *command)
{
	DpHolder	ours;
	ListCell   *lc;

	if (!OidIsValid(get_extension_oid("dp_agg", true)))
		return NULL;
	ours = holder();
	foreach(lc, command->roles)
	{
		Oid			role = get_rolespec_oid(lfirst_node(RoleSpec, lc), true);

		if (OidIsValid(role) && is_held(role, ours))
			return psprintf("Drop its budgets first: SELECT dp_agg.drop_budget(role, dataset) FROM dp_agg.budgets WHERE role = %s::regrole.",
							quote_literal_cstr(quote_identifier(GetUserNameFromId(role, false))));
	}
	return NULL;
}

void
dp_budget_role_drop(const DropRoleStmt *command, void (*run) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *hint = drop_hint(command);

	PG_TRY();
	{
		run(arg);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		if (error->sqlerrcode == ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST && error->hint == NULL)
			error->hint = hint;
		ReThrowError(error);
	}
	PG_END_TRY();
}

List *
dp_budget_role_memberships(Oid role)
{
	/* The owner of the database is a member of that role, without an entry. */
	List	   *found = list_make2_oid(role, ROLE_PG_DATABASE_OWNER);

	for (int i = 0; i < list_length(found); i++)
	{
		CatCList   *grants = SearchSysCacheList1(AUTHMEMMEMROLE,
												 ObjectIdGetDatum(list_nth_oid(found, i)));

		for (int j = 0; j < grants->n_members; j++)
		{
			HeapTuple	grant = &grants->members[j]->tuple;

			found = list_append_unique_oid(found, ((Form_pg_auth_members) GETSTRUCT(grant))->roleid);
		}
		ReleaseSysCacheList(grants);
	}
	return found;
}

Oid
dp_budget_role_asking(void)
{
	return InSecurityRestrictedOperation() ? GetUserId() : GetOuterUserId();
}

bool
dp_budget_role_may_read(Oid table)
{
	return OidIsValid(table) && pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}
