/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_expressions.c
 *	  Parts of a block's expressions that depend on no row of it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "expression/allow_list.h"
#include "expression/fold_constants.h"
#include "from/public_expressions.h"
#include "from/public_query.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/public_params.h"

typedef struct Lift
{
	DpPublicReads *reads;		/* of the statement */
	List	   *levels;			/* the query and those around it, innermost first */
	List	   *keys;			/* of a block: its keys as they were, */
	List	   *lifted_keys;	/* and as they are now */
} Lift;

/*
 * Is it a function that has to be run by whoever asks?  Texts of rows are read as less than texts
 * of hers are, where a setting decides what these mean.  For check_functions_in_node.
 */
static bool
is_foreign_or_unsettled(Oid function, void *context)
{
	if (function >= FirstUnpinnedObjectId)
		return true;
	return func_volatile(function) != PROVOLATILE_IMMUTABLE && !dp_expression_depends_on_settings(function) &&
		(dp_expression_verdict(function).totality == DP_REFUSED ||
		 dp_expression_verdict(function).cost == DP_COST_FROM_TEXT);
}

/* Is there anything in an expression that neither validation computes nor a block may have? */
static bool
needs_reading(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) || IsA(node, CoerceToDomain) || dp_tree_is_public_param(node))
		return true;
	if (IsA(node, SQLValueFunction) && ((SQLValueFunction *) node)->op > SVFOP_LOCALTIMESTAMP_N)
		return true;
	return check_functions_in_node(node, is_foreign_or_unsettled, NULL) ||
		expression_tree_walker(node, needs_reading, context);
}

/* Is it volatile, or the extension's own?  For check_functions_in_node. */
static bool
is_for_rows(Oid function, void *context)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE || dp_tree_function(function) != DP_FUNCTION_OTHER;
}

/*
 * Does an expression have parts that mean something for each row, or within what is around
 * it?  What subqueries call is their own.
 */
static bool
is_for_each_row(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, CaseTestExpr) || IsA(node, CoerceToDomainValue) || IsA(node, NextValueExpr) ||
		IsA(node, SetToDefault) || (IsA(node, Param) && ((Param *) node)->paramkind != PARAM_EXTERN))
		return true;
	if (check_functions_in_node(node, is_for_rows, NULL))
		return true;

	/* A CASE brings the value that its conditions compare, and a cast of arrays their elements. */
	if (IsA(node, CaseExpr) && ((CaseExpr *) node)->arg)
		return is_for_each_row((Node *) ((CaseExpr *) node)->arg, context);
	if (IsA(node, ArrayCoerceExpr))
		return is_for_each_row((Node *) ((ArrayCoerceExpr *) node)->arg, context);
	if (IsA(node, SubLink))
		return contain_volatile_functions(((SubLink *) node)->testexpr);
	return expression_tree_walker(node, is_for_each_row, context);
}

/* Is it an expression with a value, and no part of one? */
static bool
has_value(Node *node)
{
	return !IsA(node, List) && !IsA(node, CaseWhen) && !IsA(node, TargetEntry) && !IsA(node, SortGroupClause) &&
		!IsA(node, Const) && !IsA(node, Var) && !IsA(node, Param) && !IsA(node, Aggref) && !IsA(node, RangeTblRef) &&
		!IsA(node, JoinExpr) && !IsA(node, FromExpr) && !IsA(node, Query) && !dp_compat_is_json_part(node) &&
		get_typtype(exprType(node)) != TYPTYPE_PSEUDO;
}

/* SELECT expr, in place of the innermost level. */
static Param *
read_expression(Node *expr, Lift *lift)
{
	Query	   *query = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	int			location = exprLocation(expr);
	Param	   *param;

	dp_tree_add_column(query, copyObject(expr), "value");
	query->hasSubLinks = checkExprHasSubLink(expr);
	dp_from_bring_with(query, lift->levels);
	param = dp_tree_add_public_query(lift->reads, query, location);
	param->location = location;
	return param;
}

/* Replacing what stands for a row of a subquery by its column. */
static Node *
column_mutator(Node *node, Var *column)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK)
		return (Node *) copyObject(column);
	return expression_tree_mutator(node, column_mutator, column);
}

static bool
find_row_value(Node *node, void *context)
{
	return node && ((IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK) ||
					expression_tree_walker(node, find_row_value, context));
}

/* ARRAY(SELECT value FROM (subquery)), the value being made of the subquery's column. */
static SubLink *
array_of(const SubLink *link, Node *value)
{
	Query	   *inner = copyObject(castNode(Query, link->subselect));
	Query	   *query = dp_tree_make_open_select_from(inner, "s");
	TargetEntry *target = linitial_node(TargetEntry, inner->targetList);
	SubLink    *array = makeNode(SubLink);

	/* It stands one level deeper now. */
	IncrementVarSublevelsUp((Node *) inner, 1, 1);
	dp_tree_add_column(query, column_mutator(value, makeVarFromTargetEntry(1, target)), "value");
	array->subLinkType = ARRAY_SUBLINK;
	array->subselect = (Node *) query;
	array->location = link->location;
	return array;
}

/*
 * `x op ANY (subquery)` and ALL, with one column, as the same of an array; NULL if it is
 * anything else.
 */
