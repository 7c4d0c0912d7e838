/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_store.c
 *	  The keeper's part in kept answers.
 *
 * All that wait are stored in one transaction; if it fails, each in one of its own, so that
 * none is lost for another.  It commits without a flush.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat_varlena.h"
#include "base/injection.h"
#include "base/settings.h"
#include "budget/account/payer.h"
#include "budget/account/store.h"
#include "budget/kept/kept_parcel.h"
#include "budget/kept/kept_store.h"
#include "budget/kept/kept_table.h"
#include "budget/queue/kept_count.h"
#include "budget/queue/kept_queue.h"
#include "budget/queue/parcel.h"
#include "budget/rows/row.h"

/*
 * Share of the allowed size that is left of a budget's answers after the oldest
 * were removed.
 */
#define DP_KEPT_SHARE 0.9

/* A limit in bytes. */
static Size
kept_limit(void)
{
	return (Size) dp_settings_kept_limit * 1024;
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

/* An answer that may be removed. */
typedef struct Removable
{
	TimestampTz asked_at;
	ItemPointerData tid;
	Size		size;
} Removable;

/* Look at all answers of a budget; returns how many there are, and adds up what they take. */
static int
look_at_all(DpKeptTable *table, int64 budget, Removable **answers, Size *size)
{
	int			count = 0;
	int			room = 64;
	DpKeptWalk	walk;
	bool		null;

	*size = 0;
	*answers = palloc(room * sizeof(Removable));
	dp_budget_kept_walk_begin(&walk, table->info->ri_RelationDesc, GetActiveSnapshot(), budget, NULL);
	while (dp_budget_kept_walk_next(&walk))
	{
		if (count == room)
			*answers = repalloc_huge(*answers, (room *= 2) * sizeof(Removable));
		(*answers)[count++] = (Removable) {
			.asked_at = DatumGetTimestampTz(slot_getattr(walk.slot, DP_KEPT_ASKED_AT + 1, &null)),
			.tid = walk.slot->tts_tid,
			.size = dp_budget_kept_table_size(walk.slot)
		};
		*size += (*answers)[count - 1].size;
	}
	dp_budget_kept_walk_end(&walk);
	return count;
}

static int
compare_ages(const void *a, const void *b)
{
	TimestampTz first = ((const Removable *) a)->asked_at;
	TimestampTz second = ((const Removable *) b)->asked_at;

	return (first > second) - (first < second);
}

/* Remove the oldest answers until those left take less than a size; returns what they take. */
static Size
remove_oldest(DpKeptTable *table, Removable *answers, int count, Size size, Size most)
{
	qsort(answers, count, sizeof(Removable), compare_ages);
	for (int i = 0; i < count && size > most; i++)
		if (dp_budget_kept_table_delete(table, &answers[i].tid))
			size -= answers[i].size;
	return size;
}

/* Let a budget's answers take no more than is allowed, with what was added last. */
static void
keep_within(DpKeptTable *table, int64 budget, Size added)
{
	Size		size = 0;
	bool		known = dp_budget_kept_count_size(budget, &size);
	Removable  *answers;
	int			count;

	size += added;
	if (!known || size > kept_limit())
	{
		count = look_at_all(table, budget, &answers, &size);
		if (size > kept_limit())
			size = remove_oldest(table, answers, count, size, (Size) (kept_limit() * DP_KEPT_SHARE));
		pfree(answers);
	}
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
					dp_budget_kept_size(VARSIZE(answer->released), strlen(answer->asked),
										answer->shape ? VARSIZE(answer->shape) : 0));
		dp_budget_kept_table_step();
	}
}

/* Fate of answers. */
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
	{
		if (replays[i].count == 0)
			continue;
		dp_budget_kept_table_count(&table, replays[i].budget, replays[i].question, replays[i].count);
		dp_budget_kept_table_step();
	}
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
