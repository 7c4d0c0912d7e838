/* SPDX-License-Identifier: PostgreSQL */
/*
 * work_limit.c
 *	  How much work a row may make.
 *
 * The work of a block's exact query is added up over all its expressions, at their
 * worst: nobody knows which of them a row runs, and on which values.  Where that is
 * more than a row may make, values are limited in length, by half as often as it takes.
 *
 *		name LIKE '%x%'   ->   dp_agg_internal.at_most(name, 131072) LIKE '%x%'
 *
 * What is longer is NULL.  Columns of a type without a longest value are wrapped
 * wherever an expression works on them, and what chooses between constants where they
 * are longer than the limit.  Results of calls are not wrapped, since they are hardly
 * longer than the arguments.  Columns are not wrapped, either, if they are only
 * counted, tested for NULL, grouped by as they are or compared by an equality that
 * looks at sizes first: joins and indexes see these as before.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "aggregate/loss_spec.h"
#include "exact/work_limit.h"
#include "expression/allow_list.h"
#include "expression/function_cost.h"
#include "expression/null_on_error.h"
#include "expression/refusals.h"
#include "expression/value_size.h"
#include "from/contribution.h"
#include "from/split_rows.h"
#include "from/window_kind.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/public_params.h"
#include "tree/reason.h"

#define UNBOUNDED ((Size) MaxAllocSize)

/* Longest numeric: 147,455 digits, of which two take a byte. */
#define LONGEST_NUMERIC 73740

/* Longest value of other types of variable length that have one: addresses. */
#define LONGEST_ADDRESS 32

/* Longest range of numbers or times but numerics: a type, two bounds and a byte. */
#define LONGEST_RANGE 32

/* Longest numeric that comes of a call, whose arguments are limited. */
#define LONGEST_RESULT 1024

/* More arguments than any call has, but COALESCE, GREATEST and LEAST. */
#define MAX_COUNTED 8

typedef struct Work
{
	List	   *tables;			/* of DpTable: those protected */
	Query	   *query;			/* around the node */
	Size		longest;		/* the limit on values */
	double		cost;			/* of what was seen */
	double		failures;		/* of these, what can fail for one row */
	double		before;			/* of these, what is done before a row becomes several */
	bool		multiplied;		/* does a join make several rows of one? */
	bool		only_splits;	/* is it alone that a row is split into several? */
	HTAB	   *lengths;		/* of KnownLength: what was worked out, or NULL */
} Work;

/* How long the values of a node can be, once what is below it is limited. */
typedef struct KnownLength
{
	Node	   *node;			/* hash key */
	Size		longest;
} KnownLength;

static Node *limit(Node *node, Work *work);

/* Without casts that change nothing. */
static Node *
strip(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

static bool
is_call_of(Node *node, const char *name, int nargs, const Oid *types)
{
	return IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid >= FirstNormalObjectId &&
		((FuncExpr *) node)->funcid == dp_tree_internal_function(name, nargs, types);
}

/* Is it dp_agg_internal.at_most(...)? */
static bool
is_limited(Node *node)
{
	static const Oid types[] = {ANYELEMENTOID, INT4OID};

	return is_call_of(node, "at_most", lengthof(types), types);
}

/* Longest value of a type with this modifier, in bytes with header; 0 if not a variable one. */
static Size
longest_of_type(Oid type, int32 typmod)
{
	if (get_typlen(type) != -1)
		return 0;
	type = getBaseTypeAndTypmod(type, &typmod);
	switch (type)
	{
		case VARCHAROID:
		case BPCHAROID:
			return typmod < VARHDRSZ ? UNBOUNDED
				: VARHDRSZ + (Size) (typmod - VARHDRSZ) * pg_database_encoding_max_length();
		case BITOID:
		case VARBITOID:
			return typmod < 0 ? UNBOUNDED : VARHDRSZ + sizeof(int32) + (Size) typmod / 8 + 1;
		case NUMERICOID:
			return typmod < VARHDRSZ ? LONGEST_NUMERIC
				: VARHDRSZ + 8 + (Size) (((typmod - VARHDRSZ) >> 16) & 0xffff) / 2;
		case INETOID:
		case CIDROID:
			return LONGEST_ADDRESS;
		case INT4RANGEOID:
		case INT8RANGEOID:
		case DATERANGEOID:
		case TSRANGEOID:
		case TSTZRANGEOID:
			return LONGEST_RANGE;
		default:
			return UNBOUNDED;
	}
}

static Size longest_value(Node *node, Work *work);

static Size
longest_of_list(List *nodes, Work *work)
{
	Size		longest = 0;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		Size		one = longest_value(lfirst(lc), work);

		longest = Max(longest, one);
	}
	return longest;
}

