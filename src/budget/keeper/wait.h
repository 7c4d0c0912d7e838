/* SPDX-License-Identifier: PostgreSQL */
/*
 * wait.h
 *	  Having charges made by the keeper, and waiting for what comes of them: a
 *	  session's side of the queue.
 */
#ifndef DP_BUDGET_KEEPER_WAIT_H
#define DP_BUDGET_KEEPER_WAIT_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "budget/queue/request.h"
#include "budget/rows/balance.h"

typedef struct DpCharge
{
	Oid			role;			/* who pays */
	const char *dataset;		/* at most NAMEDATALEN - 1 bytes */
	DpCurve		cost;			/* of the whole statement */
	const Jsonb *releases;		/* array for the ledger, which the cost follows from */
	const		text *statement;	/* for the ledger, or NULL */
} DpCharge;

/* What came of a charge. */
typedef struct DpChargeAnswer
{
	DpOutcome	outcome;
	int			sqlstate;		/* if it failed: why */
	char		failure[DP_FAILURE_MAX];
	DpBalance	balance;		/* if it was admitted or refused */
} DpChargeAnswer;

/* A charge that a session asks for. */
typedef struct DpAsked
{
	const DpCharge *charge;
	Oid			pool;			/* that it draws on, or InvalidOid */
	DpChargeAnswer *answer;
} DpAsked;

/*
 * Have a charge made, and its answer filled in.  An error means that it was not made,
 * but for a time that ran out while it was committed, which the error tells.
 */
extern void dp_budget_wait_for(DpAsked *asked);

/*
 * The same for some, by DP_CHARGES_AT_ONCE or fewer together.  What runs out of time is told by
 * its answer, and so is a budget that is locked, at once.  After an error any may have been made.
 */
extern void dp_budget_wait_for_all(DpAsked *asked, int count);

#endif							/* DP_BUDGET_KEEPER_WAIT_H */
