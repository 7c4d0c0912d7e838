/* SPDX-License-Identifier: PostgreSQL */
/*
 * value_range.c
 *	  Interval arithmetic over expressions; see value_range.h.
 *
 * Every rule holds for real numbers.  A result rounds to its type, an integer's by
 * truncation in divisions and to the nearest in casts: both keep order, and so the rule is
 * applied to the bounds.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "expression/arithmetic.h"
#include "expression/fold_constants.h"
#include "expression/null_on_error.h"
#include "from/grouped_subquery.h"
#include "policy/domain.h"
#include "pricing/value_range.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

#define BOUNDS_HINT "Write bounds into the value, least(greatest(x, lower), upper), where NULL counts as lower."

/* A block whose expression is looked at, and the first part of that which nothing bounds. */
typedef struct Search
{
	Query	   *block;
	const DpUnitRows *rows;		/* of a unit, or NULL */
	bool		joined;			/* is it a subquery that is joined with others? */
	DpReason   *reason;
} Search;

static const DpValueRange nothing = {INFINITY, -INFINITY};
static const DpValueRange anything = {-INFINITY, INFINITY};

static DpValueRange range_of(Search *search, Node *expr);

static bool
is_empty(DpValueRange range)
{
	return range.lower > range.upper;
}

/* An expression without a rule can be anything. */
static DpValueRange
unknown(Search *search, Node *expr)
{
	if (search->reason == NULL)
		search->reason = dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(expr), BOUNDS_HINT,
										   "the bounds of this expression do not follow from those of its columns");
	return anything;
}

/* Bounds of what a column's domain admits, if that has any. */
static bool
range_of_domain(const DpDomain *domain, DpValueRange *range)
{
	Datum	   *key;
	int			count;
	int16		length;
	bool		byval;
	char		align;

	if (domain->kind == DP_DOMAIN_RANGE)
	{
		range->lower = dp_policy_domain_bound(domain->type, domain->lower);
		range->upper = dp_policy_domain_bound(domain->type, domain->upper);
		return true;
	}
	if (domain->kind != DP_DOMAIN_KEYS || !dp_policy_type_has_range(domain->type))
		return false;
	get_typlenbyvalalign(domain->type, &length, &byval, &align);
	deconstruct_array(domain->keys, domain->type, length, byval, align, &key, NULL, &count);
	*range = nothing;
	for (int i = 0; i < count; i++)
	{
		double		value = dp_policy_domain_bound(domain->type, key[i]);

		*range = (DpValueRange) {fmin(range->lower, value), fmax(range->upper, value)};
	}
	return isfinite(range->lower) && isfinite(range->upper);
}

/* A column of a table: as its owner declared. */
static DpValueRange
range_of_column(Search *search, const RangeTblEntry *rte, Var *var)
{
	const char *name = get_attname(rte->relid, var->varattno, false);
	DpValueRange range;
	DpDomain	domain;

	dp_policy_domain_get(rte->relid, var->varattno, &domain);
	if (!dp_policy_type_has_bounds(domain.type))
		return unknown(search, (Node *) var);
	if (range_of_domain(&domain, &range))
		return range;
	if (search->reason == NULL)
		search->reason = dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, var->location,
										   psprintf(BOUNDS_HINT " Or have the table's owner declare them for everybody: SELECT dp_agg.set_domain(%s, %s, lower, upper).",
													quote_literal_cstr(get_rel_name(rte->relid)),
													quote_literal_cstr(name)),
										   "no bounds are declared for column \"%s\"", name);
	return anything;
}

/* A column of a subquery, or of each part of a UNION ALL. */
static DpValueRange
range_of_output(Search *search, int number)
{
	DpValueRange range = nothing;
	ListCell   *lc;

	if (search->block->setOperations == NULL)
		return range_of(search, (Node *) list_nth_node(TargetEntry, search->block->targetList, number - 1)->expr);
	foreach(lc, search->block->rtable)
	{
		Search		part = {.block = lfirst_node(RangeTblEntry, lc)->subquery, .rows = search->rows, .joined = search->joined};
		DpValueRange one = range_of_output(&part, number);

		range = (DpValueRange) {fmin(range.lower, one.lower), fmax(range.upper, one.upper)};
		if (search->reason == NULL)
			search->reason = part.reason;
	}
	return range;
}

