/* SPDX-License-Identifier: PostgreSQL */
/*
 * null_on_error.c
 *	  Calling a partial function on protected values: NULL where it fails.
 *
 * An expression in an exact query must answer for every row: an error would tell that
 * there is a row that caused it.  The function dp_agg_internal.attempt(function,
 * arguments...) calls a built-in function that is partial but otherwise pure.  It traps
 * all that the arguments can make that function raise: errors of class 22 (data
 * exception), 0A000 (numeric infinities and NaN that have no integer) and 54000
 * (characters that have no code, in some encodings; results that are too long).
 * Everything else, such as an interrupt or want of memory, passes.  These functions
 * hold no locks, pins or files, so that nothing is left behind to clean up but memory
 * of the row's own context, and a subtransaction is not needed.
 *
 * Large values: an argument longer than its type's limit below gives NULL too, and so
 * does a long result.  That bounds the time and the memory a single call can take, and
 * keeps errors that say "too large" from being raised outside class 22, or where rows
 * are put together.
 *
 * An input function is called with a text in place of its C string, and reads what
 * from_text.c lets it.
 *
 * Not for SQL: its first argument is declared `internal`, of which there are no values
 * in SQL.  The planner's call carries the function as a constant there.  Types are
 * checked at the first call all the same, and row values are only taken while a release
 * runs.
 *
 * In the outer query it calls a function of values that the role may see
 * (src/rewrite/null_above): its first argument is a regproc then.  No value is too
 * large there, and a NOTICE tells of the first NULL.
 *
 * dp_agg_internal.attempt_as(result, function, arguments...) is for SQL: it is sent to
 * foreign servers, whose rows the connecting role may read anyway.  The type of
 * `result`, which is otherwise ignored, is that of the call; the function must be
 * immutable.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat_planner.h"
#include "expression/allow_list.h"
#include "expression/from_text.h"
#include "expression/match.h"
#include "expression/null_on_error.h"
#include "expression/value_size.h"
#include "tree/own_functions.h"

/*
 * Is an exact plan run just now?  What detoasted() and its like require.
 */

bool		dp_expression_release_running = false;

#define MAX_ARGS 8

/*
 * Most digits of a numeric argument before its point, and behind: 1e131000 takes eight
 * bytes, and its remainder by a number of many digits ten milliseconds.  Logarithms are
 * of fewer: a series for each.
 */
#define MAX_NUMERIC_DIGITS 512
#define MAX_LOGARITHM_DIGITS 128

typedef struct Attempt
{
	int			digits;			/* most digits of a numeric argument */
	bool		numeric[MAX_ARGS];	/* is each argument one? */
	FmgrInfo	function;
	bool		is_output;		/* an output function: its C string becomes text */
	bool		is_input;		/* an input function: reads a text */
	bool		above;			/* does it stand in the outer query? */
	bool		looked_at;		/* were its arguments, for the next? */
	bool		row_free;		/* no argument depends on a row */
	Size		limit[MAX_ARGS];	/* longest value of each argument; 0: any */
	bool		varlena;		/* is the result of variable length? */
	FunctionCallInfo call;
} Attempt;

/* Was it said, since the last opening, that arithmetic failed? */
static bool told_of_null = false;

PG_FUNCTION_INFO_V1(dp_expression_attempt);
PG_FUNCTION_INFO_V1(dp_expression_attempt_as);

/* Longest value of a type that is worth a call; 0 if all are short. */
static Size
size_limit(Oid type)
{
	if (type == NUMERICOID)
		return DP_MAX_NUMERIC_SIZE;
	return get_typlen(type) == -1 ? DP_MAX_VALUE_SIZE : 0;
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

/* Does the expression depend on a row, or may it? */
static bool
depends_on_row(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, Param) || IsA(node, CaseTestExpr))
		return true;
	return expression_tree_walker(node, depends_on_row, context);
}

/*
 * Is a call of a function, with arguments of its own types?  What a cast is labelled as
 * may be another name of its function's result: of char(n) to varchar, of text.
 */
static bool
is_well_typed(FuncExpr *call, int first, Oid function, int nargs)
{
	Oid		   *types;
	int			expected;
	Oid			result = get_func_signature(function, &types, &expected);

	if (expected > 0 && types[0] == CSTRINGOID)
		return nargs == 1 && is_text(exprType(list_nth(call->args, first))) &&
			call->funcresulttype == result;
	if (nargs != expected || nargs > MAX_ARGS)
		return false;
	for (int i = 0; i < nargs; i++)
		if (exprType(list_nth(call->args, first + i)) != types[i])
			return false;
	if (result == CSTRINGOID)
		return is_text(call->funcresulttype);
	return IsBinaryCoercible(result, call->funcresulttype);
}

