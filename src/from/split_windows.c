/* SPDX-License-Identifier: PostgreSQL */
/*
 * split_windows.c
 *	  Subqueries with window functions, or with DISTINCT, taken apart.
 *
 *		SELECT e(x, row_number() OVER v, count(*) OVER w) FROM t WHERE c
 *
 * becomes a projection of a query that has columns and window functions alone, which
 * window_subquery.c validates:
 *
 *		SELECT e(x, f1, f2) FROM (SELECT x, ..., row_number() OVER v AS f1, count(*) OVER w AS f2
 *				  FROM t WHERE c)
 *
 * At most one window of each such query depends on the order of rows that are alike by its
 * ORDER BY.  Further ones are computed around it, over its columns and functions.
 *
 *		SELECT DISTINCT ON (a) b FROM t ORDER BY a, c
 *
 * becomes
 *
 *		SELECT b FROM (SELECT a, b, c, row_number() OVER (PARTITION BY a ORDER BY c) AS place FROM t)
 *				 WHERE place < 2
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"

#include "base/compat_planner.h"
#include "expression/refusals.h"
#include "from/grouped_subquery.h"
#include "from/split_windows.h"
#include "from/window_kind.h"
#include "tree/make_nodes.h"

/* A window as the statement has it, and as a query that is made has it. */
typedef struct Window
{
	Index		written;		/* its number in the statement */
	bool		frameless;		/* for functions that ignore the frame */
	DpWindowKind kind;
	Query	   *query;			/* the one that computes it */
	Index		number;			/* its own there */
} Window;

/* A query that is taken apart. */
typedef struct Split
{
	Query	   *query;
	const char *alias;
	Query	   *level;			/* the outermost that was made so far */
	bool		is_base;		/* is it the one over the query's own FROM? */
	List	   *vars;			/* columns of that FROM: in the first columns of each level */
	List	   *windows;		/* of Window */
	List	   *calls;			/* of WindowFunc, as written, */
	List	   *results;		/* and what stands for each above the levels */
} Split;

static bool
vars_walker(Node *node, List **vars)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		*vars = list_append_unique(*vars, node);
	return expression_tree_walker(node, vars_walker, vars);
}

static bool
calls_walker(Node *node, List **calls)
{
	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc))
	{
		*calls = list_append_unique(*calls, node);
		return false;
	}
	return expression_tree_walker(node, calls_walker, calls);
}

/* Columns of the query's FROM as those of a level. */
static Node *
column_mutator(Node *node, List *vars)
{
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		foreach(lc, vars)
			if (equal(lfirst(lc), node))
			{
				const Var  *var = (const Var *) node;
				Var		   *column = makeVar(1, foreach_current_index(lc) + 1, var->vartype, var->vartypmod,
											 var->varcollid, 0);

				column->location = var->location;
				return (Node *) column;
			}
	return expression_tree_mutator(node, column_mutator, vars);
}

/* An expression of the statement in the terms of what the present level reads. */
static Node *
at_level(const Split *split, Node *expr)
{
	return split->is_base ? copyObject(expr) : column_mutator(expr, split->vars);
}

/* The sort reference of the column of a level that is this expression; added if new. */
static Index
sort_column(Query *level, Node *expr)
{
	return dp_tree_sort_target(level, expr, psprintf("s%d", list_length(level->targetList) + 1))->ressortgroupref;
}

/* Clauses of the statement's window as those of the present level. */
static List *
sort_clauses(const Split *split, List *clauses)
{
	List	   *own = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		SortGroupClause *clause = copyObject(lfirst_node(SortGroupClause, lc));
		Node	   *expr = get_sortgroupclause_expr(clause, split->query->targetList);

		clause->tleSortGroupRef = sort_column(split->level, at_level(split, expr));
		own = lappend(own, clause);
	}
	return own;
}

