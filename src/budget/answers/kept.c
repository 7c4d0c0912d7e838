/*
 * kept.c
 *	  Answers that were paid for and are kept, from the session's side.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "budget/queue/keeper_launch.h"
#include "budget/answers/kept.h"
#include "budget/queue/kept_count.h"
#include "budget/answers/kept_parcel.h"
#include "budget/answers/kept_payer.h"
#include "budget/queue/kept_queue.h"
#include "budget/answers/kept_row.h"
#include "budget/answers/kept_table.h"
#include "budget/queue/parcel.h"
#include "budget/queue/queue.h"
#include "base/settings.h"
#include "base/usage.h"

bool
dp_budget_kept_is_on(void)
{
	return dp_settings_answer_limit > 0 && dp_budget_queue_exists();
}

void
dp_budget_kept_await(int64 budget)
{
	if (!RecoveryInProgress() && dp_budget_queue_exists())
		dp_budget_kept_queue_await(budget);
}

bool
dp_budget_kept_of(Oid role, const char *dataset, DpBudgetId *budget)
{
	if (!dp_budget_kept_is_on() ||
		dp_budget_payer_look(role, dataset, budget) != DP_PAYER_FOUND || budget->number == 0)
		return false;
	dp_budget_kept_await(budget->number);
	return true;
}

/* Read a row that was found, if it was asked late enough and the budget paid for it. */
static bool
read_kept(TupleTableSlot *slot, const DpBudgetId *budget, TimestampTz not_before, DpKept *kept)
{
	bool		null;

	kept->asked_at = DatumGetTimestampTz(slot_getattr(slot, DP_KEPT_ASKED_AT + 1, &null));
	if (kept->asked_at < not_before ||
		!dp_budget_kept_is_paid_by(DatumGetInt64(slot_getattr(slot, DP_KEPT_ENTRY + 1, &null)), budget))
		return false;
	kept->released = DatumGetByteaPCopy(slot_getattr(slot, DP_KEPT_RELEASED + 1, &null));
	return true;
}

/* The snapshot is one of those that catalogs are read by: they are taken anew. */
static bool
find_in(Relation table, const DpBudgetId *budget, const uint8 *question, TimestampTz not_before,
		DpKept *kept)
{
	Snapshot	snapshot = dp_budget_store_snapshot(table);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	bool		found = dp_budget_kept_row_find(table, snapshot, budget->number, question, slot) &&
		read_kept(slot, budget, not_before, kept);

	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
	return found;
}

bool
dp_budget_kept_find(const DpBudgetId *budget, const uint8 *question, TimestampTz not_before,
					DpKept *kept)
{
	DpUsage		usage = dp_usage_now();
	Relation	table = dp_budget_kept_table_read();
	bool		found = false;

	if (table != NULL)
	{
		found = find_in(table, budget, question, not_before, kept);
		table_close(table, AccessShareLock);
	}
	dp_usage_take_back(&usage);
	return found;
}

/* Read the row that a walk has come to, if it was asked late enough. */
static List *
add_finer(const DpKeptWalk *walk, TimestampTz not_before, List *found)
{
	DpKeptFiner *finer = palloc(sizeof(DpKeptFiner));
	bool		null;

	finer->asked_at = DatumGetTimestampTz(slot_getattr(walk->slot, DP_KEPT_ASKED_AT + 1, &null));
	if (finer->asked_at < not_before)
		return found;
	memcpy(finer->question, walk->question, DP_QUESTION_BYTES);
	finer->shape = DatumGetByteaPCopy(slot_getattr(walk->slot, DP_KEPT_SHAPE + 1, &null));
	return lappend(found, finer);
}

/* Find the rows of a base in the table. */
static List *
find_finer_in(Relation table, int64 budget, const uint8 *base, TimestampTz not_before)
{
	Snapshot	snapshot = dp_budget_store_snapshot(table);
	List	   *found = NIL;
	DpKeptWalk	walk;

	dp_budget_kept_walk_begin(&walk, table, snapshot, budget, base);
	while (dp_budget_kept_walk_next(&walk))
		found = add_finer(&walk, not_before, found);
	dp_budget_kept_walk_end(&walk);
	UnregisterSnapshot(snapshot);
	return found;
}

List *
dp_budget_kept_find_finer(const DpBudgetId *budget, const uint8 *base, TimestampTz not_before)
{
	DpUsage		usage = dp_usage_now();
	Relation	table = dp_budget_kept_table_read();
	List	   *found = NIL;

	if (table != NULL)
	{
		found = find_finer_in(table, budget->number, base, not_before);
		table_close(table, AccessShareLock);
	}
	dp_usage_take_back(&usage);
	return found;
}

void
dp_budget_kept_replayed(const DpBudgetId *budget, const char *dataset, const uint8 *question)
{
	DpReplays	replay = {.budget = budget->number, .role = budget->role, .count = 1};

	strlcpy(replay.dataset, dataset, NAMEDATALEN);
	memcpy(replay.question, question, DP_QUESTION_BYTES);
	if (dp_budget_kept_count_replays(&replay) && !RecoveryInProgress())
		dp_budget_keeper_call();
}

/* Send answers in a parcel of this process's own. */
static void
send_parcel(List *answers, DpParcel *parcel)
{
	DpParcelBytes filled = dp_budget_parcel_fill(parcel, dp_budget_kept_parcel_size(answers));

	dp_budget_kept_parcel_write(answers, filled.bytes);
	dp_budget_parcel_leave(&filled);
	if (dp_budget_kept_queue_send(((DpKeptAnswer *) linitial(answers))->budget))
		return;
	dp_budget_parcel_forget(parcel);
}

/* An answer that there is no room for is shown all the same. */
void
dp_budget_kept_send(List *answers)
{
	MemoryContext context = CurrentMemoryContext;
	DpParcel   *parcel = dp_budget_kept_queue_parcel();

	if (parcel == NULL)
		return;
	PG_TRY();
	{
		send_parcel(answers, parcel);
	}
	PG_CATCH();
	{
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_INSUFFICIENT_RESOURCES)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
}
