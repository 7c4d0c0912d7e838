/*
 * row.c
 *	  Rows of the budget and ledger tables, as C structs and as columns.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "budget/row.h"

const Oid	dp_budget_row_types[DP_BUDGET_COLUMNS] = {
	[DP_BUDGET_DATASET] = TEXTOID,
	[DP_BUDGET_ROLE] = REGROLEOID,
	[DP_BUDGET_EPSILON_LIMIT] = FLOAT8OID,
	[DP_BUDGET_DELTA_LIMIT] = FLOAT8OID,
	[DP_BUDGET_DELTA_RDP] = FLOAT8OID,
	[DP_BUDGET_DELTA_PARTITION] = FLOAT8OID,
	[DP_BUDGET_ORDERS] = FLOAT8ARRAYOID,
	[DP_BUDGET_WEIGHTS] = FLOAT8ARRAYOID,
	[DP_BUDGET_RDP_SPENT] = FLOAT8ARRAYOID,
	[DP_BUDGET_PURE_SPENT] = FLOAT8OID,
	[DP_BUDGET_DELTA_SPENT] = FLOAT8OID,
	[DP_BUDGET_STATEMENTS] = INT8OID,
	[DP_BUDGET_REFUSALS] = INT8OID,
	[DP_BUDGET_LAST_CHARGE] = TIMESTAMPTZOID
};

const Oid	dp_budget_ledger_types[DP_LEDGER_COLUMNS] = {
	[DP_LEDGER_ID] = INT8OID,
	[DP_LEDGER_AT] = TIMESTAMPTZOID,
	[DP_LEDGER_ROLE] = REGROLEOID,
	[DP_LEDGER_DATASET] = TEXTOID,
	[DP_LEDGER_ADMITTED] = BOOLOID,
	[DP_LEDGER_RELEASES] = JSONBOID,
	[DP_LEDGER_CURVE] = FLOAT8ARRAYOID,
	[DP_LEDGER_PURE_EPSILON] = FLOAT8OID,
	[DP_LEDGER_DELTA] = FLOAT8OID,
	[DP_LEDGER_EPSILON_SPENT] = FLOAT8OID,
	[DP_LEDGER_DELTA_SPENT] = FLOAT8OID
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
	return cost->pure >= 0 && is_amount(cost->delta);
}

/* Read a float8[] of exactly so many numbers. */
static bool
read_array(Datum value, double *numbers, int count)
{
	ArrayType  *array = DatumGetArrayTypeP(value);

	if (ARR_ELEMTYPE(array) != FLOAT8OID || ARR_HASNULL(array) ||
		ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != count)
		return false;
	memcpy(numbers, ARR_DATA_PTR(array), count * sizeof(double));
	return true;
}

/* Find orders, given as numbers, on the grid. */
static bool
read_orders(Datum value, int *order)
{
	double		numbers[DP_FILTER_ORDERS];

	if (!read_array(value, numbers, DP_FILTER_ORDERS))
		return false;
	for (int i = 0; i < DP_FILTER_ORDERS; i++)
	{
		order[i] = 0;
		while (order[i] < DP_ORDERS && dp_accounting_order[order[i]] != numbers[i])
			order[i]++;
		if (order[i] == DP_ORDERS)
			return false;
	}
	return true;
}

/* A limit that stands for a filter: no more is shared out than there is. */
static bool
is_limit(const DpLimit *limit)
{
	double		weights = 0;

	for (int i = 0; i < DP_FILTER_ORDERS; i++)
	{
		if (!is_amount(limit->weight[i]))
			return false;
		weights += limit->weight[i];
	}
	return limit->epsilon > 0 && isfinite(limit->epsilon) &&
		is_amount(limit->delta) && limit->delta < 1 &&
		is_amount(limit->delta_rdp) && is_amount(limit->delta_partition) &&
		limit->delta_rdp + limit->delta_partition <= limit->delta && weights <= 1;
}

