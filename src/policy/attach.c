/* SPDX-License-Identifier: PostgreSQL */
/*
 * attach.c
 *	  Who may attach what to a protected table.
 *
 * PostgreSQL looks at rights where it carries out a command.  An extension may come in below that,
 * and make a trigger, or anything else, by calling what makes it.  Some take for a right to
 * read that a query of the caller's has run, which ours does without; some have functions that run as
 * whoever installed them.  So the catalogs' rows themselves are looked at, as they are made.
 *
 * They are not visible yet to the command that makes them: they are read as they stand.  The tables of
 * the extension's own are looked after likewise.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_policy.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_publication.h"
#include "catalog/pg_publication_namespace.h"
#include "catalog/pg_publication_rel.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_statistic_ext.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodes.h"
#include "parser/parse_type.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "base/compat_catalog.h"
#include "policy/asking_role.h"
#include "policy/attach.h"
#include "policy/policy.h"
#include "policy/uninstall.h"
#include "tree/reason.h"

/* The rows of a catalog whose first column in an index, or any if there is none, has a value, as they stand: copies. */
static List *
rows_with(Oid catalog, Oid index, AttrNumber column, Oid value)
{
	List	   *rows = NIL;
	Relation	relation = table_open(catalog, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(value));
	scan = systable_beginscan(relation, index, OidIsValid(index), SnapshotSelf, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		rows = lappend(rows, heap_copytuple(tuple));
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return rows;
}

/* The one row with this OID, or NULL. */
static void *
row_of(Oid catalog, Oid index, AttrNumber column, Oid oid)
{
	List	   *rows = rows_with(catalog, index, column, oid);

	return rows == NIL ? NULL : GETSTRUCT((HeapTuple) linitial(rows));
}

/* A column of a row that may be null, or stored outside it; null if it is null. */
static Datum
column_of(HeapTuple tuple, Oid catalog, AttrNumber column, bool *isnull)
{
	Relation	relation = table_open(catalog, AccessShareLock);
	Datum		value = heap_getattr(tuple, column, RelationGetDescr(relation), isnull);

	table_close(relation, AccessShareLock);
	return value;
}

/* Are two texts or byte strings, each perhaps null, the same? */
static bool
same_column(HeapTuple one, HeapTuple other, Oid catalog, AttrNumber column)
{
	bool		one_null;
	bool		other_null;
	Datum		a = column_of(one, catalog, column, &one_null);
	Datum		b = column_of(other, catalog, column, &other_null);

	return one_null == other_null && (one_null || datum_image_eq(a, b, false, -1));
}

/* The tables that a table inherits from. */
static List *
parents(Oid relid)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, rows_with(InheritsRelationId, InheritsRelidSeqnoIndexId, Anum_pg_inherits_inhrelid, relid))
		result = lappend_oid(result, ((Form_pg_inherits) GETSTRUCT((HeapTuple) lfirst(lc)))->inhparent);
	return result;
}

/* The rows that say what an object depends on, or what depends on it, as they stand: copies. */
static List *
dependencies(bool on_it, Oid classid, Oid objectid)
{
	List	   *rows = NIL;
	Relation	relation = table_open(DependRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], on_it ? Anum_pg_depend_refclassid : Anum_pg_depend_classid,
				BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(classid));
	ScanKeyInit(&keys[1], on_it ? Anum_pg_depend_refobjid : Anum_pg_depend_objid,
				BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(objectid));
	scan = systable_beginscan(relation, on_it ? DependReferenceIndexId : DependDependerIndexId, true, SnapshotSelf, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		rows = lappend(rows, GETSTRUCT(heap_copytuple(tuple)));
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return rows;
}

/* The relations that a rule of a view's depends on, but for the view. */
static List *
relations_of_rule(Oid rule, Oid view)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, dependencies(false, RewriteRelationId, rule))
	{
		const FormData_pg_depend *row = lfirst(lc);

		if (row->refclassid == RelationRelationId && row->refobjid != view)
			result = list_append_unique_oid(result, row->refobjid);
	}
	return result;
}