/*
 * Function that a call runs, and its arguments: for a call that is tried, those of
 * the tried one.
 */
static Oid
called(Node *call, List **args)
{
	Oid			tried = dp_expression_attempted(call);

	*args = IsA(call, FuncExpr) ? ((FuncExpr *) call)->args : ((OpExpr *) call)->args;
	if (!OidIsValid(tried))
		return IsA(call, FuncExpr) ? ((FuncExpr *) call)->funcid : ((OpExpr *) call)->opfuncid;
	*args = list_copy_tail(*args, 1);
	return tried;
}

/* Longest value of a call that makes more of its arguments than there was; 0 of others. */
static Size
longest_of_growth(Node *call, Work *work)
{
	Size		sizes[MAX_COUNTED];
	List	   *args;
	DpCostClass cost = dp_expression_verdict(called(call, &args)).cost;
	Size		longest;

	for (int i = 0; i < list_length(args) && i < MAX_COUNTED; i++)
	{
		sizes[i] = longest_value(list_nth(args, i), work);
		if (!IsA(list_nth(args, i), Const))
			sizes[i] = Min(sizes[i], work->longest);
	}
	longest = args == NIL ? 0 : dp_expression_size_of_result(cost, args, sizes);
	return Min(longest, DP_MAX_VALUE_SIZE);
}

/*
 * Longest value of a call: no longer than its arguments, but for what folding case adds
 * to a few letters, texts of numbers, times and documents, and what makes more of them.
 */
static Size
longest_of_call(Node *call, List *args, Work *work)
{
	Size		longest;

	longest = longest_of_growth(call, work);
	if (exprType(call) == NUMERICOID)
		return longest > 0 ? Min(longest, LONGEST_NUMERIC) : LONGEST_RESULT;
	if (longest > 0)
		return longest;
	longest = longest_of_list(args, work);
	longest = Max(longest, LONGEST_RESULT);
	return Min(longest, work->longest);
}

/* Longest value of a CASE. */
static Size
longest_of_case(CaseExpr *cases, Work *work)
{
	Size		longest = longest_value((Node *) cases->defresult, work);
	ListCell   *lc;

	foreach(lc, cases->args)
	{
		Size		one = longest_value((Node *) lfirst_node(CaseWhen, lc)->result, work);

		longest = Max(longest, one);
	}
	return longest;
}

/* Longest value of an expression of a type of variable length, as what it is made of says. */
static Size
longest_of_expression(Node *node, Work *work)
{
	switch (nodeTag(node))
	{
		case T_RelabelType:
			return longest_value((Node *) ((RelabelType *) node)->arg, work);
		case T_CollateExpr:
			return longest_value((Node *) ((CollateExpr *) node)->arg, work);
		case T_CoalesceExpr:
			return longest_of_list(((CoalesceExpr *) node)->args, work);
		case T_MinMaxExpr:
			return longest_of_list(((MinMaxExpr *) node)->args, work);
		case T_NullIfExpr:
			return longest_value(linitial(((NullIfExpr *) node)->args), work);
		case T_CaseExpr:
			return longest_of_case((CaseExpr *) node, work);
		case T_FuncExpr:
			return longest_of_call(node, ((FuncExpr *) node)->args, work);
		case T_OpExpr:
			return longest_of_call(node, ((OpExpr *) node)->args, work);
		case T_SubscriptingRef:
			return longest_value((Node *) ((SubscriptingRef *) node)->refexpr, work);
		default:
			elog(ERROR, "unexpected node type: %d", (int) nodeTag(node));
	}
}

/*
 * The same, worked out once for each node.  Every call around one asks for it, and asks for
 * all below it again; in a chain of calls that would be as often as it has pairs of them.
 */
static Size
known_longest(Node *node, Work *work)
{
	KnownLength *known;
	Size		longest;

	if (work->lengths == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Node *), .entrysize = sizeof(KnownLength),
		.hcxt = CurrentMemoryContext};

		work->lengths = hash_create("dp_agg longest values", 16, &control,
									HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	known = hash_search(work->lengths, &node, HASH_FIND, NULL);
	if (known)
		return known->longest;
	longest = longest_of_expression(node, work);
	known = hash_search(work->lengths, &node, HASH_ENTER, NULL);
	known->longest = longest;
	return longest;
}

