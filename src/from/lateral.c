/* SPDX-License-Identifier: PostgreSQL */
/*
 * lateral.c
 *	  Items of FROM that are made of columns of items before them.
 *
 *		FROM visits v, LATERAL (SELECT v.cost * 2 AS twice) s
 *		FROM visits v, LATERAL (SELECT name FROM clinics c WHERE c.id = v.clinic) s
 *
 * Such a subquery is merged into the query like any other (pull_up.c).  So its expressions become
 * expressions over the query's own items, its tables items that the query joins, and its conditions
 * those of the join; all is validated as if it had been written there.  What groups, or is not
 * merged for another reason, is refused.  SQL functions in FROM are subqueries by then
 * (inline_functions.c).
 *
 *		FROM visits v, LATERAL (VALUES ('cost', v.cost), ('minutes', v.minutes)) u (what, x)
 *
 * makes as many rows of each as there are in VALUES.  It is
 *
 *		FROM visits v, LATERAL (SELECT CASE n WHEN 1 THEN 'cost' ELSE 'minutes' END,
 *									   CASE n WHEN 1 THEN v.cost ELSE v.minutes END
 *								  FROM (VALUES (1), (2)) "values" (n)) u (what, x)
 *
 * in which public rows multiply those of visits, and are bounded as such (public_items.c).  UNION ALL
 * of SELECTs without FROM is the same.
 */
#include "postgres.h"

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "from/contribution.h"
#include "from/lateral.h"
#include "from/nullable_columns.h"
#include "tree/make_nodes.h"

/* Turn an item into a subquery, with names of its own. */
static void
become_subselect(RangeTblEntry *rte, Query *query)
{
	RangeTblEntry *fresh = makeNode(RangeTblEntry);

	fresh->rtekind = RTE_SUBQUERY;
	fresh->subquery = query;
	fresh->lateral = true;
	fresh->alias = rte->alias;
	fresh->eref = rte->eref;
	fresh->inFromCl = rte->inFromCl;
	*rte = *fresh;
}

static const char *
column_name(const RangeTblEntry *rte, int column)
{
	return strVal(list_nth(rte->eref->colnames, column));
}

/* An expression of the query as one of a subquery in it. */
static Node *
one_deeper(Node *expr)
{
	expr = copyObject(expr);
	IncrementVarSublevelsUp(expr, 1, 0);
	return expr;
}

/* SELECT n FROM (VALUES (1), (2), ...) "values" (n), with nothing selected yet. */
static Query *
select_from_numbers(int count)
{
	Query	   *query = dp_tree_make_select(NIL, NULL);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);

	rte->rtekind = RTE_VALUES;
	for (int number = 1; number <= count; number++)
		rte->values_lists = lappend(rte->values_lists, list_make1(dp_tree_make_int4(number)));
	rte->coltypes = list_make1_oid(INT4OID);
	rte->coltypmods = list_make1_int(-1);
	rte->colcollations = list_make1_oid(InvalidOid);
	rte->alias = makeAlias("values", list_make1(makeString(pstrdup("n"))));
	rte->eref = copyObject(rte->alias);
	rte->inFromCl = true;
	ref->rtindex = 1;
	query->rtable = list_make1(rte);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	return query;
}

/* CASE WHEN n = 1 THEN value in the first row WHEN n = 2 THEN value in the second ... ELSE value in the last END */
static Node *
by_number(List *rows, int column)
{
	CaseExpr   *cases = makeNode(CaseExpr);
	ListCell   *lc;

	foreach(lc, rows)
	{
		Node	   *value = one_deeper(list_nth(lfirst_node(List, lc), column));
		Expr	   *is_row = make_opclause(Int4EqualOperator, BOOLOID, false,
										   (Expr *) makeVar(1, 1, INT4OID, -1, InvalidOid, 0),
										   (Expr *) dp_tree_make_int4(foreach_current_index(lc) + 1), InvalidOid, InvalidOid);
		CaseWhen   *when = linitial(((CaseExpr *) dp_tree_make_if((Node *) is_row, value))->args);

		set_opfuncid((OpExpr *) is_row);
		if (lnext(rows, lc))
			cases->args = lappend(cases->args, when);
		else
			cases->defresult = (Expr *) value;
		cases->casetype = exprType(value);
		cases->casecollid = exprCollation(value);
	}
	cases->location = -1;
	return (Node *) cases;
}

