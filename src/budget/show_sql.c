/*
 * show_sql.c
 *	  SQL functions behind the views of budgets.
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
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "budget/home.h"
#include "budget/role.h"
#include "budget/row.h"
#include "budget/store.h"
#include "compat.h"
#include "usage.h"

PG_FUNCTION_INFO_V1(dp_budget_epsilon_spent);
PG_FUNCTION_INFO_V1(dp_budget_visible);
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

/* dp_agg.epsilon_spent(budget dp_agg.budget) returns float8 */
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

/* dp_agg.may_be_behind(budget dp_agg.budget) returns boolean */
Datum
dp_budget_may_be_behind(PG_FUNCTION_ARGS)
{
	DpBudgetRow row;

	if (!read_row(PG_GETARG_HEAPTUPLEHEADER(0), &row))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(strcmp(row.home, dp_budget_home_here()) != 0);
}

/* Show the rows that a scan finds, and end it. */
static void
show(Relation budget, Oid index, int keys, ScanKey key, ReturnSetInfo *result)
{
	SysScanDesc scan = systable_beginscan(budget, index, OidIsValid(index), GetActiveSnapshot(),
										  keys, key);
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		tuplestore_puttuple(result->setResult, tuple);
	}
	systable_endscan(scan);
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
	return list_append_unique_oid(roles, GetOuterUserId());
}

/* Show the budgets of those roles, found by them. */
static void
show_own(Relation budget, ReturnSetInfo *result)
{
	ListCell   *lc;

	foreach(lc, visible_roles())
	{
		ScanKeyData key;

		ScanKeyInit(&key, DP_BUDGET_ROLE + 1, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(lfirst_oid(lc)));
		show(budget, dp_compat_primary_key(budget), 1, &key, result);
	}
}

/*
 * dp_agg.visible_budgets() returns setof dp_agg.budget: whoever asks is shown
 * no lock, plan, estimate or count, of rows, pages or WAL, that depends on rows
 * that are not; nor does it take longer for them.
 */
Datum
dp_budget_visible(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpUsage		usage = dp_usage_now();
	Relation	budget = dp_budget_store_read_budget();

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (has_privs_of_role(GetUserId(), budget->rd_rel->relowner))
		show(budget, InvalidOid, 0, NULL, result);
	else
		show_own(budget, result);
	table_close(budget, AccessShareLock);
	dp_usage_take_back(&usage);
	return (Datum) 0;
}