/* A column of anything in FROM: subqueries are looked through. */
static DpValueRange
range_of_var(Search *search, Var *var)
{
	RangeTblEntry *rte;
	Search		within = {0};
	DpValueRange range;

	if (var->varlevelsup > 0 || var->varattno <= 0)
		return unknown(search, (Node *) var);
	rte = rt_fetch(var->varno, search->block->rtable);
	if (rte->rtekind == RTE_RELATION)
		return range_of_column(search, rte, var);
	if (rte->rtekind != RTE_SUBQUERY)
		return unknown(search, (Node *) var);
	within.block = rte->subquery;
	within.rows = search->rows;
	within.joined = search->joined || dp_pricing_joins_items(search->block);
	range = range_of_output(&within, var->varattno);
	if (within.reason && var->location >= 0)
		within.reason->location = var->location;
	if (search->reason == NULL)
		search->reason = within.reason;
	return range;
}

static DpValueRange
range_of_constant(Search *search, Const *constant)
{
	double		value;

	if (constant->constisnull)
		return nothing;
	if (constant->consttype == BOOLOID)
		value = DatumGetBool(constant->constvalue);
	else if (dp_policy_type_has_bounds(constant->consttype))
		value = dp_policy_domain_bound(constant->consttype, constant->constvalue);
	else
		return unknown(search, (Node *) constant);
	return isfinite(value) ? (DpValueRange) {value, value} : unknown(search, (Node *) constant);
}

/* Range of values of any of these expressions. */
static DpValueRange
range_of_any(Search *search, List *exprs)
{
	DpValueRange range = nothing;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		DpValueRange one = range_of(search, lfirst(lc));

		range = (DpValueRange) {fmin(range.lower, one.lower), fmax(range.upper, one.upper)};
	}
	return range;
}

static DpValueRange
range_of_case(Search *search, CaseExpr *cases)
{
	List	   *results = NIL;
	ListCell   *lc;

	foreach(lc, cases->args)
		results = lappend(results, lfirst_node(CaseWhen, lc)->result);
	if (cases->defresult)
		results = lappend(results, cases->defresult);
	return range_of_any(search, results);
}

/*
 * GREATEST and LEAST leave NULLs out, so that each argument may decide alone; but a
 * constant is never left out.
 */
static DpValueRange
range_of_extreme(Search *search, MinMaxExpr *extreme)
{
	DpValueRange range = range_of_any(search, extreme->args);
	ListCell   *lc;

	foreach(lc, extreme->args)
	{
		DpValueRange fixed = IsA(lfirst(lc), Const) ? range_of_constant(search, lfirst(lc)) : nothing;

		if (is_empty(fixed))
			continue;
		if (extreme->op == IS_GREATEST)
			range.lower = fmax(range.lower, fixed.lower);
		else
			range.upper = fmin(range.upper, fixed.upper);
	}
	return range;
}

static double
add(double a, double b)
{
	return a + b;
}

static double
subtract(double a, double b)
{
	return a - b;
}

/* The product of two values: infinite bounds are those of finite values. */
static double
multiply(double a, double b)
{
	return a == 0 || b == 0 ? 0 : a * b;
}

static double
divide(double a, double b)
{
	return a / b;
}

static double
divide_integers(double a, double b)
{
	return trunc(a / b);
}

/*
 * The extremes of an operation that has them where both its arguments do.  What infinite
 * bounds leave open is no number, which fmin and fmax pass over: others are as extreme.
 */
static DpValueRange
corners(double (*operation) (double, double), DpValueRange a, DpValueRange b)
{
	double		ll = operation(a.lower, b.lower);
	double		lu = operation(a.lower, b.upper);
	double		ul = operation(a.upper, b.lower);
	double		uu = operation(a.upper, b.upper);

	return (DpValueRange) {fmin(fmin(ll, lu), fmin(ul, uu)), fmax(fmax(ll, lu), fmax(ul, uu))};
}

static DpValueRange
absolute(DpValueRange a)
{
	double		most = fmax(fabs(a.lower), fabs(a.upper));

	if (a.lower <= 0 && a.upper >= 0)
		return (DpValueRange) {0, most};
	return (DpValueRange) {fmin(fabs(a.lower), fabs(a.upper)), most};
}

/*
 * Range of the remainder of a division of a: at most that much, at most a, and of
 * its sign.
 */
