/*
 * validate.c
 *	  Which expressions may touch protected rows: an allow-list of node types.
 *
 * Every node of the folded expression is looked at; one of a type that has no
 * case here is refused.  What is admitted answers for every row, raises no
 * error and has no effect: what a release is computed from is all that a row
 * can influence.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"

#include "query/attempt.h"
#include "query/fold.h"
#include "query/functions.h"
#include "query/validate.h"

#define HINT_FUNCTIONS \
	"Comparisons, arithmetic, casts between numbers and times, date_trunc, extract, LIKE, " \
	"substring, lower and upper are among those that are."

typedef struct Validation
{
	DpReason   *reason;			/* why not, as soon as something was found */
	bool		case_value;		/* may the value a CASE compares stand here? */
} Validation;

static Node *admit(Node *node, Validation *validation);

/* Constructs that stand for more than one row's values, and what to do instead. */
static const struct
{
	NodeTag		tag;
	const char *name;
	const char *hint;
}			constructs[] = {
	{T_Aggref, "aggregate functions", NULL},
	{T_GroupingFunc, "GROUPING calls", NULL},
	{T_WindowFunc, "window functions", "Apply them to the released values, in an outer query."},
	{T_SubLink, "sub-selects", "Join the table in FROM."},
	{T_SubscriptingRef, "subscripts", NULL},
	{T_ArrayExpr, "arrays", "Write a list of constants after IN."},
	{T_ArrayCoerceExpr, "arrays", "Write a list of constants after IN."},
	{T_RowExpr, "rows", "Compare column by column."},
	{T_RowCompareExpr, "row comparisons", "Compare column by column."},
	{T_FieldSelect, "composite values", NULL},
	{T_FieldStore, "composite values", NULL},
	{T_ConvertRowtypeExpr, "composite values", NULL},
	{T_CoerceToDomain, "casts to domains", "Cast to the domain's base type."},
	{T_NullTest, "null tests of rows", "Test column by column."},
	{T_SQLValueFunction, "CURRENT_USER and its like", "Write the name as a constant."},
	{T_XmlExpr, "XML expressions", NULL},
	{T_NextValueExpr, "sequences", NULL},
};

/* Remember the first reason; always returns NULL. */
static Node *
refuse(Validation *validation, DpReason *reason)
{
	if (validation->reason == NULL)
		validation->reason = reason;
	return NULL;
}

/* Refuse a node of a type that is not on the list. */
static Node *
refuse_construct(Node *node, Validation *validation)
{
	int			location = exprLocation(node);

	for (int i = 0; i < lengthof(constructs); i++)
		if (nodeTag(node) == constructs[i].tag)
			return refuse(validation,
						  dp_query_reason(location, constructs[i].hint,
										  "%s are not allowed in an expression over protected rows",
										  constructs[i].name));
	return refuse(validation,
				  dp_query_reason(location, NULL,
								  "this construct is not allowed in an expression over protected rows"));
}

/* Refuse a parameter that folding has left. */
static Node *
refuse_param(Param *param, Validation *validation)
{
	if (param->paramkind != PARAM_EXTERN)
		return refuse(validation,
					  dp_query_reason(param->location, NULL,
									  "outer references are not allowed in an expression over protected rows"));
	return refuse(validation,
				  dp_query_reason(param->location, NULL,
								  "parameter $%d has no value when the query is planned", param->paramid));
}

/* Are values of the type allowed? */
static bool
check_type(Oid type, int location, Validation *validation)
{
	if (!dp_query_type_is_allowed(type))
		refuse(validation,
			   dp_query_reason(location,
							   get_typtype(type) == TYPTYPE_DOMAIN ? "Cast it to the domain's base type." :
							   "Types built into PostgreSQL, except arrays, ranges and rows, and enums are allowed.",
							   "type %s is not allowed in an expression over protected rows",
							   format_type_be(type)));
	return validation->reason == NULL;
}

/* Is it an allowed collation, found and loaded? */
static bool
check_collation(Oid collation, int location, Validation *validation)
{
	if (!dp_query_collation_is_allowed(collation))
	{
		refuse(validation,
			   dp_query_reason(location, "Add COLLATE \"C\", or another built-in, deterministic collation.",
							   "collation \"%s\" is not allowed in an expression over protected rows",
							   get_collation_name(collation)));
		return false;
	}

	/* Warnings about the collation's version, and errors, come now or never. */
	if (OidIsValid(collation) && !(lc_collate_is_c(collation) && lc_ctype_is_c(collation)))
		(void) pg_newlocale_from_collation(collation);
	return true;
}