/* Make a subquery of rows of expressions. */
static void
make_of_rows(RangeTblEntry *rte, List *rows)
{
	int			count = list_length(rows);
	List	   *first = linitial(rows);
	Query	   *query = count == 1 ? dp_tree_make_select(NIL, makeFromExpr(NIL, NULL)) : select_from_numbers(count);

	for (int column = 0; column < list_length(first); column++)
		dp_tree_add_column(query, count == 1 ? one_deeper(list_nth(first, column)) : by_number(rows, column),
						   column_name(rte, column));
	query->hasSubLinks = checkExprHasSubLink((Node *) query->targetList);
	become_subselect(rte, query);
}

/* Is it a query of one row of expressions, and nothing else? */
static bool
is_row(const Query *query)
{
	return query->jointree->fromlist == NIL && query->jointree->quals == NULL && query->setOperations == NULL &&
		query->cteList == NIL && query->groupClause == NIL && query->distinctClause == NIL && query->limitCount == NULL &&
		query->limitOffset == NULL && query->havingQual == NULL && !query->hasAggs && !query->hasWindowFuncs &&
		!query->hasTargetSRFs;
}

/* Add the rows that UNION ALL unites, if each is one of expressions, all of the types of the whole. */
static bool
add_rows(const Query *query, Node *node, const SetOperationStmt *whole, List **rows)
{
	const SetOperationStmt *operation = (const SetOperationStmt *) node;
	const Query *part;
	List	   *row = NIL;
	ListCell   *lc;

	if (IsA(node, SetOperationStmt))
		return operation->op == SETOP_UNION && operation->all &&
			add_rows(query, operation->larg, whole, rows) && add_rows(query, operation->rarg, whole, rows);
	part = rt_fetch(castNode(RangeTblRef, node)->rtindex, query->rtable)->subquery;
	if (!is_row(part) || part->hasSubLinks)
		return false;
	foreach(lc, part->targetList)
	{
		Node	   *expr = copyObject((Node *) lfirst_node(TargetEntry, lc)->expr);
		int			column = foreach_current_index(lc);

		if (lfirst_node(TargetEntry, lc)->resjunk)
			break;
		if (exprType(expr) != list_nth_oid(whole->colTypes, column) ||
			exprCollation(expr) != list_nth_oid(whole->colCollations, column))
			return false;
		IncrementVarSublevelsUp(expr, -2, 2);
		row = lappend(row, expr);
	}
	*rows = lappend(*rows, row);
	return true;
}

/* Make a subquery of UNION ALL of rows of expressions. */
static void
make_of_union(RangeTblEntry *rte)
{
	Query	   *query = rte->subquery;
	List	   *rows = NIL;

	if (query->setOperations && query->limitCount == NULL && query->limitOffset == NULL && query->cteList == NIL &&
		add_rows(query, query->setOperations, castNode(SetOperationStmt, query->setOperations), &rows))
		make_of_rows(rte, rows);
}

/* Is it a value of a type that a column can have, which one call returns? */
static bool
is_one_value(Node *expr)
{
	return !expression_returns_set(expr) && !type_is_rowtype(exprType(expr)) &&
		get_typtype(exprType(expr)) != TYPTYPE_PSEUDO;
}

