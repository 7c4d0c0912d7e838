/* SPDX-License-Identifier: PostgreSQL */
/*
 * column_limit.c
 *	  How many columns the rows of an exact plan can have, from node to node.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "aggregate/cells.h"
#include "exact/column_limit.h"
#include "expression/allow_list.h"
#include "pricing/aggregate_args.h"
#include "tree/reason.h"

/* Columns of one item of FROM, hidden ones included, are numbered below that. */
#define COLUMNS_OF_ITEM (2 * MaxTupleAttributeNumber)

/* How many different columns does a query use of what it reads? */
static int
count_columns(Query *query)
{
	Bitmapset  *columns = NULL;
	List	   *vars = pull_vars_of_level((Node *) query, 0);
	ListCell   *lc;
	int			count = 0;

	foreach(lc, vars)
	{
		Var		   *var = lfirst(lc);

		/* A virtual column, computed where an outer join has not made it NULL. */
		if (!IsA(var, Var))
		{
			count++;
			continue;
		}
		columns = bms_add_member(columns, var->varno * COLUMNS_OF_ITEM + var->varattno +
								 MaxTupleAttributeNumber);
	}
	count += bms_num_members(columns);
	bms_free(columns);
	list_free(vars);
	return count;
}

/* How many of these are computed? */
static int
count_computed(List *expressions)
{
	int			count = 0;
	ListCell   *lc;

	foreach(lc, expressions)
	{
		Node	   *node = lfirst(lc);

		if (IsA(node, TargetEntry))
			node = (Node *) ((TargetEntry *) node)->expr;
		count += !IsA(node, Var);
	}
	return count;
}

/* Values that a condition may have computed to sort or hash by: operands of its members. */
static int
count_operands(Node *quals)
{
	int			count = 0;
	ListCell   *lc;

	if (quals == NULL)
		return 0;
	if (IsA(quals, OpExpr))
		return count_computed(((OpExpr *) quals)->args);
	if (!IsA(quals, List) && !is_andclause(quals))
		return 0;
	foreach(lc, IsA(quals, List) ? (List *) quals : ((BoolExpr *) quals)->args)
		count += count_operands(lfirst(lc));
	return count;
}

/* The same, of all conditions of a join tree. */
static bool
operands_walker(Node *node, int *count)
{
	if (node == NULL)
		return false;
	if (IsA(node, FromExpr))
		*count += count_operands(((FromExpr *) node)->quals);
	if (IsA(node, JoinExpr))
		*count += count_operands(((JoinExpr *) node)->quals);
	if (!IsA(node, FromExpr) && !IsA(node, JoinExpr) && !IsA(node, List))
		return false;
	return expression_tree_walker(node, operands_walker, count);
}

/* Does a level have rows of more columns than are left for it, or one below? */
static bool
too_wide_walker(Node *node, int *room)
{
	Query	   *query = (Query *) node;
	int			columns;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, too_wide_walker, room);
	columns = count_columns(query) + count_computed(query->targetList);
	(void) operands_walker((Node *) query->jointree, &columns);
	if (Max(columns, list_length(query->targetList)) > *room)
		return true;
	return query_tree_walker(query, too_wide_walker, room, 0);
}

DpReason *
dp_exact_check_width(Query *exact, List *measures)
{
	int			room = MaxTupleAttributeNumber;
	ListCell   *lc;

	foreach(lc, measures)
	{
		DpQuantile *quantile = ((DpMeasure *) lfirst(lc))->quantile;

		if (quantile)
			room -= quantile->spec.cells * DP_CELL_ENTRY / DP_MAX_VALUE_SIZE;
	}
	if (!too_wide_walker((Node *) exact, &room))
		return NULL;
	return dp_tree_reason_as(ERRCODE_TOO_MANY_COLUMNS, -1,
							 "Group by fewer expressions, compute fewer columns in subqueries, or ask in several statements.",
							 "too many columns in a differentially private query");
}