/* The relations that a view reads. */
static List *
read_by_view(Oid view)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, rows_with(RewriteRelationId, RewriteRelRulenameIndexId, Anum_pg_rewrite_ev_class, view))
	{
		const FormData_pg_rewrite *rule = (const FormData_pg_rewrite *) GETSTRUCT((HeapTuple) lfirst(lc));

		if (rule->ev_type == '0' + CMD_SELECT)
			result = list_concat_unique_oid(result, relations_of_rule(rule->oid, view));
	}
	return result;
}

/* Is this a view, materialized or not? */
static bool
is_view(Oid relid)
{
	char		relkind = get_rel_relkind(relid);

	return relkind == RELKIND_VIEW || relkind == RELKIND_MATVIEW;
}

/* Is it one of the extension's own tables?  They hold budgets, and others' answers. */
static bool
is_own(Oid relid)
{
	Oid			schema = get_rel_namespace(relid);

	return OidIsValid(schema) && schema == get_namespace_oid("dp_agg", true);
}

/* The protected tables that a relation is, is a child of, or reads as a view; ours count as such. */
static List *
protected_rows_in(Oid relid)
{
	List	   *all = list_make1_oid(relid);
	List	   *result = NIL;
	ListCell   *lc;

	/* It grows meanwhile. */
	foreach(lc, all)
	{
		Oid			found = lfirst_oid(lc);

		CHECK_FOR_INTERRUPTS();
		if (dp_policy_is_protected(found) || is_own(found))
			result = lappend_oid(result, found);
		else
			all = list_concat_unique_oid(all, is_view(found) ? read_by_view(found) : parents(found));
	}
	return result;
}

/* Has a role a right on a relation, or on any column of it?  Its owner has; zero is ownership. */
static bool
has_right(Oid role, Oid relid, AclMode right)
{
	return dp_compat_owns(RelationRelationId, relid, role) ||
		(right != 0 &&
		 (pg_class_aclcheck(relid, role, right) == ACLCHECK_OK ||
		  pg_attribute_aclcheck_all(relid, role, right, ACLMASK_ANY) == ACLCHECK_OK));
}

/* Has this transaction made the relation? */
static bool
is_new(Oid relid)
{
	Relation	relation = RelationIdGetRelation(relid);
	bool		result = relation != NULL && relation->rd_createSubid != InvalidSubTransactionId;

	if (relation)
		RelationClose(relation);
	return result;
}

/* Refusal for a role that has no right to something. */
static DpReason *
denied(Oid role, DpReason *reason)
{
	reason->detail = psprintf("Role \"%s\" asks for it, and has not the right itself.", GetUserNameFromId(role, false));
	return reason;
}

/* The first of these roles that has no right to a relation; InvalidOid if all have it. */
static Oid
without_right(const List *roles, Oid relid, AclMode right)
{
	ListCell   *lc;

	foreach(lc, roles)
		if (!has_right(lfirst_oid(lc), relid, right))
			return lfirst_oid(lc);
	return InvalidOid;
}

/*
 * Reason why something may not be attached to a relation in the name of these
 * roles; NULL if it may.
 */
static DpReason *
need_of(const List *roles, Oid relid, AclMode right, const char *what)
{
	Oid			role = protected_rows_in(relid) == NIL ? InvalidOid : without_right(roles, relid, right);

	if (!OidIsValid(role))
		return NULL;
	return denied(role,
				  dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, -1,
									right == ACL_TRIGGER ? "The owner of the table can do it, or grant TRIGGER." :
									right == ACL_REFERENCES ? "The owner of the table can grant REFERENCES." :
									"The owner of the table can do it.",
									"permission denied to attach %s to \"%s\", which has protected rows", what, get_rel_name(relid)));
}

/* The current user, and all who ask. */
static List *
all_hands(void)
{
	return lcons_oid(GetUserId(), dp_policy_asking_roles());
}

/* The same in the name of all of them. */
static DpReason *
need(Oid relid, AclMode right, const char *what)
{
	return need_of(all_hands(), relid, right, what);
}

/*
 * The same of what makes up a table.  A child that this transaction has made is not
 * checked: it was checked when it came to its parent, and an extension may complete it
 * as the role that writes its first row.
 */
