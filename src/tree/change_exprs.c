/* SPDX-License-Identifier: PostgreSQL */
/*
 * change_exprs.c
 *	  Changing whatever in a query names columns of its FROM.
 */
#include "postgres.h"

#include "tree/change_exprs.h"

/* Change the conditions of a node of the join tree. */
static void
change_conditions(Node *item, DpChangeExpr change, void *arg)
{
	ListCell   *lc;

	if (IsA(item, FromExpr))
	{
		FromExpr   *from = (FromExpr *) item;

		foreach(lc, from->fromlist)
			change_conditions(lfirst(lc), change, arg);
		from->quals = change(from->quals, arg);
	}
	else if (IsA(item, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) item;

		change_conditions(join->larg, change, arg);
		change_conditions(join->rarg, change, arg);
		join->quals = change(join->quals, arg);
	}
}

/* Change a node as part of a list: whoever changes it sees a query as one that is inside another. */
static void *
change_inside(void *node, DpChangeExpr change, void *arg)
{
	return node ? linitial((List *) change((Node *) list_make1(node), arg)) : NULL;
}

/* Change what an item is made of. */
static void
change_item(RangeTblEntry *rte, DpChangeExpr change, void *arg)
{
	rte->subquery = change_inside(rte->subquery, change, arg);
	rte->functions = (List *) change((Node *) rte->functions, arg);
	rte->values_lists = (List *) change((Node *) rte->values_lists, arg);
	rte->tablefunc = change_inside(rte->tablefunc, change, arg);
	rte->tablesample = change_inside(rte->tablesample, change, arg);
}

void
dp_tree_change_exprs(Query *query, DpChangeExpr change, void *arg)
{
	ListCell   *lc;

	query->targetList = (List *) change((Node *) query->targetList, arg);
	query->havingQual = change(query->havingQual, arg);
	change_conditions((Node *) query->jointree, change, arg);
	foreach(lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->lateral)
			change_item(lfirst_node(RangeTblEntry, lc), change, arg);
}

void
dp_tree_change_aliases(Query *query, DpChangeExpr change, void *arg)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		rte->joinaliasvars = (List *) change((Node *) rte->joinaliasvars, arg);
	}
}
