/*
 * guard.c
 *	  What is done to the tables otherwise than through the extension's functions.
 *
 * The keeper, and what the extension appends and compacts, fire no triggers.
 * All other ways do: COPY, MERGE, views and partitions above the tables, rights
 * that roles have anyhow (pg_write_all_data), any session_replication_role, since
 * the guards are ENABLE ALWAYS, and subscriptions, which fire triggers for rows
 * but none for statements.  So there are both.
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
PG_FUNCTION_INFO_V1(dp_budget_guard_changes);
PG_FUNCTION_INFO_V1(dp_budget_guard_answers);
PG_FUNCTION_INFO_V1(dp_budget_guard_budget);

bool		dp_budget_guard_acting = false;

/* The row that a trigger lets pass; none for a statement. */
static Datum
pass(FunctionCallInfo fcinfo)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("guards of extension \"%s\" are triggers", "dp_agg")));
	if (!TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		return PointerGetDatum(NULL);
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		return PointerGetDatum(trigger->tg_newtuple);
	return PointerGetDatum(trigger->tg_trigtuple);
}

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
	return pass(fcinfo);
}

/*
 * dp_agg.guard_changes() returns trigger: nobody but a superuser changes budgets
 * otherwise than through the functions that are for that.
 */
Datum
dp_budget_guard_changes(PG_FUNCTION_ARGS)
{
	if (!dp_budget_guard_acting && !superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("privacy budgets are changed by the extension's functions alone"),
				 errhint("An administrator can use dp_agg.set_budget and its like.")));
	return pass(fcinfo);
}

/*
 * dp_agg.guard_answers() returns trigger: nobody but a superuser, who may have to restore
 * them, writes kept answers by SQL.
 */
Datum
dp_budget_guard_answers(PG_FUNCTION_ARGS)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("kept answers are written by the extension alone"),
				 errhint("An administrator can use dp_agg.forget_answers.")));
	return pass(fcinfo);
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
