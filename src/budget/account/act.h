/* SPDX-License-Identifier: PostgreSQL */
/*
 * act.h
 *	  Administrative acts on budgets, on their way to the ledger.
 */
#ifndef DP_BUDGET_ACCOUNT_ACT_H
#define DP_BUDGET_ACCOUNT_ACT_H

#include "postgres.h"

#include "budget/rows/ledger.h"

/*
 * Have this transaction enter an act in the ledger when it commits, together
 * with whatever it changed, or not at all.  *budget is as the act left it;
 * releases and cost are of the row, and may be NULL.  Copies what it is given.
 * *at is when it was done.
 *
 * Until then the chain is not held, and charges go on: a transaction that
 * takes its time stops nobody but those whose rows it changed.  It cannot be
 * prepared for two-phase commit, which would hold the chain without end.
 */
extern void dp_budget_act_record(DpEvent event, TimestampTz at, const DpBudgetRow *budget,
								 const char *releases, const DpCurve *cost);

/* Has this transaction done any, which the ledger does not have yet? */
extern bool dp_budget_act_is_pending(void);

#endif							/* DP_BUDGET_ACCOUNT_ACT_H */
