/* SPDX-License-Identifier: PostgreSQL */
/*
 * referenced_keys.c
 *	  Group keys whose values a public table has; see referenced_keys.h.
 *
 * No guarantee rests on the declaration: the query becomes one that its author could have
 * written.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "base/compat_planner.h"
#include "from/referenced_keys.h"
#include "policy/domain.h"
#include "policy/policy.h"
#include "policy/reference.h"
#include "tree/make_nodes.h"

/* A key, and what it becomes. */
typedef struct Reference
{
	Var		   *column;			/* the key: join aliases flattened */
	DpDomain	domain;
	Var		   *key;			/* the column that lists its values */
} Reference;

typedef struct ReplaceContext
{
	Query	   *query;
	List	   *references;		/* of Reference */
	int			depth;			/* subquery nesting below the query's level */
} ReplaceContext;

/* Does an outer join below this node put NULLs in place of an item? */
static bool
is_nulled(Node *node, Index varno, bool nullable)
{
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
		return nullable && ((RangeTblRef *) node)->rtindex == varno;
	if (IsA(node, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) node;
		bool		full = join->jointype == JOIN_FULL;

		return is_nulled(join->larg, varno, nullable || full || join->jointype == JOIN_RIGHT) ||
			is_nulled(join->rarg, varno, nullable || full || join->jointype == JOIN_LEFT);
	}
	foreach(lc, castNode(FromExpr, node)->fromlist)
		if (is_nulled(lfirst(lc), varno, nullable))
			return true;
	return false;
}

/* The reference that a key is by its declaration, or NULL. */
static Reference *
find_reference(Query *query, Node *key)
{
	Reference  *reference = palloc0(sizeof(Reference));
	DpPolicy	policy;
	RangeTblEntry *rte;

	reference->column = (Var *) dp_compat_flatten_joins(query, copyObject(key));
	if (!IsA(reference->column, Var) || reference->column->varlevelsup > 0 || reference->column->varattno <= 0)
		return NULL;
	rte = rt_fetch(reference->column->varno, query->rtable);
	if (rte->rtekind != RTE_RELATION || !dp_policy_policy_get(rte->relid, &policy) ||
		is_nulled((Node *) query->jointree, reference->column->varno, false))
		return NULL;
	return dp_policy_domain_get_reference(rte->relid, reference->column->varattno, &reference->domain) ? reference : NULL;
}

/* The references that all keys are; NIL if any is none. */
static List *
find_references(Query *query)
{
	List	   *references = NIL;
	ListCell   *lc;

	foreach(lc, query->groupClause)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList);
		Reference  *reference = find_reference(query, key);

		if (reference == NULL)
			return NIL;
		references = lappend(references, reference);
	}
	return references;
}

/* May the role in effect read a column? */
static bool
may_read(Oid relid, AttrNumber column)
{
	return pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(relid, column, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/* Add the table that lists a key of a query to a range table, that query's or another's. */
static DpReason *
add_listing(Query *query, Query *into, Reference *reference, int location)
{
	const DpDomain *domain = &reference->domain;
	Oid			protected_table = rt_fetch(reference->column->varno, query->rtable)->relid;
	Oid			target = RangeVarGetRelid(makeRangeVar(unconstify(char *, domain->schema),
													   unconstify(char *, domain->table), -1),
										  AccessShareLock, true);
	AttrNumber	number = OidIsValid(target) ? get_attnum(target, domain->column) : InvalidAttrNumber;
	Relation	relation;
	Index		varno;
	DpReason   *reason;

	if (number == InvalidAttrNumber)
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, location,
								 "Have the table's owner declare it again with dp_agg.set_domain.",
								 "the column that lists the keys of \"%s\" is gone",
								 get_attname(protected_table, reference->column->varattno, false));
	reason = dp_policy_reference_obstacle(target, number, protected_table, reference->column->varattno);
	if (reason == NULL && !may_read(target, number))
		reason = dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, -1,
								   psprintf("Its values are the keys of column \"%s\". Have its owner grant SELECT on it.",
											get_attname(protected_table, reference->column->varattno, false)),
								   "permission denied for column \"%s\" of \"%s\"", domain->column, domain->table);
	if (reason)
	{
		reason->location = reference->column->location >= 0 ? reference->column->location : location;
		return reason;
	}
	relation = table_open(target, NoLock);
	varno = dp_compat_add_relation(into, relation);
	table_close(relation, NoLock);
	DP_PERMISSIONS(into, rt_fetch(varno, into->rtable))->selectedCols =
		bms_make_singleton(number - FirstLowInvalidHeapAttributeNumber);
	reference->key = makeVar(varno, number, reference->column->vartype, reference->column->vartypmod,
							 reference->column->varcollid, 0);
	return NULL;
}

