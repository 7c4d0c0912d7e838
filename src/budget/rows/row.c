/* SPDX-License-Identifier: PostgreSQL */
/*
 * row.c
 *	  Rows of the budget table, as C structs and as columns.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "accounting/json.h"
#include "base/compat_varlena.h"
#include "budget/rows/row.h"

/*
 * Which parts of a budget's delta are whose, as arguments of SQL functions.
 */

/* A rest less one of its parts; none, if the part exceeds it by no more than rounding. */
static double
what_is_left(double rest, double part)
{
	return part > rest && part - rest < 4 * DBL_EPSILON ? 0 : rest - part;
}

static DpShares
read_shares(FunctionCallInfo fcinfo, int first, DpGivenShares *given)
{
	DpShares	shares = dp_accounting_default_shares;
	double		rest;

	given->partition = !PG_ARGISNULL(first);
	given->variance = !PG_ARGISNULL(first + 1);
	given->rdp = !PG_ARGISNULL(first + 2);
	if (given->partition)
		shares.partition = PG_GETARG_FLOAT8(first);
	if (given->variance)
		shares.variance = PG_GETARG_FLOAT8(first + 1);
	if (given->rdp)
		shares.rdp = PG_GETARG_FLOAT8(first + 2);
	if (!given->partition && !given->variance && !given->rdp)
		return shares;
	rest = 1 - shares.partition;
	if (!given->variance && !given->rdp)
		shares.variance = shares.rdp = rest / 2;
	else if (!given->variance)
		shares.variance = what_is_left(rest, shares.rdp);
	else if (!given->rdp)
		shares.rdp = what_is_left(rest, shares.variance);
	return shares;
}

DpShares
dp_budget_shares_read(FunctionCallInfo fcinfo, int first, DpGivenShares *given)
{
	DpShares	shares = read_shares(fcinfo, first, given);

	if (!dp_accounting_are_shares(&shares))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shares of delta must not be negative, nor add up to more than 1"),
				 errhint("What is not given shares the rest; partition_share is 0.1 unless it is given.")));
	return shares;
}

const Oid	dp_budget_row_types[DP_BUDGET_COLUMNS] = {
	[DP_BUDGET_DATASET] = TEXTOID,
	[DP_BUDGET_ROLE] = REGROLEOID,
	[DP_BUDGET_EPSILON_LIMIT] = FLOAT8OID,
	[DP_BUDGET_DELTA_LIMIT] = FLOAT8OID,
	[DP_BUDGET_PARTITION_SHARE] = FLOAT8OID,
	[DP_BUDGET_VARIANCE_SHARE] = FLOAT8OID,
	[DP_BUDGET_RENYI_SHARE] = FLOAT8OID,
	[DP_BUDGET_ORDERS] = FLOAT8ARRAYOID,
	[DP_BUDGET_WEIGHTS] = FLOAT8ARRAYOID,
	[DP_BUDGET_RDP_SPENT] = FLOAT8ARRAYOID,
	[DP_BUDGET_PURE_SPENT] = FLOAT8OID,
	[DP_BUDGET_DELTA_SPENT] = FLOAT8OID,
	[DP_BUDGET_VARIANCE_SPENT] = FLOAT8OID,
	[DP_BUDGET_COARSENESS] = FLOAT8OID,
	[DP_BUDGET_STATEMENTS] = INT8OID,
	[DP_BUDGET_REFUSALS] = INT8OID,
	[DP_BUDGET_LAST_CHARGE] = TIMESTAMPTZOID,
	[DP_BUDGET_NUMBER] = INT8OID,
	[DP_BUDGET_ENTRIES] = INT8OID,
	[DP_BUDGET_REFRESH] = INTERVALOID,
	[DP_BUDGET_PERIOD_BEGAN] = TIMESTAMPTZOID,
	[DP_BUDGET_HOME] = TEXTOID,
	[DP_BUDGET_SYNCHRONOUS] = BOOLOID,
	[DP_BUDGET_REPLAYS] = INT8OID,
	[DP_BUDGET_ALERT] = FLOAT8OID,
	[DP_BUDGET_ALERTED_AT] = TIMESTAMPTZOID
};

/* Finite and not negative: NaN is neither. */
static bool
is_amount(double number)
{
	return number >= 0 && isfinite(number);
}

bool
dp_budget_row_valid_cost(const DpCurve *cost)
{
	for (int i = 0; i < DP_ORDERS; i++)
		if (!is_amount(cost->rdp[i]))
			return false;
	return cost->pure >= 0 && is_amount(cost->delta) && cost->variance >= 0 &&
		is_amount(cost->coarseness);
}

