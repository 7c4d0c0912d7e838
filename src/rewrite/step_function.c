/* SPDX-License-Identifier: PostgreSQL */
/*
 * step_function.c
 *	  How an expression follows its column; see step_function.h.
 *
 * Functions are those of the allow-list that are known to be monotone, or to depend on fields of a date or
 * time.  What is not here makes a shape unknown, and no harm is done.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "expression/arithmetic.h"
#include "expression/null_on_error.h"
#include "rewrite/step_function.h"
#include "tree/own_functions.h"

/* The shortest stretch over which an hour, or a day, stays the same, wherever its time zone's clocks are set. */
#define HOUR_GRAIN (15 * USECS_PER_MINUTE)
#define DAY_GRAIN (12 * USECS_PER_HOUR)

static const DpShape unknown = {.known = false};

static DpShape shape_of(Node *expr, const Var *var);

/* What a function is to its arguments. */
typedef enum Manner
{
	UNKNOWN,
	PLAIN,						/* a function of its arguments, no more is known */
	MONOTONE,					/* if one of them varies, it never turns back */
	STEPS,						/* the same, and takes as many values as there are integers */
	FIELD						/* a field of a date or time */
} Manner;

static Manner
manner_of_number(Oid function)
{
	DpConversion conversion = dp_expression_conversion(function);

	if (conversion == DP_CONVERSION_ROUNDS)
		return STEPS;
	if (conversion != DP_CONVERSION_OTHER || dp_expression_arithmetic(function) != DP_ARITHMETIC_OTHER)
		return MONOTONE;
	switch (function)
	{
		case F_TRIM_SCALE:
			return MONOTONE;
		case F_NUMERIC_NUMERIC_INT4:
		case F_ROUND_NUMERIC:
		case F_ROUND_FLOAT8:
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC:
		case F_TRUNC_FLOAT8:
		case F_TRUNC_NUMERIC_INT4:
		case F_FLOOR_NUMERIC:
		case F_FLOOR_FLOAT8:
		case F_CEIL_NUMERIC:
		case F_CEIL_FLOAT8:
		case F_CEILING_NUMERIC:
		case F_CEILING_FLOAT8:
		case F_SIGN_NUMERIC:
		case F_SIGN_FLOAT8:
		case F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4:
		case F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4:
			return STEPS;
		case F_INT2MOD:
		case F_INT4MOD:
		case F_INT8MOD:
		case F_MOD_INT2_INT2:
		case F_MOD_INT4_INT4:
		case F_MOD_INT8_INT8:
		case F_NUMERIC_MOD:
		case F_MOD_NUMERIC_NUMERIC:
		case F_INT2ABS:
		case F_INT4ABS:
		case F_INT8ABS:
		case F_ABS_INT2:
		case F_ABS_INT4:
		case F_ABS_INT8:
		case F_ABS_NUMERIC:
		case F_NUMERIC_ABS:
			return PLAIN;
		default:
			return UNKNOWN;
	}
}

/* Divisions turn back where what is divided by changes its sign. */
static bool
is_division(Oid function)
{
	return dp_expression_division(function) != DP_DIVISION_OTHER || function == F_DIV;
}

static Manner
manner_of_time(Oid function)
{
	switch (function)
	{
		case F_DATE_PLI:
		case F_DATE_MII:
		case F_DATE_MI:
		case F_INTEGER_PL_DATE:
		case F_TIMESTAMP_DATE:
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMPTZ_TIMESTAMP:
		case F_TIMEZONE_TEXT_TIMESTAMP:
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
		case F_TIMEZONE_INTERVAL_TIMESTAMP:
		case F_TIMEZONE_INTERVAL_TIMESTAMPTZ:
			return MONOTONE;
		case F_DATE_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
		case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
		case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
			return STEPS;
		case F_EXTRACT_TEXT_DATE:
		case F_EXTRACT_TEXT_TIME:
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_DATE:
		case F_DATE_PART_TEXT_TIME:
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return FIELD;
		default:
			return UNKNOWN;
	}
}

