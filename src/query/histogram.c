/*
 * histogram.c
 *	  dp_histogram as the block it stands for.
 *
 *		FROM dp_histogram(relation, col, lower, upper, bins, epsilon, filter)
 *
 * becomes a sub-query that counts rows by bucket number:
 *
 *		SELECT bin, lower edge, upper edge, count
 *		  FROM (SELECT dp_agg.bucket(col, lower, upper, bins) AS bin, dp_count(1, epsilon)
 *		          FROM relation WHERE filter GROUP BY 1)
 *
 * Bucket numbers are public: every one is answered and no group is thresholded.
 * The rest is the work of the gate, as for any other block.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodes.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parser.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "query/catalog.h"
#include "query/rewrite.h"
#include "query/tree.h"
#include "query/validate.h"
#include "settings.h"

#define MAX_BINS 1000000

PG_FUNCTION_INFO_V1(dp_query_is_condition);

/* The arguments of one call. */
typedef struct Histogram
{
	Oid			relid;
	char	   *column;
	double		lower;
	double		upper;
	int			bins;
	double		epsilon;
	char	   *filter;			/* NULL: none */
} Histogram;

static DpReason *
invalid_argument(const char *message)
{
	DpReason   *reason = dp_query_reason(-1, NULL, "%s", message);

	reason->sqlstate = ERRCODE_INVALID_PARAMETER_VALUE;
	return reason;
}

/* Check the parameters of a bucket number. */
static DpReason *
check_bounds(double lower, double upper, int bins)
{
	if (!isfinite(lower) || !isfinite(upper) || !isfinite(upper - lower))
		return invalid_argument("histogram bounds must be finite");
	if (!(lower < upper))
		return invalid_argument("lower bound must be less than upper bound");
	if (bins < 1 || bins > MAX_BINS)
		return invalid_argument(psprintf("number of bins must be between 1 and %d", MAX_BINS));
	return NULL;
}

/* A column there is must hold numbers; that there is none the parser says. */
static DpReason *
check_column(const Histogram *histogram)
{
	AttrNumber	attno = get_attnum(histogram->relid, histogram->column);

	if (attno == InvalidAttrNumber)
		return NULL;
	switch (get_atttype(histogram->relid, attno))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return NULL;
		default:
			return dp_query_reason(-1, "Group by it with dp_count(*) instead.",
								   "dp_histogram needs a column of numbers");
	}
}

/* Add default arguments and put named ones in order. */
static FuncExpr *
complete_call(FuncExpr *call)
{
	return castNode(FuncExpr, eval_const_expressions(NULL, (Node *) call));
}

static DpReason *
read_arguments(FuncExpr *call, ParamListInfo params, Histogram *histogram)
{
	Const	   *value[7] = {NULL};
	DpReason   *reason;
	ListCell   *lc;

	foreach(lc, call->args)
	{
		int			i = foreach_current_index(lc);

		value[i] = dp_query_constant(lfirst(lc), params);
		if (value[i] == NULL)
			return dp_query_reason(-1, "Write constants or bound parameters.",
								   "arguments of dp_histogram must be constant");
		if (value[i]->constisnull && i < 5)
			return invalid_argument("only epsilon and filter of dp_histogram may be null");
	}
	histogram->relid = DatumGetObjectId(value[0]->constvalue);
	histogram->column = NameStr(*DatumGetName(value[1]->constvalue));
	histogram->lower = DatumGetFloat8(value[2]->constvalue);
	histogram->upper = DatumGetFloat8(value[3]->constvalue);
	histogram->bins = DatumGetInt32(value[4]->constvalue);
	histogram->epsilon = value[5]->constisnull ? dp_settings_epsilon
		: DatumGetFloat8(value[5]->constvalue);
	histogram->filter = value[6]->constisnull ? NULL
		: TextDatumGetCString(value[6]->constvalue);
	reason = check_column(histogram);
	return reason ? reason : check_bounds(histogram->lower, histogram->upper, histogram->bins);
}

/* A finite double as SQL text, exactly. */
static char *
number_text(double value)
{
	return psprintf("%.17g", value);
}

/* The query a call stands for, as text. */
static char *
histogram_text(const Histogram *histogram, Oid funcid)
{
	char	   *relation = get_rel_name(histogram->relid);
	char	   *lower = number_text(histogram->lower);
	char	   *width = number_text((histogram->upper - histogram->lower) / histogram->bins);
	const char *edge = "'%s'::pg_catalog.float8 OPERATOR(pg_catalog.+) "
		"((b.bin OPERATOR(pg_catalog.-) %d)::pg_catalog.float8 "
		"OPERATOR(pg_catalog.*) '%s'::pg_catalog.float8)";
	const char *alias;

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", histogram->relid)));
	alias = quote_identifier(relation);
	return psprintf("SELECT b.bin, %s, %s, b.count FROM "
					"(SELECT dp_agg.bucket(%s.%s, '%s', '%s', %d) AS bin, "
					"%s.dp_count(1, '%s'::pg_catalog.float8) AS count FROM %s AS %s "
					"WHERE (\n%s\n) GROUP BY 1) b",
					psprintf(edge, lower, 1, width), psprintf(edge, lower, 0, width),
					alias, quote_identifier(histogram->column),
					lower, number_text(histogram->upper), histogram->bins,
					quote_identifier(get_namespace_name(get_func_namespace(funcid))),
					number_text(histogram->epsilon),
					quote_qualified_identifier(get_namespace_name(get_rel_namespace(histogram->relid)),
											   relation), alias,
					histogram->filter ? histogram->filter : "true");
}

