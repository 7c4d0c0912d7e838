/* SPDX-License-Identifier: PostgreSQL */
/*
 * look_up_policies.c
 *	  Policies of row security that look a row up in public tables.
 *
 *		EXISTS (SELECT FROM member m WHERE m.team = t.team AND m.usr = current_user)
 *
 * is true where this is, which joins nothing:
 *
 *		t.team IN (SELECT m.team FROM member m WHERE m.usr = current_user)
 *
 * Where it is false, that may be NULL, which is the same to WHERE, and to AND and OR there.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"

#include "asking/correlated.h"
#include "asking/look_up_policies.h"
#include "from/public_query.h"
#include "policy/row_security.h"
#include "tree/make_nodes.h"

/* The value that a subquery returns, which is of the type of this. */
static Node *
value_of_sublink(Node *own)
{
	Param	   *param = makeNode(Param);

	param->paramkind = PARAM_SUBLINK;
	param->paramid = 1;
	param->paramtype = exprType(own);
	param->paramtypmod = exprTypmod(own);
	param->paramcollid = exprCollation(own);
	param->location = -1;
	return (Node *) param;
}

/* EXISTS as IN; itself if it is more than a look-up by one equality of what is public. */
static Node *
as_in(SubLink *exists)
{
	DpCorrelated correlated;
	const DpTie *tie;
	SubLink    *in;
	OpExpr	   *equality;

	if (!dp_asking_take_ties(castNode(Query, exists->subselect), 1, &correlated) || list_length(correlated.keys) != 1 ||
		correlated.bound || correlated.query->groupClause || correlated.query->hasAggs || correlated.query->hasWindowFuncs ||
		correlated.query->setOperations || correlated.query->limitCount || correlated.query->limitOffset ||
		correlated.query->havingQual || correlated.query->hasTargetSRFs ||
		!dp_from_is_public_expression((Node *) correlated.query, NIL))
		return (Node *) exists;
	tie = linitial(correlated.keys);
	in = makeNode(SubLink);
	in->subLinkType = ANY_SUBLINK;
	in->operName = list_make1(makeString(pstrdup("=")));
	in->subselect = (Node *) correlated.query;
	in->location = -1;
	correlated.query->targetList = NIL;
	correlated.query->distinctClause = NIL;
	correlated.query->sortClause = NIL;
	(void) dp_tree_add_column(correlated.query, tie->own, "value");
	equality = castNode(OpExpr, dp_asking_tie_with(tie, value_of_sublink(tie->own)));
	if (tie->own_first)
		CommuteOpExpr(equality);
	in->testexpr = (Node *) equality;
	return (Node *) make_and_qual(correlated.outside, (Node *) in);
}

/* Do so at the top of AND and OR. */
static Node *
look_up(Node *condition)
{
	BoolExpr   *either = (BoolExpr *) condition;
	ListCell   *lc;

	if (condition && IsA(condition, SubLink) && ((SubLink *) condition)->subLinkType == EXISTS_SUBLINK)
		return as_in((SubLink *) condition);
	if (condition == NULL || !IsA(condition, BoolExpr) || either->boolop == NOT_EXPR)
		return condition;
	foreach(lc, either->args)
		lfirst(lc) = look_up(lfirst(lc));
	return condition;
}

static bool
look_up_walker(Node *node, void *context)
{
	Query	   *query = (Query *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, look_up_walker, context);
	if (dp_policy_is_under_policies(query))
		query->jointree->quals = look_up(query->jointree->quals);
	return query_tree_walker(query, look_up_walker, context, QTW_IGNORE_JOINALIASES);
}

Query *
dp_asking_look_up_policies(Query *query)
{
	(void) look_up_walker((Node *) query, NULL);
	return query;
}
