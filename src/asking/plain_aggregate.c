/* SPDX-License-Identifier: PostgreSQL */
/*
 * plain_aggregate.c
 *	  PostgreSQL's own aggregates as expressions over those of this extension.
 *
 * Only what is built in is replaced: an aggregate of the same name in another schema is
 * refused like any that has no private form.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "asking/plain_aggregate.h"
#include "base/compat_planner.h"
#include "expression/fold_constants.h"
#include "pricing/aggregate.h"
#include "pricing/forms.h"
#include "pricing/release.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/*
 * mode() WITHIN GROUP (ORDER BY x) over protected rows.
 *
 * 		SELECT mode() WITHIN GROUP (ORDER BY x) FROM t WHERE w
 *
 * becomes
 *
 * 		SELECT (SELECT m.key FROM (SELECT x AS key, dp_count(1) AS rank FROM t
 * 				WHERE w AND x IS NOT NULL GROUP BY x) m)
 *
 * of whose block the first rank alone is released (DP_FORM_RANKING).
 */

bool
dp_asking_is_mode(const Aggref *aggref)
{
	return aggref->aggfnoid == F_MODE;
}

/* The count whose block releases a ranking of one. */
static Aggref *
make_ranking(int location)
{
	DpFormed	formed = {.form = DP_FORM_RANKING, .size = 1, .default_epsilon = true, .label = "mode()"};
	Aggref	   *count = makeNode(Aggref);

	count->aggfnoid = dp_tree_count_function(1);
	count->aggtype = INT8OID;
	count->args = list_make1(makeTargetEntry((Expr *) dp_tree_make_int4(1), 1, NULL, false));
	count->aggargtypes = list_make1_oid(INT4OID);
	count->aggkind = 'n';
	count->aggno = -1;
	count->aggtransno = -1;
	count->location = location;
	dp_pricing_ask_form(count, &formed);
	return count;
}

/* The rows of a query, counted by a value of theirs. */
static Query *
count_by(Query *query, Node *value, Node *filter, int location)
{
	Query	   *rows = dp_tree_make_select(copyObject(query->rtable), copyObject(query->jointree));

	dp_compat_take_permissions(rows, copyObject(query));
	rows->jointree->quals = make_and_qual(rows->jointree->quals, dp_tree_make_not_null(copyObject(value)));
	if (filter)
		rows->jointree->quals = make_and_qual(rows->jointree->quals, copyObject(filter));
	(void) dp_tree_add_group(rows, copyObject(value), "key", false);
	(void) dp_tree_add_column(rows, (Node *) make_ranking(location), "rank");
	rows->hasAggs = true;
	rows->hasSubLinks = query->hasSubLinks;
	rows->hasRowSecurity = query->hasRowSecurity;

	/* What is around is two levels further away. */
	IncrementVarSublevelsUp((Node *) rows, 2, 1);
	return rows;
}

/* Why a mode of this query is not to be had. */
static DpReason *
find_obstacle(Query *query, const Aggref *aggref)
{
	if (query->groupClause != NIL || query->groupingSets != NIL)
		return dp_tree_reason(aggref->location,
							  "Group by the value too, count, and take the greatest count of each group.",
							  "mode has no differentially private form in groups");
	if (query->cteList != NIL)
		return dp_tree_reason(aggref->location, "Write the rows' query in FROM.",
							  "mode is not allowed beside WITH");
	return NULL;
}

Node *
dp_asking_mode_form(Query *query, Aggref *aggref, DpReason **reason)
{
	Node	   *value = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	SubLink    *link = makeNode(SubLink);
	Query	   *above;

	*reason = find_obstacle(query, aggref);
	if (*reason)
		return (Node *) aggref;
	above = dp_tree_make_select_from(count_by(query, value, (Node *) aggref->aggfilter, aggref->location), "m");
	(void) dp_tree_add_column(above, (Node *) makeVar(1, 1, exprType(value), exprTypmod(value),
													  exprCollation(value), 0), "mode");
	link->subLinkType = EXPR_SUBLINK;
	link->subselect = (Node *) above;
	link->location = aggref->location;
	query->hasSubLinks = true;
	return (Node *) link;
}

/* Does an expression mention rows of its query's FROM, in subqueries too? */
static bool
mentions_rows(Node *node)
{
	return contain_vars_of_level(node, 0) || contain_aggs_of_level(node, 0);
}

