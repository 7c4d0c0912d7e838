/* SPDX-License-Identifier: PostgreSQL */
/*
 * named_columns.c
 *	  The columns that a part of a query names.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "tree/named_columns.h"

typedef struct Naming
{
	Index		depth;			/* of subqueries around a node */
	List	   *columns;		/* of Var */
} Naming;

static bool
name_walker(Node *node, Naming *naming)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		naming->depth++;
		(void) query_tree_walker((Query *) node, name_walker, naming, 0);
		naming->depth--;
		return false;
	}
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == naming->depth)
		naming->columns = lappend(naming->columns, node);
	return expression_tree_walker(node, name_walker, naming);
}

List *
dp_tree_named_columns(Node *node)
{
	Naming		naming = {0};

	/* The query itself is no subquery. */
	(void) query_or_expression_tree_walker(node, name_walker, &naming, 0);
	return naming.columns;
}

Bitmapset *
dp_tree_named_columns_of(Node *node, int varno)
{
	Bitmapset  *columns = NULL;
	ListCell   *lc;

	foreach(lc, dp_tree_named_columns(node))
	{
		const Var  *column = lfirst_node(Var, lc);

		if (column->varno == varno && column->varattno > 0)
			columns = bms_add_member(columns, column->varattno);
	}
	return columns;
}
