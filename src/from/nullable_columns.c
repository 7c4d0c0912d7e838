/* SPDX-License-Identifier: PostgreSQL */
/*
 * nullable_columns.c
 *	  What a subquery computes on the nullable side of an outer join.
 *
 *		SELECT s.year FROM people p LEFT JOIN
 *			(SELECT person, extract(year FROM day) AS year FROM visits) s ON s.person = p.id
 *
 * Where a row has no match, year is NULL, whatever it would be of a row of NULLs.  PostgreSQL
 * computes it below the join, for every row.  Here it is computed above,
 *
 *		CASE WHEN s.person IS NOT NULL THEN extract(year FROM s.day) END
 *
 * where a column that ON compares by a strict operator, or the subquery's own WHERE, tells whether
 * there was a match: if there was, that was true, and so the column is not NULL; if there was none,
 * all columns are NULL.
 * What the expression does is validated like any other.  Those with subqueries of their own stay
 * where they are, and are refused.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "from/nullable_columns.h"
#include "tree/change_exprs.h"
#include "tree/make_nodes.h"

/* Computing the columns of one subquery above. */
typedef struct Lifting
{
	Query	   *subquery;
	Index		varno;
	AttrNumber	witness;		/* the column that is not NULL where there is a match */
} Lifting;

/* Is it a column of the subquery's own FROM? */
static bool
is_plain(const Node *node)
{
	return IsA(node, Var) && ((const Var *) node)->varlevelsup == 0;
}

/* The number of the subquery's column that a column below it is, added if there is none. */
static AttrNumber
column_above(Query *subquery, Var *below)
{
	TargetEntry *target = tlist_member((Expr *) below, subquery->targetList);

	if (target == NULL || target->resjunk)
	{
		target = makeTargetEntry((Expr *) copyObject(below), list_length(subquery->targetList) + 1,
								 pstrdup("computed"), false);
		subquery->targetList = lappend(subquery->targetList, target);
	}
	return target->resno;
}

static Node *
without_relabels(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/* The column of the subquery that an expression is, if that is plain there; or 0. */
static AttrNumber
plain_column(Node *node, const Query *subquery, Index varno)
{
	Var		   *var = (Var *) without_relabels(node);
	TargetEntry *target;

	if (!IsA(var, Var) || var->varno != varno || var->varlevelsup > 0 || var->varattno <= 0)
		return 0;
	target = get_tle_by_resno(subquery->targetList, var->varattno);
	return target && is_plain((Node *) target->expr) ? var->varattno : 0;
}

/* The column that a condition compares by a strict operator; or 0. */
static AttrNumber
compared_column(Node *condition, const Query *subquery, Index varno)
{
	ListCell   *lc;

	if (!IsA(condition, OpExpr) || !op_strict(((OpExpr *) condition)->opno))
		return 0;
	foreach(lc, ((OpExpr *) condition)->args)
	{
		AttrNumber	column = plain_column(lfirst(lc), subquery, varno);

		if (column > 0)
			return column;
	}
	return 0;
}

/* A column that is not NULL where these conditions hold; or 0. */
static AttrNumber
find_witness(Node *quals, const Query *subquery, Index varno)
{
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) quals))
	{
		AttrNumber	column = compared_column(lfirst(lc), subquery, varno);

		if (column > 0)
			return column;
	}
	return 0;
}

/* A column of the subquery, as another one of it is named above the join. */
static Var *
named_alike(const Var *reference, AttrNumber number, const TargetEntry *target)
{
	Var		   *var = copyObject(unconstify(Var *, reference));

	var->varattno = number;
	var->vartype = exprType((Node *) target->expr);
	var->vartypmod = exprTypmod((Node *) target->expr);
	var->varcollid = exprCollation((Node *) target->expr);
	var->varnosyn = 0;
	var->varattnosyn = 0;
	var->varlevelsup = 0;
	return var;
}

/* The same expression over columns of the subquery. */
typedef struct Raising
{
	Lifting    *lifting;
	const Var  *reference;
} Raising;

static Node *
raise_mutator(Node *node, Raising *raising)
{
	Query	   *subquery = raising->lifting->subquery;
	AttrNumber	number;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var) || ((Var *) node)->varlevelsup > 0)
		return expression_tree_mutator(node, raise_mutator, raising);
	number = column_above(subquery, (Var *) node);
	return (Node *) named_alike(raising->reference, number, get_tle_by_resno(subquery->targetList, number));
}