void
dp_from_make_lateral_subselect(RangeTblEntry *rte)
{
	RangeTblFunction *function;
	Query	   *query;

	if (rte->rtekind == RTE_VALUES)
		make_of_rows(rte, rte->values_lists);
	if (rte->rtekind == RTE_SUBQUERY && rte->lateral)
		make_of_union(rte);
	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1 || rte->funcordinality)
		return;
	function = linitial_node(RangeTblFunction, rte->functions);
	if (function->funccolnames != NIL || !is_one_value(function->funcexpr))
		return;
	query = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	dp_tree_add_column(query, one_deeper(function->funcexpr), column_name(rte, 0));
	query->hasSubLinks = checkExprHasSubLink((Node *) query->targetList);
	become_subselect(rte, query);
}

bool
dp_from_names_outside(Query *query, int depth)
{
	for (int level = 1; level <= depth; level++)
		if (contain_vars_of_level((Node *) query, level))
			return true;
	return false;
}

DpReason *
dp_from_lateral_obstacle(RangeTblEntry *rte, int depth, int location)
{
	Query	   *query = rte->subquery;

	if (!rte->lateral || !dp_from_names_outside(query, depth))
		return NULL;
	if (query->groupClause == NIL && !query->hasAggs && query->havingQual == NULL && !query->hasWindowFuncs &&
		query->distinctClause == NIL && query->setOperations == NULL && query->cteList == NIL)
		return NULL;
	return dp_tree_reason(location,
						  "Select and filter in it; group by the privacy unit in a subquery without LATERAL, and join that by the unit.",
						  "LATERAL with GROUP BY, aggregates, DISTINCT, window functions, WITH or set operations is not allowed in a differentially private query");
}

/* Is there one row of this item, whatever is before it? */
static bool
is_always_one(const Query *query, Node *item)
{
	const RangeTblEntry *rte;

	if (!IsA(item, RangeTblRef))
		return false;
	rte = rt_fetch(((RangeTblRef *) item)->rtindex, query->rtable);
	return rte->rtekind == RTE_SUBQUERY && rte->lateral && is_row(rte->subquery);
}

void
dp_from_join_always(Query *query, JoinExpr *join)
{
	const Const *on = (const Const *) join->quals;

	if (join->jointype != JOIN_LEFT || !is_always_one(query, join->rarg) ||
		(on && !(IsA(on, Const) && !on->constisnull && DatumGetBool(on->constvalue))))
		return;
	join->jointype = JOIN_INNER;
	if (join->rtindex > 0)
	{
		rt_fetch(join->rtindex, query->rtable)->jointype = JOIN_INNER;
		dp_from_forget_nulls_of(query, bms_make_singleton(join->rtindex));
	}
}

/* Does a merged item name columns of others? */
static bool
names_others(RangeTblEntry *rte)
{
	switch (rte->rtekind)
	{
		case RTE_SUBQUERY:
			return contain_vars_of_level((Node *) rte->subquery, 1);
		case RTE_FUNCTION:
			return contain_vars_of_level((Node *) rte->functions, 0);
		case RTE_RELATION:
			return rte->tablesample && contain_vars_of_level((Node *) rte->tablesample, 0);
		default:
			return true;
	}
}

void
dp_from_settle_lateral(Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		rte->lateral = rte->lateral && names_others(rte);
	}
}

DpReason *
dp_from_refuse_item(const RangeTblEntry *rte, int location)
{
	if (rte->lateral && rte->rtekind == RTE_FUNCTION)
		return dp_tree_reason(location,
							  "Have it be LANGUAGE sql, STABLE or IMMUTABLE, not STRICT and RETURNS TABLE or SETOF: what it selects is put in its place. Or join all rows that there may be, by a condition: JOIN generate_series(1, 100) n ON n <= x.",
							  "\"%s\" is a function of columns that does not stand for a query", rte->eref->aliasname);
	if (rte->lateral)
		return dp_tree_reason(location, "Join what it reads in FROM, by conditions in ON.",
							  "LATERAL \"%s\" is not merged into a differentially private query", rte->eref->aliasname);
	return dp_tree_reason(location, DP_FROM_HINT, "\"%s\" is not a table", rte->eref->aliasname);
}
