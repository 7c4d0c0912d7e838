/* SPDX-License-Identifier: PostgreSQL */
/*
 * interval_terms.c
 *	  dp_interval of arithmetic: see interval_terms.h.
 *
 *		SELECT m, dp_interval(n - lag(n) OVER (ORDER BY m)) FROM (SELECT m, dp_count(*) AS n FROM t GROUP BY m) q
 *
 * becomes
 *
 *		SELECT m, term_interval(n_term - lag(n_term) OVER (ORDER BY m), 0.95)
 *			FROM (SELECT m, dp_count(*) AS n, term(dp_count(*)) AS n_term FROM t GROUP BY m) q
 *
 * where - stands for term_operation.  No aggregate is added, so nothing more is released.
 *
 * Whatever else noise may decide on is refused: which rows are added up, which one a window function
 * takes, which branch of CASE.  An interval is of one number, which is the same without noise.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "base/compat_planner.h"
#include "expression/arithmetic.h"
#include "from/key_closure.h"
#include "rewrite/interval.h"
#include "rewrite/interval_terms.h"
#include "rewrite/term.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"
#include "tree/release_query.h"

/* Where an expression stands. */
typedef struct Place
{
	List	   *levels;			/* of Query: its own and those around, innermost first */
	bool		aggregated;		/* is it an argument of an aggregate of that level? */
	bool		lenient;		/* is nothing asked for, and an aggregate without a term, or what
								 * varies, left without one? */
	DpReason  **reason;
} Place;

typedef struct Pass
{
	List	   *levels;
	DpStatement *statement;
	bool		aggregated;		/* within an argument or filter of an aggregate of the innermost
								 * level? */
	DpReason   *reason;
} Pass;

static Node *term_of(Node *node, const Place *place);
static bool is_released(Node *node, List *levels);

static Query *
query_of(const Place *place)
{
	return linitial_node(Query, place->levels);
}

/* Refuse an expression, if nothing was refused before. */
static Node *
refuse_as(const Place *place, Node *node, const char *hint)
{
	if (*place->reason == NULL)
		*place->reason = dp_tree_reason(exprLocation(node), hint, "dp_interval of this expression is not allowed");
	return NULL;
}

#define ARITHMETIC_HINT \
	"It takes aggregates, numbers, + - * /, casts, round, sqrt, greatest, least and nullif, columns of subqueries that are made of these, and in windows sum, avg, lag, lead, first_value, last_value and nth_value."

static Node *
refuse(const Place *place, Node *node)
{
	return refuse_as(place, node, ARITHMETIC_HINT);
}

/*
 * Is it released, or chosen by what is?
 */

/* Is a column of a query, whatever branches it has? */
static bool
column_is_released(Query *query, int attno, List *levels)
{
	ListCell   *lc;

	check_stack_depth();
	if (query->setOperations == NULL)
	{
		TargetEntry *target = get_tle_by_resno(query->targetList, attno);

		return target && is_released((Node *) target->expr, levels);
	}
	foreach(lc, query->rtable)
	{
		List	   *inner_levels;
		Query	   *inner = dp_from_subquery_of(lfirst(lc), levels, &inner_levels);

		if (inner && column_is_released(inner, attno, inner_levels))
			return true;
	}
	return false;
}

/* Does an expression depend on columns or subqueries of any level? */
static bool
depends_walker(Node *node, void *context)
{
	return node != NULL && (IsA(node, Var) || IsA(node, Query) || expression_tree_walker(node, depends_walker, context));
}

/* The levels around so many more; NIL if there are none. */
static List *
levels_up(List *levels, int up)
{
	return up < list_length(levels) ? list_copy_tail(levels, up) : NIL;
}