/* Read a float8[] of up to so many numbers; how many, or -1 if it is none. */
static int
read_up_to(Datum value, double *numbers, int most)
{
	ArrayType  *array = DatumGetArrayTypeP(value);

	if (ARR_ELEMTYPE(array) != FLOAT8OID || ARR_HASNULL(array) ||
		ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] > most)
		return -1;
	memcpy(numbers, ARR_DATA_PTR(array), ARR_DIMS(array)[0] * sizeof(double));
	return ARR_DIMS(array)[0];
}

/* Read a float8[] of exactly so many numbers. */
static bool
read_array(Datum value, double *numbers, int count)
{
	return read_up_to(value, numbers, count) == count;
}

/* Find orders, given as numbers, on the grid. */
static bool
read_orders(Datum value, DpLimit *limit)
{
	double		numbers[DP_FILTER_ORDERS];

	limit->orders = read_up_to(value, numbers, DP_FILTER_ORDERS);
	for (int i = 0; i < limit->orders; i++)
	{
		int			order = 0;

		while (order < DP_ORDERS && dp_accounting_order[order] != numbers[i])
			order++;
		if (order == DP_ORDERS)
			return false;
		limit->order[i] = order;
	}
	return limit->orders > 0;
}

/* A limit that stands for a filter: no more is shared out than there is. */
static bool
is_limit(const DpLimit *limit)
{
	double		weights = 0;

	for (int i = 0; i < limit->orders; i++)
	{
		if (!is_amount(limit->weight[i]))
			return false;
		weights += limit->weight[i];
	}
	return limit->epsilon > 0 && isfinite(limit->epsilon) &&
		is_amount(limit->delta) && limit->delta < 1 &&
		dp_accounting_are_shares(&limit->shares) && weights <= 1;
}

static bool
read_limit(const Datum *values, DpLimit *limit)
{
	limit->epsilon = DatumGetFloat8(values[DP_BUDGET_EPSILON_LIMIT]);
	limit->delta = DatumGetFloat8(values[DP_BUDGET_DELTA_LIMIT]);
	limit->shares.partition = DatumGetFloat8(values[DP_BUDGET_PARTITION_SHARE]);
	limit->shares.variance = DatumGetFloat8(values[DP_BUDGET_VARIANCE_SHARE]);
	limit->shares.rdp = DatumGetFloat8(values[DP_BUDGET_RENYI_SHARE]);
	dp_accounting_divide_delta(limit);
	return read_orders(values[DP_BUDGET_ORDERS], limit) &&
		read_array(values[DP_BUDGET_WEIGHTS], limit->weight, limit->orders) &&
		is_limit(limit);
}

static bool
read_spent(const Datum *values, DpCurve *spent)
{
	spent->pure = DatumGetFloat8(values[DP_BUDGET_PURE_SPENT]);
	spent->delta = DatumGetFloat8(values[DP_BUDGET_DELTA_SPENT]);
	spent->variance = DatumGetFloat8(values[DP_BUDGET_VARIANCE_SPENT]);
	spent->coarseness = DatumGetFloat8(values[DP_BUDGET_COARSENESS]);
	return read_array(values[DP_BUDGET_RDP_SPENT], spent->rdp, DP_ORDERS) &&
		dp_budget_row_valid_cost(spent);
}

/* Greatest period, in each of its parts: its end is a time that can be written. */
#define DP_MAX_PERIOD_DAYS INT64CONST(3600000)

bool
dp_budget_row_is_period(const Interval *refresh)
{
	return refresh->month >= 0 && refresh->day >= 0 && refresh->time >= 0 &&
		(refresh->month > 0 || refresh->day > 0 || refresh->time > 0) &&
		refresh->month <= DP_MAX_PERIOD_DAYS / 30 && refresh->day <= DP_MAX_PERIOD_DAYS &&
		refresh->time <= DP_MAX_PERIOD_DAYS * USECS_PER_DAY;
}

static bool
read_refresh(const Datum *values, const bool *nulls, DpBudgetRow *row)
{
	row->period_began = 0;
	row->refreshes = !nulls[DP_BUDGET_REFRESH];
	if (!row->refreshes)
		return true;
	if (nulls[DP_BUDGET_PERIOD_BEGAN])
		return false;
	row->refresh = *DatumGetIntervalP(values[DP_BUDGET_REFRESH]);
	row->period_began = DatumGetTimestampTz(values[DP_BUDGET_PERIOD_BEGAN]);
	return dp_budget_row_is_period(&row->refresh) && !TIMESTAMP_NOT_FINITE(row->period_began);
}

static bool
read_name(Datum value, char *name, int size)
{
	text	   *string = DatumGetTextPP(value);
	int			length = VARSIZE_ANY_EXHDR(string);

	if (length >= size)
		return false;
	memcpy(name, VARDATA_ANY(string), length);
	name[length] = '\0';
	return true;
}

