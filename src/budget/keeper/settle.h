/* SPDX-License-Identifier: PostgreSQL */
/*
 * settle.h
 *	  Charging a batch of requests, and answering them.
 */
#ifndef DP_BUDGET_KEEPER_SETTLE_H
#define DP_BUDGET_KEEPER_SETTLE_H

#include "postgres.h"

#include "budget/queue/request.h"

/*
 * Charge requests that were taken, durably, and answer each of them.  Leaves
 * garbage in the current memory context.
 */
extern void dp_budget_settle(DpRequest **requests, int count);

/*
 * When the keeper exits, after its transaction was aborted: return what was
 * not charged to the queue, and answer what may have been as unknown.
 */
extern void dp_budget_settle_abandon(void);

/*
 * Handler for SIGINT: a cancel, or the lock timeout, ends a wait for a lock,
 * but never the wait for standbys.
 */
extern void dp_budget_settle_cancel(SIGNAL_ARGS);

/* How long the last commit took, in microseconds. */
extern uint64 dp_budget_settle_commit_us(void);

#endif							/* DP_BUDGET_KEEPER_SETTLE_H */
