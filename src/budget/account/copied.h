/*
 * copied.h
 *	  Telling the files of a cluster from a copy of them that was started
 *	  without a timeline of its own.
 */
#ifndef DP_BUDGET_ACCOUNT_COPIED_H
#define DP_BUDGET_ACCOUNT_COPIED_H

#include "postgres.h"

/*
 * In the postmaster, before recovery begins: mark the cluster if it is started
 * from a base backup, or is a standby that was not promoted, without
 * recovery.signal or standby.signal.  From _PG_init, when preloaded.
 */
extern void dp_budget_copied_init(void);

/* The mark of this copy, 0 for none; two copies never have the same, but 0. */
extern uint64 dp_budget_copied_mark(void);

#endif							/* DP_BUDGET_ACCOUNT_COPIED_H */
