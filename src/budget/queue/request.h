/* SPDX-License-Identifier: PostgreSQL */
/*
 * request.h
 *	  A charge request on its way from a session to the keeper of its database.
 *
 * Every server process owns one request, so that none ever waits for a free
 * one.  There are some besides, lent to sessions that have several charged at
 * once; one that is lent goes back as soon as its life has ended.  A request's
 * life:
 *
 *	  IDLE      the owner fills in what to charge
 *	  WAITING   in the queue of its database; the owner may withdraw it
 *	  TAKEN     by the keeper, which alone writes the answer; it stands even
 *				if the owner gives up
 *	  ANSWERED  the owner reads the answer and makes it IDLE
 *
 * State, abandonment and queues change under one lock, always the last one
 * taken, held for a few instructions and never across anything that can
 * raise an error.  What is charged and the answer are written by whoever owns
 * the request in that state, without it.
 */
#ifndef DP_BUDGET_QUEUE_REQUEST_H
#define DP_BUDGET_QUEUE_REQUEST_H

#include "postgres.h"

#include "lib/ilist.h"
#include "port/atomics.h"

#include "budget/queue/parcel.h"
#include "budget/rows/balance.h"

/* How soon a request is tried again after its budget was found locked. */
#define DP_RETRY_MS 10

/* How long a request is tried again before its session is told. */
#define DP_LOCK_PATIENCE_MS 1000

#define DP_FAILURE_MAX 256

/* How many requests there are besides those of processes, and how many a process queues at once. */
#define DP_SPARE_REQUESTS 128
#define DP_CHARGES_AT_ONCE 64

/* How many sessions are woken by the keeper, and by one that has its answer: see queue.h. */
#define DP_FIRST_WAKES 4
#define DP_WAKES 2

typedef enum DpRequestState
{
	DP_REQUEST_IDLE,
	DP_REQUEST_WAITING,
	DP_REQUEST_TAKEN,
	DP_REQUEST_ANSWERED
} DpRequestState;

typedef enum DpOutcome
{
	DP_OUTCOME_ADMITTED,		/* charged and durable */
	DP_OUTCOME_REFUSED,			/* does not fit; in the ledger */
	DP_OUTCOME_NO_BUDGET,		/* no row for this role and data set */
	DP_OUTCOME_AMBIGUOUS,		/* none, but several pools */
	DP_OUTCOME_BEHIND,			/* on a copy nobody has acknowledged */
	DP_OUTCOME_LOCKED,			/* by another transaction, for too long */
	DP_OUTCOME_FAILED,			/* not charged; sqlstate and failure say why */
	DP_OUTCOME_UNKNOWN,			/* perhaps charged */
	DP_OUTCOME_UNACKNOWLEDGED	/* the same, on the primary */
} DpOutcome;

typedef struct DpRequest
{
	dlist_node	node;			/* in its keeper's queue, while WAITING */
	pg_atomic_uint32 state;		/* a DpRequestState */
	bool		abandoned;		/* TAKEN, and its owner gave up */
	bool		spare;			/* owned by whoever borrowed it last */
	bool		once;			/* its owner is told at once if its budget is locked */
	int			owner;			/* number of the process */
	int			keeper;			/* index of the keeper it is queued with */
	TimestampTz submitted;
	TimestampTz due;			/* not to be taken before */

	/* What to charge: the owner's, until WAITING. */
	Oid			role;
	Oid			pool;			/* that it draws on, as its session found; InvalidOid: not known */
	char		dataset[NAMEDATALEN];
	DpCurve		cost;
	DpParcel	asked;			/* releases, a Jsonb, and behind it, if any, the statement, a text */
	uint8		digest[DP_CHAIN_BYTES]; /* of the releases */

	/* The answer: the keeper's, while TAKEN. */
	DpOutcome	outcome;
	int			sqlstate;
	char		failure[DP_FAILURE_MAX];
	DpBalance	balance;
	struct DpRequest *wakes[DP_WAKES];	/* of whom else, or NULL */
} DpRequest;

#endif							/* DP_BUDGET_QUEUE_REQUEST_H */
