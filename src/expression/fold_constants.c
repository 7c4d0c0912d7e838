/* SPDX-License-Identifier: PostgreSQL */
/*
 * fold_constants.c
 *	  Reducing expressions at planning time.
 *
 * Only built-in functions of built-in types are folded, so folding runs no user code
 * and leaves no dependency on a function that may be replaced.  Calls of constants
 * whose value depends on settings are computed too, once.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "expression/bucket_function.h"
#include "expression/fold_constants.h"
#include "expression/refusals.h"
#include "tree/reason.h"

/* Is the function somebody's own?  For check_functions_in_node. */
static bool
is_foreign(Oid function, void *context)
{
	*(Oid *) context = function;
	return function >= FirstUnpinnedObjectId;
}

/*
 * Is it a type whose values no user code makes or compares: built in, or an enum?
 * Constraints of domains are run only by casts to them.  Code of ranges and of members
 * of composite types that is not built in is run only by functions that are not.
 */
static bool
is_plain_type(Oid type)
{
	Oid			element = get_element_type(type);
	Oid			base = getBaseType(OidIsValid(element) ? element : type);

	return base < FirstUnpinnedObjectId || get_typtype(base) == TYPTYPE_ENUM;
}

/* Is it an expression, and no part of one that has no type? */
static bool
has_type(Node *node)
{
	return !IsA(node, List) && !IsA(node, CaseWhen) && !IsA(node, TargetEntry) &&
		!IsA(node, SortGroupClause);
}

/* What to write in place of an operator or function of somebody's own: the built-in one that it stands before, if there is. */
static const char *
hint_for_foreign(Node *node, Oid function)
{
	const char *name = IsA(node, OpExpr) ? get_opname(((OpExpr *) node)->opno) : get_func_name(function);
	List	   *names = list_make2(makeString("pg_catalog"), makeString(pstrdup(name ? name : "")));
	Oid			types[FUNC_MAX_ARGS];
	List	   *args = NIL;
	const char *hint = dp_expression_hint_for_bucket(node);
	ListCell   *lc;

	if (hint)
		return hint;
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2)
	{
		args = ((OpExpr *) node)->args;
		if (OidIsValid(compatible_oper_opid(names, exprType(linitial(args)), exprType(lsecond(args)), true)))
			return psprintf("Write OPERATOR(pg_catalog.%s), which is the built-in one.", name);
	}
	else if (IsA(node, FuncExpr) && list_length(((FuncExpr *) node)->args) <= FUNC_MAX_ARGS)
	{
		args = ((FuncExpr *) node)->args;
		foreach(lc, args)
			types[foreach_current_index(lc)] = exprType(lfirst(lc));
		if (OidIsValid(LookupFuncName(names, list_length(args), types, true)))
			return psprintf("Write pg_catalog.%s, which is the built-in one.", quote_identifier(name));
	}
	return "Write it out with built-in functions and operators.";
}

/* Find a node that runs code that is not built in; sets the reason. */
static bool
find_foreign(Node *node, DpReason **reason)
{
	Oid			function;

	/* A query is never folded: left to those who check the result. */
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Var))
		return false;
	if (IsA(node, CoerceToDomain) || IsA(node, NextValueExpr))
		*reason = dp_expression_check_construct(node);
	else if (!IsA(node, Aggref) && !IsA(node, WindowFunc) &&
			 check_functions_in_node(node, is_foreign, &function))
		*reason = dp_tree_reason(exprLocation(node), hint_for_foreign(node, function),
								 "function %s is not built in, which an expression over protected rows requires",
								 get_func_name(function));
	else if (has_type(node) && !is_plain_type(exprType(node)))
		*reason = IsA(node, RowExpr) ? dp_expression_check_construct(node)
			: dp_expression_check_type(exprType(node), node);
	return *reason != NULL || expression_tree_walker(node, find_foreign, reason);
}

DpReason *
dp_expression_foreign_code(Node *expr)
{
	DpReason   *reason = NULL;

	(void) find_foreign(expr, &reason);
	return reason;
}