static bool
takes_cstring(Oid function)
{
	Oid		   *types;
	int			nargs;

	(void) get_func_signature(function, &types, &nargs);
	return nargs > 0 && types[0] == CSTRINGOID;
}

/* The call this is does not name a function and arguments that can be tried: 42883. */
static void
refuse_call(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("dp_agg_internal.attempt called with unsuitable arguments")));
}

/* Have a function of ours run in place of one whose work is not bounded. */
static void
stand_in(FmgrInfo *function, DpVerdict verdict)
{
	if (verdict.cost == DP_COST_TEXT_OF_JSON)
		function->fn_addr = dp_expression_json_text;
	else if (verdict.is_like && dp_expression_matches_bytes())
		function->fn_addr = dp_expression_match;
	else if (verdict.cost == DP_COST_POSITION && dp_expression_matches_bytes())
		function->fn_addr = dp_expression_position;
}

/*
 * Set up the calls of one place in a plan, whose arguments from number `first`
 * on are those of the function named by the one before; lives as long as that.
 * Raises an error unless the place is one that can be made for a partial function.
 */
static Attempt *
prepare(FunctionCallInfo fcinfo, int first)
{
	FuncExpr   *call = (FuncExpr *) fcinfo->flinfo->fn_expr;
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	int			nargs = PG_NARGS() - first;
	Attempt    *attempt;
	Const	   *function;
	DpVerdict	verdict;
	bool		above;

	if (call == NULL || !IsA(call, FuncExpr) || list_length(call->args) != PG_NARGS() ||
		!IsA(list_nth(call->args, first - 1), Const))
		refuse_call();
	function = list_nth_node(Const, call->args, first - 1);
	above = function->consttype == REGPROCOID;
	if ((function->consttype != REGPROCEDUREOID && !above) || function->constisnull)
		refuse_call();
	verdict = dp_expression_verdict(DatumGetObjectId(function->constvalue));
	if ((above ? DatumGetObjectId(function->constvalue) >= FirstUnpinnedObjectId
		 : verdict.totality != DP_PARTIAL && !verdict.is_like) ||
		!is_well_typed(call, first, DatumGetObjectId(function->constvalue), nargs))
		refuse_call();

	attempt = MemoryContextAllocZero(context, sizeof(Attempt));
	fmgr_info_cxt(DatumGetObjectId(function->constvalue), &attempt->function, context);
	attempt->call = MemoryContextAllocZero(context, SizeForFunctionCallInfo(MAX_ARGS));
	InitFunctionCallInfoData(*attempt->call, &attempt->function, nargs, PG_GET_COLLATION(),
							 NULL, NULL);
	attempt->is_input = verdict.cost == DP_COST_FROM_TEXT;
	attempt->is_output = get_func_rettype(attempt->function.fn_oid) == CSTRINGOID;
	attempt->above = above;
	if (above)
		attempt->is_input = takes_cstring(attempt->function.fn_oid);
	attempt->varlena = !above && get_typlen(call->funcresulttype) == -1;
	attempt->digits = verdict.cost == DP_COST_LOGARITHM ? MAX_LOGARITHM_DIGITS : MAX_NUMERIC_DIGITS;
	if (!above)
		stand_in(&attempt->function, verdict);
	for (int i = 0; i < nargs && !above; i++)
	{
		Oid			type = exprType(list_nth(call->args, first + i));

		attempt->limit[i] = size_limit(type);
		attempt->numeric[i] = type == NUMERICOID;
	}
	if (attempt->is_input && !above)
		attempt->limit[0] = DP_MAX_INPUT_SIZE;
	fcinfo->flinfo->fn_extra = attempt;
	return attempt;
}

