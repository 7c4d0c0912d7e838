/* SPDX-License-Identifier: PostgreSQL */
/*
 * use_sql.c
 *	  The SQL function behind dp_agg.budget_use: how much of budgets is used, and
 *	  how long the rest will do.
 *
 * Forecasts rest on the budget's own rows of the ledger.  A role that may
 * see a budget can watch it become less, charge by charge: forecasts tell no more.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "base/compat_varlena.h"
#include "budget/account/own_index.h"
#include "budget/account/role.h"
#include "budget/account/store.h"
#include "budget/queue/queue.h"
#include "budget/queue/queue_state.h"
#include "budget/rows/ledger.h"
#include "budget/rows/ledger_cost.h"
#include "budget/rows/repeat.h"
#include "budget/rows/row.h"
#include "budget/show_sql.h"

PG_FUNCTION_INFO_V1(dp_budget_visible_use);

/*
 * Which statements are recent: the last ones, not older than this; the cost of some of them is
 * looked at, and the times of more.  Refused ones are passed over, up to a number of rows.
 */
#define DP_RECENT_DAYS 30
#define DP_RECENT_COSTS 50
#define DP_RECENT_ROWS 1000

/* Columns of the function. */
enum
{
	USE_BUDGET,
	USE_USED,
	USE_ALERT,
	USE_ALERTED_AT,
	USE_PER_DAY,
	USE_STATEMENTS_LEFT,
	USE_DAYS_LEFT,
	USE_KEEPER_CHARGES,
	USE_KEEPER_WAIT,
	USE_KEEPER_COMMITS,
	USE_KEEPER_COMMIT_TIME,
	USE_COLUMNS
};

/* What was charged recently. */
typedef struct DpRecent
{
	int			statements;
	TimestampTz oldest;			/* of them */
	int			costs;
	DpCurve		cost;			/* of so many of them together */
} DpRecent;

/* Take up a row of the ledger, if a statement was admitted; false if it is too old. */
static bool
take_up(Relation ledger, HeapTuple tuple, TimestampTz since, DpRecent *recent)
{
	TupleDesc	desc = RelationGetDescr(ledger);
	bool		no_time;
	bool		no_decision;
	bool		no_releases;
	TimestampTz at = DatumGetTimestampTz(heap_getattr(tuple, DP_LEDGER_AT + 1, desc, &no_time));
	Datum		admitted = heap_getattr(tuple, DP_LEDGER_ADMITTED + 1, desc, &no_decision);
	Datum		releases = heap_getattr(tuple, DP_LEDGER_RELEASES + 1, desc, &no_releases);
	DpCurve		cost;

	if (no_time || at < since)
		return false;
	if (no_decision || !DatumGetBool(admitted) || no_releases)
		return true;
	recent->statements++;
	recent->oldest = at;
	if (recent->costs < DP_RECENT_COSTS && dp_budget_ledger_cost(DatumGetJsonbP(releases), &cost))
	{
		dp_accounting_compose(&recent->cost, &cost);
		recent->costs++;
	}
	return true;
}

/* Look through the newest rows of the ledger about a budget or cap. */
static DpRecent
look_back(const DpBudgetRow *row, TimestampTz now)
{
	bool		cap = !OidIsValid(row->role);
	const AttrNumber column[] = {(cap ? DP_LEDGER_CAP : DP_LEDGER_BUDGET) + 1, DP_LEDGER_ID + 1};
	Relation	ledger = dp_budget_store_read_ledger();
	Relation	index = dp_budget_own_index_named(ledger, cap ? "ledger_cap" : "ledger_budget",
												  column, lengthof(column), false);
	DpRecent	recent = {0};
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	int			rows = 0;

	ScanKeyInit(&key, column[0], BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(row->number));
	scan = systable_beginscan_ordered(ledger, index, GetActiveSnapshot(), 1, &key);
	while (rows++ < DP_RECENT_ROWS &&
		   HeapTupleIsValid(tuple = systable_getnext_ordered(scan, BackwardScanDirection)) &&
		   take_up(ledger, tuple, now - DP_RECENT_DAYS * USECS_PER_DAY, &recent))
		CHECK_FOR_INTERRUPTS();
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(ledger, AccessShareLock);
	return recent;
}

