/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_query.c
 *	  What a statement reads in place of a block; see release_query.h.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/release_query.h"

PG_FUNCTION_INFO_V1(dp_tree_release_function);

/* dp_agg_internal.release(internal): the planner has put a release node in its place. */
Datum
dp_tree_release_function(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("exact totals are only available to a differentially private release")));
	PG_RETURN_NULL();
}

static Oid
release_function(void)
{
	static const Oid types[] = {INTERNALOID};

	return dp_tree_internal_function("release", lengthof(types), types);
}

bool
dp_tree_is_release_function(Oid function)
{
	return function == release_function();
}

/* Is it volatile, and neither what is released nor an aggregate that will be?  For check_functions_in_node. */
static bool
is_volatile(Oid function, void *context)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE && !dp_tree_is_release_function(function) &&
		dp_tree_function(function) == DP_FUNCTION_OTHER;
}

static bool
varies_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (check_functions_in_node(node, is_volatile, NULL) || IsA(node, NextValueExpr))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, varies_walker, context, 0);
	return expression_tree_walker(node, varies_walker, context);
}

bool
dp_tree_varies(Node *expression)
{
	return varies_walker(expression, NULL);
}

/* The call release(n), with the columns that a query shows. */
static RangeTblFunction *
make_call(int n, const Query *exact)
{
	RangeTblFunction *function = makeNode(RangeTblFunction);
	Const	   *number = makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), Int32GetDatum(n),
								   false, true);
	ListCell   *lc;

	function->funcexpr = (Node *) makeFuncExpr(release_function(), RECORDOID, list_make1(number),
											   InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	((FuncExpr *) function->funcexpr)->funcretset = true;
	function->funccolcount = list_length(exact->targetList);
	foreach(lc, exact->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Node	   *expr = (Node *) target->expr;

		function->funccolnames = lappend(function->funccolnames, makeString(pstrdup(target->resname)));
		function->funccoltypes = lappend_oid(function->funccoltypes, exprType(expr));
		function->funccoltypmods = lappend_int(function->funccoltypmods, exprTypmod(expr));
		function->funccolcollations = lappend_oid(function->funccolcollations, exprCollation(expr));
	}
	return function;
}

/* A query over what a function in FROM returns, without columns yet. */
static Query *
select_from_function(RangeTblFunction *function, const char *alias, List *names)
{
	RangeTblEntry *item = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);

	item->rtekind = RTE_FUNCTION;
	item->functions = list_make1(function);
	item->eref = makeAlias(alias, names);
	item->inFromCl = true;
	ref->rtindex = 1;
	return dp_tree_make_select(list_make1(item), makeFromExpr(list_make1(ref), NULL));
}

Query *
dp_tree_make_release_query(int n, const Query *exact, int location)
{
	RangeTblFunction *function = make_call(n, exact);
	Query	   *query = select_from_function(function, "release", copyObject(function->funccolnames));
	ListCell   *lc;

	foreach(lc, exact->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		Var		   *column = makeVarFromTargetEntry(1, target);

		Assert(!target->resjunk);
		column->location = location;
		(void) dp_tree_add_column(query, (Node *) column, target->resname);
	}
	query->limitOffset = (Node *) dp_tree_make_int8(0);
	return query;
}

Query *
dp_tree_make_numbers(int n)
{
	RangeTblFunction *function = makeNode(RangeTblFunction);
	FuncExpr   *call = makeFuncExpr(F_GENERATE_SERIES_INT4_INT4, INT4OID,
									list_make2(dp_tree_make_int4(1), dp_tree_make_int4(n)),
									InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	Query	   *query;

	call->funcretset = true;
	function->funcexpr = (Node *) call;
	function->funccolcount = 1;
	query = select_from_function(function, "keys", list_make1(makeString(pstrdup("key"))));
	(void) dp_tree_add_column(query, (Node *) makeVar(1, 1, INT4OID, -1, InvalidOid, 0), "key");
	return query;
}

/*
 * Only make_call() makes a constant of type internal that is not null.  A statement may
 * call the function with NULL, or with what a function returns: then it runs, and raises
 * its error.
 */
int
dp_tree_release_number(const RangeTblEntry *item)
{
	FuncExpr   *call;
	Const	   *number;

	if (item->rtekind != RTE_FUNCTION || list_length(item->functions) != 1)
		return -1;
	call = (FuncExpr *) linitial_node(RangeTblFunction, item->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || call->funcid != release_function())
		return -1;
	number = linitial(call->args);
	if (!IsA(number, Const) || number->constisnull)
		return -1;
	return DatumGetInt32(number->constvalue);
}
