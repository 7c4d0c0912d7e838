/* SPDX-License-Identifier: PostgreSQL */
/*
 * lock_privileges.c
 *	  Rights on tables and databases before locks on them.
 *
 * Some commands lock a table that somebody else may own, so that nothing can be written
 * to it, or even read, and look at rights only when they have the lock.  While they
 * wait for it, and block the keeper and every query, they need no right at all.  An
 * analyst could name dp_agg.ledger in an open transaction, and attach it to a table of
 * her own in another.  That would keep everybody from being served for as long as she
 * likes.  With pg_authid it would block the whole server, from any of its databases;
 * with a database, those who connect to it, keepers among them.
 *
 * The rights looked at are PostgreSQL's own, which it checks again.  A name that
 * was looked at is given its schema: PostgreSQL looks it up anew, each time
 * it has waited for a lock, and may find another table.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/heap.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/partition.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_publication.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat_catalog.h"
#include "base/compat_planner.h"
#include "sidechannel/lock_ownership.h"
#include "sidechannel/lock_privileges.h"

/* Is the current user the owner, or has a right, if one will do, anywhere in the table? */
static bool
may_lock(Oid relid, AclMode right)
{
	Oid			user = GetUserId();

	return dp_compat_owns(RelationRelationId, relid, user) ||
		(right != 0 &&
		 (pg_class_aclcheck(relid, user, right) == ACLCHECK_OK ||
		  pg_attribute_aclcheck_all(relid, user, right, ACLMASK_ANY) == ACLCHECK_OK));
}

/* Raise the error for want of a right on a relation, if one is wanting. */
static void
require_right(Oid relid, AclMode right)
{
	if (!may_lock(relid, right))
		aclcheck_error(right == 0 ? ACLCHECK_NOT_OWNER : ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(relid)), get_rel_name(relid));
}

/*
 * Have a name mean what it means now, and return that; InvalidOid if it means
 * nothing.  Temporary tables are nobody else's business.
 */
static Oid
fix_name(RangeVar *name)
{
	Oid			relid = name != NULL ? RangeVarGetRelid(name, NoLock, true) : InvalidOid;
	Oid			schema = OidIsValid(relid) ? get_rel_namespace(relid) : InvalidOid;

	if (OidIsValid(schema) && name->schemaname == NULL && !isTempNamespace(schema))
		name->schemaname = get_namespace_name(schema);
	return OidIsValid(schema) ? relid : InvalidOid;
}

/* Check the right on a table, or on that of an index; what is not there is not locked. */
static void
check_right(RangeVar *name, AclMode right)
{
	Oid			relid = fix_name(name);

	if (OidIsValid(relid))
		require_right(relid, right);
}

/* Check the ownership of an index named without a schema, which is that of its table. */
static void
check_index(RangeVar *table, const char *name)
{
	Oid			relid = fix_name(table);
	Oid			index = OidIsValid(relid) && name != NULL ?
		get_relname_relid(name, get_rel_namespace(relid)) : InvalidOid;

	if (OidIsValid(index))
		require_right(index, 0);
}

/* The index by which a table is put in order: whoever may do that to the table may use its indexes. */
static void
check_ordering(RangeVar *table, const char *name)
{
	Oid			relid = fix_name(table);
	Oid			index = OidIsValid(relid) && name != NULL ?
		get_relname_relid(name, get_rel_namespace(relid)) : InvalidOid;

	if (OidIsValid(index) &&
		(IndexGetRelation(index, true) != relid || !dp_compat_may_maintain(relid, GetUserId())))
		require_right(index, 0);
}

/*
 * A role that waits for a position of the log, with a limit of time, learns whether it
 * has been reached, and so where the log is.  So only roles that may ask for that
 * position may wait, where PUBLIC may not.
 */
static void
check_waiting(void)
{
	Oid			position = RecoveryInProgress() ? F_PG_LAST_WAL_REPLAY_LSN : F_PG_CURRENT_WAL_FLUSH_LSN;

	if (!DP_MAY_EXECUTE(position, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to wait for a position of the write-ahead log"),
				 errhint("GRANT EXECUTE ON FUNCTION %s() allows it.", get_func_name(position))));
}

