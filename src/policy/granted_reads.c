/* SPDX-License-Identifier: PostgreSQL */
/*
 * granted_reads.c
 *	  Warnings where roles are granted what protection is to keep from them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "policy/children.h"
#include "policy/granted_reads.h"
#include "policy/policy.h"
#include "policy/uninstall.h"

/* Does a GRANT give the right to read tables, or columns of theirs? */
static bool
grants_reading(const GrantStmt *grant)
{
	ListCell   *lc;

	if (!grant->is_grant || grant->objtype != OBJECT_TABLE)
		return false;
	foreach(lc, grant->privileges)
	{
		const AccessPriv *privilege = lfirst(lc);

		if (privilege->priv_name == NULL || strcmp(privilege->priv_name, "select") == 0)
			return true;
	}
	return grant->privileges == NIL;
}

/* Does a table hold rows that are protected? */
static bool
holds_protected(Oid relid)
{
	Relation	relation = try_relation_open(relid, AccessShareLock);
	bool		holds;

	if (relation == NULL)
		return false;
	holds = (relation->rd_rel->relkind == RELKIND_RELATION || relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE ||
			 relation->rd_rel->relkind == RELKIND_FOREIGN_TABLE) && dp_policy_has_protected_rows(relation);
	relation_close(relation, AccessShareLock);
	return holds;
}

/* Tables of these schemas that have protected rows. */
static List *
tables_in_schemas(List *names)
{
	List	   *tables = NIL;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, dp_policy_labelled_tables())
		foreach(lc2, find_all_inheritors(lfirst_oid(lc), NoLock, NULL))
			tables = list_append_unique_oid(tables, lfirst_oid(lc2));
	foreach(lc, tables)
	{
		char	   *schema = get_namespace_name(get_rel_namespace(lfirst_oid(lc)));
		bool		named = false;

		foreach(lc2, names)
			named |= schema && strcmp(strVal(lfirst(lc2)), schema) == 0;
		if (!named || !holds_protected(lfirst_oid(lc)))
			tables = foreach_delete_current(tables, lc);
	}
	list_sort(tables, list_oid_cmp);
	return tables;
}

/* Tables with protected rows that a GRANT names. */
static List *
granted_tables(const GrantStmt *grant)
{
	List	   *tables = NIL;
	ListCell   *lc;

	if (grant->targtype == ACL_TARGET_ALL_IN_SCHEMA)
		return tables_in_schemas(grant->objects);
	foreach(lc, grant->targtype == ACL_TARGET_OBJECT ? grant->objects : NIL)
	{
		Oid			relid = RangeVarGetRelid(lfirst_node(RangeVar, lc), NoLock, true);

		if (OidIsValid(relid) && holds_protected(relid))
			tables = list_append_unique_oid(tables, relid);
	}
	return tables;
}

/* Is a role kept from reading a table unless it is granted? */
static bool
is_kept_out(Oid role, Oid owner)
{
	return role == ACL_ID_PUBLIC || (role != owner && !superuser_arg(role));
}

/* The owner of a table. */
static Oid
owner_of(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Say that these roles, in words, read a table. */
static void
warn_of_reading(Oid relid, List *roles)
{
	const char *name = get_rel_name(relid);
	const char *schema = name ? get_namespace_name(get_rel_namespace(relid)) : NULL;
	StringInfoData readers;
	ListCell   *lc;

	if (schema == NULL)
		return;
	initStringInfo(&readers);
	foreach(lc, roles)
		appendStringInfo(&readers, "%s%s", readers.len > 0 ? ", " : "",
						 lfirst_oid(lc) == ACL_ID_PUBLIC ? "PUBLIC" : quote_identifier(GetUserNameFromId(lfirst_oid(lc), false)));
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("rows of protected table \"%s\" can be read by %s", name, readers.data),
			 errdetail("They are read as they are, without noise and without a charge."),
			 errhint("Differentially private queries take no privilege on the table: REVOKE SELECT ON %s FROM %s.",
					 quote_qualified_identifier(schema, name), readers.data)));
}

/* Are a table's rows, or columns of theirs, a role's to read?  Not where a GRANT had nothing to give. */
static bool
may_read(Oid relid, Oid role)
{
	return pg_class_aclcheck(relid, role, ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relid, role, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
}

/* Roles that a GRANT names, which read a table by that. */
static List *
granted_readers(const GrantStmt *grant, Oid relid)
{
	List	   *roles = NIL;
	ListCell   *lc;

	foreach(lc, grant->grantees)
	{
		const RoleSpec *spec = lfirst_node(RoleSpec, lc);
		Oid			role = spec->roletype == ROLESPEC_PUBLIC ? ACL_ID_PUBLIC : get_rolespec_oid(spec, false);

		if (is_kept_out(role, owner_of(relid)) && may_read(relid, role))
			roles = list_append_unique_oid(roles, role);
	}
	return roles;
}

void
dp_policy_warn_of_grant(Node *command)
{
	const GrantStmt *grant = (GrantStmt *) command;
	ListCell   *lc;

	if (!IsA(command, GrantStmt) || !grants_reading(grant) || !IsTransactionState())
		return;
	CommandCounterIncrement();
	foreach(lc, granted_tables(grant))
	{
		List	   *roles = granted_readers(grant, lfirst_oid(lc));

		if (roles != NIL)
			warn_of_reading(lfirst_oid(lc), roles);
	}
}

/* Add the roles that an access control list lets read. */
static List *
add_readers(List *roles, Datum list, Oid owner)
{
	Acl		   *acl = DatumGetAclPCopy(list);
	AclItem    *items = ACL_DAT(acl);

	for (int i = 0; i < ACL_NUM(acl); i++)
		if ((ACLITEM_GET_PRIVS(items[i]) & ACL_SELECT) && is_kept_out(items[i].ai_grantee, owner))
			roles = list_append_unique_oid(roles, items[i].ai_grantee);
	return roles;
}

void
dp_policy_warn_of_readers(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	List	   *roles = NIL;
	bool		isnull;
	Datum		list;

	if (!HeapTupleIsValid(tuple))
		return;
	list = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &isnull);
	if (!isnull)
		roles = add_readers(NIL, list, ((Form_pg_class) GETSTRUCT(tuple))->relowner);
	ReleaseSysCache(tuple);
	if (roles != NIL)
		warn_of_reading(relid, roles);
}
