/* SPDX-License-Identifier: PostgreSQL */
/*
 * lost_protection.c
 *	  Warnings where protection does not go along with what people do to tables.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "budget/account/birth.h"
#include "policy/lost_protection.h"
#include "policy/policy.h"
#include "policy/uninstall.h"

/* As many names are remembered; of more, the newest. */
#define MOST_NAMES 200

/* A name under which the session knew a protected table that is no longer called so. */
typedef struct LostName
{
	NameData	schema;
	NameData	table;
} LostName;

static List *lost_names = NIL;

/* Is this a table of the kind that can be protected, and is it? */
static bool
is_protected_table(Oid relid)
{
	char		relkind = get_rel_relkind(relid);

	return (relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE) &&
		get_rel_persistence(relid) != RELPERSISTENCE_TEMP && dp_policy_is_protected(relid);
}

/* Remember what a protected table is called. */
static void
remember_name(Oid relid)
{
	MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
	LostName   *name = palloc(sizeof(LostName));

	namestrcpy(&name->schema, get_namespace_name(get_rel_namespace(relid)));
	namestrcpy(&name->table, get_rel_name(relid));
	if (list_length(lost_names) == MOST_NAMES)
	{
		pfree(linitial(lost_names));
		lost_names = list_delete_first(lost_names);
	}
	lost_names = lappend(lost_names, name);
	MemoryContextSwitchTo(before);
}

/* Warn if a table loses the column that protects it, but not its others. */
static void
warn_of_column(Oid relid, AttrNumber column)
{
	DpPolicy	policy;
	bool		malformed;

	if (!is_protected_table(relid) || !dp_policy_policy_find(relid, &policy, &malformed) || policy.unit != column)
		return;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("table \"%s\" is no longer protected", get_rel_name(relid)),
			 errdetail("Its protection was declared on column \"%s\", which is dropped.", get_attname(relid, column, false)),
			 errhint("Protect the table by another column with dp_agg.protect.")));
}

/* If our extension goes, so does the database's own label.  Warn if it leaves others behind. */
static void
note_extension(Oid extension)
{
	const char *name = get_extension_name(extension);
	int			count;

	if (name == NULL || strcmp(name, "dp_agg") != 0)
		return;
	dp_budget_birth_forget();
	if ((count = dp_policy_count_labels()) == 0)
		return;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg_plural("security labels of dp_agg are left on %d object",
						   "security labels of dp_agg are left on %d objects", count, count),
			 errdetail("A dump of this database can be restored only where the library is loaded."),
			 errhint("Create the extension again, and SELECT * FROM dp_agg.uninstall() before you drop it.")));
}

void
dp_policy_note_drop(Oid classid, Oid objectid, int column, const ObjectAccessDrop *drop)
{
	if (classid == ExtensionRelationId)
		note_extension(objectid);
	if (classid != RelationRelationId || (drop && (drop->dropflags & PERFORM_DELETION_INTERNAL)))
		return;
	if (column != 0)
		warn_of_column(objectid, column);
	else if (is_protected_table(objectid))
		remember_name(objectid);
}

/* Remember the names of all protected tables in a schema. */
static void
remember_schema(const char *name)
{
	Oid			schema = get_namespace_oid(name, true);
	ListCell   *lc;

	foreach(lc, dp_policy_labelled_tables())
		if (get_rel_namespace(lfirst_oid(lc)) == schema && is_protected_table(lfirst_oid(lc)))
			remember_name(lfirst_oid(lc));
}

void
dp_policy_note_renaming(Node *statement)
{
	RangeVar   *name = NULL;
	Oid			relid;

	if (IsA(statement, RenameStmt))
	{
		RenameStmt *rename = (RenameStmt *) statement;

		if (rename->renameType == OBJECT_SCHEMA)
			remember_schema(rename->subname);
		else if (rename->renameType == OBJECT_TABLE || rename->renameType == OBJECT_INDEX)
			name = rename->relation;
	}
	else if (IsA(statement, AlterObjectSchemaStmt) && ((AlterObjectSchemaStmt *) statement)->objectType == OBJECT_TABLE)
		name = ((AlterObjectSchemaStmt *) statement)->relation;
	if (name == NULL)
		return;
	relid = RangeVarGetRelid(name, NoLock, true);
	if (OidIsValid(relid) && is_protected_table(relid))
		remember_name(relid);
}

/* Has this name come to a table, and one that is not protected? */
static bool
is_succeeded(Oid relid)
{
	char		relkind = get_rel_relkind(relid);

	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE &&
		relkind != RELKIND_MATVIEW && relkind != RELKIND_FOREIGN_TABLE)
		return false;
	return !dp_policy_is_protected(relid);
}

static void
warn_of_successor(const LostName *name)
{
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("table \"%s\" is not protected, but has the name of one that was", NameStr(name->table)),
			 errdetail("Protection belongs to a table: it went with that one when it was renamed, moved or dropped."),
			 errhint("Protect the new table with dp_agg.protect, or before it takes another's place with dp_agg.protect_like.")));
}

void
dp_policy_warn_of_successors(void)
{
	ListCell   *lc;

	if (lost_names == NIL || !IsTransactionState())
		return;
	CommandCounterIncrement();
	foreach(lc, lost_names)
	{
		LostName   *name = lfirst(lc);
		Oid			schema = get_namespace_oid(NameStr(name->schema), true);
		Oid			relid = OidIsValid(schema) ? get_relname_relid(NameStr(name->table), schema) : InvalidOid;

		if (!OidIsValid(relid))
			continue;
		if (is_succeeded(relid))
			warn_of_successor(name);
		lost_names = foreach_delete_current(lost_names, lc);
		pfree(name);
	}
}
