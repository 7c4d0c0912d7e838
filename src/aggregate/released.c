/* SPDX-License-Identifier: PostgreSQL */
/*
 * released.c
 *	  From noisy totals to the values an analyst sees.
 *
 * Post-processing: runs on released values and touches nothing else.  No
 * totals, however far the noise threw them, raise an error or yield NaN.
 * Errors: 22023 for a bytea that holds no such totals, for a grid outside
 * DP_GRID_MIN ... DP_GRID_MAX and for bounds that are not finite and ordered.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "aggregate/exact.h"
#include "aggregate/grid.h"
#include "aggregate/ladder_cut.h"
#include "aggregate/released.h"
#include "base/compat_executor.h"
#include "base/compat_varlena.h"

void
dp_aggregate_refuse_description(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid description of released totals")));
}

/*
 * A count or sum from the noisy totals of a mean or variance.
 *
 * Post-processing: runs on released values and touches nothing else.
 */

/* Totals are limited to this, as nothing that rows add up to exceeds it. */
#define MOST_TOTAL 0x1p126L

PG_FUNCTION_INFO_V1(dp_aggregate_joint_total);
PG_FUNCTION_INFO_V1(dp_aggregate_totals_of_rows);

bytea *
dp_aggregate_mark_totals(const bytea *totals, int count, bool nobody)
{
	__int128	marked[DP_JOINT_TOTALS + 1];

	dp_aggregate_read_totals(totals, count, marked);
	marked[count] = nobody ? 1 : 0;
	return dp_aggregate_make_totals(count + 1, marked);
}

static void
read_weights(const bytea *value, DpJointWeights *weights)
{
	const Size	size = sizeof(DpJointWeights) - VARHDRSZ;
	bool		sane = VARSIZE_ANY_EXHDR(value) == size;

	if (sane)
	{
		memcpy((char *) weights + VARHDRSZ, VARDATA_ANY(value), size);
		sane = weights->totals >= 1 && weights->totals <= DP_JOINT_TOTALS;
		for (int i = 0; i < DP_JOINT_TOTALS; i++)
			sane = sane && isfinite(weights->weight[i]);
	}
	if (!sane)
		dp_aggregate_refuse_description();
}

/*
 * joint_total(totals bytea, weights bytea): the sum of marked totals times weights, to the nearest whole
 * number, whatever the mark.
 */
Datum
dp_aggregate_joint_total(PG_FUNCTION_ARGS)
{
	DpJointWeights weights;
	__int128	totals[DP_JOINT_TOTALS + 1];
	__int128	result[1];
	long double sum = 0;

	read_weights(PG_GETARG_BYTEA_PP(1), &weights);
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), weights.totals + 1, totals);
	for (int i = 0; i < weights.totals; i++)
		sum += (long double) weights.weight[i] * totals[i];
	result[0] = (__int128) rintl(fminl(fmaxl(sum, -MOST_TOTAL), MOST_TOTAL));
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(1, result));
}

/* totals_of_rows(totals bytea, count int4): so many totals without their mark; NULL if they may be of nobody. */
Datum
dp_aggregate_totals_of_rows(PG_FUNCTION_ARGS)
{
	__int128	totals[DP_JOINT_TOTALS + 1];
	int			count = PG_GETARG_INT32(1);

	if (count < 1 || count > DP_JOINT_TOTALS)
		dp_aggregate_refuse_description();
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), count + 1, totals);
	if (totals[count] != 0)
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(count, totals));
}

/*
 * From noisy totals of moments to the number an analyst sees.
 *
 * Post-processing: runs on released values and touches nothing else.
 */

PG_FUNCTION_INFO_V1(dp_aggregate_released_statistic);

void
dp_aggregate_read_estimate(const bytea *value, const bytea *totals, DpEstimate *estimate,
						   double *numbers)
{
	const Size	size = sizeof(DpEstimate) - VARHDRSZ;
	__int128	exact[DP_MOMENTS_MOST];
	int			parts;

	if (VARSIZE_ANY_EXHDR(value) == size)
		memcpy((char *) estimate + VARHDRSZ, VARDATA_ANY(value), size);
	if (VARSIZE_ANY_EXHDR(value) != size || !dp_aggregate_estimate_is_sane(estimate))
		dp_aggregate_refuse_description();
	parts = dp_aggregate_estimate_parts(estimate);
	dp_aggregate_read_totals(totals, parts, exact);
	for (int i = 0; i < parts; i++)
		numbers[i] = (double) exact[i];
}