/*
 * Longest value that an expression can have, in bytes with header, once what is below
 * it is limited; 0 if it is of fixed length.
 */
static Size
longest_value(Node *node, Work *work)
{
	Const	   *constant = (Const *) node;

	check_stack_depth();
	if (get_typlen(exprType(node)) != -1)
		return 0;
	if (is_limited(node))
		return DatumGetInt32(lsecond_node(Const, ((FuncExpr *) node)->args)->constvalue);
	switch (nodeTag(node))
	{
		case T_Param:			/* of a value that is read when the statement is opened */
			return VARHDRSZ;
		case T_Const:
			return constant->constisnull ? 0 : dp_expression_value_size(constant->constvalue);
		case T_CoerceViaIO:
			return LONGEST_RESULT;
		case T_RelabelType:
		case T_CollateExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_NullIfExpr:
		case T_CaseExpr:
		case T_FuncExpr:
		case T_OpExpr:
		case T_SubscriptingRef:
			return known_longest(node, work);
		default:
			return longest_of_type(exprType(node), exprTypmod(node));
	}
}

/* dp_agg_internal.at_most(value, longest) */
static Node *
at_most(Node *value, Size longest)
{
	static const Oid types[] = {ANYELEMENTOID, INT4OID};
	FuncExpr   *call = dp_tree_make_call("at_most", types, lengthof(types),
										 list_make2(value, dp_tree_make_int4((int32) longest)),
										 exprType(value));

	call->funccollid = exprCollation(value);
	call->location = exprLocation(value);
	return (Node *) call;
}

/*
 * A value, NULL if it can be longer than the limit and is.  Numerics have a limit of their
 * own, which is too large where a join multiplies rows; constants that stand there as they are, such as
 * patterns, cost what they cost.
 */
static Node *
limit_value(Node *value, Work *work)
{
	if ((exprType(value) == NUMERICOID && !work->multiplied) || IsA(value, Const))
		return value;
	return longest_value(value, work) > work->longest ? at_most(value, work->longest) : value;
}

/*
 * Cost of a column's value each time a function fetches it, which may choose it by
 * CASE.
 */
static double
cost_of_fetching(Node *value, Size longest)
{
	value = strip(value);
	if (is_limited(value))
		value = strip(linitial(((FuncExpr *) value)->args));
	if (exprType(value) == NUMERICOID || IsA(value, FuncExpr) || IsA(value, OpExpr) ||
		IsA(value, CoerceViaIO) || IsA(value, Const))
		return 0;
	return DP_COST_OF_FETCHING * longest;
}

/* Add what a call of a function costs, on limited arguments. */
static void
add_call(Work *work, Oid function, List *args, Oid collation)
{
	DpVerdict	verdict = dp_expression_verdict_of_call(function, args);
	Size		sizes[MAX_COUNTED];

	args = list_copy_head(args, Min(list_length(args), MAX_COUNTED));
	for (int i = 0; i < list_length(args); i++)
	{
		sizes[i] = longest_value(list_nth(args, i), work);
		sizes[i] = Min(sizes[i], DP_MAX_VALUE_SIZE);
		if (verdict.totality == DP_PARTIAL && exprType(list_nth(args, i)) == NUMERICOID)
			sizes[i] = Min(sizes[i], DP_MAX_NUMERIC_SIZE);
		if (verdict.cost == DP_COST_FROM_TEXT)
			sizes[i] = Min(sizes[i], DP_MAX_INPUT_SIZE);
		if (verdict.cost != DP_COST_HEADER)
			work->cost += cost_of_fetching(list_nth(args, i), sizes[i]);
	}

	/* As many digits are compared as the shorter has. */
	if (list_length(args) == 2 && verdict.totality == DP_TOTAL && exprType(linitial(args)) == NUMERICOID)
		sizes[0] = sizes[1] = Min(sizes[0], sizes[1]);
	work->cost += dp_expression_cost_of_call(verdict.cost, args, sizes, collation);
}

/* The same arguments, limited. */
static List *
limit_values(List *args, Work *work)
{
	List	   *limited = NIL;
	ListCell   *lc;

	foreach(lc, args)
		limited = lappend(limited, limit_value(lfirst(lc), work));
	return limited;
}

/* Does a call match a pattern that a row may choose? */
static bool
matches_any(Oid function, List *args)
{
	DpVerdict	verdict = dp_expression_verdict_of_call(function, args);

	return verdict.subject < 0 &&
		(verdict.cost == DP_COST_MATCH || verdict.cost == DP_COST_MATCH_FOLDED || verdict.cost == DP_COST_POSITION);
}