static DpValueRange
remainders(DpValueRange a, double most)
{
	return (DpValueRange) {fmax(fmin(a.lower, 0), -most), fmin(fmax(a.upper, 0), most)};
}

static double
sign(double value)
{
	return (value > 0) - (value < 0);
}

static double
whole_days(double microseconds)
{
	return floor(microseconds / (double) USECS_PER_DAY);
}

static double
to_microseconds(double days)
{
	return days * (double) USECS_PER_DAY;
}

static double
to_epoch(double microseconds)
{
	return microseconds / USECS_PER_SEC +
		(double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
}

/* The year that a day since 2000 lies in. */
static double
year_of(double day)
{
	int			year;
	int			month;
	int			dom;

	j2date((int) fmax(day + POSTGRES_EPOCH_JDATE, 0), &year, &month, &dom);
	return year;
}

/* Range of a field of any date or time; lower > upper: it depends on the value. */
static DpValueRange
natural_range(const char *field)
{
	static const struct
	{
		const char *name;
		DpValueRange range;
	}			fields[] = {
		{"month", {1, 12}}, {"day", {1, 31}}, {"hour", {0, 23}}, {"minute", {0, 59}},
		{"second", {0, 60}}, {"milliseconds", {0, 60000}}, {"microseconds", {0, 60000000}},
		{"dow", {0, 6}}, {"isodow", {1, 7}}, {"doy", {1, 366}}, {"week", {1, 53}},
		{"quarter", {1, 4}}
	};

	for (int i = 0; i < lengthof(fields); i++)
		if (pg_strcasecmp(field, fields[i].name) == 0)
			return fields[i].range;
	return nothing;
}

/* A date or time as days since 2000; one with a time zone may be another day elsewhere. */
static DpValueRange
as_days(DpValueRange range, Oid type)
{
	if (type == DATEOID)
		return range;
	range = (DpValueRange) {whole_days(range.lower), whole_days(range.upper)};
	if (type == TIMESTAMPTZOID)
		range = (DpValueRange) {range.lower - 1, range.upper + 1};
	return range;
}

/* extract(field FROM value): fields that grow with the value, and those that do not. */
static DpValueRange
range_of_field(Search *search, List *args, Node *call)
{
	Const	   *constant = linitial(args);
	Node	   *value = lsecond(args);
	Oid			type = exprType(value);
	const char *field;
	DpValueRange range;

	if (!IsA(constant, Const) || constant->constisnull)
		return unknown(search, call);
	field = TextDatumGetCString(constant->constvalue);
	range = natural_range(field);
	if (!is_empty(range))
		return range;
	if (type == TIMEOID || (pg_strcasecmp(field, "year") != 0 && pg_strcasecmp(field, "epoch") != 0))
		return unknown(search, call);
	range = range_of(search, value);
	if (is_empty(range) || isinf(range.lower) || isinf(range.upper))
		return range;
	if (pg_strcasecmp(field, "year") == 0)
	{
		range = as_days(range, type);
		return (DpValueRange) {year_of(range.lower), year_of(range.upper)};
	}
	if (type == DATEOID)
		range = (DpValueRange) {to_microseconds(range.lower), to_microseconds(range.upper)};
	return (DpValueRange) {to_epoch(range.lower), to_epoch(range.upper)};
}

/* The function that an expression calls, if it calls one. */
static Oid
function_of(Node *node)
{
	if (IsA(node, OpExpr))
		return ((OpExpr *) node)->opfuncid;
	return IsA(node, FuncExpr) ? ((FuncExpr *) node)->funcid : InvalidOid;
}

/* Is an interval the time between two moments, in days and less? */
static bool
is_difference(Node *node)
{
	Oid			function = function_of(node);

	return function == F_TIMESTAMP_MI || function == F_TIMESTAMPTZ_MI || function == F_TIME_MI_TIME;
}

/* Is it an age, in years, months and days? */
static bool
is_age(Node *node)
{
	Oid			function = function_of(node);

	return function == F_AGE_TIMESTAMP_TIMESTAMP || function == F_AGE_TIMESTAMPTZ_TIMESTAMPTZ;
}

/* Can an interval that is computed so have months, which are not as long as they count when it is compared? */
static bool
has_months(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, has_months, context);
	if (exprType(node) != INTERVALOID || is_difference(node))
		return false;
	if (IsA(node, Const))
		return !((Const *) node)->constisnull && DatumGetIntervalP(((Const *) node)->constvalue)->month != 0;
	return IsA(node, Var) || IsA(node, FuncExpr) || IsA(node, Aggref) || expression_tree_walker(node, has_months, context);
}

