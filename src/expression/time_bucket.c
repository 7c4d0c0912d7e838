/* SPDX-License-Identifier: PostgreSQL */
/*
 * time_bucket.c
 *	  time_bucket of TimescaleDB, written with built-in functions.
 *
 *		time_bucket('7 days', at)						date_bin('7 days', at, '2000-01-03')
 *		time_bucket('3 months', at)						date_trunc('quarter', at)
 *		time_bucket('1 day', at, "offset" => '6 h')		date_bin('1 day', at - '6 h', '2000-01-03') + '6 h'
 *		time_bucket(10, x)								(x - m) / 10 * 10 + m, with a bucket's beginning m below all x
 *
 * In a time zone, local time is put into buckets, and b is the beginning's time.  Where clocks are set back, b
 * may lie behind the time that it is of, and the bucket begins as many widths before b as it takes:
 * LEAST(b, date_bin(width, at, b)).  Days are of 24 hours there.
 *
 * Where TimescaleDB raises an error for a time, because it lies too near to the ends of its type, the value
 * here is NULL or the bucket's beginning.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "base/compat_planner.h"
#include "expression/bucket_function.h"
#include "expression/fold_constants.h"
#include "expression/time_bucket.h"

/* Monday 2000-01-03: where buckets begin that are no months */
#define FIRST_MONDAY (2 * USECS_PER_DAY)

/* As many days are more than there are times, and fit into microseconds. */
#define MOST_DAYS 100000000

/* A call, with the arguments that are not given NULL. */
typedef struct Bucket
{
	Oid			type;			/* of the time */
	Node	   *time;
	Const	   *width;
	Const	   *origin;			/* of integers: the offset */
	Const	   *offset;
	Const	   *zone;
} Bucket;

/* All arguments of a call, by their places. */
static List *
arguments(const FuncExpr *call)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(call->funcid));
	List	   *args;

	if (!HeapTupleIsValid(tuple))
		return NIL;
	args = expand_function_arguments(copyObject(call->args), false, call->funcresulttype, tuple);
	ReleaseSysCache(tuple);
	return args;
}

/* Note an argument that is a constant and not NULL, by its place and type. */
static void
note(Bucket *bucket, int place, Const *constant)
{
	if (place == 0)
		bucket->width = constant;
	else if (constant->consttype == TEXTOID)
		bucket->zone = constant;
	else if (constant->consttype == INTERVALOID)
		bucket->offset = constant;
	else
		bucket->origin = constant;
}

/* Read a call; false if there is more in it than the time that is not constant.  *null: is it NULL by that? */
static bool
read_call(const FuncExpr *call, ParamListInfo params, Bucket *bucket, bool *null)
{
	List	   *args = arguments(call);
	ListCell   *lc;

	*bucket = (Bucket) {0};
	*null = false;
	foreach(lc, args)
	{
		int			place = foreach_current_index(lc);
		Const	   *constant;

		if (place == 1)
		{
			bucket->time = lfirst(lc);
			bucket->type = exprType(bucket->time);
			continue;
		}
		constant = dp_expression_constant(lfirst(lc), params);
		if (constant == NULL)
			return false;
		if (!constant->constisnull)
			note(bucket, place, constant);
		else if (list_length(args) < 5 || place < 3)
			*null = true;
	}
	return bucket->time != NULL;
}

/* A call as PostgreSQL would read it: under the collation of its argument, if that has one. */
static Node *
call_of(Oid function, Oid result, List *args)
{
	return (Node *) makeFuncExpr(function, result, args, InvalidOid, exprCollation(linitial(args)), COERCE_EXPLICIT_CALL);
}

static Node *
text_of(const char *text)
{
	return (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(text), false, false);
}

static Node *
time_of(Oid type, int64 time)
{
	return (Node *) makeConst(type, -1, InvalidOid, sizeof(int64), Int64GetDatum(time), false, FLOAT8PASSBYVAL);
}

static const Interval *
interval_of(const Const *constant)
{
	return DatumGetIntervalP(constant->constvalue);
}

