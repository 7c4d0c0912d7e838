/* SPDX-License-Identifier: PostgreSQL */
/*
 * above_release.c
 *	  The part of a block in the outer query: keys become the release's key columns,
 *	  aggregates become conversions of its noisy totals, and nothing else may refer to
 *	  the protected rows.
 *
 * The result is evaluated on released values only, so it needs no validation of its
 * own: functions, operators and types are the analyst's.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"

#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "rewrite/above_release.h"
#include "rewrite/interval.h"
#include "rewrite/released_value.h"
#include "tree/find_blocks.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

typedef struct AboveContext
{
	DpBlockRewrite *rewrite;
	int			depth;			/* subquery nesting below the block's level */
	DpReason   *reason;
} AboveContext;

/* The released key this node stands for, at the given depth; or NULL. */
static Node *
released_key(DpBlockRewrite *rewrite, Node *node, int depth)
{
	ListCell   *lc;
	ListCell   *lc2;

	if (IsA(node, Const))
		return NULL;
	forboth(lc, rewrite->keys, lc2, rewrite->key_vars)
	{
		Node	   *key = lfirst(lc);
		Node	   *released;

		if (depth > 0)
		{
			key = copyObject(key);
			IncrementVarSublevelsUp(key, depth, 0);
		}
		if (!equal(node, key))
			continue;
		released = copyObject(lfirst(lc2));
		IncrementVarSublevelsUp(released, depth, 0);

		/* Its canonical form may have lost it, and results are described before they are planned. */
		if (IsA(released, Var))
			((Var *) released)->vartypmod = exprTypmod(key);
		return released;
	}
	return NULL;
}

static Node *above_mutator(Node *node, AboveContext *context);

/* The interval of an aggregate; any other call is left for its caller to refuse. */
static Node *
interval_above(FuncExpr *call, AboveContext *context)
{
	Node	   *level = list_length(call->args) > 1 ? above_mutator(lsecond(call->args), context) : NULL;
	DpReason   *reason = NULL;
	Node	   *interval = dp_rewrite_released_interval(context->rewrite, call, level, &reason);

	if (context->reason == NULL)
		context->reason = reason;
	return interval;
}

/* The term of an aggregate; any other call is left for its caller to refuse. */
static Node *
term_above(FuncExpr *call, AboveContext *context)
{
	Aggref	   *aggref = linitial(call->args);
	DpReason   *reason = NULL;
	Node	   *term;

	if (!IsA(aggref, Aggref) || !dp_tree_is_ours((Node *) aggref) || aggref->agglevelsup > 0)
		return (Node *) call;
	term = dp_rewrite_released_term(context->rewrite, aggref, &reason);

	/*
	 * Nobody asked for that of a notice, so it is neither refused nor may it change what is
	 * drawn.
	 */
	if (dp_tree_function(call->funcid) == DP_FUNCTION_NOTED_TERM)
		return term ? term : (Node *) makeNullConst(BYTEAOID, -1, InvalidOid);
	context->rewrite->block->noise_above = true;
	if (context->reason == NULL)
		context->reason = reason;
	return term;
}

DpReason *
dp_rewrite_check_above(Node *node, int depth)
{
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == depth)
	{
		if (depth > 0)
			return dp_tree_reason(exprLocation(node), "Compute it in the query whose rows it counts.",
								  "an outer query's aggregate in a subquery is not allowed");
		return dp_tree_reason(exprLocation(node),
							  "Use only dp_ aggregates here, or ask the plain one in a query of its own.",
							  "a plain aggregate beside a differentially private one is not allowed");
	}
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == depth)
		return dp_tree_reason(exprLocation(node), "Add it to GROUP BY, or use it inside a dp_ aggregate.",
							  "a column outside GROUP BY is not allowed in a differentially private query");
	return NULL;
}

/* The subquery, with what it refers to of the block's level replaced. */
static Node *
subselect_above(Query *query, AboveContext *context)
{
	context->depth++;
	query = query_tree_mutator(query, above_mutator, context, 0);
	context->depth--;
	return (Node *) query;
}

static Node *
above_mutator(Node *node, AboveContext *context)
{
	Node	   *key;
	DpReason   *reason;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return subselect_above((Query *) node, context);
	key = released_key(context->rewrite, node, context->depth);
	if (key)
		return key;
	if (IsA(node, FuncExpr) && context->depth == 0 &&
		dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_INTERVAL)
		return interval_above((FuncExpr *) node, context);
	if (IsA(node, FuncExpr) && context->depth == 0 &&
		(dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_TERM ||
		 dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_NOTED_TERM))
		return term_above((FuncExpr *) node, context);
	if (dp_tree_is_keys_alone(node) && context->depth == 0)
		return makeBoolConst(true, false);
	if (IsA(node, Aggref) && context->depth == 0 &&
		dp_tree_function(((Aggref *) node)->aggfnoid) != DP_FUNCTION_OTHER)
		return dp_rewrite_released_value(context->rewrite, (Aggref *) node);
	reason = dp_rewrite_check_above(node, context->depth);
	if (context->reason == NULL)
		context->reason = reason;
	if (reason || (IsA(node, Aggref) && context->depth == 0))
		return node;
	return expression_tree_mutator(node, above_mutator, context);
}

DpReason *
dp_rewrite_rewrite_above(DpBlockRewrite *rewrite)
{
	AboveContext context = {.rewrite = rewrite};
	Query	   *query = rewrite->query;

	query->targetList = (List *) above_mutator((Node *) query->targetList, &context);
	query->havingQual = above_mutator(query->havingQual, &context);
	return context.reason;
}
