/* SPDX-License-Identifier: PostgreSQL */
/*
 * buckets.c
 *	  Buckets of a column's values.
 *
 * Bucket number b of n between lower and upper holds what lies from its edge b - 1 on, and
 * before its edge b.  Edges of dates and times are lower + e (upper - lower) / n, rounded
 * up to whole days or microseconds: so a value's bucket is told in integers, exactly, and by
 * the edges shown.  So it is of whole numbers where edges are, too.  The number of a bucket never falls as values grow, of doubles because no
 * step of the computation does.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "asking/buckets.h"
#include "base/sql_function.h"
#include "tree/own_functions.h"

PG_FUNCTION_INFO_V1(dp_asking_bucket_date);
PG_FUNCTION_INFO_V1(dp_asking_bucket_timestamp);
PG_FUNCTION_INFO_V1(dp_asking_edge_date);
PG_FUNCTION_INFO_V1(dp_asking_edge_timestamp);

/*
 * Number of the bucket 1 .. bins that holds x, values outside the bounds in the end buckets;
 * 0 for NaN, and without bounds that can be divided into bins: finite ones, in order.
 * Total: never an error.
 */
static int32
bucket_of_number(double x, double lower, double upper, int32 bins)
{
	double		width = upper - lower;
	double		position;

	if (isnan(x) || !isfinite(lower) || !isfinite(upper) || !(lower < upper) || bins < 1)
		return 0;
	if (x < lower)
		return 1;
	if (x >= upper)
		return bins;

	/* The distance of finite bounds may be infinite; that of their halves is not. */
	if (isfinite(width * bins))
		position = floor((x - lower) * bins / width);
	else
		position = floor((x / 2 - lower / 2) / (upper / 2 - lower / 2) * bins);
	return position >= bins ? bins : (int32) position + 1;
}

/* The same of dates and times, infinities among them. */
static int32
bucket_of_time(int64 x, int64 lower, int64 upper, int32 bins)
{
	uint64		distance = (uint64) x - (uint64) lower;
	uint64		width = (uint64) upper - (uint64) lower;

	if (lower >= upper || bins < 1)
		return 0;
	if (x < lower)
		return 1;
	if (x >= upper)
		return bins;
	if (distance <= PG_UINT64_MAX / bins)
		return (int32) (distance * bins / width) + 1;
	return (int32) ((unsigned __int128) distance * bins / width) + 1;
}

/* The number of a bucket, or NULL, as a function returns it. */
static Datum
number(FunctionCallInfo fcinfo, int32 bucket)
{
	if (bucket == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(bucket);
}

static Datum
number_of(FunctionCallInfo fcinfo, double x)
{
	return number(fcinfo, bucket_of_number(x, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2),
										   PG_GETARG_INT32(3)));
}

DP_SQL_FUNCTION(dp_asking_bucket_int2, number_of(fcinfo, PG_GETARG_INT16(0)));
DP_SQL_FUNCTION(dp_asking_bucket_int4, number_of(fcinfo, PG_GETARG_INT32(0)));
DP_SQL_FUNCTION(dp_asking_bucket_int8, number_of(fcinfo, (double) PG_GETARG_INT64(0)));
DP_SQL_FUNCTION(dp_asking_bucket_float4, number_of(fcinfo, PG_GETARG_FLOAT4(0)));
DP_SQL_FUNCTION(dp_asking_bucket_float8, number_of(fcinfo, PG_GETARG_FLOAT8(0)));
DP_SQL_FUNCTION(dp_asking_bucket_numeric, number_of(fcinfo, DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, PG_GETARG_DATUM(0)))));

Datum
dp_asking_bucket_date(PG_FUNCTION_ARGS)
{
	return number(fcinfo, bucket_of_time(PG_GETARG_DATEADT(0), PG_GETARG_DATEADT(1),
										 PG_GETARG_DATEADT(2), PG_GETARG_INT32(3)));
}

Datum
dp_asking_bucket_timestamp(PG_FUNCTION_ARGS)
{
	return number(fcinfo, bucket_of_time(PG_GETARG_TIMESTAMP(0), PG_GETARG_TIMESTAMP(1),
										 PG_GETARG_TIMESTAMP(2), PG_GETARG_INT32(3)));
}

