/*
 * checkpoint.h
 *	  Books that stand for rows that were removed from the ledger.
 */
#ifndef DP_BUDGET_CHECKPOINT_H
#define DP_BUDGET_CHECKPOINT_H

#include "postgres.h"

#include "budget/books.h"
#include "budget/ledger.h"

/*
 * Write a checkpoint: the books, and the end of the chain they stand for, as
 * JSON; and take them up again from one, as far as the books are about them.  Exact.
 */
extern char *dp_budget_books_save(DpBooks *books, const DpChainEnd *end);
extern void dp_budget_books_load(DpBooks *books, Jsonb *checkpoint, DpChainEnd *end);

/*
 * Take up the books, and the end of the chain, where the ledger's first row
 * continues them: empty books, or those of the newest checkpoint if older rows
 * were removed.  Of budgets with these numbers; so many of those after them are kept.
 */
extern DpBooks *dp_budget_books_open(Relation ledger, Snapshot snapshot, DpNumbers numbers,
									 int most_after, DpChainEnd *end);

#endif							/* DP_BUDGET_CHECKPOINT_H */
