/* SPDX-License-Identifier: PostgreSQL */
/*
 * no_rows.c
 *	  Statements that show no row of what they read.
 *
 *		SELECT name, count(*) FROM persons WHERE 1 = 0 GROUP BY name
 *
 * becomes
 *
 *		SELECT NULL::text AS name, NULL::bigint AS count WHERE false
 *
 * Clients ask such questions to learn the columns of an answer.  What is left reads no
 * table, so that no right to the protected ones is needed; of the others it is still
 * checked.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "asking/existence.h"
#include "asking/no_rows.h"
#include "asking/select_right.h"
#include "base/compat_planner.h"
#include "base/settings.h"
#include "expression/fold_constants.h"
#include "policy/policy.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

PG_FUNCTION_INFO_V1(dp_asking_rows_not_shown);

/* Is this constant, and false or null? */
static bool
is_never(Node *condition, ParamListInfo params)
{
	const Const *constant = contain_var_clause(condition) ? NULL : dp_expression_constant(condition, params);
	ListCell   *lc;

	if (constant)
		return constant->constisnull || !DatumGetBool(constant->constvalue);
	if (!is_andclause(condition))
		return false;
	foreach(lc, ((BoolExpr *) condition)->args)
		if (is_never(lfirst(lc), params))
			return true;
	return false;
}

/* Does a query take no row by its text: is its limit 0? */
static bool
takes_none(Query *query, ParamListInfo params)
{
	const Const *limit = query->limitCount ? dp_expression_constant(query->limitCount, params) : NULL;

	return limit && !limit->constisnull && DatumGetInt64(limit->constvalue) == 0;
}

/* Does a query read no row by its text: is its condition false? */
static bool
reads_none(Query *query, ParamListInfo params)
{
	Node	   *quals = query->jointree->quals;

	return query->setOperations == NULL && quals && !checkExprHasSubLink(quals) && is_never(quals, params);
}

/* Can a query do without its FROM: is there nothing in it that does or reads more? */
static bool
is_simple(Query *query)
{
	return query->commandType == CMD_SELECT && query->utilityStmt == NULL &&
		!query->hasModifyingCTE && query->rowMarks == NIL && query->groupingSets == NIL &&
		!dp_tree_is_block(query) &&
		!checkExprHasSubLink((Node *) query->targetList) &&
		!checkExprHasSubLink(query->havingQual) && !checkExprHasSubLink((Node *) query->windowClause) &&
		!checkExprHasSubLink(query->limitCount) && !checkExprHasSubLink(query->limitOffset);
}

/* Would it make a row out of none? */
static bool
makes_row(const Query *query)
{
	return query->groupClause == NIL && (query->hasAggs || query->havingQual);
}

/* Columns of a FROM, and the query of no rows that stands for it. */
typedef struct Columns
{
	List	   *vars;
	Query	   *nothing;
} Columns;

static Node *
column_mutator(Node *node, Columns *columns)
{
	Var		   *var = (Var *) node;
	Var		   *column = NULL;
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var) || var->varlevelsup > 0)
		return expression_tree_mutator(node, column_mutator, columns);
	foreach(lc, columns->vars)
		if (equal(lfirst(lc), var))
			column = makeVar(1, foreach_current_index(lc) + 1, var->vartype, var->vartypmod,
							 var->varcollid, 0);
	if (column)
		return (Node *) column;
	columns->vars = lappend(columns->vars, var);
	return (Node *) dp_tree_add_column(columns->nothing,
									   (Node *) makeNullConst(var->vartype, var->vartypmod,
															  var->varcollid),
									   psprintf("column%d", list_length(columns->vars)));
}

/* Have a query aggregate no rows, which no expression over them is folded for. */
static void
aggregate_nothing(Query *query)
{
	Columns		columns = {.nothing = dp_tree_make_select(NIL, makeFromExpr(NIL, makeBoolConst(false, false)))};
	Query	   *outer;

	columns.nothing->limitOffset = (Node *) dp_tree_make_int8(0);
	query->targetList = (List *) column_mutator((Node *) query->targetList, &columns);
	query->havingQual = column_mutator(query->havingQual, &columns);
	outer = dp_tree_make_select_from(columns.nothing, "nothing");
	query->rtable = outer->rtable;
	dp_compat_take_permissions(query, outer);
	query->jointree = outer->jointree;
}

/* Have a query show no rows, for this condition's sake, of columns of the same names and types. */
static void
show_nothing(Query *query, Node *never)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Node	   *expr = (Node *) target->expr;

		target->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
	}
	dp_tree_show_by(query, dp_tree_make_select(NIL, makeFromExpr(NIL, never)));
}

