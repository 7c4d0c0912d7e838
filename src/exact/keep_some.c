/*
 * keep_some.c
 *	  Keeping some rows of each group of a query, chosen at random.
 *
 *		SELECT ... FROM (SELECT *, row_number() OVER (PARTITION BY columns ORDER BY random_priority()) AS rank
 *						   FROM rows) r WHERE rank < limit + 1
 *
 * Every row draws a number of its own, so that what is kept of a group depends on no other.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "exact/keep_some.h"
#include "tree/make_nodes.h"

/* Have a window be about the rows that have the same values in these columns. */
static void
partition_by(Query *query, WindowClause *window, List *columns)
{
	ListCell   *lc;

	foreach(lc, columns)
	{
		TargetEntry *target = list_nth_node(TargetEntry, query->targetList, lfirst_int(lc) - 1);

		target->ressortgroupref = lfirst_int(lc);
		window->partitionClause = lappend(window->partitionClause,
										  dp_query_make_clause(exprType((Node *) target->expr), target->ressortgroupref));
	}
}

/* Number the rows of each group, in the last column but one. */
static Query *
rank_rows(Query *rows, List *columns)
{
	Query	   *ranked = dp_query_make_select_from(rows, "dp_unit");
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *rank = makeNode(WindowFunc);
	TargetEntry *target;
	ListCell   *lc;

	foreach(lc, rows->targetList)
	{
		target = lfirst_node(TargetEntry, lc);
		dp_query_add_column(ranked, (Node *) makeVarFromTargetEntry(1, target), target->resname);
	}
	partition_by(ranked, window, columns);

	rank->winfnoid = F_ROW_NUMBER;
	rank->wintype = INT8OID;
	rank->winref = 1;
	rank->location = -1;
	dp_query_add_column(ranked, (Node *) rank, "rank");

	dp_query_add_column(ranked, (Node *) dp_query_make_call("random_priority", NULL, 0, NIL, INT8OID), "priority");
	target = llast_node(TargetEntry, ranked->targetList);
	target->resjunk = true;
	target->ressortgroupref = target->resno;
	window->orderClause = list_make1(dp_query_make_clause(INT8OID, target->ressortgroupref));
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	ranked->windowClause = list_make1(window);
	ranked->hasWindowFuncs = true;
	return ranked;
}

Query *
dp_query_keep_some(Query *rows, List *columns, int limit)
{
	Query	   *ranked = rank_rows(rows, columns);
	Query	   *query = dp_query_make_select_from(ranked, "dp_unit");
	TargetEntry *rank = list_nth_node(TargetEntry, ranked->targetList, list_length(rows->targetList));

	query->jointree->quals = (Node *)
		make_opclause(Int8LessOperator, BOOLOID, false, (Expr *) makeVarFromTargetEntry(1, rank),
					  (Expr *) dp_query_make_int8((int64) limit + 1), InvalidOid, InvalidOid);
	return query;
}