/* The key's values are those of the protected column. */
static Node *
make_equality(const Reference *reference)
{
	Oid			equality = lookup_type_cache(reference->key->vartype, TYPECACHE_EQ_OPR)->eq_opr;
	Oid			left;
	Oid			right;
	Node	   *key = (Node *) copyObject(reference->key);
	Node	   *column = (Node *) copyObject(reference->column);

	op_input_types(equality, &left, &right);
	if (left != reference->key->vartype && !IsPolymorphicType(left))
	{
		key = (Node *) makeRelabelType((Expr *) key, left, -1, exprCollation(key), COERCE_IMPLICIT_CAST);
		column = (Node *) makeRelabelType((Expr *) column, right, -1, exprCollation(column), COERCE_IMPLICIT_CAST);
	}
	return (Node *) make_opclause(equality, BOOLOID, false, (Expr *) key, (Expr *) column, InvalidOid,
								  exprCollation(key));
}

/* A right join, as dp_from_match_listed() leaves it. */
static JoinExpr *
make_join(Query *query, Node *matched, Node *listing, Node *quals)
{
	JoinExpr   *join = makeNode(JoinExpr);

	query->rtable = lappend(query->rtable, dp_tree_make_join_entry(JOIN_RIGHT));
	join->jointype = JOIN_INNER;
	join->larg = matched;
	join->rarg = listing;
	join->quals = quals;
	join->rtindex = list_length(query->rtable);
	return join;
}

/* Put what lists the keys around FROM and WHERE. */
static void
wrap_from(Query *query, List *references)
{
	List	   *items = NIL;
	Node	   *equalities = NULL;
	Node	   *known = NULL;
	Node	   *matched = (Node *) makeFromExpr(query->jointree->fromlist, query->jointree->quals);
	ListCell   *lc;

	foreach(lc, references)
	{
		const Reference *reference = lfirst(lc);
		RangeTblRef *item = makeNode(RangeTblRef);

		item->rtindex = reference->key->varno;
		items = lappend(items, item);
		equalities = make_and_qual(equalities, make_equality(reference));
		known = make_and_qual(known, dp_tree_make_not_null((Node *) copyObject(reference->key)));
	}
	query->jointree = makeFromExpr(list_make1(make_join(query, matched, (Node *) makeFromExpr(items, NULL), equalities)),
								   known);
}

/* Expression for a column at some depth, or NULL. */
static Node *
replacement_of(Var *var, const ReplaceContext *context)
{
	Var		   *column = copyObject(var);
	ListCell   *lc;

	column->varlevelsup = 0;
	column = (Var *) dp_compat_flatten_joins(context->query, (Node *) column);
	foreach(lc, context->references)
	{
		const Reference *reference = lfirst(lc);
		Var		   *key;

		if (!equal(column, reference->column))
			continue;
		key = copyObject(reference->key);
		key->varlevelsup = context->depth;
		key->location = var->location;
		return (Node *) key;
	}
	return NULL;
}

/* Replace keys wherever they stand outside the query's aggregates. */
static Node *
replace_mutator(Node *node, ReplaceContext *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == context->depth)
	{
		Node	   *key = replacement_of((Var *) node, context);

		return key ? key : (Node *) copyObject(node);
	}
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == context->depth)
		return (Node *) copyObject(node);
	if (IsA(node, Query))
	{
		Query	   *query;

		context->depth++;
		query = query_tree_mutator((Query *) node, replace_mutator, context, 0);
		context->depth--;
		return (Node *) query;
	}
	return expression_tree_mutator(node, replace_mutator, context);
}