/* Is it an interval of as many whole days, each of 24 hours? */
static bool
is_whole_days(const Const *constant)
{
	const Interval *interval = interval_of(constant);

	return interval->month == 0 && interval->time % USECS_PER_DAY == 0;
}

/*
 * Does date_bin of this server find the bucket of a time that begins one, and lies before the origin?  Minor
 * releases before those of May 2024 take the one before it.
 */
static bool
bins_are_exact(void)
{
	Interval	day = {.day = 1};

	return DatumGetTimestamp(DirectFunctionCall3(timestamp_bin, IntervalPGetDatum(&day), TimestampGetDatum(-USECS_PER_DAY),
												 TimestampGetDatum(0))) == -USECS_PER_DAY;
}

/* An origin that all times lie behind, where that is needed. */
static int64
safe_origin(int64 origin, const Interval *width)
{
	int64		step = width->time + width->day * USECS_PER_DAY;

	if (step <= 0 || step > -MIN_TIMESTAMP || bins_are_exact())
		return origin;
	origin %= step;
	return origin - (origin - MIN_TIMESTAMP) / step * step;
}

/* date_bin(width, time, origin), which lie as given; the time is of type timestamp or timestamptz */
static Node *
bin_from(const Bucket *bucket, Oid type, Node *time, Node *origin)
{
	return call_of(type == TIMESTAMPOID ? F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP : F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ,
				   type, list_make3(copyObject(bucket->width), time, origin));
}

/* The field that date_trunc takes for as many months from an origin's on; NULL if there is none. */
static const char *
field_of(int64 months, int64 origin)
{
	static const struct
	{
		int			months;
		const char *field;
	}			fields[] = {{1, "month"}, {3, "quarter"}, {12, "year"}, {120, "decade"}};
	struct pg_tm tm;
	fsec_t		fsec;

	if (timestamp2tm(origin, NULL, &tm, &fsec, NULL, NULL) != 0)
		return NULL;
	for (int i = 0; i < lengthof(fields); i++)
		if (fields[i].months == months && (tm.tm_year * MONTHS_PER_YEAR + tm.tm_mon - 1) % months == 0)
			return fields[i].field;
	return NULL;
}

/* The months that a time is in; it is of type timestamp or timestamptz. */
static Node *
months_of(const Bucket *bucket, Oid type, Node *time, int64 origin)
{
	const Interval *width = interval_of(bucket->width);
	const char *field = width->day == 0 && width->time == 0 ? field_of(width->month, origin) : NULL;

	if (field == NULL)
		return NULL;
	if (type == TIMESTAMPOID)
		return call_of(F_DATE_TRUNC_TEXT_TIMESTAMP, type, list_make2(text_of(field), time));
	return call_of(F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, type, list_make3(text_of(field), time, text_of("UTC")));
}

/* The bucket of a time from an origin on, both of type timestamp or timestamptz; NULL if it cannot be written. */
static Node *
bucket_from(const Bucket *bucket, Oid type, Node *time, int64 origin)
{
	if (TIMESTAMP_NOT_FINITE(origin))
		return NULL;
	if (interval_of(bucket->width)->month != 0)
		return months_of(bucket, type, time, origin);
	return bin_from(bucket, type, time, time_of(type, safe_origin(origin, interval_of(bucket->width))));
}

/* The origin of a call, or the one that is meant where none is given. */
static int64
origin_of(const Bucket *bucket)
{
	if (bucket->origin == NULL)
		return interval_of(bucket->width)->month != 0 ? 0 : FIRST_MONDAY;
	if (bucket->type == DATEOID)
		return DatumGetTimestamp(DirectFunctionCall1(date_timestamp, bucket->origin->constvalue));
	if (bucket->zone)
		return DatumGetTimestamp(DirectFunctionCall2(timestamptz_zone, bucket->zone->constvalue, bucket->origin->constvalue));
	return DatumGetTimestamp(bucket->origin->constvalue);
}

