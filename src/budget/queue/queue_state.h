/* SPDX-License-Identifier: PostgreSQL */
/*
 * queue_state.h
 *	  The queue in shared memory, which queue.c and answer.c change.
 */
#ifndef DP_BUDGET_QUEUE_QUEUE_STATE_H
#define DP_BUDGET_QUEUE_QUEUE_STATE_H

#include "postgres.h"

#include "storage/proc.h"

#include "budget/queue/kept_slot.h"
#include "budget/queue/request.h"

/* A launched keeper that has not come after this long is launched anew. */
#define DP_LAUNCH_PATIENCE_MS 5000

typedef enum DpKeeperState
{
	DP_KEEPER_ABSENT,
	DP_KEEPER_LAUNCHING,
	DP_KEEPER_RUNNING
} DpKeeperState;

/* What keepers of a database have done since the server's start, or since its entry was another's. */
typedef struct DpKeeperCounts
{
	int64		charges;		/* requests answered after a commit, refused ones among them */
	int64		wait_us;		/* from when each was queued until then */
	int64		commits;
	int64		commit_us;		/* that these took */
} DpKeeperCounts;

/* A database that has charges or answers waiting, or a keeper. */
typedef struct DpKeeper
{
	Oid			database;
	DpKeeperState state;
	TimestampTz launched;		/* while LAUNCHING: since when */
	Latch	   *latch;			/* while RUNNING */
	pg_atomic_uint32 length;	/* of the queue */
	dlist_head	waiting;
	pg_atomic_uint32 kept_length;	/* of the list of answers to be stored */
	dlist_head	kept;
	DpKeeperCounts counts;
} DpKeeper;

typedef struct DpQueue
{
	LWLock	   *lock;
	int			keepers;
	int			requests;
	DpKeeper   *keeper;
	DpRequest  *request;		/* one for each server process, by number, and spare ones */
	dlist_head	spare;			/* those that nobody has borrowed, and whose last life has ended */
	DpKeptSlot *kept;			/* likewise */
	uint64		kept_sent;		/* how often answers were sent */
	LWLock	   *counts_lock;
	struct DpKeptCounts *counts;	/* see kept_count.h */
	struct DpPlaces *places;	/* see place.h */
} DpQueue;

extern DpQueue *dp_budget_queue;

/* Is there a keeper, or one to come?  The lock is held. */
static inline bool
dp_budget_queue_is_coming(const DpKeeper *keeper)
{
	return keeper->state == DP_KEEPER_RUNNING ||
		(keeper->state == DP_KEEPER_LAUNCHING &&
		 !TimestampDifferenceExceeds(keeper->launched, GetCurrentTimestamp(), DP_LAUNCH_PATIENCE_MS));
}

/* Take a slot out of its keeper's list; the lock is held. */
static inline void
dp_budget_queue_unlink_kept(DpKeptSlot *slot)
{
	dlist_delete(&slot->node);
	pg_atomic_fetch_sub_u32(&dp_budget_queue->keeper[slot->keeper].kept_length, 1);
	pg_atomic_write_u32(&slot->full, 0);
}

/* The entry of the database this process is the keeper of. */
extern DpKeeper *dp_budget_queue_keeper;

/* The latch of whichever process owns a request now: at worst woken in vain. */
static inline Latch *
dp_budget_queue_owner(DpRequest *request)
{
	return &ProcGlobal->allProcs[request->owner].procLatch;
}

/* Most requests a keeper can be handed at once. */
static inline int
dp_budget_queue_size(void)
{
	return dp_budget_queue->requests;
}

static inline DpRequestState
dp_budget_queue_state(DpRequest *request)
{
	DpRequestState state = pg_atomic_read_u32(&request->state);

	/* Pairs with the barrier before the state becomes ANSWERED. */
	pg_read_barrier();
	return state;
}

static inline void
dp_budget_queue_set_state(DpRequest *request, DpRequestState state)
{
	pg_atomic_write_u32(&request->state, state);
}

/* Let a request wait with a keeper; the lock is held. */
static inline void
dp_budget_queue_link(DpKeeper *keeper, DpRequest *request)
{
	dlist_push_tail(&keeper->waiting, &request->node);
	pg_atomic_fetch_add_u32(&keeper->length, 1);
	dp_budget_queue_set_state(request, DP_REQUEST_WAITING);
}

#endif							/* DP_BUDGET_QUEUE_QUEUE_STATE_H */