/* Functions of text that is short if its arguments are, and comparisons. */
static Manner
manner_of_others(Oid function)
{
	switch (function)
	{
		case F_TEXTCAT:
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
		case F_INT4OUT:
		case F_INT8OUT:
		case F_INT2OUT:
		case F_NUMERIC_OUT:
		case F_DATE_OUT:
		case F_INT4LT:
		case F_INT4LE:
		case F_INT4GT:
		case F_INT4GE:
		case F_INT4EQ:
		case F_INT4NE:
		case F_INT8LT:
		case F_INT8LE:
		case F_INT8GT:
		case F_INT8GE:
		case F_INT8EQ:
		case F_INT8NE:
		case F_NUMERIC_LT:
		case F_NUMERIC_LE:
		case F_NUMERIC_GT:
		case F_NUMERIC_GE:
		case F_NUMERIC_EQ:
		case F_NUMERIC_NE:
		case F_FLOAT8LT:
		case F_FLOAT8LE:
		case F_FLOAT8GT:
		case F_FLOAT8GE:
		case F_FLOAT8EQ:
		case F_FLOAT8NE:
		case F_DATE_LT:
		case F_DATE_LE:
		case F_DATE_GT:
		case F_DATE_GE:
		case F_DATE_EQ:
		case F_DATE_NE:
			return PLAIN;
		default:
			return UNKNOWN;
	}
}

static Manner
manner_of(Oid function)
{
	Manner		manner = manner_of_number(function);

	if (manner == UNKNOWN)
		manner = manner_of_time(function);
	return manner == UNKNOWN ? manner_of_others(function) : manner;
}

/* Windows from here on are those of days of years, which meet days of the week only in many years. */
#define YEARS_WINDOW (8 * 367 * USECS_PER_DAY)

/* Within how much time two fields have all values that they have together. */
static int64
common_window(int64 a, int64 b)
{
	if (a == 0 || b == 0 || (a != b && Max(a, b) >= YEARS_WINDOW))
		return 0;
	return Max(a, b);
}

/* Are two shapes those of the same clock, looked up for the same times? */
static bool
have_one_clock(const DpShape *one, const DpShape *other)
{
	return one->zone == NULL || other->zone == NULL ||
		(strcmp(one->zone, other->zone) == 0 && one->shift == other->shift);
}

/*
 * Add an argument that varies to others; false if they follow different clocks.  Fields of one time change on one
 * grid.  Two others may change one shortly after another.
 */
static bool
put_together(DpShape *all, const DpShape *one)
{
	if (!have_one_clock(all, one))
		return false;
	if (all->zone == NULL)
	{
		all->zone = one->zone;
		all->shift = one->shift;
	}
	if (all->of == NULL || one->of == NULL || !equal(all->of, one->of))
		all->of = NULL;
	all->grain = all->of ? Min(all->grain, one->grain) : 0;
	all->window = common_window(all->window, one->window);
	all->steps &= one->steps;
	all->monotone = false;
	return true;
}

/* Put the shapes of arguments together. */
static DpShape
shape_of_all(List *args, const Var *var)
{
	DpShape		all = {.known = true, .fixed = true, .monotone = true};
	ListCell   *lc;

	foreach(lc, args)
	{
		DpShape		one = shape_of(lfirst(lc), var);

		if (!one.known)
			return unknown;
		if (one.fixed)
			continue;
		if (all.fixed)
			all = one;
		else if (!put_together(&all, &one))
			return unknown;
	}
	return all;
}

/* Fields of a date or time: how long they stay the same, and how long until they have been all. */
static const struct
{
	const char *name;
	int64		grain;
	int64		window;
	bool		monotone;
}			fields[] = {
	{"minute", 30 * USECS_PER_SEC, 25 * USECS_PER_HOUR, false},
	{"hour", HOUR_GRAIN, 2 * USECS_PER_DAY, false},
	{"dow", DAY_GRAIN, 15 * USECS_PER_DAY, false},
	{"isodow", DAY_GRAIN, 15 * USECS_PER_DAY, false},
	{"day", DAY_GRAIN, YEARS_WINDOW, false},
	{"doy", DAY_GRAIN, YEARS_WINDOW, false},
	{"week", DAY_GRAIN, 0, false},
	{"month", DAY_GRAIN, 400 * USECS_PER_DAY, false},
	{"quarter", DAY_GRAIN, 400 * USECS_PER_DAY, false},
	{"year", DAY_GRAIN, 0, true},
	{"isoyear", DAY_GRAIN, 0, true},
	{"decade", DAY_GRAIN, 0, true},
	{"century", DAY_GRAIN, 0, true},
	{"millennium", DAY_GRAIN, 0, true}
};