DpReason *
dp_from_join_references(Query *query, int location, List **replaced)
{
	ReplaceContext context = {.query = query, .references = find_references(query)};
	ListCell   *lc;

	*replaced = NIL;
	if (context.references == NIL)
		return NULL;
	foreach(lc, context.references)
	{
		const Reference *reference = lfirst(lc);
		DpReason   *reason = add_listing(query, query, lfirst(lc), location);

		if (reason)
			return reason;
		*replaced = lappend(*replaced, list_make2(reference->key, reference->column));
	}
	query->targetList = (List *) replace_mutator((Node *) query->targetList, &context);
	query->havingQual = replace_mutator(query->havingQual, &context);
	wrap_from(query, context.references);
	return NULL;
}

/* The numbers of the tables that list keys. */
static Relids
listing_tables(List *replaced)
{
	Relids		tables = NULL;
	ListCell   *lc;

	foreach(lc, replaced)
		tables = bms_add_member(tables, linitial_node(Var, lfirst_node(List, lc))->varno);
	return tables;
}

/* The members of conditions' AND that mention none of these tables: nobody else mentions them. */
static Node *
without_equalities(Node *quals, Relids tables)
{
	Node	   *left = NULL;
	ListCell   *lc;

	if (quals == NULL || !bms_overlap(pull_varnos(NULL, quals), tables))
		return quals;
	foreach(lc, is_andclause(quals) ? ((BoolExpr *) quals)->args : IsA(quals, List) ? (List *) quals : NIL)
		left = make_and_qual(left, without_equalities(lfirst(lc), tables));
	return left;
}

/* Take the tables, and what they are joined by, out of a node of a join tree, which is a copy. */
static void
take_out(Node *node, Relids tables)
{
	FromExpr   *from = (FromExpr *) node;
	List	   *left = NIL;
	ListCell   *lc;

	if (IsA(node, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) node;

		take_out(join->larg, tables);
		take_out(join->rarg, tables);
		join->quals = without_equalities(join->quals, tables);

		/* One item stands there as it is: see dp_tree_make_from. */
		from = (FromExpr *) join->larg;
		if (IsA(from, FromExpr) && list_length(from->fromlist) == 1 && from->quals == NULL)
			join->larg = linitial(from->fromlist);
		return;
	}
	if (!IsA(node, FromExpr))
		return;
	foreach(lc, from->fromlist)
	{
		if (IsA(lfirst(lc), RangeTblRef) && bms_is_member(lfirst_node(RangeTblRef, lc)->rtindex, tables))
			continue;
		take_out(lfirst(lc), tables);
		left = lappend(left, lfirst(lc));
	}
	from->fromlist = left;
	from->quals = without_equalities(from->quals, tables);
}

/* Put the protected columns in place of those that list keys. */
static Node *
restore_mutator(Node *node, List *replaced)
{
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		foreach(lc, replaced)
			if (((Var *) node)->varlevelsup == 0 &&
				linitial_node(Var, lfirst_node(List, lc))->varno == ((Var *) node)->varno)
				return (Node *) copyObject(lsecond_node(Var, lfirst_node(List, lc)));
	return expression_tree_mutator(node, restore_mutator, replaced);
}

Query *
dp_from_without_references(Query *query, List *replaced)
{
	Query	   *copy = copyObject(query);

	take_out((Node *) copy->jointree, listing_tables(replaced));
	copy->targetList = (List *) restore_mutator((Node *) copy->targetList, replaced);
	return copy;
}

Query *
dp_from_list_references(Query *query, int location, DpReason **reason)
{
	List	   *references = find_references(query);
	Query	   *list = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	ListCell   *lc;

	foreach(lc, references)
	{
		Reference  *reference = lfirst(lc);
		RangeTblRef *item = makeNode(RangeTblRef);

		*reason = add_listing(query, list, reference, location);
		if (*reason)
			return NULL;
		item->rtindex = reference->key->varno;
		list->jointree->fromlist = lappend(list->jointree->fromlist, item);
		list->jointree->quals = make_and_qual(list->jointree->quals,
											  dp_tree_make_not_null((Node *) copyObject(reference->key)));
		(void) dp_tree_add_column(list, (Node *) copyObject(reference->key),
								  psprintf("key_%d", foreach_current_index(lc) + 1));
	}
	return references == NIL ? NULL : list;
}
