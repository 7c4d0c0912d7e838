/* SPDX-License-Identifier: PostgreSQL */
/*
 * shippable.c
 *	  Expressions over protected rows in words that postgres_fdw passes on.
 *
 * It leaves to another server columns, constants, CASE, AND, OR, NOT, IS NULL and
 * immutable functions, built in or of an extension that server has.  What the
 * validator admits beyond that is said in those: COALESCE, NULLIF, GREATEST and
 * LEAST of two, IS TRUE and its like as CASE, AND, OR; calls that can fail by
 * dp_agg_internal.attempt_as, which is dp_agg_internal.attempt for SQL.  The values are the same.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "exact/shippable.h"
#include "expression/null_on_error.h"
#include "tree/make_nodes.h"

static Node *
make_null_test(Node *expr, NullTestType type)
{
	NullTest   *test = (NullTest *) dp_tree_make_not_null(expr);

	test->nulltesttype = type;
	return (Node *) test;
}

/* CASE, so far without arms, of the type of an expression. */
static CaseExpr *
make_case_like(Node *expr)
{
	CaseExpr   *cases = makeNode(CaseExpr);

	cases->casetype = exprType(expr);
	cases->casecollid = exprCollation(expr);
	cases->location = -1;
	return cases;
}

/* WHEN condition THEN result */
static void
add_when(CaseExpr *cases, Node *condition, Node *result)
{
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = (Expr *) condition;
	when->result = (Expr *) result;
	when->location = -1;
	cases->args = lappend(cases->args, when);
}

/* CASE WHEN a IS NOT NULL THEN a ... ELSE z END */
static Node *
ship_coalesce(CoalesceExpr *coalesce)
{
	CaseExpr   *cases = make_case_like((Node *) coalesce);
	ListCell   *lc;

	foreach(lc, list_copy_head(coalesce->args, list_length(coalesce->args) - 1))
		add_when(cases, make_null_test(copyObject(lfirst(lc)), IS_NOT_NULL), lfirst(lc));
	cases->defresult = llast(coalesce->args);
	return (Node *) cases;
}

/* CASE WHEN a = b THEN NULL ELSE a END */
static Node *
ship_nullif(NullIfExpr *nullif)
{
	CaseExpr   *cases = make_case_like((Node *) nullif);
	Expr	   *equal = make_opclause(nullif->opno, BOOLOID, false, copyObject(linitial(nullif->args)),
									  lsecond(nullif->args), InvalidOid, nullif->inputcollid);

	add_when(cases, (Node *) equal,
			 (Node *) makeNullConst(cases->casetype, -1, cases->casecollid));
	cases->defresult = linitial(nullif->args);
	return (Node *) cases;
}

/*
 * CASE WHEN a IS NULL THEN b WHEN b IS NULL THEN a WHEN a < b THEN b ELSE a END, or
 * with >: of equal values the first, as these do.
 */
static Node *
ship_minmax(MinMaxExpr *minmax)
{
	TypeCacheEntry *type = lookup_type_cache(minmax->minmaxtype, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Oid			operator = minmax->op == IS_GREATEST ? type->lt_opr : type->gt_opr;
	CaseExpr   *cases = make_case_like((Node *) minmax);
	Node	   *a = linitial(minmax->args);
	Node	   *b = llast(minmax->args);

	if (list_length(minmax->args) != 2 || !OidIsValid(operator))
		return (Node *) minmax;
	add_when(cases, make_null_test(a, IS_NULL), copyObject(b));
	add_when(cases, make_null_test(b, IS_NULL), copyObject(a));
	add_when(cases, (Node *) make_opclause(operator, BOOLOID, false, copyObject((Expr *) a),
										   copyObject((Expr *) b), InvalidOid, minmax->inputcollid),
			 copyObject(b));
	cases->defresult = copyObject((Expr *) a);
	return (Node *) cases;
}

/* x IS TRUE: x IS NOT NULL AND x; x IS NOT TRUE: x IS NULL OR NOT x; and so on. */
static Node *
ship_boolean_test(BooleanTest *test)
{
	bool		negative = test->booltesttype == IS_NOT_TRUE || test->booltesttype == IS_NOT_FALSE;
	bool		complement = test->booltesttype == IS_FALSE || test->booltesttype == IS_NOT_TRUE;
	Node	   *null;
	Expr	   *value = copyObject(test->arg);

	if (test->booltesttype == IS_UNKNOWN || test->booltesttype == IS_NOT_UNKNOWN)
		return make_null_test((Node *) test->arg,
							  test->booltesttype == IS_UNKNOWN ? IS_NULL : IS_NOT_NULL);
	null = make_null_test((Node *) test->arg, negative ? IS_NULL : IS_NOT_NULL);
	if (complement)
		value = makeBoolExpr(NOT_EXPR, list_make1(value), -1);
	return (Node *) makeBoolExpr(negative ? OR_EXPR : AND_EXPR, list_make2(null, value), -1);
}

/* Say casts, which the other server would otherwise have to guess. */
static void
say_cast(Node *arg)
{
	if (IsA(arg, FuncExpr) && ((FuncExpr *) arg)->funcformat == COERCE_IMPLICIT_CAST)
		((FuncExpr *) arg)->funcformat = COERCE_EXPLICIT_CAST;
	if (IsA(arg, RelabelType))
		((RelabelType *) arg)->relabelformat = COERCE_EXPLICIT_CAST;
}

/* Do all of a call's arguments with a collation have it from constants? */
static bool
collates_constants(List *args)
{
	ListCell   *lc;

	foreach(lc, args)
		if (OidIsValid(exprCollation(lfirst(lc))) && !IsA(lfirst(lc), Const))
			return false;
	return true;
}

/*
 * attempt_as(NULL::type, function, arguments...).  postgres_fdw passes on the
 * collation of columns alone; names of units of time have no use for any.
 */
static Node *
ship_attempt(FuncExpr *attempt)
{
	static const Oid types[] = {ANYELEMENTOID, REGPROCEDUREOID, ANYOID};
	Const	   *type = makeNullConst(attempt->funcresulttype, -1, attempt->funccollid);
	FuncExpr   *call = dp_tree_make_call("attempt_as", types, lengthof(types),
										 lcons(type, attempt->args), attempt->funcresulttype);
	ListCell   *lc;

	call->funccollid = attempt->funccollid;
	if (attempt->inputcollid != DEFAULT_COLLATION_OID || !collates_constants(attempt->args))
		call->inputcollid = attempt->inputcollid;
	for_each_from(lc, call->args, 2)
		say_cast(lfirst(lc));
	return (Node *) call;
}

static Node *
ship(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	node = expression_tree_mutator(node, ship, context);
	switch (nodeTag(node))
	{
		case T_CoalesceExpr:
			return ship_coalesce((CoalesceExpr *) node);
		case T_NullIfExpr:
			return ship_nullif((NullIfExpr *) node);
		case T_MinMaxExpr:
			return ship_minmax((MinMaxExpr *) node);
		case T_BooleanTest:
			return ship_boolean_test((BooleanTest *) node);
		case T_FuncExpr:
			return dp_expression_attempted(node) ? ship_attempt((FuncExpr *) node) : node;
		default:
			return node;
	}
}

Node *
dp_exact_ship(Node *node)
{
	return ship(node, NULL);
}
