/* SPDX-License-Identifier: PostgreSQL */
/*
 * base_types.c
 *	  Columns of domains and of citext, and time_bucket of TimescaleDB, in a statement.
 *
 *		SELECT nights, count(email) FROM stay WHERE email = 'X' GROUP BY nights
 *
 * of a domain over int and of citext becomes
 *
 *		SELECT nights::int, count(email::text) FROM stay WHERE lower(email::text) = lower('X') GROUP BY nights::int
 *
 * Where a table's column is, the cast is written; from there on all that is made of it has the
 * type of what it is made of.  Operators tell where text has been citext: what they compare is brought into
 * lower case, and so is what GROUP BY, DISTINCT and PARTITION BY compare by them.
 *
 * Calls of time_bucket become those of built-in functions that have the same value (time_bucket.c).
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "asking/base_types.h"
#include "base/compat_planner.h"
#include "expression/allow_list.h"
#include "expression/bucket_function.h"
#include "expression/fold_constants.h"
#include "expression/read_as.h"
#include "expression/time_bucket.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/* Where an expression stands. */
typedef struct Place
{
	List	   *levels;			/* of Query: around it, innermost first */
	Query	   *subselect;		/* whose columns are compared here, or NULL */
	ParamListInfo params;
} Place;

static Node *read_mutator(Node *node, Place *place);
static void read_query(Query *query, List *levels, ParamListInfo params);

/* The type that one is read as; of arrays of citext and of domains that of arrays of it. */
static Oid
read_as(Oid type)
{
	Oid			element = type < FirstUnpinnedObjectId ? InvalidOid : get_element_type(type);
	Oid			base = OidIsValid(element) ? dp_expression_read_as(element, NULL) : InvalidOid;

	if (OidIsValid(element) && base != element)
		return get_array_type(base);
	return OidIsValid(element) ? type : dp_expression_read_as(type, NULL);
}

/* An expression as one of the type that its own is read as. */
static Node *
relabel(Node *expr)
{
	int32		typmod = exprTypmod(expr);
	Oid			type = dp_expression_read_as(exprType(expr), &typmod);
	RelabelType *relabeled;

	if (type == exprType(expr))
		return expr;
	relabeled = makeRelabelType((Expr *) expr, type, typmod, exprCollation(expr), COERCE_IMPLICIT_CAST);
	relabeled->location = exprLocation(expr);
	return (Node *) relabeled;
}

/* lower(x), as citext has it: by the database's collation */
static Node *
lower_case(Node *expr)
{
	FuncExpr   *call = (FuncExpr *) expr;

	if (IsA(expr, FuncExpr) && call->funcid == F_LOWER_TEXT)
		return expr;
	call = makeFuncExpr(F_LOWER_TEXT, TEXTOID, list_make1(expr), DEFAULT_COLLATION_OID, DEFAULT_COLLATION_OID,
						COERCE_EXPLICIT_CALL);
	call->location = exprLocation(expr);
	return (Node *) call;
}

/* The type of a column of a query that is read; of the item itself if it is no query. */
static void
column_of_query(const Query *query, Var *var)
{
	TargetEntry *target = query ? get_tle_by_resno(query->targetList, var->varattno) : NULL;

	if (target && read_as(var->vartype) != var->vartype)
	{
		var->vartype = exprType((Node *) target->expr);
		var->vartypmod = exprTypmod((Node *) target->expr);
	}
}

/* The query of a WITH query that an item refers to; NULL while it is not read yet. */
static const Query *
query_of_with(const RangeTblEntry *rte, const List *levels)
{
	ListCell   *lc;

	if (rte->self_reference || rte->ctelevelsup >= list_length(levels))
		return NULL;
	foreach(lc, list_nth_node(Query, levels, rte->ctelevelsup)->cteList)
	{
		const CommonTableExpr *with = lfirst_node(CommonTableExpr, lc);

		if (strcmp(with->ctename, rte->ctename) == 0 && IsA(with->ctequery, Query))
			return (const Query *) with->ctequery;
	}
	return NULL;
}