/* extract(field FROM value), of a value that is what a clock shows. */
static DpShape
shape_of_field(List *args, DpShape shape)
{
	Const	   *field = linitial(args);
	const char *name;

	if (!IsA(field, Const) || field->constisnull || !shape.monotone)
		return unknown;
	name = TextDatumGetCString(field->constvalue);
	for (int i = 0; i < lengthof(fields); i++)
		if (pg_strcasecmp(name, fields[i].name) == 0)
		{
			/* The beginnings of longer stretches may take longer to have all values. */
			shape.window = !shape.steps || (shape.grain > 0 && shape.grain < fields[i].grain) ? fields[i].window : 0;
			shape.grain = shape.steps ? Max(shape.grain, fields[i].grain) : fields[i].grain;
			shape.monotone = fields[i].monotone;
			shape.steps = true;
			shape.of = lsecond(args);
			return shape;
		}
	return unknown;
}

/* How long a constant interval is, with days of 24 hours; 0 if nobody knows, as it has months. */
static int64
length_of(const Node *interval)
{
	const Const *constant = (const Const *) interval;
	const Interval *value;
	int64		length;

	if (!IsA(interval, Const) || constant->constisnull || constant->consttype != INTERVALOID)
		return 0;
	value = DatumGetIntervalP(constant->constvalue);
	if (value->month != 0 || pg_mul_s64_overflow(value->day, USECS_PER_DAY, &length) ||
		pg_add_s64_overflow(length, value->time, &length))
		return 0;
	return length;
}

/* How long date_trunc of these stays the same, while no clock is set. */
static const struct
{
	const char *name;
	int64		grain;
}			stretches[] = {
	{"minute", USECS_PER_MINUTE},
	{"hour", USECS_PER_HOUR},
	{"day", USECS_PER_DAY},
	{"week", 7 * USECS_PER_DAY},
	{"month", 28 * USECS_PER_DAY},
	{"quarter", 90 * USECS_PER_DAY},
	{"year", 365 * USECS_PER_DAY},
	{"decade", 3652 * USECS_PER_DAY},
	{"century", 36524 * USECS_PER_DAY},
	{"millennium", 365242 * USECS_PER_DAY}
};

/* How long what such a function leaves of a time stays the same, while no clock is set. */
static int64
grain_of_cut(List *args)
{
	Const	   *unit = linitial(args);
	const char *name;

	if (list_length(args) == 1)
		return USECS_PER_DAY;
	if (length_of(linitial(args)) > 0)
		return length_of(linitial(args));
	if (!IsA(unit, Const) || unit->constisnull || unit->consttype != TEXTOID)
		return 0;
	name = TextDatumGetCString(unit->constvalue);
	for (int i = 0; i < lengthof(stretches); i++)
		if (pg_strcasecmp(name, stretches[i].name) == 0)
			return stretches[i].grain;
	return 1;
}

/* How long a text stays the same that shows of a time what this format says; 0 if nothing is known. */
static int64
grain_of_format(const char *format)
{
	static const char *const finer[] = {"MI", "MS", "SS", "US", "FF", "OF", "TZ"};
	int64		grain = DAY_GRAIN;

	for (int i = 0; i < lengthof(finer); i++)
		for (const char *at = format; *at; at++)
			if (pg_strncasecmp(at, finer[i], 2) == 0)
				return 0;
	for (const char *at = format; *at; at++)
	{
		if (pg_strncasecmp(at, "HH", 2) == 0 || pg_strncasecmp(at, "AM", 2) == 0 || pg_strncasecmp(at, "PM", 2) == 0)
			grain = HOUR_GRAIN;
		if (strchr("YMDQWIHAPonthyadm0124-/. :_", *at) == NULL)
			return 0;
	}
	return grain;
}

/* to_char(value, format) */
static DpShape
shape_of_format(List *args, DpShape shape)
{
	Const	   *format = lsecond(args);

	if (shape.steps)
	{
		shape.monotone = false;
		return shape;
	}
	if (!IsA(format, Const) || format->constisnull || !shape.monotone)
		return unknown;
	shape.grain = grain_of_format(TextDatumGetCString(format->constvalue));
	shape.monotone = false;
	shape.window = 0;
	shape.of = linitial(args);
	shape.steps = shape.grain > 0;
	return shape.steps ? shape : unknown;
}

/* Is it date_bin? */
static bool
is_bin(Oid function)
{
	return function == F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP || function == F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ;
}

