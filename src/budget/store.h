/*
 * store.h
 *	  The budget and ledger tables: finding, locking and writing their rows.
 *
 * Rows are written through the table access method and the executor's own
 * routines, as replication writes them: indexes, constraints, logical
 * decoding and replication see ordinary changes.  No trigger and no rule
 * fires and no query runs, so that nobody's code can see or change a charge;
 * what expressions there are (of constraints, or of indexes somebody added)
 * run as the tables' owner in a security-restricted operation.
 */
#ifndef DP_BUDGET_STORE_H
#define DP_BUDGET_STORE_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/execnodes.h"

#include "budget/row.h"

typedef enum DpLookup
{
	DP_LOOKUP_FOUND,			/* and, where asked for, locked */
	DP_LOOKUP_ABSENT,
	DP_LOOKUP_BUSY,				/* another transaction has locked it */
	DP_LOOKUP_MALFORMED			/* found, but makes no sense: not to be used */
} DpLookup;

/* The tables, open for writing in one transaction. */
typedef struct DpStore
{
	EState	   *estate;
	ResultRelInfo *budget;
	ResultRelInfo *ledger;
	TupleTableSlot *found;		/* the budget row last locked */
	TupleTableSlot *changed;
	TupleTableSlot *entry;
	Oid			sequence;		/* numbers the ledger */
	Oid			save_user;
	int			save_context;
	int			save_nest;
} DpStore;

/*
 * Open both tables for writing, under the active snapshot, and become their
 * owner.  False, without waiting, if another transaction has locked one.
 * Raises 55000 if the extension is not installed in this database or a table
 * is not as it made it.
 */
extern bool dp_budget_store_open(DpStore *store);

/* Close them and become oneself again; locks stay until the transaction ends. */
extern void dp_budget_store_close(DpStore *store);

/*
 * Find and lock the row of (role, dataset), without waiting.  A role that no
 * longer exists has none.  *row is filled in only if FOUND.
 */
extern DpLookup dp_budget_store_lock(DpStore *store, Oid role, const char *dataset,
									 DpBudgetRow *row);

/* Write what was spent, the counts and the time to the row last locked. */
extern void dp_budget_store_update(DpStore *store, const DpBudgetRow *row);

/* Append a row to the ledger. */
extern void dp_budget_store_append(DpStore *store, const DpLedgerRow *row);

/*
 * Read the committed row of (role, dataset) by the latest snapshot, without a
 * permission check.  May wait for a table lock.  Errors as for open.
 */
extern DpLookup dp_budget_store_peek(Oid role, const char *dataset, DpBudgetRow *row);

#endif							/* DP_BUDGET_STORE_H */