/* Check the ownership of a database. */
static void
check_database(const char *name)
{
	Oid			database = get_database_oid(name, true);

	if (OidIsValid(database) && !dp_compat_owns(DatabaseRelationId, database, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_DATABASE, name);
}

/* Will a name mean the table that is being made, if one is, once it is there? */
static bool
means_new_table(const RangeVar *name, const RangeVar *made)
{
	Oid			schema;
	ListCell   *lc;

	if (made == NULL || name->schemaname != NULL || strcmp(name->relname, made->relname) != 0)
		return false;
	schema = RangeVarGetCreationNamespace(made);
	foreach(lc, fetch_search_path(true))
	{
		if (lfirst_oid(lc) == schema)
			return true;
		if (OidIsValid(get_relname_relid(name->relname, lfirst_oid(lc))))
			return false;
	}
	return false;
}

/* Foreign keys among constraints lock what they refer to. */
static void
check_constraints(List *constraints, const RangeVar *made)
{
	ListCell   *lc;

	foreach(lc, constraints)
	{
		Constraint *constraint = lfirst(lc);

		if (IsA(constraint, Constraint) && constraint->pktable != NULL &&
			!means_new_table(constraint->pktable, made))
			check_right(constraint->pktable, ACL_REFERENCES);
	}
}

/* The same for a column or constraint of a table; or of one that is made. */
static void
check_element(Node *element, const RangeVar *made)
{
	if (element == NULL)
		return;
	if (IsA(element, ColumnDef))
		check_constraints(((ColumnDef *) element)->constraints, made);
	else if (IsA(element, Constraint))
		check_constraints(list_make1(element), made);
}

/* Its own partition, whosever, a table may part with. */
static void
check_detached(RangeVar *table, RangeVar *name)
{
	Oid			parent = fix_name(table);
	Oid			relid = fix_name(name);

	if (OidIsValid(relid) &&
		(!get_rel_relispartition(relid) || get_partition_parent(relid, true) != parent))
		require_right(relid, 0);
}

static void
check_table_command(RangeVar *table, const AlterTableCmd *command)
{
	switch (command->subtype)
	{
		case AT_AttachPartition:
			check_right(((PartitionCmd *) command->def)->name, 0);
			break;
		case AT_DetachPartition:
		case AT_DetachPartitionFinalize:
			check_detached(table, ((PartitionCmd *) command->def)->name);
			break;
		case AT_AddInherit:
			check_right((RangeVar *) command->def, 0);
			break;
		case AT_ReplicaIdentity:
			check_index(table, ((ReplicaIdentityStmt *) command->def)->name);
			break;
		case AT_ClusterOn:
			check_index(table, command->name);
			break;
		default:
			check_element(command->def, NULL);
	}
}

/* The parts of a command that changes a table. */
static void
check_changes(const AlterTableStmt *command)
{
	ListCell   *lc;

	foreach(lc, command->cmds)
		check_table_command(command->relation, lfirst_node(AlterTableCmd, lc));
}

/* The parents and parts of a table that is made. */
static void
check_creation(const CreateStmt *command)
{
	ListCell   *lc;

	foreach(lc, command->inhRelations)
		check_right(lfirst_node(RangeVar, lc), 0);
	foreach(lc, command->tableElts)
		check_element(lfirst(lc), command->relation);
}

/* Statistics are made of what one owns. */
static void
check_statistics(const CreateStatsStmt *command)
{
	ListCell   *lc;

	foreach(lc, command->relations)
		if (IsA(lfirst(lc), RangeVar))
			check_right(lfirst(lc), 0);
}

/*
 * Check the rights to tables of publications.  Tables in the publication `parted_with`
 * may be removed from it by anybody who may alter it.
 */
static void
check_published(List *objects, Oid parted_with)
{
	ListCell   *lc;

	foreach(lc, objects)
	{
		PublicationObjSpec *object = lfirst_node(PublicationObjSpec, lc);
		Oid			relid = object->pubtable ? fix_name(object->pubtable->relation) : InvalidOid;

		if (OidIsValid(relid) &&
			!SearchSysCacheExists2(PUBLICATIONRELMAP, ObjectIdGetDatum(relid),
								   ObjectIdGetDatum(parted_with)))
			require_right(relid, 0);
	}
}

/* Parting with is all that takes no ownership. */
static void
check_publication(const AlterPublicationStmt *command)
{
	check_published(command->pubobjects, command->action == AP_DropObjects ?
					get_publication_oid(command->pubname, true) : InvalidOid);
}

/* Tables that are emptied, and all that inherit from them. */
static List *
emptied_tables(const TruncateStmt *command)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, command->relations)
	{
		RangeVar   *name = lfirst_node(RangeVar, lc);
		Oid			relid = fix_name(name);

		if (OidIsValid(relid))
			result = list_concat_unique_oid(result, name->inh ? find_all_inheritors(relid, NoLock, NULL) :
											list_make1_oid(relid));
	}
	return result;
}

