/*
 * plain_mode.c
 *	  mode() WITHIN GROUP (ORDER BY x) over protected rows.
 *
 *		SELECT mode() WITHIN GROUP (ORDER BY x) FROM t WHERE w
 *
 * becomes
 *
 *		SELECT (SELECT m.key FROM (SELECT x AS key, dp_count(1) AS rank FROM t
 *				WHERE w AND x IS NOT NULL GROUP BY x) m)
 *
 * of whose block the first rank alone is released (DP_FORM_RANKING).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"

#include "base/compat.h"
#include "pricing/forms.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "asking/plain_mode.h"

bool
dp_query_is_mode(const Aggref *aggref)
{
	return aggref->aggfnoid == F_MODE;
}

/* The count whose block releases a ranking of one. */
static Aggref *
make_ranking(int location)
{
	DpFormed	formed = {.form = DP_FORM_RANKING, .size = 1, .label = "mode()"};
	Aggref	   *count = makeNode(Aggref);

	count->aggfnoid = dp_query_count_function(1);
	count->aggtype = INT8OID;
	count->args = list_make1(makeTargetEntry((Expr *) dp_query_make_int4(1), 1, NULL, false));
	count->aggargtypes = list_make1_oid(INT4OID);
	count->aggkind = 'n';
	count->aggno = -1;
	count->aggtransno = -1;
	count->location = location;
	dp_query_ask_form(count, &formed);
	return count;
}

/* The rows of a query, counted by a value of theirs. */
static Query *
count_by(Query *query, Node *value, Node *filter, int location)
{
	Query	   *rows = dp_query_make_select(copyObject(query->rtable), copyObject(query->jointree));

	dp_compat_take_permissions(rows, copyObject(query));
	rows->jointree->quals = make_and_qual(rows->jointree->quals, dp_query_make_not_null(copyObject(value)));
	if (filter)
		rows->jointree->quals = make_and_qual(rows->jointree->quals, copyObject(filter));
	(void) dp_query_add_group(rows, copyObject(value), "key", false);
	(void) dp_query_add_column(rows, (Node *) make_ranking(location), "rank");
	rows->hasAggs = true;
	rows->hasSubLinks = query->hasSubLinks;
	rows->hasRowSecurity = query->hasRowSecurity;

	/* What is around is two levels further away. */
	IncrementVarSublevelsUp((Node *) rows, 2, 1);
	return rows;
}

/* Why a mode of this query is not to be had. */
static DpReason *
find_obstacle(Query *query, const Aggref *aggref)
{
	if (query->groupClause != NIL || query->groupingSets != NIL)
		return dp_query_reason(aggref->location,
							   "Group by the value too, count, and take the greatest count of each group.",
							   "mode has no differentially private form in groups");
	if (query->cteList != NIL)
		return dp_query_reason(aggref->location, "Write the rows' query in FROM.",
							   "mode is not allowed beside WITH");
	return NULL;
}

Node *
dp_query_mode_form(Query *query, Aggref *aggref, DpReason **reason)
{
	Node	   *value = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	SubLink    *link = makeNode(SubLink);
	Query	   *above;

	*reason = find_obstacle(query, aggref);
	if (*reason)
		return (Node *) aggref;
	above = dp_query_make_select_from(count_by(query, value, (Node *) aggref->aggfilter, aggref->location), "m");
	(void) dp_query_add_column(above, (Node *) makeVar(1, 1, exprType(value), exprTypmod(value),
													   exprCollation(value), 0), "mode");
	link->subLinkType = EXPR_SUBLINK;
	link->subselect = (Node *) above;
	link->location = aggref->location;
	query->hasSubLinks = true;
	return (Node *) link;
}

/* Does an expression mention rows of its query's FROM, in sub-selects too? */
static bool
mentions_rows(Node *node)
{
	return contain_vars_of_level(node, 0) || contain_aggs_of_level(node, 0);
}

DpReason *
dp_query_forget_from(Query *query)
{
	if (mentions_rows((Node *) query->targetList) || mentions_rows(query->havingQual))
		return dp_query_reason(-1, "Compute it in the query whose rows it counts.",
							   "an outer query's aggregate in a sub-select is not allowed");
	query->rtable = NIL;
	dp_compat_take_permissions(query, makeNode(Query));
	query->jointree = makeFromExpr(NIL, query->havingQual);
	query->havingQual = NULL;
	query->hasAggs = false;
	return NULL;
}