/* A time moved by the offset: to the origin's side of it (-), or back (+). */
static Node *
move(const Bucket *bucket, Oid type, Node *time, char way)
{
	Oid			function;

	if (bucket->offset == NULL || time == NULL)
		return time;
	if (type == TIMESTAMPOID)
		function = way == '-' ? F_TIMESTAMP_MI_INTERVAL : F_TIMESTAMP_PL_INTERVAL;
	else
		function = way == '-' ? F_TIMESTAMPTZ_MI_INTERVAL : F_TIMESTAMPTZ_PL_INTERVAL;
	return call_of(function, type, list_make2(time, copyObject(bucket->offset)));
}

static Node *
bucket_of_date(const Bucket *bucket)
{
	Node	   *time = call_of(F_TIMESTAMP_DATE, TIMESTAMPOID, list_make1(bucket->time));

	if ((interval_of(bucket->width)->month == 0 && !is_whole_days(bucket->width)) || (bucket->offset && !is_whole_days(bucket->offset)))
		return NULL;
	time = bucket_from(bucket, TIMESTAMPOID, move(bucket, TIMESTAMPOID, time, '-'), origin_of(bucket));
	return time ? call_of(F_DATE_TIMESTAMP, DATEOID, list_make1(move(bucket, TIMESTAMPOID, time, '+'))) : NULL;
}

/* The lesser of the beginning that local time has and of the last one, whole widths before it, not behind the time. */
static Node *
not_behind(const Bucket *bucket, Node *begin, Node *time)
{
	const Interval *width = interval_of(bucket->width);
	MinMaxExpr *least = makeNode(MinMaxExpr);
	Node	   *origin = copyObject(begin);

	if (width->month != 0)
		return begin;
	if (!bins_are_exact() && width->time + width->day * USECS_PER_DAY > 0)
	{
		int64		step = width->time + width->day * USECS_PER_DAY;
		Interval   *back = palloc0(sizeof(Interval));

		back->time = (2 * USECS_PER_DAY / step + 1) * step;
		origin = call_of(F_TIMESTAMPTZ_MI_INTERVAL, TIMESTAMPTZOID,
						 list_make2(origin, makeConst(INTERVALOID, -1, InvalidOid, sizeof(Interval), IntervalPGetDatum(back), false, false)));
	}
	least->minmaxtype = TIMESTAMPTZOID;
	least->op = IS_LEAST;
	least->args = list_make2(begin, bin_from(bucket, TIMESTAMPTZOID, time, origin));
	least->location = -1;
	return (Node *) least;
}

static Node *
bucket_in_zone(const Bucket *bucket)
{
	Node	   *time = move(bucket, TIMESTAMPTZOID, bucket->time, '-');
	Node	   *local = call_of(F_TIMEZONE_TEXT_TIMESTAMPTZ, TIMESTAMPOID, list_make2(copyObject(bucket->zone), copyObject(time)));

	local = bucket_from(bucket, TIMESTAMPOID, local, origin_of(bucket));
	if (local == NULL)
		return NULL;
	local = call_of(F_TIMEZONE_TEXT_TIMESTAMP, TIMESTAMPTZOID, list_make2(copyObject(bucket->zone), local));
	return move(bucket, TIMESTAMPTZOID, not_behind(bucket, local, time), '+');
}

static Node *
bucket_of_time(const Bucket *bucket)
{
	Node	   *time = move(bucket, bucket->type, bucket->time, '-');

	return move(bucket, bucket->type, bucket_from(bucket, bucket->type, time, origin_of(bucket)), '+');
}

/* An integer, as the type that holds it. */
static int64
integer_of(const Const *constant)
{
	if (constant == NULL)
		return 0;
	switch (constant->consttype)
	{
		case INT2OID:
			return DatumGetInt16(constant->constvalue);
		case INT4OID:
			return DatumGetInt32(constant->constvalue);
		default:
			return DatumGetInt64(constant->constvalue);
	}
}

/* How integers of a type are put into buckets: in a wider type, in which nothing overflows. */
typedef struct Wider
{
	Oid			type;
	Oid			wider;
	int64		least;
	Oid			widen;
	Oid			minus;
	Oid			divide;
	Oid			times;
	Oid			plus;
	Oid			narrow;
} Wider;