/* Where it lives: a home that is not known or makes no sense is nowhere. */
static void
read_home(const Datum *values, const bool *nulls, DpBudgetRow *row)
{
	if (nulls[DP_BUDGET_HOME] || !read_name(values[DP_BUDGET_HOME], row->home, DP_HOME_MAX))
		row->home[0] = '\0';
	row->synchronous = !nulls[DP_BUDGET_SYNCHRONOUS] &&
		DatumGetBool(values[DP_BUDGET_SYNCHRONOUS]);
}

/* Read the greatest threshold that was told of; one that makes no sense is none. */
static void
read_alert(const Datum *values, const bool *nulls, DpBudgetRow *row)
{
	bool		known = !nulls[DP_BUDGET_ALERT] && !nulls[DP_BUDGET_ALERTED_AT];

	row->alert = known ? DatumGetFloat8(values[DP_BUDGET_ALERT]) : 0;
	row->alerted_at = known ? DatumGetTimestampTz(values[DP_BUDGET_ALERTED_AT]) : 0;
	if (!is_amount(row->alert))
		row->alert = 0;
}

/* Columns without which there is no budget. */
static bool
is_complete(const bool *nulls)
{
	for (int i = 0; i < DP_BUDGET_REFRESH; i++)
		if (nulls[i] && i != DP_BUDGET_LAST_CHARGE)
			return false;
	return true;
}

bool
dp_budget_row_decode(const Datum *values, const bool *nulls, DpBudgetRow *row)
{
	if (!is_complete(nulls))
		return false;
	row->role = DatumGetObjectId(values[DP_BUDGET_ROLE]);
	row->number = DatumGetInt64(values[DP_BUDGET_NUMBER]);
	row->statements = DatumGetInt64(values[DP_BUDGET_STATEMENTS]);
	row->refusals = DatumGetInt64(values[DP_BUDGET_REFUSALS]);
	row->entries = DatumGetInt64(values[DP_BUDGET_ENTRIES]);
	row->replays = nulls[DP_BUDGET_REPLAYS] ? 0 : DatumGetInt64(values[DP_BUDGET_REPLAYS]);
	row->last_charge = 0;
	read_alert(values, nulls, row);
	read_home(values, nulls, row);
	return read_name(values[DP_BUDGET_DATASET], row->dataset, NAMEDATALEN) &&
		read_limit(values, &row->limit) && read_spent(values, &row->spent) &&
		read_refresh(values, nulls, row);
}

TimestampTz
dp_budget_row_period_ends(TimestampTz began, const Interval *refresh)
{
	return DatumGetTimestamp(DirectFunctionCall2(timestamp_pl_interval, TimestampGetDatum(began),
												 PointerGetDatum(refresh)));
}

bool
dp_budget_row_refresh_due(const DpBudgetRow *row, TimestampTz now)
{
	return row->refreshes && dp_budget_row_period_ends(row->period_began, &row->refresh) <= now;
}

void
dp_budget_row_refresh(DpBudgetRow *row, TimestampTz now)
{
	memset(&row->spent, 0, sizeof(row->spent));
	row->period_began = now;
	row->alert = 0;
}

double
dp_budget_row_use(const DpBudgetRow *row, double epsilon_spent)
{
	double		of_epsilon = epsilon_spent / row->limit.epsilon;
	double		of_delta = row->spent.delta > 0 ? row->spent.delta / row->limit.delta_partition : 0;

	return Max(of_epsilon, of_delta);
}

/* Append numbers as a JSON array, each read back as the same number. */
static void
append_numbers(StringInfo json, const char *name, const double *numbers, int count)
{
	appendStringInfo(json, "\"%s\": [", name);
	for (int i = 0; i < count; i++)
		appendStringInfo(json, "%s%.17g", i > 0 ? ", " : "", numbers[i]);
	appendStringInfoString(json, "], ");
}

char *
dp_budget_row_terms(const DpBudgetRow *row)
{
	const DpLimit *limit = &row->limit;
	double		orders[DP_FILTER_ORDERS];
	StringInfoData json;

	for (int i = 0; i < limit->orders; i++)
		orders[i] = dp_accounting_order[limit->order[i]];
	initStringInfo(&json);
	appendStringInfo(&json, "{\"partition_share\": %.17g, \"variance_share\": %.17g, \"renyi_share\": %.17g, ",
					 limit->shares.partition, limit->shares.variance, limit->shares.rdp);
	append_numbers(&json, "orders", orders, limit->orders);
	append_numbers(&json, "weights", limit->weight, limit->orders);
	appendStringInfoString(&json, "\"refresh\": ");
	if (row->refreshes)
		appendStringInfo(&json, "{\"months\": %d, \"days\": %d, \"microseconds\": " INT64_FORMAT "}}",
						 row->refresh.month, row->refresh.day, row->refresh.time);
	else
		appendStringInfoString(&json, "null}");
	return json.data;
}