/* An edge, from 0 to bins; those further out as the outermost. */
static int64
edge(FunctionCallInfo fcinfo, int64 lower, int64 upper)
{
	int32		bins = Max(PG_GETARG_INT32(2), 1);
	int32		place = Min(Max(PG_GETARG_INT32(3), 0), bins);
	__int128	width = (__int128) upper - lower;

	return (int64) (lower + (width * place + bins - 1) / bins);
}

Datum
dp_asking_edge_date(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATEADT((DateADT) edge(fcinfo, PG_GETARG_DATEADT(0), PG_GETARG_DATEADT(1)));
}

Datum
dp_asking_edge_timestamp(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMP(edge(fcinfo, PG_GETARG_TIMESTAMP(0), PG_GETARG_TIMESTAMP(1)));
}

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* A constant as a whole number: the bits of a double, or what it counts. */
static int64
whole(const Const *value)
{
	double		x;
	int64		bits;

	switch (value->consttype)
	{
		case INT2OID:
			return DatumGetInt16(value->constvalue);
		case INT4OID:
			return DatumGetInt32(value->constvalue);
		case DATEOID:
			return DatumGetDateADT(value->constvalue);
		case FLOAT8OID:
			x = DatumGetFloat8(value->constvalue);
			memcpy(&bits, &x, sizeof(bits));
			return bits;
		default:
			return DatumGetInt64(value->constvalue);
	}
}

static double
as_double(int64 bits)
{
	double		x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* From a double's bits to its position, and back: both zeroes are at 0. */
static int64
mirror(int64 bits)
{
	return bits < 0 ? (int64) ((uint64) PG_INT64_MIN - (uint64) bits) : bits;
}

bool
dp_asking_read_buckets(Node *key, DpBuckets *buckets)
{
	const FuncExpr *call = (const FuncExpr *) key;
	Oid			type;

	if (!IsA(key, FuncExpr) || dp_tree_function(call->funcid) != DP_FUNCTION_BUCKET ||
		!IsA(lsecond(call->args), Const) || !IsA(lthird(call->args), Const) || !IsA(lfourth(call->args), Const))
		return false;
	type = exprType(linitial(call->args));
	if (!is_integer(type) && type != FLOAT8OID && type != DATEOID && type != TIMESTAMPOID && type != TIMESTAMPTZOID)
		return false;
	*buckets = (DpBuckets) {
		.type = type,
		.bins = DatumGetInt32(lfourth_node(Const, call->args)->constvalue),
		.lower = whole(lsecond_node(Const, call->args)),
		.upper = whole(lthird_node(Const, call->args))
	};
	return true;
}

bool
dp_asking_bucket_position(const DpBuckets *buckets, const Const *value, int64 *position)
{
	if (value->constisnull ||
		!(is_integer(buckets->type) ? is_integer(value->consttype) : value->consttype == buckets->type))
		return false;
	*position = whole(value);
	if (buckets->type != FLOAT8OID)
		return true;
	if (!isfinite(as_double(*position)))
		return false;
	*position = mirror(*position);
	return true;
}

int
dp_asking_bucket_at(const DpBuckets *buckets, int64 position)
{
	if (buckets->type == FLOAT8OID || is_integer(buckets->type))
		return bucket_of_number(buckets->type == FLOAT8OID ? as_double(mirror(position)) : (double) position,
								as_double(buckets->lower), as_double(buckets->upper), buckets->bins);
	return bucket_of_time(position, buckets->lower, buckets->upper, buckets->bins);
}

bool
dp_asking_bucket_begins(const DpBuckets *buckets, int64 position)
{
	return position > PG_INT64_MIN &&
		dp_asking_bucket_at(buckets, position) != dp_asking_bucket_at(buckets, position - 1);
}

int64
dp_asking_bucket_start(const DpBuckets *buckets, int bucket)
{
	bool		number = buckets->type == FLOAT8OID;
	double		most = DBL_MAX;
	int64		last;
	int64		first;

	memcpy(&last, &most, sizeof(last));
	last = number ? last : PG_INT64_MAX;
	first = number ? -last : PG_INT64_MIN;
	while (first < last)
	{
		int64		middle = first + (int64) (((uint64) last - (uint64) first) / 2);

		if (dp_asking_bucket_at(buckets, middle) < bucket)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}