/* Add a level around the present one, with its columns. */
static void
add_level(Split *split)
{
	Query	   *level = dp_tree_make_open_select_from(split->level, split->alias);
	ListCell   *lc;

	foreach(lc, split->level->targetList)
		(void) dp_tree_add_column(level, (Node *) makeVarFromTargetEntry(1, lfirst(lc)),
								  lfirst_node(TargetEntry, lc)->resname);
	split->level = level;
	split->is_base = false;
}

/* Has the present level a window already that depends on the order of rows? */
static bool
has_order(const Split *split)
{
	ListCell   *lc;

	foreach(lc, split->windows)
		if (((Window *) lfirst(lc))->query == split->level && ((Window *) lfirst(lc))->kind == DP_WINDOW_ROWS)
			return true;
	return false;
}

/* The window of the statement that a call is over, settled for it. */
static WindowClause *
window_of(const Split *split, const WindowFunc *call)
{
	WindowClause *window = copyObject(list_nth_node(WindowClause, split->query->windowClause, call->winref - 1));

	Assert(window->winref == call->winref);
	window->name = NULL;
	window->refname = NULL;
	window->copiedOrder = false;
	if (dp_from_ignores_frame(call))
	{
		window->frameOptions = FRAMEOPTION_DEFAULTS;
		window->startOffset = window->endOffset = NULL;
	}
	else
		dp_from_settle_frame(window);
	return window;
}

/* The window of the present level for a call; added if new. */
static Window *
enter_window(Split *split, const WindowFunc *call, DpWindowKind kind)
{
	bool		frameless = dp_from_ignores_frame(call);
	WindowClause *clause;
	Window	   *window;
	ListCell   *lc;

	foreach(lc, split->windows)
	{
		window = lfirst(lc);
		if (window->written == call->winref && window->frameless == frameless && window->kind == kind)
			return window;
	}
	if (kind == DP_WINDOW_ROWS && has_order(split))
		add_level(split);
	clause = window_of(split, call);
	clause->partitionClause = sort_clauses(split, clause->partitionClause);
	clause->orderClause = sort_clauses(split, clause->orderClause);
	clause->winref = list_length(split->level->windowClause) + 1;
	split->level->windowClause = lappend(split->level->windowClause, clause);
	window = palloc(sizeof(Window));
	*window = (Window) {call->winref, frameless, kind, split->level, clause->winref};
	split->windows = lappend(split->windows, window);
	return window;
}

static Node *
cast_by(Oid function, Oid result, Node *arg)
{
	return (Node *) makeFuncExpr(function, result, list_make1(arg), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CAST);
}

/*
 * Sums and means of floats are those of numeric, which do not depend on the order of rows;
 * cast back above.
 */
static Node *
as_numeric(WindowFunc *call, Oid function, Node **above, Var *column)
{
	bool		single = exprType(linitial(call->args)) == FLOAT4OID;
	Node	   *arg = linitial(call->args);

	if (single)
		arg = cast_by(F_FLOAT8_FLOAT4, FLOAT8OID, arg);
	call->args = list_make1(cast_by(F_NUMERIC_FLOAT8, NUMERICOID, arg));
	single = call->wintype == FLOAT4OID;
	call->winfnoid = function;
	call->wintype = NUMERICOID;
	column->vartype = NUMERICOID;
	*above = single ? cast_by(F_FLOAT4_NUMERIC, FLOAT4OID, (Node *) column)
		: cast_by(F_FLOAT8_NUMERIC, FLOAT8OID, (Node *) column);
	return (Node *) call;
}

/* Name that the statement gives a window function, if that is a column by itself. */
static const char *
name_of_call(const Split *split, const WindowFunc *call)
{
	ListCell   *lc;

	foreach(lc, split->query->targetList)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (target->resname && equal(target->expr, call))
			return target->resname;
	}
	return psprintf("w%d", list_length(split->level->targetList) + 1);
}