static DpReason *
need_to_form(Oid relid, const char *what)
{
	return is_new(relid) ? NULL : need(relid, 0, what);
}

/* Is it a trigger of PostgreSQL's own, that keeps a constraint?  That was looked at. */
static bool
keeps_constraint(const FormData_pg_trigger *trigger)
{
	return trigger->tgisinternal && OidIsValid(trigger->tgconstraint) &&
		(RI_FKey_trigger_type(trigger->tgfoid) != RI_TRIGGER_NONE || trigger->tgfoid == F_UNIQUE_KEY_RECHECK);
}

/* Do two triggers do the same at the same events? */
static bool
same_trigger(HeapTuple one, HeapTuple other)
{
	const FormData_pg_trigger *a = (const FormData_pg_trigger *) GETSTRUCT(one);
	const FormData_pg_trigger *b = (const FormData_pg_trigger *) GETSTRUCT(other);

	return a->tgfoid == b->tgfoid && a->tgtype == b->tgtype &&
		same_column(one, other, TriggerRelationId, Anum_pg_trigger_tgargs);
}

/* Has a parent of its table the same trigger? */
static bool
is_inherited_trigger(HeapTuple trigger)
{
	ListCell   *parent;
	ListCell   *lc;

	foreach(parent, parents(((Form_pg_trigger) GETSTRUCT(trigger))->tgrelid))
		foreach(lc, rows_with(TriggerRelationId, TriggerRelidNameIndexId, Anum_pg_trigger_tgrelid, lfirst_oid(parent)))
			if (same_trigger(trigger, lfirst(lc)))
				return true;
	return false;
}

static DpReason *
check_trigger(Oid oid)
{
	List	   *rows = rows_with(TriggerRelationId, TriggerOidIndexId, Anum_pg_trigger_oid, oid);
	Form_pg_trigger trigger = rows == NIL ? NULL : (Form_pg_trigger) GETSTRUCT((HeapTuple) linitial(rows));

	if (trigger == NULL || keeps_constraint(trigger) || is_inherited_trigger(linitial(rows)))
		return NULL;
	return need(trigger->tgrelid, ACL_TRIGGER, "a trigger");
}

/* Reason why a role may not have a view read these; NULL if it may. */
static DpReason *
need_to_read(Oid role, Oid view, const List *read)
{
	ListCell   *lc;

	if (dp_compat_owns(RelationRelationId, view, role))
		return NULL;
	foreach(lc, read)
		if (!has_right(role, lfirst_oid(lc), ACL_SELECT))
			return denied(role, dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, -1,
												  "Make a view of your own, which reads with your rights.",
												  "permission denied to have \"%s\" read protected rows with the rights of its owner",
												  get_rel_name(view)));
	return NULL;
}

/*
 * A view reads with its owner's rights.  The role that asks for it must have these, or
 * may read what the view reads: otherwise it would be lent somebody else's rights.
 */
static DpReason *
check_view(Oid view)
{
	List	   *read = protected_rows_in(view);
	DpReason   *reason = NULL;
	ListCell   *lc;

	if (read == NIL)
		return NULL;
	foreach(lc, dp_policy_asking_roles())
		if (reason == NULL)
			reason = need_to_read(lfirst_oid(lc), view, read);
	return reason;
}

static DpReason *
check_rule(Oid oid)
{
	Form_pg_rewrite rule = row_of(RewriteRelationId, RewriteOidIndexId, Anum_pg_rewrite_oid, oid);

	if (rule == NULL)
		return NULL;
	return rule->ev_type == '0' + CMD_SELECT && is_view(rule->ev_class) ? check_view(rule->ev_class) :
		need(rule->ev_class, 0, "a rule");
}

static DpReason *
check_policy(Oid oid)
{
	Form_pg_policy policy = row_of(PolicyRelationId, PolicyOidIndexId, Anum_pg_policy_oid, oid);

	return policy ? need(policy->polrelid, 0, "a policy") : NULL;
}

static DpReason *
check_statistics(Oid oid)
{
	Form_pg_statistic_ext statistics = row_of(StatisticExtRelationId, StatisticExtOidIndexId, Anum_pg_statistic_ext_oid, oid);

	return statistics ? need_to_form(statistics->stxrelid, "statistics") : NULL;
}