/* A pattern that a row may choose: short, and made of what is short. */
static Node *
limit_pattern(Node *pattern, Work *work)
{
	Size		longest = work->longest;

	work->longest = Min(longest, DP_MAX_PATTERN_SIZE);
	pattern = limit_value(limit(pattern, work), work);
	work->longest = longest;
	if (longest_value(pattern, work) > DP_MAX_PATTERN_SIZE)
		pattern = at_most(pattern, DP_MAX_PATTERN_SIZE);
	return pattern;
}

/*
 * The limited arguments of a strict call that is tried.  It fails only if nothing below does:
 * of a chain of calls one fails.  Those that choose an argument never do, nor those that match.
 */
static List *
limit_tried(List *args, Oid function, Work *work)
{
	DpCostClass cost = dp_expression_verdict_of_call(function, args).cost;
	double		before = work->failures;
	double		own = cost == DP_COST_ORDER || cost == DP_COST_MATCH ? 0 : DP_COST_OF_FAILURE;

	work->failures = 0;
	if (matches_any(function, args))
		args = list_make2(limit_value(limit(linitial(args), work), work), limit_pattern(lsecond(args), work));
	else
		args = limit_values((List *) limit((Node *) args, work), work);
	work->failures = before + Max(work->failures, own);
	return args;
}

/*
 * Add what looking for a value among candidates costs.  There may be so many that entering
 * them takes some milliseconds; but not more because they were chosen to meet.
 */
static void
add_candidates(Work *work, const FuncExpr *call)
{
	const Const *list = lsecond_node(Const, call->args);
	TypeCacheEntry *type = lookup_type_cache(exprType(linitial(call->args)), TYPECACHE_EQ_OPR);

	work->cost += Max(0, dp_expression_cost_of_meetings(type->eq_opr, list) -
					  DP_COST_OF_CHANCE * dp_expression_list_length(list));
}

/* Is it dp_agg_internal.packed(...)? */
static bool
is_packed(Node *node)
{
	static const Oid types[] = {ANYOID};

	return is_call_of(node, "packed", lengthof(types), types);
}

/* Limit values that are copied into one. */
static void
limit_packed(FuncExpr *call, Work *work)
{
	ListCell   *lc;

	call->args = limit_values(call->args, work);
	foreach(lc, call->args)
	{
		Size		longest = Min(longest_value(lfirst(lc), work), DP_MAX_VALUE_SIZE);

		work->cost += DP_COST_OF_NODE + DP_COST_OF_KEEPING * longest + cost_of_fetching(lfirst(lc), longest);
	}
}

/* What splitting a text costs, whose parts may be as many as its bytes. */
static double
cost_of_splitting(const FuncExpr *split, Work *work)
{
	double		size = Min(longest_value(linitial(split->args), work), DP_MAX_VALUE_SIZE);

	switch (split->funcid)
	{
		case F_STRING_TO_ARRAY_TEXT_TEXT:
		case F_STRING_TO_ARRAY_TEXT_TEXT_TEXT:
			return 1000 + DP_COST_OF_PART * size;
		case F_REGEXP_SPLIT_TO_ARRAY_TEXT_TEXT:
		case F_REGEXP_SPLIT_TO_ARRAY_TEXT_TEXT_TEXT:
			return 2000 + DP_COST_OF_MATCH * size;
		default:
			elog(ERROR, "a text is split by an unexpected function %u", split->funcid);
	}
}

/* What splits a row, which is done once for all that it becomes. */
static Node *
limit_splitting(FuncExpr *call, Work *work)
{
	double		cost = work->cost + work->failures;
	Node	   *array;

	call = (FuncExpr *) expression_tree_mutator((Node *) call, limit, work);
	array = linitial(call->args);
	if (is_limited(array) || !IsA(array, FuncExpr))
	{
		Size		longest = Min(longest_value(array, work), DP_MAX_VALUE_SIZE);

		work->cost += cost_of_fetching(array, longest) + DP_COST_OF_KEEPING * longest;
	}
	else
		work->cost += cost_of_splitting((FuncExpr *) array, work);
	if (work->only_splits)
		work->before += work->cost + work->failures - cost;
	return (Node *) call;
}

/* A call of one of our own functions. */
static Node *
limit_own_function(FuncExpr *call, Work *work)
{
	if (dp_from_is_elements(call))
		return limit_splitting(call, work);
	call = (FuncExpr *) expression_tree_mutator((Node *) call, limit, work);
	if (is_packed((Node *) call))
		limit_packed(call, work);
	if (dp_tree_function(call->funcid) == DP_FUNCTION_PLACE)
		add_candidates(work, call);
	return (Node *) call;
}