static bool
var_is_released(const Var *var, List *levels)
{
	RangeTblEntry *rte;
	List	   *inner_levels;
	Query	   *inner;

	levels = levels_up(levels, var->varlevelsup);
	if (levels == NIL || IS_SPECIAL_VARNO(var->varno) || var->varno > list_length(linitial_node(Query, levels)->rtable))
		return true;
	rte = rt_fetch(var->varno, linitial_node(Query, levels)->rtable);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return false;
		case RTE_JOIN:
			return var->varattno <= 0 || is_released(list_nth(rte->joinaliasvars, var->varattno - 1), levels);
		case RTE_FUNCTION:
			return depends_walker((Node *) rte->functions, NULL);
		case RTE_VALUES:
			return depends_walker((Node *) rte->values_lists, NULL);
		case RTE_SUBQUERY:
		case RTE_CTE:
			inner = dp_from_subquery_of(rte, levels, &inner_levels);
			return inner == NULL || var->varattno <= 0 || column_is_released(inner, var->varattno, inner_levels);
		default:
			return true;
	}
}

/* Is any of these sort or grouping clauses? */
static bool
clauses_are_released(List *clauses, List *levels)
{
	ListCell   *lc;

	foreach(lc, clauses)
		if (is_released(get_sortgroupclause_expr(lfirst(lc), linitial_node(Query, levels)->targetList), levels))
			return true;
	return false;
}

/* Does what is released decide on the rows of a window, or their order? */
static bool
window_is_released(const WindowFunc *function, List *levels)
{
	ListCell   *lc;

	foreach(lc, linitial_node(Query, levels)->windowClause)
	{
		WindowClause *window = lfirst_node(WindowClause, lc);

		if (window->winref == function->winref)
			return clauses_are_released(window->partitionClause, levels) || clauses_are_released(window->orderClause, levels) ||
				is_released(window->startOffset, levels) || is_released(window->endOffset, levels);
	}
	return true;
}

typedef struct ReleasedSearch
{
	List	   *levels;
} ReleasedSearch;

static bool
released_walker(Node *node, ReleasedSearch *search)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query) || IsA(node, SubLink) || dp_tree_is_ours(node))
		return true;
	if (IsA(node, Var))
		return var_is_released((Var *) node, search->levels);
	if (IsA(node, WindowFunc) && window_is_released((WindowFunc *) node, search->levels))
		return true;
	return expression_tree_walker(node, released_walker, search);
}

/* Is anything released in an expression of the innermost level? */
static bool
is_released(Node *node, List *levels)
{
	ReleasedSearch search = {levels};

	return released_walker(node, &search);
}

/*
 * Terms of expressions.
 */

static Node *
operation(DpTermKind kind, Node *term, Node *other)
{
	Oid			types[] = {INT4OID, BYTEAOID, BYTEAOID};
	List	   *args = list_make2(dp_tree_make_int4(kind), term);

	if (other)
		args = lappend(args, other);
	return (Node *) dp_tree_make_call("term_operation", types, list_length(args), args, BYTEAOID);
}