/* Is the error being handled one that the arguments can cause? */
static bool
is_argument_error(void)
{
	int			code = geterrcode();

	return ERRCODE_TO_CATEGORY(code) == ERRCODE_DATA_EXCEPTION ||
		code == ERRCODE_FEATURE_NOT_SUPPORTED || code == ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

/* Make the call; false if its arguments caused an error, which is forgotten. */
static bool
call_trapped(FunctionCallInfo call, Datum *result)
{
	MemoryContext context = CurrentMemoryContext;
	uint32		interrupt_holdoff = InterruptHoldoffCount;
	uint32		cancel_holdoff = QueryCancelHoldoffCount;

	PG_TRY();
	{
		*result = FunctionCallInvoke(call);
	}
	PG_CATCH();
	{
		if (!is_argument_error())
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();

		/* Raising an error has reset these. */
		InterruptHoldoffCount = interrupt_holdoff;
		QueryCancelHoldoffCount = cancel_holdoff;
		return false;
	}
	PG_END_TRY();
	return true;
}

/* Is an argument too long to be worth the call? */
static inline bool
is_too_long(const Attempt *attempt, int i, Datum value)
{
	return attempt->limit[i] > 0 &&
		(dp_expression_value_size(value) > attempt->limit[i] ||
		 (attempt->numeric[i] && dp_expression_is_wide(value, attempt->digits)));
}

/*
 * Have an input function read its text; false if it may not read that text.  In the
 * outer query it may read any.
 */
static bool
set_input(FunctionCallInfo call, bool above)
{
	text	   *value = DatumGetTextPP(call->args[0].value);
	char	   *input = above ? text_to_cstring(value) : dp_expression_input_of(call->flinfo->fn_oid, value);

	if (input == NULL)
		return false;
	call->args[0].value = CStringGetDatum(input);
	call->args[1].value = ObjectIdGetDatum(InvalidOid);
	call->args[2].value = Int32GetDatum(-1);
	call->nargs = call->flinfo->fn_nargs;
	return true;
}

/* Say that a value is NULL for that. */
static void
tell_of_null(void)
{
	if (told_of_null)
		return;
	told_of_null = true;
	ereport(NOTICE,
			(errmsg("a value is NULL because noise made its arithmetic impossible"),
			 errhint("Guard it, for one by NULLIF or GREATEST, or ask for groups of more people.")));
}

void
dp_expression_note_opening(void)
{
	told_of_null = false;
}

/* Try the function with the arguments from number `first` on, none of them null. */
static Datum
try(FunctionCallInfo fcinfo, Attempt *attempt, int first)
{
	FunctionCallInfo call = attempt->call;
	Datum		result;

	for (int i = 0; first + i < PG_NARGS(); i++)
	{
		call->args[i].value = PG_GETARG_DATUM(first + i);
		if (is_too_long(attempt, i, call->args[i].value))
			PG_RETURN_NULL();
	}
	if (attempt->is_input && !set_input(call, attempt->above))
		PG_RETURN_NULL();
	call->isnull = false;
	if (!call_trapped(call, &result))
	{
		if (attempt->above)
			tell_of_null();
		PG_RETURN_NULL();
	}
	if (call->isnull)
		PG_RETURN_NULL();
	if (attempt->is_output)
		result = CStringGetTextDatum(DatumGetCString(result));
	if (attempt->varlena && dp_expression_value_size(result) > DP_MAX_VALUE_SIZE)
		PG_RETURN_NULL();
	return result;
}

/*
 * Does no argument depend on a row?  Looked at outside releases alone, since in a chain of calls
 * the arguments of each hold all calls before it.
 */
static bool
is_row_free(Attempt *attempt, const FuncExpr *call)
{
	if (!attempt->looked_at)
		attempt->row_free = !depends_on_row((Node *) call->args, NULL);
	attempt->looked_at = true;
	return attempt->row_free;
}

/* dp_agg_internal.attempt(function, arguments...): strict, so no argument is null. */
Datum
dp_expression_attempt(PG_FUNCTION_ARGS)
{
	Attempt    *attempt = fcinfo->flinfo->fn_extra;

	if (attempt == NULL)
		attempt = prepare(fcinfo, 1);
	if (!attempt->above && !dp_expression_release_running && !is_row_free(attempt, (FuncExpr *) fcinfo->flinfo->fn_expr))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("dp_agg_internal.attempt is for differentially private releases only")));
	return try(fcinfo, attempt, 1);
}