/* released_statistic(totals bytea, estimate bytea): NULL for totals that noise may have made of no rows. */
Datum
dp_aggregate_released_statistic(PG_FUNCTION_ARGS)
{
	DpEstimate	estimate;
	double		totals[DP_MOMENTS_MOST];

	dp_aggregate_read_estimate(PG_GETARG_BYTEA_PP(1), PG_GETARG_BYTEA_PP(0), &estimate, totals);
	if (!dp_aggregate_estimate_has_rows(&estimate, totals))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(dp_aggregate_estimate_value(&estimate, totals));
}

#define INT128_DIGITS 40		/* a sign and 39 digits */

/* Numbers of such a size have their digits before and after the point in an int64. */
#define LEAST_QUICK 1e-4
#define MOST_QUICK 1e14

PG_FUNCTION_INFO_V1(dp_aggregate_released_bigint);
PG_FUNCTION_INFO_V1(dp_aggregate_released_numeric);
PG_FUNCTION_INFO_V1(dp_aggregate_released_clamped);
PG_FUNCTION_INFO_V1(dp_aggregate_released_digits);
PG_FUNCTION_INFO_V1(dp_aggregate_released_float8);
PG_FUNCTION_INFO_V1(dp_aggregate_released_mean_laplace);
PG_FUNCTION_INFO_V1(dp_aggregate_released_mean_gaussian);
PG_FUNCTION_INFO_V1(dp_aggregate_released_point);
PG_FUNCTION_INFO_V1(dp_aggregate_released_date);
PG_FUNCTION_INFO_V1(dp_aggregate_released_timestamp);

/* Argument `n` as a grid. */
static int
grid_argument(FunctionCallInfo fcinfo, int n)
{
	int			grid = PG_GETARG_INT32(n);

	if (grid < DP_GRID_MIN || grid > DP_GRID_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid must be between %d and %d", DP_GRID_MIN, DP_GRID_MAX)));
	return grid;
}

/* Arguments 1 and 2 as bounds. */
static void
check_bounds(double lower, double upper)
{
	if (!isfinite(lower) || !isfinite(upper) || lower > upper)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds must be finite and in order")));
}

/* Argument 3 as a step. */
static double
step_argument(FunctionCallInfo fcinfo)
{
	double		step = PG_GETARG_FLOAT8(3);

	if (!(step > 0) || !isfinite(step))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("step must be finite and greater than 0")));
	return step;
}

/* total * 2^grid to the nearest bigint, ties to even, saturating. */
static int64
to_bigint(__int128 total, int grid)
{
	unsigned __int128 magnitude = total < 0 ? -(unsigned __int128) total : total;
	unsigned __int128 largest = (unsigned __int128) PG_INT64_MAX + (total < 0);
	unsigned __int128 rest;
	unsigned __int128 half;

	if (grid >= 0)
	{
		if (magnitude != 0 && (grid > 63 || magnitude > largest >> grid))
			magnitude = largest;
		else if (magnitude != 0)
			magnitude <<= grid;
	}
	else if (grid < -127)
		magnitude = 0;			/* at most one half, which is a tie */
	else
	{
		half = (unsigned __int128) 1 << (-grid - 1);
		rest = magnitude & (2 * half - 1);
		magnitude >>= -grid;
		magnitude += rest > half || (rest == half && (magnitude & 1));
		magnitude = Min(magnitude, largest);
	}
	return total < 0 ? (int64) -(uint64) magnitude : (int64) magnitude;
}

/* released_bigint(totals bytea, grid integer) */
Datum
dp_aggregate_released_bigint(PG_FUNCTION_ARGS)
{
	__int128	total;

	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), 1, &total);
	PG_RETURN_INT64(to_bigint(total, grid_argument(fcinfo, 1)));
}

/* The numeric that a decimal text stands for. */
static Numeric
numeric_of_text(const char *text)
{
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}

