/*
 * kept_store.c
 *	  The keeper's part in kept answers.
 *
 * All that wait are stored in one transaction; if it fails, each in one of its own, so that
 * none is lost for another.  It commits without a flush.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "budget/kept_count.h"
#include "budget/kept_parcel.h"
#include "budget/kept_queue.h"
#include "budget/kept_store.h"
#include "budget/kept_table.h"
#include "budget/parcel.h"
#include "budget/payer.h"
#include "budget/row.h"
#include "budget/store.h"
#include "injection.h"
#include "settings.h"

/* What is left of a budget's answers after the oldest were removed, of what is allowed. */
#define DP_KEPT_SHARE 0.9

/* A limit in bytes. */
static Size
kept_limit(void)
{
	return (Size) dp_settings_answer_limit * 1024;
}

/* Commit without waiting for the disk. */
static void
commit_lazily(void)
{
	set_config_option("synchronous_commit", "off", PGC_USERSET, PGC_S_SESSION,
					  GUC_ACTION_LOCAL, true, 0, false);
	CommitTransactionCommand();
}

/* Clean up after a failed transaction, and log why. */
static void
recover(MemoryContext context)
{
	HOLD_INTERRUPTS();
	MemoryContextSwitchTo(context);
	EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	MemoryContextSwitchTo(context);
	RESUME_INTERRUPTS();
}

/* Add up what a budget's answers take. */
static Size
add_up(DpKeptTable *table, int64 budget)
{
	Relation	relation = table->info->ri_RelationDesc;
	Relation	index;
	SysScanDesc scan = dp_budget_kept_table_scan_by_age(relation, GetActiveSnapshot(), budget, &index);
	Size		size = 0;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
		size += dp_budget_kept_table_size(relation, tuple);
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return size;
}