/* dp_agg_internal.attempt_as(result, function, arguments...) */
Datum
dp_expression_attempt_as(PG_FUNCTION_ARGS)
{
	Attempt    *attempt = fcinfo->flinfo->fn_extra;

	if (attempt == NULL)
	{
		attempt = prepare(fcinfo, 2);
		if (func_volatile(attempt->function.fn_oid) != PROVOLATILE_IMMUTABLE ||
			!DP_MAY_EXECUTE(attempt->function.fn_oid, GetUserId()))
		{
			fcinfo->flinfo->fn_extra = NULL;
			refuse_call();
		}
	}
	for (int i = 2; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	return try(fcinfo, attempt, 2);
}

/* Some value of a type, in the middle of what it can express. */
static Datum
sample_value(Oid type)
{
	static const struct
	{
		char		category;
		const char *value;
	}			samples[] = {
		{TYPCATEGORY_NUMERIC, "1"},
		{TYPCATEGORY_STRING, "a"},
		{TYPCATEGORY_TIMESPAN, "0"},
		{TYPCATEGORY_DATETIME, "2000-01-01 00:00:00+00"},
		{TYPCATEGORY_USER, "1"},	/* of jsonb */
	};
	char		category;
	bool		preferred;
	Oid			input;
	Oid			ioparam;

	get_type_category_preferred(type, &category, &preferred);
	getTypeInputInfo(type, &input, &ioparam);
	for (int i = 0; i < lengthof(samples); i++)
		if (category == samples[i].category)
			return OidInputFunctionCall(input, pstrdup(samples[i].value), ioparam, -1);
	elog(ERROR, "no sample value of type %u", type);
}

/*
 * Raise the error that these constants would cause for any subject.  Which subjects a format of
 * numbers or times takes is not known; but what is kept of a format is, by then.
 */
static void
try_constants(Oid function, List *args, int subject, Oid collation)
{
	LOCAL_FCINFO(call, MAX_ARGS);
	FmgrInfo	flinfo;
	Datum		ignored;
	ListCell   *cell;

	fmgr_info(function, &flinfo);
	InitFunctionCallInfoData(*call, &flinfo, list_length(args), collation, NULL, NULL);
	foreach(cell, args)
	{
		int			i = foreach_current_index(cell);
		Node	   *arg = lfirst(cell);

		/* What is read before the charge is not known yet. */
		if (i != subject && !IsA(arg, Const))
			return;
		call->args[i].isnull = i != subject && ((Const *) arg)->constisnull;
		if (call->args[i].isnull)
			return;
		call->args[i].value = i == subject ? sample_value(exprType(arg)) :
			castNode(Const, arg)->constvalue;
	}
	if (dp_expression_verdict(function).cost == DP_COST_FORMAT && is_text(exprType(list_nth(args, subject))))
		(void) call_trapped(call, &ignored);
	else
		(void) FunctionCallInvoke(call);
}

/*
 * The location of a call itself.  exprLocation() looks at all that it is made of, which in a
 * chain of calls is all of the chain each time.
 */
static int
location_of_call(Node *call)
{
	if (IsA(call, OpExpr))
		return ((OpExpr *) call)->location;
	if (IsA(call, CoerceViaIO))
		return ((CoerceViaIO *) call)->location;
	return castNode(FuncExpr, call)->location;
}

Node *
dp_expression_make_attempt(Node *node, Oid function, List *args, int subject)
{
	static const Oid types[] = {INTERNALOID, ANYOID};
	Oid			attempt = dp_tree_internal_function("attempt", lengthof(types), types);
	Const	   *constant = makeConst(REGPROCEDUREOID, -1, InvalidOid, sizeof(Oid),
									 ObjectIdGetDatum(function), false, true);
	FuncExpr   *call;

	Assert(list_length(args) <= MAX_ARGS);
	if (subject >= 0)
		try_constants(function, args, subject, exprInputCollation(node));
	call = makeFuncExpr(attempt, exprType(node), lcons(constant, list_copy(args)),
						exprCollation(node), exprInputCollation(node), COERCE_EXPLICIT_CALL);
	call->location = location_of_call(node);

	/* Here, whatever the rows: a call refused at the first would tell that there is one. */
	if (!is_well_typed(call, 1, function, list_length(args)))
		elog(ERROR, "function %u cannot be tried on these arguments", function);
	return (Node *) call;
}

Node *
dp_expression_try_above(Node *node, Oid function, List *args)
{
	static const Oid types[] = {INTERNALOID, ANYOID};
	Oid			attempt = dp_tree_internal_function("attempt", lengthof(types), types);
	Const	   *constant = makeConst(REGPROCOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(function), false, true);
	FuncExpr   *call;

	if (args == NIL || list_length(args) > MAX_ARGS)
		return node;
	call = makeFuncExpr(attempt, exprType(node), lcons(constant, list_copy(args)),
						exprCollation(node), exprInputCollation(node), COERCE_EXPLICIT_CALL);
	call->location = location_of_call(node);
	if (!is_well_typed(call, 1, function, list_length(args)))
		return node;

	/* What describes the result knows of a length or precision from the node itself. */
	if (exprTypmod(node) < 0)
		return (Node *) call;
	return (Node *) makeRelabelType((Expr *) call, exprType(node), exprTypmod(node), exprCollation(node),
									COERCE_IMPLICIT_CAST);
}

Oid
dp_expression_attempted(Node *node)
{
	static const Oid types[] = {INTERNALOID, ANYOID};
	FuncExpr   *call = (FuncExpr *) node;

	if (!IsA(call, FuncExpr) ||
		call->funcid != dp_tree_internal_function("attempt", lengthof(types), types))
		return InvalidOid;
	return DatumGetObjectId(linitial_node(Const, call->args)->constvalue);
}