/* Is the collation a node compares under allowed, and settled if it matters? */
static bool
check_input_collation(Node *node, List *args, Validation *validation)
{
	Oid			collation = exprInputCollation(node);
	ListCell   *cell;

	foreach(cell, args)
		if (!OidIsValid(collation) && type_is_collatable(exprType(lfirst(cell))))
		{
			refuse(validation,
				   dp_query_reason(exprLocation(node), "Add a COLLATE clause.",
								   "could not determine which collation to use"));
			return false;
		}
	return check_collation(collation, exprLocation(node), validation);
}

/* Refuse a cast, by its types' names. */
static void
refuse_cast(Node *node, Node *arg, Validation *validation)
{
	refuse(validation,
		   dp_query_reason(exprLocation(node), "Compare it with constants of its own type.",
						   "a cast from %s to %s is not allowed in an expression over protected rows",
						   format_type_be(exprType(arg)), format_type_be(exprType(node))));
}

/* Refuse a call, by its operator's or its function's name. */
static void
refuse_call(Node *node, Oid operator, Oid function, List *args, Validation *validation)
{
	const char *kind = OidIsValid(operator) ? "operator" : "function";
	const char *name = OidIsValid(operator) ? get_opname(operator) : get_func_name(function);

	if (args && (IsA(node, CoerceViaIO) ||
				 (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcformat != COERCE_EXPLICIT_CALL)))
	{
		refuse_cast(node, linitial(args), validation);
		return;
	}
	refuse(validation,
		   dp_query_reason(exprLocation(node), HINT_FUNCTIONS,
						   "%s %s is not allowed in an expression over protected rows",
						   kind, name ? name : "(none)"));
}

