/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_equality.c
 *	  Equalities in the conditions of a join, and what they say of its items.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "from/from_item.h"
#include "from/join_equality.h"
#include "tree/make_nodes.h"

/* column = value, with what else holds of it */
typedef struct Equality
{
	Var		   *column;
	Node	   *value;
	List	   *families;		/* btree families in which this is equality */
	Relids		matched;
	bool		or_null;		/* or else both are NULL */
	int			location;
} Equality;

/* Leave out casts that change neither bits nor equality. */
static Node *
strip_relabel(Node *node)
{
	while (node && IsA(node, RelabelType))
	{
		RelabelType *relabel = (RelabelType *) node;

		if ((relabel->resulttype != TEXTOID || exprType((Node *) relabel->arg) != VARCHAROID) &&
			relabel->resulttype != getBaseType(exprType((Node *) relabel->arg)))
			break;
		node = (Node *) relabel->arg;
	}
	return node;
}

/* Enter one side of an equality as the column, if it is one. */
static void
add_equality(List **equalities, Node *column, Node *value, const Equality *form)
{
	Equality   *equality;

	if (!IsA(column, Var))
		return;
	equality = palloc(sizeof(Equality));
	*equality = *form;
	equality->column = (Var *) column;
	equality->value = value;
	*equalities = lappend(*equalities, equality);
}

/* The members of all arms of an OR, where each is an AND or one by itself. */
static List *
common_members(BoolExpr *or)
{
	List	   *common = NIL;
	ListCell   *lc;

	foreach(lc, or->args)
	{
		List	   *members = make_ands_implicit(lfirst(lc));

		common = foreach_current_index(lc) == 0 ? members : list_intersection(common, members);
	}
	return common;
}

/* Does an AND ask that both sides of a comparison are NULL? */
static bool
both_are_null(Node *node, const OpExpr *op)
{
	List	   *args = node && is_andclause(node) ? ((BoolExpr *) node)->args : NIL;
	Bitmapset  *sides = NULL;
	ListCell   *lc;

	foreach(lc, args)
	{
		NullTest   *test = lfirst(lc);

		if (!IsA(test, NullTest) || test->nulltesttype != IS_NULL || test->argisrow)
			return false;
		for (int side = 0; side < list_length(op->args); side++)
			if (equal(test->arg, list_nth(op->args, side)))
				sides = bms_add_member(sides, side);
	}
	return bms_num_members(sides) == 2;
}

/*
 * The comparison of a condition by which two values are equal or both NULL: NOT (x IS DISTINCT FROM y), or
 * x = y OR (x IS NULL AND y IS NULL); NULL of any other.
 */
static OpExpr *
equal_or_null(Node *quals)
{
	BoolExpr   *bool_expr = (BoolExpr *) quals;
	Node	   *first = linitial(bool_expr->args);

	if (is_notclause(quals))
		return IsA(first, DistinctExpr) ? (OpExpr *) first : NULL;
	if (!is_orclause(quals) || list_length(bool_expr->args) != 2)
		return NULL;
	if (IsA(first, OpExpr) && both_are_null(lsecond(bool_expr->args), (OpExpr *) first))
		return (OpExpr *) first;
	if (IsA(lsecond(bool_expr->args), OpExpr) && both_are_null(first, lsecond(bool_expr->args)))
		return lsecond(bool_expr->args);
	return NULL;
}

/* Enter a comparison, if it is an equality. */
static void
add_comparison(const OpExpr *op, Relids matched, bool or_null, List **equalities)
{
	Equality	form = {.matched = matched, .or_null = or_null, .location = exprLocation((const Node *) op)};

	form.families = list_length(op->args) == 2 ? get_mergejoin_opfamilies(op->opno) : NIL;
	if (form.families == NIL)
		return;
	add_equality(equalities, strip_relabel(linitial(op->args)), strip_relabel(lsecond(op->args)), &form);
	add_equality(equalities, strip_relabel(lsecond(op->args)), strip_relabel(linitial(op->args)), &form);
}

/* Collect the equalities among the members of a condition's top-level AND, and what the arms of an OR there share. */
static void
collect_equalities(Node *quals, Relids matched, List **equalities)
{
	OpExpr	   *or_null = quals && IsA(quals, BoolExpr) ? equal_or_null(quals) : NULL;
	ListCell   *lc;

	if (or_null)
	{
		add_comparison(or_null, matched, true, equalities);
		return;
	}
	if (quals && is_orclause(quals))
	{
		collect_equalities((Node *) common_members((BoolExpr *) quals), matched, equalities);
		return;
	}
	if (quals && (IsA(quals, List) || is_andclause(quals)))
	{
		foreach(lc, IsA(quals, List) ? (List *) quals : ((BoolExpr *) quals)->args)
			collect_equalities(lfirst(lc), matched, equalities);
		return;
	}
	if (quals && IsA(quals, OpExpr))
		add_comparison((OpExpr *) quals, matched, false, equalities);
}

List *
dp_from_equalities(List *conditions)
{
	List	   *equalities = NIL;
	ListCell   *lc;

	foreach(lc, conditions)
	{
		DpCondition *condition = lfirst(lc);

		collect_equalities(condition->quals, condition->matched, &equalities);
	}
	return equalities;
}

/*
 * Does the equality choose rows of this item, where it is joined?  In an outer
 * join only ON does.
 */