/* The mean of what recent statements cost. */
static DpCurve
mean_cost(const DpRecent *recent)
{
	DpCurve		mean = recent->cost;

	for (int i = 0; i < DP_ORDERS; i++)
		mean.rdp[i] /= recent->costs;
	mean.pure /= recent->costs;
	mean.delta /= recent->costs;
	mean.variance /= recent->costs;
	return mean;
}

static void
set(Datum *values, bool *nulls, int column, Datum value)
{
	values[column] = value;
	nulls[column] = false;
}

/*
 * How many statements like the mean of recent ones the limit admits, and how many days they last at
 * the recent rate, which is that of a day at least.  No days if a new period begins before.
 */
static void
forecast(const DpBudgetRow *row, TimestampTz now, Datum *values, bool *nulls)
{
	DpRecent	recent = look_back(row, now);
	DpCurve		mean;
	double		per_day;
	int64		left;

	if (recent.costs == 0)
		return;
	mean = mean_cost(&recent);
	left = dp_budget_most_repeated(&row->limit, &row->spent, &mean);
	per_day = recent.statements * (double) USECS_PER_DAY / Max(now - recent.oldest, USECS_PER_DAY);
	set(values, nulls, USE_PER_DAY, Float8GetDatum(per_day));
	set(values, nulls, USE_STATEMENTS_LEFT, Int64GetDatum(left));
	if (!row->refreshes ||
		(double) (dp_budget_row_period_ends(row->period_began, &row->refresh) - now) > left / per_day * USECS_PER_DAY)
		set(values, nulls, USE_DAYS_LEFT, Float8GetDatum(left / per_day));
}

/* What is used of a row that makes sense, as a charge at this time would find it. */
static void
show_used(DpBudgetRow *row, TimestampTz now, Datum *values, bool *nulls)
{
	if (dp_budget_row_refresh_due(row, now))
		dp_budget_row_refresh(row, now);
	set(values, nulls, USE_USED, Float8GetDatum(dp_budget_row_use(row, dp_accounting_epsilon_spent(&row->limit, &row->spent))));
	if (row->alert > 0)
	{
		set(values, nulls, USE_ALERT, Float8GetDatum(row->alert));
		set(values, nulls, USE_ALERTED_AT, TimestampTzGetDatum(row->alerted_at));
	}
	forecast(row, now, values, nulls);
}

/* What keepers did for all roles, which only who sees all budgets is told; times in seconds. */
static void
show_keeper(Relation budget, Datum *values, bool *nulls)
{
	DpKeeperCounts counts;

	if (!dp_budget_role_may_read(RelationGetRelid(budget)))
		return;
	dp_budget_queue_counts(&counts);
	set(values, nulls, USE_KEEPER_CHARGES, Int64GetDatum(counts.charges));
	set(values, nulls, USE_KEEPER_WAIT, Float8GetDatum(counts.wait_us / 1e6));
	set(values, nulls, USE_KEEPER_COMMITS, Int64GetDatum(counts.commits));
	set(values, nulls, USE_KEEPER_COMMIT_TIME, Float8GetDatum(counts.commit_us / 1e6));
}

static void
show_use(Relation budget, HeapTuple tuple, ReturnSetInfo *result)
{
	HeapTuple	shown = dp_budget_show_with_replays(budget, tuple);
	Datum		values[USE_COLUMNS] = {0};
	bool		nulls[USE_COLUMNS];
	DpBudgetRow row;

	memset(nulls, true, sizeof(nulls));
	set(values, nulls, USE_BUDGET, heap_copy_tuple_as_datum(shown, RelationGetDescr(budget)));
	if (dp_budget_store_decode(budget, tuple, &row))
		show_used(&row, GetCurrentTransactionStartTimestamp(), values, nulls);
	show_keeper(budget, values, nulls);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * dp_agg_internal.visible_use() returns table (budget dp_agg.budget, used float8, alert float8,
 * alerted_at timestamptz, per_day float8, statements_left bigint, days_left float8, keeper_charges
 * bigint, keeper_wait float8, keeper_commits bigint, keeper_commit_time float8)
 */
Datum
dp_budget_visible_use(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	dp_budget_show_visible(show_use, false, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