static Node *
compare_with_array(SubLink *link, Lift *lift)
{
	OpExpr	   *compare = (OpExpr *) link->testexpr;
	ScalarArrayOpExpr *result;
	SubLink    *array;

	if ((link->subLinkType != ANY_SUBLINK && link->subLinkType != ALL_SUBLINK) || !IsA(compare, OpExpr) ||
		list_length(compare->args) != 2 || find_row_value(linitial(compare->args), NULL) ||
		contain_volatile_functions(lsecond(compare->args)) || pull_vars_of_level(lsecond(compare->args), 0) != NIL ||
		!OidIsValid(get_array_type(exprType(lsecond(compare->args)))) ||
		!dp_from_is_public_expression(link->subselect, lift->levels))
		return NULL;
	array = array_of(link, lsecond(compare->args));
	result = makeNode(ScalarArrayOpExpr);
	result->opno = compare->opno;
	result->opfuncid = compare->opfuncid;
	result->useOr = link->subLinkType == ANY_SUBLINK;
	result->inputcollid = compare->inputcollid;
	result->args = list_make2(linitial(compare->args), read_expression((Node *) array, lift));
	result->location = link->location;
	return (Node *) result;
}

/* Expression that a row is compared with, and the query that reads it. */
typedef struct RowRead
{
	Param	   *first;
	Query	   *query;
} RowRead;

/* Replacing what stands for a column of a subquery's row by what is read. */
static Node *
read_column_mutator(Node *node, RowRead *row)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK)
		return (Node *) dp_tree_public_column(row->first, row->query, ((Param *) node)->paramid - 1);
	return expression_tree_mutator(node, read_column_mutator, row);
}

/*
 * `(a, b) op (subquery)` as the same of values, which are all NULL if there is no row; NULL if it is
 * anything else.
 */
static Node *
compare_with_row(SubLink *link, Lift *lift)
{
	RowRead		row;
	ListCell   *lc;

	if (link->subLinkType != ROWCOMPARE_SUBLINK || !dp_from_is_public_expression(link->subselect, lift->levels))
		return NULL;
	row.query = dp_tree_make_open_select_from(copyObject(castNode(Query, link->subselect)), "s");
	foreach(lc, castNode(Query, link->subselect)->targetList)
		if (!lfirst_node(TargetEntry, lc)->resjunk)
			dp_tree_add_column(row.query, (Node *) makeVarFromTargetEntry(1, lfirst(lc)), "value");
	dp_from_bring_with(row.query, lift->levels);
	row.first = dp_tree_add_public_query(lift->reads, row.query, link->location);
	return read_column_mutator(link->testexpr, &row);
}

/* Does an expression read what blocks of its statement release? */
static bool
reads_release(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return dp_tree_releases_read((Query *) node) != NULL;
	return expression_tree_walker(node, reads_release, context);
}

/*
 * Replace what is public by parameters.  Where one of several conditions reads a release, each is read by itself: the
 * others are read before the charge, so that what fails in them costs nothing.
 */
static Node *
lift_mutator(Node *node, Lift *lift)
{
	if (node == NULL || IsA(node, Query))
		return node;
	check_stack_depth();
	if (is_andclause(node) && reads_release(node, NULL))
		return expression_tree_mutator(node, lift_mutator, lift);
	if (has_value(node) && needs_reading(node, NULL) && !is_for_each_row(node, NULL) && !expression_returns_set(node) &&
		dp_from_is_public_expression(node, lift->levels))
		return (Node *) read_expression(node, lift);
	if (IsA(node, SubLink))
	{
		Node	   *compared = compare_with_array((SubLink *) node, lift);

		if (compared == NULL)
			compared = compare_with_row((SubLink *) node, lift);

		/* What is left of a subquery is refused later. */
		return compared ? expression_tree_mutator(compared, lift_mutator, lift) : node;
	}
	return expression_tree_mutator(node, lift_mutator, lift);
}

/* Lift in the conditions of a join tree. */
static void
lift_in_conditions(Node *node, Lift *lift)
{
	ListCell   *lc;

	if (IsA(node, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) node;

		lift_in_conditions(join->larg, lift);
		lift_in_conditions(join->rarg, lift);
		join->quals = lift_mutator(join->quals, lift);
	}
	else if (IsA(node, FromExpr))
	{
		foreach(lc, ((FromExpr *) node)->fromlist)
			lift_in_conditions(lfirst(lc), lift);
		((FromExpr *) node)->quals = lift_mutator(((FromExpr *) node)->quals, lift);
	}
}

/* For the outer query: keys as they are now, and arguments of aggregates of ours. */
static Node *
lift_above(Node *node, Lift *lift)
{
	ListCell   *lc;
	ListCell   *lc2;

	if (node == NULL || IsA(node, Query))
		return node;
	forboth(lc, lift->keys, lc2, lift->lifted_keys)
		if (equal(lfirst(lc), node))
			return copyObject(lfirst(lc2));
	if (IsA(node, Aggref) && dp_tree_is_ours(node))
		return expression_tree_mutator(node, lift_mutator, lift);
	return expression_tree_mutator(node, lift_above, lift);
}

/* Is there a subquery left, wherever a query of this level may have one? */
static bool
find_sublink(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	return IsA(node, SubLink) || expression_tree_walker(node, find_sublink, context);
}

void
dp_from_lift_expressions(Query *query, List *levels, DpStatement *statement)
{
	Lift		lift = {.levels = levels, .reads = &statement->reads};
	ListCell   *lc;

	lift_in_conditions((Node *) query->jointree, &lift);
	if (!dp_tree_is_block(query))
	{
		query->targetList = (List *) lift_mutator((Node *) query->targetList, &lift);
		query->havingQual = lift_mutator(query->havingQual, &lift);
	}
	else
	{
		foreach(lc, query->groupClause)
		{
			Node	   *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList);

			lift.keys = lappend(lift.keys, key);
			lift.lifted_keys = lappend(lift.lifted_keys, lift_mutator(copyObject(key), &lift));
		}
		query->targetList = (List *) lift_above((Node *) query->targetList, &lift);
		query->havingQual = lift_above(query->havingQual, &lift);
	}
	query->hasSubLinks = query->hasSubLinks &&
		query_tree_walker(query, find_sublink, NULL, QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
}
