/* SPDX-License-Identifier: PostgreSQL */
/*
 * home.h
 *	  Where budgets live: in which database of which cluster, on which timeline
 *	  of its history.
 *
 * A database made from another as a template has another number of its own than
 * that, or none, whatever its name and OID: see birth.h.
 *
 * A budget knows where it was set, or acknowledged.  Anywhere else it may be
 * behind: what was spent since, or is spent where it came from, is not in it.
 * It is not charged there before an administrator acknowledges the copy, unless
 * dp_agg.answer_on_copies says that copies answer.
 *
 * One kind of copy is acknowledged by the keeper: a standby that takes over from
 * its primary where no charge can have been lost.  The last charge it knows of
 * waited for synchronous standbys, so that everything before it is here; it had
 * heard from the primary in the run in which it was promoted; and it had no
 * recovery target.
 *
 * A copy of the files that goes on with the timeline of the original has a mark
 * of its own, if it can be told: see home.h.
 */
#ifndef DP_BUDGET_ACCOUNT_HOME_H
#define DP_BUDGET_ACCOUNT_HOME_H

#include "postgres.h"

#include "budget/account/store.h"

/*
 * This database's home, as "system identifier/database/number/timeline", and "/mark"
 * in a cluster that has one.
 */
extern const char *dp_budget_home_here(void);

/* The same, for budgets to live in: the database gets a number if it has none. */
extern const char *dp_budget_home_settle(void);

/* Is a home, as text, in this database, whatever the timeline? */
extern bool dp_budget_home_is_this_database(const char *text);

/* Does a charge that is committed here wait for synchronous standbys? */
extern bool dp_budget_home_is_synchronous(void);

/*
 * Acknowledge what a standby took over, if it can have lost nothing.  Returns
 * whether anything was acknowledged; it is once the transaction commits.
 * Raises 55P03 if a budget is locked.
 */
extern bool dp_budget_home_take_over(DpStore *store);

/*
 * Telling the files of a cluster from a copy of them that was started
 * without a timeline of its own.
 */

/*
 * In the postmaster, before recovery begins: mark the cluster if it is started
 * from a base backup, or is a standby that was not promoted, without
 * recovery.signal or standby.signal.  From _PG_init, when preloaded.
 */
extern void dp_budget_copied_init(void);

#endif							/* DP_BUDGET_ACCOUNT_HOME_H */
