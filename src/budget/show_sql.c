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
#include "utils/typcache.h"

#include "budget/home.h"
#include "budget/row.h"
#include "budget/store.h"
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

/* May the current user see a row of the budget table? */
static bool
may_see(Relation budget, HeapTuple tuple)
{
	bool		null;
	Datum		value = heap_getattr(tuple, DP_BUDGET_ROLE + 1, RelationGetDescr(budget), &null);
	Oid			role = null ? InvalidOid : DatumGetObjectId(value);

	return has_privs_of_role(GetUserId(), budget->rd_rel->relowner) ||
		(OidIsValid(role) &&
		 (has_privs_of_role(GetUserId(), role) ||
		  has_privs_of_role(GetOuterUserId(), role)));
}

/*
 * dp_agg.visible_budgets() returns setof dp_agg.budget: whoever asks is shown
 * no lock, plan, estimate or count, of rows, pages or WAL, that depends on rows
 * that are not.
 */
Datum
dp_budget_visible(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpUsage		usage = dp_usage_now();
	Relation	budget = dp_budget_store_read_budget();
	SysScanDesc scan;
	HeapTuple	tuple;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	scan = systable_beginscan(budget, InvalidOid, false, GetActiveSnapshot(), 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (may_see(budget, tuple))
			tuplestore_puttuple(result->setResult, tuple);
	systable_endscan(scan);
	table_close(budget, AccessShareLock);
	dp_usage_take_back(&usage);
	return (Datum) 0;
}