/* Does a table refer to another as a parent of it does? */
static bool
is_inherited_reference(const FormData_pg_constraint *constraint)
{
	ListCell   *parent;
	ListCell   *lc;

	if (OidIsValid(constraint->conparentid))
		return true;
	foreach(parent, parents(constraint->conrelid))
		foreach(lc, rows_with(ConstraintRelationId, ConstraintRelidTypidNameIndexId, Anum_pg_constraint_conrelid, lfirst_oid(parent)))
			if (((Form_pg_constraint) GETSTRUCT((HeapTuple) lfirst(lc)))->confrelid == constraint->confrelid)
				return true;
	return false;
}

/* The tables with columns of a domain, or of one over it.  PostgreSQL alters none that is within another type. */
static List *
tables_of_domain(Oid domain)
{
	List	   *domains = list_make1_oid(domain);
	List	   *tables = NIL;
	ListCell   *one;
	ListCell   *lc;

	/* It grows meanwhile. */
	foreach(one, domains)
		foreach(lc, dependencies(true, TypeRelationId, lfirst_oid(one)))
		{
			const FormData_pg_depend *user = lfirst(lc);

			CHECK_FOR_INTERRUPTS();
			if (user->classid == TypeRelationId && get_typtype(user->objid) == TYPTYPE_DOMAIN)
				domains = list_append_unique_oid(domains, user->objid);
			else if (user->classid == RelationRelationId && user->objsubid > 0 && !is_view(user->objid))
				tables = list_append_unique_oid(tables, user->objid);
		}
	return tables;
}

/*
 * A domain's checks are called with the values of its columns, and its default by
 * every role that writes them.
 */
static DpReason *
check_domain(Oid domain, const char *what)
{
	DpReason   *reason = NULL;
	ListCell   *lc;

	foreach(lc, tables_of_domain(domain))
		if (reason == NULL)
			reason = need(lfirst_oid(lc), 0, what);
	return reason;
}

void
dp_policy_check_domain(const AlterDomainStmt *command)
{
	Oid			domain = LookupTypeNameOid(NULL, makeTypeNameFromNameList(command->typeName), true);
	DpReason   *reason = NULL;

	/* PostgreSQL refuses roles that may not do it anyway. */
	if (!OidIsValid(domain) || !dp_compat_owns(TypeRelationId, domain, GetUserId()))
		return;
	if (command->subtype == 'T')
		reason = check_domain(domain, "a default");
	else if (command->subtype == 'C' || command->subtype == 'O' || command->subtype == 'V')
		reason = check_domain(domain, "a constraint");
	if (reason)
		dp_tree_raise(reason, NULL);
}

/* Constraints of tables, and of domains.  Those of a trigger are looked at with it. */
static DpReason *
check_constraint(Oid oid)
{
	Form_pg_constraint constraint = row_of(ConstraintRelationId, ConstraintOidIndexId, Anum_pg_constraint_oid, oid);
	DpReason   *reason;

	if (constraint == NULL || constraint->contype == CONSTRAINT_TRIGGER)
		return NULL;
	if (OidIsValid(constraint->contypid))
		return check_domain(constraint->contypid, "a constraint");
	reason = need_to_form(constraint->conrelid, "a constraint");
	if (reason || constraint->contype != CONSTRAINT_FOREIGN || is_inherited_reference(constraint))
		return reason;
	return need(constraint->confrelid, ACL_REFERENCES, "a foreign key");
}

/* Are two stored expressions, each perhaps null, the same? */
static bool
same_tree(HeapTuple one, HeapTuple other, Oid catalog, AttrNumber column)
{
	bool		one_null;
	bool		other_null;
	Datum		a = column_of(one, catalog, column, &one_null);
	Datum		b = column_of(other, catalog, column, &other_null);

	return one_null == other_null &&
		(one_null || equal(stringToNode(TextDatumGetCString(a)), stringToNode(TextDatumGetCString(b))));
}

