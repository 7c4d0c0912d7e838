/* SPDX-License-Identifier: PostgreSQL */
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

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "expression/allow_list.h"
#include "expression/fold_constants.h"
#include "expression/null_on_error.h"
#include "expression/plainer.h"
#include "expression/read_as.h"
#include "expression/refusals.h"
#include "expression/validate.h"
#include "tree/public_params.h"
#include "tree/reason.h"

typedef struct Validation
{
	Query	   *block;			/* whose columns these are, or NULL */
	const DpPublicReads *reads; /* of the statement */
	DpReason   *reason;			/* why not, as soon as something was found */
	bool		case_value;		/* may the value a CASE compares stand here? */
} Validation;

static Node *admit(Node *node, Validation *validation);
static Node *admit_operand(Node *node, Validation *validation);
static Node *admit_column(Var *var, Validation *validation);

/* The node if nothing was found that refuses it, now or before; else NULL. */
static Node *
unless(DpReason *reason, Node *node, Validation *validation)
{
	if (validation->reason == NULL)
		validation->reason = reason;
	return validation->reason ? NULL : node;
}

/* A copy of a node with everything below it admitted, or NULL. */
static Node *
admit_below(Node *node, Validation *validation)
{
	node = expression_tree_mutator(node, admit, validation);
	return unless(NULL, node, validation);
}

/* Admit each of some operands of a call. */
static List *
admit_operands(List *operands, Validation *validation)
{
	List	   *admitted = NIL;
	ListCell   *lc;

	foreach(lc, operands)
		admitted = lappend(admitted, admit_operand(lfirst(lc), validation));
	return admitted;
}

/*
 * A column of arrays or ranges.  What a public subquery returns is read beforehand, as an array for each
 * column: it has no columns of arrays then.
 */
static Node *
admit_container(Var *var, Validation *validation)
{
	if (validation->block && var->varlevelsup == 0 && OidIsValid(get_element_type(var->vartype)) &&
		rt_fetch(var->varno, validation->block->rtable)->rtekind == RTE_FUNCTION)
		return unless(dp_expression_check_type(var->vartype, (Node *) var), NULL, validation);
	return admit_column(var, validation);
}

/* Are values of a type of somebody's own those of this type, or of a built-in one that is cast to it without change? */
static bool
reads_as(Oid type, Oid result)
{
	Oid			base = dp_expression_read_as(type, NULL);

	return base == result || (base != type && dp_expression_type_is_allowed(base) && dp_expression_type_is_allowed(result));
}

/*
 * A cast that changes nothing, of what this admits.  A column of a domain, or of citext, may stand under a cast to
 * its base type, or to text: its values are that type's own.
 */
static Node *
admit_relabel(RelabelType *relabel, Node *(*admit_arg) (Node *, Validation *), Validation *validation)
{
	RelabelType *copy = makeNode(RelabelType);
	Node	   *arg = (Node *) relabel->arg;

	*copy = *relabel;
	if (IsA(arg, Var) && reads_as(exprType(arg), relabel->resulttype))
		copy->arg = (Expr *) admit_column((Var *) arg, validation);
	else
		copy->arg = (Expr *) admit_arg(arg, validation);
	return (Node *) copy;
}

/*
 * Admit what stands where an array or a range may: a column of it, a constant, or the first of
 * several that is not NULL; or anything of another type.
 */
static Node *
admit_operand(Node *node, Validation *validation)
{
	Node	   *admitted;

	if (node == NULL || validation->reason || !dp_expression_is_container(exprType(node)))
		return admit(node, validation);
	switch (nodeTag(node))
	{
		case T_Var:
			admitted = admit_container((Var *) node, validation);
			break;
		case T_Const:
			admitted = unless(dp_expression_check_constant((Const *) node), copyObject(node), validation);
			break;
		case T_RelabelType:
			admitted = admit_relabel((RelabelType *) node, admit_operand, validation);
			break;
		case T_ArrayCoerceExpr:
			if (!dp_expression_renames_elements((ArrayCoerceExpr *) node))
				return admit(node, validation);
			admitted = (Node *) memcpy(makeNode(ArrayCoerceExpr), node, sizeof(ArrayCoerceExpr));
			((ArrayCoerceExpr *) admitted)->arg = (Expr *) admit_operand((Node *) ((ArrayCoerceExpr *) node)->arg, validation);
			break;
		case T_CoalesceExpr:
			admitted = (Node *) memcpy(makeNode(CoalesceExpr), node, sizeof(CoalesceExpr));
			((CoalesceExpr *) admitted)->args = admit_operands(((CoalesceExpr *) node)->args, validation);
			break;
		default:
			return admit(node, validation);
	}
	return unless(dp_expression_check_container(exprType(node), node), admitted, validation);
}

