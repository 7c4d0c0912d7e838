/*
 * answer.h
 *	  Handing requests back to their sessions, and waking these.
 *
 * To wake a session takes the keeper longer than anything else it does for a
 * single request.  So it wakes only the first few of those it answers at once,
 * and each of them, when it has its answer, the next.  No session depends on
 * another: where one does not come for its answer, be it stopped, the keeper
 * wakes all that have not either, after its next answers or before it goes to
 * sleep.
 */
#ifndef DP_BUDGET_QUEUE_ANSWER_H
#define DP_BUDGET_QUEUE_ANSWER_H

#include "postgres.h"

#include "budget/queue/request.h"

/*
 * The keeper's side: once, before it takes any request; what follows a commit
 * must not fail.
 */
extern void dp_budget_answer_init(void);

/*
 * Hand taken requests back with their outcomes and wake their owners.  A LOCKED
 * one that is not yet too old waits to be tried again instead.
 */
extern void dp_budget_answer(DpRequest **requests, int count);

/* Put taken requests, certainly not charged, back where they came from. */
extern void dp_budget_answer_return(DpRequest **requests, int count);

/* Wake all that were answered and have not come for it. */
extern void dp_budget_answer_remind(void);

/*
 * The session's side: the owner has read the answer, or does not want it any
 * more.  Wakes those it is to wake.
 */
extern void dp_budget_answer_consume(DpRequest *request);

#endif							/* DP_BUDGET_QUEUE_ANSWER_H */