DpReason *
dp_asking_forget_from(Query *query)
{
	if (mentions_rows((Node *) query->targetList) || mentions_rows(query->havingQual))
		return dp_tree_reason(-1, "Compute it in the query whose rows it counts.",
							  "an outer query's aggregate in a subquery is not allowed");
	query->rtable = NIL;
	dp_compat_take_permissions(query, makeNode(Query));
	query->jointree = makeFromExpr(NIL, query->havingQual);
	query->havingQual = NULL;
	query->hasAggs = false;
	return NULL;
}

#define ANSWERED \
	"count, sum, avg, min, max, stddev, variance, covar_pop, corr, regr_slope, percentile_cont, mode, bool_or and their like are answered."

typedef enum Form
{
	COUNT,
	SAME,						/* of arguments of the same types */
	OF_FLOATS,					/* of double precision, or of dates and times as they are */
	VAR_POP,					/* the covariance of a value with itself */
	STDDEV_POP,
	REGR_COUNT,
	QUANTILE,
	ANY_TRUE,
	ALL_TRUE
} Form;

static const struct
{
	const char *plain;
	Form		form;
	const char *own;
}			forms[] = {
	{"count", COUNT, "dp_count"},
	{"sum", SAME, "dp_sum"},
	{"avg", SAME, "dp_avg"},
	{"min", OF_FLOATS, "dp_min"},
	{"max", OF_FLOATS, "dp_max"},
	{"variance", SAME, "dp_variance"},
	{"var_samp", SAME, "dp_variance"},
	{"stddev", SAME, "dp_stddev"},
	{"stddev_samp", SAME, "dp_stddev"},
	{"var_pop", VAR_POP, "dp_covar_pop"},
	{"stddev_pop", STDDEV_POP, "dp_covar_pop"},
	{"covar_pop", OF_FLOATS, "dp_covar_pop"},
	{"covar_samp", OF_FLOATS, "dp_covar_samp"},
	{"corr", OF_FLOATS, "dp_corr"},
	{"regr_slope", OF_FLOATS, "dp_regr_slope"},
	{"regr_intercept", OF_FLOATS, "dp_regr_intercept"},
	{"regr_count", REGR_COUNT, "dp_count"},
	{"percentile_cont", QUANTILE, "dp_quantile"},
	{"percentile_disc", QUANTILE, "dp_quantile"},
	{"bool_or", ANY_TRUE, "dp_count"},
	{"bool_and", ALL_TRUE, "dp_count"},
	{"every", ALL_TRUE, "dp_count"},
};

/* Aggregates that people ask for in vain, and what to write instead. */
static const struct
{
	const char *plain;
	const char *hint;
}			hints[] = {

	{"array_agg", "It would show values of single people. Group by the value in a subquery, and aggregate its groups of enough people: "
	"SELECT array_agg(v) FROM (SELECT x AS v FROM ... GROUP BY x) t."},
	{"string_agg", "It would show values of single people. Group by the value in a subquery, and aggregate its groups of enough people: "
	"SELECT string_agg(v, ', ') FROM (SELECT x AS v FROM ... GROUP BY x) t."},
	{"json_agg", "Aggregate in a subquery, and make JSON of its rows."},
	{"jsonb_agg", "Aggregate in a subquery, and make JSON of its rows."},
	{"json_object_agg", "Aggregate in a subquery, and make JSON of its rows."},
	{"jsonb_object_agg", "Aggregate in a subquery, and make JSON of its rows."},
	{"min", "Numbers, dates and timestamps have a minimum, and columns of text whose keys are declared."},
	{"max", "Numbers, dates and timestamps have a maximum, and columns of text whose keys are declared."},
};

/* The number of a form; -1 if there is none. */
static int
form_of(const Aggref *aggref)
{
	const char *name = get_func_name(aggref->aggfnoid);

	if (name && aggref->aggfnoid < FirstUnpinnedObjectId)
		for (int i = 0; i < lengthof(forms); i++)
			if (strcmp(forms[i].plain, name) == 0)
				return i;
	return -1;
}

#define MONEY_HINT \
	"Cast money to numeric, with bounds: sum(least(greatest(x::numeric, 0), 1000)), or dp_sum(x::numeric, 0, 1000)."

