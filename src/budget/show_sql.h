/* SPDX-License-Identifier: PostgreSQL */
/*
 * show_sql.h
 *	  Which budgets the current user may see.
 */
#ifndef DP_BUDGET_SHOW_SQL_H
#define DP_BUDGET_SHOW_SQL_H

#include "postgres.h"

#include "access/htup.h"
#include "nodes/execnodes.h"
#include "utils/relcache.h"

/* Show columns of a budget that may be seen. */
typedef void (*DpShow) (Relation budget, HeapTuple tuple, ReturnSetInfo *result);

/*
 * Show what may be seen, of all budgets or of one's own: see dp_budget_role_may_read.
 * The asking role is shown no lock, plan, estimate or count, of rows, pages or WAL,
 * that depends on rows that it is not shown.  It does not take longer for them, either.
 */
extern void dp_budget_show_visible(DpShow shows, bool answers, ReturnSetInfo *result);

/* A row of the budget table, with the replays that are not entered in it yet. */
extern HeapTuple dp_budget_show_with_replays(Relation budget, HeapTuple tuple);

#endif							/* DP_BUDGET_SHOW_SQL_H */
