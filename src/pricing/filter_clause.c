/*
 * filter_clause.c
 *	  FILTER of aggregates, as part of what they are over.
 *
 *		dp_sum(x, 0, 9) FILTER (WHERE c)	is	dp_sum(CASE WHEN c THEN x END, 0, 9)
 *		dp_count(*) FILTER (WHERE c)		is	dp_count(CASE WHEN c THEN 1 END)
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "pricing/filter_clause.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/* The value where the condition holds, under the casts that the parser added to it. */
static Node *
value_if(Node *condition, Node *value)
{
	FuncExpr   *cast = (FuncExpr *) value;

	if (!IsA(value, FuncExpr) || cast->funcformat != COERCE_IMPLICIT_CAST)
		return dp_query_make_if(condition, value);
	linitial(cast->args) = value_if(condition, linitial(cast->args));
	return value;
}

static void
fold_filter(Aggref *aggref)
{
	Node	   *condition = (Node *) aggref->aggfilter;
	TargetEntry *first;

	aggref->aggfilter = NULL;
	if (aggref->aggstar)
	{
		aggref->aggstar = false;
		aggref->aggfnoid = dp_query_count_function(1);
		aggref->args = list_make1(makeTargetEntry((Expr *) dp_query_make_int4(1), 1, NULL, false));
		aggref->aggargtypes = list_make1_oid(INT4OID);
	}
	first = linitial_node(TargetEntry, aggref->args);
	first->expr = (Expr *) value_if(condition, (Node *) first->expr);
}

static bool
fold_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, fold_walker, context);
	if (((Aggref *) node)->aggfilter && ((Aggref *) node)->agglevelsup == 0 &&
		dp_query_is_ours(node) &&
		dp_query_function(((Aggref *) node)->aggfnoid) != DP_FUNCTION_KEYS_ALONE)
		fold_filter((Aggref *) node);
	return false;
}

void
dp_query_fold_filters(Query *block)
{
	(void) fold_walker((Node *) block->targetList, NULL);
	(void) fold_walker(block->havingQual, NULL);
}