/* The SELECT a text holds, if it is one and nothing else. */
static SelectStmt *
parse_select(const char *text)
{
	List	   *statements = raw_parser(text, RAW_PARSE_DEFAULT);
	Node	   *statement;

	if (list_length(statements) != 1)
		return NULL;
	statement = linitial_node(RawStmt, statements)->stmt;
	return IsA(statement, SelectStmt) ? (SelectStmt *) statement : NULL;
}

/*
 * Is a filter text one expression and no more?  Only then may it stand between
 * the parentheses of the generated text.
 */
static bool
is_expression(const char *filter)
{
	SelectStmt *select = parse_select(psprintf("SELECT\n%s\n", filter));
	SelectStmt *empty = makeNode(SelectStmt);
	ResTarget  *target;

	if (select == NULL || list_length(select->targetList) != 1)
		return false;
	target = linitial_node(ResTarget, select->targetList);
	select->targetList = NIL;
	empty->limitOption = select->limitOption;
	return equal(select, empty) && target->name == NULL && target->indirection == NIL;
}

/* Report errors of the generated text as such, not at the caller's position. */
static void
generated_text_error(void *text)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(text);
	}
}

/*
 * Is a text one condition?  Its SELECT goes with the error that says where it is
 * no SQL at all.
 */
Datum
dp_query_is_condition(PG_FUNCTION_ARGS)
{
	char	   *filter = text_to_cstring(PG_GETARG_TEXT_PP(0));
	ErrorContextCallback callback = {error_context_stack, generated_text_error, psprintf("SELECT\n%s\n", filter)};
	bool		answer;

	error_context_stack = &callback;
	answer = is_expression(filter);
	error_context_stack = callback.previous;
	PG_RETURN_BOOL(answer);
}

/* Parse and analyse the query a call stands for. */
static Query *
build_query(const Histogram *histogram, Oid funcid)
{
	char	   *text = histogram_text(histogram, funcid);
	ErrorContextCallback callback = {error_context_stack, generated_text_error, text};
	RawStmt    *raw = makeNode(RawStmt);
	Query	   *query;

	error_context_stack = &callback;
	raw->stmt = (Node *) parse_select(text);
	query = linitial_node(Query, pg_analyze_and_rewrite_fixedparams(raw, text, NULL, 0, NULL));
	error_context_stack = callback.previous;

	/* Reading a tree forgets places, which are in no text the analyst sees. */
	return stringToNode(nodeToString(query));
}

static DpReason *
expand_call(RangeTblEntry *rte, FuncExpr *call, DpStatement *statement)
{
	Histogram	histogram = {0};
	Query	   *query = NULL;
	DpReason   *reason;
	int			location = call->location;

	reason = read_arguments(complete_call(call), statement->params, &histogram);
	if (reason == NULL && histogram.filter && !is_expression(histogram.filter))
		reason = invalid_argument("filter of dp_histogram must be one condition");
	if (reason == NULL)
	{
		query = build_query(&histogram, call->funcid);
		reason = dp_query_rewrite_subquery(query, statement);
	}
	if (reason)
	{
		reason->location = location;
		return reason;
	}
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->functions = NIL;
	rte->lateral = false;
	return NULL;
}

DpReason *
dp_query_expand_histograms(Query *query, DpStatement *statement)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		Node	   *call;
		DpReason   *reason;

		if (rte->rtekind != RTE_FUNCTION || rte->funcordinality || list_length(rte->functions) != 1)
			continue;
		call = linitial_node(RangeTblFunction, rte->functions)->funcexpr;
		if (!IsA(call, FuncExpr) ||
			dp_query_function(((FuncExpr *) call)->funcid) != DP_FUNCTION_HISTOGRAM)
			continue;
		reason = expand_call(rte, (FuncExpr *) call, statement);
		if (reason)
			return reason;
	}
	return NULL;
}

Node *
dp_query_public_key(Query *block, Node *key, ParamListInfo params, int *domain, DpReason **reason)
{
	FuncExpr   *call = (FuncExpr *) key;
	Const	   *value[4];
	Node	   *argument;

	if (!IsA(key, FuncExpr) || dp_query_function(call->funcid) != DP_FUNCTION_BUCKET)
		return NULL;
	for (int i = 1; i < 4; i++)
	{
		value[i] = dp_query_constant(list_nth(call->args, i), params);
		if (value[i] == NULL || value[i]->constisnull)
		{
			*reason = dp_query_reason(call->location, "Write constants or bound parameters.",
									  "bounds and number of buckets must be constant");
			return NULL;
		}
	}
	*reason = check_bounds(DatumGetFloat8(value[1]->constvalue),
						   DatumGetFloat8(value[2]->constvalue),
						   DatumGetInt32(value[3]->constvalue));
	if (*reason)
	{
		(*reason)->location = call->location;
		return NULL;
	}
	argument = dp_query_validate_expression(block, linitial(call->args), params, reason);
	if (*reason)
		return NULL;
	*domain = DatumGetInt32(value[3]->constvalue);
	call = copyObject(call);
	call->args = list_make4(argument, value[1], value[2], value[3]);
	return (Node *) call;
}