/* A column of the subquery that is not NULL in any of its rows, since its WHERE compares it by a strict operator; or 0. */
static AttrNumber
find_chosen(Query *subquery)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, make_ands_implicit((Expr *) dp_compat_flatten_joins(subquery, copyObject(subquery->jointree->quals))))
	{
		const OpExpr *condition = lfirst(lc);

		if (!IsA(condition, OpExpr) || !op_strict(condition->opno))
			continue;
		foreach(lc2, condition->args)
		{
			Var		   *column = (Var *) without_relabels(lfirst(lc2));

			if (is_plain((Node *) column) && column->varattno > 0)
				return column_above(subquery, column);
		}
	}
	return 0;
}

/* Expression in place of a column of the subquery. */
static Node *
lift_column(DpReplacedVar *var, replace_rte_variables_context *context)
{
	Lifting    *lifting = context->callback_arg;
	TargetEntry *target = var->varattno <= 0 ? NULL
		: get_tle_by_resno(lifting->subquery->targetList, var->varattno);
	Raising		raising = {lifting, var};
	Var		   *witness;
	Node	   *value;

	if (target == NULL || is_plain((Node *) target->expr))
		return (Node *) copyObject(var);
	value = copyObject(raise_mutator((Node *) target->expr, &raising));

	/* What it names of the items before it is named where it stands now. */
	IncrementVarSublevelsUp(value, -1, 1);
	target = get_tle_by_resno(lifting->subquery->targetList, lifting->witness);
	witness = named_alike(var, lifting->witness, target);
	value = dp_tree_make_if(dp_tree_make_not_null((Node *) witness), value);
	if (context->sublevels_up > 0)
		IncrementVarSublevelsUp(value, context->sublevels_up, 0);
	return value;
}

/* Columns that an expression may name, of the query that the subquery is joined in. */
typedef struct Around
{
	Query	   *query;
	Lifting    *lifting;
} Around;

/* Put what is computed in place of columns of the subquery. */
static Node *
lift(Node *node, void *arg)
{
	Around	   *around = arg;

	if (node == NULL)
		return NULL;
	return replace_rte_variables(dp_compat_flatten_joins(around->query, node), around->lifting->varno, 0,
								 lift_column, around->lifting, NULL);
}

/* Does an alias of a join stand for a column that the subquery computes? */
static bool
names_computed(Node *node, Lifting *lifting)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;
		TargetEntry *target = var->varno == lifting->varno && var->varattno > 0
			? get_tle_by_resno(lifting->subquery->targetList, var->varattno) : NULL;

		return target && !is_plain((Node *) target->expr);
	}
	return expression_tree_walker(node, names_computed, lifting);
}

/* Forget aliases of joins for what is computed: nothing refers to them any more. */
static void
forget_aliases(Query *query, Lifting *lifting)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, query->rtable)
		foreach(lc2, lfirst_node(RangeTblEntry, lc)->joinaliasvars)
			if (names_computed(lfirst(lc2), lifting))
				lfirst(lc2) = NULL;
}

bool
dp_from_compute_above(Query *query, JoinExpr *join, Index varno)
{
	Lifting		lifting = {.subquery = rt_fetch(varno, query->rtable)->subquery, .varno = varno};
	Around		around = {query, &lifting};

	if (contain_volatile_functions((Node *) lifting.subquery->targetList) ||
		checkExprHasSubLink((Node *) lifting.subquery->targetList))
		return false;
	lifting.witness = find_witness(dp_compat_flatten_joins(query, join->quals), lifting.subquery, varno);
	if (lifting.witness == 0)
		lifting.witness = find_chosen(lifting.subquery);
	if (lifting.witness == 0)
		return false;
	dp_tree_change_exprs(query, lift, &around);
	forget_aliases(query, &lifting);
	return true;
}

static Node *
without_nulls(Node *node, void *joins)
{
	return dp_compat_without_nulls(node, joins);
}

void
dp_from_forget_nulls_of(Query *query, Relids joins)
{
	dp_tree_change_exprs(query, without_nulls, joins);
	dp_tree_change_aliases(query, without_nulls, joins);
}