/*
 * Have a query read nothing, but need the rights to what is not protected: for the sake of
 * a condition, or if that is NULL as an aggregate of no rows.
 */
static void
read_nothing(Query *query, Node *never)
{
	Query	   *before = copyObject(query);
	ListCell   *lc;

	if (never)
		show_nothing(query, never);
	else
		aggregate_nothing(query);
	query->setOperations = NULL;
	query->cteList = NIL;
	query->hasRecursive = false;
	query->hasSubLinks = false;
	query->hasRowSecurity = false;
	query->constraintDeps = NIL;
	dp_tree_keep_rights(query, before);
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION && dp_policy_is_protected(rte->relid))
			DP_PERMISSIONS(query, rte)->requiredPerms &= ~ACL_SELECT;
	}
}

/* Does a query select protected rows that the role may not read? */
static bool
selects_denied(Query *query, List *levels)
{
	DpRawRows	rows;

	dp_asking_find_raw_rows(query, levels, &rows);
	return rows.denied != NULL;
}

/* Empty a query that selects such rows if nothing is seen of them, else what it selects from. */
static void
empty_if_unseen(Query *query, List *levels, ParamListInfo params)
{
	ListCell   *lc;

	check_stack_depth();
	if (is_simple(query) && (takes_none(query, params) || reads_none(query, params)) &&
		selects_denied(query, levels))
	{
		read_nothing(query, makes_row(query) && !takes_none(query, params) ? NULL
					 : makeBoolConst(false, false));
		return;
	}

	/* What a block reads is its own affair. */
	if (dp_asking_aggregates_rows(query))
		return;
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && rte->subquery)
			empty_if_unseen(rte->subquery, lcons(rte->subquery, list_copy(levels)), params);
	}
}

/*
 * Does a query show part of its rows, or their number beside them?  A program takes an empty page for
 * the end of the rows, and so counts none.
 */
static bool
shows_page(Query *query)
{
	ListCell   *lc;

	check_stack_depth();
	if (query->limitCount || query->limitOffset || query->hasWindowFuncs)
		return true;
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && rte->subquery && shows_page(rte->subquery))
			return true;
	}
	return false;
}

/* May a statement be emptied? */
static DpReason *
check_page(Query *query)
{
	Node	   *limit = query->limitCount ? query->limitCount : query->limitOffset;

	if (dp_settings_raw_reads == DP_RAW_READS_EMPTY_PAGES || !shows_page(query))
		return NULL;
	return dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, limit ? exprLocation(limit) : -1,
							 "Ask for count(*) by itself, which is answered. Where nothing counts the rows of a page, SET dp_agg.raw_reads = empty_pages.",
							 "a page of protected rows is not shown as empty, which would look like the end of them");
}

Query *
dp_asking_empty_if_unseen(const Query *given, ParamListInfo params)
{
	Query	   *query = copyObject(unconstify(Query *, given));

	empty_if_unseen(query, list_make1(query), params);
	return query;
}

DpReason *
dp_asking_empty_raw_read(Query *query)
{
	List	   *levels = list_make1(query);
	DpReason   *reason;

	if (dp_settings_raw_reads == DP_RAW_READS_ERROR || !is_simple(query) ||
		!selects_denied(query, levels) ||
		(dp_asking_aggregates_rows(query) && !dp_asking_groups_by_unit(query, levels)))
		return NULL;
	reason = check_page(query);
	if (reason == NULL)
		read_nothing(query, (Node *) dp_tree_make_call("rows_not_shown", NULL, 0, NIL, BOOLOID));
	return reason;
}

/* dp_agg_internal.rows_not_shown(): false, and says so when the statement runs. */
Datum
dp_asking_rows_not_shown(PG_FUNCTION_ARGS)
{
	ereport(NOTICE,
			(errmsg("rows of protected tables are not shown"),
			 errhint("Ask for aggregates of them.")));
	PG_RETURN_BOOL(false);
}

/* Can a condition turn out to be false by the value of a parameter alone? */
static bool
may_be_never(Node *condition)
{
	ListCell   *lc;

	if (condition == NULL)
		return false;
	if (!contain_var_clause(condition))
		return true;
	if (is_andclause(condition))
		foreach(lc, ((BoolExpr *) condition)->args)
			if (may_be_never(lfirst(lc)))
				return true;
	return false;
}

static bool
level_needs_values(Query *query, List *levels, void *context)
{
	return selects_denied(query, levels) &&
		(dp_asking_aggregates_rows(query) || query->limitCount || may_be_never(query->jointree->quals));
}

bool
dp_asking_needs_values(Query *query)
{
	return dp_asking_has_exists(query) || dp_asking_visit_levels(query, false, level_needs_values, NULL);
}