/* How many of a unit an interval shows, beside greater units: at most so many, of its sign. */
static DpValueRange
parts_of(DpValueRange range, double unit, double most)
{
	return (DpValueRange) {range.lower < 0 ? fmax(trunc(range.lower / unit), -most) : 0,
		range.upper > 0 ? fmin(trunc(range.upper / unit), most) : 0};
}

/* extract(field FROM interval), of an interval within a range. */
static DpValueRange
range_of_part(Search *search, Node *interval, const char *field, DpValueRange range, Node *call)
{
	static const struct
	{
		const char *name;
		double		unit;		/* in microseconds */
		double		most;
	}			parts[] = {
		{"microseconds", 1, 60e6}, {"milliseconds", 1e3, 60e3}, {"second", USECS_PER_SEC, 60},
		{"minute", USECS_PER_MINUTE, 59}, {"month", 30.0 * USECS_PER_DAY, 11}
	};
	bool		months = has_months(interval, NULL);
	bool		whole = is_difference(interval) || is_age(interval);
	double		years = months ? DAYS_PER_YEAR / (12.0 * DAYS_PER_MONTH) : 1;

	if (pg_strcasecmp(field, "epoch") == 0)
		return (DpValueRange) {fmin(range.lower, range.lower * years) / USECS_PER_SEC,
			fmax(range.upper, range.upper * years) / USECS_PER_SEC};
	if (pg_strcasecmp(field, "year") == 0)
		return parts_of(range, 12.0 * DAYS_PER_MONTH * USECS_PER_DAY, INFINITY);
	if (pg_strcasecmp(field, "day") == 0 && !months)
		return (DpValueRange) {trunc(range.lower / USECS_PER_DAY), trunc(range.upper / USECS_PER_DAY)};
	if (pg_strcasecmp(field, "day") == 0)
		return parts_of(range, USECS_PER_DAY, whole ? 31 : INFINITY);
	if (pg_strcasecmp(field, "hour") == 0)
		return parts_of(range, USECS_PER_HOUR, whole ? 23 : INFINITY);
	for (int i = 0; i < lengthof(parts); i++)
		if (pg_strcasecmp(field, parts[i].name) == 0)
			return parts_of(range, parts[i].unit, parts[i].most);
	return unknown(search, call);
}

/* The same, of an expression. */
static DpValueRange
range_of_interval_field(Search *search, List *args, Node *call)
{
	Const	   *field = linitial(args);
	DpValueRange range = range_of(search, lsecond(args));

	if (!IsA(field, Const) || field->constisnull)
		return unknown(search, call);
	if (is_empty(range) || isinf(range.lower) || isinf(range.upper))
		return range;
	return range_of_part(search, lsecond(args), TextDatumGetCString(field->constvalue), range, call);
}

/* age(later, earlier) of moments, as PostgreSQL has it for the extremes of both. */
static bool
range_of_age(DpValueRange a, DpValueRange b, DpValueRange *range)
{
	const double most = (double) (END_TIMESTAMP - 1);
	const double least = (double) MIN_TIMESTAMP;

	if (!(a.lower >= least && a.upper <= most && b.lower >= least && b.upper <= most))
		return false;
	range->lower = dp_policy_domain_bound(INTERVALOID, DirectFunctionCall2(timestamp_age, TimestampGetDatum((Timestamp) a.lower),
																		   TimestampGetDatum((Timestamp) b.upper)));
	range->upper = dp_policy_domain_bound(INTERVALOID, DirectFunctionCall2(timestamp_age, TimestampGetDatum((Timestamp) a.upper),
																		   TimestampGetDatum((Timestamp) b.lower)));
	return true;
}

/* A moment and an interval, whose months may be of 28 to 31 days, and of 30 in the interval's range. */
static DpValueRange
moved(DpValueRange range, DpValueRange interval)
{
	double		most = absolute(interval).upper;
	double		slack = most < 28.0 * USECS_PER_DAY ? 0 : ceil(most * 0.07);

	return (DpValueRange) {range.lower - slack, range.upper + slack};
}