/* A column, by what it is a column of. */
static Node *
read_column(Var *given, Place *place)
{
	Var		   *var = copyObject(given);
	List	   *levels;
	RangeTblEntry *rte;

	if (var->varlevelsup >= list_length(place->levels) || var->varattno <= 0 || IS_SPECIAL_VARNO(var->varno))
		return (Node *) var;
	levels = list_copy_tail(place->levels, var->varlevelsup);
	rte = rt_fetch(var->varno, linitial_node(Query, levels)->rtable);
	switch (rte->rtekind)
	{
		case RTE_SUBQUERY:
			column_of_query(rte->subquery, var);
			return (Node *) var;
		case RTE_CTE:
			column_of_query(query_of_with(rte, levels), var);
			return (Node *) var;
		case RTE_JOIN:
			var->vartype = exprType(list_nth(rte->joinaliasvars, var->varattno - 1));
			var->vartypmod = exprTypmod(list_nth(rte->joinaliasvars, var->varattno - 1));
			return (Node *) var;
		case RTE_VALUES:
			var->vartype = list_nth_oid(rte->coltypes, var->varattno - 1);
			return relabel((Node *) var);
		default:
			return relabel((Node *) var);
	}
}

/* An array of citext as one of text. */
static void
read_constant_array(Const *constant)
{
	ArrayType  *array;

	constant->consttype = read_as(constant->consttype);
	if (constant->constisnull)
		return;
	array = DatumGetArrayTypePCopy(constant->constvalue);
	array->elemtype = get_element_type(constant->consttype);
	constant->constvalue = PointerGetDatum(array);
}

/* A constant of citext is one of text. */
static Node *
read_constant(const Const *given)
{
	Const	   *constant = copyObject(unconstify(Const *, given));

	if (read_as(constant->consttype) == constant->consttype)
		return (Node *) constant;
	if (OidIsValid(get_element_type(constant->consttype)))
		read_constant_array(constant);
	else
		constant->consttype = read_as(constant->consttype);
	return (Node *) constant;
}

/* A parameter: by its value, or by the column of a subquery that it stands for. */
static Node *
read_param(Param *given, Place *place)
{
	Node	   *bound;
	Param	   *param;

	if (read_as(given->paramtype) == given->paramtype)
		return (Node *) copyObject(given);
	if (given->paramkind == PARAM_SUBLINK && place->subselect)
	{
		param = copyObject(given);
		param->paramtype = exprType((Node *) get_tle_by_resno(place->subselect->targetList, param->paramid)->expr);
		return (Node *) param;
	}
	bound = dp_expression_bind((Node *) given, place->params);
	return IsA(bound, Const) ? read_constant((Const *) bound) : relabel(bound);
}

/* A subquery, and then what is compared with its columns. */
static Node *
read_sublink(SubLink *given, Place *place)
{
	SubLink    *link = copyObject(given);
	Place		compared = *place;

	read_query(castNode(Query, link->subselect), place->levels, place->params);
	compared.subselect = (Query *) link->subselect;
	link->testexpr = read_mutator(link->testexpr, &compared);
	return (Node *) link;
}