/* A whole number in an object; 0 if there is none. */
static int64
whole_in(JsonbContainer *object, const char *name)
{
	JsonbValue *value = dp_accounting_json_member(object, name);

	if (value == NULL || value->type != jbvNumeric)
		return 0;
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value->val.numeric)));
}

bool
dp_budget_row_terms_refresh(const Jsonb *terms, Interval *refresh)
{
	JsonbContainer *root = unconstify(JsonbContainer *, &terms->root);
	JsonbContainer *length = JsonContainerIsObject(root) ?
		dp_accounting_json_container(dp_accounting_json_member(root, "refresh"), false) : NULL;

	if (length == NULL)
		return false;
	refresh->month = whole_in(length, "months");
	refresh->day = whole_in(length, "days");
	refresh->time = whole_in(length, "microseconds");
	return true;
}

char *
dp_budget_row_counts(const DpBudgetRow *row)
{
	return psprintf("{\"statements\": " INT64_FORMAT ", \"refusals\": " INT64_FORMAT
					", \"entries\": " INT64_FORMAT "}",
					row->statements, row->refusals, row->entries);
}

Datum
dp_budget_row_array(const double *numbers, int count)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + count * sizeof(float8);
	ArrayType  *array = palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = count;
	ARR_LBOUND(array)[0] = 1;
	memcpy(ARR_DATA_PTR(array), numbers, count * sizeof(float8));
	return PointerGetDatum(array);
}

/* Numbers of that array. */
#define CURVE_NUMBERS (DP_ORDERS + 2)

Datum
dp_budget_row_curve(const DpCurve *cost)
{
	double		numbers[CURVE_NUMBERS];

	memcpy(numbers, cost->rdp, sizeof(cost->rdp));
	numbers[DP_ORDERS] = cost->variance;
	numbers[DP_ORDERS + 1] = cost->coarseness;
	return dp_budget_row_array(numbers, CURVE_NUMBERS);
}

bool
dp_budget_row_read_curve(Datum value, DpCurve *cost)
{
	double		numbers[CURVE_NUMBERS];

	if (!read_array(value, numbers, CURVE_NUMBERS))
		return false;
	memcpy(cost->rdp, numbers, sizeof(cost->rdp));
	cost->variance = numbers[DP_ORDERS];
	cost->coarseness = numbers[DP_ORDERS + 1];
	return true;
}

/* Fill in one column. */
static void
set(Datum *values, bool *nulls, int column, Datum value)
{
	values[column] = value;
	nulls[column] = false;
}

static void
encode_alert(const DpBudgetRow *row, Datum *values, bool *nulls)
{
	nulls[DP_BUDGET_ALERT] = nulls[DP_BUDGET_ALERTED_AT] = true;
	if (row->alert == 0)
		return;
	set(values, nulls, DP_BUDGET_ALERT, Float8GetDatum(row->alert));
	set(values, nulls, DP_BUDGET_ALERTED_AT, TimestampTzGetDatum(row->alerted_at));
}

void
dp_budget_row_encode(const DpBudgetRow *row, Datum *values, bool *nulls)
{
	const DpCurve *spent = &row->spent;

	set(values, nulls, DP_BUDGET_RDP_SPENT, dp_budget_row_array(spent->rdp, DP_ORDERS));
	set(values, nulls, DP_BUDGET_PURE_SPENT, Float8GetDatum(spent->pure));
	set(values, nulls, DP_BUDGET_DELTA_SPENT, Float8GetDatum(spent->delta));
	set(values, nulls, DP_BUDGET_VARIANCE_SPENT, Float8GetDatum(spent->variance));
	set(values, nulls, DP_BUDGET_COARSENESS, Float8GetDatum(spent->coarseness));
	set(values, nulls, DP_BUDGET_STATEMENTS, Int64GetDatum(row->statements));
	set(values, nulls, DP_BUDGET_REFUSALS, Int64GetDatum(row->refusals));
	set(values, nulls, DP_BUDGET_ENTRIES, Int64GetDatum(row->entries));
	if (row->last_charge != 0)
		set(values, nulls, DP_BUDGET_LAST_CHARGE, TimestampTzGetDatum(row->last_charge));
	if (row->refreshes)
		set(values, nulls, DP_BUDGET_PERIOD_BEGAN, TimestampTzGetDatum(row->period_began));
	set(values, nulls, DP_BUDGET_HOME, CStringGetTextDatum(row->home));
	set(values, nulls, DP_BUDGET_SYNCHRONOUS, BoolGetDatum(row->synchronous));
	set(values, nulls, DP_BUDGET_REPLAYS, Int64GetDatum(row->replays));
	encode_alert(row, values, nulls);
}
