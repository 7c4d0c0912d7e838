/* SPDX-License-Identifier: PostgreSQL */
/*
 * set_operations.c
 *	  UNION, INTERSECT and EXCEPT of protected rows, as UNION ALL and GROUP BY.
 *
 *		a UNION b		is	SELECT x, y FROM (a UNION ALL b) GROUP BY x, y
 *		a INTERSECT b	is	SELECT x, y FROM (SELECT x, y, true AS side FROM a UNION ALL
 *							SELECT x, y, false FROM b) GROUP BY x, y
 *							HAVING bool_or(side) AND NOT bool_and(side)
 *		a EXCEPT b		is	the same HAVING bool_and(side)
 *
 *		a INTERSECT ALL b	is	a INTERSECT b, and a EXCEPT ALL b is a EXCEPT b, of rows with the number that
 *							each has among its like: row_number() OVER (PARTITION BY x, y)
 *
 * So they are validated like any other subquery that groups: by the privacy unit and more,
 * in values of one form; and like any other with windows, partitioned by the unit and more.  Both
 * sides are read in full, whatever is in the other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"

#include "from/set_operations.h"
#include "tree/make_nodes.h"

/* A query of set operations that is replaced. */
typedef struct Nesting
{
	Query	   *query;
	const char *alias;
	int			location;
} Nesting;

static Query *make_query(Nesting *nesting, Node *node, int depth);

/* The name of a column of the statement's query. */
static const char *
column_name(const Nesting *nesting, int number)
{
	return list_nth_node(TargetEntry, nesting->query->targetList, number)->resname;
}

/* Has a query the columns that an operation returns? */
static bool
has_types(const Query *query, const SetOperationStmt *operation)
{
	ListCell   *lc;
	ListCell   *lc2;
	ListCell   *lc3;

	forthree(lc, query->targetList, lc2, operation->colTypes, lc3, operation->colCollations)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (lfirst_node(TargetEntry, lc)->resjunk)
			break;
		if (exprType(expr) != lfirst_oid(lc2) || exprCollation(expr) != lfirst_oid(lc3))
			return false;
	}
	return true;
}

/* A column as one of the type that an operation returns. */
static Node *
as_type(Nesting *nesting, Var *column, Oid type, Oid collation)
{
	Node	   *expr = coerce_to_target_type(NULL, (Node *) column, exprType((Node *) column), type, -1,
											 COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1);

	if (expr == NULL)
		elog(ERROR, "a column of a set operation is not of its type");
	if (exprCollation(expr) != collation)
		expr = (Node *) makeRelabelType((Expr *) expr, type, exprTypmod(expr), collation, COERCE_IMPLICIT_CAST);
	return expr;
}

/* Add the number that each row of a query has among those like it. */
static void
number_alike(Query *query)
{
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *number = makeNode(WindowFunc);
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		target->ressortgroupref = target->resno;
		window->partitionClause = lappend(window->partitionClause,
										  dp_tree_make_clause(exprType((Node *) target->expr), target->resno));
	}
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	number->winfnoid = F_ROW_NUMBER;
	number->wintype = INT8OID;
	number->winref = 1;
	number->location = DP_QUERY_NUMBERED_ALIKE;
	(void) dp_tree_add_column(query, (Node *) number, "number");
	query->windowClause = list_make1(window);
	query->hasWindowFuncs = true;
}

/*
 * One side of an operation, its columns of the types that this returns, and marked if so asked; if all its
 * rows count, numbered too.
 */
static Query *
make_side(Nesting *nesting, Node *node, const SetOperationStmt *operation, int depth, Node *mark)
{
	Query	   *side = make_query(nesting, node, depth);
	Query	   *outer;
	ListCell   *lc;
	ListCell   *lc2;
	ListCell   *lc3;

	if (mark == NULL && has_types(side, operation))
		return side;

	/* What is around is a level further away. */
	IncrementVarSublevelsUp((Node *) side, 1, 1);
	outer = dp_tree_make_open_select_from(side, nesting->alias);
	forthree(lc, side->targetList, lc2, operation->colTypes, lc3, operation->colCollations)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Var		   *column = makeVarFromTargetEntry(1, target);

		column->location = exprLocation((Node *) target->expr);
		(void) dp_tree_add_column(outer, as_type(nesting, column, lfirst_oid(lc2), lfirst_oid(lc3)),
								  column_name(nesting, foreach_current_index(lc)));
	}
	if (mark && operation->all)
		number_alike(outer);
	if (mark)
		(void) dp_tree_add_column(outer, mark, "side");
	return outer;
}

/* The sides of nested UNION ALL, of the same types, from left to right. */
static List *
collect_sides(Nesting *nesting, Node *node, const SetOperationStmt *operation, int depth)
{
	const SetOperationStmt *own = (const SetOperationStmt *) node;

	if (IsA(node, SetOperationStmt) && own->op == SETOP_UNION && own->all &&
		equal(own->colTypes, operation->colTypes) && equal(own->colCollations, operation->colCollations))
		return list_concat(collect_sides(nesting, own->larg, operation, depth),
						   collect_sides(nesting, own->rarg, operation, depth));
	return list_make1(make_side(nesting, node, operation, depth, NULL));
}

