/* SPDX-License-Identifier: PostgreSQL */
/*
 * by_value.c
 *	  What a query computes of no row, as the value that it has now; see by_value.h.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "kept/by_value.h"
#include "kept/name.h"

/* Does a node by itself depend on time or settings? */
static bool
is_unsettled(Node *node)
{
	Oid			tried;

	switch (nodeTag(node))
	{
		case T_SQLValueFunction:
			return true;
		case T_FuncExpr:
			tried = dp_kept_called_by_attempt((FuncExpr *) node);
			return dp_kept_volatility(OidIsValid(tried) ? tried : ((FuncExpr *) node)->funcid) == PROVOLATILE_STABLE;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return dp_kept_operator_volatility(((OpExpr *) node)->opno) == PROVOLATILE_STABLE;
		case T_CoerceViaIO:
			return !dp_kept_has_one_text(exprType((Node *) ((CoerceViaIO *) node)->arg));
		default:
			return false;
	}
}

static bool
unsettled_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, unsettled_walker, context, 0);
	return is_unsettled(node) || expression_tree_walker(node, unsettled_walker, context);
}

/*
 * Is there anything that cannot be computed here: that depends on a row or an execution, or is
 * no built-in function, unless that is tried?
 */
static bool
unknown_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
		case T_List:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_MinMaxExpr:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_NullTest:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_CoalesceExpr:
		case T_CollateExpr:
		case T_SQLValueFunction:
			break;
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcid >= FirstUnpinnedObjectId &&
				!OidIsValid(dp_kept_called_by_attempt((FuncExpr *) node)))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, unknown_walker, context);
}

bool
dp_kept_can_compute(Node *expr)
{
	return !unknown_walker(expr, NULL);
}

/* Is it an expression, and no part of one? */
static bool
has_value(Node *node)
{
	return !IsA(node, List) && !IsA(node, CaseWhen) && !IsA(node, Const);
}

static Node *
by_value_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	check_stack_depth();
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, by_value_mutator, context, 0);
	if (has_value(node) && !unknown_walker(node, NULL) && unsettled_walker(node, NULL))
		return (Node *) evaluate_expr(copyObject((Expr *) node), exprType(node), exprTypmod(node),
									  exprCollation(node));
	return expression_tree_mutator(node, by_value_mutator, context);
}

const Query *
dp_kept_by_value(const Query *query)
{
	Query	   *tree = unconstify(Query *, query);

	if (!query_tree_walker(tree, unsettled_walker, NULL, 0))
		return query;
	return query_tree_mutator(tree, by_value_mutator, NULL, 0);
}