/* Refuse an aggregate of these arguments. */
static Node *
refuse(Aggref *aggref, DpReason **reason)
{
	const char *name = get_func_name(aggref->aggfnoid);
	const char *hint = ANSWERED;

	for (int i = 0; i < lengthof(hints); i++)
		if (name && strcmp(hints[i].plain, name) == 0)
			hint = hints[i].hint;
	if (aggref->args != NIL && exprType((Node *) linitial_node(TargetEntry, aggref->args)->expr) == CASHOID)
		hint = MONEY_HINT;
	*reason = dp_tree_reason(aggref->location, hint,
							 "aggregate %s has no differentially private form for these arguments",
							 name);
	return (Node *) aggref;
}

/* One of our aggregates over these arguments in place of a plain one; NULL if there is none. */
static Aggref *
make_own(Aggref *plain, const char *name, List *arguments)
{
	Aggref	   *own = copyObject(plain);
	Oid			types[FUNC_MAX_ARGS];
	ListCell   *lc;

	own->args = NIL;
	own->aggargtypes = NIL;
	foreach(lc, arguments)
	{
		int			n = foreach_current_index(lc);
		TargetEntry *entry = makeTargetEntry(lfirst(lc), n + 1, NULL, false);

		types[n] = exprType(lfirst(lc));
		own->args = lappend(own->args, entry);
		own->aggargtypes = lappend_oid(own->aggargtypes, types[n]);
	}
	own->aggfnoid = dp_tree_own_function(name, list_length(arguments), types);
	if (!OidIsValid(own->aggfnoid))
		return NULL;
	own->aggtype = get_func_rettype(own->aggfnoid);
	own->aggcollid = InvalidOid;
	own->inputcollid = InvalidOid;
	own->aggdirectargs = NIL;
	own->aggorder = NIL;
	own->aggstar = false;
	own->aggkind = AGGKIND_NORMAL;
	return own;
}

/* Seconds as an interval, whole days apart: justify_hours(value * interval '1 second'). */
static Node *
as_interval(Node *seconds)
{
	Interval   *second = palloc0(sizeof(Interval));
	Node	   *product;

	second->time = USECS_PER_SEC;
	product = (Node *) makeFuncExpr(F_MUL_D_INTERVAL, INTERVALOID,
									list_make2(seconds, makeConst(INTERVALOID, -1, InvalidOid, sizeof(Interval),
																  IntervalPGetDatum(second), false, false)),
									InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	return (Node *) makeFuncExpr(F_JUSTIFY_HOURS, INTERVALOID, list_make1(product), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* The seconds of an interval: date_part('epoch', value). */
static Node *
as_seconds(Node *interval)
{
	FuncExpr   *call = makeFuncExpr(F_DATE_PART_TEXT_INTERVAL, FLOAT8OID,
									list_make2(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
														 CStringGetTextDatum("epoch"), false, false), interval),
									InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);

	call->location = exprLocation(interval);
	return (Node *) call;
}

/* A value as one of another type, by the cast that there is; NULL if there is none. */
static Node *
cast_to(Node *value, Oid type)
{
	if (type == INTERVALOID && exprType(value) == FLOAT8OID)
		return as_interval(value);
	return coerce_to_target_type(NULL, value, exprType(value), type, -1, COERCION_EXPLICIT,
								 COERCE_IMPLICIT_CAST, -1);
}

/* A number as double precision, as the parser would add it, and an interval's seconds; other values as they are. */
static Node *
as_float(Node *value)
{
	switch (exprType(value))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case NUMERICOID:
			return cast_to(value, FLOAT8OID);
		case INTERVALOID:
			return as_seconds(value);
		default:
			return value;
	}
}

/*
 * Arguments of an aggregate; the order of its rows means nothing to those that have
 * a form.
 */
static List *
values_of(const Aggref *aggref, bool as_floats)
{
	List	   *values = NIL;
	ListCell   *lc;

	foreach(lc, aggref->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);

		if (!entry->resjunk)
			values = lappend(values, as_floats ? as_float((Node *) entry->expr) : (Node *) entry->expr);
	}
	return values;
}

/* CASE WHEN condition THEN 1 END */
static Node *
one_if(Node *condition)
{
	return dp_tree_make_if(condition, (Node *) dp_tree_make_int4(1));
}

