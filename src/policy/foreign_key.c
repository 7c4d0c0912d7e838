/* SPDX-License-Identifier: PostgreSQL */
/*
 * foreign_key.c
 *	  The foreign keys by which tables without a unit of their own find it.
 *
 * The label says which column.  Which foreign key that is, and whether it holds, is
 * looked up whenever a statement is planned.  So it survives dump, restore and
 * renaming, and nothing is answered by one that is gone, not validated, not enforced or
 * ambiguous.  Each thing looked at here belongs to a table in the plan, and invalidates
 * it when it changes.
 *
 * Before anything is answered the keys referred to must have been unique for longer
 * than any snapshot in use: of two rows with one key only one could be the parent.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "nodes/pathnodes.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "base/compat_catalog.h"
#include "expression/allow_list.h"
#include "policy/foreign_key.h"
#include "policy/obstacle.h"
#include "policy/partitions.h"
#include "policy/policy.h"
#include "policy/unique.h"
#include "tree/reason.h"

/* Most links that are followed to see that a column holds the unit. */
#define MOST_LINKS 32

#define OWNER_HINT "Its owner can add the foreign key, or declare protection again."

/* A foreign key as the catalog has it. */
static FormData_pg_constraint
lookup(Oid constraint)
{
	HeapTuple	tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(constraint));
	FormData_pg_constraint form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for constraint %u", constraint);
	form = *(Form_pg_constraint) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	return form;
}

