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