/* The elements of an array in lower case; NULL if they are not known. */
static Node *
lower_array(Node *array)
{
	ArrayExpr  *result = makeNode(ArrayExpr);
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	result->array_typeid = TEXTARRAYOID;
	result->element_typeid = TEXTOID;
	result->array_collid = DEFAULT_COLLATION_OID;
	result->location = exprLocation(array);
	if (IsA(array, ArrayExpr))
	{
		ListCell   *lc;

		foreach(lc, ((ArrayExpr *) array)->elements)
			result->elements = lappend(result->elements, lower_case(lfirst(lc)));
		return (Node *) result;
	}
	if (!IsA(array, Const) || ((Const *) array)->constisnull)
		return NULL;
	deconstruct_array(DatumGetArrayTypeP(((Const *) array)->constvalue), TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
		result->elements = lappend(result->elements,
								   lower_case((Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, elements[i],
																 nulls[i], false)));
	return (Node *) result;
}

/* IN, ANY, ALL: an operator with every element of an array, of which the operands are read. */
static void
read_array_operator(ScalarArrayOpExpr *call)
{
	bool		lowers;
	Oid			operator = dp_expression_text_operator(call->opno, &lowers);
	Node	   *array = operator && lowers ? lower_array(lsecond(call->args)) : lsecond(call->args);

	if (!OidIsValid(operator) || array == NULL)
		return;
	call->opno = operator;
	call->opfuncid = get_opcode(operator);
	call->args = list_make2(lowers ? lower_case(linitial(call->args)) : linitial(call->args), array);
}

/* An operator whose operands are read: one of citext is that of texts, one of intarray the built-in one. */
static void
read_operator(OpExpr *call)
{
	bool		lowers = false;
	Oid			operator = dp_expression_text_operator(call->opno, &lowers);
	ListCell   *lc;

	if (!OidIsValid(operator))
		operator = dp_expression_shadowed_operator(call->opno);
	if (!OidIsValid(operator))
		return;
	call->opno = operator;
	call->opfuncid = get_opcode(operator);
	if (lowers)
		foreach(lc, call->args)
			lfirst(lc) = lower_case(lfirst(lc));
}

/* Sort and compare by an operator that there is for the type that one is read as; is it without case now? */
static bool
read_clause(SortGroupClause *clause)
{
	bool		lowers = false;
	Oid			operator;

	if (clause->eqop < FirstUnpinnedObjectId)
		return false;
	operator = dp_expression_text_operator(clause->eqop, &lowers);
	if (!OidIsValid(operator))
		return false;
	clause->eqop = operator;
	if (OidIsValid(clause->sortop))
		clause->sortop = dp_expression_text_operator(clause->sortop, &lowers);
	return true;
}

/* The argument that a clause of an aggregate is about; NULL of our own, which do not say. */
static TargetEntry *
argument_of(const SortGroupClause *clause, const Aggref *aggref)
{
	ListCell   *lc;

	foreach(lc, aggref->args)
		if (lfirst_node(TargetEntry, lc)->ressortgroupref == clause->tleSortGroupRef)
			return lfirst(lc);
	return NULL;
}

/* The arguments of an aggregate that sorts them or takes each once. */
static void
read_aggregate_order(Aggref *aggref)
{
	ListCell   *lc;

	foreach(lc, list_concat_copy(aggref->aggdistinct, aggref->aggorder))
	{
		TargetEntry *target = argument_of(lfirst(lc), aggref);

		if (target && read_clause(lfirst(lc)))
			target->expr = (Expr *) lower_case((Node *) target->expr);
	}
}

/* Is this count(x) with a column that may be nothing but counted? */
static bool
counts_unreadable(const Aggref *aggref)
{
	const TargetEntry *target = aggref->args == NIL ? NULL : linitial_node(TargetEntry, aggref->args);
	bool		is_count = aggref->aggfnoid == F_COUNT_ANY || aggref->aggfnoid == dp_tree_count_function(1);

	return is_count && target && aggref->aggdistinct == NIL && IsA(target->expr, Var) &&
		((Var *) target->expr)->varattno > 0 && !dp_expression_type_is_allowed(exprType((Node *) target->expr));
}

/* Have the types of an aggregate's arguments be what these are. */
static void
read_aggregate(Aggref *aggref)
{
	ListCell   *lc;

	aggref->aggtype = read_as(aggref->aggtype);
	read_aggregate_order(aggref);
	if (counts_unreadable(aggref))
	{
		TargetEntry *target = linitial_node(TargetEntry, aggref->args);

		target->expr = (Expr *) dp_tree_make_if(dp_tree_make_not_null((Node *) target->expr), (Node *) dp_tree_make_int4(1));
		linitial_oid(aggref->aggargtypes) = INT4OID;
	}
	foreach(lc, aggref->aggargtypes)
		lfirst_oid(lc) = read_as(lfirst_oid(lc));
}

/* A cast that changes nothing, of what is read. */
static Node *
read_relabel(RelabelType *given, Place *place)
{
	RelabelType *cast;

	/* This cast is what a column is read by. */
	if (IsA(given->arg, Var) && ((Var *) given->arg)->varlevelsup < list_length(place->levels))
	{
		Node	   *column = read_column((Var *) given->arg, place);

		if (IsA(column, RelabelType) && ((RelabelType *) column)->resulttype == read_as(given->resulttype))
			column = (Node *) ((RelabelType *) column)->arg;
		cast = copyObject(given);
		cast->arg = (Expr *) column;
	}
	else
		cast = (RelabelType *) expression_tree_mutator((Node *) given, read_mutator, place);
	cast->resulttype = read_as(cast->resulttype);
	if (exprType((Node *) cast->arg) == cast->resulttype && exprTypmod((Node *) cast->arg) == cast->resulttypmod &&
		exprCollation((Node *) cast->arg) == cast->resultcollid)
		return (Node *) cast->arg;
	return (Node *) cast;
}

/* Have what a node makes be of the type that its parts are of. */
static void
read_result(Node *node)
{
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			((OpExpr *) node)->opresulttype = read_as(((OpExpr *) node)->opresulttype);
			read_operator((OpExpr *) node);
			break;
		case T_ScalarArrayOpExpr:
			read_array_operator((ScalarArrayOpExpr *) node);
			break;
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcid < FirstUnpinnedObjectId)
				((FuncExpr *) node)->funcresulttype = read_as(((FuncExpr *) node)->funcresulttype);
			break;
		case T_Aggref:
			read_aggregate((Aggref *) node);
			break;
		case T_WindowFunc:
			((WindowFunc *) node)->wintype = read_as(((WindowFunc *) node)->wintype);
			break;
		case T_CaseExpr:
			((CaseExpr *) node)->casetype = read_as(((CaseExpr *) node)->casetype);
			break;
		case T_CaseTestExpr:
			((CaseTestExpr *) node)->typeId = read_as(((CaseTestExpr *) node)->typeId);
			break;
		case T_CoalesceExpr:
			((CoalesceExpr *) node)->coalescetype = read_as(((CoalesceExpr *) node)->coalescetype);
			break;
		case T_MinMaxExpr:
			((MinMaxExpr *) node)->minmaxtype = read_as(((MinMaxExpr *) node)->minmaxtype);
			break;
		case T_ArrayExpr:
			((ArrayExpr *) node)->array_typeid = read_as(((ArrayExpr *) node)->array_typeid);
			((ArrayExpr *) node)->element_typeid = read_as(((ArrayExpr *) node)->element_typeid);
			break;
		default:
			break;
	}
}