/*
 * Check a node that calls a function on its (already admitted) arguments, through an
 * operator or not; a partial call becomes an attempt.
 */
static Node *
admit_call(Node *call, Oid operator, Oid function, List *args, Validation *validation)
{
	DpVerdict	verdict = dp_expression_verdict_of_call(function, args);

	/* It takes as long whichever of the two is the constant. */
	if (function == F_JSONB_CONTAINS && IsA(linitial(args), Const))
		verdict.subject = 1;
	call = unless(dp_expression_check_call(validation->reads, call, operator, function, args, verdict), call, validation);
	if (call && verdict.totality == DP_PARTIAL)
		call = unless(dp_expression_check_type(exprType(call), call), call, validation);
	if (call && verdict.totality == DP_PARTIAL)
		call = dp_expression_make_attempt(call, function, args, verdict.subject);
	return call;
}

/*
 * FuncExpr: a plain call of an allowed function, or what stands for such calls.  One that is not allowed is
 * refused as such, whatever its arguments are.
 */
static Node *
admit_function(FuncExpr *call, Validation *validation)
{
	Node	   *plainer = dp_expression_plainer(call);

	if (plainer)
		return unless(dp_expression_check_permission((Node *) call, call->funcid), admit(plainer, validation), validation);
	if (call->funcretset || (call->funcvariadic && dp_expression_verdict(call->funcid).totality == DP_REFUSED))
		return unless(dp_tree_reason(call->location, "Write it with functions of a fixed number of arguments and one result.",
									 "set-returning and variadic functions are not allowed in an expression over protected rows"),
					  NULL, validation);
	if (dp_expression_verdict(call->funcid).of_containers)
	{
		call = (FuncExpr *) memcpy(makeNode(FuncExpr), call, sizeof(FuncExpr));
		call->args = admit_operands(call->args, validation);
		call = (FuncExpr *) unless(NULL, (Node *) call, validation);
	}
	else if (dp_expression_verdict(call->funcid).totality != DP_REFUSED)
		call = (FuncExpr *) admit_below((Node *) call, validation);
	if (call == NULL)
		return NULL;
	return admit_call((Node *) call, InvalidOid, call->funcid, call->args, validation);
}

/*
 * Is an operator to be called as a function, so that nobody concludes anything from
 * what it says of other values?  A time without a zone is compared with one that has
 * a zone by the session's: in a gap of it two local times are the same moment, and
 * a later one is an earlier moment.  A scan of an index, or a merge, relies on one order
 * of all, and which rows it finds would then depend on others; a unique key would match
 * twice.  Moments compared with a constant are in order.
 */
static bool
defies_order(OpExpr *call)
{
	Node	   *left = linitial(call->args);
	Node	   *right = llast(call->args);

	if (!IsA(call, OpExpr) || op_volatile(call->opno) == PROVOLATILE_IMMUTABLE)
		return false;
	return !(exprType(left) == TIMESTAMPTZOID && !contain_var_clause(right)) &&
		!(exprType(right) == TIMESTAMPTZOID && !contain_var_clause(left));
}

/* The same operator with its operands admitted, or NULL. */
static OpExpr *
admit_operands_of(OpExpr *call, bool containers, Validation *validation)
{
	OpExpr	   *copy;

	if (!containers)
		return (OpExpr *) admit_below((Node *) call, validation);
	copy = copyObject(call);
	copy->args = admit_operands(call->args, validation);
	return (OpExpr *) unless(NULL, (Node *) copy, validation);
}

/*
 * OpExpr, DistinctExpr, NullIfExpr: an allowed operator.  One of arrays or ranges is called as a function, so
 * that no index of them is searched, whose methods are not those of an order.
 */
static Node *
admit_operator(OpExpr *call, Validation *validation)
{
	Node	   *plainer = dp_expression_plainer_operator(call);
	bool		containers = dp_expression_verdict(get_opcode(call->opno)).of_containers;
	Node	   *admitted;

	if (plainer)
		return unless(dp_expression_check_permission((Node *) call, call->opfuncid), admit(plainer, validation), validation);
	call = admit_operands_of(call, containers, validation);
	if (call == NULL)
		return NULL;
	set_opfuncid(call);
	admitted = admit_call((Node *) call, call->opno, call->opfuncid, call->args, validation);
	if (admitted != (Node *) call || !IsA(call, OpExpr) || !(containers || defies_order(call)))
		return admitted;
	return (Node *) makeFuncExpr(call->opfuncid, call->opresulttype, call->args, call->opcollid,
								 call->inputcollid, COERCE_EXPLICIT_CALL);
}

