/* SPDX-License-Identifier: PostgreSQL */
/*
 * queue.h
 *	  Charge requests on their way from sessions to their database's keeper,
 *	  in shared memory.
 */
#ifndef DP_BUDGET_QUEUE_QUEUE_H
#define DP_BUDGET_QUEUE_QUEUE_H

#include "postgres.h"

#include "budget/queue/request.h"

/* Result of a keeper's look for work. */
typedef struct DpWork
{
	int			taken;			/* number of requests handed out */
	int			postponed;		/* number of those waiting to be tried again */
} DpWork;

/* Request and set up shared memory, when preloaded; from _PG_init. */
extern void dp_budget_queue_init(void);

/* Is the shared memory there, that is, was the library preloaded? */
extern bool dp_budget_queue_exists(void);

/*
 * The entry of a database, or one that is not in use, which then is that database's; NULL
 * if there is none.  The lock is held.
 */
struct DpKeeper;
extern struct DpKeeper *dp_budget_queue_find_keeper(Oid database);

/*
 * The session's side.
 */

/* This process's own request. */
extern DpRequest *dp_budget_queue_mine(void);

/*
 * Lend this process so many requests more, or as many as there are; how many.  One that is not
 * queued goes back by dp_budget_queue_release, as any other.
 */
extern int	dp_budget_queue_borrow(DpRequest **requests, int count);

/*
 * Queue IDLE requests with the keeper of this database, together, and wake the keeper
 * if there is one.  False if no further database can be served now.
 */
extern bool dp_budget_queue_submit(DpRequest **requests, int count);

/*
 * Must the caller launch the keeper this WAITING request needs?  True if there
 * is none, or if one was to be launched and has not come; whoever gets true
 * has taken on to launch it.
 */
extern bool dp_budget_queue_wants_keeper(DpRequest *request);

/* The keeper the caller launched, or meant to launch, will not come. */
extern void dp_budget_queue_launch_failed(DpRequest *request);

/*
 * Give up a request or its answer.  Returns the state it was found in: a
 * WAITING request is no longer charged, a TAKEN one stands.  A spare one is
 * not this process's any more.
 */
extern DpRequestState dp_budget_queue_release(DpRequest *request);

/*
 * The keeper's side.
 */

/* Become the keeper of a database; false if it has one. */
extern bool dp_budget_queue_claim(Oid database);

/* Take requests that are due, in order, up to so many; dp_budget_queue_size() are all. */
extern DpWork dp_budget_queue_take(DpRequest **requests, int most);

/*
 * If some are waiting, give those who were answered last a part of the time that this took to
 * come back, so that all share what comes next: so many may come.
 */
extern void dp_budget_queue_gather(int expected, uint64 took_us);

/* Count requests that a commit of so long has decided, before they are answered. */
extern void dp_budget_queue_count(DpRequest **requests, int count, int64 commit_us);

/* How many are waiting, without the lock. */
extern int	dp_budget_queue_length(void);

/* Stop being the keeper if nothing is waiting; false if something is. */
extern bool dp_budget_queue_retire(void);

/* Stop being the keeper, and tell those who wait. */
extern void dp_budget_queue_quit(void);

/*
 * At the beginning of each round of a keeper, or its stand-in: reset its latch and serve interrupts.  Did
 * it read settings again?
 */
extern bool dp_budget_queue_interrupts(void);

/*
 * Handing requests back to their sessions, and waking these.
 *
 * To wake a session takes the keeper longer than anything else it does for a
 * single request.  So it wakes only the first few of those it answers at once,
 * and each of them, when it has its answer, the next.  No session depends on
 * another: where one does not come for its answer, be it stopped, the keeper
 * wakes all that have not either, after its next answers or before it goes to
 * sleep.
 */

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

/* What keepers of this database have done; zeros if it has no entry. */
struct DpKeeperCounts;
extern void dp_budget_queue_counts(struct DpKeeperCounts *counts);

/*
 * Having a keeper come.
 */

#define DP_KEEPER_NAME "dp_agg keeper"

/* On a standby, the worker that has requests charged on the primary stands in for the keeper: see replica.h. */
#define DP_REPLICA_NAME "dp_agg replica"

/* The library that this worker reaches the primary by; where libpq's headers were not, there is none. */
#define DP_REPLICA_LIBRARY "dp_agg_replica"

/* Where it is: beside this one, wherever that was found; NULL if it is not there. */
extern const char *dp_budget_replica_library(void);

/* Could this server, as a standby, have requests charged on its primary? */
extern bool dp_budget_replica_is_set_up(void);

/*
 * Register a keeper for this database, or its stand-in, without waiting for it to start.  False
 * if the server has no background worker to spare.
 */
extern bool dp_budget_keeper_launch(void);

/* Have this database's keeper look for work; one that is not there is launched, if it can be. */
extern void dp_budget_keeper_call(void);

#endif							/* DP_BUDGET_QUEUE_QUEUE_H */
