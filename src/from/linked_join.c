/* SPDX-License-Identifier: PostgreSQL */
/*
 * linked_join.c
 *	  Joins of tables that find their unit through a foreign key.
 *
 * The unit of such a table's row is that of the one row its foreign key refers to.  So
 * two rows are of one unit if one refers to the other, or both to the same.  Where the
 * query itself joins nothing that has a column with the unit, the table that the
 * foreign key refers to is joined, and so on.  A row that refers to none has no unit
 * and drops out, as one whose unit is NULL does.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "from/from_item.h"
#include "from/join_equality.h"
#include "from/linked_join.h"
#include "policy/foreign_key.h"
#include "policy/row_security.h"

/* Does the condition of a join equate columns of these items, one by one? */
static bool
are_matched(const DpFromItem *leaf, const AttrNumber *columns, const DpFromItem *other,
			const AttrNumber *others_columns, int ncolumns, List *equalities)
{
	for (int i = 0; i < ncolumns; i++)
		if (!dp_from_is_matched(leaf, columns[i], other, others_columns[i], equalities))
			return false;
	return true;
}

/* Does this item's foreign key refer to that table? */
static bool
refers_to(const DpFromItem *leaf, const DpFromItem *other)
{
	return leaf->link && other->rte->rtekind == RTE_RELATION &&
		leaf->link->parent == other->rte->relid;
}

/* Do both refer to the same row? */
static bool
refer_alike(const DpFromItem *leaf, const DpFromItem *other, List *equalities)
{
	AttrNumber	others_columns[INDEX_MAX_KEYS];

	if (leaf->link == NULL || other->link == NULL ||
		leaf->link->parent != other->link->parent ||
		leaf->link->ncolumns != other->link->ncolumns)
		return false;
	for (int i = 0; i < leaf->link->ncolumns; i++)
	{
		others_columns[i] = dp_policy_column_for(other->link, leaf->link->keys[i]);
		if (others_columns[i] == InvalidAttrNumber)
			return false;
	}
	return are_matched(leaf, leaf->link->columns, other, others_columns, leaf->link->ncolumns,
					   equalities);
}

/* Does each row of this item refer to the row of the other that it is joined with? */
static bool
refers_to_row(const DpFromItem *leaf, const DpFromItem *other, List *equalities)
{
	return refers_to(leaf, other) &&
		are_matched(leaf, leaf->link->columns, other, leaf->link->keys, leaf->link->ncolumns,
					equalities);
}

/* Does each row of the other item refer to the row of this one that it is joined with? */
static bool
is_referred_to(const DpFromItem *leaf, const DpFromItem *other, List *equalities)
{
	return refers_to(other, leaf) &&
		are_matched(leaf, other->link->keys, other, other->link->columns, other->link->ncolumns,
					equalities);
}

bool
dp_from_shares_key(const DpFromItem *leaf, List *others, List *equalities)
{
	ListCell   *lc;

	foreach(lc, others)
	{
		const DpFromItem *other = lfirst(lc);

		if (refers_to_row(leaf, other, equalities) || is_referred_to(leaf, other, equalities) ||
			refer_alike(leaf, other, equalities))
			return true;
	}
	return false;
}

/* The item that this one's foreign key refers to, if it is joined by it and keeps its rows. */
static DpFromItem *
joined_parent(const DpFromItem *leaf, List *leaves, List *equalities)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		DpFromItem *parent = lfirst(lc);

		if (parent->is_protected && !parent->nullable && refers_to_row(leaf, parent, equalities))
			return parent;
	}
	return NULL;
}

DpFromItem *
dp_from_lacks_unit(List *leaves, List *conditions)
{
	List	   *equalities = dp_from_equalities(conditions);
	DpFromItem *linked = NULL;
	DpFromItem *parent;
	ListCell   *lc;

	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);

		if (!leaf->is_protected || leaf->nullable)
			continue;
		if (leaf->contribution.units != NIL)
			return NULL;
		if (linked == NULL)
			linked = leaf;
	}

	/* Links do not lead in a circle: dp_policy_follow_links(). */
	while (linked && (parent = joined_parent(linked, leaves, equalities)) != NULL)
		linked = parent;
	return linked;
}