/* An int128 as a numeric. */
static Numeric
numeric_of_int128(__int128 value)
{
	unsigned __int128 magnitude = value < 0 ? -(unsigned __int128) value : value;
	char		text[INT128_DIGITS + 1];
	char	   *start = text + INT128_DIGITS;

	*start = '\0';
	do
	{
		*--start = '0' + (int) (magnitude % 10);
		magnitude /= 10;
	} while (magnitude != 0);
	if (value < 0)
		*--start = '-';
	return numeric_of_text(start);
}

/* 2^grid as a numeric, exactly. */
static Numeric
numeric_power_of_two(int grid)
{
	Numeric		result = int64_to_numeric(1);
	Numeric		power = grid < 0 ? numeric_of_text("0.5") : int64_to_numeric(2);

	for (unsigned left = abs(grid); left != 0; left >>= 1)
	{
		if (left & 1)
			result = DP_NUMERIC_MUL(result, power);
		if (left > 1)
			power = DP_NUMERIC_MUL(power, power);
	}
	return result;
}

/*
 * released_numeric(totals bytea, grid integer): total * 2^grid, exact for
 * grid >= 0, otherwise rounded to the fewest decimals that are finer than the
 * grid: 10^-decimals <= 2^grid, as log10(2) < 0.30103.
 */
Datum
dp_aggregate_released_numeric(PG_FUNCTION_ARGS)
{
	int			grid = grid_argument(fcinfo, 1);
	int			decimals = grid < 0 ? (int) ceil(-grid * 0.30103) : 0;
	__int128	total;
	Numeric		value;

	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), 1, &total);
	value = DP_NUMERIC_MUL(numeric_of_int128(total), numeric_power_of_two(grid));
	PG_RETURN_DATUM(DirectFunctionCall2(numeric_round, NumericGetDatum(value),
										Int32GetDatum(decimals)));
}

/*
 * released_float8(totals bytea, grid integer): total * 2^grid as a double;
 * infinite where that exceeds the doubles.
 */
Datum
dp_aggregate_released_float8(PG_FUNCTION_ARGS)
{
	__int128	total;

	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), 1, &total);
	PG_RETURN_FLOAT8(ldexp((double) total, grid_argument(fcinfo, 1)));
}

/*
 * released_clamped(totals bytea): of a total on a grid that is coarser than the first by so many
 * bits as the second says, the same on the latter, saturating.  What else is there is of the clamp.
 */
Datum
dp_aggregate_released_clamped(PG_FUNCTION_ARGS)
{
	__int128	most = (__int128) 1 << 126;
	__int128	totals[1 + DP_LADDER_SEEN_TOTALS];
	int			bits;

	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), lengthof(totals), totals);
	bits = (int) Min(Max(totals[1], 0), DP_LADDER_MOST);
	totals[0] = Min(Max(totals[0], -(most >> bits)), most >> bits) * ((__int128) 1 << bits);
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(1, totals));
}

/* Limit to the bounds; not NaN. */
static double
clamp(double value, double lower, double upper)
{
	return Min(Max(value, lower), upper);
}

/* The sum of two totals to the nearest double, also where it exceeds them. */
static double
sum_of(__int128 a, __int128 b)
{
	__int128	sum;

	if (__builtin_add_overflow(a, b, &sum))
		return (double) a + (double) b;
	return (double) sum;
}

/*
 * released_digits(value float8): the 15 leading digits, as a cast to numeric has them.
 * For most numbers they are found without printing them: for those that are not halfway
 * between two such numbers, as far as multiplying by 10, eighteen times at most, can
 * tell.
 */
Datum
dp_aggregate_released_digits(PG_FUNCTION_ARGS)
{
	double		value = PG_GETARG_FLOAT8(0);
	long double scaled = value;
	int			scale = 0;
	int64		digits;

	if (!(fabs(value) >= LEAST_QUICK && fabs(value) < MOST_QUICK))
		return DirectFunctionCall1(float8_numeric, Float8GetDatum(value));
	for (; fabsl(scaled) < 1e14L; scale++)
		scaled *= 10;
	digits = llrintl(scaled);
	if (fabsl(fabsl(scaled - digits) - 0.5L) < 0.01L)
		return DirectFunctionCall1(float8_numeric, Float8GetDatum(value));
	for (; scale > 0 && digits % 10 == 0; scale--)
		digits /= 10;
	PG_RETURN_NUMERIC(int64_div_fast_to_numeric(digits, scale));
}

