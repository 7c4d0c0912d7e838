/* SPDX-License-Identifier: PostgreSQL */
/*
 * checkpoint.h
 *	  Books that stand for rows that were removed from the ledger.
 */
#ifndef DP_BUDGET_AUDIT_CHECKPOINT_H
#define DP_BUDGET_AUDIT_CHECKPOINT_H

#include "postgres.h"

#include "access/genam.h"

#include "budget/audit/books.h"
#include "budget/rows/ledger.h"

/*
 * Take up the newest checkpoint that a scan meets from its end, as far as the books are
 * about it; nothing if there is none.  All of the scan's rows from its last part to its
 * first have to be parts of it; raises XX001 otherwise.
 */
extern void dp_budget_books_load(DpBooks *books, Relation ledger, SysScanDesc scan,
								 DpChainEnd *end);

/*
 * Take up the books, and the end of the chain, where the ledger's first row continues
 * them: empty books, or those of the newest checkpoint if older rows were removed.
 * Only budgets with these numbers are taken; so many of those after them are kept.
 */
extern DpBooks *dp_budget_books_open(Relation ledger, Snapshot snapshot, DpNumbers numbers,
									 int most_after, DpChainEnd *end);

#endif							/* DP_BUDGET_AUDIT_CHECKPOINT_H */