/* A call of a built-in function, or of one that is tried. */
static Node *
limit_function(FuncExpr *call, Work *work)
{
	Oid			tried = dp_expression_attempted((Node *) call);
	List	   *args;

	if (!OidIsValid(tried) && call->funcid >= FirstNormalObjectId)
		return limit_own_function(call, work);
	if (call->args != NIL && IsA(strip(linitial(call->args)), Var) &&
		dp_expression_verdict(call->funcid).cost == DP_COST_HEADER)
		return copyObject((Node *) call);
	if (!OidIsValid(tried))
	{
		call = (FuncExpr *) expression_tree_mutator((Node *) call, limit, work);
		call->args = limit_values(call->args, work);
		add_call(work, call->funcid, call->args, call->inputcollid);
		return (Node *) call;
	}
	call = (FuncExpr *) memcpy(makeNode(FuncExpr), call, sizeof(FuncExpr));
	args = limit_tried(list_copy_tail(call->args, 1), tried, work);
	add_call(work, tried, args, call->inputcollid);
	call->args = lcons(copyObject(linitial(call->args)), args);
	work->cost += DP_COST_OF_NODE;
	return (Node *) call;
}

/* Is it a column of a protected table, or of a subquery over one? */
static bool
is_protected(Node *node, const Work *work)
{
	RangeTblEntry *rte;
	ListCell   *lc;

	node = strip(node);
	if (!IsA(node, Var) || ((Var *) node)->varlevelsup > 0)
		return false;
	rte = list_nth_node(RangeTblEntry, work->query->rtable, ((Var *) node)->varno - 1);
	foreach(lc, work->tables)
		if (rte->rtekind == RTE_RELATION && ((DpTable *) lfirst(lc))->rte->relid == rte->relid)
			return true;
	return rte->rtekind == RTE_SUBQUERY;
}

/* A column, or the value that a CASE compares. */
static bool
is_plain(Node *node)
{
	return IsA(node, Var) || IsA(node, CaseTestExpr);
}

/*
 * Is it an equality of columns that looks at the sizes first, one of them a protected
 * table's, or compared with a constant?  That costs no more than the shorter.
 */
static bool
compares_sizes(OpExpr *call, const Work *work)
{
	Node	   *left = linitial(call->args);
	Node	   *right = llast(call->args);

	if (IsA(call, NullIfExpr) || dp_expression_verdict(call->opfuncid).cost != DP_COST_EQUALITY)
		return false;
	left = strip(left);
	right = strip(right);
	if (IsA(left, Var) && IsA(right, Var))
		return is_protected(left, work) || is_protected(right, work);
	return (is_plain(left) && IsA(right, Const)) || (IsA(left, Const) && is_plain(right));
}

/*
 * OpExpr, DistinctExpr, NullIfExpr.  Where a join multiplies rows, what it compares is compared
 * with each of them.
 */
static Node *
limit_operator(OpExpr *call, Work *work)
{
	if (!work->multiplied && compares_sizes(call, work))
	{
		Size		longest = Min(longest_value(linitial(call->args), work),
								  longest_value(llast(call->args), work));

		/* Two columns: values are as long as those that are not TOASTed. */
		work->cost += (0.1 + DP_COST_OF_FETCHING) * (longest < UNBOUNDED ? longest : BLCKSZ);
		return copyObject((Node *) call);
	}
	call = (OpExpr *) expression_tree_mutator((Node *) call, limit, work);
	if (dp_expression_verdict(call->opfuncid).cost != DP_COST_HEADER)
		call->args = limit_values(call->args, work);
	add_call(work, call->opfuncid, call->args, call->inputcollid);
	return (Node *) call;
}

/*
 * ANY and ALL of an array that is a row's own.  A number is fetched for each of its elements, so it
 * is no longer than those that are tried.
 */
static Node *
limit_own_array(ScalarArrayOpExpr *call, Work *work)
{
	Node	   *scalar = linitial(call->args);
	Node	   *array = lsecond(call->args) = limit_value(lsecond(call->args), work);
	Size		sizes[2];

	if (exprType(scalar) == NUMERICOID && !IsA(scalar, Const))
		scalar = linitial(call->args) = at_most(scalar, Min(work->longest, DP_MAX_NUMERIC_SIZE));
	sizes[0] = longest_value(scalar, work);
	sizes[1] = longest_value(array, work);
	work->cost += cost_of_fetching(array, sizes[1]) +
		dp_expression_cost_of_elements(dp_expression_verdict(call->opfuncid).cost, call, sizes,
									   exprType(scalar) == NUMERICOID ? 0.2 * sizes[0] : cost_of_fetching(scalar, sizes[0]));
	return (Node *) call;
}