/*
 * released_mean_laplace(totals bytea, lower, upper float8): the mean from the
 * noisy sums A of (x - lower) and B of (upper - x): lower plus the fraction
 * A / (A + B) of the width, within the bounds; their midpoint if A + B <= 0.
 */
Datum
dp_aggregate_released_mean_laplace(PG_FUNCTION_ARGS)
{
	double		lower = PG_GETARG_FLOAT8(1);
	double		upper = PG_GETARG_FLOAT8(2);
	__int128	totals[2];
	double		both;
	double		fraction;

	check_bounds(lower, upper);
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), 2, totals);
	both = sum_of(totals[0], totals[1]);
	fraction = both > 0 ? clamp((double) totals[0] / both, 0, 1) : 0.5;
	PG_RETURN_FLOAT8(clamp(lower * (1 - fraction) + upper * fraction, lower, upper));
}

/*
 * released_mean_gaussian(totals bytea, lower, upper float8, grid_sum, grid_count
 * integer): the mean from the noisy sum C of (x - midpoint) and the noisy
 * count N, each on its grid: midpoint + C / N, within the bounds; the midpoint
 * if N <= 0.
 */
Datum
dp_aggregate_released_mean_gaussian(PG_FUNCTION_ARGS)
{
	double		lower = PG_GETARG_FLOAT8(1);
	double		upper = PG_GETARG_FLOAT8(2);
	int			grid = grid_argument(fcinfo, 3) - grid_argument(fcinfo, 4);
	double		middle = lower / 2 + upper / 2;
	double		shift = 0;
	__int128	totals[2];

	check_bounds(lower, upper);
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), 2, totals);
	if (totals[1] > 0)
		shift = ldexp((double) totals[0] / (double) totals[1], grid);
	PG_RETURN_FLOAT8(clamp(middle + shift, lower, upper));
}

/*
 * released_point(totals bytea, lower, upper, step float8): the value of the point
 * that the total is the number of; upper is the last one.  Where step is 1 / n,
 * dividing by n gives the nearest double.
 */
Datum
dp_aggregate_released_point(PG_FUNCTION_ARGS)
{
	double		lower = PG_GETARG_FLOAT8(1);
	double		upper = PG_GETARG_FLOAT8(2);
	double		step = step_argument(fcinfo);
	double		parts = rint(1 / step);
	double		offset;
	__int128	total;

	check_bounds(lower, upper);
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), 1, &total);
	if ((double) total >= rint((upper - lower) / step))
		PG_RETURN_FLOAT8(upper);
	offset = 1 / parts == step ? (double) total / parts : (double) total * step;
	PG_RETURN_FLOAT8(clamp(lower + offset, lower, upper));
}

/*
 * The whole number nearest to the point that the total in argument 0 is the number of, from
 * lower up in steps of argument 3; within the bounds.
 */
static int64
whole_point(FunctionCallInfo fcinfo, int64 lower, int64 upper)
{
	double		step = step_argument(fcinfo);
	double		offset;
	__int128	total;

	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), 1, &total);
	offset = rint(clamp((double) total * step, 0, (double) upper - (double) lower));
	return (int64) Min((__int128) lower + (__int128) offset, (__int128) upper);
}

/* released_date(totals bytea, lower, upper date, step float8): a day, step in days. */
Datum
dp_aggregate_released_date(PG_FUNCTION_ARGS)
{
	DateADT		lower = PG_GETARG_DATEADT(1);
	DateADT		upper = PG_GETARG_DATEADT(2);

	check_bounds(DATE_NOT_FINITE(lower) ? NAN : lower, DATE_NOT_FINITE(upper) ? NAN : upper);
	PG_RETURN_DATEADT((DateADT) whole_point(fcinfo, lower, upper));
}

/*
 * released_timestamp(totals bytea, lower, upper timestamp, step float8) and the same of
 * timestamptz: step in microseconds.
 */
Datum
dp_aggregate_released_timestamp(PG_FUNCTION_ARGS)
{
	Timestamp	lower = PG_GETARG_TIMESTAMP(1);
	Timestamp	upper = PG_GETARG_TIMESTAMP(2);

	if (TIMESTAMP_NOT_FINITE(lower) || TIMESTAMP_NOT_FINITE(upper) || lower > upper)
		check_bounds(NAN, NAN);
	PG_RETURN_TIMESTAMP(whole_point(fcinfo, lower, upper));
}
