/* SPDX-License-Identifier: PostgreSQL */
/*
 * on_conditions.c
 *	  Conditions of ON that have subqueries.
 *
 *		FROM stays s LEFT JOIN labs l ON l.stay = s.id AND l.kind IN (SELECT kind FROM kinds)
 *
 * is
 *
 *		FROM stays s LEFT JOIN (SELECT * FROM labs WHERE kind IN (SELECT kind FROM kinds)) l ON l.stay = s.id
 *
 * since ON of an outer join chooses rows of its nullable side before it joins them.  What is said of rows that the join
 * keeps anyway is computed before it,
 *
 *		FROM (SELECT *, EXISTS (SELECT FROM drugs d WHERE d.stay = s.id) AS found FROM stays s) s
 *			LEFT JOIN labs l ON l.stay = s.id AND s.found
 *
 * and so of rows of a FULL JOIN.  What is said of rows of several items stays in ON.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "asking/on_conditions.h"
#include "base/compat_planner.h"
#include "tree/make_nodes.h"

/* An item that a subquery is put in the place of, as it is looked for below a query. */
typedef struct Moved
{
	Index		varno;
	int			depth;			/* of queries around the node */
} Moved;

/* Does an expression name anything of an item but its columns: a whole row, or a system column? */
static bool
names_rows(Node *node, Moved *item)
{
	bool		found;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varno == item->varno && (int) ((Var *) node)->varlevelsup == item->depth &&
			((Var *) node)->varattno <= 0;
	if (!IsA(node, Query))
		return expression_tree_walker(node, names_rows, item);
	item->depth++;
	found = query_tree_walker((Query *) node, names_rows, item, 0);
	item->depth--;
	return found;
}

/* Name an item as the first of the query around the condition, of which what was around it is one farther. */
static Node *
into_subquery(Node *node, Moved *item)
{
	Node	   *result;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == item->varno && (int) ((Var *) node)->varlevelsup == item->depth + 1)
	{
		Var		   *column = copyObject((Var *) node);

		column->varno = 1;
		column->varnosyn = 0;
		column->varattnosyn = 0;
		column->varlevelsup--;
		return (Node *) column;
	}
	if (!IsA(node, Query))
		return expression_tree_mutator(node, into_subquery, item);
	item->depth++;
	result = (Node *) query_tree_mutator((Query *) node, into_subquery, item, 0);
	item->depth--;
	return result;
}

/* Move an item of a query's FROM into another query, as its only one. */
static void
move_item(Query *query, const RangeTblEntry *rte, Query *inner)
{
	if (DP_HAS_PERMISSIONS(rte))
		(void) dp_compat_copy_entry(inner, query, rte);
	else
		inner->rtable = list_make1(copyObject(unconstify(RangeTblEntry *, rte)));

	/* What it names around it is a level farther. */
	IncrementVarSublevelsUp_rtable(inner->rtable, 1, 0);
}

/* Put a subquery that shows all columns of an item in its place. */
static Query *
put_subquery(Query *query, Index varno)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Query	   *inner = dp_tree_make_select(NIL, makeFromExpr(list_make1(ref), NULL));
	List	   *columns;
	ListCell   *lc;
	ListCell   *name;

	ref->rtindex = 1;
	DP_EXPAND_ENTRY(rte, 1, NULL, &columns);
	forboth(lc, columns, name, rte->eref->colnames)
		dp_tree_add_column(inner, lfirst(lc), strVal(lfirst(name)));
	move_item(query, rte, inner);
	inner->hasSubLinks = true;
	inner->hasRowSecurity = query->hasRowSecurity;
	lfirst(list_nth_cell(query->rtable, varno - 1)) = dp_tree_make_open_item(inner, rte->eref->aliasname);
	return inner;
}

/* Conditions on an item of a query, as of the subquery in its place. */
static Node *
conditions_in_subquery(Query *query, Node *conditions, Index varno)
{
	conditions = copyObject(dp_compat_flatten_joins(query, conditions));
	IncrementVarSublevelsUp(conditions, 1, 0);
	return into_subquery(conditions, &(Moved) {.varno = varno});
}