/* Has a trigger of this constraint been disabled? */
static bool
has_disabled_trigger(Oid constraint)
{
	Relation	catalog = table_open(TriggerRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		disabled = false;

	ScanKeyInit(&key, Anum_pg_trigger_tgconstraint, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(constraint));
	scan = systable_beginscan(catalog, TriggerConstraintIndexId, true, NULL, 1, &key);
	while (!disabled && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		char		enabled = ((Form_pg_trigger) GETSTRUCT(tuple))->tgenabled;

		disabled = enabled != TRIGGER_FIRES_ON_ORIGIN && enabled != TRIGGER_FIRES_ALWAYS;
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return disabled;
}

/* The constraints that partitions have of this one. */
static List *
parts_of_constraint(Oid constraint)
{
	Relation	catalog = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *parts = NIL;

	ScanKeyInit(&key, Anum_pg_constraint_conparentid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(constraint));
	scan = systable_beginscan(catalog, ConstraintParentIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		parts = lappend_oid(parts, ((Form_pg_constraint) GETSTRUCT(tuple))->oid);
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return parts;
}

/* Is a foreign key validated and checked on every change, here and in partitions? */
static bool
is_enforced(Oid constraint)
{
	FormData_pg_constraint form;
	bool		enforced;
	ListCell   *lc;

	/* A partition's may go while that is being detached. */
	if (!SearchSysCacheExists1(CONSTROID, ObjectIdGetDatum(constraint)))
		return false;
	form = lookup(constraint);
	enforced = dp_compat_constraint_holds(&form) && !has_disabled_trigger(constraint);
	foreach(lc, parts_of_constraint(constraint))
		enforced = enforced && is_enforced(lfirst_oid(lc));
	return enforced;
}

/* May this column be compared by this operand of the operator as it is? */
static bool
is_plain_operand(Form_pg_attribute column, Oid operand)
{
	return dp_expression_type_is_groupable(getBaseType(column->atttypid)) &&
		dp_expression_collation_is_allowed(column->attcollation) &&
		IsBinaryCoercible(column->atttypid, operand);
}

/*
 * Are key and column compared by PostgreSQL's own equality of their types, in which
 * the key is unique?  In that of times with and without a zone it need not be.
 */
static bool
compares_plainly(Relation relation, Relation parent, const DpForeignKey *link, int i)
{
	Form_pg_attribute key = TupleDescAttr(RelationGetDescr(parent), link->keys[i] - 1);
	Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), link->columns[i] - 1);
	Oid			family = lookup_type_cache(key->atttypid, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	Oid			left;
	Oid			right;

	op_input_types(link->operators[i], &left, &right);
	return link->operators[i] < FirstUnpinnedObjectId && OidIsValid(family) &&
		op_volatile(link->operators[i]) == PROVOLATILE_IMMUTABLE &&
		get_op_opfamily_strategy(link->operators[i], family) == BTEqualStrategyNumber &&
		is_plain_operand(key, left) && is_plain_operand(column, right);
}

/* Has the key that a foreign key refers to been unique for long? */
static bool
key_is_old(Relation parent, Oid constraint, List **new_keys)
{
	Relation	index = index_open(lookup(constraint).conindid, AccessShareLock);
	bool		old;

	old = dp_policy_key_is_in_force(index) && dp_policy_key_is_old(index, parent, new_keys);
	index_close(index, AccessShareLock);
	return old;
}

/* Do children have rows that a foreign key does not look at, on either side? */
static bool
leaves_out_children(Oid relid, const DpForeignKey *link)
{
	return dp_policy_has_children(relid) || dp_policy_has_children(link->parent);
}

/* Reason why a foreign key as such cannot be used, or NULL. */
static DpReason *
obstacle(Relation relation, Relation parent, Oid constraint, const DpForeignKey *link)
{
	const char *name = RelationGetRelationName(relation);
	FormData_pg_constraint form = lookup(constraint);

	if (dp_compat_is_of_periods(&form))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
								 "Its rows may refer to several. Use a foreign key without PERIOD.",
								 "foreign key \"%s\" of \"%s\" is of periods",
								 get_constraint_name(constraint), name);
	if (!is_enforced(constraint))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
								 "Its owner can validate it, or enable its triggers.",
								 "foreign key \"%s\" of \"%s\" is not enforced",
								 get_constraint_name(constraint), name);
	if (leaves_out_children(RelationGetRelid(relation), link))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
								 "Use partitioned tables instead, which foreign keys lead from and to.",
								 "foreign key \"%s\" of \"%s\" does not hold for inheritance children",
								 get_constraint_name(constraint), name);
	for (int i = 0; i < link->ncolumns; i++)
	{
		if (!dp_policy_column_is_not_null(relation, link->columns[i]))
			return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
									 "Its owner can SET NOT NULL.",
									 "column \"%s\" of \"%s\" may be null",
									 get_attname(RelationGetRelid(relation), link->columns[i], false),
									 name);
		if (!compares_plainly(relation, parent, link, i))
			return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
									 "Use columns of the same built-in type and its default operator class.",
									 "foreign key \"%s\" of \"%s\" compares columns in a way that is not supported",
									 get_constraint_name(constraint), name);
	}
	if (parent->rd_rel->relowner != relation->rd_rel->relowner &&
		pg_class_aclcheck(link->parent, relation->rd_rel->relowner, ACL_SELECT) != ACLCHECK_OK)
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
								 "Grant the owner SELECT on it.",
								 "the owner of \"%s\" may not read \"%s\"", name,
								 RelationGetRelationName(parent));
	return NULL;
}

/* Copy what matters of a foreign key. */
static void
describe(const ForeignKeyCacheInfo *info, DpForeignKey *link)
{
	memset(link, 0, sizeof(DpForeignKey));
	link->parent = info->confrelid;
	link->ncolumns = info->nkeys;
	for (int i = 0; i < info->nkeys; i++)
	{
		link->columns[i] = info->conkey[i];
		link->keys[i] = info->confkey[i];
		link->operators[i] = info->conpfeqop[i];
	}
}

/* Does a foreign key have this column, as it was declared, not for a partition it refers to? */
static bool
has_column(const ForeignKeyCacheInfo *info, AttrNumber column)
{
	for (int i = 0; i < info->nkeys; i++)
		if (info->conkey[i] == column)
			return !OidIsValid(lookup(info->conoid).conparentid);
	return false;
}

/*
 * The one foreign key with the policy's column, if it leads to a protected table, holds
 * for every row, and the table's owner may read what it leads to.  Two are ambiguous
 * whatever they lead to: protecting or not protecting another table changes no link.
 */
