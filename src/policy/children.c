/* SPDX-License-Identifier: PostgreSQL */
/*
 * children.c
 *	  Tables that inherit from a protected one, whose rows it is read with.
 *
 * PostgreSQL reads children of any generation by the right to their parent, ignores row security of their own, and
 * gives them the parent's columns, by name and type.  Anything else may differ: owner, kind, indexes, constraints.  So
 * children are looked at one by one, and a table with one that is not as the table itself would have to be is
 * refused.  The parent's keys, foreign keys and NOT NULL say nothing of children (policy/unique.h, policy/foreign_key.h).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_inherits.h"
#include "utils/fmgroids.h"

#include "policy/attach.h"
#include "policy/children.h"
#include "policy/citus.h"
#include "policy/partitions.h"
#include "policy/policy.h"

/* The tables that a table inherits from. */
static List *
parents_of(Oid relid)
{
	Relation	catalog = table_open(InheritsRelationId, AccessShareLock);
	List	   *parents = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(catalog, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		parents = lappend_oid(parents, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return parents;
}

/* Reason why a child cannot be read with the table at the root for what it is itself, or NULL. */
static DpReason *
check_kind(Relation child, Relation root)
{
	const char *name = RelationGetRelationName(child);
	const char *parent = RelationGetRelationName(root);

	if (child->rd_rel->relkind != RELKIND_RELATION)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "Use a partitioned table: its partitions may be foreign tables.",
								 "child \"%s\" of \"%s\" is not a table", name, parent);
	if (child->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "Use permanent tables.",
								 "child \"%s\" of \"%s\" is a temporary table", name, parent);
	if (child->rd_rel->relowner != root->rd_rel->relowner)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "ALTER TABLE ... OWNER TO gives it the owner of its parent.",
								 "child \"%s\" of \"%s\" has another owner", name, parent);
	if (child->rd_rel->relrowsecurity)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1,
								 "It is not applied to questions about the parent. Have policies on the parent alone.",
								 "child \"%s\" of \"%s\" has row security of its own", name, parent);
	return dp_policy_citus_obstacle(RelationGetRelid(child));
}

/* Reason why a child cannot be read with the table at the root for what it is tied to, or NULL. */
static DpReason *
check_ties(Relation child, Relation root)
{
	const char *name = RelationGetRelationName(child);
	const char *parent = RelationGetRelationName(root);
	DpPolicy	policy;

	if (dp_policy_policy_get(RelationGetRelid(child), &policy))
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "dp_agg.unprotect() takes that away: its parent protects it.",
								 "child \"%s\" of \"%s\" is protected by itself", name, parent);
	if (list_length(parents_of(RelationGetRelid(child))) > 1)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "ALTER TABLE ... NO INHERIT leaves it one parent.",
								 "child \"%s\" of \"%s\" inherits from several tables", name, parent);
	if (dp_policy_others_have_a_hand(RelationGetRelid(child)))
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "dp_agg.attached() lists it, with a statement that takes it away.",
								 "child \"%s\" of \"%s\" has something attached in which others have a hand", name, parent);
	return NULL;
}

/* Reason why a child, which is locked, cannot be read with the table at the root, or NULL. */
static DpReason *
check_child(Oid relid, Relation root)
{
	Relation	child = table_open(relid, NoLock);
	DpReason   *reason = NULL;

	/* PostgreSQL leaves out other sessions' temporary tables. */
	if (!RELATION_IS_OTHER_TEMP(child))
		reason = check_kind(child, root);
	if (!RELATION_IS_OTHER_TEMP(child) && reason == NULL)
		reason = check_ties(child, root);
	table_close(child, NoLock);
	return reason;
}

DpReason *
dp_policy_children_obstacle(Relation root)
{
	if (!dp_policy_has_children(RelationGetRelid(root)))
		return NULL;
	return dp_policy_check_members(root, check_child);
}

/* Is something protected that a table inherits from or is a partition of? */
static bool
is_below_protected(Oid relid)
{
	List	   *above = parents_of(relid);
	DpPolicy	policy;
	ListCell   *lc;

	/* It grows meanwhile. */
	foreach(lc, above)
	{
		if (dp_policy_policy_get(lfirst_oid(lc), &policy))
			return true;
		above = list_concat_unique_oid(above, parents_of(lfirst_oid(lc)));
	}
	return false;
}

bool
dp_policy_has_protected_rows(Relation relation)
{
	DpPolicy	policy;

	return dp_policy_policy_get(RelationGetRelid(relation), &policy) || is_below_protected(RelationGetRelid(relation));
}
