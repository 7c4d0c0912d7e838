/* SPDX-License-Identifier: PostgreSQL */
/*
 * row_security.c
 *	  Protected tables with row security are read under the policies of whoever reads them.
 *
 * PostgreSQL's rewriter says which policies these are, and what they demand together.  That becomes the WHERE of a
 * subquery in the table's place, so that a block has it among its conditions.  The subquery is a barrier, which the
 * planner respects wherever no block takes the subquery in.
 *
 * PostgreSQL has no use for security_barrier in an entry of FROM that is a table.  Here it says that the table's
 * policies are seen to.  What loses the sign is refused.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "base/compat_planner.h"
#include "policy/policy.h"
#include "policy/row_security.h"
#include "tree/make_nodes.h"
#include "tree/named_columns.h"

static DpWarnOfPolicies warn_of_policies = NULL;

void
dp_policy_set_warn_of_policies(DpWarnOfPolicies warn)
{
	warn_of_policies = warn;
}

void
dp_policy_warn_of_policies(Oid relid)
{
	if (warn_of_policies)
		warn_of_policies(relid);
}

void
dp_policy_settle_row_security(RangeTblEntry *rte)
{
	Assert(rte->rtekind == RTE_RELATION);
	rte->security_barrier = true;
}

bool
dp_policy_row_security_is_open(Query *query, RangeTblEntry *rte, Relation relation)
{
	Oid			reader = DP_PERMISSIONS(query, rte)->checkAsUser;

	if (rte->security_barrier)
		return false;
	return rte->securityQuals ||
		(relation->rd_rel->relrowsecurity && check_enable_rls(rte->relid, reader, true) == RLS_ENABLED);
}

/* SELECT FROM a table, read with a role's rights, or with those of the current one. */
static Query *
select_from(Relation relation, const RangeTblEntry *rte, Oid reader)
{
	Query	   *query = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	RangeTblRef *item = makeNode(RangeTblRef);
	RangeTblEntry *entry;

	item->rtindex = dp_compat_add_relation(query, relation);
	entry = linitial_node(RangeTblEntry, query->rtable);
	entry->inh = rte->inh;
	DP_PERMISSIONS(query, entry)->checkAsUser = reader;
	query->jointree->fromlist = list_make1(item);
	query->canSetTag = true;
	return query;
}

/*
 * That with the policies which apply now; NULL if the table has been dropped.  Raises an error where row security
 * is off for those it concerns.
 */
static Query *
apply_policies(const RangeTblEntry *rte, Oid reader)
{
	Relation	relation = try_relation_open(rte->relid, AccessShareLock);
	Query	   *query;
	RangeTblEntry *entry;

	if (relation == NULL)
		return NULL;
	query = linitial_node(Query, QueryRewrite(select_from(relation, rte, reader)));
	relation_close(relation, NoLock);
	entry = linitial_node(RangeTblEntry, query->rtable);
	query->jointree->quals = (Node *) make_ands_explicit(entry->securityQuals);
	query->hasSubLinks = checkExprHasSubLink(query->jointree->quals);
	entry->securityQuals = NIL;
	dp_policy_settle_row_security(entry);
	return query;
}

/* What it says of its table's policies: the table, the role that reads, the conditions. */
static List *
note_of(const RangeTblEntry *rte, Oid reader, const Query *applied)
{
	return list_make3(dp_tree_make_int8(rte->relid), dp_tree_make_int8(reader), copyObject(applied->jointree->quals));
}

/*
 * A column of a table, which a query reads as number varno: as it was when the query was parsed, so that a change
 * since then is found where all columns are checked (dp_policy_check_columns).
 */
static Expr *
column_of(Form_pg_attribute column, List *parsed, Index varno)
{
	ListCell   *lc;

	foreach(lc, parsed)
	{
		const Var  *var = lfirst(lc);

		if (IsA(var, Var) && var->varno == varno && var->varattno == column->attnum)
			return (Expr *) makeVar(1, column->attnum, var->vartype, var->vartypmod, var->varcollid, 0);
	}
	if (column->attisdropped)
		return (Expr *) makeNullConst(INT4OID, -1, InvalidOid);
	return (Expr *) makeVar(1, column->attnum, column->atttypid, column->atttypmod, column->attcollation, 0);
}

/* The columns of a table, in their places. */
static List *
columns_of(Query *query, Index varno)
{
	const RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	Relation	relation = table_open(rte->relid, NoLock);
	TupleDesc	desc = RelationGetDescr(relation);
	List	   *parsed = dp_tree_named_columns((Node *) query);
	List	   *columns = NIL;

	for (AttrNumber number = 1; number <= Min(list_length(rte->eref->colnames), desc->natts); number++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, number - 1);
		TargetEntry *target = makeTargetEntry(column_of(column, parsed, varno), number, pstrdup(NameStr(column->attname)), false);

		target->resorigtbl = rte->relid;
		target->resorigcol = number;
		columns = lappend(columns, target);
	}
	table_close(relation, NoLock);
	return columns;
}