/* The most characters of a text: as its type says, or those of its keys. */
static double
longest(Search *search, Node *value)
{
	Var		   *var;
	RangeTblEntry *entry;
	DpDomain	domain;
	Datum	   *key;
	int			count;
	double		most = 0;

	while (IsA(value, RelabelType))
		value = (Node *) ((RelabelType *) value)->arg;
	if ((exprType(value) == VARCHAROID || exprType(value) == BPCHAROID) && exprTypmod(value) > (int32) VARHDRSZ)
		return exprTypmod(value) - VARHDRSZ;
	var = (Var *) value;
	if (!IsA(value, Var) || var->varlevelsup > 0 || var->varattno <= 0)
		return INFINITY;
	entry = rt_fetch(var->varno, search->block->rtable);
	if (entry->rtekind != RTE_RELATION)
		return INFINITY;
	dp_policy_domain_get(entry->relid, var->varattno, &domain);
	if (domain.kind != DP_DOMAIN_KEYS || get_typlen(domain.type) != -1)
		return INFINITY;
	deconstruct_array(domain.keys, domain.type, -1, false, TYPALIGN_INT, &key, NULL, &count);
	for (int i = 0; i < count; i++)
		most = fmax(most, pg_mbstrlen(TextDatumGetCString(key[i])));
	return most;
}

/* length(text), in characters of so many bytes at most. */
static DpValueRange
range_of_length(Search *search, Node *value, int bytes, Node *call)
{
	double		most = longest(search, value) * bytes;

	return isfinite(most) ? (DpValueRange) {0, most} : unknown(search, call);
}

/* round(value, digits) of numeric, outward. */
static DpValueRange
round_to(Search *search, List *args, Node *call, DpValueRange range)
{
	Const	   *digits = lsecond(args);
	double		unit;

	if (!IsA(digits, Const) || digits->constisnull)
		return unknown(search, call);
	unit = pow(10, -Max(Min(DatumGetInt32(digits->constvalue), 300), -300));
	return (DpValueRange) {floor(range.lower / unit) * unit, ceil(range.upper / unit) * unit};
}

/* A function of one number: what it makes of a range. */
static DpValueRange
range_of_unary(Search *search, Oid function, List *args, Node *call)
{
	DpValueRange a = range_of(search, linitial(args));
	DpConversion conversion = dp_expression_conversion(function);

	if (is_empty(a))
		return a;
	if (dp_expression_arithmetic(function) == DP_ARITHMETIC_NEGATION)
		return (DpValueRange) {-a.upper, -a.lower};
	if (conversion == DP_CONVERSION_ROUNDS)
		return (DpValueRange) {floor(a.lower), ceil(a.upper)};
	if (conversion != DP_CONVERSION_OTHER)
		return a;
	switch (function)
	{
		case F_NUMERIC_NUMERIC_INT4:
		case F_INT2UP:
		case F_INT4UP:
		case F_INT8UP:
		case F_FLOAT4UP:
		case F_FLOAT8UP:
		case F_NUMERIC_UPLUS:
		case F_TRIM_SCALE:
			return a;
		case F_ROUND_NUMERIC:
		case F_ROUND_FLOAT8:
			return (DpValueRange) {floor(a.lower), ceil(a.upper)};
		case F_FLOOR_NUMERIC:
		case F_FLOOR_FLOAT8:
			return (DpValueRange) {floor(a.lower), floor(a.upper)};
		case F_CEIL_NUMERIC:
		case F_CEIL_FLOAT8:
		case F_CEILING_NUMERIC:
		case F_CEILING_FLOAT8:
			return (DpValueRange) {ceil(a.lower), ceil(a.upper)};
		case F_TRUNC_NUMERIC:
		case F_TRUNC_FLOAT8:
			return (DpValueRange) {trunc(a.lower), trunc(a.upper)};
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC_INT4:
			return round_to(search, args, call, a);
		case F_SIGN_NUMERIC:
		case F_SIGN_FLOAT8:
			return (DpValueRange) {sign(a.lower), sign(a.upper)};
		case F_ABS_INT2:
		case F_ABS_INT4:
		case F_ABS_INT8:
		case F_ABS_FLOAT4:
		case F_ABS_FLOAT8:
		case F_ABS_NUMERIC:
		case F_INT2ABS:
		case F_INT4ABS:
		case F_INT8ABS:
		case F_FLOAT4ABS:
		case F_FLOAT8ABS:
		case F_NUMERIC_ABS:
			return absolute(a);
		case F_TIMESTAMP_DATE:
			return (DpValueRange) {to_microseconds(a.lower), to_microseconds(a.upper)};
		case F_DATE_TIMESTAMP:
			return as_days(a, TIMESTAMPOID);
		case F_DATE_TIMESTAMPTZ:
			return as_days(a, TIMESTAMPTZOID);
		case F_TIMESTAMPTZ_DATE:
			return (DpValueRange) {to_microseconds(a.lower - 1), to_microseconds(a.upper + 1)};
		case F_TIMESTAMPTZ_TIMESTAMP:
		case F_TIMESTAMP_TIMESTAMPTZ:
			return (DpValueRange) {a.lower - USECS_PER_DAY, a.upper + USECS_PER_DAY};
		case F_INTERVAL_UM:
			return (DpValueRange) {-a.upper, -a.lower};
		case F_INTERVAL_TIME:
		case F_JUSTIFY_DAYS:
		case F_JUSTIFY_HOURS:
		case F_JUSTIFY_INTERVAL:
			return a;
		default:
			return unknown(search, call);
	}
}

