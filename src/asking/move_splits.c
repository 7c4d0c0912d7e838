/* SPDX-License-Identifier: PostgreSQL */
/*
 * move_splits.c
 *	  Rows that a select list splits, as items of FROM.
 *
 *		SELECT unnest(string_to_array(tags, ',')) AS tag, count(*) FROM posts GROUP BY 1
 *
 * is
 *
 *		SELECT tag, count(*) FROM posts, unnest(string_to_array(tags, ',')) tag GROUP BY 1
 *
 * since PostgreSQL splits what it groups by before it groups, and where it does not group, before all but WHERE.
 * An item of columns around a subquery by itself moves out of it:
 *
 *		SELECT ... FROM posts p, LATERAL (SELECT trim(t) FROM unnest(string_to_array(p.tags, ',')) t WHERE t <> '') x
 *		SELECT ... FROM posts p, unnest(string_to_array(p.tags, ',')) t, LATERAL (SELECT trim(t) WHERE t <> '') x
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "asking/move_splits.h"
#include "base/compat_planner.h"
#include "from/split_rows.h"

/* Calls that return several rows in an expression. */
static bool
sets_walker(Node *node, List **calls)
{
	if (node == NULL)
		return false;
	if ((IsA(node, FuncExpr) && ((FuncExpr *) node)->funcretset) || (IsA(node, OpExpr) && ((OpExpr *) node)->opretset))
		*calls = lappend(*calls, node);
	return expression_tree_walker(node, sets_walker, calls);
}

/* A call, and the column that stands in its place. */
typedef struct Moved
{
	FuncExpr   *call;
	Var		   *column;
} Moved;

static Node *
moved_mutator(Node *node, Moved *moved)
{
	if (node == NULL)
		return NULL;
	if (node == (Node *) moved->call)
		return (Node *) moved->column;
	return expression_tree_mutator(node, moved_mutator, moved);
}

/* Does PostgreSQL compute a column of a query's select list before all that is not FROM and WHERE? */
static bool
is_computed_first(const Query *query, const TargetEntry *target)
{
	ListCell   *lc;

	if (query->hasWindowFuncs || query->groupingSets || query->rowMarks || query->commandType != CMD_SELECT ||
		query->setOperations)
		return false;
	if (!query->hasAggs && query->groupClause == NIL)
		return query->havingQual == NULL;
	foreach(lc, query->groupClause)
		if (lfirst_node(SortGroupClause, lc)->tleSortGroupRef == target->ressortgroupref)
			return true;
	return false;
}

/* Append an item to the range table, and a reference to it to a list. */
static List *
append_item(Query *query, List *items, RangeTblEntry *rte)
{
	RangeTblRef *item = makeNode(RangeTblRef);

	query->rtable = lappend(query->rtable, rte);
	item->rtindex = list_length(query->rtable);
	return lappend(items, item);
}

/* An item of FROM that is a call, of one column. */
static RangeTblEntry *
make_item(Node *call, const char *name)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);

	function->funcexpr = call;
	function->funccolcount = 1;
	rte->rtekind = RTE_FUNCTION;
	rte->functions = list_make1(function);
	rte->lateral = true;
	rte->alias = makeAlias(name, list_make1(makeString(pstrdup(name))));
	rte->eref = copyObject(rte->alias);
	rte->inFromCl = true;
	return rte;
}

/* Move the only call in a select list that returns several rows to FROM, if it splits. */
static void
move_to_from(Query *query)
{
	List	   *calls = NIL;
	Moved		moved;
	TargetEntry *target = NULL;
	ListCell   *lc;

	foreach(lc, query->hasTargetSRFs ? query->targetList : NIL)
	{
		if (expression_returns_set((Node *) lfirst_node(TargetEntry, lc)->expr))
			target = lfirst_node(TargetEntry, lc);
		(void) sets_walker((Node *) lfirst_node(TargetEntry, lc)->expr, &calls);
	}
	if (list_length(calls) != 1 || !dp_from_is_split(linitial(calls)) || !is_computed_first(query, target) ||
		checkExprHasSubLink(linitial(calls)))
		return;
	moved.call = linitial(calls);
	query->jointree->fromlist = append_item(query, query->jointree->fromlist,
											make_item((Node *) copyObject(moved.call), target->resname ? target->resname : "part"));
	moved.column = makeVar(list_length(query->rtable), 1, moved.call->funcresulttype, -1, moved.call->funccollid, 0);
	moved.column->location = moved.call->location;
	target->expr = (Expr *) moved_mutator((Node *) target->expr, &moved);
	query->hasTargetSRFs = false;
}