/* Have two indexes of a table the same columns, expressions and condition? */
static bool
same_index(HeapTuple one, HeapTuple other)
{
	const FormData_pg_index *a = (const FormData_pg_index *) GETSTRUCT(one);
	const FormData_pg_index *b = (const FormData_pg_index *) GETSTRUCT(other);

	return a->indexrelid != b->indexrelid && a->indisunique == b->indisunique &&
		same_column(one, other, IndexRelationId, Anum_pg_index_indkey) &&
		same_column(one, other, IndexRelationId, Anum_pg_index_indclass) &&
		same_tree(one, other, IndexRelationId, Anum_pg_index_indexprs) &&
		same_tree(one, other, IndexRelationId, Anum_pg_index_indpred);
}

/* Is there such an index already?  REINDEX CONCURRENTLY makes one beside it. */
static bool
is_index_there(HeapTuple index)
{
	ListCell   *lc;

	foreach(lc, rows_with(IndexRelationId, IndexIndrelidIndexId, Anum_pg_index_indrelid, ((Form_pg_index) GETSTRUCT(index))->indrelid))
		if (same_index(index, lfirst(lc)))
			return true;
	return false;
}

/* A relation that is made: an index is attached to another. */
static DpReason *
check_index(Oid oid)
{
	List	   *rows = rows_with(IndexRelationId, IndexRelidIndexId, Anum_pg_index_indexrelid, oid);
	Oid			table = rows == NIL ? InvalidOid : ((Form_pg_index) GETSTRUCT((HeapTuple) linitial(rows)))->indrelid;

	if (rows == NIL || protected_rows_in(table) == NIL || is_index_there(linitial(rows)))
		return NULL;
	return need_to_form(table, "an index");
}

/* Is one table a child of another, and not about to leave it? */
static bool
is_child(Oid child, Oid parent)
{
	ListCell   *lc;

	foreach(lc, rows_with(InheritsRelationId, InheritsRelidSeqnoIndexId, Anum_pg_inherits_inhrelid, child))
	{
		const FormData_pg_inherits *row = (const FormData_pg_inherits *) GETSTRUCT((HeapTuple) lfirst(lc));

		if (row->inhparent == parent)
			return !row->inhdetachpending;
	}
	return false;
}

/* Has a relation another's owner? */
static bool
same_owner(Oid one, Oid other)
{
	Relation	a = RelationIdGetRelation(one);
	Relation	b = RelationIdGetRelation(other);
	bool		result = a && b && a->rd_rel->relowner == b->rd_rel->relowner;

	if (a)
		RelationClose(a);
	if (b)
		RelationClose(b);
	return result;
}

/*
 * A child that comes to a parent: what rights there are to either are rights to the child's rows, old and
 * new.  A new table of the parent's owner is a partition that whoever writes rows may need; its maker's
 * right alone is asked for.
 */
static DpReason *
check_child(Oid child, Oid parent)
{
	List	   *roles;
	DpReason   *reason;

	if (!is_child(child, parent))
		return NULL;
	roles = is_new(child) && same_owner(child, parent) ? list_make1_oid(GetUserId()) : all_hands();
	reason = need_of(roles, parent, 0, "a child");
	if (reason || (!dp_policy_is_protected(child) && protected_rows_in(parent) != NIL))
		return reason;
	return need_of(roles, child, 0, "a parent");
}

/* A table and its children at any depth, of a schema if one is given, which are published together. */
static DpReason *
check_published_children(Oid relid, Oid schema)
{
	DpReason   *reason = NULL;
	ListCell   *lc;

	if (get_rel_name(relid) == NULL)
		return NULL;
	foreach(lc, find_all_inheritors(relid, NoLock, NULL))
		if (reason == NULL && (!OidIsValid(schema) || get_rel_namespace(lfirst_oid(lc)) == schema))
			reason = need(lfirst_oid(lc), 0, "a publication");
	return reason;
}

/* All protected tables, or those of a schema. */
static DpReason *
check_published_tables(Oid schema)
{
	DpReason   *reason = NULL;
	ListCell   *lc;

	foreach(lc, dp_policy_labelled_tables())
		if (reason == NULL)
			reason = check_published_children(lfirst_oid(lc), schema);
	return reason;
}

