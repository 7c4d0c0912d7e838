/*
 * find.c
 *	  Finding the analyst's functions in a statement.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "query/catalog.h"
#include "query/find.h"

static bool
mentions_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Aggref:
			if (dp_query_function(((Aggref *) node)->aggfnoid) != DP_FUNCTION_OTHER)
				return true;
			break;
		case T_WindowFunc:
			if (dp_query_function(((WindowFunc *) node)->winfnoid) != DP_FUNCTION_OTHER)
				return true;
			break;
		case T_FuncExpr:
			if (dp_query_function(((FuncExpr *) node)->funcid) != DP_FUNCTION_OTHER)
				return true;
			break;
		case T_Query:
			return query_tree_walker((Query *) node, mentions_walker, context, 0);
		default:
			break;
	}
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
	if (IsA(node, Aggref) &&
		dp_query_function(((Aggref *) node)->aggfnoid) != DP_FUNCTION_OTHER)
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
