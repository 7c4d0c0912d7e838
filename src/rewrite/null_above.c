/* SPDX-License-Identifier: PostgreSQL */
/*
 * null_above.c
 *	  Arithmetic in the outer query that fails: NULL there.
 *
 * Noise makes values that rows cannot: a group of no rows, a sum below zero, a count of
 * more than an integer holds.  Nobody guards against these, and a statement that ends
 * in an error has paid for its answers all the same.  So a built-in function of
 * anything released is tried, as in the exact query.  Values that are not released keep
 * PostgreSQL's meaning, and so do functions that are not built in.
 *
 * A query's columns are marked from the inside out, each expression looked at once.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat_planner.h"
#include "expression/allow_list.h"
#include "expression/null_on_error.h"
#include "rewrite/null_above.h"
#include "tree/release_query.h"

/* A query, and what is released of it. */
typedef struct Level
{
	Query	   *query;
	Bitmapset **columns;		/* of each item, from 1 */
	List	   *with;			/* of Bitmapset: the columns of each WITH query so far */
	bool		any;			/* is anything released in its items? */
	struct Level *up;
} Level;

typedef struct AboveContext
{
	Level	   *level;
	bool		released;		/* is anything released in what was looked at? */
} AboveContext;

static Node *above_mutator(Node *node, AboveContext *context);
static Bitmapset *mark_query(Query *query, AboveContext *context);

/* The query that is so many levels up, or NULL. */
static Level *
level_up(Level *level, int up)
{
	while (level && up-- > 0)
		level = level->up;
	return level;
}

static bool
is_released(const Var *var, const AboveContext *context)
{
	const Level *level = level_up(context->level, var->varlevelsup);
	const Bitmapset *columns;

	if (level == NULL || IS_SPECIAL_VARNO(var->varno) || var->varno > list_length(level->query->rtable))
		return false;
	columns = level->columns[var->varno];
	return var->varattno == 0 ? columns != NULL : var->varattno > 0 && bms_is_member(var->varattno, columns);
}

/*
 * Is it a type of numbers, texts or times?  Built-in, immutable functions of these do nothing but compute: what
 * they hold when they fail is memory.
 */