/* Is the array of IN, ANY or ALL a row's own? */
static bool
is_own_array(Node *array)
{
	if (IsA(array, ArrayCoerceExpr) && dp_expression_renames_elements((ArrayCoerceExpr *) array))
		array = (Node *) ((ArrayCoerceExpr *) array)->arg;
	while (IsA(array, RelabelType))
		array = (Node *) ((RelabelType *) array)->arg;
	return IsA(array, Var) || IsA(array, CoalesceExpr);
}

/* IN, ANY, ALL: an allowed operator with every element of a constant array, or of a column. */
static Node *
admit_array_operator(ScalarArrayOpExpr *call, Validation *validation)
{
	Node	   *array;
	Node	   *scalar;
	DpReason   *reason;

	call = dp_expression_plainer_array_operator(call);
	array = lsecond(call->args);
	scalar = admit(linitial(call->args), validation);
	if (is_own_array(array))
	{
		array = admit_operand(array, validation);
		reason = dp_expression_check_element_operator(call);
	}
	else if (IsA(array, Const) || dp_tree_is_public_param(array))
		reason = dp_expression_check_type(get_element_type(exprType(array)), array);
	else
		reason = dp_tree_reason(exprLocation(array), "Write a list of constants, or a column of an array type.",
								"IN, ANY and ALL need constants or a column in an expression over protected rows");
	if (unless(reason, scalar, validation) == NULL)
		return NULL;
	if (op_volatile(call->opno) != PROVOLATILE_IMMUTABLE)
		return unless(dp_tree_reason(call->location, "Cast one side to the type of the other.",
									 "IN, ANY and ALL of times with and without a zone are not allowed in an expression over protected rows"),
					  NULL, validation);
	call = (ScalarArrayOpExpr *) memcpy(makeNode(ScalarArrayOpExpr), call, sizeof(ScalarArrayOpExpr));
	call->args = list_make2(scalar, copyObject(array));
	set_sa_opfuncid(call);
	return admit_call((Node *) call, call->opno, call->opfuncid, call->args, validation);
}

/* GREATEST, LEAST: of a type whose comparison function is allowed. */
static Node *
admit_minmax(MinMaxExpr *minmax, Validation *validation)
{
	TypeCacheEntry *type = lookup_type_cache(minmax->minmaxtype, TYPECACHE_CMP_PROC);

	minmax = (MinMaxExpr *) admit_below((Node *) minmax, validation);
	if (minmax == NULL)
		return NULL;
	return admit_call((Node *) minmax, InvalidOid, type->cmp_proc, minmax->args, validation);
}

