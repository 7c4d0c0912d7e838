/* SPDX-License-Identifier: PostgreSQL */
/*
 * inline_functions.c
 *	  SQL functions that stand for a query.
 *
 * A set-returning SQL function in FROM is expanded, as the planner would do
 * later, so that blocks in its body are found.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"

#include "asking/inline_functions.h"
#include "from/pull_up.h"
#include "policy/policy.h"
#include "tree/find_blocks.h"

typedef struct ExpandContext
{
	ParamListInfo params;
	List	   *dependencies;
} ExpandContext;

/*
 * Expand the functions of one level.  A body's places are in another text than
 * the statement's: reading the tree anew forgets them.
 */
static void
expand_from(PlannerInfo *root)
{
	List	   *calls = NIL;
	ListCell   *lc;

	foreach(lc, root->parse->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_FUNCTION)
			calls = lappend(calls, lfirst(lc));
	preprocess_function_rtes(root);
	foreach(lc, calls)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY)
			rte->subquery = stringToNode(nodeToString(rte->subquery));
	}
}

/* Expand the functions of every query level; bodies are looked into as well. */
static bool
expand_walker(Node *node, ExpandContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		PlannerInfo *root = dp_from_make_root((Query *) node, context->params);

		expand_from(root);
		context->dependencies = list_concat(context->dependencies, root->glob->invalItems);
		return query_tree_walker((Query *) node, expand_walker, context, 0);
	}
	return expression_tree_walker(node, expand_walker, context);
}

Query *
dp_asking_expand_functions(Query *query, ParamListInfo params, List **dependencies)
{
	ExpandContext context = {.params = params};
	Query	   *expanded = copyObject(query);

	*dependencies = NIL;
	expand_walker((Node *) expanded, &context);
	if (!(dp_tree_find(expanded, dp_policy_is_protected) & (DP_FINDS_OURS | DP_FINDS_PROTECTED)))
		return query;
	*dependencies = context.dependencies;
	return expanded;
}