static DpReason *
check_published_schema(Oid oid)
{
	Form_pg_publication_namespace row = row_of(PublicationNamespaceRelationId, PublicationNamespaceObjectIndexId,
											   Anum_pg_publication_namespace_oid, oid);

	return row ? check_published_tables(row->pnnspid) : NULL;
}

static DpReason *
check_published_table(Oid oid)
{
	Form_pg_publication_rel row = row_of(PublicationRelRelationId, PublicationRelObjectIndexId, Anum_pg_publication_rel_oid, oid);

	return row ? need(row->prrelid, 0, "a publication") : NULL;
}

/* A publication, made with its tables and schemas.  Those that it gains later are looked at then. */
static DpReason *
check_publication(Oid oid, bool altered)
{
	Form_pg_publication publication = row_of(PublicationRelationId, PublicationObjectIndexId, Anum_pg_publication_oid, oid);
	DpReason   *reason = publication && publication->puballtables ? check_published_tables(InvalidOid) : NULL;
	ListCell   *lc;

	if (altered)
		return reason;
	foreach(lc, rows_with(PublicationRelRelationId, PublicationRelPrpubidIndexId, Anum_pg_publication_rel_prpubid, oid))
		if (reason == NULL)
			reason = need(((Form_pg_publication_rel) GETSTRUCT((HeapTuple) lfirst(lc)))->prrelid, 0, "a publication");
	foreach(lc, rows_with(PublicationNamespaceRelationId, InvalidOid, Anum_pg_publication_namespace_pnpubid, oid))
		if (reason == NULL)
			reason = check_published_tables(((Form_pg_publication_namespace) GETSTRUCT((HeapTuple) lfirst(lc)))->pnnspid);
	return reason;
}

/* Reason why something may not be made or altered as it has been; NULL if it may. */
static DpReason *
obstacle(Oid classid, Oid objectid, int column, const void *details, bool altered)
{
	switch (classid)
	{
		case TriggerRelationId:
			return check_trigger(objectid);
		case RewriteRelationId:
			return check_rule(objectid);
		case PolicyRelationId:
			return check_policy(objectid);
		case StatisticExtRelationId:
			return altered ? NULL : check_statistics(objectid);
		case AttrDefaultRelationId:
			/* It is told by its table and column. */
			return need_to_form(objectid, "a default");
		case ConstraintRelationId:
			return altered ? NULL : check_constraint(objectid);
		case RelationRelationId:
			if (altered)
				return NULL;
			return column > 0 ? need_to_form(objectid, "a column") : check_index(objectid);
		case InheritsRelationId:
			return altered ? check_child(objectid, ((const ObjectAccessPostAlter *) details)->auxiliary_id) : NULL;
		case PublicationRelationId:
			return check_publication(objectid, altered);
		case PublicationRelRelationId:
			return check_published_table(objectid);
		case PublicationNamespaceRelationId:
			return check_published_schema(objectid);
		default:
			return NULL;
	}
}

