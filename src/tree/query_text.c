/* SPDX-License-Identifier: PostgreSQL */
/*
 * query_text.c
 *	  Queries as text.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/ruleutils.h"

#include "tree/query_text.h"

/* Is it what the parser makes of "a = ANY (SELECT b)"?  PostgreSQL has text for nothing else there. */
static bool
is_comparison(const Node *node)
{
	return IsA(node, OpExpr) && list_length(((const OpExpr *) node)->args) == 2;
}

static Node *
as_comparison(Node *node)
{
	return is_comparison(node) ? node :
		(Node *) make_opclause(BooleanEqualOperator, BOOLOID, false, (Expr *) node,
							   (Expr *) makeBoolConst(true, false), InvalidOid, InvalidOid);
}

/*
 * The comparison of a subquery as the parser would have made it.  One with NULL or with a boolean constant, or by a
 * function that is inlined, was another expression once it was folded.
 */
static Node *
spellable_test(Node *test)
{
	BoolExpr   *parts;
	ListCell   *lc;

	if (test == NULL || IsA(test, RowCompareExpr))
		return test;
	if (!IsA(test, BoolExpr) || ((BoolExpr *) test)->boolop == NOT_EXPR)
		return as_comparison(test);
	parts = castNode(BoolExpr, test);
	foreach(lc, parts->args)
		lfirst(lc) = as_comparison(lfirst(lc));
	return test;
}

static Node *
spellable_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, spellable_mutator, context, 0);
	node = expression_tree_mutator(node, spellable_mutator, context);
	if (IsA(node, SubLink))
		((SubLink *) node)->testexpr = spellable_test(((SubLink *) node)->testexpr);
	return node;
}

char *
dp_tree_as_text(Query *query, bool pretty)
{
	return pg_get_querydef((Query *) spellable_mutator((Node *) query, NULL), pretty);
}

/* How many levels an expression's node is of queries around the one it stands in; 0 if of none. */
static int
levels_up(Node *node)
{
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup;
	if (IsA(node, Aggref))
		return ((Aggref *) node)->agglevelsup;
	if (IsA(node, GroupingFunc))
		return ((GroupingFunc *) node)->agglevelsup;
	return 0;
}

/* Does an expression, nested so deep below a block, name what is outside of the block? */
static bool
names_outer(Node *node, int *depth)
{
	bool		found;

	if (node == NULL)
		return false;
	if (levels_up(node) > Max(*depth, 0))
		return true;
	if (!IsA(node, Query))
		return expression_tree_walker(node, names_outer, depth);
	(*depth)++;
	found = query_tree_walker((Query *) node, names_outer, depth, 0);
	(*depth)--;
	return found;
}

/* Have a parameter stand for each of those names. */
static Node *
hide_outer(Node *node, int *depth)
{
	Param	   *param;

	if (node == NULL)
		return NULL;
	if (levels_up(node) > Max(*depth, 0))
	{
		param = makeNode(Param);
		param->paramkind = PARAM_EXTERN;
		param->paramid = levels_up(node);
		param->paramtype = exprType(node);
		param->paramtypmod = exprTypmod(node);
		param->paramcollid = exprCollation(node);
		return (Node *) param;
	}
	if (!IsA(node, Query))
		return expression_tree_mutator(node, hide_outer, depth);
	(*depth)++;
	node = (Node *) query_tree_mutator((Query *) node, hide_outer, depth, 0);
	(*depth)--;
	return node;
}

bool
dp_tree_names_outer(Node *node, int depth)
{
	return names_outer(node, &depth);
}

Node *
dp_tree_hide_outer(Node *node, int depth)
{
	return hide_outer(node, &depth);
}
