/* SPDX-License-Identifier: PostgreSQL */
/*
 * existence.c
 *	  EXISTS of protected rows by itself.
 *
 *		SELECT 1 WHERE EXISTS (SELECT 1 FROM people WHERE age > 100 LIMIT 1)
 *
 * becomes
 *
 *		SELECT 1 WHERE (SELECT bool_or(true) FROM people WHERE age > 100)
 *
 * so that it is answered, and charged, as bool_or is.  Programs ask the same by one row of constants,
 *
 *		SELECT 1 AS one FROM people WHERE age > 100 LIMIT 1
 *
 * which becomes SELECT 1 AS one WHERE EXISTS (SELECT 1 AS one FROM people WHERE age > 100 LIMIT 1) first.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"

#include "asking/existence.h"
#include "asking/select_right.h"
#include "expression/fold_constants.h"
#include "from/lateral.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"

/* Where EXISTS stands. */
typedef struct Place
{
	List	   *levels;			/* of Query: around it, innermost first */
	ParamListInfo params;
	bool		found;
} Place;

static bool replace_walker(Node *node, Place *place);

/* bool_or(true) */
static Aggref *
make_any(int location)
{
	Aggref	   *aggref = makeNode(Aggref);

	aggref->aggfnoid = F_BOOL_OR;
	aggref->aggtype = BOOLOID;
	aggref->aggargtypes = list_make1_oid(BOOLOID);
	aggref->args = list_make1(makeTargetEntry((Expr *) makeBoolConst(true, false), 1, NULL, false));
	aggref->aggkind = 'n';
	aggref->aggno = -1;
	aggref->aggtransno = -1;
	aggref->location = location;
	return aggref;
}

/* How many rows does a query take at most: 0 if that is not known. */
static int64
limit_of(const Query *query, ParamListInfo params)
{
	const Const *limit = query->limitCount ? dp_expression_constant(query->limitCount, params) : NULL;

	if (query->limitCount == NULL)
		return PG_INT64_MAX;
	return limit && !limit->constisnull ? DatumGetInt64(limit->constvalue) : 0;
}

/* Does a query take rows as they are: one at least, if there is one? */
static bool
takes_rows(const Query *query, ParamListInfo params)
{
	return query->commandType == CMD_SELECT && query->setOperations == NULL && query->groupClause == NIL &&
		query->groupingSets == NIL && !query->hasAggs && query->havingQual == NULL && !query->hasTargetSRFs &&
		query->rowMarks == NIL && !query->hasModifyingCTE && query->limitOffset == NULL &&
		limit_of(query, params) > 0;
}

/* Does a query read protected rows that the role may not read? */
static bool
reads_denied(Query *query, List *levels)
{
	DpRawRows	rows;

	dp_asking_find_raw_rows(query, levels, &rows);
	return rows.denied != NULL;
}

/* Ask whether there are rows by an aggregate of them. */
static void
aggregate_existing(SubLink *link)
{
	Query	   *query = castNode(Query, link->subselect);
	Aggref	   *any = make_any(link->location);

	query->targetList = list_make1(makeTargetEntry((Expr *) any, 1, pstrdup("exists"), false));
	query->hasAggs = true;
	query->hasWindowFuncs = false;
	query->windowClause = NIL;
	query->distinctClause = NIL;
	query->hasDistinctOn = false;
	query->sortClause = NIL;
	query->limitCount = NULL;
	link->subLinkType = EXPR_SUBLINK;
}

/* Replace EXISTS in the expressions of a query, and in what is below it. */
static void
replace_in_query(Query *query, Place *around)
{
	Place		place = {lcons(query, list_copy(around->levels)), around->params, around->found};

	check_stack_depth();
	(void) query_tree_walker(query, replace_walker, &place, QTW_IGNORE_JOINALIASES);
	around->found = place.found;
}

static bool
replace_walker(Node *node, Place *place)
{
	SubLink    *link = (SubLink *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		replace_in_query((Query *) node, place);
		return false;
	}
	if (IsA(node, SubLink) && link->subLinkType == EXISTS_SUBLINK)
	{
		Query	   *rows = castNode(Query, link->subselect);
		List	   *levels = lcons(rows, list_copy(place->levels));

		if (takes_rows(rows, place->params) && !dp_from_names_outside(rows, list_length(place->levels)) &&
			!dp_tree_is_block(linitial(place->levels)) && reads_denied(rows, levels) &&
			!reads_denied(linitial(place->levels), place->levels))
		{
			aggregate_existing(link);
			place->found = true;
		}
	}
	return expression_tree_walker(node, replace_walker, place);
}

static bool
has_exists_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_exists_walker, context, QTW_IGNORE_JOINALIASES);
	if (IsA(node, SubLink) && ((SubLink *) node)->subLinkType == EXISTS_SUBLINK)
		return true;
	return expression_tree_walker(node, has_exists_walker, context);
}

bool
dp_asking_has_exists(Query *query)
{
	return has_exists_walker((Node *) query, NULL);
}

Query *
dp_asking_count_existing(Query *query, ParamListInfo params)
{
	Place		place = {.params = params};
	Query	   *replaced;

	if (!dp_asking_has_exists(query))
		return query;
	replaced = copyObject(query);
	replace_in_query(replaced, &place);
	return place.found ? replaced : query;
}

/*
 * Is an expression a constant that names nothing of the query it stands in?  What folds to one may: age + NULL.  It would be
 * shown by a query that has no FROM.
 */
static bool
is_constant_by_itself(Node *expr, ParamListInfo params)
{
	return !contain_var_clause(expr) && !checkExprHasSubLink(expr) && !contain_windowfuncs(expr) &&
		dp_expression_constant(expr, params) != NULL;
}

/* Does a query take one row at most, and show nothing of it but constants?  Which row that is does not matter. */
static bool
takes_constants(const Query *query, ParamListInfo params)
{
	ListCell   *lc;

	if (!takes_rows(query, params) || limit_of(query, params) != 1 || query->limitOption != LIMIT_OPTION_COUNT ||
		query->distinctClause != NIL)
		return false;
	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (!target->resjunk && !is_constant_by_itself((Node *) target->expr, params))
			return false;
	}
	return true;
}

/* Have a query show its constants where there are the rows that it has taken until now. */
static void
test_rows(Query *query)
{
	SubLink    *link = makeNode(SubLink);
	Query	   *rows = copyObject(query);
	Query	   *shown = dp_tree_make_select(NIL, makeFromExpr(NIL, (Node *) link));

	IncrementVarSublevelsUp((Node *) rows, 1, 1);
	rows->utilityStmt = NULL;
	link->subLinkType = EXISTS_SUBLINK;
	link->subselect = (Node *) rows;
	link->location = query->limitCount ? exprLocation(query->limitCount) : -1;
	shown->hasSubLinks = true;
	dp_tree_show_by(query, shown);
}

/* Replace one row of constants in a query, or in what it selects from; what a block reads is its own affair. */
static void
test_rows_below(Query *query, List *levels, ParamListInfo params)
{
	ListCell   *lc;

	check_stack_depth();
	if (takes_constants(query, params) && !dp_tree_is_block(query) &&
		!dp_from_names_outside(query, list_length(levels) - 1) && reads_denied(query, levels))
	{
		test_rows(query);
		return;
	}
	if (dp_asking_aggregates_rows(query))
		return;
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && rte->subquery)
			test_rows_below(rte->subquery, lcons(rte->subquery, list_copy(levels)), params);
	}
}

void
dp_asking_test_rows(Query *query, ParamListInfo params)
{
	test_rows_below(query, list_make1(query), params);
}
