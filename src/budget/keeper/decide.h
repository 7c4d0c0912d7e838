/* SPDX-License-Identifier: PostgreSQL */
/*
 * decide.h
 *	  Deciding charges: composing them into budgets and caps, and entering
 *	  them in the ledger.
 */
#ifndef DP_BUDGET_KEEPER_DECIDE_H
#define DP_BUDGET_KEEPER_DECIDE_H

#include "postgres.h"

#include "budget/queue/request.h"

/*
 * Decide requests in order, within a transaction that the caller commits; its
 * outcome is in each.  A charge is admitted only if its budget and the data
 * set's cap admit it, and then both bear it.
 */
extern void dp_budget_decide(DpRequest **requests, int count);

/* Give a request the outcome that it was not charged, and why. */
extern void dp_budget_decide_failed(DpRequest *request, int sqlstate, const char *message);

#endif							/* DP_BUDGET_KEEPER_DECIDE_H */