/* A time and a constant interval: it never turns back if the interval is as long wherever it is added. */
static Manner
manner_of_move(Oid function, List *args)
{
	bool		with_zone = function == F_TIMESTAMPTZ_PL_INTERVAL || function == F_TIMESTAMPTZ_MI_INTERVAL;
	Const	   *interval = llast(args);

	if (!with_zone && function != F_TIMESTAMP_PL_INTERVAL && function != F_TIMESTAMP_MI_INTERVAL)
		return UNKNOWN;
	if (length_of((Node *) interval) == 0 || (with_zone && DatumGetIntervalP(interval->constvalue)->day != 0))
		return UNKNOWN;
	return MONOTONE;
}

/* By how much such a call moves a time that varies. */
static int64
shift_by(Oid function, List *args)
{
	int64		length = manner_of_move(function, args) == MONOTONE ? length_of(llast(args)) : 0;

	return function == F_TIMESTAMPTZ_MI_INTERVAL || function == F_TIMESTAMP_MI_INTERVAL ? -length : length;
}

/* The name of a zone; an empty one if it is not constant. */
static const char *
name_of(Node *zone)
{
	Const	   *constant = (Const *) zone;

	return IsA(constant, Const) && !constant->constisnull && constant->consttype == TEXTOID ? TextDatumGetCString(constant->constvalue) : "";
}

/* The zone by whose clock a function reads or makes local time, of its arguments or the session's; NULL if none. */
static const char *
zone_of(Oid function, List *args)
{
	switch (function)
	{
		case F_TIMEZONE_TEXT_TIMESTAMP:
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
			return name_of(linitial(args));
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			return name_of(lthird(args));
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMPTZ_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
			return pg_get_timezone_name(session_timezone);
		default:
			return NULL;
	}
}

/*
 * Note the zone by which a function takes a time that varies; false if it is not known, or there is another already.
 * What it makes of a time that stays the same over stretches does so over these, whatever its zone; but it may turn back.
 */
static bool
take_zone(Oid function, List *args, DpShape *shape)
{
	const char *name = zone_of(function, args);

	if (name == NULL)
		return true;
	if (*name == '\0' || (shape->zone && !shape->steps && strcmp(shape->zone, name) != 0))
		return false;
	if (shape->zone == NULL)
		shape->zone = name;
	return true;
}

static DpShape
shape_of_call(Oid function, List *args, const Var *var)
{
	DpShape		shape = shape_of_all(args, var);
	Manner		manner = manner_of(function);

	if (manner == UNKNOWN && args != NIL)
		manner = manner_of_move(function, args);
	if (is_bin(function) && !(IsA(linitial(args), Const) && IsA(lthird(args), Const)))
		manner = UNKNOWN;
	if (is_division(function))
		manner = list_length(args) == 2 && IsA(lsecond(args), Const) ?
			exprType(lsecond(args)) == INT2OID || exprType(lsecond(args)) == INT4OID || exprType(lsecond(args)) == INT8OID ||
			function == F_DIV ? STEPS : MONOTONE : PLAIN;
	if (!shape.known || manner == UNKNOWN)
		return unknown;
	if (shape.fixed)
		return shape;
	if (shape.zone == NULL && !shape.steps)
		shape.shift += shift_by(function, args);
	if (!take_zone(function, args, &shape))
		return unknown;
	if (manner == FIELD)
		return shape_of_field(args, shape);
	if (function == F_TO_CHAR_TIMESTAMP_TEXT || function == F_TO_CHAR_TIMESTAMPTZ_TEXT)
		return shape_of_format(args, shape);
	if (manner == STEPS && manner_of_time(function) == STEPS && !shape.steps)
	{
		shape.grain = grain_of_cut(args);
		shape.window = 0;
		shape.of = is_bin(function) ? NULL : list_length(args) == 1 ? linitial(args) : lsecond(args);
	}
	shape.steps |= manner == STEPS && shape.monotone;
	if (manner == PLAIN)
		shape.monotone = false;
	return shape;
}

/* A number or interval in its canonical form. */
static bool
is_canonical(const FuncExpr *call)
{
	Oid			type = list_length(call->args) == 1 ? exprType(linitial(call->args)) : InvalidOid;

	return (type == FLOAT4OID || type == FLOAT8OID) && call->funcid >= FirstNormalObjectId &&
		call->funcid == dp_tree_internal_function("canonical", 1, &type);
}

static DpShape
shape_of_function(FuncExpr *call, const Var *var)
{
	Oid			tried = dp_expression_attempted((Node *) call);

	if (OidIsValid(tried))
		return shape_of_call(tried, list_copy_tail(call->args, 1), var);
	if (is_canonical(call))
		return shape_of(linitial(call->args), var);
	return shape_of_call(call->funcid, call->args, var);
}