/* Enter a query in the range table of a UNION ALL. */
static Node *
enter(const Nesting *nesting, Query *query, Query *side)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	query->rtable = lappend(query->rtable, dp_tree_make_open_item(side, nesting->alias));
	ref->rtindex = list_length(query->rtable);
	return (Node *) ref;
}

/* UNION ALL of queries. */
static Query *
unite(const Nesting *nesting, List *sides)
{
	Query	   *query = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	Node	   *all = NULL;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, sides)
	{
		Node	   *side = enter(nesting, query, lfirst(lc));
		SetOperationStmt *operation = makeNode(SetOperationStmt);

		if (all == NULL)
		{
			all = side;
			continue;
		}
		operation->op = SETOP_UNION;
		operation->all = true;
		operation->larg = all;
		operation->rarg = side;
		foreach(lc2, linitial_node(Query, sides)->targetList)
		{
			Node	   *expr = (Node *) lfirst_node(TargetEntry, lc2)->expr;

			if (lfirst_node(TargetEntry, lc2)->resjunk)
				break;
			operation->colTypes = lappend_oid(operation->colTypes, exprType(expr));
			operation->colTypmods = lappend_int(operation->colTypmods, -1);
			operation->colCollations = lappend_oid(operation->colCollations, exprCollation(expr));
		}
		all = (Node *) operation;
	}
	foreach(lc, linitial_node(Query, sides)->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Var		   *column = makeVarFromTargetEntry(1, target);

		if (target->resjunk)
			break;
		column->vartypmod = -1;
		column->location = exprLocation((Node *) target->expr);
		(void) dp_tree_add_column(query, (Node *) column,
								  foreach_current_index(lc) < list_length(nesting->query->targetList)
								  ? column_name(nesting, foreach_current_index(lc)) : target->resname);
	}
	query->setOperations = all;
	return query;
}

/* An aggregate of which side a row comes from. */
static Node *
of_sides(Oid function, const Query *united)
{
	Aggref	   *aggref = dp_tree_make_count((Node *) makeVarFromTargetEntry(1, llast_node(TargetEntry, united->targetList)));

	aggref->aggfnoid = function;
	aggref->aggtype = BOOLOID;
	aggref->inputcollid = InvalidOid;
	return (Node *) aggref;
}

/* UNION, INTERSECT or EXCEPT, of which each row comes once, or each of its number if all do. */
static Query *
make_distinct(Nesting *nesting, const SetOperationStmt *operation, int depth)
{
	bool		marked = operation->op != SETOP_UNION;
	List	   *sides = NIL;
	Query	   *united;
	Query	   *query;
	ListCell   *lc;

	for (int i = 0; i < 2; i++)
		sides = lappend(sides, make_side(nesting, i == 0 ? operation->larg : operation->rarg, operation, depth + 2,
										 marked ? makeBoolConst(i == 0, false) : NULL));
	united = unite(nesting, sides);
	united->stmt_location = DP_QUERY_COMPARED;
	query = dp_tree_make_open_select_from(united, nesting->alias);
	foreach(lc, united->targetList)
	{
		Var		   *column = makeVarFromTargetEntry(1, lfirst(lc));

		if (marked && lnext(united->targetList, lc) == NULL)
			break;
		column->location = nesting->location;
		(void) dp_tree_add_group(query, (Node *) column, lfirst_node(TargetEntry, lc)->resname,
								 foreach_current_index(lc) >= list_length(operation->colTypes));
	}
	if (operation->op == SETOP_EXCEPT)
		query->havingQual = of_sides(F_BOOL_AND, united);
	else if (marked)
		query->havingQual = (Node *) makeBoolExpr(AND_EXPR, list_make2(of_sides(F_BOOL_OR, united),
																	   makeBoolExpr(NOT_EXPR, list_make1(of_sides(F_BOOL_AND, united)), -1)), -1);
	query->hasAggs = marked;
	return query;
}

/*
 * The query of a set operation, or of one of its parts, so many levels below the
 * statement's own, of which parts were one below.
 */
static Query *
make_query(Nesting *nesting, Node *node, int depth)
{
	const SetOperationStmt *operation = (const SetOperationStmt *) node;

	if (IsA(node, RangeTblRef))
	{
		Query	   *part = rt_fetch(((RangeTblRef *) node)->rtindex, nesting->query->rtable)->subquery;

		IncrementVarSublevelsUp((Node *) part, depth - 1, 1);
		return part;
	}
	if (operation->op == SETOP_UNION && operation->all)
		return unite(nesting, collect_sides(nesting, node, operation, depth + 1));
	return make_distinct(nesting, operation, depth);
}

void
dp_from_nest_set_operations(Query **query, const char *alias, int location)
{
	Nesting		nesting = {.query = *query, .alias = alias, .location = location};
	Query	   *nested = make_query(&nesting, (*query)->setOperations, 0);

	if ((*query)->stmt_location == DP_QUERY_COMPARED)
		nested->stmt_location = DP_QUERY_COMPARED;
	nested->cteList = (*query)->cteList;
	nested->hasRecursive = (*query)->hasRecursive;
	nested->hasModifyingCTE = (*query)->hasModifyingCTE;
	*query = nested;
}