static bool
chooses_or_null(const Equality *equality, const DpFromItem *leaf)
{
	if (equality->column->varno != leaf->varno || equality->column->varlevelsup > 0)
		return false;
	return leaf->nullable ? bms_is_member(leaf->varno, equality->matched)
		: equality->matched == NULL;
}

/* The same, with no row of which the column is NULL. */
static bool
chooses(const Equality *equality, const DpFromItem *leaf)
{
	return !equality->or_null && chooses_or_null(equality, leaf);
}

bool
dp_from_is_equated(const DpFromItem *leaf, AttrNumber column, Oid type, Index varno,
				   AttrNumber varattno, List *equalities)
{
	ListCell   *lc;

	foreach(lc, equalities)
	{
		const Equality *equality = lfirst(lc);
		Var		   *value = (Var *) equality->value;

		if (chooses(equality, leaf) && equality->column->varattno == column &&
			list_member_oid(equality->families, dp_tree_default_family(type)) &&
			IsA(value, Var) && value->varlevelsup == 0 && value->varno == varno &&
			value->varattno == varattno)
			return true;
	}
	return false;
}

bool
dp_from_is_matched(const DpFromItem *leaf, AttrNumber column, const DpFromItem *other,
				   AttrNumber others_column, List *equalities)
{
	return dp_from_is_equated(leaf, column, get_atttype(leaf->rte->relid, column), other->varno,
							  others_column, equalities);
}

/*
 * Is a value known from the items joined before?  Since 16 columns that a join can
 * make NULL name it too.
 */
static bool
is_known(const DpFromItem *leaf, Node *value, Relids joined)
{
	Relids		others = bms_difference(pull_varnos(NULL, value), joined);
	int			varno = -1;

	while ((varno = bms_next_member(others, varno)) >= 0)
		if (rt_fetch(varno, leaf->query->rtable)->rtekind != RTE_JOIN)
			return false;
	return true;
}

bool
dp_from_is_bound(const DpFromItem *leaf, AttrNumber column, Oid family, List *equalities,
				 Relids joined)
{
	ListCell   *lc;

	foreach(lc, equalities)
	{
		const Equality *equality = lfirst(lc);

		if (chooses(equality, leaf) && equality->column->varattno == column &&
			list_member_oid(equality->families, family) &&
			is_known(leaf, equality->value, joined))
			return true;
	}
	return false;
}

/* The columns of an item that equalities bind; those too that are NULL where the other side is, if so asked. */
static List *
bound_columns(const DpFromItem *leaf, List *equalities, Relids joined, bool or_null)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, equalities)
	{
		const Equality *equality = lfirst(lc);

		if (chooses_or_null(equality, leaf) && (or_null || !equality->or_null) && equality->column->varattno > 0 &&
			list_member_oid(equality->families, dp_tree_default_family(equality->column->vartype)) &&
			is_known(leaf, equality->value, joined))
			columns = list_append_unique_int(columns, equality->column->varattno);
	}
	return columns;
}

List *
dp_from_bound_columns(const DpFromItem *leaf, List *equalities, Relids joined)
{
	return bound_columns(leaf, equalities, joined, false);
}

List *
dp_from_columns_bound_or_null(const DpFromItem *leaf, List *equalities, Relids joined)
{
	return bound_columns(leaf, equalities, joined, true);
}

bool
dp_from_find_tie(const DpFromItem *leaf, const DpFromItem *other, List *equalities, int *location)
{
	ListCell   *lc;

	foreach(lc, equalities)
	{
		const Equality *equality = lfirst(lc);
		const Var  *value = (const Var *) equality->value;

		if (equality->column->varno != leaf->varno || !IsA(value, Var) || value->varno != other->varno)
			continue;
		if (equality->location >= 0)
			*location = equality->location;
		return true;
	}
	return false;
}

/* Is this column among them? */
static bool
is_among(const Var *column, List *columns)
{
	ListCell   *lc;

	foreach(lc, columns)
		if (column->varno == lfirst_node(Var, lc)->varno && column->varattno == lfirst_node(Var, lc)->varattno)
			return true;
	return false;
}

List *
dp_from_columns_equal_to(Var *column, List *equalities)
{
	List	   *equal = list_make1(column);
	Oid			family = dp_tree_default_family(column->vartype);
	ListCell   *lc;

	for (int i = 0; i < list_length(equal); i++)
	{
		const Var  *known = list_nth_node(Var, equal, i);

		CHECK_FOR_INTERRUPTS();
		foreach(lc, equalities)
		{
			const Equality *equality = lfirst(lc);
			const Var  *value = (const Var *) equality->value;

			if (equality->matched == NULL && !equality->or_null && equality->column->varlevelsup == 0 &&
				equality->column->varno == known->varno && equality->column->varattno == known->varattno &&
				list_member_oid(equality->families, family) &&
				IsA(value, Var) && value->varlevelsup == 0 && value->varattno > 0 && !is_among(value, equal))
				equal = lappend(equal, equality->value);
		}
	}
	return equal;
}

List *
dp_from_equalities_with(List *equalities, const DpFromItem *nullable)
{
	List	   *with = NIL;
	ListCell   *lc;

	foreach(lc, equalities)
	{
		Equality   *equality = palloc(sizeof(Equality));

		*equality = *(const Equality *) lfirst(lc);
		if (bms_is_member(nullable->varno, equality->matched))
			equality->matched = NULL;
		with = lappend(with, equality);
	}
	return list_concat_copy(equalities, with);
}