/* A number that noise does not change. */
static Node *
constant_term(Node *node, const Place *place)
{
	Oid			type = exprType(node);
	Oid			cast = type == INT2OID ? F_NUMERIC_INT2 : type == INT4OID ? F_NUMERIC_INT4 : type == INT8OID ? F_NUMERIC_INT8 :
		type == FLOAT4OID ? F_FLOAT8_FLOAT4 : InvalidOid;

	if (OidIsValid(cast))
	{
		type = type == FLOAT4OID ? FLOAT8OID : NUMERICOID;
		node = (Node *) makeFuncExpr(cast, type, list_make1(node), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	}
	if (type != NUMERICOID && type != FLOAT8OID)
		return refuse(place, node);
	return (Node *) dp_tree_make_call("term_constant", &type, 1, list_make1(node), BYTEAOID);
}

/* The term of something that rounding moves by this at most. */
static Node *
rounded(Node *term, double by)
{
	Oid			types[] = {BYTEAOID, FLOAT8OID};

	if (term == NULL)
		return NULL;
	return (Node *) dp_tree_make_call("term_rounded", types, lengthof(types), list_make2(term, dp_tree_make_float8(by)), BYTEAOID);
}

/* That of rounding to so many digits. */
static Node *
rounded_to(Node *term, int digits)
{
	return rounded(term, 0.5 * pow(10, -digits) * (1 + 1e-14));
}

static Node *
binary_term(DpTermKind kind, List *args, const Place *place)
{
	Node	   *left = term_of(linitial(args), place);
	Node	   *right = left ? term_of(lsecond(args), place) : NULL;

	return right ? operation(kind, left, right) : NULL;
}

/* A conversion between numbers, or a sign, that changes nothing: -1 digits; or to so many digits. */
static bool
is_conversion(Oid function, int *digits)
{
	DpConversion conversion = dp_expression_conversion(function);

	*digits = conversion == DP_CONVERSION_ROUNDS ? 0 : -1;
	if (conversion == DP_CONVERSION_KEEPS || conversion == DP_CONVERSION_ROUNDS)
		return true;
	switch (function)
	{
		case F_INT8UP:
		case F_INT4UP:
		case F_INT2UP:
		case F_FLOAT8UP:
		case F_NUMERIC_UPLUS:
			return true;
		case F_ROUND_FLOAT8:
		case F_ROUND_NUMERIC:
			*digits = 0;
			return true;
		default:
			return false;
	}
}

/* The digits after the point that the second argument asks for: of round(x, n), or of a type numeric(p, n). */
static bool
asked_digits(Oid function, List *args, int *digits)
{
	Const	   *second = list_length(args) == 2 ? lsecond(args) : NULL;

	if (second == NULL || !IsA(second, Const) || second->constisnull ||
		(function != F_ROUND_NUMERIC_INT4 && function != F_NUMERIC_NUMERIC_INT4))
		return false;
	*digits = DatumGetInt32(second->constvalue);

	/* A scale has 11 bits with its sign. */
	if (function == F_NUMERIC_NUMERIC_INT4)
		*digits = (((*digits - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	return *digits >= -100 && *digits <= 100;
}

/* A call of a built-in function. */
static Node *
call_term(Node *node, Oid function, List *args, const Place *place)
{
	DpArithmetic arithmetic = function < FirstUnpinnedObjectId ? dp_expression_arithmetic(function) : DP_ARITHMETIC_OTHER;
	DpDivision	division = dp_expression_division(function);
	int			digits;
	Node	   *term;

	if (arithmetic == DP_ARITHMETIC_PLUS)
		return binary_term(DP_TERM_PLUS, args, place);
	if (arithmetic == DP_ARITHMETIC_MINUS)
		return binary_term(DP_TERM_MINUS, args, place);
	if (arithmetic == DP_ARITHMETIC_TIMES)
		return binary_term(DP_TERM_TIMES, args, place);
	if (division != DP_DIVISION_OTHER)
	{
		term = binary_term(DP_TERM_OVER, args, place);
		return division == DP_DIVISION_WHOLE ? rounded(term, 1) : term;
	}
	if (arithmetic != DP_ARITHMETIC_NEGATION && !is_conversion(function, &digits) &&
		function != F_DSQRT && function != F_SQRT_FLOAT8 && function != F_SQRT_NUMERIC && function != F_NUMERIC_SQRT &&
		!asked_digits(function, args, &digits))
		return refuse(place, node);
	term = term_of(linitial(args), place);
	if (term == NULL)
		return NULL;
	if (arithmetic == DP_ARITHMETIC_NEGATION)
		return operation(DP_TERM_NEGATION, term, NULL);
	if (asked_digits(function, args, &digits))
		return rounded_to(term, digits);
	if (!is_conversion(function, &digits))
		return operation(DP_TERM_ROOT, term, NULL);
	return digits == 0 ? rounded_to(term, 0) : term;
}

/* GREATEST or LEAST of several; none of them NULL without noise. */
static Node *
extreme_term(MinMaxExpr *extreme, const Place *place)
{
	Node	   *term = term_of(linitial(extreme->args), place);

	for (int i = 1; term && i < list_length(extreme->args); i++)
	{
		Node	   *other = term_of(list_nth(extreme->args, i), place);

		term = other ? operation(extreme->op == IS_GREATEST ? DP_TERM_GREATEST : DP_TERM_LEAST, term, other) : NULL;
	}
	return term;
}

/* CASE WHEN condition THEN NULL ELSE term END */
static Node *
null_if(Node *condition, Node *term)
{
	CaseExpr   *result = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = (Expr *) condition;
	when->result = (Expr *) makeNullConst(BYTEAOID, -1, InvalidOid);
	when->location = -1;
	result->casetype = BYTEAOID;
	result->args = list_make1(when);
	result->defresult = (Expr *) term;
	result->location = -1;
	return (Node *) result;
}

/* nullif(x, constant): NULL where x is it. */
static Node *
nullif_term(NullIfExpr *expr, const Place *place)
{
	Node	   *term;
	NullTest   *test;

	if (is_released(lsecond(expr->args), place->levels))
		return refuse(place, (Node *) expr);
	term = term_of(linitial(expr->args), place);
	if (term == NULL)
		return NULL;
	test = castNode(NullTest, dp_tree_make_not_null(copyObject((Node *) expr)));
	test->nulltesttype = IS_NULL;
	return null_if((Node *) test, term);
}

/* CASE whose conditions noise does not change. */
static Node *
case_term(CaseExpr *expr, const Place *place)
{
	CaseExpr   *result = copyObject(expr);
	ListCell   *lc;

	if (is_released((Node *) expr->arg, place->levels))
		return refuse(place, (Node *) expr);
	foreach(lc, result->args)
	{
		CaseWhen   *when = lfirst_node(CaseWhen, lc);

		if (is_released((Node *) when->expr, place->levels))
			return refuse_as(place, (Node *) when->expr, "Decide by keys and constants: noise decides which of several numbers this is.");
		when->result = (Expr *) term_of((Node *) when->result, place);
		if (when->result == NULL)
			return NULL;
	}
	if (result->defresult)
		result->defresult = (Expr *) term_of((Node *) result->defresult, place);
	result->casetype = BYTEAOID;
	result->casecollid = InvalidOid;
	return expr->defresult && result->defresult == NULL ? NULL : (Node *) result;
}

static bool
is_sum(Oid function, bool *mean)
{
	switch (function)
	{
		case F_SUM_INT2:
		case F_SUM_INT4:
		case F_SUM_INT8:
		case F_SUM_NUMERIC:
		case F_SUM_FLOAT4:
		case F_SUM_FLOAT8:
			*mean = false;
			return true;
		case F_AVG_INT2:
		case F_AVG_INT4:
		case F_AVG_INT8:
		case F_AVG_NUMERIC:
		case F_AVG_FLOAT4:
		case F_AVG_FLOAT8:
			*mean = true;
			return true;
		default:
			return false;
	}
}

#define CHOSEN_HINT "Order and partition windows, group and filter by keys and constants: noise decides which rows these are."

/* sum or avg of released rows. */
static Node *
aggregate_term(Aggref *aggref, const Place *place)
{
	Place		inside = *place;
	bool		mean;
	Aggref	   *result;
	Node	   *term;

	if (aggref->agglevelsup > 0 || aggref->aggdistinct || !is_sum(aggref->aggfnoid, &mean))
		return refuse(place, (Node *) aggref);
	if (is_released((Node *) aggref->aggfilter, place->levels) || clauses_are_released(query_of(place)->groupClause, place->levels))
		return refuse_as(place, (Node *) aggref, CHOSEN_HINT);
	inside.aggregated = true;
	term = term_of((Node *) linitial_node(TargetEntry, aggref->args)->expr, &inside);
	if (term == NULL)
		return NULL;
	result = dp_tree_make_aggregate(mean ? "term_avg" : "term_sum", list_make1(term), BYTEAOID);
	result->aggfilter = copyObject(aggref->aggfilter);
	return (Node *) result;
}

/* The arguments of lag and its like, the first and a default as terms. */
static List *
taken_arguments(const WindowFunc *function, const Place *place)
{
	List	   *args = list_copy(function->args);
	ListCell   *lc;

	foreach(lc, args)
		if (foreach_current_index(lc) != 1)
		{
			lfirst(lc) = term_of(lfirst(lc), place);
			if (lfirst(lc) == NULL)
				return NIL;
		}
	return args;
}

/* sum, avg, lag and their like in a window whose rows and order noise does not change. */
static Node *
window_term(WindowFunc *function, const Place *place)
{
	WindowFunc *result = copyObject(function);
	Oid			type = BYTEAOID;
	bool		mean;

	if (window_is_released(function, place->levels) || is_released((Node *) function->aggfilter, place->levels) ||
		(list_length(function->args) > 1 && is_released(lsecond(function->args), place->levels)))
		return refuse_as(place, (Node *) function, CHOSEN_HINT);
	if (is_sum(function->winfnoid, &mean))
		result->winfnoid = dp_tree_internal_function(mean ? "term_avg" : "term_sum", 1, &type);
	else
		switch (function->winfnoid)
		{
			case F_LAG_ANYELEMENT:
			case F_LAG_ANYELEMENT_INT4:
			case F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
			case F_LEAD_ANYELEMENT:
			case F_LEAD_ANYELEMENT_INT4:
			case F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
			case F_FIRST_VALUE:
			case F_LAST_VALUE:
			case F_NTH_VALUE:
				break;
			default:
				return refuse(place, (Node *) function);
		}
	result->args = taken_arguments(function, place);
	result->wintype = BYTEAOID;
	result->wincollid = InvalidOid;
	result->inputcollid = InvalidOid;
	return result->args == NIL ? NULL : (Node *) result;
}

/* Have hidden columns follow one more that is shown. */
static void
insert_column(Query *query, Node *expr, const char *name)
{
	List	   *shown = NIL;
	List	   *hidden = NIL;
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (target->resjunk)
			hidden = lappend(hidden, target);
		else
			shown = lappend(shown, target);
	}
	shown = lappend(shown, makeTargetEntry((Expr *) expr, list_length(shown) + 1, pstrdup(name), false));
	foreach(lc, hidden)
		lfirst_node(TargetEntry, lc)->resno = list_length(shown) + foreach_current_index(lc) + 1;
	query->targetList = list_concat(shown, hidden);
}

/* The number of the column of a subquery that is this term, which is added if there is none. */
static int
term_column(Query *inner, Node *term)
{
	int			shown = 0;
	ListCell   *lc;

	foreach(lc, inner->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (target->resjunk)
			continue;
		shown++;
		if (equal(target->expr, term))
			return target->resno;
	}
	insert_column(inner, term, "term");
	return shown + 1;
}

/* Have an item of FROM know of so many columns, the last of them terms. */
static void
tell_item(RangeTblEntry *rte, int columns)
{
	while (list_length(rte->eref->colnames) < columns)
	{
		rte->eref->colnames = lappend(rte->eref->colnames, makeString(pstrdup("term")));
		if (rte->rtekind != RTE_CTE)
			continue;
		rte->coltypes = lappend_oid(rte->coltypes, BYTEAOID);
		rte->coltypmods = lappend_int(rte->coltypmods, -1);
		rte->colcollations = lappend_oid(rte->colcollations, InvalidOid);
	}
}

/* Have a WITH query know of its columns. */
static void
tell_with(const RangeTblEntry *rte, List *levels, int columns)
{
	ListCell   *lc;

	if (rte->rtekind != RTE_CTE)
		return;
	foreach(lc, linitial_node(Query, levels_up(levels, rte->ctelevelsup))->cteList)
	{
		CommonTableExpr *with = lfirst_node(CommonTableExpr, lc);

		if (strcmp(with->ctename, rte->ctename) != 0)
			continue;
		while (list_length(with->ctecolnames) < columns)
		{
			with->ctecolnames = lappend(with->ctecolnames, makeString(pstrdup("term")));
			with->ctecoltypes = lappend_oid(with->ctecoltypes, BYTEAOID);
			with->ctecoltypmods = lappend_int(with->ctecoltypmods, -1);
			with->ctecolcollations = lappend_oid(with->ctecolcollations, InvalidOid);
		}
	}
}

/* Does a Var name an item of FROM as a whole that this reads: the item itself, or the same WITH query? */
typedef struct WholeSearch
{
	const RangeTblEntry *rte;
	const Query *inner;
	List	   *levels;
} WholeSearch;

/* Is a Var a row of what is searched for? */
static bool
is_whole(const Var *var, const WholeSearch *search)
{
	List	   *levels = levels_up(search->levels, var->varlevelsup);
	List	   *inner_levels;
	RangeTblEntry *rte;

	if (var->varattno != 0 || levels == NIL || IS_SPECIAL_VARNO(var->varno) ||
		var->varno > list_length(linitial_node(Query, levels)->rtable))
		return false;
	rte = rt_fetch(var->varno, linitial_node(Query, levels)->rtable);
	return rte == search->rte || dp_from_subquery_of(rte, levels, &inner_levels) == search->inner;
}

/* Is it named as a whole, as a row, anywhere? */
static bool
whole_walker(Node *node, WholeSearch *search)
{
	bool		found;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return is_whole((Var *) node, search);
	if (!IsA(node, Query))
		return expression_tree_walker(node, whole_walker, search);
	search->levels = lcons(node, list_copy(search->levels));
	found = query_tree_walker((Query *) node, whole_walker, search, QTW_IGNORE_JOINALIASES);
	search->levels = list_delete_first(search->levels);
	return found;
}

/* Can a column be added to a subquery, without another meaning of it or of what reads it? */
static bool
takes_column(const RangeTblEntry *rte, const Query *inner, List *levels)
{
	Query	   *query = linitial_node(Query, levels);
	WholeSearch search = {.rte = rte, .inner = inner};

	if (inner->distinctClause != NIL || inner->setOperations != NULL || query->distinctClause != NIL)
		return false;

	/* A WITH query may be read wherever it is known. */
	if (rte->rtekind == RTE_CTE)
		levels = levels_up(levels, rte->ctelevelsup);
	search.levels = list_delete_first(list_copy(levels));
	return !whole_walker(linitial(levels), &search);
}

/* A column that is released: one more of its subquery. */
static Node *
column_term(const Var *var, const Place *place)
{
	Query	   *query = query_of(place);
	RangeTblEntry *rte = var->varlevelsup == 0 && var->varno <= list_length(query->rtable) ?
		rt_fetch(var->varno, query->rtable) : NULL;
	Place		within = {.lenient = place->lenient, .reason = place->reason};
	TargetEntry *target;
	Query	   *inner;
	Var		   *result;
	Node	   *term;

	if (rte && rte->rtekind == RTE_JOIN && var->varattno > 0)
		return term_of(dp_compat_flatten_joins(query, (Node *) copyObject(var)), place);
	inner = rte && !dp_tree_is_block(query) ? dp_from_subquery_of(rte, place->levels, &within.levels) : NULL;
	target = inner && var->varattno > 0 ? get_tle_by_resno(inner->targetList, var->varattno) : NULL;
	if (target == NULL || ((query->hasAggs || query->groupClause != NIL) && !place->aggregated) ||
		!takes_column(rte, inner, place->levels))
		return refuse_as(place, (Node *) var, "Write the subquery that it is a column of in FROM, without DISTINCT and UNION.");
	if (place->lenient && dp_tree_varies((Node *) target->expr))
		return refuse(place, (Node *) var);
	term = term_of((Node *) target->expr, &within);
	if (term == NULL)
		return NULL;
	result = copyObject(unconstify(Var *, var));
	result->varattno = term_column(inner, term);
	result->vartype = BYTEAOID;
	result->vartypmod = -1;
	result->varcollid = InvalidOid;
	result->varnosyn = 0;
	result->varattnosyn = 0;
	tell_item(rte, result->varattno);
	tell_with(rte, place->levels, result->varattno);
	return (Node *) result;
}

/* An aggregate of ours, of its own block. */
static Node *
own_term(Aggref *aggref, const Place *place)
{
	Oid			type = ANYELEMENTOID;

	if (aggref->agglevelsup > 0)
		return refuse(place, (Node *) aggref);
	return (Node *) dp_tree_make_call(place->lenient ? "noted_term" : "term", &type, 1, list_make1(copyObject(aggref)), BYTEAOID);
}

/* The term of an expression of the innermost level; NULL with a reason set if it has none. */
static Node *
term_of(Node *node, const Place *place)
{
	check_stack_depth();
	if (!is_released(node, place->levels))
		return constant_term(copyObject(node), place);
	switch (nodeTag(node))
	{
		case T_Aggref:
			return dp_tree_is_ours(node) ? own_term((Aggref *) node, place) : aggregate_term((Aggref *) node, place);
		case T_WindowFunc:
			return window_term((WindowFunc *) node, place);
		case T_Var:
			return column_term((Var *) node, place);
		case T_OpExpr:
			set_opfuncid((OpExpr *) node);
			return call_term(node, ((OpExpr *) node)->opfuncid, ((OpExpr *) node)->args, place);
		case T_FuncExpr:
			return call_term(node, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args, place);
		case T_MinMaxExpr:
			return extreme_term((MinMaxExpr *) node, place);
		case T_NullIfExpr:
			return nullif_term((NullIfExpr *) node, place);
		case T_CaseExpr:
			return case_term((CaseExpr *) node, place);
		case T_RelabelType:
			return term_of((Node *) ((RelabelType *) node)->arg, place);
		default:
			return refuse(place, node);
	}
}

Node *
dp_rewrite_noted_term(Node *node, List *levels)
{
	DpReason   *reason = NULL;
	Place		place = {.levels = levels, .lenient = true, .reason = &reason};

	return dp_tree_varies(node) ? NULL : term_of(node, &place);
}

/* Does a column of a subquery show an answer as it is? */
static bool
column_is_answer(const Var *var, List *levels)
{
	Query	   *query = linitial_node(Query, levels);
	List	   *inner_levels;
	Query	   *inner;
	TargetEntry *target;

	if (var->varlevelsup > 0 || var->varattno <= 0 || var->varno > list_length(query->rtable))
		return false;
	if (rt_fetch(var->varno, query->rtable)->rtekind == RTE_JOIN)
		return dp_rewrite_is_answer(dp_compat_flatten_joins(query, (Node *) copyObject(var)), levels);
	inner = dp_from_subquery_of(rt_fetch(var->varno, query->rtable), levels, &inner_levels);
	target = inner && inner->setOperations == NULL ? get_tle_by_resno(inner->targetList, var->varattno) : NULL;
	return target && dp_rewrite_is_answer((Node *) target->expr, inner_levels);
}

bool
dp_rewrite_is_answer(Node *node, List *levels)
{
	int			digits;

	check_stack_depth();
	if (!is_released(node, levels))
		return true;
	switch (nodeTag(node))
	{
		case T_Aggref:
			return dp_tree_is_ours(node);
		case T_Var:
			return column_is_answer((Var *) node, levels);
		case T_RelabelType:
			return dp_rewrite_is_answer((Node *) ((RelabelType *) node)->arg, levels);
		case T_FuncExpr:
			return (is_conversion(((FuncExpr *) node)->funcid, &digits) ||
					asked_digits(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args, &digits)) &&
				dp_rewrite_is_answer(linitial(((FuncExpr *) node)->args), levels);
		default:
			return false;
	}
}

/*
 * Calls of dp_interval.
 */

/* Is it an aggregate of ours that has an interval, but no term? */
static bool
is_without_term(Node *node)
{
	if (!IsA(node, Aggref))
		return false;
	switch (dp_tree_function(((Aggref *) node)->aggfnoid))
	{
		case DP_FUNCTION_QUANTILE:
		case DP_FUNCTION_MEDIAN:
		case DP_FUNCTION_MIN:
		case DP_FUNCTION_MAX:
		case DP_FUNCTION_GEOMETRIC_MEAN:
			return true;
		default:
			return false;
	}
}

/* Such an aggregate under conversions of numbers, as plain min(x) becomes; sets whether these round. */
static Node *
converted(Node *node, bool *rounds)
{
	int			digits;

	while (IsA(node, FuncExpr) && is_conversion(((FuncExpr *) node)->funcid, &digits))
	{
		*rounds |= digits == 0;
		node = linitial(((FuncExpr *) node)->args);
	}
	return is_without_term(node) ? node : NULL;
}

/* The interval of an aggregate, whose ends are rounded if it is. */
static Node *
interval_alone(FuncExpr *call, Node *aggregate, bool rounds)
{
	Oid			type = NUMRANGEOID;
	FuncExpr   *interval = copyObject(call);

	linitial(interval->args) = copyObject(aggregate);
	if (!rounds)
		return (Node *) interval;
	return (Node *) dp_tree_make_call("interval_rounded", &type, 1, list_make1(interval), NUMRANGEOID);
}

/* term_interval(term of the argument, level); the call if its argument is an aggregate, or not released. */
static Node *
expanded(FuncExpr *call, Pass *pass)
{
	Oid			types[] = {BYTEAOID, FLOAT8OID};
	Place		place = {.levels = pass->levels, .aggregated = pass->aggregated, .reason = &pass->reason};
	Node	   *argument = linitial(call->args);
	Node	   *level = list_length(call->args) > 1 ? lsecond(call->args) : (Node *) dp_tree_make_float8(DP_DEFAULT_LEVEL);
	bool		rounds = false;
	Node	   *alone = converted(argument, &rounds);
	Node	   *term;

	if ((IsA(argument, Aggref) && dp_tree_is_ours(argument)) || !is_released(argument, pass->levels))
		return (Node *) call;
	if (alone)
		return interval_alone(call, alone, rounds);
	pass->reason = dp_rewrite_check_level(level, pass->statement);
	term = pass->reason ? NULL : term_of(argument, &place);
	if (pass->reason && pass->reason->location < 0)
		pass->reason->location = call->location;
	if (term == NULL)
		return (Node *) call;
	return (Node *) dp_tree_make_call("term_interval", types, lengthof(types), list_make2(term, copyObject(level)), NUMRANGEOID);
}

static bool expand_query(Query *query, Pass *pass);

static Node *
expand_mutator(Node *node, Pass *pass)
{
	bool		aggregated = pass->aggregated;

	if (node == NULL || pass->reason)
		return node;
	if (IsA(node, Query))
	{
		(void) expand_query((Query *) node, pass);
		return node;
	}
	if (IsA(node, FuncExpr) && dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_INTERVAL)
		return expanded((FuncExpr *) node, pass);
	pass->aggregated |= IsA(node, Aggref);
	node = expression_tree_mutator(node, expand_mutator, pass);
	pass->aggregated = aggregated;
	return node;
}

/* Queries in FROM and WITH, each in its place. */
static bool
expand_below(Query *query, Pass *pass)
{
	ListCell   *lc;

	foreach(lc, query->cteList)
		if (IsA(lfirst_node(CommonTableExpr, lc)->ctequery, Query) &&
			expand_query((Query *) lfirst_node(CommonTableExpr, lc)->ctequery, pass))
			return true;
	foreach(lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_SUBQUERY &&
			expand_query(lfirst_node(RangeTblEntry, lc)->subquery, pass))
			return true;
	return false;
}

/* Expand the calls of a query in place; returns whether one is refused. */
static bool
expand_query(Query *query, Pass *pass)
{
	bool		aggregated = pass->aggregated;

	check_stack_depth();
	pass->levels = lcons(query, list_copy(pass->levels));
	pass->aggregated = false;
	if (!expand_below(query, pass))
	{
		query->targetList = (List *) expand_mutator((Node *) query->targetList, pass);
		query->havingQual = expand_mutator(query->havingQual, pass);
		query->jointree = (FromExpr *) expand_mutator((Node *) query->jointree, pass);
	}
	pass->levels = list_delete_first(pass->levels);
	pass->aggregated = aggregated;
	return pass->reason != NULL;
}

/* Is dp_interval called anywhere? */
static bool
calls_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, calls_walker, context, 0);
	if (IsA(node, FuncExpr) && dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_INTERVAL)
		return true;
	return expression_tree_walker(node, calls_walker, context);
}

DpReason *
dp_rewrite_expand_intervals(Query *query, DpStatement *statement)
{
	Pass		pass = {.statement = statement};

	if (query_tree_walker(query, calls_walker, NULL, 0))
		(void) expand_query(query, &pass);
	return pass.reason;
}
