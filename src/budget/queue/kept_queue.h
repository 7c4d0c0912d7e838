/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_queue.h
 *	  Answers on their way from sessions to their database's keeper, in shared memory.
 *
 * Every server process owns one slot.  It fills the slot with what a statement was
 * answered, and goes on; the keeper stores that.  Until it has, whoever looks for an
 * answer of the same budget can wait for it.
 */
#ifndef DP_BUDGET_QUEUE_KEPT_QUEUE_H
#define DP_BUDGET_QUEUE_KEPT_QUEUE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "budget/queue/kept_slot.h"

/*
 * The session's side.
 */

/*
 * The parcel to send answers in, once the one before has been stored; NULL if that
 * takes longer than dp_agg.charge_timeout.  Serves interrupts.
 */
extern DpParcel *dp_budget_kept_queue_parcel(void);

/*
 * Send what the parcel holds, which a budget paid for; have a keeper come if there is none.
 * False if no further database can be served now.
 */
extern bool dp_budget_kept_queue_send(int64 budget);

/*
 * Wait until answers that a budget paid for, or any (0), and that have been sent, are stored;
 * for dp_agg.charge_timeout at most.  Serves interrupts.
 */
extern void dp_budget_kept_queue_await(int64 budget);

/*
 * The keeper's side.
 */

/* How many answers wait, without the lock. */
extern int	dp_budget_kept_queue_length(void);

/*
 * The slots that are full, in order, as a list in the current memory context: they stay
 * in the queue until they are done.
 */
extern List *dp_budget_kept_queue_waiting(void);

/* A slot has been stored, or given up. */
extern void dp_budget_kept_queue_done(DpKeptSlot *slot);

#endif							/* DP_BUDGET_QUEUE_KEPT_QUEUE_H */