/* Put the subquery in the place of an entry of a range table. */
static void
replace_entry(Query *query, Index varno, Query *subquery)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblEntry *inner = linitial_node(RangeTblEntry, subquery->rtable);

	subquery->targetList = columns_of(query, varno);
	inner->eref = copyObject(rte->eref);
	DP_PERMISSIONS(subquery, inner)->requiredPerms = DP_PERMISSIONS(query, rte)->requiredPerms;
	DP_PERMISSIONS(subquery, inner)->selectedCols = bms_copy(DP_PERMISSIONS(query, rte)->selectedCols);
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = subquery;
	entry->security_barrier = true;
	entry->alias = rte->alias;
	entry->eref = rte->eref;
	entry->lateral = rte->lateral;
	entry->inFromCl = rte->inFromCl;
	*rte = *entry;
}

/* Does a query read of this entry what a subquery has not: columns that only tables have, a sample? */
static bool
needs_table(Query *query, RangeTblEntry *rte)
{
	int			first = bms_next_member(DP_PERMISSIONS(query, rte)->selectedCols, -1);

	return rte->tablesample || (first >= 0 && first < -FirstLowInvalidHeapAttributeNumber);
}

/* Replace what is to be replaced of the range table of one level. */
static void
replace_entries(Query *query, List **applied)
{
	ListCell   *lc;

	foreach(lc, query->rowMarks ? NIL : query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		Oid			reader;
		Query	   *subquery;

		if (rte->rtekind != RTE_RELATION || rte->securityQuals == NIL || rte->security_barrier ||
			foreach_current_index(lc) + 1 == query->resultRelation || !dp_policy_is_protected(rte->relid) ||
			needs_table(query, rte))
			continue;
		reader = DP_PERMISSIONS(query, rte)->checkAsUser;
		subquery = apply_policies(rte, reader);
		if (subquery == NULL)
			continue;
		*applied = lappend(*applied, note_of(rte, reader, subquery));
		replace_entry(query, foreach_current_index(lc) + 1, subquery);
	}
}

static bool
replace_walker(Node *node, List **applied)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, replace_walker, applied);
	check_stack_depth();
	replace_entries((Query *) node, applied);
	return query_tree_walker((Query *) node, replace_walker, applied, QTW_IGNORE_JOINALIASES);
}

/* Is there a table with policies of its own, at any depth? */
static bool
find_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_RELATION && ((RangeTblEntry *) node)->securityQuals;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, find_walker, context, QTW_IGNORE_JOINALIASES | QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, find_walker, context);
}

Query *
dp_policy_read_row_security(Query *query, List **applied)
{
	Query	   *replaced;

	if (!find_walker((Node *) query, NULL))
		return query;
	replaced = copyObject(query);
	(void) replace_walker((Node *) replaced, applied);
	return replaced;
}

/* One of the OIDs of a note. */
static Oid
oid_in(List *note, int place)
{
	return (Oid) DatumGetInt64(list_nth_node(Const, note, place)->constvalue);
}

bool
dp_policy_row_security_is(List *applied)
{
	ListCell   *lc;

	foreach(lc, applied)
	{
		List	   *note = lfirst(lc);
		RangeTblEntry table = {.relid = oid_in(note, 0)};
		Query	   *now = apply_policies(&table, oid_in(note, 1));

		if (now == NULL || !equal(note, note_of(&table, oid_in(note, 1), now)))
			return false;
	}
	return true;
}

List *
dp_policy_tables_with_policies(List *applied)
{
	List	   *tables = NIL;
	ListCell   *lc;

	foreach(lc, applied)
		tables = list_append_unique_oid(tables, oid_in(lfirst(lc), 0));
	return tables;
}

/* Is a policy for the current role? */
static bool
is_mine(const RowSecurityPolicy *policy)
{
	Oid		   *roles = (Oid *) ARR_DATA_PTR(policy->roles);

	for (int i = 0; i < ARR_DIMS(policy->roles)[0]; i++)
		if (roles[i] == ACL_ID_PUBLIC || has_privs_of_role(GetUserId(), roles[i]))
			return true;
	return false;
}

List *
dp_policy_row_policies(Relation relation, bool mine)
{
	List	   *policies = NIL;
	ListCell   *lc;

	foreach(lc, relation->rd_rsdesc ? relation->rd_rsdesc->policies : NIL)
	{
		const RowSecurityPolicy *policy = lfirst(lc);
		DpRowPolicy *found;

		if ((policy->polcmd != '*' && policy->polcmd != ACL_SELECT_CHR) || policy->qual == NULL || (mine && !is_mine(policy)))
			continue;
		found = palloc(sizeof(DpRowPolicy));
		found->name = pstrdup(policy->policy_name);
		found->condition = copyObject((Node *) policy->qual);
		found->has_sublinks = checkExprHasSubLink(found->condition);
		policies = lappend(policies, found);
	}
	return policies;
}
