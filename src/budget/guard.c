/*
 * guard.c
 *	  What is done to the tables otherwise than through the extension's functions.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "budget/guard.h"
#include "budget/home.h"
#include "budget/row.h"

PG_FUNCTION_INFO_V1(dp_budget_guard_ledger);
PG_FUNCTION_INFO_V1(dp_budget_guard_budget);

bool		dp_budget_guard_acting = false;

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

/* Has a table the columns of dp_agg.budget? */
static bool
is_like_budget(TupleDesc desc)
{
	bool		like = desc->natts >= DP_BUDGET_COLUMNS;

	for (int i = 0; like && i < DP_BUDGET_COLUMNS; i++)
		like = TupleDescAttr(desc, i)->atttypid == dp_budget_row_types[i];
	return like;
}

/* Is it the trigger of such a table, for each row? */
static void
check_trigger(FunctionCallInfo fcinfo)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BY_INSERT(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		!is_like_budget(RelationGetDescr(trigger->tg_relation)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dp_agg.guard_budget is a trigger for rows inserted into dp_agg.budget")));
}

/*
 * dp_agg.guard_budget() returns trigger: a row that something else inserts, and
 * that says it lives in this database, comes back to where it was dumped.  What
 * was spent since then is not in it: from now on it lives nowhere.
 */
Datum
dp_budget_guard_budget(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	int			column = DP_BUDGET_HOME + 1;
	Datum		nowhere = (Datum) 0;
	HeapTuple	tuple;
	bool		null;
	Datum		home;

	check_trigger(fcinfo);
	tuple = trigger->tg_trigtuple;
	home = heap_getattr(tuple, column, RelationGetDescr(trigger->tg_relation), &null);
	if (dp_budget_guard_acting || null ||
		!dp_budget_home_is_this_database(TextDatumGetCString(home)))
		return PointerGetDatum(tuple);
	null = true;
	return PointerGetDatum(heap_modify_tuple_by_cols(tuple, RelationGetDescr(trigger->tg_relation),
													 1, &column, &nowhere, &null));
}
