/* SPDX-License-Identifier: PostgreSQL */
/*
 * act.c
 *	  Administrative acts on budgets, on their way to the ledger.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#include "budget/account/act.h"
#include "budget/account/store.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

typedef struct DpAct
{
	SubTransactionId subtransaction;	/* that it is undone with */
	Oid			extension;		/* whose tables it changed */
	DpLedgerRow entry;
	DpBudgetRow budget;
	DpCurve		cost;
} DpAct;

/* In TopTransactionContext, in order. */
static List *acts = NIL;

/*
 * Enter all acts, at the end of the transaction, if it left the ledger there
 * that they belong in.
 * Like a charge, what was done must not be undone by a crash or a failover:
 * a budget that was dropped would be back.
 */
static void
write_acts(void)
{
	DpStore		store;
	Oid			extension = get_extension_oid("dp_agg", true);
	ListCell   *lc;

	foreach(lc, acts)
		if (((DpAct *) lfirst(lc))->extension != extension)
			acts = foreach_delete_current(acts, lc);
	if (acts == NIL)
		return;
	dp_budget_store_durably();
	dp_budget_store_open(&store, true);
	foreach(lc, acts)
		dp_budget_store_append(&store, &((DpAct *) lfirst(lc))->entry);
	dp_budget_store_close(&store);
}

static void
end_transaction(XactEvent event, void *arg)
{
	if (acts == NIL)
		return;
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
			write_acts();
			break;
		case XACT_EVENT_PRE_PREPARE:
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot PREPARE a transaction that has administered privacy budgets")));
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
			acts = NIL;
			break;
		default:
			break;
	}
}

/* Forget what a subtransaction did if it is undone, else its parent did it. */
static void
end_subtransaction(SubXactEvent event, SubTransactionId mine, SubTransactionId parent,
				   void *arg)
{
	ListCell   *lc;

	if (event != SUBXACT_EVENT_COMMIT_SUB && event != SUBXACT_EVENT_ABORT_SUB)
		return;
	foreach(lc, acts)
	{
		DpAct	   *act = lfirst(lc);

		if (act->subtransaction != mine)
			continue;
		if (event == SUBXACT_EVENT_COMMIT_SUB)
			act->subtransaction = parent;
		else
			acts = foreach_delete_current(acts, lc);
	}
}

static void
register_callbacks(void)
{
	static bool registered = false;

	if (registered)
		return;
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
	registered = true;
}

void
dp_budget_act_record(DpEvent event, TimestampTz at, const DpBudgetRow *budget,
					 const char *releases, const DpCurve *cost)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);
	DpAct	   *act = palloc0(sizeof(DpAct));

	act->subtransaction = GetCurrentSubTransactionId();
	act->extension = get_extension_oid("dp_agg", false);
	act->entry.event = event;
	act->entry.at = at;
	act->entry.role = GetOuterUserId();
	if (budget != NULL)
	{
		act->budget = *budget;
		act->entry.budget = &act->budget;
	}
	if (cost != NULL)
	{
		act->cost = *cost;
		act->entry.cost = &act->cost;
	}
	if (releases != NULL)
		act->entry.releases = dp_budget_ledger_json(releases);
	register_callbacks();
	acts = lappend(acts, act);
	MemoryContextSwitchTo(old);
}

bool
dp_budget_act_is_pending(void)
{
	return acts != NIL;
}
