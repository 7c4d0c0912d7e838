/*
 * find.c
 *	  Finding the analyst's functions in a statement.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "query/catalog.h"
#include "query/find.h"

/* Is this a function that has to be rewritten wherever it stands? */
static bool
needs_rewrite(Oid funcid)
{
	DpFunction	function = dp_query_function(funcid);

	return function != DP_FUNCTION_OTHER && function != DP_FUNCTION_BUCKET;
}

bool
dp_query_is_ours(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Aggref:
			return needs_rewrite(((Aggref *) node)->aggfnoid);
		case T_WindowFunc:
			return needs_rewrite(((WindowFunc *) node)->winfnoid);
		case T_FuncExpr:
			return needs_rewrite(((FuncExpr *) node)->funcid);
		default:
			return false;
	}
}

static bool
mentions_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, mentions_walker, context, 0);
	if (dp_query_is_ours(node))
		return true;
	return expression_tree_walker(node, mentions_walker, context);
}

bool
dp_query_mentions(Query *query)
{
	return query_tree_walker(query, mentions_walker, NULL, 0);
}

/* Collect our aggregates of this level into a List, without duplicates. */
static bool
aggregates_walker(Node *node, List **aggregates)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && dp_query_is_ours(node))
	{
		*aggregates = list_append_unique(*aggregates, node);
		return false;
	}
	if (IsA(node, Query))
		return false;
	return expression_tree_walker(node, aggregates_walker, aggregates);
}

List *
dp_query_aggregates(Query *block)
{
	List	   *aggregates = NIL;

	aggregates_walker((Node *) block->targetList, &aggregates);
	aggregates_walker(block->havingQual, &aggregates);
	return aggregates;
}

bool
dp_query_is_block(Query *query)
{
	return query->hasAggs && dp_query_aggregates(query) != NIL;
}
