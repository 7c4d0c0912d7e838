/* SPDX-License-Identifier: PostgreSQL */
/*
 * show_sql.c
 *	  SQL functions behind the views of budgets.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "base/compat_varlena.h"
#include "base/usage.h"
#include "budget/account/home.h"
#include "budget/account/role.h"
#include "budget/account/row_tid.h"
#include "budget/account/store.h"
#include "budget/kept/kept.h"
#include "budget/kept/kept_table.h"
#include "budget/queue/kept_count.h"
#include "budget/rows/row.h"
#include "budget/show_sql.h"

PG_FUNCTION_INFO_V1(dp_budget_epsilon_spent);
PG_FUNCTION_INFO_V1(dp_budget_visible);
PG_FUNCTION_INFO_V1(dp_budget_visible_kept);
PG_FUNCTION_INFO_V1(dp_budget_may_be_behind);

/* Read a value of type dp_agg.budget; false if it makes no sense. */
static bool
read_row(HeapTupleHeader record, DpBudgetRow *row)
{
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(record),
											  HeapTupleHeaderGetTypMod(record));
	HeapTupleData tuple = {
		.t_len = HeapTupleHeaderGetDatumLength(record),
		.t_data = record
	};
	Datum	   *values = palloc(desc->natts * sizeof(Datum));
	bool	   *nulls = palloc(desc->natts * sizeof(bool));
	bool		good = desc->natts >= DP_BUDGET_COLUMNS;

	for (int i = 0; good && i < DP_BUDGET_COLUMNS; i++)
		good = TupleDescAttr(desc, i)->atttypid == dp_budget_row_types[i];
	if (good)
	{
		heap_deform_tuple(&tuple, desc, values, nulls);
		good = dp_budget_row_decode(values, nulls, row);
	}
	ReleaseTupleDesc(desc);
	return good;
}

/* dp_agg_internal.epsilon_spent(budget dp_agg.budget) returns float8 */
Datum
dp_budget_epsilon_spent(PG_FUNCTION_ARGS)
{
	DpBudgetRow row;

	if (!read_row(PG_GETARG_HEAPTUPLEHEADER(0), &row))
		PG_RETURN_NULL();
	if (dp_budget_row_refresh_due(&row, GetCurrentTransactionStartTimestamp()))
		PG_RETURN_FLOAT8(0);
	PG_RETURN_FLOAT8(dp_accounting_epsilon_spent(&row.limit, &row.spent));
}

/* dp_agg_internal.may_be_behind(budget dp_agg.budget) returns boolean */
Datum
dp_budget_may_be_behind(PG_FUNCTION_ARGS)
{
	DpBudgetRow row;

	if (!read_row(PG_GETARG_HEAPTUPLEHEADER(0), &row))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(strcmp(row.home, dp_budget_home_here()) != 0);
}