/* The number of rows for which a condition holds. */
static Aggref *
count_rows(Aggref *plain, Node *condition)
{
	Aggref	   *own = copyObject(plain);

	own->aggfnoid = dp_tree_count_function(1);
	own->aggtype = INT8OID;
	own->args = list_make1(makeTargetEntry((Expr *) one_if(condition), 1, NULL, false));
	own->aggargtypes = list_make1_oid(INT4OID);
	own->aggorder = NIL;
	own->inputcollid = InvalidOid;
	return own;
}

/* A count keeps its argument, and DISTINCT. */
static Node *
count_form(Aggref *plain)
{
	Aggref	   *own = copyObject(plain);

	own->args = list_truncate(own->args, plain->aggstar ? 0 : 1);
	own->aggorder = NIL;
	own->aggfnoid = dp_tree_count_function(list_length(own->args));
	own->inputcollid = InvalidOid;
	return (Node *) own;
}

/*
 * Are there rows for which a condition holds?  So many of them that noise alone would
 * not show them, with a probability of 95 %: lower(dp_interval(dp_count(...))) > 0.
 */
static Node *
any_row(Aggref *plain, Node *condition)
{
	Oid			types[] = {INT8OID, FLOAT8OID};
	Oid			function = dp_tree_own_function("dp_interval", lengthof(types), types);
	Node	   *interval = (Node *) makeFuncExpr(function, NUMRANGEOID,
												 list_make1(count_rows(plain, condition)),
												 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	Node	   *lower = (Node *) makeFuncExpr(F_LOWER_ANYRANGE, NUMERICOID, list_make1(interval),
											  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	Const	   *zero = makeConst(NUMERICOID, -1, InvalidOid, -1,
								 NumericGetDatum(int64_to_numeric(0)), false, false);

	return (Node *) makeFuncExpr(F_NUMERIC_GT, BOOLOID, list_make2(lower, zero), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* regr_count: the number of pairs without NULL. */
static Node *
count_pairs(Aggref *plain)
{
	List	   *values = values_of(plain, false);

	return (Node *) count_rows(plain, (Node *)
							   makeBoolExpr(AND_EXPR, list_make2(dp_tree_make_not_null(linitial(values)),
																 dp_tree_make_not_null(lsecond(values))), -1));
}

/* The covariance of a value with itself, and its root: noise may make it negative. */
static Node *
population_form(Aggref *plain, Node *value, const char *own, bool root)
{
	Aggref	   *variance = make_own(plain, own, list_make2(as_float(value), as_float(copyObject(value))));
	MinMaxExpr *greatest = makeNode(MinMaxExpr);

	if (variance == NULL)
		return NULL;
	greatest->minmaxtype = FLOAT8OID;
	greatest->op = IS_GREATEST;
	greatest->args = list_make2(variance, dp_tree_make_float8(0));
	greatest->location = -1;
	if (!root)
		return (Node *) greatest;
	return (Node *) makeFuncExpr(F_SQRT_FLOAT8, FLOAT8OID, list_make1(greatest), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The quantile at one fraction, as a value of the type asked for. */
static Node *
one_quantile(Aggref *plain, const char *own, double fraction, Oid type)
{
	bool		down = dp_compat_sorts_down(linitial_node(SortGroupClause, plain->aggorder)->sortop);
	Aggref	   *quantile = make_own(plain, own,
									list_make2(as_float((Node *) linitial_node(TargetEntry, plain->args)->expr),
											   dp_tree_make_float8(down ? 1 - fraction : fraction)));

	return quantile ? cast_to((Node *) quantile, type) : NULL;
}

/* The quantiles at an array of fractions, as an array. */
static Node *
many_quantiles(Aggref *plain, const char *own, ArrayType *fractions)
{
	ArrayExpr  *result = makeNode(ArrayExpr);
	Datum	   *fraction;
	int			count;

	deconstruct_array(fractions, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &fraction, NULL, &count);
	result->array_typeid = plain->aggtype;
	result->element_typeid = get_element_type(plain->aggtype);
	result->array_collid = plain->aggcollid;
	result->location = -1;
	for (int i = 0; i < count; i++)
	{
		Node	   *element = one_quantile(plain, own, DatumGetFloat8(fraction[i]),
										   result->element_typeid);

		if (element == NULL)
			return NULL;
		result->elements = lappend(result->elements, element);
	}
	return (Node *) result;
}

/* Is it an array of one dimension without nulls? */
static bool
is_list(ArrayType *array)
{
	return ARR_NDIM(array) == 1 && !array_contains_nulls(array);
}

static int
count_of(ArrayType *array)
{
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/* percentile_cont and percentile_disc, of one fraction or an array of them. */
static Node *
quantile_form(Aggref *plain, const char *own, ParamListInfo params, DpReason **reason)
{
	Const	   *fraction = dp_expression_constant(linitial(plain->aggdirectargs), params);
	int			location = exprLocation(linitial(plain->aggdirectargs));

	if (list_length(plain->args) != 1)
		return NULL;
	if (fraction == NULL)
		*reason = dp_tree_reason(location, "Write a constant or a bound parameter.",
								 "fraction must be constant");
	else if (fraction->constisnull)
		*reason = dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL,
									"fraction must not be null");
	else if (fraction->consttype == FLOAT8OID)
		return one_quantile(plain, own, DatumGetFloat8(fraction->constvalue), plain->aggtype);
	else if (count_of(DatumGetArrayTypeP(fraction->constvalue)) > DP_MOST_RELEASES)
		*reason = dp_pricing_too_many_releases(location);
	else if (is_list(DatumGetArrayTypeP(fraction->constvalue)))
		return many_quantiles(plain, own, DatumGetArrayTypeP(fraction->constvalue));
	else
		*reason = dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL,
									"fractions must be an array of one dimension without nulls");
	return (Node *) plain;
}

static bool
is_interval(Node *value)
{
	return value && exprType(value) == INTERVALOID;
}

/* The form of an aggregate that has one, of whatever type; NULL if not of these arguments. */
static Node *
make_form(Aggref *plain, Form form, const char *own, ParamListInfo params, DpReason **reason)
{
	Node	   *first = plain->args == NIL ? NULL : (Node *) linitial_node(TargetEntry, plain->args)->expr;

	switch (form)
	{
		case COUNT:
			return count_form(plain);
		case SAME:
			return (Node *) make_own(plain, own, values_of(plain, is_interval(first)));
		case OF_FLOATS:
			return (Node *) make_own(plain, own, values_of(plain, true));
		case VAR_POP:
		case STDDEV_POP:
			return population_form(plain, first, own, form == STDDEV_POP);
		case REGR_COUNT:
			return count_pairs(plain);
		case QUANTILE:
			return quantile_form(plain, own, params, reason);
		case ANY_TRUE:
			return any_row(plain, first);
		case ALL_TRUE:
			first = (Node *) makeBoolExpr(NOT_EXPR, list_make1(first), -1);
			return (Node *) makeBoolExpr(NOT_EXPR, list_make1(any_row(plain, first)), -1);
	}
	return NULL;
}

/* Is there an aggregate of ours of the same meaning for distinct values? */
static bool
takes_distinct(const char *plain)
{
	return strcmp(plain, "count") == 0 || strcmp(plain, "sum") == 0 || strcmp(plain, "avg") == 0;
}

/* Is it a sum or mean of intervals, of which those that are equal can look different? */
static bool
sums_intervals(const Aggref *aggref)
{
	return forms[form_of(aggref)].form != COUNT && aggref->args != NIL &&
		is_interval((Node *) linitial_node(TargetEntry, aggref->args)->expr);
}

Node *
dp_asking_private_form(Aggref *aggref, ParamListInfo params, DpReason **reason)
{
	int			number = form_of(aggref);
	Node	   *form = NULL;

	if (number >= 0 && (aggref->aggdistinct == NIL || (takes_distinct(forms[number].plain) && !sums_intervals(aggref))))
		form = make_form(aggref, forms[number].form, forms[number].own, params, reason);
	if (*reason)
		return (Node *) aggref;
	if (form)
		form = cast_to(form, aggref->aggtype);
	return form ? form : refuse(aggref, reason);
}

Node *
dp_asking_make_keys_alone(int location)
{
	Aggref	   *aggref = dp_tree_make_aggregate("keys_alone", NIL, BOOLOID);

	aggref->aggstar = true;
	aggref->location = location;
	return (Node *) aggref;
}