/* Have the present level compute a call in a window of its own; returns what stands for it above. */
static Node *
add_call(Split *split, const WindowFunc *written, const Window *window)
{
	WindowFunc *call = (WindowFunc *) at_level(split, (Node *) written);
	Node	   *above;
	Var		   *column;

	call->winref = window->number;
	split->level->hasWindowFuncs = true;
	column = dp_tree_add_column(split->level, (Node *) call, name_of_call(split, written));
	above = (Node *) column;
	switch (call->winfnoid)
	{
		case F_SUM_FLOAT4:
		case F_SUM_FLOAT8:
			(void) as_numeric(call, F_SUM_NUMERIC, &above, column);
			break;
		case F_AVG_FLOAT4:
		case F_AVG_FLOAT8:
			(void) as_numeric(call, F_AVG_NUMERIC, &above, column);
			break;
		default:
			break;
	}
	return above;
}

/* Kind of a call in the window that the statement gives it. */
static DpWindowKind
kind_of(const Split *split, const WindowFunc *call)
{
	return dp_from_window_kind(call, window_of(split, call));
}

/* Add the calls that depend on this, those of each window one after the other. */
static void
add_calls(Split *split, bool by_rows)
{
	for (int i = 1; i <= list_length(split->query->windowClause); i++)
		for (int frameless = 0; frameless <= 1; frameless++)
		{
			ListCell   *lc;

			foreach(lc, split->calls)
			{
				const WindowFunc *call = lfirst_node(WindowFunc, lc);
				DpWindowKind kind = kind_of(split, call);

				if (call->winref != i || dp_from_ignores_frame(call) != (frameless == 1) ||
					(kind == DP_WINDOW_ROWS) != by_rows)
					continue;
				lfirst(list_nth_cell(split->results, foreach_current_index(lc))) =
					add_call(split, call, enter_window(split, call, kind));
			}
		}
}

static Node *
above_mutator(Node *node, Split *split)
{
	ListCell   *lc;
	ListCell   *lc2;

	if (node == NULL)
		return NULL;
	if (IsA(node, WindowFunc))
	{
		forboth(lc, split->calls, lc2, split->results)
			if (equal(lfirst(lc), node))
				return copyObject(lfirst(lc2));
		elog(ERROR, "a window function was not found");
	}
	if (IsA(node, Var))
		return column_mutator(node, split->vars);
	return expression_tree_mutator(node, above_mutator, split);
}

/* A frame that no window of these queries may have, of a function that minds it. */
static DpReason *
find_refused(const Split *split)
{
	ListCell   *lc;

	foreach(lc, split->calls)
	{
		const WindowFunc *call = lfirst_node(WindowFunc, lc);

		if (kind_of(split, call) == DP_WINDOW_REFUSED)
			return dp_tree_reason(call->location,
								  "Write ROWS, or have the frame begin at UNBOUNDED PRECEDING and end at UNBOUNDED FOLLOWING.",
								  "this frame is not allowed " DP_IN_SUBSELECT);
	}
	return NULL;
}

DpReason *
dp_from_split_windows(Query *query, const char *alias)
{
	Split		split = {.query = query, .alias = alias, .is_base = true};
	Query	   *outer;
	DpReason   *reason;
	ListCell   *lc;

	(void) vars_walker((Node *) query->targetList, &split.vars);
	(void) calls_walker((Node *) query->targetList, &split.calls);
	reason = find_refused(&split);

	/* These would go on naming columns and joins of a FROM that is not there any more. */
	if (reason == NULL)
		reason = dp_expression_check_sublinks((Node *) query->targetList);
	if (reason == NULL)
		reason = dp_expression_check_placeholders((Node *) query->targetList);
	if (reason)
		return reason;
	split.level = dp_tree_make_select(query->rtable, query->jointree);
	dp_compat_take_permissions(split.level, query);
	split.level->hasSubLinks = query->hasSubLinks;
	split.level->hasRowSecurity = query->hasRowSecurity;
	foreach(lc, split.vars)
	{
		const Var  *var = lfirst_node(Var, lc);

		(void) dp_tree_add_column(split.level, copyObject(lfirst(lc)), var->varattno <= 0 ? "row" :
								  get_rte_attribute_name(rt_fetch(var->varno, query->rtable), var->varattno));
	}
	foreach(lc, split.calls)
		split.results = lappend(split.results, NULL);
	add_calls(&split, false);
	add_calls(&split, true);
	outer = dp_tree_make_open_select_from(split.level, alias);
	query->targetList = (List *) above_mutator((Node *) query->targetList, &split);
	query->rtable = outer->rtable;
	dp_compat_take_permissions(query, outer);
	query->jointree = outer->jointree;
	query->windowClause = NIL;
	query->hasWindowFuncs = false;
	query->constraintDeps = NIL;
	return NULL;
}