/* The same of dates, times and intervals. */
static bool
range_of_times(Oid function, DpValueRange a, DpValueRange b, DpValueRange *range)
{
	switch (function)
	{
		case F_TIMESTAMP_MI:
		case F_TIMESTAMPTZ_MI:
		case F_TIME_MI_TIME:
		case F_INTERVAL_MI:
			*range = corners(subtract, a, b);
			return true;
		case F_INTERVAL_PL:
			*range = corners(add, a, b);
			return true;
		case F_INTERVAL_MUL:
		case F_MUL_D_INTERVAL:
			*range = corners(multiply, a, b);
			return true;
		case F_INTERVAL_DIV:
			*range = corners(divide, a, b);
			return b.lower > 0 || b.upper < 0;
		case F_TIMESTAMP_PL_INTERVAL:
		case F_TIMESTAMPTZ_PL_INTERVAL:
			*range = moved(corners(add, a, b), b);
			return true;
		case F_TIMESTAMP_MI_INTERVAL:
		case F_TIMESTAMPTZ_MI_INTERVAL:
			*range = moved(corners(subtract, a, b), b);
			return true;
		case F_AGE_TIMESTAMP_TIMESTAMP:
		case F_AGE_TIMESTAMPTZ_TIMESTAMPTZ:
			return range_of_age(a, b, range);
		default:
			return false;
	}
}

/* Is there a rule for this function of two numbers?  Then what it makes of their ranges. */
static bool
range_of_binary(Oid function, DpValueRange a, DpValueRange b, DpValueRange *range)
{
	bool		has_zero = b.lower <= 0 && b.upper >= 0;

	switch (dp_expression_arithmetic(function))
	{
		case DP_ARITHMETIC_PLUS:
			*range = corners(add, a, b);
			return true;
		case DP_ARITHMETIC_MINUS:
			*range = corners(subtract, a, b);
			return true;
		case DP_ARITHMETIC_TIMES:
			*range = corners(multiply, a, b);
			return true;
		default:
			break;
	}
	switch (dp_expression_division(function))
	{
		case DP_DIVISION_WHOLE:
			/* By 1 or -1 at the least. */
			*range = has_zero ? (DpValueRange) {-absolute(a).upper, absolute(a).upper} :
				corners(divide_integers, a, b);
			return true;
		case DP_DIVISION_EXACT:
			*range = corners(divide, a, b);
			return !has_zero;
		default:
			break;
	}
	switch (function)
	{
		case F_DATE_PLI:
		case F_INTEGER_PL_DATE:
			*range = corners(add, a, b);
			return true;
		case F_DATE_MI:
		case F_DATE_MII:
			*range = corners(subtract, a, b);
			return true;
		case F_INT2MOD:
		case F_INT4MOD:
		case F_INT8MOD:
		case F_MOD_INT2_INT2:
		case F_MOD_INT4_INT4:
		case F_MOD_INT8_INT8:
			*range = remainders(a, fmax(absolute(b).upper - 1, 0));
			return true;
		case F_NUMERIC_MOD:
		case F_MOD_NUMERIC_NUMERIC:
			*range = remainders(a, absolute(b).upper);
			return true;
		default:
			return range_of_times(function, a, b, range);
	}
}

