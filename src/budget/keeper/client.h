/* SPDX-License-Identifier: PostgreSQL */
/*
 * client.h
 *	  Charging a role's budget: the only door the rest of the extension uses.
 *
 * Knows no query trees.
 */
#ifndef DP_BUDGET_KEEPER_CLIENT_H
#define DP_BUDGET_KEEPER_CLIENT_H

#include "postgres.h"

#include "accounting/calibrate.h"
#include "base/settings.h"
#include "budget/keeper/wait.h"
#include "budget/rows/balance.h"

/*
 * Compose the charge into the budget of (role, dataset), or of the pool the role draws
 * on, and into the data set's cap.  Commit it durably in a transaction of its own,
 * which nothing the caller does can undo.
 *
 * Returns true if the charge was admitted and is durable; *balance then holds
 * the totals after it.  Returns false if budget or cap do not admit it; the
 * refusal is in the ledger, nothing is spent, *balance holds the totals.
 * A return by error means: no permission to release (the charge may stand).
 *
 * Errors: 42501 no budget row, or several pools; 55000 library not preloaded, or a copy of the database that nobody has
 * acknowledged; 55P03 budget row locked or dp_agg.charge_timeout; 25006 hot standby that does not charge on its primary;
 * 53000/57P03/58000 keeper cannot be started or was lost; on a standby 55000 no link to the primary, 08007 lost.
 */
extern bool dp_budget_charge(const DpCharge *charge, DpBalance *balance);

/*
 * The same for some, for a standby, by DP_CHARGES_AT_ONCE or fewer in one transaction.  None suffers for
 * another.  What comes of each is its answer, a budget that is locked or a time that has run out too.
 * An error before any is queued, so that none is made, is 22023, 25006 or 55000; after any other one some may stand.
 */
extern void dp_budget_charge_answered(const DpCharge *charges, DpChargeAnswer *answers, int count);

/*
 * Read what a charge to (role, dataset) would find, without charging, by the
 * latest snapshot and without a permission check.  False if there is no budget.
 */
extern bool dp_budget_peek(Oid role, const char *dataset, DpBalance *balance);

/*
 * Choose what a statement is priced with and nobody has set: delta, mechanism and epsilon, from the limits of the
 * budget that answers for (role, dataset), and of the cap, whatever is spent.  Without such a budget they stay as
 * dp_settings_pricing() gives them.  Waits for nobody.
 */
extern void dp_budget_choose(DpPricing *pricing, Oid role, const char *dataset);

/*
 * The limits that it chooses from, of budget and cap: how many, 0 without such a budget.  Likewise.
 */
extern int	dp_budget_limits(Oid role, const char *dataset, DpLimit limit[2]);

/* Is anything of these settings chosen from limits? */
extern bool dp_budget_is_chosen_from(const DpPricing *pricing);

/* The delta that is chosen from limits that were read; 0 if none of it is for private groups. */
extern double dp_budget_delta_of(const DpBalance *balance);

/* The mechanism that is: Gaussian noise if budget and cap have a delta for it, else Laplace noise. */
extern DpMechanism dp_budget_mechanism_of(const DpBalance *balance);

/*
 * Is there a budget that could answer for a charge to (role, dataset), its own or a pool's?  Takes
 * a look-up of a row, and one for each of a role's memberships if it has none.  True, too, wherever
 * that is not for the session to say: it admits nobody.
 */
extern bool dp_budget_may_charge(Oid role, const char *dataset);

/* Is there one on any data set?  True likewise. */
extern bool dp_budget_may_charge_any(Oid role);

/* Raise the error that a charge to (role, dataset) raises where there is no budget. */
extern _Noreturn void dp_budget_refuse(Oid role, const char *dataset);

/* Would a cost more be admitted, by the budget and by the cap? */
extern bool dp_budget_admits(const DpBalance *balance, const DpCurve *cost);

/* Shared-memory request and startup, settings, worker entry; from _PG_init. */
extern void dp_budget_init(void);

#endif							/* DP_BUDGET_KEEPER_CLIENT_H */
