/*
 * rights.c
 *	  Rights on tables before locks on them.
 *
 * Some commands lock a table that somebody else may own, so that nothing can be
 * written to it, or even read, and look at rights only when they have the lock.
 * While they wait for it, in the keeper's way and in that of every query, they
 * need no right at all: an analyst who names dp_agg.ledger in an open
 * transaction, and attaches it to a table of her own in another, would keep
 * everybody from being served for as long as she likes.
 *
 * The rights looked at are PostgreSQL's own, which it checks again.
 */
#include "postgres.h"

#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "query/rights.h"

/* Is the current user the owner, or has a right, if one will do, anywhere in the table? */
static bool
may_lock(Oid relid, AclMode right)
{
	Oid			user = GetUserId();

	return dp_compat_owns_relation(relid, user) ||
		(right != 0 &&
		 (pg_class_aclcheck(relid, user, right) == ACLCHECK_OK ||
		  pg_attribute_aclcheck_all(relid, user, right, ACLMASK_ANY) == ACLCHECK_OK));
}

/* Check the right on a table, or on that of an index; what is not there is not locked. */
static void
check_right(const RangeVar *name, AclMode right)
{
	Oid			relid = name == NULL ? InvalidOid : RangeVarGetRelid(name, NoLock, true);
	char		relkind = get_rel_relkind(relid);

	if (relkind == '\0' || may_lock(relid, right))
		return;
	aclcheck_error(right == 0 ? ACLCHECK_NOT_OWNER : ACLCHECK_NO_PRIV,
				   get_relkind_objtype(relkind), get_rel_name(relid));
}

/* Foreign keys among constraints lock what they refer to. */
static void
check_constraints(List *constraints)
{
	ListCell   *lc;

	foreach(lc, constraints)
		if (IsA(lfirst(lc), Constraint))
			check_right(((Constraint *) lfirst(lc))->pktable, ACL_REFERENCES);
}

/* The same for a column or constraint of a table to be. */
static void
check_element(Node *element)
{
	if (element == NULL)
		return;
	if (IsA(element, ColumnDef))
		check_constraints(((ColumnDef *) element)->constraints);
	else if (IsA(element, Constraint))
		check_constraints(list_make1(element));
}

static void
check_table_command(const AlterTableCmd *command)
{
	if (command->subtype == AT_AttachPartition && IsA(command->def, PartitionCmd))
		check_right(((PartitionCmd *) command->def)->name, 0);
	else
		check_element(command->def);
}

void
dp_query_check_rights(Node *command)
{
	List	   *list = NIL;
	ListCell   *lc;

	if (IsA(command, AlterTableStmt))
		list = ((AlterTableStmt *) command)->cmds;
	else if (IsA(command, CreateStmt) || IsA(command, CreateForeignTableStmt))
		list = ((CreateStmt *) command)->tableElts;
	else if (!IsA(command, CreateTrigStmt) && !IsA(command, RuleStmt) &&
			 !IsA(command, AlterObjectDependsStmt))
		return;
	if (!OidIsValid(get_extension_oid("dp_agg", true)))
		return;
	if (IsA(command, CreateTrigStmt))
		check_right(((CreateTrigStmt *) command)->relation, ACL_TRIGGER);
	else if (IsA(command, RuleStmt))
		check_right(((RuleStmt *) command)->relation, 0);
	else if (IsA(command, AlterObjectDependsStmt))
		check_right(((AlterObjectDependsStmt *) command)->relation, 0);
	foreach(lc, list)
		if (IsA(lfirst(lc), AlterTableCmd))
			check_table_command(lfirst(lc));
		else
			check_element(lfirst(lc));
}
