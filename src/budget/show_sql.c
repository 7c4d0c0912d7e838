/*
 * show_sql.c
 *	  SQL functions behind the views of budgets, and the ledger's guard.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/typcache.h"

#include "budget/home.h"
#include "budget/row.h"

PG_FUNCTION_INFO_V1(dp_budget_guard_ledger);
PG_FUNCTION_INFO_V1(dp_budget_epsilon_spent);
PG_FUNCTION_INFO_V1(dp_budget_sees);
PG_FUNCTION_INFO_V1(dp_budget_may_be_behind);

/*
 * dp_agg.guard_ledger() returns trigger: nobody but a superuser, who may have
 * to restore it, writes the ledger by SQL.
 */
Datum
dp_budget_guard_ledger(PG_FUNCTION_ARGS)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the ledger of privacy budgets is append-only"),
				 errhint("To shorten it, an administrator can use dp_agg.compact_ledger.")));
	return PointerGetDatum(NULL);
}

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

/* dp_agg.sees_budget(role regrole, administrators regrole) returns boolean */
Datum
dp_budget_sees(PG_FUNCTION_ARGS)
{
	Oid			role = PG_GETARG_OID(0);

	PG_RETURN_BOOL(has_privs_of_role(GetUserId(), PG_GETARG_OID(1)) ||
				   (OidIsValid(role) &&
					(has_privs_of_role(GetUserId(), role) ||
					 has_privs_of_role(GetOuterUserId(), role))));
}
