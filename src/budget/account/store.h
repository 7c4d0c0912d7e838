/* SPDX-License-Identifier: PostgreSQL */
/*
 * store.h
 *	  The budget and ledger tables: finding, locking and writing their rows.
 *
 * Rows are written through the table access method and the executor's own routines, as
 * replication writes them: indexes, constraints, logical decoding and replication see
 * ordinary changes.  No trigger and no rule fires and no query runs on the tables, so
 * that no user code can see or change a charge.  Expressions of constraints, or of
 * indexes somebody added, run as the tables' owner in a security-restricted operation.
 */
#ifndef DP_BUDGET_ACCOUNT_STORE_H
#define DP_BUDGET_ACCOUNT_STORE_H

#include "postgres.h"

#include "budget/rows/ledger.h"

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
	TupleTableSlot *changed;
	DpAppender	appender;
	Oid			save_user;
	int			save_context;
	int			save_nest;
} DpStore;

/*
 * Open both tables for writing, and hold the chain: nobody else appends to the
 * ledger before this transaction has ended.  The active snapshot is then one
 * that sees everything up to the end of the chain.
 *
 * False, without waiting, if another transaction holds the chain or has locked
 * a table; unless asked to wait for them.  Raises 55000 if the extension is
 * not installed in this database or a table is not as it made it, XX001 if the
 * ledger's last row has no hash.
 */
extern bool dp_budget_store_open(DpStore *store, bool wait);

/*
 * Store what was appended, close the tables and become oneself again; locks
 * stay until the transaction ends.
 */
extern void dp_budget_store_close(DpStore *store);

/*
 * Find and lock the row of (role, dataset), without waiting.  A role that no
 * longer exists has none.  *row and *found, the row as it is, are filled in
 * only if FOUND; the slot lives until the store is closed.
 */
extern DpLookup dp_budget_store_lock(DpStore *store, Oid role, const char *dataset,
									 DpBudgetRow *row, TupleTableSlot **found);

/* Write what was spent, the counts and the times to a locked row. */
extern void dp_budget_store_update(DpStore *store, const DpBudgetRow *row,
								   TupleTableSlot *found);

/*
 * Be the only one that begins a budget, or says which database this is, until this
 * transaction ends.
 */
extern void dp_budget_store_lock_beginnings(void);

/* Is this the budget table? */
extern bool dp_budget_store_is_budget(Oid relid);

/* Is this a table of the extension, if it is in this database? */
extern bool dp_budget_store_is_guarded(Oid relid);

/* Append a row to the ledger, as dp_budget_append_row does. */
extern void dp_budget_store_append(DpStore *store, const DpLedgerRow *row);

/*
 * The tables, open for reading, without a permission check; for the caller to
 * close.  May wait for a table lock.  Errors as for dp_budget_store_open.
 */
extern Relation dp_budget_store_read_budget(void);
extern Relation dp_budget_store_read_ledger(void);

/*
 * The budget table likewise, if it can be had without waiting and is as the
 * extension made it; else NULL.
 */
extern Relation dp_budget_store_try_budget(void);

/*
 * A snapshot of now to read a table by, registered.  It is of the kind that catalogs are read by: unlike
 * GetLatestSnapshot(), PostgreSQL has it taken while parallel workers run, too.
 */
extern Snapshot dp_budget_store_snapshot(Relation table);

/* The budget table; InvalidOid if it is missing. */
extern Oid	dp_budget_store_budget(void);

/* The table of kept answers; if it is missing InvalidOid, or 55000. */
extern Oid	dp_budget_store_kept(bool missing_ok);

/* Is a table as the extension made it, but for columns that somebody added? */
extern bool dp_budget_store_is_as_made(Relation relation, const Oid *types, int columns);

/*
 * Prepare a locked table for rows to be written to it; no trigger will fire.  Raises 55000
 * if it is not as the extension made it.
 */
extern ResultRelInfo *dp_budget_store_open_for_write(EState *estate, Oid relid,
													 const Oid *types, int columns);

/* The view that shows budgets to roles, and its column with the role. */
extern Oid	dp_budget_store_view(AttrNumber *role);

/*
 * Read the row of (role, dataset) that a snapshot sees, from the budget table.
 * *row is filled in only if FOUND.
 */
extern DpLookup dp_budget_store_find(Relation budget, Snapshot snapshot, Oid role,
									 const char *dataset, DpBudgetRow *row);

/* Understand a row of the budget table; false if it makes no sense. */
extern bool dp_budget_store_decode(Relation budget, HeapTuple tuple, DpBudgetRow *row);

/*
 * Make it so that no charge is decided from now until this transaction ends;
 * waits for those that are.
 */
extern void dp_budget_store_exclude_charges(void);

/*
 * Make it so that nobody does that, from now until this transaction ends: who
 * changes budgets has this before any row.
 */
extern void dp_budget_store_allow_charges(void);

/*
 * Make the current transaction's commit as durable as synchronous_commit = on,
 * at least, whatever that is set to.
 */
extern void dp_budget_store_durably(void);

#endif							/* DP_BUDGET_ACCOUNT_STORE_H */