/* Remove the oldest answers of a budget until those left take less than a size; returns what they take. */
static Size
remove_oldest(DpKeptTable *table, int64 budget, Size size, Size most)
{
	Relation	relation = table->info->ri_RelationDesc;
	Relation	index;
	SysScanDesc scan = dp_budget_kept_table_scan_by_age(relation, GetActiveSnapshot(), budget, &index);
	HeapTuple	tuple;

	while (size > most &&
		   HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		if (dp_budget_kept_table_delete(table, tuple))
			size -= dp_budget_kept_table_size(relation, tuple);
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return size;
}

/* Let a budget's answers take no more than is allowed, with what was added last. */
static void
keep_within(DpKeptTable *table, int64 budget, Size added)
{
	Size		size = 0;
	bool		known = dp_budget_kept_count_size(budget, &size);

	size += added;
	if (!known || size > kept_limit())
		size = add_up(table, budget);
	if (size > kept_limit())
		size = remove_oldest(table, budget, size, (Size) (kept_limit() * DP_KEPT_SHARE));
	dp_budget_kept_count_set_size(budget, size);
}

/* Is the budget that paid for an answer still there? */
static bool
is_owned(const DpKeptAnswer *answer)
{
	Relation	budget = dp_budget_store_read_budget();
	int64		number = dp_budget_payer_number(budget, GetActiveSnapshot(), answer->payer, answer->dataset);

	table_close(budget, AccessShareLock);
	return number == answer->budget;
}

/* Store the answers in a parcel. */
static void
store_answers(DpKeptTable *table, char *bytes)
{
	ListCell   *lc;

	foreach(lc, dp_budget_kept_parcel_read(bytes))
	{
		const DpKeptAnswer *answer = lfirst(lc);

		if (!is_owned(answer))
			continue;
		dp_budget_kept_table_put(table, answer);
		dp_budget_kept_table_step();
		keep_within(table, answer->budget,
					dp_budget_kept_size(VARSIZE(answer->released), strlen(answer->asked)));
		dp_budget_kept_table_step();
	}
}

/* What became of answers. */
typedef enum Outcome
{
	STORED,
	FAILED,
	LATER						/* somebody has locked the table */
} Outcome;

/* Store the answers in some slots. */
static void
store_slots(DpKeptTable *table, List *slots)
{
	ListCell   *lc;

	foreach(lc, slots)
	{
		DpParcelBytes opened = dp_budget_parcel_open(&((DpKeptSlot *) lfirst(lc))->parcel);

		if (opened.bytes)
			store_answers(table, opened.bytes);
		dp_budget_parcel_close(&opened);
	}
}

/* Store what is in some slots, in one transaction. */
static Outcome
try_to_store(List *slots)
{
	MemoryContext context = CurrentMemoryContext;
	volatile Outcome outcome = FAILED;

	PG_TRY();
	{
		DpKeptTable table;
		bool		opened;

		StartTransactionCommand();
		opened = dp_budget_kept_table_open(&table, false);
		if (opened)
		{
			store_slots(&table, slots);
			dp_budget_kept_table_close(&table);
		}
		commit_lazily();
		outcome = opened ? STORED : LATER;
	}
	PG_CATCH();
	{
		recover(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return outcome;
}

/* Give a slot back, with the segment that its sender left. */
static void
finish_slot(DpKeptSlot *slot)
{
	dp_budget_parcel_forget(&slot->parcel);
	dp_budget_kept_queue_done(slot);
}

bool
dp_budget_kept_store_waiting(void)
{
	List	   *slots;
	Outcome		outcome;
	ListCell   *lc;

	if (dp_budget_kept_queue_length() == 0)
		return true;
	DP_INJECTION_POINT("keeping");
	slots = dp_budget_kept_queue_waiting();
	outcome = try_to_store(slots);
	if (outcome == LATER)
		return false;
	if (outcome == FAILED && list_length(slots) > 1)
		foreach(lc, slots)
			(void) try_to_store(list_make1(lfirst(lc)));
	foreach(lc, slots)
		finish_slot(lfirst(lc));
	return true;
}

/* Enter replays in the row of their budget.  False if somebody has locked it. */
static bool
enter_in_budget(DpStore *store, const DpReplays *replays)
{
	DpBudgetRow row;
	TupleTableSlot *found;
	DpLookup	lookup = dp_budget_store_lock(store, replays->role, replays->dataset, &row, &found);

	if (lookup != DP_LOOKUP_FOUND || row.number != replays->budget)
		return lookup != DP_LOOKUP_BUSY;
	row.replays += replays->count;
	dp_budget_store_update(store, &row, found);
	dp_budget_kept_table_step();
	return true;
}

/* Enter replays in the row of their answer, if it is still there. */
static void
enter_in_answer(DpKeptTable *table, const DpReplays *replays)
{
	SysScanDesc scan = dp_budget_kept_table_scan(table->info->ri_RelationDesc, GetActiveSnapshot(),
												 replays->budget, replays->question);
	HeapTuple	tuple = systable_getnext(scan);

	if (HeapTupleIsValid(tuple))
		dp_budget_kept_table_count(table, tuple, replays->count);
	systable_endscan(scan);
	dp_budget_kept_table_step();
}

/* Enter replays, or count those again whose budget somebody has locked. */
static void
enter_replays(DpReplays *replays, int count)
{
	DpStore		store;
	DpKeptTable table;
	bool		opened = dp_budget_store_open(&store, false);

	for (int i = 0; i < count; i++)
	{
		if (opened && enter_in_budget(&store, &replays[i]))
			continue;
		(void) dp_budget_kept_count_replays(&replays[i]);
		replays[i].count = 0;
	}
	if (!opened)
		return;
	dp_budget_store_close(&store);
	if (!dp_budget_kept_table_open(&table, false))
		return;
	for (int i = 0; i < count; i++)
		if (replays[i].count > 0)
			enter_in_answer(&table, &replays[i]);
	dp_budget_kept_table_close(&table);
}

void
dp_budget_kept_store_replays(void)
{
	MemoryContext context = CurrentMemoryContext;
	DpReplays  *replays;
	int			count = dp_budget_kept_count_take(&replays);

	if (count == 0)
		return;
	PG_TRY();
	{
		StartTransactionCommand();
		enter_replays(replays, count);
		commit_lazily();
	}
	PG_CATCH();
	{
		recover(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
}
