/*
 * release_query.c
 *	  What a statement reads in place of a block; see release_query.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "query/nodes/make_nodes.h"
#include "query/nodes/own_functions.h"
#include "query/nodes/release_query.h"

PG_FUNCTION_INFO_V1(dp_query_release_function);

/* dp_agg.release(internal): the planner has put a release node in its place. */
Datum
dp_query_release_function(PG_FUNCTION_ARGS)
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

	return dp_query_internal_function("release", lengthof(types), types);
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

Query *
dp_query_make_release_query(int n, const Query *exact, int location)
{
	RangeTblEntry *item = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	RangeTblFunction *function = make_call(n, exact);
	Query	   *query;
	ListCell   *lc;

	item->rtekind = RTE_FUNCTION;
	item->functions = list_make1(function);
	item->eref = makeAlias("release", copyObject(function->funccolnames));
	item->inFromCl = true;
	ref->rtindex = 1;
	query = dp_query_make_select(list_make1(item), makeFromExpr(list_make1(ref), NULL));
	foreach(lc, exact->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		Var		   *column = makeVarFromTargetEntry(1, target);

		Assert(!target->resjunk);
		column->location = location;
		(void) dp_query_add_column(query, (Node *) column, target->resname);
	}
	query->limitOffset = (Node *) dp_query_make_int8(0);
	return query;
}

/*
 * Only make_call() makes a constant of type internal that is not null.  A statement may
 * call the function with NULL, or with what a function returns: then it runs, and raises
 * its error.
 */
int
dp_query_release_number(const RangeTblEntry *item)
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