/*
 * IN, ANY, ALL.  Lists of an equality are hashed at the first row, others walked through
 * for each, every element with the same cost.
 */
static Node *
limit_array_operator(ScalarArrayOpExpr *call, Work *work)
{
	Node	   *scalar;
	Const	   *array;
	DpCostClass cost;
	Size		sizes[2];
	int			count;

	call = (ScalarArrayOpExpr *) expression_tree_mutator((Node *) call, limit, work);
	scalar = linitial(call->args) = limit_value(linitial(call->args), work);
	array = lsecond(call->args);

	/* What is read when the statement is opened costs what it costs then. */
	if (dp_tree_is_public_param((Node *) array))
		return (Node *) call;
	if (!IsA(array, Const))
		return limit_own_array(call, work);
	if (array->constisnull)
		return (Node *) call;
	count = dp_expression_list_length(array);
	sizes[0] = longest_value(scalar, work);
	sizes[1] = longest_value((Node *) array, work);
	cost = dp_expression_verdict(call->opfuncid).cost;
	work->cost += DP_COST_OF_ELEMENT * count + dp_expression_cost_of_meetings(call->opno, array) +
		0.4 * (sizes[0] + sizes[1]);
	work->cost += cost_of_fetching(scalar, sizes[0]) * (cost == DP_COST_EQUALITY ? 2 : count);
	if (cost == DP_COST_ORDER)
		work->cost += count * dp_expression_cost_of_order(call->inputcollid) * Min(sizes[0], sizes[1]);
	else if (cost == DP_COST_LIKE)
		work->cost += dp_expression_cost_of_call(cost, call->args, sizes, call->inputcollid);
	return (Node *) call;
}

/* An element of an array: those before it are walked over where some are NULL, or of variable length. */
static Node *
limit_element(SubscriptingRef *element, Work *work)
{
	Node	   *array;
	Size		longest;

	element = (SubscriptingRef *) expression_tree_mutator((Node *) element, limit, work);
	array = limit_value((Node *) element->refexpr, work);
	element->refexpr = (Expr *) array;
	longest = longest_value(array, work);
	work->cost += cost_of_fetching(array, longest) + DP_COST_OF_SKIPPING * longest;
	return (Node *) element;
}

/* GREATEST, LEAST: each compared with the best so far. */
static Node *
limit_minmax(MinMaxExpr *minmax, Work *work)
{
	TypeCacheEntry *type = lookup_type_cache(minmax->minmaxtype, TYPECACHE_CMP_PROC);
	Node	   *best;
	ListCell   *lc;

	minmax = (MinMaxExpr *) expression_tree_mutator((Node *) minmax, limit, work);
	minmax->args = limit_values(minmax->args, work);
	best = linitial(minmax->args);
	for_each_from(lc, minmax->args, 1)
	{
		add_call(work, type->cmp_proc, list_make2(lfirst(lc), best), minmax->inputcollid);
		if (longest_value(best, work) < longest_value(lfirst(lc), work))
			best = lfirst(lc);
	}
	return (Node *) minmax;
}

/* Casts to text by an output function; those that can fail are tried. */
static Node *
limit_io_cast(CoerceViaIO *cast, Work *work)
{
	cast = (CoerceViaIO *) expression_tree_mutator((Node *) cast, limit, work);
	cast->arg = (Expr *) limit_value((Node *) cast->arg, work);
	work->cost += 10 * DP_COST_OF_NODE;
	return (Node *) cast;
}

/*
 * Cost of a row in the exact aggregate of losses, in nanoseconds; 0 for other
 * aggregates.
 */
static double
cost_of_losses(const Aggref *aggref)
{
	static const Oid types[] = {BYTEAOID, INT8OID, INT8OID, ANYOID};
	const DpLossSpec *spec;

	if (aggref->aggfnoid < FirstNormalObjectId || list_length(aggref->args) < lengthof(types) ||
		!IsA(linitial_node(TargetEntry, aggref->args)->expr, Const) ||
		aggref->aggfnoid != dp_tree_internal_function("exact_losses", lengthof(types), types))
		return 0;
	spec = (const DpLossSpec *) DatumGetPointer(((Const *) linitial_node(TargetEntry, aggref->args)->expr)->constvalue);
	return spec->models * (DP_NANOSECONDS_OF_MODEL + DP_NANOSECONDS_OF_WEIGHT *
						   (dp_models_model_coordinates(&spec->columns) + 1));
}