/* Show what a walk comes by, and end it. */
static void
show(DpRowWalk *walk, DpShow shows, ReturnSetInfo *result)
{
	HeapTuple	tuple;

	while ((tuple = dp_budget_row_walk_next(walk)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		shows(walk->budget, tuple, result);
		heap_freetuple(tuple);
	}
	dp_budget_row_walk_end(walk);
}

/*
 * The roles whose budgets the current user may see: those whose privileges it
 * has.  The role outside of security definer functions sees its own in them, which
 * pays for what they ask, but nothing by other rights: the function is another's.
 */
static List *
visible_roles(void)
{
	List	   *roles = NIL;
	ListCell   *lc;

	foreach(lc, dp_budget_role_memberships(GetUserId()))
		if (has_privs_of_role(GetUserId(), lfirst_oid(lc)))
			roles = lappend_oid(roles, lfirst_oid(lc));
	return list_append_unique_oid(roles, dp_budget_role_asking());
}

/* Show the budgets of those roles, found by them. */
static void
show_own(Relation budget, DpShow shows, ReturnSetInfo *result)
{
	ListCell   *lc;

	foreach(lc, visible_roles())
	{
		DpRowWalk	walk;

		dp_budget_row_walk_begin(&walk, budget, GetActiveSnapshot(), lfirst_oid(lc));
		show(&walk, shows, result);
	}
}

void
dp_budget_show_visible(DpShow shows, bool answers, ReturnSetInfo *result)
{
	DpUsage		usage = dp_usage_now();
	Relation	budget = dp_budget_store_read_budget();
	DpRowWalk	walk;

	if (dp_budget_role_may_read(answers ? dp_budget_store_kept(true) : RelationGetRelid(budget)))
	{
		dp_budget_row_walk_begin_all(&walk, budget, GetActiveSnapshot());
		show(&walk, shows, result);
	}
	else
		show_own(budget, shows, result);
	table_close(budget, AccessShareLock);
	dp_usage_take_back(&usage);
}

HeapTuple
dp_budget_show_with_replays(Relation budget, HeapTuple tuple)
{
	TupleDesc	desc = RelationGetDescr(budget);
	int			column = DP_BUDGET_REPLAYS + 1;
	bool		null;
	int64		number = DatumGetInt64(heap_getattr(tuple, DP_BUDGET_NUMBER + 1, desc, &null));
	Datum		replays = heap_getattr(tuple, column, desc, &null);

	replays = Int64GetDatum(DatumGetInt64(replays) + dp_budget_kept_count_pending(number, NULL));
	null = false;
	return heap_modify_tuple_by_cols(tuple, desc, 1, &column, &replays, &null);
}

static void
show_row(Relation budget, HeapTuple tuple, ReturnSetInfo *result)
{
	tuplestore_puttuple(result->setResult, dp_budget_show_with_replays(budget, tuple));
}

/* dp_agg_internal.visible_budgets() returns setof dp_agg.budget */
Datum
dp_budget_visible(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dp_budget_show_visible(show_row, false, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}

/* Show an answer, as a row of the view. */
static void
show_answer(TupleTableSlot *slot, Datum dataset, Datum role, ReturnSetInfo *result)
{
	const Datum *values = slot->tts_values;
	Datum		shown[6];
	bool		shown_null[lengthof(shown)] = {false};
	int64		pending;

	slot_getallattrs(slot);
	pending = dp_budget_kept_count_pending(DatumGetInt64(values[DP_KEPT_BUDGET]),
										   (uint8 *) VARDATA_ANY(DatumGetByteaPP(values[DP_KEPT_QUESTION])));
	shown[0] = dataset;
	shown[1] = role;
	shown[2] = values[DP_KEPT_ASKED];
	shown[3] = values[DP_KEPT_ASKED_AT];
	shown[4] = values[DP_KEPT_ROWS];
	shown[5] = Int64GetDatum(DatumGetInt64(values[DP_KEPT_REPLAYS]) + pending);
	tuplestore_putvalues(result->setResult, result->setDesc, shown, shown_null);
}

/*
 * Show all answers of a budget, as find_in() of kept.c finds them: those too that were on
 * their way when the statement began.
 */
static void
show_answers(Relation budget, HeapTuple row, ReturnSetInfo *result)
{
	TupleDesc	desc = RelationGetDescr(budget);
	bool		null;
	int64		number = DatumGetInt64(heap_getattr(row, DP_BUDGET_NUMBER + 1, desc, &null));
	Relation	table = dp_budget_kept_table_read();
	Snapshot	snapshot;
	DpKeptWalk	walk;

	if (table == NULL)
		return;

	dp_budget_kept_await(number);
	snapshot = dp_budget_store_snapshot(table);
	dp_budget_kept_walk_begin(&walk, table, snapshot, number, NULL);
	while (dp_budget_kept_walk_next(&walk))
		show_answer(walk.slot, heap_getattr(row, DP_BUDGET_DATASET + 1, desc, &null),
					heap_getattr(row, DP_BUDGET_ROLE + 1, desc, &null), result);
	dp_budget_kept_walk_end(&walk);
	UnregisterSnapshot(snapshot);
	table_close(table, AccessShareLock);
}

/*
 * dp_agg_internal.visible_kept() returns table (dataset text, role regrole, question text,
 * asked_at timestamptz, rows int, replays bigint)
 */
Datum
dp_budget_visible_kept(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	dp_budget_show_visible(show_answers, true, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