/* Arguments in any combination: a condition, CASE and their like. */
static DpShape
shape_of_parts(List *parts, const Var *var)
{
	DpShape		shape = shape_of_all(parts, var);

	shape.monotone = false;
	return shape;
}

static DpShape
shape_of_case(CaseExpr *cases, const Var *var)
{
	List	   *parts = cases->defresult ? list_make1(cases->defresult) : NIL;
	ListCell   *lc;

	if (cases->arg)
		return unknown;
	foreach(lc, cases->args)
	{
		parts = lappend(parts, lfirst_node(CaseWhen, lc)->expr);
		parts = lappend(parts, lfirst_node(CaseWhen, lc)->result);
	}
	return shape_of_parts(parts, var);
}

/* A number or date written out as text. */
static DpShape
shape_of_text(CoerceViaIO *cast, const Var *var)
{
	switch (exprType((Node *) cast->arg))
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case DATEOID:
			if (cast->resulttype == TEXTOID || cast->resulttype == VARCHAROID)
				return shape_of_parts(list_make1(cast->arg), var);
			return unknown;
		default:
			return unknown;
	}
}

/* The arguments of a call, be it tried or not, and of what function; NIL of what is no call. */
static List *
arguments_of(Node *expr, Oid *function)
{
	*function = InvalidOid;
	if (!IsA(expr, FuncExpr))
		return NIL;
	*function = dp_expression_attempted(expr);
	if (OidIsValid(*function))
		return list_copy_tail(((FuncExpr *) expr)->args, 1);
	*function = ((FuncExpr *) expr)->funcid;
	return ((FuncExpr *) expr)->args;
}

/*
 * LEAST(b, date_bin(width, time, b)), where b is date_bin(width, local time, origin) as a time: what time_bucket in a
 * time zone is.  It is the former but in the hour before clocks are set back.
 */
static bool
is_bucket_in_zone(List *args, const Var *var, DpShape *shape)
{
	Oid			function;
	List	   *bin = list_length(args) == 2 ? arguments_of(lsecond(args), &function) : NIL;
	List	   *local;

	if (bin == NIL || !is_bin(function) || !equal(linitial(args), lthird(bin)) || !shape_of(lsecond(bin), var).known)
		return false;
	local = arguments_of(linitial(args), &function);
	if (function != F_TIMEZONE_TEXT_TIMESTAMP)
		return false;
	local = arguments_of(lsecond(local), &function);
	*shape = shape_of(linitial(args), var);
	if (!is_bin(function) || !equal(linitial(bin), linitial(local)) || !shape->known || !shape->steps || !IsA(lthird(local), Const))
		return false;
	return true;
}

/* GREATEST and LEAST */
static DpShape
shape_of_extreme(MinMaxExpr *extreme, const Var *var)
{
	DpShape		shape;

	if (extreme->op == IS_LEAST && is_bucket_in_zone(extreme->args, var, &shape))
		return shape;
	return shape_of_all(extreme->args, var);
}

static DpShape
shape_of(Node *expr, const Var *var)
{
	check_stack_depth();
	switch (nodeTag(expr))
	{
		case T_Const:
			return (DpShape) {.known = true, .fixed = true};
		case T_Var:
			return (DpShape) {.known = equal(expr, var), .monotone = true};
		case T_RelabelType:
			return shape_of((Node *) ((RelabelType *) expr)->arg, var);
		case T_FuncExpr:
			return shape_of_function((FuncExpr *) expr, var);
		case T_OpExpr:
			return shape_of_call(((OpExpr *) expr)->opfuncid, ((OpExpr *) expr)->args, var);
		case T_CoerceViaIO:
			return shape_of_text((CoerceViaIO *) expr, var);
		case T_BoolExpr:
			return shape_of_parts(((BoolExpr *) expr)->args, var);
		case T_CoalesceExpr:
			return shape_of_parts(((CoalesceExpr *) expr)->args, var);
		case T_NullTest:
			return shape_of_parts(list_make1(((NullTest *) expr)->arg), var);
		case T_CaseExpr:
			return shape_of_case((CaseExpr *) expr, var);
		case T_MinMaxExpr:
			return shape_of_extreme((MinMaxExpr *) expr, var);
		default:
			return unknown;
	}
}

DpShape
dp_rewrite_shape(Node *expr, const Var *var)
{
	return shape_of(expr, var);
}