/* The query without DISTINCT and order, in FROM of another that has its columns, hidden ones too. */
static Query *
nest(Query *query, const char *alias)
{
	Query	   *inner = makeNode(Query);
	Query	   *outer;
	ListCell   *lc;

	*inner = *query;
	inner->distinctClause = NIL;
	inner->hasDistinctOn = false;
	inner->sortClause = NIL;
	inner->targetList = copyObject(query->targetList);
	foreach(lc, inner->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		target->resjunk = false;
		if (target->resname == NULL)
			target->resname = psprintf("h%d", target->resno);
	}

	/* What is around is a level further away. */
	IncrementVarSublevelsUp((Node *) inner, 1, 1);
	outer = dp_tree_make_open_select_from(inner, alias);
	foreach(lc, inner->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Var		   *column = makeVarFromTargetEntry(1, target);

		column->location = exprLocation((Node *) target->expr);
		(void) dp_tree_add_column(outer, (Node *) column, target->resname);
		llast_node(TargetEntry, outer->targetList)->ressortgroupref = target->ressortgroupref;
	}
	return outer;
}

/* ORDER BY beyond the columns that DISTINCT ON names. */
static List *
order_within(const Query *query)
{
	List	   *order = NIL;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, query->sortClause)
	{
		bool		named = false;

		foreach(lc2, query->distinctClause)
			named |= lfirst_node(SortGroupClause, lc2)->tleSortGroupRef == lfirst_node(SortGroupClause, lc)->tleSortGroupRef;
		if (!named)
			order = lappend(order, copyObject(lfirst(lc)));
	}
	return order;
}

/* Number the rows that DISTINCT ON takes one of, in their order; returns the column. */
static Var *
add_place(Query *query, const Query *distinct)
{
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *place = makeNode(WindowFunc);

	window->partitionClause = copyObject(distinct->distinctClause);
	window->orderClause = order_within(distinct);
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	query->windowClause = list_make1(window);
	query->hasWindowFuncs = true;
	place->winfnoid = F_ROW_NUMBER;
	place->wintype = INT8OID;
	place->winref = 1;
	place->location = exprLocation((Node *) distinct->targetList);
	return dp_tree_add_column(query, (Node *) place, "place");
}

/* The columns that a query shows: those only sorted or grouped by stand behind them. */
static int
count_shown(const Query *query)
{
	int			count = 0;
	ListCell   *lc;

	foreach(lc, query->targetList)
		count += lfirst_node(TargetEntry, lc)->resjunk ? 0 : 1;
	return count;
}

Query *
dp_from_nest_distinct(Query *query, const char *alias)
{
	int			shown = count_shown(query);
	Query	   *outer = nest(query, alias);

	if (query->hasDistinctOn)
	{
		Var		   *place = add_place(outer, query);

		outer = nest(outer, alias);
		outer->jointree->quals = (Node *) make_opclause(Int8LessOperator, BOOLOID, false, (Expr *) place,
														(Expr *) dp_tree_make_int8(2), InvalidOid, InvalidOid);
	}
	else
		outer->groupClause = copyObject(query->distinctClause);
	outer->targetList = list_truncate(outer->targetList, shown);
	return outer;
}