/* A call of a built-in function with these arguments. */
static DpValueRange
range_of_call(Search *search, Oid function, List *args, Node *call)
{
	DpValueRange a;
	DpValueRange b;
	DpValueRange range;

	switch (function)
	{
		case F_INT4_BOOL:
			return (DpValueRange) {0, 1};
		case F_EXTRACT_TEXT_DATE:
		case F_EXTRACT_TEXT_TIME:
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_DATE:
		case F_DATE_PART_TEXT_TIME:
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return range_of_field(search, args, call);
		case F_EXTRACT_TEXT_INTERVAL:
		case F_DATE_PART_TEXT_INTERVAL:
			return range_of_interval_field(search, args, call);
		case F_LENGTH_TEXT:
		case F_CHAR_LENGTH_TEXT:
		case F_CHARACTER_LENGTH_TEXT:
		case F_LENGTH_BPCHAR:
		case F_CHAR_LENGTH_BPCHAR:
		case F_CHARACTER_LENGTH_BPCHAR:
			return range_of_length(search, linitial(args), 1, call);
		case F_OCTET_LENGTH_TEXT:
		case F_OCTET_LENGTH_BPCHAR:
			return range_of_length(search, linitial(args), pg_database_encoding_max_length(), call);
		case F_NUMERIC_NUMERIC_INT4:
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC_INT4:
			return range_of_unary(search, function, args, call);
		default:
			break;
	}
	if (list_length(args) == 1)
		return range_of_unary(search, function, args, call);
	if (list_length(args) != 2)
		return unknown(search, call);
	a = range_of(search, linitial(args));
	b = range_of(search, lsecond(args));
	if (is_empty(a) || is_empty(b))
		return nothing;
	return range_of_binary(function, a, b, &range) ? range : unknown(search, call);
}

/* What bounds the number of rows that a subquery groups, if nobody has said. */
#define ROWS_HINT \
	BOUNDS_HINT " Or have the owner declare how many rows of a unit count, dp_agg.protect(..., max_rows => 10), or SET dp_agg.max_rows."

/*
 * Rows of a unit that the subquery which is looked at reads, or 0.  One by itself reads those that the block does; one
 * that is joined may read more than come out of the join.
 */
static int
rows_of(const Search *search)
{
	if (search->rows == NULL)
		return 0;
	return search->joined ? dp_pricing_unit_rows_of(search->block, search->rows) : search->rows->of_block;
}

/*
 * An aggregate of a grouping subquery: extremes and means are where the values are.  A count
 * is of as many rows of a unit as count, and a sum of as many values.
 */
static DpValueRange
range_of_aggregate(Search *search, Oid function, Node *arg, Node *call)
{
	const char *name = get_func_name(function);
	DpValueRange range = {0, INFINITY};
	int			rows;

	if (arg && strcmp(name, "count") != 0)
		range = range_of(search, dp_from_without_limits(arg));
	if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0 || strcmp(name, "avg") == 0)
		return range;
	if (strcmp(name, "count") != 0 && strcmp(name, "sum") != 0)
		return unknown(search, call);
	rows = rows_of(search);
	if (rows > 0 && strcmp(name, "count") == 0)
		return (DpValueRange) {0, rows};
	if (rows > 0)
		return (DpValueRange) {fmin(range.lower, multiply(range.lower, rows)),
			fmax(range.upper, multiply(range.upper, rows))};
	if (search->reason == NULL)
		search->reason = dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(call), ROWS_HINT,
										   "the bounds of this expression do not follow from those of its columns");
	return (DpValueRange) {range.lower < 0 ? -INFINITY : 0, range.upper > 0 ? INFINITY : 0};
}

/* The range of the first argument, if there is one. */
static DpValueRange
range_of_first(Search *search, List *args)
{
	return args == NIL ? anything : range_of(search, linitial(args));
}

