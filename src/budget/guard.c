/* SPDX-License-Identifier: PostgreSQL */
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

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "budget/account/home.h"
#include "budget/account/store.h"
#include "budget/guard.h"
#include "budget/rows/row.h"

PG_FUNCTION_INFO_V1(dp_budget_guard_ledger);
PG_FUNCTION_INFO_V1(dp_budget_guard_changes);
PG_FUNCTION_INFO_V1(dp_budget_guard_kept);
PG_FUNCTION_INFO_V1(dp_budget_guard_contact);
PG_FUNCTION_INFO_V1(dp_budget_guard_budget);

/* Writes that a statement of ours may do, once each. */
enum
{
	INSERT_STATEMENT = 1 << 0,
	UPDATE_STATEMENT = 1 << 1,
	DELETE_STATEMENT = 1 << 2,
	INSERT_ROW = 1 << 3,
	UPDATE_ROW = 1 << 4,
	DELETE_ROW = 1 << 5,
	KEEP_HOME = 1 << 6
};

/* Those of the innermost statement of ours that runs. */
static DpGuardPass *passing = NULL;

void
dp_budget_guard_open(DpGuardPass *pass, DpEvent event, Oid role, const char *dataset)
{
	pass->role = role;
	pass->dataset = dataset;
	if (event == DP_EVENT_DROP)
		pass->open = DELETE_STATEMENT | DELETE_ROW;
	else
		pass->open = UPDATE_STATEMENT | UPDATE_ROW;
	if (event == DP_EVENT_SET)
		pass->open |= INSERT_STATEMENT | INSERT_ROW | KEEP_HOME;
	pass->outer = passing;
	passing = pass;
}

void
dp_budget_guard_close(const DpGuardPass *pass)
{
	passing = pass->outer;
}

/* Is a row of the budget table that of our statement? */
static bool
is_of_pass(TupleDesc desc, HeapTuple tuple)
{
	bool		no_role;
	bool		no_dataset;
	Datum		role = heap_getattr(tuple, DP_BUDGET_ROLE + 1, desc, &no_role);
	Datum		dataset = heap_getattr(tuple, DP_BUDGET_DATASET + 1, desc, &no_dataset);

	return !no_role && !no_dataset && DatumGetObjectId(role) == passing->role &&
		strcmp(TextDatumGetCString(dataset), passing->dataset) == 0;
}

/* Event that a trigger fires for. */
static int
fired_for(TriggerEvent event)
{
	bool		row = TRIGGER_FIRED_FOR_ROW(event);

	if (TRIGGER_FIRED_BY_INSERT(event))
		return row ? INSERT_ROW : INSERT_STATEMENT;
	if (TRIGGER_FIRED_BY_UPDATE(event))
		return row ? UPDATE_ROW : UPDATE_STATEMENT;
	if (TRIGGER_FIRED_BY_DELETE(event))
		return row ? DELETE_ROW : DELETE_STATEMENT;
	return 0;
}

/* Let our statement, or its row, pass a guard, if it has not passed yet. */
static bool
pass_once(const TriggerData *trigger, int what)
{
	TupleDesc	desc = RelationGetDescr(trigger->tg_relation);

	if (passing == NULL || (passing->open & what) == 0 ||
		!dp_budget_store_is_budget(RelationGetRelid(trigger->tg_relation)))
		return false;
	if (TRIGGER_FIRED_FOR_ROW(trigger->tg_event) && !is_of_pass(desc, trigger->tg_trigtuple))
		return false;
	if (what == UPDATE_ROW && !is_of_pass(desc, trigger->tg_newtuple))
		return false;
	passing->open &= ~what;
	return true;
}

/* The table that a trigger or rule, just made, stands on: it is not visible yet to its command. */
static Oid
table_of(Oid classid, Oid objectid)
{
	bool		is_trigger = classid == TriggerRelationId;
	Relation	catalog = table_open(classid, AccessShareLock);
	Oid			relid = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, is_trigger ? Anum_pg_trigger_oid : Anum_pg_rewrite_oid,
				BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(objectid));
	scan = systable_beginscan(catalog, is_trigger ? TriggerOidIndexId : RewriteOidIndexId, true,
							  SnapshotSelf, 1, &key);
	if (HeapTupleIsValid(tuple = systable_getnext(scan)))
		relid = is_trigger ? ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid :
			((Form_pg_rewrite) GETSTRUCT(tuple))->ev_class;
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return relid;
}

void
dp_budget_guard_attachment(ObjectAccessType access, Oid classid, Oid objectid)
{
	Oid			relid;

	if (access != OAT_POST_CREATE || superuser() ||
		(classid != TriggerRelationId && classid != RewriteRelationId))
		return;
	relid = table_of(classid, objectid);
	if (OidIsValid(relid) && dp_budget_store_is_guarded(relid))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only superusers may attach triggers, rules and foreign keys to table \"%s\" of extension \"%s\"",
						get_rel_name(relid), "dp_agg")));
}

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
 * dp_agg_internal.guard_ledger() returns trigger: nobody but a superuser, who may have
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
 * dp_agg_internal.guard_changes() returns trigger: nobody but a superuser changes budgets
 * otherwise than through the functions that are for that.
 */
Datum
dp_budget_guard_changes(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!(CALLED_AS_TRIGGER(fcinfo) && pass_once(trigger, fired_for(trigger->tg_event))) &&
		!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("privacy budgets are changed by the extension's functions alone"),
				 errhint("An administrator can use dp_agg.set_budget and its like.")));
	return pass(fcinfo);
}

/*
 * dp_agg_internal.guard_kept() returns trigger: nobody but a superuser, who may have to restore
 * them, writes kept answers by SQL.
 */
Datum
dp_budget_guard_kept(PG_FUNCTION_ARGS)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("kept answers are written by the extension alone"),
				 errhint("An administrator can use dp_agg.forget_kept.")));
	return pass(fcinfo);
}

/*
 * dp_agg_internal.guard_contact() returns trigger: what only people know is written by the
 * function for it, which runs as the table's owner.
 */
Datum
dp_budget_guard_contact(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (CALLED_AS_TRIGGER(fcinfo) && !superuser() &&
		GetUserId() != trigger->tg_relation->rd_rel->relowner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("what is known of a deployment is written by the extension's functions alone"),
				 errhint("An administrator can use dp_agg.set_contact.")));
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
				 errmsg("dp_agg_internal.guard_budget is a trigger for rows inserted into dp_agg.budget")));
}

/*
 * dp_agg_internal.guard_budget() returns trigger: a row that something else inserts, and
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
	if (null || pass_once(trigger, KEEP_HOME) ||
		!dp_budget_home_is_this_database(TextDatumGetCString(home)))
		return PointerGetDatum(tuple);
	null = true;
	return PointerGetDatum(heap_modify_tuple_by_cols(tuple, RelationGetDescr(trigger->tg_relation),
													 1, &column, &nowhere, &null));
}