/* Whose is a function or a relation?  InvalidOid for what is neither, or gone. */
static Oid
owner_of(Oid classid, Oid objectid)
{
	bool		is_function = classid == ProcedureRelationId;
	HeapTuple	tuple = is_function || classid == RelationRelationId ?
		SearchSysCache1(is_function ? PROCOID : RELOID, ObjectIdGetDatum(objectid)) : NULL;
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = is_function ? ((Form_pg_proc) GETSTRUCT(tuple))->proowner : ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Is it attached to a table that it depends on, rather than a view, a type or a reference? */
static bool
is_attached(const FormData_pg_depend *thing, Oid relid)
{
	Form_pg_rewrite rule;

	switch (thing->classid)
	{
		case RewriteRelationId:
			rule = row_of(RewriteRelationId, RewriteOidIndexId, Anum_pg_rewrite_oid, thing->objid);
			return rule != NULL && rule->ev_class == relid;
		case RelationRelationId:
			return get_rel_relkind(thing->objid) == RELKIND_INDEX || get_rel_relkind(thing->objid) == RELKIND_PARTITIONED_INDEX;
		case TriggerRelationId:
		case PolicyRelationId:
		case ConstraintRelationId:
		case AttrDefaultRelationId:
		case StatisticExtRelationId:
			return true;
		default:
			return false;
	}
}

/*
 * An object of a role that is neither owner nor superuser, on which something
 * depends, except tables it refers to; or NULL.
 */
static const FormData_pg_depend *
foreign_hand(const FormData_pg_depend *thing, Oid relid)
{
	Oid			owner = owner_of(RelationRelationId, relid);
	ListCell   *lc;

	foreach(lc, dependencies(false, thing->classid, thing->objid))
	{
		const FormData_pg_depend *row = lfirst(lc);
		Oid			role = owner_of(row->refclassid, row->refobjid);

		if (OidIsValid(role) && role != owner && !superuser_arg(role) &&
			(thing->classid != ConstraintRelationId || row->refclassid == ProcedureRelationId))
			return row;
	}
	return NULL;
}

/* Say what somebody else has a hand in. */
static void
warn_of_hand(Oid relid, const FormData_pg_depend *thing, const FormData_pg_depend *hand)
{
	ObjectAddress attached = {thing->classid, thing->objid, thing->objsubid};
	ObjectAddress other = {hand->refclassid, hand->refobjid, 0};

	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("others have a hand in what is attached to protected table \"%s\"", get_rel_name(relid)),
			 errdetail("There is %s, which depends on %s of role \"%s\".", getObjectDescription(&attached, false),
					   getObjectDescription(&other, false), GetUserNameFromId(owner_of(other.classId, other.objectId), false)),
			 errhint("dp_agg.attached() lists all that there is, with a statement that takes it away.")));
}

/* The first that is attached to a table and in which others have a hand, and that hand; or NULL. */
static const FormData_pg_depend *
first_foreign_hand(Oid relid, const FormData_pg_depend **thing)
{
	ListCell   *lc;

	foreach(lc, dependencies(true, RelationRelationId, relid))
	{
		const FormData_pg_depend *hand = is_attached(lfirst(lc), relid) ? foreign_hand(lfirst(lc), relid) : NULL;

		*thing = lfirst(lc);
		if (hand)
			return hand;
	}
	return NULL;
}

bool
dp_policy_others_have_a_hand(Oid relid)
{
	const FormData_pg_depend *thing;

	return first_foreign_hand(relid, &thing) != NULL;
}

/* A table is in reach of questions now: warn once. */
static void
warn_of_hands(Oid relid)
{
	const FormData_pg_depend *thing;
	const FormData_pg_depend *hand = first_foreign_hand(relid, &thing);

	if (hand)
		warn_of_hand(relid, thing, hand);
}

void
dp_policy_warn_of_hands(Oid relid)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg attached", ALLOCSET_SMALL_SIZES);
	MemoryContext outer = MemoryContextSwitchTo(context);
	ListCell   *lc;

	foreach(lc, find_all_inheritors(relid, NoLock, NULL))
		warn_of_hands(lfirst_oid(lc));
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(context);
}

/* The same of what comes to a table. */
static void
warn_of_child(Oid child, Oid parent)
{
	if (is_child(child, parent) && protected_rows_in(parent) != NIL)
		dp_policy_warn_of_hands(child);
}

/* Are all who have a hand in it superusers? */
static bool
is_superusers(void)
{
	ListCell   *lc;

	foreach(lc, all_hands())
		if (!superuser_arg(lfirst_oid(lc)))
			return false;
	return true;
}

void
dp_policy_check_attached(ObjectAccessType access, Oid classid, Oid objectid, int column, const void *details)
{
	MemoryContext context;
	MemoryContext outer;
	DpReason   *reason = NULL;

	if (access != OAT_POST_CREATE && access != OAT_POST_ALTER)
		return;
	context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg attached", ALLOCSET_SMALL_SIZES);
	outer = MemoryContextSwitchTo(context);
	if (!is_superusers())
		reason = obstacle(classid, objectid, column, details, access == OAT_POST_ALTER);
	if (reason)
	{
		MemoryContextSwitchTo(outer);
		dp_tree_raise(reason, NULL);
	}
	if (classid == InheritsRelationId && access == OAT_POST_ALTER)
		warn_of_child(objectid, ((const ObjectAccessPostAlter *) details)->auxiliary_id);
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(context);
}