/* A call whose arguments are read: of built-in functions, if it is one of time_bucket and they can say it. */
static Node *
read_call(FuncExpr *call, ParamListInfo params)
{
	Node	   *built_in = dp_expression_built_in_bucket(call, params);

	return built_in ? built_in : (Node *) call;
}

/* A copy of an expression, read. */
static Node *
read_mutator(Node *node, Place *place)
{
	if (node == NULL)
		return NULL;
	check_stack_depth();
	switch (nodeTag(node))
	{
		case T_Query:
			node = copyObject(node);
			read_query((Query *) node, place->levels, place->params);
			return node;
		case T_Var:
			return read_column((Var *) node, place);
		case T_Const:
			return read_constant((Const *) node);
		case T_Param:
			return read_param((Param *) node, place);
		case T_SubLink:
			return read_sublink((SubLink *) node, place);
		case T_RelabelType:
			return read_relabel((RelabelType *) node, place);
		case T_ArrayCoerceExpr:
			node = copyObject(node);
			((ArrayCoerceExpr *) node)->arg = (Expr *) read_mutator((Node *) ((ArrayCoerceExpr *) node)->arg, place);
			return node;
		default:
			node = expression_tree_mutator(node, read_mutator, place);
			read_result(node);
			return IsA(node, FuncExpr) ? read_call((FuncExpr *) node, place->params) : node;
	}
}

/* An expression that rows are grouped by, wherever it stands outside of aggregates, in lower case. */
static Node *
lower_mutator(Node *node, Node *key)
{
	if (node == NULL)
		return NULL;
	if (equal(node, key))
		return lower_case(copyObject(node));
	if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid == F_LOWER_TEXT && equal(linitial(((FuncExpr *) node)->args), key))
		return (Node *) copyObject(node);
	if (IsA(node, Aggref) || IsA(node, Query))
		return node;
	return expression_tree_mutator(node, lower_mutator, key);
}

/* Group, or take rows once, by values without case. */
static void
lower_keys(Query *query, List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		TargetEntry *target = get_sortgroupclause_tle(lfirst(lc), query->targetList);
		Node	   *key = (Node *) target->expr;

		if (!read_clause(lfirst(lc)))
			continue;
		query->targetList = (List *) lower_mutator((Node *) query->targetList, key);
		query->havingQual = lower_mutator(query->havingQual, key);
	}
}

/* The clauses of a query that compare its columns. */
static void
read_clauses(Query *query)
{
	ListCell   *lc;

	lower_keys(query, query->groupClause);
	lower_keys(query, query->distinctClause);
	foreach(lc, query->windowClause)
	{
		lower_keys(query, lfirst_node(WindowClause, lc)->partitionClause);
		lower_keys(query, lfirst_node(WindowClause, lc)->orderClause);
	}
	foreach(lc, query->sortClause)
		(void) read_clause(lfirst(lc));
}

/* The columns of a set operation are of the types that those of its parts are. */
static void
read_set_operation(Node *node)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;
	ListCell   *lc;

	if (node == NULL || !IsA(node, SetOperationStmt))
		return;
	foreach(lc, operation->colTypes)
		lfirst_oid(lc) = read_as(lfirst_oid(lc));
	read_set_operation(operation->larg);
	read_set_operation(operation->rarg);
}