static const Wider wider[] = {
	{INT2OID, INT8OID, PG_INT16_MIN, F_INT8_INT2, F_INT8MI, F_INT8DIV, F_INT8MUL, F_INT8PL, F_INT2_INT8},
	{INT4OID, INT8OID, PG_INT32_MIN, F_INT8_INT4, F_INT8MI, F_INT8DIV, F_INT8MUL, F_INT8PL, F_INT4_INT8},
	{INT8OID, NUMERICOID, PG_INT64_MIN, F_NUMERIC_INT8, F_NUMERIC_SUB, F_DIV, F_NUMERIC_MUL, F_NUMERIC_ADD, F_INT8_NUMERIC},
};

/* A constant of the wider type. */
static Node *
widened(const Wider *to, Numeric value)
{
	if (to->wider == NUMERICOID)
		return (Node *) makeConst(NUMERICOID, -1, InvalidOid, -1, NumericGetDatum(value), false, false);
	return time_of(INT8OID, DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value))));
}

/* The beginning of a bucket that is not above any integer of the type. */
static Numeric
lowest_begin(const Wider *to, int64 width, int64 offset)
{
	Datum		step = NumericGetDatum(int64_to_numeric(width));
	Datum		begin = NumericGetDatum(int64_to_numeric(to->least - to->least % width));

	begin = DirectFunctionCall2(numeric_sub, begin, step);
	if (offset % width > 0)
		begin = DirectFunctionCall2(numeric_sub, begin, step);
	return DatumGetNumeric(DirectFunctionCall2(numeric_add, begin, NumericGetDatum(int64_to_numeric(offset % width))));
}

static Node *
bucket_of_integer(const Bucket *bucket, const Wider *to)
{
	int64		width = integer_of(bucket->width);
	Numeric		step;
	Numeric		begin;
	Node	   *value;

	if (width <= 0)
		return NULL;
	step = int64_to_numeric(width);
	begin = lowest_begin(to, width, integer_of(bucket->origin));
	value = call_of(to->widen, to->wider, list_make1(bucket->time));
	value = call_of(to->minus, to->wider, list_make2(value, widened(to, begin)));
	value = call_of(to->divide, to->wider, list_make2(value, widened(to, step)));
	value = call_of(to->times, to->wider, list_make2(value, widened(to, step)));
	value = call_of(to->plus, to->wider, list_make2(value, widened(to, begin)));
	return call_of(to->narrow, to->type, list_make1(value));
}

/* A bucket written with built-in functions; NULL if there are none. */
static Node *
written_out(const Bucket *bucket)
{
	for (int i = 0; i < lengthof(wider); i++)
		if (wider[i].type == bucket->type)
			return bucket_of_integer(bucket, &wider[i]);
	if (bucket->type == DATEOID)
		return bucket_of_date(bucket);
	if (bucket->type != TIMESTAMPOID && bucket->type != TIMESTAMPTZOID)
		return NULL;
	return bucket->zone ? bucket_in_zone(bucket) : bucket_of_time(bucket);
}

/* Is it an interval of more days than there are? */
static bool
is_too_long(const Const *constant)
{
	return constant && constant->consttype == INTERVALOID && llabs((int64) interval_of(constant)->day) > MOST_DAYS;
}

Node *
dp_expression_built_in_bucket(const FuncExpr *call, ParamListInfo params)
{
	Bucket		bucket;
	bool		null;
	Node	   *result;

	if (!dp_expression_is_time_bucket(call->funcid) || !DP_MAY_EXECUTE(call->funcid, GetUserId()) ||
		!read_call(call, params, &bucket, &null))
		return NULL;
	if (null)
		return (Node *) makeNullConst(call->funcresulttype, -1, InvalidOid);
	if (is_too_long(bucket.width) || is_too_long(bucket.offset))
		return NULL;
	result = written_out(&bucket);
	if (result && IsA(result, FuncExpr))
		((FuncExpr *) result)->location = call->location;
	return result;
}
