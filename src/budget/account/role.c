/* SPDX-License-Identifier: PostgreSQL */
/*
 * role.c
 *	  A role that has a budget cannot be dropped.
 *
 * By an entry in pg_shdepend, as for privileges: those of the column that shows
 * the role in the view dp_agg.budgets.  PostgreSQL removes it with the view or the
 * database, and copies it with the database.  Dumps and pg_upgrade do not carry it:
 * acknowledging a copy makes it anew.
 *
 * DROP OWNED takes the role's privileges away, of which there are none, and leaves the
 * entry, as it leaves the budget.  Privileges on the table itself may be dropped by
 * superusers only, and that would fail; everybody may read the view.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_shdepend.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
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

/* Is there an entry already? */
static bool
is_held(Oid role, Oid view, AttrNumber column)
{
	Relation	catalog = table_open(SharedDependRelationId, AccessShareLock);
	bool		found = false;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key[0], Anum_pg_shdepend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(AuthIdRelationId));
	ScanKeyInit(&key[1], Anum_pg_shdepend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
	scan = systable_beginscan(catalog, SharedDependReferenceIndexId, true, NULL,
							  lengthof(key), key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_shdepend entry = (Form_pg_shdepend) GETSTRUCT(tuple);

		found = entry->dbid == MyDatabaseId && entry->classid == RelationRelationId &&
			entry->objid == view && entry->objsubid == column;
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
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

void
dp_budget_role_lock(Oid role)
{
	Relation	budget;

	dp_budget_store_allow_charges();
	budget = dp_budget_store_read_budget();
	LockRelation(budget, RowExclusiveLock);
	table_close(budget, AccessShareLock);
	if (OidIsValid(role))
		LockSharedObject(AuthIdRelationId, role, 0, ShareUpdateExclusiveLock);
}

/* A list of one role, as those that record dependencies want it. */
static Oid *
list_of(Oid role)
{
	Oid		   *list = palloc(sizeof(Oid));

	*list = role;
	return list;
}

void
dp_budget_role_hold(Oid role)
{
	Oid			view;
	AttrNumber	column;

	dp_budget_role_lock(role);
	if (!OidIsValid(role))
		return;
	view = dp_budget_store_view(&column);
	if (!is_held(role, view, column))
		updateAclDependencies(RelationRelationId, view, column, InvalidOid,
							  0, NULL, 1, list_of(role));
}

void
dp_budget_role_release(Oid role)
{
	Relation	budget = dp_budget_store_read_budget();
	AttrNumber	column;
	Oid			view = dp_budget_store_view(&column);

	if (OidIsValid(role) && !has_budget(budget, role))
		updateAclDependencies(RelationRelationId, view, column, InvalidOid,
							  1, list_of(role), 0, NULL);
	table_close(budget, AccessShareLock);
}

/* What to do before the first of these roles that has a budget can be dropped, or NULL. */
static char *
drop_hint(const DropRoleStmt *command)
{
	AttrNumber	column;
	Oid			view;
	ListCell   *lc;

	if (!OidIsValid(get_extension_oid("dp_agg", true)))
		return NULL;
	view = dp_budget_store_view(&column);
	foreach(lc, command->roles)
	{
		Oid			role = get_rolespec_oid(lfirst_node(RoleSpec, lc), true);

		if (OidIsValid(role) && is_held(role, view, column))
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
