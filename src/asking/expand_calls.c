/* SPDX-License-Identifier: PostgreSQL */
/*
 * expand_calls.c
 *	  Set-returning functions of ours in FROM, replaced by the blocks they
 *	  stand for.
 *
 *		FROM dp_histogram(relation, col, lower, upper, bins, epsilon, filter)
 *
 * becomes a subquery over a block.  The rest is the work of the gate, as for any
 * other block: what may be read and by whom, which conditions, at what price.
 *
 * Reading the caller's conditions can run code of others, such as the input functions
 * of their types.  So all calls of a statement are replaced before any block is looked
 * at, and nothing is read as text from then on.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "asking/admission.h"
#include "asking/call_text.h"
#include "asking/classification.h"
#include "asking/expand_calls.h"
#include "asking/histogram.h"
#include "asking/model_text.h"
#include "asking/select_model.h"
#include "asking/selection.h"
#include "asking/synthesize.h"
#include "base/compat_planner.h"
#include "expression/fold_constants.h"
#include "pricing/asked.h"
#include "pricing/block_rewrite.h"
#include "pricing/forms.h"
#include "pricing/release.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/parse_text.h"
#include "tree/reason.h"

static const struct
{
	DpFunction	function;
	DpCallWriter write;
}			writers[] = {
	{DP_FUNCTION_HISTOGRAM, dp_asking_write_histogram},
	{DP_FUNCTION_CUMULATIVE, dp_asking_write_cumulative},
	{DP_FUNCTION_NOISY_MAX, dp_asking_write_noisy_max},
	{DP_FUNCTION_TOP, dp_asking_write_top},
	{DP_FUNCTION_ABOVE_THRESHOLD, dp_asking_write_above_threshold},
	{DP_FUNCTION_LINREGR, dp_asking_write_linregr},
	{DP_FUNCTION_LOGREGR, dp_asking_write_logregr},
	{DP_FUNCTION_SVM, dp_asking_write_svm},
	{DP_FUNCTION_SELECT_MODEL, dp_asking_write_select_model},
	{DP_FUNCTION_SYNTHESIZE, dp_asking_write_synthesize},
};

/* The function that writes the blocks for a call; NULL if it is none of these. */
static DpCallWriter
writer_of(Oid funcid)
{
	DpFunction	function = dp_tree_function(funcid);

	for (int i = 0; i < lengthof(writers); i++)
		if (writers[i].function == function)
			return writers[i].write;
	return NULL;
}

/* Name the relation, which is given by its OID, and make sure of the column. */
static DpReason *
read_relation(DpCall *call)
{
	DpReason   *reason = NULL;
	char	   *name;

	call->relid = DatumGetObjectId(call->value[0]->constvalue);
	name = get_rel_name(call->relid);
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", call->relid)));
	call->alias = quote_identifier(name);
	call->relation = quote_qualified_identifier(get_namespace_name(get_rel_namespace(call->relid)), name);
	if (call->value[1]->consttype == NAMEOID && !OidIsValid(dp_asking_call_column_type(call, 1)))
	{
		reason = dp_tree_reason_as(ERRCODE_UNDEFINED_COLUMN, -1,
								   dp_asking_missing_column_hint(call->relid, NameStr(*DatumGetName(call->value[1]->constvalue))),
								   "column \"%s\" of relation \"%s\" does not exist",
								   NameStr(*DatumGetName(call->value[1]->constvalue)), name);
	}
	return reason;
}

/* An argument of a call as a constant; no function of a user is run for that. */
static DpReason *
read_argument(DpCall *call, Node *argument, const DpStatement *statement, Const **value)
{
	DpReason   *reason = NULL;
	Node	   *folded = dp_expression_fold(NULL, dp_asking_settle_grid(argument, statement->params), statement->params, &reason);

	if (reason)
		return dp_tree_reason(exprLocation(argument),
							  "Write constants or bound parameters: only built-in functions are computed here.",
							  "arguments of %s must be constant", call->name);
	if (!IsA(folded, Const))
		return dp_tree_reason(-1, "Write constants or bound parameters.",
							  "arguments of %s must be constant", call->name);
	*value = (Const *) folded;
	return NULL;
}

/* A call's arguments, defaults and named ones put in order. */
static List *
arguments_of(const FuncExpr *expr)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(expr->funcid));
	List	   *args;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", expr->funcid);
	args = expand_function_arguments(copyObject(expr->args), false, expr->funcresulttype, tuple);
	ReleaseSysCache(tuple);
	return args;
}

/* The filter is one condition, and makes sense by itself. */
static DpReason *
read_filter(DpCall *call, const Const *filter)
{
	if (filter->constisnull)
		return NULL;
	call->filter = dp_asking_call_condition(call, TextDatumGetCString(filter->constvalue));
	if (call->filter)
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
							 "filter of %s must be one condition", call->name);
}

