/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_queue.c
 *	  Answers on their way from sessions to their database's keeper, in shared memory.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "utils/timestamp.h"

#include "base/settings.h"
#include "budget/queue/kept_queue.h"
#include "budget/queue/queue.h"
#include "budget/queue/queue_state.h"

/* How long a session waits at a time for the keeper to store something. */
#define DP_KEPT_LOOK_MS 1

static DpKeptSlot *
own_slot(void)
{
	return &dp_budget_queue->kept[dp_budget_queue_mine() - dp_budget_queue->request];
}

/* Sleep until something may have been stored; serves interrupts. */
static void
sleep_a_while(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 DP_KEPT_LOOK_MS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* Has a session that began to wait then waited as long as for a charge? */
static bool
too_late(TimestampTz start)
{
	return dp_settings_charge_timeout > 0 &&
		TimestampDifferenceExceeds(start, GetCurrentTimestamp(), dp_settings_charge_timeout);
}

/*
 * Take back a slot that was filled for another database, by a process that had this one's
 * number, if no keeper comes for it: the database may have been dropped.
 */
static void
take_back(DpKeptSlot *slot)
{
	bool		taken = false;

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	if (pg_atomic_read_u32(&slot->full) != 0)
	{
		const DpKeeper *keeper = &dp_budget_queue->keeper[slot->keeper];

		taken = keeper->database != MyDatabaseId && !dp_budget_queue_is_coming(keeper);
	}
	if (taken)
		dp_budget_queue_unlink_kept(slot);
	LWLockRelease(dp_budget_queue->lock);
	if (taken)
		dp_budget_parcel_forget(&slot->parcel);
}

DpParcel *
dp_budget_kept_queue_parcel(void)
{
	DpKeptSlot *slot = own_slot();
	TimestampTz start = 0;

	while (pg_atomic_read_u32(&slot->full) != 0)
	{
		if (start == 0)
			start = GetCurrentTimestamp();
		else if (too_late(start))
			return NULL;
		take_back(slot);
		sleep_a_while();
	}
	return &slot->parcel;
}

bool
dp_budget_kept_queue_send(int64 budget)
{
	DpKeptSlot *slot = own_slot();
	DpKeeper   *keeper;

	slot->budget = budget;
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	keeper = dp_budget_queue_find_keeper(MyDatabaseId);
	if (keeper != NULL)
	{
		slot->keeper = keeper - dp_budget_queue->keeper;
		slot->number = ++dp_budget_queue->kept_sent;
		dlist_push_tail(&keeper->kept, &slot->node);
		pg_atomic_fetch_add_u32(&keeper->kept_length, 1);
		pg_atomic_write_u32(&slot->full, 1);
	}
	LWLockRelease(dp_budget_queue->lock);
	if (keeper != NULL)
		dp_budget_keeper_call();
	return keeper != NULL;
}

/*
 * The number of what was sent last, up to a number, for a budget or any (0), and is not
 * stored; 0 if nothing is.
 */
static uint64
last_sent(int64 budget, uint64 most)
{
	uint64		last = 0;
	DpKeeper   *keeper;
	dlist_iter	iter;

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	keeper = dp_budget_queue_find_keeper(MyDatabaseId);
	if (keeper != NULL)
		dlist_foreach(iter, &keeper->kept)
	{
		const DpKeptSlot *slot = dlist_container(DpKeptSlot, node, iter.cur);

		if ((slot->budget == budget || budget == 0) && slot->number <= most)
			last = slot->number;
	}
	LWLockRelease(dp_budget_queue->lock);
	return last;
}

void
dp_budget_kept_queue_await(int64 budget)
{
	uint64		sent = last_sent(budget, PG_UINT64_MAX);
	TimestampTz start = sent > 0 ? GetCurrentTimestamp() : 0;

	while (sent > 0 && !too_late(start))
	{
		dp_budget_keeper_call();
		sleep_a_while();
		sent = last_sent(budget, sent);
	}
}

int
dp_budget_kept_queue_length(void)
{
	return pg_atomic_read_u32(&dp_budget_queue_keeper->kept_length);
}

List *
dp_budget_kept_queue_waiting(void)
{
	int			most = dp_budget_queue_size();
	DpKeptSlot **slots = palloc(most * sizeof(DpKeptSlot *));
	int			count = 0;
	List	   *waiting = NIL;
	dlist_iter	iter;

	LWLockAcquire(dp_budget_queue->lock, LW_SHARED);
	dlist_foreach(iter, &dp_budget_queue_keeper->kept)
		slots[count++] = dlist_container(DpKeptSlot, node, iter.cur);
	LWLockRelease(dp_budget_queue->lock);
	for (int i = 0; i < count; i++)
		waiting = lappend(waiting, slots[i]);
	return waiting;
}

void
dp_budget_kept_queue_done(DpKeptSlot *slot)
{
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	dp_budget_queue_unlink_kept(slot);
	LWLockRelease(dp_budget_queue->lock);
}