/* TRUNCATE CASCADE locks what refers to what it empties, and so on. */
static void
check_cascade(const TruncateStmt *command)
{
	List	   *emptied = command->behavior == DROP_CASCADE ? emptied_tables(command) : NIL;
	List	   *referring;

	while (emptied != NIL && (referring = heap_truncate_find_FKs(emptied)) != NIL)
	{
		ListCell   *lc;

		foreach(lc, referring)
			require_right(lfirst_oid(lc), ACL_TRUNCATE);
		emptied = list_concat_unique_oid(emptied, referring);
	}
}

bool
dp_sidechannel_needs_rights(Node *command)
{
	switch (nodeTag(command))
	{
		case T_CreateStatsStmt:
		case T_CreatePublicationStmt:
		case T_AlterPublicationStmt:
		case T_TruncateStmt:
		case T_AlterTableStmt:
		case T_CreateStmt:
		case T_CreateForeignTableStmt:
		case T_CreateTrigStmt:
		case T_RuleStmt:
		case T_AlterObjectDependsStmt:
		case DP_ORDERING_STATEMENT:
		case DP_WAITING_STATEMENT:
		case T_DropdbStmt:
		case T_AlterDatabaseStmt:
			return true;
		default:
			return dp_sidechannel_needs_owner(command);
	}
}

void
dp_sidechannel_check_rights(Node *command)
{
	switch (nodeTag(command))
	{
		case T_AlterTableStmt:
			check_changes((AlterTableStmt *) command);
			break;
		case T_CreateStmt:
		case T_CreateForeignTableStmt:
			check_creation((CreateStmt *) command);
			break;
		case T_CreateTrigStmt:
			check_right(((CreateTrigStmt *) command)->relation, ACL_TRIGGER);
			break;
		case T_RuleStmt:
			check_right(((RuleStmt *) command)->relation, 0);
			break;
		case T_CreateStatsStmt:
			check_statistics((CreateStatsStmt *) command);
			break;
		case T_CreatePublicationStmt:
			check_published(((CreatePublicationStmt *) command)->pubobjects, InvalidOid);
			break;
		case T_AlterPublicationStmt:
			check_publication((AlterPublicationStmt *) command);
			break;
		case T_TruncateStmt:
			check_cascade((TruncateStmt *) command);
			break;
		case T_AlterObjectDependsStmt:
			check_right(((AlterObjectDependsStmt *) command)->relation, 0);
			break;
		case DP_ORDERING_STATEMENT:
			check_ordering(dp_compat_ordered_table(command), dp_compat_ordering_index(command));
			break;
		case DP_WAITING_STATEMENT:
			check_waiting();
			break;
		case T_DropdbStmt:
			check_database(((DropdbStmt *) command)->dbname);
			break;
		case T_AlterDatabaseStmt:
			check_database(((AlterDatabaseStmt *) command)->dbname);
			break;
		case T_RenameStmt:
			if (((RenameStmt *) command)->renameType == OBJECT_DATABASE)
				check_database(((RenameStmt *) command)->subname);
			break;
		default:
			break;
	}
	dp_sidechannel_check_owner(command);
}