/* CASE: the value compared may stand in the conditions, nowhere else. */
static Node *
admit_case(CaseExpr *cases, Validation *validation)
{
	bool		case_value = validation->case_value;
	CaseExpr   *copy = makeNode(CaseExpr);
	ListCell   *cell;

	*copy = *cases;
	copy->args = NIL;
	copy->arg = (Expr *) admit((Node *) cases->arg, validation);
	foreach(cell, cases->args)
	{
		CaseWhen   *when = makeNode(CaseWhen);

		*when = *lfirst_node(CaseWhen, cell);
		validation->case_value = cases->arg != NULL;
		when->expr = (Expr *) admit((Node *) when->expr, validation);
		validation->case_value = false;
		when->result = (Expr *) admit((Node *) when->result, validation);
		copy->args = lappend(copy->args, when);
	}
	copy->defresult = (Expr *) admit((Node *) cases->defresult, validation);
	validation->case_value = case_value;
	return (Node *) copy;
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

/*
 * Casts to text through the type's output function, and of text by the type's input function,
 * if that is allowed.
 */
static Node *
admit_io_cast(CoerceViaIO *cast, Validation *validation)
{
	Oid			from = exprType((Node *) cast->arg);
	Oid			function;
	Oid			ioparam;
	bool		is_varlena;

	cast = (CoerceViaIO *) admit_below((Node *) cast, validation);
	if (cast == NULL)
		return NULL;
	if (is_text(cast->resulttype))
		getTypeOutputInfo(from, &function, &is_varlena);
	else if (is_text(from))
		getTypeInputInfo(cast->resulttype, &function, &ioparam);
	else
		return unless(dp_expression_check_cast((Node *) cast, (Node *) cast->arg), NULL, validation);
	return admit_call((Node *) cast, InvalidOid, function, list_make1(cast->arg), validation);
}

/* An element of an array, by numbers: NULL where there is none. */
static Node *
admit_element(const SubscriptingRef *element, Validation *validation)
{
	SubscriptingRef *copy = makeNode(SubscriptingRef);

	*copy = *element;
	copy->refupperindexpr = (List *) admit((Node *) element->refupperindexpr, validation);
	copy->refexpr = (Expr *) admit_operand((Node *) element->refexpr, validation);
	return unless(dp_expression_check_collation(copy->refcollid, (Node *) copy), (Node *) copy, validation);
}

/* What subscripts name: part of a document, or an element of an array, but no slice. */
static Node *
admit_subscript(SubscriptingRef *subscripts, Validation *validation)
{
	Node	   *plainer = dp_expression_plainer_subscript(subscripts);

	if (plainer)
		return admit(plainer, validation);
	if (subscripts->refassgnexpr || subscripts->reflowerindexpr != NIL ||
		!OidIsValid(get_element_type(subscripts->refcontainertype)))
		return unless(dp_expression_check_construct((Node *) subscripts), NULL, validation);
	return admit_element(subscripts, validation);
}

/* Columns of the block's own rows. */
static Node *
admit_column(Var *var, Validation *validation)
{
	return unless(dp_expression_check_column(var), copyObject((Node *) var), validation);
}

/*
 * What is tested for being NULL: a table's column of any type, since its value is not looked at, or what
 * else is admitted.
 */
static Node *
admit_tested(Node *node, Validation *validation)
{
	Var		   *var = (Var *) node;

	if (node && IsA(node, Var) && validation->block && var->varlevelsup == 0 &&
		rt_fetch(var->varno, validation->block->rtable)->rtekind == RTE_RELATION)
		return admit_column(var, validation);
	return admit_operand(node, validation);
}

/* Admit a node and all below it: returns a copy, or NULL with a reason set. */
static Node *
admit(Node *node, Validation *validation)
{
	CHECK_FOR_INTERRUPTS();
	if (node == NULL || validation->reason)
		return NULL;
	switch (nodeTag(node))
	{
		case T_List:
			return expression_tree_mutator(node, admit, validation);
		case T_Param:
			node = unless(dp_expression_check_param(validation->reads, (Param *) node), copyObject(node), validation);
			break;
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
			node = admit_relabel((RelabelType *) node, admit, validation);
			break;
		case T_CoerceViaIO:
			node = admit_io_cast((CoerceViaIO *) node, validation);
			break;
		case T_SubscriptingRef:
			node = admit_subscript((SubscriptingRef *) node, validation);
			break;
		case T_CaseTestExpr:
			if (!validation->case_value)
				return unless(dp_expression_check_construct(node), NULL, validation);
			node = copyObject(node);
			break;
		case T_NullTest:
			if (castNode(NullTest, node)->argisrow)
				return unless(dp_expression_check_construct(node), NULL, validation);
			node = (Node *) memcpy(makeNode(NullTest), node, sizeof(NullTest));
			((NullTest *) node)->arg = (Expr *) admit_tested((Node *) ((NullTest *) node)->arg, validation);
			break;
		case T_SQLValueFunction:
			if (castNode(SQLValueFunction, node)->op > SVFOP_LOCALTIMESTAMP_N)
				return unless(dp_expression_check_construct(node), NULL, validation);
			node = copyObject(node);
			break;
		case T_Const:
			node = unless(dp_expression_check_constant((Const *) node), copyObject(node), validation);
			break;
		case T_BoolExpr:
		case T_BooleanTest:
		case T_CoalesceExpr:
		case T_CollateExpr:
			node = admit_below(node, validation);
			break;
		default:
			return unless(dp_expression_check_construct(node), NULL, validation);
	}
	if (node == NULL || validation->reason)
		return NULL;
	return unless(dp_expression_check_type(exprType(node), node), node, validation);
}

Node *
dp_expression_validate_expression(Query *block, Node *expr, const DpStatement *statement, DpReason **reason)
{
	Validation	validation = {.block = block, .reads = &statement->reads};

	expr = dp_expression_fold(block, expr, statement->params, &validation.reason);
	expr = admit(expr, &validation);
	if (expr && !IsA(expr, List))
		expr = unless(dp_expression_check_collation(exprCollation(expr), expr),
					  expr, &validation);
	if (validation.reason)
		*reason = validation.reason;
	return expr;
}