/* The argument that may be null beside epsilon and filter, which are the last two; -1 if none may. */
static int
nullable_argument(const DpCall *call, const char **name)
{
	if (dp_tree_function(call->funcid) == DP_FUNCTION_SELECT_MODEL && call->nvalues == DP_MAX_CALL_ARGUMENTS)
	{
		*name = "bound, ";
		return call->nvalues - 3;
	}
	if (dp_tree_function(call->funcid) == DP_FUNCTION_SYNTHESIZE)
	{
		*name = "rows, ";
		return 2;
	}
	*name = "";
	return -1;
}

/* Is the value of an argument null that must not be? */
static DpReason *
check_null(const DpCall *call, const Const *value, int argument)
{
	const char *name;
	int			nullable = nullable_argument(call, &name);

	if (!value->constisnull || argument == nullable || argument >= call->nvalues - 2)
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
							 "only %sepsilon and filter of %s may be null", name, call->name);
}

/* Read a call's arguments. */
static DpReason *
read_call(FuncExpr *expr, const DpStatement *statement, DpCall *call)
{
	List	   *args = arguments_of(expr);
	const Const *epsilon;
	DpReason   *reason;
	ListCell   *lc;

	call->funcid = expr->funcid;
	call->name = get_func_name(expr->funcid);
	call->nvalues = list_length(args);
	Assert(call->nvalues <= DP_MAX_CALL_ARGUMENTS);
	foreach(lc, args)
	{
		Const	  **value = &call->value[foreach_current_index(lc)];

		reason = read_argument(call, lfirst(lc), statement, value);
		if (reason || *value == NULL)
			return reason;
		reason = check_null(call, *value, foreach_current_index(lc));
		if (reason)
			return reason;
		if (value == &call->value[0])
			dp_asking_admit_call(DatumGetObjectId((*value)->constvalue));
	}
	epsilon = call->value[call->nvalues - 2];
	call->formed.default_epsilon = epsilon->constisnull;
	call->epsilon = dp_asking_call_constant(call, epsilon->constisnull ?
											dp_tree_make_float8(statement->pricing.draw_epsilon) : epsilon);
	reason = read_relation(call);
	return reason ? reason : read_filter(call, call->value[call->nvalues - 1]);
}

/* Is the function neither built in nor the extension's?  For check_functions_in_node. */
static bool
is_foreign(Oid function, void *context)
{
	*(Oid *) context = function;
	return function >= FirstUnpinnedObjectId && !dp_tree_is_extensions(function);
}

/*
 * Find a function of somebody's in a text of ours: a type of his in a column of the
 * relation brings its casts along.
 */
static bool
foreign_walker(Node *node, Oid *function)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, foreign_walker, function, 0);
	return check_functions_in_node(node, is_foreign, function) ||
		expression_tree_walker(node, foreign_walker, function);
}

/* Check that a text of ours came out as it was meant. */
static DpReason *
check_functions(const DpCall *call, Query *query)
{
	Oid			function = InvalidOid;

	if (!foreign_walker((Node *) query, &function))
		return NULL;
	return dp_tree_reason(-1, "Use a column of a built-in type.",
						  "%s would call function %s, which is not built in", call->name,
						  get_func_name(function));
}

/* Find the block: the one query that reads a relation. */
static bool
block_walker(Node *node, Query **block)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, block_walker, block);
	foreach(lc, ((Query *) node)->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_RELATION)
			*block = (Query *) node;
	return *block || query_tree_walker((Query *) node, block_walker, block, 0);
}

/* Tell each aggregate of the block's select list what call it is made of, and what is released in its place. */
static bool
form_walker(Node *node, const DpFormed *formed)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		dp_pricing_ask_form((Aggref *) node, formed);
		return false;
	}
	return expression_tree_walker(node, form_walker, unconstify(DpFormed *, formed));
}

/* Put the parts of a text where it has parameters. */
static Node *
put_parts(Node *node, List *parts)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param))
		return copyObject(list_nth(parts, ((Param *) node)->paramid - 1));
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, put_parts, parts, 0);
	return expression_tree_mutator(node, put_parts, parts);
}

/* The block reads what the conditions read. */
static void
adopt_conditions(const DpCall *call, Query *block)
{
	RangeTblEntry *rte = linitial_node(RangeTblEntry, block->rtable);
	ListCell   *lc;

	dp_asking_check_named_relation(call, rte);
	foreach(lc, call->conditions)
	{
		Query	   *query = lfirst_node(Query, lc);
		RangeTblEntry *same = linitial_node(RangeTblEntry, query->rtable);

		block->hasSubLinks |= query->hasSubLinks;
		DP_PERMISSIONS(block, rte)->selectedCols =
			bms_union(DP_PERMISSIONS(block, rte)->selectedCols,
					  DP_PERMISSIONS(query, same)->selectedCols);
	}
}