/* A column as an operand of this type, which it can be as it is. */
static Node *
operand(Index varno, Oid relid, AttrNumber column, Oid type)
{
	Oid			own;
	int32		typmod;
	Oid			collation;
	Var		   *var;

	get_atttypetypmodcoll(relid, column, &own, &typmod, &collation);
	var = makeVar(varno, column, own, typmod, collation, 0);
	if (type == own || IsPolymorphicType(type))
		return (Node *) var;
	return (Node *) makeRelabelType((Expr *) var, type, -1, collation, COERCE_IMPLICIT_CAST);
}

/* The columns of a table that its owner is asked the right for. */
static void
note_columns(Query *query, RangeTblEntry *rte, const AttrNumber *columns, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
		DP_PERMISSIONS(query, rte)->selectedCols =
			bms_add_member(DP_PERMISSIONS(query, rte)->selectedCols,
						   columns[i] - FirstLowInvalidHeapAttributeNumber);
}

Node *
dp_from_by_link(const DpFromItem *leaf, Index parent)
{
	const DpForeignKey *link = leaf->link;
	Node	   *condition = NULL;

	for (int i = 0; i < link->ncolumns; i++)
	{
		Oid			left;
		Oid			right;
		Node	   *key;
		Node	   *column;

		op_input_types(link->operators[i], &left, &right);
		key = operand(parent, link->parent, link->keys[i], left);
		column = operand(leaf->varno, leaf->rte->relid, link->columns[i], right);
		condition = make_and_qual(condition, (Node *)
								  make_opclause(link->operators[i], BOOLOID, false, (Expr *) key,
												(Expr *) column, InvalidOid, exprCollation(key)));
	}
	note_columns(leaf->query, leaf->rte, link->columns, link->ncolumns);
	note_columns(leaf->query, rt_fetch(parent, leaf->query->rtable), link->keys, link->ncolumns);
	return condition;
}

Index
dp_from_add_parent(const DpFromItem *leaf, Node **condition)
{
	Relation	parent = table_open(leaf->link->parent, AccessShareLock);
	Index		varno = dp_compat_add_relation(leaf->query, parent);

	table_close(parent, NoLock);

	/*
	 * Nothing but the unit is taken of it: whose rows are asked about is a matter of what refers
	 * to it.
	 */
	dp_policy_settle_row_security(rt_fetch(varno, leaf->query->rtable));
	*condition = dp_from_by_link(leaf, varno);
	return varno;
}

/* A column of a table as such. */
static Var *
column_of(const DpFromItem *leaf, AttrNumber number)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(leaf->rte->relid, number, &type, &typmod, &collation);
	return makeVar(leaf->varno, number, type, typmod, collation, 0);
}

/* Does it follow from the equalities that each row of an item refers to that of the other? */
static bool
must_refer_to(const DpFromItem *leaf, const DpFromItem *other, List *equalities)
{
	List	   *with = dp_from_equalities_with(equalities, leaf);

	for (int i = 0; i < leaf->link->ncolumns; i++)
	{
		bool		found = false;
		ListCell   *lc;

		foreach(lc, dp_from_columns_equal_to(column_of(leaf, leaf->link->columns[i]), with))
			found |= lfirst_node(Var, lc)->varno == other->varno &&
				lfirst_node(Var, lc)->varattno == leaf->link->keys[i];
		if (!found)
			return false;
	}
	return true;
}

DpFromItem *
dp_from_find_parent(const DpFromItem *leaf, List *leaves, List *equalities)
{
	ListCell   *lc;

	foreach(lc, leaf->link ? leaves : NIL)
	{
		DpFromItem *other = lfirst(lc);

		if (other != leaf && other->is_protected && !other->nullable && refers_to(leaf, other) &&
			must_refer_to(leaf, other, equalities))
			return other;
	}
	return NULL;
}