/* A window function of a subquery: values of other rows are where the values are. */
static DpValueRange
range_of_window(Search *search, WindowFunc *call)
{
	Node	   *arg = call->args == NIL ? NULL : linitial(call->args);

	if (call->winagg)
		return range_of_aggregate(search, call->winfnoid, arg, (Node *) call);
	switch (call->winfnoid)
	{
		case F_LAG_ANYELEMENT:
		case F_LAG_ANYELEMENT_INT4:
		case F_LEAD_ANYELEMENT:
		case F_LEAD_ANYELEMENT_INT4:
		case F_FIRST_VALUE:
		case F_LAST_VALUE:
		case F_NTH_VALUE:
			return range_of_first(search, call->args);
		case F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
		case F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
			return range_of_any(search, call->args == NIL ? NIL : list_make2(arg, llast(call->args)));
		case F_PERCENT_RANK_:
		case F_CUME_DIST_:
			return (DpValueRange) {0, 1};
		case F_ROW_NUMBER:
		case F_RANK_:
		case F_DENSE_RANK_:
			if (rows_of(search) > 0)
				return (DpValueRange) {1, rows_of(search)};
			(void) unknown(search, (Node *) call);
			return (DpValueRange) {1, INFINITY};
		case F_NTILE:
			return (DpValueRange) {1, range_of_first(search, call->args).upper};
		default:
			(void) unknown(search, (Node *) call);
			return (DpValueRange) {1, INFINITY};
	}
}

/* A float in its canonical form. */
static bool
is_canonical(const FuncExpr *call)
{
	Oid			type = list_length(call->args) == 1 ? exprType(linitial(call->args)) : InvalidOid;

	return (type == FLOAT4OID || type == FLOAT8OID) && call->funcid >= FirstNormalObjectId &&
		call->funcid == dp_tree_internal_function("canonical", 1, &type);
}

/* The range of what a function returns: of one that is tried, NULL where it fails. */
static DpValueRange
range_of_function(Search *search, FuncExpr *call)
{
	Oid			tried = dp_expression_attempted((Node *) call);

	if (OidIsValid(tried))
		return range_of_call(search, tried, list_copy_tail(call->args, 1), (Node *) call);
	if (is_canonical(call))
		return range_of(search, linitial(call->args));
	return range_of_call(search, call->funcid, call->args, (Node *) call);
}

/* The range of a reduced expression. */
static DpValueRange
range_of(Search *search, Node *expr)
{
	check_stack_depth();
	if (exprType(expr) == BOOLOID && !IsA(expr, Const))
		return (DpValueRange) {0, 1};
	switch (nodeTag(expr))
	{
		case T_Var:
			return range_of_var(search, (Var *) expr);
		case T_Const:
			return range_of_constant(search, (Const *) expr);
		case T_RelabelType:
			return range_of(search, (Node *) ((RelabelType *) expr)->arg);
		case T_FuncExpr:
			return range_of_function(search, (FuncExpr *) expr);
		case T_OpExpr:
			set_opfuncid((OpExpr *) expr);
			return range_of_call(search, ((OpExpr *) expr)->opfuncid, ((OpExpr *) expr)->args, expr);
		case T_NullIfExpr:
			return range_of(search, linitial(((NullIfExpr *) expr)->args));
		case T_CoalesceExpr:
			return range_of_any(search, ((CoalesceExpr *) expr)->args);
		case T_CaseExpr:
			return range_of_case(search, (CaseExpr *) expr);
		case T_MinMaxExpr:
			return range_of_extreme(search, (MinMaxExpr *) expr);
		case T_Aggref:
			return range_of_aggregate(search, ((Aggref *) expr)->aggfnoid, ((Aggref *) expr)->args == NIL ? NULL
									  : (Node *) linitial_node(TargetEntry, ((Aggref *) expr)->args)->expr, expr);
		case T_WindowFunc:
			return range_of_window(search, (WindowFunc *) expr);
		default:
			return unknown(search, expr);
	}
}

DpReason *
dp_pricing_value_range(Query *block, Node *expr, ParamListInfo params, const DpUnitRows *rows, DpValueRange *range)
{
	Search		search = {.block = block, .rows = rows};
	DpReason   *reason = NULL;

	expr = dp_expression_fold(block, expr, params, &reason);
	if (reason)
		return reason;
	*range = range_of(&search, expr);
	return is_empty(*range) || (isfinite(range->lower) && isfinite(range->upper)) ? NULL : search.reason;
}