/* Whether a condition is true of an item's row, computed by the subquery in its place. */
static Node *
compute_condition(Query *query, Node *condition, Index varno)
{
	Query	   *inner = put_subquery(query, varno);
	BooleanTest *test = makeNode(BooleanTest);
	Var		   *column;

	test->arg = (Expr *) conditions_in_subquery(query, condition, varno);
	test->booltesttype = IS_TRUE;
	test->location = -1;
	column = dp_tree_add_column(inner, (Node *) test, "found");
	rt_fetch(varno, query->rtable)->eref->colnames = lappend(rt_fetch(varno, query->rtable)->eref->colnames, makeString(pstrdup("found")));
	column->varno = column->varnosyn = varno;
	return (Node *) column;
}

/* The items below a node whose rows no outer join there replaces by NULLs. */
static Relids
certain_items(Node *node)
{
	const JoinExpr *join = (const JoinExpr *) node;
	Relids		items = NULL;

	if (IsA(node, RangeTblRef))
		return bms_make_singleton(((RangeTblRef *) node)->rtindex);
	check_stack_depth();
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT)
		items = bms_add_members(items, certain_items(join->larg));
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT)
		items = bms_add_members(items, certain_items(join->rarg));
	return items;
}

/* The item that a condition in ON names columns of alone, if a subquery may stand in its place; or 0. */
static Index
item_named(Query *query, Node *condition, const JoinExpr *join)
{
	Relids		items = bms_union(certain_items(join->larg), certain_items(join->rarg));
	RangeTblEntry *rte;
	Moved		item = {0};
	int			varno;

	if (!bms_get_singleton_member(pull_varnos(NULL, dp_compat_flatten_joins(query, copyObject(condition))), &varno) ||
		!bms_is_member(varno, items))
		return 0;
	rte = rt_fetch(varno, query->rtable);
	item.varno = varno;
	return rte->lateral || rte->securityQuals || query_tree_walker(query, names_rows, &item, QTW_IGNORE_JOINALIASES) ? 0 : varno;
}

/* Is an item the whole nullable side of an outer join? */
static bool
is_nullable_side(const JoinExpr *join, Index varno)
{
	Node	   *side = join->jointype == JOIN_LEFT ? join->rarg : join->jointype == JOIN_RIGHT ? join->larg : NULL;

	return side && IsA(side, RangeTblRef) && ((RangeTblRef *) side)->rtindex == varno;
}

/* Move the conditions of one join. */
static void
move_conditions(Query *query, JoinExpr *join, List *levels, DpMovesCondition moves)
{
	List	   *chosen = NIL;
	List	   *left = NIL;
	Index		nullable = 0;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) join->quals))
	{
		Node	   *condition = lfirst(lc);
		Index		varno = moves(condition, levels) && join->jointype != JOIN_INNER ? item_named(query, condition, join) : 0;

		if (join->jointype == JOIN_INNER && moves(condition, levels))
			query->jointree->quals = make_and_qual(query->jointree->quals, condition);
		else if (varno > 0 && is_nullable_side(join, varno))
		{
			chosen = lappend(chosen, condition);
			nullable = varno;
		}
		else
			left = lappend(left, varno > 0 ? compute_condition(query, condition, varno) : condition);
	}
	join->quals = left ? (Node *) make_ands_explicit(left) : NULL;
	if (chosen)
		put_subquery(query, nullable)->jointree->quals =
			conditions_in_subquery(query, (Node *) make_ands_explicit(chosen), nullable);
}

/* The same of all joins below a node; of inner ones where no outer join replaces their rows by NULLs. */
static void
move_below(Query *query, Node *node, bool nullable, List *levels, DpMovesCondition moves)
{
	JoinExpr   *join = (JoinExpr *) node;
	ListCell   *lc;

	check_stack_depth();
	if (IsA(node, FromExpr))
		foreach(lc, ((FromExpr *) node)->fromlist)
			move_below(query, lfirst(lc), nullable, levels, moves);
	if (!IsA(node, JoinExpr))
		return;
	move_below(query, join->larg, nullable || join->jointype == JOIN_RIGHT || join->jointype == JOIN_FULL, levels, moves);
	move_below(query, join->rarg, nullable || join->jointype == JOIN_LEFT || join->jointype == JOIN_FULL, levels, moves);
	if (join->quals && !(nullable && join->jointype == JOIN_INNER))
		move_conditions(query, join, levels, moves);
}

void
dp_asking_move_conditions(Query *query, List *levels, DpMovesCondition moves)
{
	move_below(query, (Node *) query->jointree, false, levels, moves);
}
