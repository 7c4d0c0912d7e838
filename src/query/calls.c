/*
 * calls.c
 *	  Set-returning functions of ours in FROM, replaced by the blocks they
 *	  stand for.
 *
 *		FROM dp_histogram(relation, col, lower, upper, bins, epsilon, filter)
 *
 * becomes a sub-query over a block.  The rest is the work of the gate, as for any
 * other block: what may be read and by whom, which conditions, at what price.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "query/call.h"
#include "query/catalog.h"
#include "query/find.h"
#include "query/rewrite.h"
#include "query/text.h"
#include "query/tree.h"
#include "query/validate.h"
#include "settings.h"

static const struct
{
	DpFunction	function;
	DpCallWriter write;
}			writers[] = {
	{DP_FUNCTION_HISTOGRAM, dp_query_write_histogram},
	{DP_FUNCTION_CUMULATIVE, dp_query_write_cumulative},
	{DP_FUNCTION_NOISY_MAX, dp_query_write_noisy_max},
	{DP_FUNCTION_TOP, dp_query_write_top},
	{DP_FUNCTION_ABOVE_THRESHOLD, dp_query_write_above_threshold},
};

/* What writes the blocks of a function; NULL if it is not one of these. */
static DpCallWriter
writer_of(Oid funcid)
{
	DpFunction	function = dp_query_function(funcid);

	for (int i = 0; i < lengthof(writers); i++)
		if (writers[i].function == function)
			return writers[i].write;
	return NULL;
}

DpReason *
dp_query_invalid_argument(const char *message)
{
	DpReason   *reason = dp_query_reason(-1, NULL, "%s", message);

	reason->sqlstate = ERRCODE_INVALID_PARAMETER_VALUE;
	return reason;
}

const char *
dp_query_call_column(const DpCall *call, int argument)
{
	const char *name = NameStr(*DatumGetName(call->value[argument]->constvalue));

	return psprintf("%s.%s", call->alias, quote_identifier(name));
}

Oid
dp_query_call_column_type(const DpCall *call, int argument)
{
	const char *name = NameStr(*DatumGetName(call->value[argument]->constvalue));
	AttrNumber	attno = get_attnum(call->relid, name);

	return attno == InvalidAttrNumber ? InvalidOid : get_atttype(call->relid, attno);
}

const char *
dp_query_call_schema(const DpCall *call)
{
	return quote_identifier(get_namespace_name(get_func_namespace(call->funcid)));
}

const char *
dp_query_call_count(const DpCall *call, const char *counted)
{
	return psprintf("%s.dp_count(%s, %s)", dp_query_call_schema(call), counted, call->epsilon);
}

/* The relation under its own name, and a condition on lines of its own. */
static char *
rows_text(const DpCall *call, const char *condition)
{
	return psprintf("FROM %s AS %s WHERE (\n%s\n)", call->relation, call->alias, condition);
}

const char *
dp_query_call_from(const DpCall *call)
{
	return rows_text(call, call->filter ? call->filter : "true");
}

void
dp_query_check_condition(const DpCall *call, const char *condition)
{
	(void) dp_query_analyse_text(psprintf("SELECT %s", rows_text(call, condition)));
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
	if (call->value[1]->consttype == NAMEOID && !OidIsValid(dp_query_call_column_type(call, 1)))
	{
		reason = dp_query_reason(-1, "Write the name of a column by itself, without quotes inside the string.",
								 "column \"%s\" of relation \"%s\" does not exist",
								 NameStr(*DatumGetName(call->value[1]->constvalue)), name);
		reason->sqlstate = ERRCODE_UNDEFINED_COLUMN;
	}
	return reason;
}

/*
 * Read a call's arguments, defaults and named ones put in order.  Only epsilon
 * and filter may be null.
 */
static DpReason *
read_call(FuncExpr *expr, ParamListInfo params, DpCall *call)
{
	List	   *args = castNode(FuncExpr, eval_const_expressions(NULL, (Node *) expr))->args;
	Const	   *epsilon;
	Const	   *filter;
	ListCell   *lc;

	call->funcid = expr->funcid;
	call->name = get_func_name(expr->funcid);
	call->nvalues = list_length(args);
	Assert(call->nvalues <= DP_MAX_CALL_ARGUMENTS);
	foreach(lc, args)
	{
		Const	   *value = dp_query_constant(lfirst(lc), params);

		if (value == NULL)
			return dp_query_reason(-1, "Write constants or bound parameters.",
								   "arguments of %s must be constant", call->name);
		if (value->constisnull && foreach_current_index(lc) < call->nvalues - 2)
			return dp_query_invalid_argument(psprintf("only epsilon and filter of %s may be null",
													  call->name));
		call->value[foreach_current_index(lc)] = value;
	}
	epsilon = call->value[call->nvalues - 2];
	filter = call->value[call->nvalues - 1];
	call->epsilon = dp_query_constant_text(epsilon->constisnull ?
										   dp_query_make_float8(dp_settings_epsilon) : epsilon);
	call->filter = filter->constisnull ? NULL : TextDatumGetCString(filter->constvalue);
	return read_relation(call);
}

/* The filter is one condition, and makes sense by itself. */
static DpReason *
check_filter(const DpCall *call)
{
	if (call->filter == NULL)
		return NULL;
	if (!dp_query_is_condition_text(call->filter))
		return dp_query_invalid_argument(psprintf("filter of %s must be one condition", call->name));
	dp_query_check_condition(call, call->filter);
	return NULL;
}

/* Find the outermost block of a query. */
static bool
block_walker(Node *node, Query **block)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, block_walker, block);
	if (dp_query_is_block((Query *) node))
	{
		*block = (Query *) node;
		return true;
	}
	return query_tree_walker((Query *) node, block_walker, block, 0);
}

/* Rewrite the block of a call as of the form the call asks for. */
static DpReason *
rewrite_call(DpCall *call, Query *query, DpStatement *statement)
{
	const DpFormed *outer = statement->formed;
	DpReason   *reason;

	(void) block_walker((Node *) query, &call->formed.block);
	statement->formed = &call->formed;
	reason = dp_query_rewrite_subquery(query, statement);
	statement->formed = outer;
	return reason;
}

static DpReason *
expand_call(RangeTblEntry *rte, FuncExpr *expr, DpCallWriter write, DpStatement *statement)
{
	DpCall		call = {0};
	Query	   *query = NULL;
	char	   *text;
	DpReason   *reason;

	reason = read_call(expr, statement->params, &call);
	if (reason == NULL)
		reason = check_filter(&call);
	if (reason == NULL)
		reason = write(&call, &text);
	if (reason == NULL)
	{
		query = dp_query_analyse_text(text);
		reason = rewrite_call(&call, query, statement);
	}
	if (reason)
	{
		reason->location = expr->location;
		return reason;
	}
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->functions = NIL;
	rte->lateral = false;
	return NULL;
}

DpReason *
dp_query_expand_calls(Query *query, DpStatement *statement)
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