/* Does a subquery only compute and choose of what its FROM splits, columns around it?  The call, or NULL. */
static Node *
split_alone(const RangeTblEntry *rte)
{
	const Query *query = rte->subquery;
	const RangeTblEntry *item;
	const FuncExpr *call;

	if (rte->rtekind != RTE_SUBQUERY || !rte->lateral || query->commandType != CMD_SELECT || list_length(query->rtable) != 1 ||
		list_length(query->jointree->fromlist) != 1 || query->groupClause || query->groupingSets || query->hasAggs ||
		query->havingQual || query->hasWindowFuncs || query->hasTargetSRFs || query->distinctClause || query->sortClause ||
		query->limitCount || query->limitOffset || query->setOperations || query->cteList || query->rowMarks || query->hasSubLinks)
		return NULL;
	item = linitial_node(RangeTblEntry, query->rtable);
	if (item->rtekind != RTE_FUNCTION || list_length(item->functions) != 1 || item->funcordinality ||
		linitial_node(RangeTblFunction, item->functions)->funccolnames != NIL)
		return NULL;
	call = (const FuncExpr *) linitial_node(RangeTblFunction, item->functions)->funcexpr;
	return dp_from_is_split((const Node *) call) && contain_vars_of_level((Node *) call, 1) ? (Node *) call : NULL;
}

/* Columns of the only item of a subquery as those of an item around it. */
static Node *
outer_mutator(Node *node, const int *varno)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
	{
		Var		   *column = copyObject((Var *) node);

		column->varno = *varno;
		column->varnosyn = 0;
		column->varattnosyn = 0;
		column->varlevelsup = 1;
		return (Node *) column;
	}
	return expression_tree_mutator(node, outer_mutator, (void *) varno);
}

/* Is it a subquery that shows the column that is split, as it is and all? */
static bool
shows_parts(const Query *query)
{
	const TargetEntry *target = linitial_node(TargetEntry, query->targetList);

	return list_length(query->targetList) == 1 && query->jointree->quals == NULL && IsA(target->expr, Var) &&
		((const Var *) target->expr)->varlevelsup == 0 && ((const Var *) target->expr)->varattno == 1;
}

/*
 * Move an item out of a subquery.  Where an outer join may put NULLs in place of what the subquery computes, it only
 * takes the place of that, if it is the same.
 */
static Node *
move_out(Query *query, RangeTblRef *item, bool nullable)
{
	RangeTblEntry *rte = rt_fetch(item->rtindex, query->rtable);
	Node	   *call = split_alone(rte);
	Query	   *subquery = rte->subquery;
	List	   *items;
	int			varno;

	if (call == NULL || (nullable && !shows_parts(subquery)))
		return (Node *) item;
	call = copyObject(call);
	IncrementVarSublevelsUp(call, -1, 1);
	if (shows_parts(subquery))
	{
		RangeTblEntry *parts = make_item(call, strVal(linitial(rte->eref->colnames)));

		parts->alias = rte->alias;
		parts->eref = rte->eref;
		*rte = *parts;
		return (Node *) item;
	}
	items = append_item(query, NIL, make_item(call, strVal(linitial(linitial_node(RangeTblEntry, subquery->rtable)->eref->colnames))));
	varno = list_length(query->rtable);
	subquery->targetList = (List *) outer_mutator((Node *) subquery->targetList, &varno);
	subquery->jointree = makeFromExpr(NIL, outer_mutator(subquery->jointree->quals, &varno));
	subquery->rtable = NIL;
	return (Node *) makeFromExpr(lappend(items, item), NULL);
}

/* Move items out of the subqueries of a join tree. */
static Node *
move_all_out(Query *query, Node *node, bool nullable)
{
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
		return move_out(query, (RangeTblRef *) node, nullable);
	if (IsA(node, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) node;

		join->larg = move_all_out(query, join->larg, nullable);
		join->rarg = move_all_out(query, join->rarg, nullable || join->jointype != JOIN_INNER);
		return node;
	}
	foreach(lc, castNode(FromExpr, node)->fromlist)
		lfirst(lc) = move_all_out(query, lfirst(lc), nullable);
	return node;
}

/* Move all in place, from the inside out. */
static bool
move_walker(Node *node, void *context)
{
	Query	   *query = (Query *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, move_walker, context);
	check_stack_depth();
	(void) query_tree_walker(query, move_walker, context, QTW_IGNORE_JOINALIASES);
	move_to_from(query);
	if (query->commandType == CMD_SELECT && query->jointree)
		(void) move_all_out(query, (Node *) query->jointree, false);
	return false;
}

/* Is anything split, anywhere? */
static bool
splits_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, splits_walker, context, QTW_IGNORE_JOINALIASES);
	return dp_from_is_split(node) || expression_tree_walker(node, splits_walker, context);
}

Query *
dp_asking_move_splits(Query *query)
{
	if (!splits_walker((Node *) query, NULL))
		return query;
	query = copyObject(query);
	dp_compat_flatten_groups(query);
	(void) move_walker((Node *) query, NULL);
	return query;
}
