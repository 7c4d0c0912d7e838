/* SPDX-License-Identifier: PostgreSQL */
/*
 * payer.h
 *	  Which budgets answer for a role: its own or a pool it belongs to, and
 *	  the data set's cap.
 *
 * A role without a budget of its own on a data set draws on the budget of a
 * role whose privileges it has without SET ROLE (has_privs_of_role: membership,
 * through roles that inherit), whoever else does.  Where several apply none
 * does: guessing which is meant would let a new membership move the charges.
 * Being a superuser is no membership.
 */
#ifndef DP_BUDGET_ACCOUNT_PAYER_H
#define DP_BUDGET_ACCOUNT_PAYER_H

#include "postgres.h"

#include "budget/account/store.h"
#include "budget/rows/balance.h"

typedef enum DpPayer
{
	DP_PAYER_FOUND,
	DP_PAYER_NONE,
	DP_PAYER_AMBIGUOUS			/* several pools: none may be charged */
} DpPayer;

/*
 * Find the pool that a role without a budget of its own draws on, among those
 * that a snapshot sees.  Memberships are as of now.  Takes a look-up for each of
 * them, however many budgets there are.
 */
extern DpPayer dp_budget_payer_pool(Relation budget, Snapshot snapshot, Oid role,
									const char *dataset, Oid *pool);

/* Does a role draw on another one's budget if it has none of its own?  Memberships are as of now. */
extern bool dp_budget_payer_draws_on(Oid role, Oid pool);

/*
 * Has a role spent something of a budget of its own, without which it would draw on a pool's?  By
 * the latest snapshot.
 */
extern bool dp_budget_payer_would_reopen(Oid role, const char *dataset, Oid *pool);

/* A budget, by its number and whose it is. */
typedef struct DpBudgetId
{
	int64		number;
	Oid			role;
} DpBudgetId;

/* The number of the budget of (role, dataset), as far as a snapshot sees; 0 if there is none. */
extern int64 dp_budget_payer_number(Relation budget, Snapshot snapshot, Oid role, const char *dataset);

/*
 * Is there a budget that could answer for the role, its own or a pool's?  For the
 * session, so that who has none does not come into the queue, where everybody
 * waits, and so that nobody waits for who looks through many memberships.  Committed rows decide: FOUND, too, wherever it is not for the session to
 * say, with the table locked or not as it was made, or budgets changed by the
 * transaction itself.  It admits nobody.
 *
 * *which is the budget, with number 0 if it is not for the session to say.
 */
extern DpPayer dp_budget_payer_look(Oid role, const char *dataset, DpBudgetId *which);

/* Has the role, or a pool of its, any budget at all?  True, too, wherever it is not for the session to say. */
extern bool dp_budget_payer_any(Oid role);

/*
 * Read what a charge by the role would find now, by the latest snapshot.
 * *balance is filled in only if FOUND; ABSENT includes ambiguous pools.
 */
extern DpLookup dp_budget_payer_peek(Oid role, const char *dataset, DpBalance *balance);

/*
 * The same for the session, which waits for nobody: false, too, where it is not for the session to say
 * (dp_budget_payer_look), and where a row makes no sense.
 */
extern bool dp_budget_payer_glance(Oid role, const char *dataset, DpBalance *balance);

/*
 * May a budget be behind, in a copy of the database that nobody has acknowledged: any, for who may read all of
 * them, else one that the current user may draw on?  It takes no longer for others.
 */
extern bool dp_budget_payer_any_behind(void);

/*
 * Compose what all roles have spent on a data set, by the latest snapshot;
 * false if a row makes no sense.
 */
extern bool dp_budget_payer_total(const char *dataset, DpCurve *total);

/* Put together what a role is told of the budget it draws on, and the cap or NULL. */
extern void dp_budget_payer_balance(const DpBudgetRow *row, const DpBudgetRow *cap,
									DpBalance *balance);

#endif							/* DP_BUDGET_ACCOUNT_PAYER_H */