/* The query of a text, its parts put in. */
static DpReason *
query_of(const DpCall *call, char *text, Query **query)
{
	int			nparts = list_length(call->parts);
	Oid		   *types = palloc(nparts * sizeof(Oid) + 1);
	Query	   *block = NULL;
	DpReason   *reason;
	ListCell   *lc;

	foreach(lc, call->parts)
		types[foreach_current_index(lc)] = exprType(lfirst(lc));
	*query = dp_tree_analyse_text(text, types, nparts);
	reason = check_functions(call, *query);
	if (reason)
		return reason;
	(void) block_walker((Node *) *query, &block);
	adopt_conditions(call, block);
	(void) form_walker((Node *) block->targetList, &call->formed);
	*query = dp_tree_finish_text((Query *) put_parts((Node *) *query, call->parts));
	return NULL;
}

/*
 * Errors in the counted expression of a call, or in its epsilon, are reported at
 * the call.
 */
static bool
location_walker(Node *node, const int *location)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, location_walker, unconstify(int *, location), 0);
	if (IsA(node, Aggref) && list_length(((Aggref *) node)->args) >= 2 && dp_tree_is_ours(node))
	{
		Node	   *epsilon = (Node *) lsecond_node(TargetEntry, ((Aggref *) node)->args)->expr;

		((Aggref *) node)->location = *location;
		if (IsA(epsilon, Const))
			((Const *) epsilon)->location = *location;
	}
	return expression_tree_walker(node, location_walker, unconstify(int *, location));
}

static DpReason *
expand_call(RangeTblEntry *rte, FuncExpr *expr, DpCallWriter write, const DpStatement *statement)
{
	DpCall		call = {.item = linitial_node(RangeTblFunction, rte->functions)};
	Query	   *query = NULL;
	char	   *text;
	DpReason   *reason;

	reason = read_call(expr, statement, &call);
	if (reason == NULL)
		reason = write(&call, &text);
	if (reason == NULL)
		strlcpy(call.formed.call, dp_pricing_text(&statement->reads, NULL, dp_expression_bind((Node *) expr, statement->params)), DP_CALL_SIZE);
	if (reason == NULL)
		reason = query_of(&call, text, &query);
	if (reason)
	{
		if (reason->location < 0)
			reason->location = expr->location;
		return reason;
	}
	(void) location_walker((Node *) query, &expr->location);
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->functions = NIL;
	rte->lateral = false;
	return NULL;
}

/* Expand the calls of one query level. */
static DpReason *
expand_from(Query *query, const DpStatement *statement)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		DpCallWriter write;
		Node	   *call;
		DpReason   *reason;

		if (rte->rtekind != RTE_FUNCTION || rte->funcordinality || list_length(rte->functions) != 1)
			continue;
		call = linitial_node(RangeTblFunction, rte->functions)->funcexpr;
		write = IsA(call, FuncExpr) ? writer_of(((FuncExpr *) call)->funcid) : NULL;
		if (write == NULL)
			continue;
		reason = expand_call(rte, (FuncExpr *) call, write, statement);
		if (reason)
			return reason;
	}
	return NULL;
}

/* Replace dp_agg_internal.counted, used in generated SQL, by dp_count, and have the statement share no noise. */
static void
name_count(Aggref *aggref, DpStatement *statement)
{
	if (dp_tree_function(aggref->aggfnoid) != DP_FUNCTION_COUNTED)
		return;
	aggref->aggfnoid = dp_tree_count_function(list_length(aggref->args));
	statement->pricing.shared_noise = false;
}

typedef struct ExpandContext
{
	DpStatement *statement;
	DpReason   *reason;
} ExpandContext;

/* Expand the calls of every level, those in what calls stand for among them. */
static bool
expand_walker(Node *node, ExpandContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		name_count((Aggref *) node, context->statement);
	if (!IsA(node, Query))
		return expression_tree_walker(node, expand_walker, context);
	context->reason = expand_from((Query *) node, context->statement);
	return context->reason || query_tree_walker((Query *) node, expand_walker, context, 0);
}

Query *
dp_asking_expand_calls(const Query *query, DpStatement *statement, DpReason **reason)
{
	ExpandContext context = {.statement = statement};
	Query	   *expanded = copyObject(unconstify(Query *, query));

	(void) expand_walker((Node *) expanded, &context);
	*reason = context.reason;
	return context.reason ? NULL : expanded;
}