/* The columns of a WITH query, by what it selects now. */
static void
read_with_item(RangeTblEntry *rte, const Query *with)
{
	ListCell   *lc;
	int			column = 0;

	if (with == NULL || with->commandType != CMD_SELECT)
		return;
	foreach(lc, with->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (target->resjunk || column >= list_length(rte->coltypes))
			continue;
		lfirst_oid(list_nth_cell(rte->coltypes, column)) = exprType((Node *) target->expr);
		lfirst_int(list_nth_cell(rte->coltypmods, column++)) = exprTypmod((Node *) target->expr);
	}
}

/* VALUES, whose columns are of the types of the first row's. */
static void
read_values(RangeTblEntry *rte, Place *place)
{
	ListCell   *type;
	ListCell   *value;

	rte->values_lists = (List *) read_mutator((Node *) rte->values_lists, place);
	forboth(type, rte->coltypes, value, linitial_node(List, rte->values_lists))
		lfirst_oid(type) = exprType(lfirst(value));
}

/* Functions in FROM, unless they would make other columns. */
static void
read_functions(RangeTblEntry *rte, Place *place)
{
	ListCell   *lc;

	foreach(lc, rte->functions)
	{
		RangeTblFunction *function = lfirst_node(RangeTblFunction, lc);
		Node	   *expr = read_mutator(function->funcexpr, place);

		if (exprType(expr) == exprType(function->funcexpr))
			function->funcexpr = expr;
	}
}

/* Items of FROM in their order: what is LATERAL names earlier ones. */
static void
read_items(Query *query, Place *place)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		/* One that has been merged into the query around it is none any more. */
		if (rte->rtekind == RTE_SUBQUERY && rte->subquery)
			read_query(rte->subquery, place->levels, place->params);
		else if (rte->rtekind == RTE_CTE)
			read_with_item(rte, query_of_with(rte, place->levels));
		else if (rte->rtekind == RTE_JOIN)
			rte->joinaliasvars = (List *) read_mutator((Node *) rte->joinaliasvars, place);
		else if (rte->rtekind == RTE_FUNCTION)
			read_functions(rte, place);
		else if (rte->rtekind == RTE_VALUES)
			read_values(rte, place);
	}
}

/* What is stored is of the types that the table has. */
static void
store_as_given(Query *query, const List *given)
{
	ListCell   *lc;
	ListCell   *before;

	forboth(lc, query->targetList, before, given)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Node	   *was = (Node *) lfirst_node(TargetEntry, before)->expr;

		if (exprType((Node *) target->expr) != exprType(was))
			target->expr = (Expr *) coerce_to_target_type(NULL, (Node *) target->expr, exprType((Node *) target->expr),
														  exprType(was), exprTypmod(was), COERCION_ASSIGNMENT,
														  COERCE_IMPLICIT_CAST, -1);
	}
}

/* Read a query in place. */
static void
read_query(Query *query, List *levels, ParamListInfo params)
{
	Place		place = {.levels = lcons(query, list_copy(levels)), .params = params};
	List	   *given = query->targetList;
	ListCell   *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	foreach(lc, query->cteList)
		if (IsA(lfirst_node(CommonTableExpr, lc)->ctequery, Query))
			read_query((Query *) lfirst_node(CommonTableExpr, lc)->ctequery, place.levels, params);
	read_items(query, &place);
	(void) query_tree_mutator(query, read_mutator, &place,
							  QTW_IGNORE_RANGE_TABLE | QTW_IGNORE_CTE_SUBQUERIES | QTW_DONT_COPY_QUERY);
	read_set_operation(query->setOperations);
	read_clauses(query);
	if (query->commandType != CMD_SELECT)
		store_as_given(query, given);
}

/* Does anything below a node have a type of somebody's own that is read as another, is it only counted, or a time_bucket? */
static bool
has_own_type(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_own_type, context, 0);
	if (IsA(node, Aggref) && counts_unreadable((Aggref *) node))
		return true;
	if (IsA(node, OpExpr) && ((OpExpr *) node)->opno >= FirstUnpinnedObjectId)
		return true;
	if (IsA(node, FuncExpr) && dp_expression_is_time_bucket(((FuncExpr *) node)->funcid))
		return true;
	if ((IsA(node, Var) || IsA(node, Const) || IsA(node, Param)) && exprType(node) >= FirstUnpinnedObjectId &&
		read_as(exprType(node)) != exprType(node))
		return true;
	return expression_tree_walker(node, has_own_type, context);
}

Query *
dp_asking_read_base_types(Query *query, ParamListInfo params)
{
	if (!has_own_type((Node *) query, NULL))
		return query;
	query = copyObject(query);
	dp_compat_flatten_groups(query);
	read_query(query, NIL, params);
	return query;
}
