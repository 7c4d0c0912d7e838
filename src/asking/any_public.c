/* SPDX-License-Identifier: PostgreSQL */
/*
 * any_public.c
 *	  EXISTS of public rows that one comparison ties to a row, as ANY.
 *
 *		EXISTS (SELECT 1 FROM words w WHERE p.title LIKE w.pattern AND w.lang = 'en')
 *
 *		(p.title LIKE ANY (SELECT w.pattern FROM words w WHERE w.lang = 'en')) IS TRUE
 *
 * The list is read once then, as one that is written so.  ILIKE of a list is LIKE of what is folded, which may be
 * compared with each of them.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "asking/any_public.h"
#include "expression/plainer.h"
#include "tree/make_nodes.h"

/* Does an expression name columns of this level alone, and some? */
static bool
is_of_level(Node *node, int level)
{
	return contain_vars_of_level(node, level) && !contain_vars_of_level(node, 1 - level) && !checkExprHasSubLink(node);
}

/* A comparison of what is around a query with what is in it, in this order; NULL if it is no such. */
static OpExpr *
as_tie(Node *condition)
{
	OpExpr	   *call = (OpExpr *) condition;

	if (!IsA(call, OpExpr) || list_length(call->args) != 2 || call->opresulttype != BOOLOID)
		return NULL;
	call = copyObject(call);
	if (is_of_level(linitial(call->args), 0) && OidIsValid(get_commutator(call->opno)))
		CommuteOpExpr(call);
	return is_of_level(linitial(call->args), 1) && is_of_level(lsecond(call->args), 0) ? call : NULL;
}

/* The one condition of a query that names what is around it, as a tie, and the rest of them; NULL if there are others. */
static OpExpr *
only_tie(Query *query, Node **rest)
{
	OpExpr	   *tie = NULL;
	ListCell   *lc;

	*rest = NULL;
	foreach(lc, make_ands_implicit((Expr *) query->jointree->quals))
	{
		if (!contain_vars_of_level(lfirst(lc), 1))
			*rest = make_and_qual(*rest, copyObject(lfirst(lc)));
		else if (tie != NULL || (tie = as_tie(lfirst(lc))) == NULL)
			return NULL;
	}
	return tie;
}

/* Does a query return as many rows as its conditions choose, or some of them? */
static bool
only_chooses(const Query *query)
{
	return query->setOperations == NULL && query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
		!query->hasAggs && !query->hasTargetSRFs && !query->limitOffset && !query->limitCount && query->rowMarks == NIL;
}

SubLink *
dp_asking_as_any(const SubLink *exists)
{
	SubLink    *any = makeNode(SubLink);
	Query	   *query = (Query *) exists->subselect;
	Param	   *value = makeNode(Param);
	Node	   *rest;
	OpExpr	   *tie;

	if (exists->subLinkType != EXISTS_SUBLINK || !only_chooses(query) || (tie = only_tie(query, &rest)) == NULL)
		return NULL;
	query = copyObject(query);
	query->jointree->quals = rest;
	query->targetList = NIL;
	query->distinctClause = query->sortClause = query->windowClause = NIL;
	query->hasDistinctOn = query->hasWindowFuncs = false;
	(void) dp_tree_add_column(query, lsecond(tie->args), "value");
	value->paramkind = PARAM_SUBLINK;
	value->paramid = 1;
	value->paramtype = exprType(lsecond(tie->args));
	value->paramtypmod = exprTypmod(lsecond(tie->args));
	value->paramcollid = exprCollation(lsecond(tie->args));
	value->location = -1;
	IncrementVarSublevelsUp(linitial(tie->args), -1, 1);
	lsecond(tie->args) = value;
	any->subLinkType = ANY_SUBLINK;
	any->testexpr = (Node *) tie;
	any->subselect = (Node *) query;
	any->location = exists->location;
	return any;
}

SubLink *
dp_asking_fold_patterns(const SubLink *any)
{
	OpExpr	   *test = (OpExpr *) any->testexpr;
	SubLink    *folded;
	Query	   *query;
	TargetEntry *pattern;

	if ((any->subLinkType != ANY_SUBLINK && any->subLinkType != ALL_SUBLINK) || !IsA(test, OpExpr) ||
		(test->opno != OID_TEXT_ICLIKE_OP && test->opno != get_negator(OID_TEXT_ICLIKE_OP)))
		return NULL;
	folded = copyObject(unconstify(SubLink *, any));
	query = (Query *) folded->subselect;
	pattern = linitial_node(TargetEntry, query->targetList);
	query = dp_tree_make_select_from(query, "p");
	(void) dp_tree_add_column(query, dp_expression_lowered((Node *) makeVarFromTargetEntry(1, pattern), test->inputcollid), "pattern");
	folded->subselect = (Node *) query;
	test = (OpExpr *) folded->testexpr;
	test->opno = test->opno == OID_TEXT_ICLIKE_OP ? OID_TEXT_LIKE_OP : get_negator(OID_TEXT_LIKE_OP);
	test->opfuncid = get_opcode(test->opno);
	linitial(test->args) = dp_expression_lowered(linitial(test->args), test->inputcollid);
	return folded;
}