static DpReason *
find_foreign_key(Relation relation, const DpPolicy *policy, DpForeignKey *link, List **new_keys)
{
	const ForeignKeyCacheInfo *found = NULL;
	Relation	parent;
	DpPolicy	next;
	DpReason   *reason;
	ListCell   *lc;

	/* A copy: looking at catalogs may rebuild the list. */
	foreach(lc, copyObject(RelationGetFKeyList(relation)))
	{
		const ForeignKeyCacheInfo *info = lfirst(lc);

		if (!has_column(info, policy->unit))
			continue;
		if (found)
			return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
									 "Its owner can declare a column that only one of them has.",
									 "column \"%s\" of \"%s\" belongs to several foreign keys",
									 get_attname(info->conrelid, policy->unit, false),
									 RelationGetRelationName(relation));
		found = info;
	}
	if (found == NULL || !dp_policy_policy_get(found->confrelid, &next))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1, OWNER_HINT,
								 "no foreign key leads from column \"%s\" of \"%s\" to a protected table",
								 get_attname(RelationGetRelid(relation), policy->unit, false),
								 RelationGetRelationName(relation));
	describe(found, link);
	parent = table_open(link->parent, AccessShareLock);
	link->is_old = key_is_old(parent, found->conoid, new_keys);
	reason = obstacle(relation, parent, found->conoid, link);
	table_close(parent, NoLock);
	return reason;
}

/* Is it certain that no two rows of a linked table refer to one row of its parent? */
static bool
refers_once(Relation relation, const DpForeignKey *link, List **new_keys)
{
	return link->ncolumns == 1 && dp_policy_unit_is_unique(relation, link->columns[0], new_keys);
}

/* Reason why links do not know the unit, or the reference to one, that a column of a table holds; NULL if they do. */
static DpReason *
check_spellings(Relation relation, AttrNumber column)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(relation), column - 1);

	if (!dp_policy_lowers_unit(attribute->atttypid))
		return NULL;
	return dp_tree_reason_as(ERRCODE_DATATYPE_MISMATCH, -1,
							 psprintf("Use a column of text GENERATED ALWAYS AS (lower(%s::text)) STORED in both tables.",
									  quote_identifier(NameStr(attribute->attname))),
							 "column \"%s\" of type %s cannot be the privacy unit where tables are linked",
							 NameStr(attribute->attname), format_type_be(attribute->atttypid));
}

/* Reason why a link may not lead to a table, or NULL. */
static DpReason *
check_parent(Relation relation, const DpPolicy *policy, Relation parent, DpPolicy *next,
			 List *visited)
{
	DpReason   *reason;

	if (!dp_policy_policy_get(RelationGetRelid(parent), next))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1, OWNER_HINT,
								 "table \"%s\" is not protected", RelationGetRelationName(parent));
	if (strcmp(NameStr(policy->dataset), NameStr(next->dataset)) != 0)
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
								 "The owner can declare protection again.",
								 "\"%s\" and \"%s\", which it is linked to, are of two data sets",
								 RelationGetRelationName(relation),
								 RelationGetRelationName(parent));
	if (list_member_oid(visited, RelationGetRelid(parent)))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1,
								 "One of the tables needs a privacy unit of its own.",
								 "the links of \"%s\" lead in a circle",
								 RelationGetRelationName(relation));
	reason = dp_policy_obstacle(parent, next->unit);
	return reason ? reason : check_spellings(parent, next->unit);
}

DpReason *
dp_policy_follow_links(Relation relation, const DpPolicy *policy, DpForeignKey *link,
					   bool *row_is_unit, List **new_keys)
{
	List	   *visited = NIL;
	DpReason   *reason = NULL;
	DpPolicy	here = *policy;

	*row_is_unit = true;
	relation = table_open(RelationGetRelid(relation), NoLock);
	while (here.linked)
	{
		DpForeignKey current = {0};
		Relation	parent;
		DpPolicy	next = {0};

		reason = check_spellings(relation, here.unit);
		if (reason == NULL)
			reason = find_foreign_key(relation, &here, &current, new_keys);
		if (reason)
			break;
		if (visited == NIL)
			*link = current;
		link->is_old = link->is_old && current.is_old;
		visited = lappend_oid(visited, RelationGetRelid(relation));
		*row_is_unit = *row_is_unit && refers_once(relation, &current, new_keys);
		parent = table_open(current.parent, AccessShareLock);
		reason = check_parent(relation, &here, parent, &next, visited);
		table_close(relation, NoLock);
		relation = parent;
		if (reason)
			break;
		here = next;
	}
	if (reason == NULL)
		*row_is_unit = *row_is_unit && dp_policy_unit_is_unique(relation, here.unit, new_keys);
	table_close(relation, NoLock);
	return reason;
}