/* The value bound to an external parameter, or NULL. */
static ParamExternData *
bound_value(Param *param, ParamListInfo params, ParamExternData *workspace)
{
	ParamExternData *value;

	if (param->paramkind != PARAM_EXTERN || params == NULL ||
		param->paramid <= 0 || param->paramid > params->numParams)
		return NULL;
	if (params->paramFetch)
		value = params->paramFetch(params, param->paramid, true, workspace);
	else
		value = &params->params[param->paramid - 1];
	if (value->ptype != param->paramtype || !(value->pflags & PARAM_FLAG_CONST))
		return NULL;
	return value;
}

Node *
dp_expression_bind(Node *node, ParamListInfo params)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param))
	{
		Param	   *param = (Param *) node;
		ParamExternData workspace;
		ParamExternData *value = bound_value(param, params, &workspace);
		int16		length;
		bool		byval;
		Const	   *constant;

		if (value == NULL)
			return copyObject(node);
		get_typlenbyval(param->paramtype, &length, &byval);
		constant = makeConst(param->paramtype, param->paramtypmod, param->paramcollid, length,
							 value->isnull ? (Datum) 0 : datumCopy(value->value, byval, length),
							 value->isnull, byval);
		constant->location = param->location;
		return (Node *) constant;
	}
	return expression_tree_mutator(node, dp_expression_bind, params);
}

/* As the session has them when the statement is planned; revalidate.c validates again if these have changed. */
bool
dp_expression_depends_on_settings(Oid function)
{
	switch (function)
	{
		case F_TO_DATE:
		case F_TO_TIMESTAMP_TEXT_TEXT:
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
		case F_CONCAT:
		case F_CONCAT_WS:
		case F_FORMAT_TEXT:
		case F_FORMAT_TEXT_ANY:
		case F_TEXTANYCAT:
		case F_ANYTEXTCAT:
			return true;
		default:
			return false;
	}
}

/* Is this a call of such a function, by name or as an operator? */
static bool
is_settled_call(Node *node)
{
	if (IsA(node, FuncExpr))
		return dp_expression_depends_on_settings(((FuncExpr *) node)->funcid);
	return IsA(node, OpExpr) && dp_expression_depends_on_settings(((OpExpr *) node)->opfuncid);
}

static bool
settled_call_walker(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	return is_settled_call(node) || expression_tree_walker(node, settled_call_walker, context);
}

static bool
are_constant(List *args)
{
	ListCell   *lc;

	foreach(lc, args)
		if (!IsA(lfirst(lc), Const))
			return false;
	return true;
}

/* Compute calls of constants, innermost first. */
static Node *
settle_mutator(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return node;
	node = expression_tree_mutator(node, settle_mutator, context);
	if (!is_settled_call(node) ||
		!are_constant(IsA(node, FuncExpr) ? ((FuncExpr *) node)->args : ((OpExpr *) node)->args))
		return node;
	return (Node *) evaluate_expr((Expr *) node, exprType(node), exprTypmod(node), exprCollation(node));
}

/* A constant of no type, as of count('*'): a text. */
static Node *
text_of_unknown(const Const *unknown)
{
	Const	   *constant = makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, (Datum) 0, true, false);

	constant->location = unknown->location;
	if (!unknown->constisnull)
	{
		constant->constvalue = CStringGetTextDatum(DatumGetCString(unknown->constvalue));
		constant->constisnull = false;
	}
	return (Node *) constant;
}

/* An expression with constants of no type as texts. */
static Node *
type_constants(Node *node, void *context)
{
	if (node && IsA(node, Const) && ((Const *) node)->consttype == UNKNOWNOID)
		return text_of_unknown((Const *) node);
	return node ? expression_tree_mutator(node, type_constants, context) : NULL;
}

Node *
dp_expression_fold(Query *block, Node *expr, ParamListInfo params, DpReason **reason)
{
	expr = copyObject(expr);
	if (block)
		expr = dp_compat_flatten_joins(block, expr);
	if (find_foreign(expr, reason))
		return NULL;
	expr = eval_const_expressions(NULL, type_constants(dp_expression_bind(expr, params), NULL));
	if (settled_call_walker(expr, NULL))
		expr = eval_const_expressions(NULL, settle_mutator(expr, NULL));
	return expr;
}

Const *
dp_expression_constant(Node *expr, ParamListInfo params)
{
	DpReason   *reason = NULL;
	Node	   *folded = dp_expression_fold(NULL, expr, params, &reason);

	return folded && IsA(folded, Const) ? (Const *) folded : NULL;
}