/* Aggregates of subqueries compare and sort; others, and our own, only count. */
static Node *
limit_aggregate(Aggref *aggref, Work *work)
{
	Node	   *arg = aggref->args == NIL ? NULL : (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	double		per_byte;

	work->cost += 2 * DP_COST_OF_NODE + cost_of_losses(aggref);
	aggref = (Aggref *) expression_tree_mutator((Node *) aggref, limit, work);
	if (arg == NULL || get_typlen(exprType(arg)) != -1 || exprType(arg) == NUMERICOID ||
		aggref->aggfnoid >= FirstNormalObjectId ||
		(aggref->aggfnoid == F_COUNT_ANY && aggref->aggdistinct == NIL))
		return (Node *) aggref;
	arg = limit_value((Node *) linitial_node(TargetEntry, aggref->args)->expr, work);
	linitial_node(TargetEntry, aggref->args)->expr = (Expr *) arg;
	per_byte = dp_expression_cost_of_order(aggref->inputcollid) + DP_COST_OF_FETCHING;
	work->cost += per_byte * (aggref->aggdistinct ? DP_COMPARISONS : 1) * longest_value(arg, work);
	return (Node *) aggref;
}

/* The arguments of a function that hands them on: those that are columns stay whole. */
static List *
limit_handed_on(List *args, Work *work)
{
	List	   *limited = NIL;
	ListCell   *lc;

	foreach(lc, args)
		limited = lappend(limited, IsA(strip(lfirst(lc)), Var) ? copyObject(lfirst(lc)) : limit(lfirst(lc), work));
	return limited;
}

/*
 * Window functions.  Aggregates over a frame of few rows may add up all of these for each
 * row; they are numbers then, of which no more than so many digits count.
 */
static Node *
limit_window_function(const WindowFunc *written, Work *work)
{
	WindowFunc *call = (WindowFunc *) copyObject(unconstify(WindowFunc *, written));
	int64		rows = dp_from_frame_rows(list_nth_node(WindowClause, work->query->windowClause, call->winref - 1));
	bool		texts;

	work->cost += 2 * DP_COST_OF_NODE;
	call->aggfilter = (Expr *) limit((Node *) call->aggfilter, work);
	if (!call->winagg || call->winfnoid == F_COUNT_ANY)
	{
		call->args = limit_handed_on(call->args, work);
		return (Node *) call;
	}
	call->args = (List *) limit((Node *) call->args, work);
	if (call->args == NIL)
		return (Node *) call;
	texts = get_typlen(exprType(linitial(call->args))) == -1;
	if (texts && exprType(linitial(call->args)) == NUMERICOID)
	{
		if (rows > 0)
			linitial(call->args) = at_most(linitial(call->args), DP_MAX_NUMERIC_SIZE);
		work->cost += rows * (DP_COST_OF_NODE + DP_MAX_NUMERIC_SIZE);
	}
	else if (texts)
	{
		linitial(call->args) = limit_value(linitial(call->args), work);
		work->cost += (dp_expression_cost_of_order(call->inputcollid) + DP_COST_OF_FETCHING) *
			longest_value(linitial(call->args), work);
	}
	work->cost += rows * 3 * DP_COST_OF_NODE;
	return (Node *) call;
}

/* Keys that are no columns are kept whole: what they are made of is limited. */
static void
add_keys(Query *query, Work *work)
{
	ListCell   *lc;

	foreach(lc, query->groupClause)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList);

		work->cost += DP_COST_OF_NODE;
		if (!IsA(strip(key), Var))
			work->cost += DP_COST_OF_KEEPING * Min(longest_value(key, work), DP_MAX_VALUE_SIZE);
	}
}

static Query *
limit_query(Query *query, Work *work)
{
	Query	   *around = work->query;

	work->query = query;
	query = query_tree_mutator(query, limit, work, QTW_IGNORE_JOINALIASES);
	add_keys(query, work);
	work->query = around;
	return query;
}

