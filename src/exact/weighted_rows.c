/*
 * weighted_rows.c
 *	  Rows of a model or of synthesis beside the number of rows that their units have.
 *
 *		SELECT count(*) OVER (PARTITION BY unit), coordinates
 *		  FROM (SELECT unit, coordinates FROM t WHERE ...) WHERE coordinates are not null
 *
 * PostgreSQL sorts rows by their units, on disk where they are many, and keeps those of one
 * unit at a time.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "utils/fmgroids.h"

#include "exact/weighted_rows.h"
#include "tree/make_nodes.h"

/* count(*) over the rows of the first column's value. */
static WindowFunc *
count_alike(Query *query)
{
	TargetEntry *unit = linitial_node(TargetEntry, query->targetList);
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *count = makeNode(WindowFunc);

	unit->ressortgroupref = 1;
	window->partitionClause = list_make1(dp_query_make_clause(exprType((Node *) unit->expr), 1));
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	query->windowClause = list_make1(window);
	query->hasWindowFuncs = true;
	count->winfnoid = F_COUNT_;
	count->wintype = INT8OID;
	count->winref = 1;
	count->winstar = true;
	count->winagg = true;
	count->location = -1;
	return count;
}

Query *
dp_query_weigh_rows(Query *rows, Node *unit, List *coordinates, bool skips_null, Var **count, List **values)
{
	Var		   *id = dp_query_add_column(rows, unit, "unit");
	List	   *columns = NIL;
	Query	   *query;
	ListCell   *lc;

	foreach(lc, coordinates)
		columns = lappend(columns, dp_query_add_column(rows, copyObject(lfirst(lc)),
													   psprintf("value_%d", foreach_current_index(lc) + 1)));
	query = dp_query_make_open_select_from(rows, "dp_rows");
	(void) dp_query_add_column(query, (Node *) id, "unit");
	*values = NIL;
	foreach(lc, columns)
	{
		if (skips_null)
			query->jointree->quals = make_and_qual(query->jointree->quals, dp_query_make_not_null(copyObject(lfirst(lc))));
		*values = lappend(*values, dp_query_add_column(query, lfirst(lc),
													   psprintf("value_%d", foreach_current_index(lc) + 1)));
	}
	*count = dp_query_add_column(query, (Node *) count_alike(query), "count");
	return query;
}