/*
 * Does a column of a table hold the unit of its rows, of this data set: as their own, or as that to whose column their
 * link refers?  Not after so many links, which may lead in a circle.
 */
static bool
holds_unit(Oid relid, AttrNumber column, const NameData *dataset, int links)
{
	DpPolicy	policy = {0};
	DpForeignKey link = {0};
	Relation	relation;
	DpReason   *reason;
	bool		malformed;

	if (links == 0 || !dp_policy_policy_find(relid, &policy, &malformed) ||
		strcmp(NameStr(*dataset), NameStr(policy.dataset)) != 0)
		return false;
	if (!policy.linked)
		return policy.unit == column;
	relation = table_open(relid, AccessShareLock);
	reason = find_foreign_key(relation, &policy, &link, NULL);
	table_close(relation, NoLock);
	for (int i = 0; reason == NULL && i < link.ncolumns; i++)
		if (link.columns[i] == column)
			return holds_unit(link.parent, link.keys[i], dataset, links - 1);
	return false;
}

/* Does a foreign key lead from the unit's column of a table to one that holds the unit, too? */
static bool
leads_to_unit(const DpForeignKey *link, const DpPolicy *policy)
{
	for (int i = 0; i < link->ncolumns; i++)
		if (link->columns[i] == policy->unit)
			return holds_unit(link->parent, link->keys[i], &policy->dataset, MOST_LINKS);
	return false;
}

/* Do all columns of a foreign key compare as their types do? */
static bool
all_compare_plainly(Relation relation, const DpForeignKey *link)
{
	Relation	parent = table_open(link->parent, AccessShareLock);
	bool		plainly = true;

	for (int i = 0; i < link->ncolumns; i++)
		plainly = plainly && compares_plainly(relation, parent, link, i);
	table_close(parent, NoLock);
	return plainly;
}

/* Has a foreign key one of these columns? */
static bool
has_any(const ForeignKeyCacheInfo *info, const Bitmapset *columns)
{
	for (int i = 0; i < info->nkeys; i++)
		if (bms_is_member(info->conkey[i], columns))
			return true;
	return columns == NULL;
}

/* Does a foreign key of a table with a unit of its own prove that what it leads to is of the same unit? */
static bool
proves_unit(Relation relation, const DpPolicy *policy, const ForeignKeyCacheInfo *info, const DpForeignKey *link)
{
	return leads_to_unit(link, policy) && !leaves_out_children(RelationGetRelid(relation), link) &&
		is_enforced(info->conoid) && all_compare_plainly(relation, link);
}

List *
dp_policy_unit_links(Relation relation, const DpPolicy *policy, const Bitmapset *columns)
{
	List	   *links = NIL;
	ListCell   *lc;

	/* A copy: looking at catalogs may rebuild the list. */
	foreach(lc, copyObject(RelationGetFKeyList(relation)))
	{
		const ForeignKeyCacheInfo *info = lfirst(lc);
		DpForeignKey *link;

		if (!has_any(info, columns) || !has_column(info, policy->unit))
			continue;
		link = palloc0(sizeof(DpForeignKey));
		if (policy->linked)
			return find_foreign_key(relation, policy, link, NULL) ? NIL : list_make1(link);
		describe(info, link);
		if (proves_unit(relation, policy, info, link))
			links = lappend(links, link);
	}
	return links;
}

AttrNumber
dp_policy_column_for(const DpForeignKey *link, AttrNumber key)
{
	for (int i = 0; i < link->ncolumns; i++)
		if (link->keys[i] == key)
			return link->columns[i];
	return InvalidAttrNumber;
}