/* A copy with all that can be long limited; adds what it costs. */
static Node *
limit(Node *node, Work *work)
{
	if (node == NULL)
		return NULL;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	work->cost += IsA(node, List) || IsA(node, TargetEntry) ? 0 : DP_COST_OF_NODE;
	switch (nodeTag(node))
	{
		case T_Query:
			return (Node *) limit_query((Query *) node, work);
		case T_RangeTblFunction:	/* rows that are read already */
		case T_CommonTableExpr:
			return copyObject(node);	/* keys that public tables list */
		case T_Var:
			return longest_value(node, work) == UNBOUNDED ||
				(work->multiplied && longest_value(node, work) > work->longest) ?
				at_most(copyObject(node), work->longest) : copyObject(node);
		case T_TargetEntry:
			if (IsA(strip((Node *) ((TargetEntry *) node)->expr), Var))
				return copyObject(node);
			break;
		case T_NullTest:
			if (IsA(strip((Node *) ((NullTest *) node)->arg), Var))
				return copyObject(node);
			break;
		case T_FuncExpr:
			return limit_function((FuncExpr *) node, work);
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return limit_operator((OpExpr *) node, work);
		case T_ScalarArrayOpExpr:
			return limit_array_operator((ScalarArrayOpExpr *) node, work);
		case T_MinMaxExpr:
			return limit_minmax((MinMaxExpr *) node, work);
		case T_SubscriptingRef:
			return limit_element((SubscriptingRef *) node, work);
		case T_CoerceViaIO:
			return limit_io_cast((CoerceViaIO *) node, work);
		case T_Aggref:
			return limit_aggregate((Aggref *) node, work);
		case T_WindowFunc:
			return limit_window_function((WindowFunc *) node, work);
		default:
			break;
	}
	return expression_tree_mutator(node, limit, work);
}

/* How many splits make several rows of one, if nothing else does; or 0. */
static int
count_splits(const DpContribution *contribution)
{
	ListCell   *lc;

	foreach(lc, contribution->fan_outs)
		if (!((const DpFanOut *) lfirst(lc))->splits)
			return 0;
	return list_length(contribution->fan_outs);
}

/* What a query costs a row. */
typedef struct RowCost
{
	int			splits;			/* how many make several rows of it, as many each, if nothing else
								 * does */
	double		before;			/* what these do: each once for as many rows as the others make */
	double		each;			/* of all rows that it becomes */
} RowCost;

/* A query with its values limited, and what it costs a row. */
static RowCost
cost_at(Query *exact, const DpContribution *contribution, bool multiplied, Size longest, Query **limited)
{
	int			splits = count_splits(contribution);
	Work		work = {.tables = contribution->tables, .longest = longest, .multiplied = multiplied, .only_splits = splits > 0};

	*limited = limit_query(exact, &work);
	if (work.lengths)
		hash_destroy(work.lengths);
	return (RowCost) {splits, work.before, work.cost + work.failures - work.before};
}

/* Is the cost of a row that becomes so many within bounds? */
static bool
is_within(RowCost cost, int rows)
{
	double		before = cost.splits > 0 ? cost.before * pow(rows, (cost.splits - 1.0) / cost.splits) : 0;

	return before + cost.each * rows <= DP_MAX_COST;
}

/* How many rows a row may become at this cost. */
static int
rows_at(RowCost cost)
{
	int			few = 0;
	int			many = (int) Min(DP_MAX_COST / Max(cost.each, 1), DP_MAX_COST) + 1;

	while (many - few > 1)
	{
		int			rows = few + (many - few) / 2;

		if (is_within(cost, rows))
			few = rows;
		else
			many = rows;
	}
	return few;
}

int
dp_exact_most_rows(Query *exact, const DpContribution *contribution)
{
	Query	   *limited;

	return rows_at(cost_at(exact, contribution, true, DP_MIN_VALUE_SIZE, &limited));
}

DpReason *
dp_exact_limit_work(Query **exact, const DpContribution *contribution, int *rows, int least, int location, Size *longest)
{
	bool		multiplied = *rows > 1;
	Query	   *limited = NULL;
	int			most = 0;

	for (*longest = DP_MAX_VALUE_SIZE; *longest >= DP_MIN_VALUE_SIZE; *longest /= 2)
	{
		most = rows_at(cost_at(*exact, contribution, multiplied, *longest, &limited));
		if (most < *rows)
			continue;
		*exact = limited;
		return NULL;
	}
	if (!multiplied || most < least)
		return dp_tree_reason(location, "Use fewer functions, shorter patterns and lists, or ask in several statements.",
							  "expressions over protected rows may take a row more than a millisecond");
	*rows = most;
	*longest = DP_MIN_VALUE_SIZE;
	*exact = limited;
	return NULL;
}