static bool
is_scalar(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case CASHOID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

/* Is it such a function, by its catalog entry? */
static bool
is_computation(Form_pg_proc proc)
{
	if (proc->prolang != INTERNALlanguageId || !proc->proisstrict || proc->proretset ||
		proc->provolatile != PROVOLATILE_IMMUTABLE || proc->prorettype == BOOLOID || !is_scalar(proc->prorettype))
		return false;
	for (int i = 0; i < proc->pronargs; i++)
		if (!is_scalar(proc->proargtypes.values[i]))
			return false;
	return true;
}

/* May a call of the function be tried, and be of use? */
static bool
may_be_tried(Oid function)
{
	DpVerdict	verdict;
	HeapTuple	tuple;
	bool		result;

	/* Joined texts fail beyond a gigabyte alone. */
	if (function == F_TEXTCAT || function >= FirstUnpinnedObjectId || !DP_MAY_EXECUTE(function, GetUserId()))
		return false;
	verdict = dp_expression_verdict(function);
	if (verdict.totality == DP_PARTIAL)
		return true;

	/* In the exact query, the results of these are limited in size beforehand. */
	if (verdict.totality == DP_TOTAL && verdict.cost != DP_COST_PAD && verdict.cost != DP_COST_REPLACE)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	result = HeapTupleIsValid(tuple) && is_computation((Form_pg_proc) GETSTRUCT(tuple));
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/* Is this a call of a built-in function that is written in SQL, such as lpad of two arguments? */
static bool
is_written_in_sql(Node *node)
{
	Oid			function = InvalidOid;
	HeapTuple	tuple;
	bool		result;

	if (IsA(node, FuncExpr))
		function = ((FuncExpr *) node)->funcid;
	else if (IsA(node, OpExpr))
	{
		set_opfuncid((OpExpr *) node);
		function = ((OpExpr *) node)->opfuncid;
	}
	if (!OidIsValid(function) || function >= FirstUnpinnedObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	result = HeapTupleIsValid(tuple) && ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId;
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/* A cast from text that reads it: tried as its input function. */
static Node *
try_reading(CoerceViaIO *cast)
{
	Oid			from = exprType((Node *) cast->arg);
	Oid			input;
	Oid			ioparam;

	if ((from != TEXTOID && from != VARCHAROID && from != BPCHAROID) || !is_scalar(cast->resulttype))
		return (Node *) cast;
	getTypeInputInfo(cast->resulttype, &input, &ioparam);
	return dp_expression_try_above((Node *) cast, input, list_make1(cast->arg));
}

/* The node, or if it calls a function that can fail what tries that. */
static Node *
try_call(Node *node)
{
	if (IsA(node, CoerceViaIO))
		return try_reading((CoerceViaIO *) node);
	if (IsA(node, OpExpr))
	{
		OpExpr	   *call = (OpExpr *) node;

		set_opfuncid(call);
		return !call->opretset && may_be_tried(call->opfuncid) ?
			dp_expression_try_above(node, call->opfuncid, call->args) : node;
	}
	if (IsA(node, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) node;

		return !call->funcretset && !call->funcvariadic && may_be_tried(call->funcid) ?
			dp_expression_try_above(node, call->funcid, call->args) : node;
	}
	return node;
}

/* Change an expression; context->released is set if anything in it is released. */
static Node *
above_mutator(Node *node, AboveContext *context)
{
	bool		before = context->released;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		context->released |= mark_query((Query *) node, context) != NULL;
		return node;
	}
	if (IsA(node, Var))
	{
		context->released |= is_released((Var *) node, context);
		return node;
	}
	context->released = false;

	/* What such a function stands for is tried; running it takes more than memory. */
	if (is_written_in_sql(node))
		node = eval_const_expressions(NULL, node);
	node = expression_tree_mutator(node, above_mutator, context);

	/* How many rows there are is as noisy as what they hold. */
	if (IsA(node, Aggref) || IsA(node, WindowFunc))
		context->released |= context->level->any;
	else if (context->released)
		node = try_call(node);
	context->released |= before;
	return node;
}

/* Change an expression; is anything released in it? */
static bool
change(Node **expr, AboveContext *context)
{
	bool		before = context->released;
	bool		released;

	context->released = false;
	*expr = above_mutator(*expr, context);
	released = context->released;
	context->released = before;
	return released;
}

/* The columns of a WITH query; none if it is the one that is looked at, which reads itself. */
static Bitmapset *
mark_with(const RangeTblEntry *rte, const AboveContext *context)
{
	Level	   *level = level_up(context->level, rte->ctelevelsup);
	ListCell   *lc;

	foreach(lc, level ? level->query->cteList : NIL)
		if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, rte->ctename) == 0)
			return foreach_current_index(lc) < list_length(level->with) ?
				list_nth(level->with, foreach_current_index(lc)) : NULL;
	return NULL;
}

/* The released ones of expressions that are columns, changed in place. */
static Bitmapset *
mark_columns(List *exprs, AboveContext *context)
{
	Bitmapset  *columns = NULL;
	ListCell   *lc;

	foreach(lc, exprs)
		if (lfirst(lc) && change((Node **) &lfirst(lc), context))
			columns = bms_add_member(columns, foreach_current_index(lc) + 1);
	return columns;
}

/* All columns of an item, if anything in what it is made of is released. */
static Bitmapset *
mark_all(const RangeTblEntry *rte, bool released)
{
	return released ? bms_add_range(NULL, 1, list_length(rte->eref->colnames)) : NULL;
}

/*
 * Change what functions in FROM are called with; is anything released in it?  Calls themselves stay: what
 * they return is read from the catalog.
 */
static bool
change_functions(List *functions, AboveContext *context)
{
	bool		released = false;
	ListCell   *lc;

	foreach(lc, functions)
	{
		Node	   *call = lfirst_node(RangeTblFunction, lc)->funcexpr;

		if (IsA(call, FuncExpr))
			released |= change((Node **) &((FuncExpr *) call)->args, context);
		else
			released |= change(&call, context);
	}
	return released;
}

/* The released columns of an item of FROM, whose expressions are changed. */
static Bitmapset *
mark_item(RangeTblEntry *rte, AboveContext *context)
{
	switch (rte->rtekind)
	{
		case RTE_SUBQUERY:
			return mark_query(rte->subquery, context);
		case RTE_CTE:
			return mark_with(rte, context);
		case RTE_JOIN:
			return mark_columns(rte->joinaliasvars, context);
		case RTE_FUNCTION:
			return mark_all(rte, dp_tree_release_number(rte) >= 0 || change_functions(rte->functions, context));
		case RTE_VALUES:
			return mark_all(rte, change((Node **) &rte->values_lists, context));
		case RTE_TABLEFUNC:
			return mark_all(rte, change((Node **) &rte->tablefunc, context));
		default:
			return mark_columns(dp_compat_grouped_exprs(rte), context);
	}
}

/* Have a number of rows be 0 where it is less. */
static void
change_limit(Node **limit, AboveContext *context)
{
	MinMaxExpr *greatest;

	if (*limit == NULL || !change(limit, context))
		return;
	greatest = makeNode(MinMaxExpr);
	greatest->minmaxtype = INT8OID;
	greatest->op = IS_GREATEST;
	greatest->args = list_make2(*limit, makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0),
												  false, FLOAT8PASSBYVAL));
	greatest->location = -1;
	*limit = (Node *) greatest;
}

/* The released columns of what a query shows. */
static Bitmapset *
mark_targets(Query *query, AboveContext *context)
{
	Bitmapset  *columns = NULL;
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (change((Node **) &target->expr, context))
			columns = bms_add_member(columns, target->resno);
	}
	for (int i = 1; query->setOperations && i <= list_length(query->rtable); i++)
		columns = bms_add_members(columns, context->level->columns[i]);
	return columns;
}

/* Change a query in place; returns its released columns. */
static Bitmapset *
mark_query(Query *query, AboveContext *context)
{
	Level		level = {.query = query, .up = context->level};
	Bitmapset  *columns;
	ListCell   *lc;

	check_stack_depth();
	level.columns = palloc0((list_length(query->rtable) + 1) * sizeof(Bitmapset *));
	context->level = &level;
	foreach(lc, query->cteList)
		level.with = lappend(level.with, mark_query(castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery), context));
	foreach(lc, query->rtable)
	{
		Bitmapset  *its = mark_item(lfirst_node(RangeTblEntry, lc), context);

		level.columns[foreach_current_index(lc) + 1] = its;
		level.any |= its != NULL;
	}
	columns = mark_targets(query, context);
	(void) change((Node **) &query->jointree, context);
	(void) change(&query->havingQual, context);
	change_limit(&query->limitOffset, context);
	change_limit(&query->limitCount, context);
	context->level = level.up;
	return columns;
}

void
dp_rewrite_null_above(Query *query)
{
	AboveContext context = {0};

	(void) mark_query(query, &context);
}