static bool
read_limit(const Datum *values, DpLimit *limit)
{
	limit->epsilon = DatumGetFloat8(values[DP_BUDGET_EPSILON_LIMIT]);
	limit->delta = DatumGetFloat8(values[DP_BUDGET_DELTA_LIMIT]);
	limit->delta_rdp = DatumGetFloat8(values[DP_BUDGET_DELTA_RDP]);
	limit->delta_partition = DatumGetFloat8(values[DP_BUDGET_DELTA_PARTITION]);
	return read_orders(values[DP_BUDGET_ORDERS], limit->order) &&
		read_array(values[DP_BUDGET_WEIGHTS], limit->weight, DP_FILTER_ORDERS) &&
		is_limit(limit);
}

static bool
read_spent(const Datum *values, DpCurve *spent)
{
	spent->pure = DatumGetFloat8(values[DP_BUDGET_PURE_SPENT]);
	spent->delta = DatumGetFloat8(values[DP_BUDGET_DELTA_SPENT]);
	return read_array(values[DP_BUDGET_RDP_SPENT], spent->rdp, DP_ORDERS) &&
		dp_budget_row_valid_cost(spent);
}

bool
dp_budget_row_decode(const Datum *values, const bool *nulls, DpBudgetRow *row)
{
	for (int i = 0; i < DP_BUDGET_LAST_CHARGE; i++)
		if (nulls[i])
			return false;

	row->statements = DatumGetInt64(values[DP_BUDGET_STATEMENTS]);
	row->refusals = DatumGetInt64(values[DP_BUDGET_REFUSALS]);
	row->last_charge = 0;
	return read_limit(values, &row->balance.limit) &&
		read_spent(values, &row->balance.spent);
}

Datum
dp_budget_row_array(const double *numbers, int count)
{
	Datum	   *elements = palloc(count * sizeof(Datum));

	for (int i = 0; i < count; i++)
		elements[i] = Float8GetDatum(numbers[i]);
	return PointerGetDatum(construct_array(elements, count, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Fill in one column. */
static void
set(Datum *values, bool *nulls, int column, Datum value)
{
	values[column] = value;
	nulls[column] = false;
}

void
dp_budget_row_encode(const DpBudgetRow *row, Datum *values, bool *nulls)
{
	const DpCurve *spent = &row->balance.spent;

	set(values, nulls, DP_BUDGET_RDP_SPENT, dp_budget_row_array(spent->rdp, DP_ORDERS));
	set(values, nulls, DP_BUDGET_PURE_SPENT, Float8GetDatum(spent->pure));
	set(values, nulls, DP_BUDGET_DELTA_SPENT, Float8GetDatum(spent->delta));
	set(values, nulls, DP_BUDGET_STATEMENTS, Int64GetDatum(row->statements));
	set(values, nulls, DP_BUDGET_REFUSALS, Int64GetDatum(row->refusals));
	if (row->last_charge != 0)
		set(values, nulls, DP_BUDGET_LAST_CHARGE, TimestampTzGetDatum(row->last_charge));
}

void
dp_budget_row_encode_ledger(const DpLedgerRow *row, int64 id, Datum *values, bool *nulls)
{
	const DpCurve *cost = row->cost;
	const DpBalance *after = row->after;
	Datum		releases = DirectFunctionCall1(jsonb_in, CStringGetDatum(row->releases));

	set(values, nulls, DP_LEDGER_ID, Int64GetDatum(id));
	set(values, nulls, DP_LEDGER_AT, TimestampTzGetDatum(row->at));
	set(values, nulls, DP_LEDGER_ROLE, ObjectIdGetDatum(row->role));
	set(values, nulls, DP_LEDGER_DATASET, CStringGetTextDatum(row->dataset));
	set(values, nulls, DP_LEDGER_ADMITTED, BoolGetDatum(row->admitted));
	set(values, nulls, DP_LEDGER_RELEASES, releases);
	set(values, nulls, DP_LEDGER_CURVE, dp_budget_row_array(cost->rdp, DP_ORDERS));
	set(values, nulls, DP_LEDGER_PURE_EPSILON, Float8GetDatum(cost->pure));
	set(values, nulls, DP_LEDGER_DELTA, Float8GetDatum(cost->delta));
	set(values, nulls, DP_LEDGER_EPSILON_SPENT,
		Float8GetDatum(dp_accounting_epsilon_spent(&after->limit, &after->spent)));
	set(values, nulls, DP_LEDGER_DELTA_SPENT, Float8GetDatum(after->spent.delta));
}
