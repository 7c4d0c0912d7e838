/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_count.c
 *	  Counts about kept answers, in shared memory.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lwlock.h"

#include "budget/queue/kept_count.h"
#include "budget/queue/queue_state.h"

/* The counts, and the lock that guards them. */
static DpKeptCounts *
lock_counts(LWLockMode mode)
{
	LWLockAcquire(dp_budget_queue->counts_lock, mode);
	return dp_budget_queue->counts;
}

static void
unlock_counts(void)
{
	LWLockRelease(dp_budget_queue->counts_lock);
}

static bool
is_of(const DpReplays *replays, int64 budget, const uint8 *question)
{
	return replays->database == MyDatabaseId && replays->budget == budget &&
		(question == NULL || memcmp(replays->question, question, DP_QUESTION_BYTES) == 0);
}

bool
dp_budget_kept_count_replays(const DpReplays *replays)
{
	DpKeptCounts *counts = lock_counts(LW_EXCLUSIVE);
	DpReplays  *unused = NULL;
	DpReplays  *found = NULL;

	for (int i = 0; found == NULL && i < DP_KEPT_COUNTS; i++)
	{
		DpReplays  *entry = &counts->replays[i];

		if (is_of(entry, replays->budget, replays->question))
			found = entry;
		else if (entry->database == InvalidOid && unused == NULL)
			unused = entry;
	}
	if (found)
		found->count += replays->count;
	else if (unused)
	{
		*unused = *replays;
		unused->database = MyDatabaseId;
	}
	unlock_counts();
	return found == NULL;
}

int64
dp_budget_kept_count_pending(int64 budget, const uint8 *question)
{
	DpKeptCounts *counts;
	int64		pending = 0;

	if (dp_budget_queue == NULL)
		return 0;
	counts = lock_counts(LW_SHARED);
	for (int i = 0; i < DP_KEPT_COUNTS; i++)
		if (is_of(&counts->replays[i], budget, question))
			pending += counts->replays[i].count;
	unlock_counts();
	return pending;
}

bool
dp_budget_kept_count_is_crowded(void)
{
	DpKeptCounts *counts = lock_counts(LW_SHARED);
	int			used = 0;

	for (int i = 0; i < DP_KEPT_COUNTS; i++)
		used += counts->replays[i].database != InvalidOid;
	unlock_counts();
	return used > DP_KEPT_COUNTS / 2;
}

int
dp_budget_kept_count_take(DpReplays **replays)
{
	DpReplays  *taken = palloc(DP_KEPT_COUNTS * sizeof(DpReplays));
	DpKeptCounts *counts = lock_counts(LW_EXCLUSIVE);
	int			n = 0;

	for (int i = 0; i < DP_KEPT_COUNTS; i++)
		if (counts->replays[i].database == MyDatabaseId)
		{
			taken[n++] = counts->replays[i];
			counts->replays[i].database = InvalidOid;
		}
	unlock_counts();
	*replays = taken;
	return n;
}

static DpKeptSize *
find_size(DpKeptCounts *counts, int64 budget)
{
	for (int i = 0; i < DP_KEPT_COUNTS; i++)
		if (counts->sizes[i].database == MyDatabaseId && counts->sizes[i].budget == budget)
			return &counts->sizes[i];
	return NULL;
}

bool
dp_budget_kept_count_size(int64 budget, Size *size)
{
	const DpKeptSize *found = find_size(lock_counts(LW_SHARED), budget);

	if (found)
		*size = found->size;
	unlock_counts();
	return found != NULL;
}

void
dp_budget_kept_count_set_size(int64 budget, Size size)
{
	DpKeptCounts *counts = lock_counts(LW_EXCLUSIVE);
	DpKeptSize *entry = find_size(counts, budget);

	if (entry == NULL)
	{
		entry = &counts->sizes[counts->next];
		counts->next = (counts->next + 1) % DP_KEPT_COUNTS;
	}
	*entry = (DpKeptSize) {.database = MyDatabaseId, .budget = budget, .size = size};
	unlock_counts();
}
