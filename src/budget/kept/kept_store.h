/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_store.h
 *	  The keeper's part in kept answers: storing them, within what they may take, and
 *	  entering how often they were replayed.
 *
 * Neither is forced to disk: a crash may lose what was stored last, never a charge.
 */
#ifndef DP_BUDGET_KEPT_KEPT_STORE_H
#define DP_BUDGET_KEPT_KEPT_STORE_H

#include "postgres.h"

/*
 * Store the answers that wait.  What cannot be stored is logged and given up.  False if
 * they have to wait longer, because somebody has locked the table.
 */
extern bool dp_budget_kept_store_waiting(void);

/*
 * Enter the replays that were counted, before the keeper goes to sleep.  Those of a budget
 * that another transaction has locked are counted again.
 */
extern void dp_budget_kept_store_replays(void);

#endif							/* DP_BUDGET_KEPT_KEPT_STORE_H */