/* Is every LIKE pattern in a constant text or array of text sound? */
static bool
patterns_are_sound(Const *patterns)
{
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	if (patterns->constisnull)
		return true;
	if (!type_is_array(patterns->consttype))
		return dp_query_like_is_sound(DatumGetTextPP(patterns->constvalue));
	deconstruct_array(DatumGetArrayTypeP(patterns->constvalue), TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
		if (!nulls[i] && !dp_query_like_is_sound(DatumGetTextPP(elements[i])))
			return false;
	return true;
}

/* Is the argument a constant, and short enough not to slow each row down? */
static bool
check_guide(Node *arg, Validation *validation)
{
	Const	   *constant = (Const *) arg;

	if (!IsA(arg, Const))
		refuse(validation,
			   dp_query_reason(exprLocation(arg), "Write a constant, or use a bound parameter.",
							   "this argument must be constant in an expression over protected rows"));
	else if (constant->constlen == -1 && !constant->constisnull &&
			 !type_is_array(constant->consttype) &&
			 toast_raw_datum_size(constant->constvalue) > DP_MAX_GUIDE_SIZE)
		refuse(validation,
			   dp_query_reason(exprLocation(arg), NULL,
							   "this constant is too long in an expression over protected rows"));
	return validation->reason == NULL;
}

/* Are the arguments constant that have to be, and fit? */
static bool
check_constants(DpVerdict verdict, List *args, Validation *validation)
{
	ListCell   *cell;

	foreach(cell, args)
		if (verdict.subject >= 0 && foreach_current_index(cell) != verdict.subject &&
			!check_guide(lfirst(cell), validation))
			return false;
	if (verdict.is_like && !patterns_are_sound(lsecond_node(Const, args)))
		refuse(validation,
			   dp_query_reason(exprLocation(lsecond(args)), NULL,
							   "LIKE pattern must not end with escape character or have more than %d wildcards",
							   DP_MAX_LIKE_WILDCARDS));
	return validation->reason == NULL;
}

/* Can the node be replaced by an attempt? */
static bool
is_replaceable(Node *node)
{
	return IsA(node, FuncExpr) || IsA(node, OpExpr) || IsA(node, CoerceViaIO);
}

/* May the current user execute a function that an attempt will call? */
static bool
check_permission(Node *node, Oid function, Validation *validation)
{
	DpReason   *reason;

	if (pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK)
		return true;
	reason = dp_query_reason(exprLocation(node), NULL, "permission denied for function %s",
							 get_func_name(function));
	reason->sqlstate = ERRCODE_INSUFFICIENT_PRIVILEGE;
	refuse(validation, reason);
	return false;
}

/*
 * Judge a node that calls a function on its (already admitted) arguments,
 * through an operator or not; a partial call becomes an attempt.
 */
static Node *
admit_call(Node *node, Oid operator, Oid function, List *args, Validation *validation)
{
	DpVerdict	verdict = dp_query_verdict(function);

	if (validation->reason)
		return NULL;

	/* Estimators hang on the operator itself, whatever its function is. */
	if (operator >= FirstUnpinnedObjectId || verdict.totality == DP_REFUSED ||
		(verdict.totality == DP_PARTIAL && !is_replaceable(node)))
		refuse_call(node, operator, function, args, validation);
	else if (check_constants(verdict, args, validation) &&
			 check_input_collation(node, args, validation) &&
			 verdict.totality == DP_PARTIAL &&
			 check_permission(node, function, validation))
		return dp_query_make_attempt(node, function, args, verdict.subject);
	return validation->reason ? NULL : node;
}

/* FuncExpr: a plain call of an allowed function. */
static Node *
admit_function(FuncExpr *call, Validation *validation)
{
	if (call->funcretset || call->funcvariadic)
		return refuse(validation,
					  dp_query_reason(call->location, NULL,
									  "set-returning and variadic functions are not allowed in an expression over protected rows"));
	call = (FuncExpr *) expression_tree_mutator((Node *) call, admit, validation);
	return admit_call((Node *) call, InvalidOid, call->funcid, call->args, validation);
}

/* OpExpr, DistinctExpr, NullIfExpr: an allowed operator. */
static Node *
admit_operator(OpExpr *call, Validation *validation)
{
	call = (OpExpr *) expression_tree_mutator((Node *) call, admit, validation);
	set_opfuncid(call);
	return admit_call((Node *) call, call->opno, call->opfuncid, call->args, validation);
}

/* IN, ANY, ALL: an allowed operator with every element of a constant array. */
static Node *
admit_array_operator(ScalarArrayOpExpr *call, Validation *validation)
{
	Node	   *array = lsecond(call->args);

	if (!IsA(array, Const))
		return refuse(validation,
					  dp_query_reason(exprLocation(array), "Write a list of constants.",
									  "IN, ANY and ALL need constants in an expression over protected rows"));
	if (!check_type(get_element_type(exprType(array)), exprLocation(array), validation))
		return NULL;
	call = copyObject(call);
	linitial(call->args) = admit(linitial(call->args), validation);
	set_sa_opfuncid(call);
	return admit_call((Node *) call, call->opno, call->opfuncid, call->args, validation);
}

/* GREATEST, LEAST: of a type whose comparison function is allowed. */
static Node *
admit_minmax(MinMaxExpr *minmax, Validation *validation)
{
	TypeCacheEntry *type = lookup_type_cache(minmax->minmaxtype, TYPECACHE_CMP_PROC);

	minmax = (MinMaxExpr *) expression_tree_mutator((Node *) minmax, admit, validation);
	return admit_call((Node *) minmax, InvalidOid, type->cmp_proc, minmax->args, validation);
}

/* CASE: the value compared may stand in the conditions, nowhere else. */
static Node *
admit_case(CaseExpr *cases, Validation *validation)
{
	bool		case_value = validation->case_value;
	CaseExpr   *copy = copyObject(cases);
	ListCell   *cell;

	copy->arg = (Expr *) admit((Node *) cases->arg, validation);
	foreach(cell, copy->args)
	{
		CaseWhen   *when = lfirst_node(CaseWhen, cell);

		validation->case_value = cases->arg != NULL;
		when->expr = (Expr *) admit((Node *) when->expr, validation);
		validation->case_value = false;
		when->result = (Expr *) admit((Node *) when->result, validation);
	}
	copy->defresult = (Expr *) admit((Node *) cases->defresult, validation);
	validation->case_value = case_value;
	return (Node *) copy;
}

/* Casts to text through the type's output function, if that is allowed. */
static Node *
admit_io_cast(CoerceViaIO *cast, Validation *validation)
{
	Oid			function;
	bool		is_varlena;

	cast = (CoerceViaIO *) expression_tree_mutator((Node *) cast, admit, validation);
	if (validation->reason)
		return NULL;
	if (cast->resulttype != TEXTOID && cast->resulttype != VARCHAROID &&
		cast->resulttype != BPCHAROID)
	{
		refuse_cast((Node *) cast, (Node *) cast->arg, validation);
		return NULL;
	}
	getTypeOutputInfo(exprType((Node *) cast->arg), &function, &is_varlena);
	return admit_call((Node *) cast, InvalidOid, function, list_make1(cast->arg), validation);
}

/* Columns of the block's own rows. */
static Node *
admit_column(Var *var, Validation *validation)
{
	if (var->varlevelsup > 0)
		return refuse(validation,
					  dp_query_reason(var->location, NULL,
									  "outer references are not allowed in an expression over protected rows"));
	if (var->varattno == InvalidAttrNumber)
		return refuse(validation,
					  dp_query_reason(var->location, "Name a column.",
									  "whole rows are not allowed in an expression over protected rows"));
	if (var->varattno < 0)
		return refuse(validation,
					  dp_query_reason(var->location, NULL,
									  "system columns are not allowed in an expression over protected rows"));
	return copyObject((Node *) var);
}

/*
 * Casts that change nothing.  A column of a domain may stand under a cast to
 * its base type: its values are the base type's own.
 */
static Node *
admit_relabel(RelabelType *relabel, Validation *validation)
{
	RelabelType *copy = copyObject(relabel);
	Node	   *arg = (Node *) relabel->arg;

	if (IsA(arg, Var) && getBaseType(exprType(arg)) == relabel->resulttype)
		copy->arg = (Expr *) admit_column((Var *) arg, validation);
	else
		copy->arg = (Expr *) admit(arg, validation);
	return (Node *) copy;
}

/* Admit a node and all below it: returns a copy, or NULL with a reason set. */
static Node *
admit(Node *node, Validation *validation)
{
	if (node == NULL || validation->reason)
		return NULL;
	switch (nodeTag(node))
	{
		case T_List:
			return expression_tree_mutator(node, admit, validation);
		case T_Param:
			return refuse_param((Param *) node, validation);
		case T_Var:
			node = admit_column((Var *) node, validation);
			break;
		case T_FuncExpr:
			node = admit_function((FuncExpr *) node, validation);
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			node = admit_operator((OpExpr *) node, validation);
			break;
		case T_ScalarArrayOpExpr:
			node = admit_array_operator((ScalarArrayOpExpr *) node, validation);
			break;
		case T_MinMaxExpr:
			node = admit_minmax((MinMaxExpr *) node, validation);
			break;
		case T_CaseExpr:
			node = admit_case((CaseExpr *) node, validation);
			break;
		case T_RelabelType:
			node = admit_relabel((RelabelType *) node, validation);
			break;
		case T_CoerceViaIO:
			node = admit_io_cast((CoerceViaIO *) node, validation);
			break;
		case T_CaseTestExpr:
			if (!validation->case_value)
				return refuse_construct(node, validation);
			node = copyObject(node);
			break;
		case T_NullTest:
			if (castNode(NullTest, node)->argisrow)
				return refuse_construct(node, validation);
			node = expression_tree_mutator(node, admit, validation);
			break;
		case T_SQLValueFunction:
			if (castNode(SQLValueFunction, node)->op > SVFOP_LOCALTIMESTAMP_N)
				return refuse_construct(node, validation);
			node = copyObject(node);
			break;
		case T_Const:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_CoalesceExpr:
		case T_CollateExpr:
			node = expression_tree_mutator(node, admit, validation);
			break;
		default:
			return refuse_construct(node, validation);
	}
	if (validation->reason == NULL)
		check_type(exprType(node), exprLocation(node), validation);
	return validation->reason ? NULL : node;
}

Node *
dp_query_validate_expression(Query *block, Node *expr, ParamListInfo params, DpReason **reason)
{
	Validation	validation = {NULL, false};

	expr = dp_query_fold(block, expr, params, &validation.reason);
	expr = admit(expr, &validation);
	if (expr && !IsA(expr, List))
		check_collation(exprCollation(expr), exprLocation(expr), &validation);
	if (validation.reason)
	{
		*reason = validation.reason;
		return NULL;
	}
	return expr;
}
