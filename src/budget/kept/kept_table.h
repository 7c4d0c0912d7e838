/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_table.h
 *	  The table of kept answers: its columns, opening it, finding and making its rows.
 *
 * A row is what one question was answered, for one budget.  Like those of budgets it is
 * written without queries and triggers: see store.h.
 */
#ifndef DP_BUDGET_KEPT_KEPT_TABLE_H
#define DP_BUDGET_KEPT_KEPT_TABLE_H

#include "postgres.h"

#include "access/genam.h"
#include "nodes/execnodes.h"

#include "budget/rows/balance.h"
#include "budget/rows/kept_columns.h"

extern const Oid dp_budget_kept_types[DP_KEPT_COLUMNS];

/* Answer to one question. */
typedef struct DpKeptAnswer
{
	int64		budget;			/* number of the one that paid, */
	Oid			payer;			/* and whose it is */
	char		dataset[NAMEDATALEN];
	DpReceipt	receipt;		/* of the charge */
	uint8		question[DP_QUESTION_BYTES];
	int			rows;
	const char *asked;			/* in words */
	List	   *relations;		/* names of those it was asked of, as char * */
	bytea	   *released;		/* its rows */
	uint8		base[DP_QUESTION_BYTES];	/* of answers that may be added up from it, */
	bytea	   *shape;			/* and what it takes for that; NULL: none */
} DpKeptAnswer;

/* The table, open for writing in one transaction. */
typedef struct DpKeptTable
{
	EState	   *estate;
	ResultRelInfo *info;
	TupleTableSlot *slot;
	TupleTableSlot *found;
	bool		wait;			/* for who has locked a row */
	Oid			save_user;
	int			save_context;
	int			save_nest;
} DpKeptTable;

/*
 * Open the table for writing, rows of others being waited for or not.  The active snapshot
 * is then one that sees what others wrote.  False if somebody has locked the table and is
 * not to be waited for.
 */
extern bool dp_budget_kept_table_open(DpKeptTable *table, bool wait);
extern void dp_budget_kept_table_close(DpKeptTable *table);

/* Have the active snapshot see what has been written so far. */
extern void dp_budget_kept_table_step(void);

/* The table, open for reading, for the caller to close; NULL if it cannot be had without waiting. */
extern Relation dp_budget_kept_table_read(void);

/* The hash that a row of the table bears, of its columns and of the hash of the charge. */
extern void dp_budget_kept_table_hash(const Datum *values, const uint8 *charge, uint8 *hash);

/*
 * Store an answer, in place of an older one to the same question; one that somebody is
 * removing is left to them, here and below.
 */
extern void dp_budget_kept_table_put(DpKeptTable *table, const DpKeptAnswer *answer);

/* Remove a row that was found there, or its last version.  Was it there? */
extern bool dp_budget_kept_table_delete(DpKeptTable *table, const ItemPointerData *tid);

/* Count replays of the answer that a budget has for a question, if it is still there. */
extern void dp_budget_kept_table_count(DpKeptTable *table, int64 budget, const uint8 *question, int64 replays);

/* Bytes that an answer takes of the memory that a role's answers may take. */
extern Size dp_budget_kept_table_size(TupleTableSlot *slot);
extern Size dp_budget_kept_size(Size released, Size asked, Size shape);

/*
 * Finding rows of the table of kept answers, without their old versions.
 *
 * A question that is asked again and again, or shown, leaves a version of its row each time.
 * While somebody's transaction can see these, indexes lead past them: so rows are looked for at
 * their places first (place.h), and walks go from question to question.
 */

/*
 * Have the answer that a budget has for a question, as a snapshot sees it, in a slot of the
 * table's; false if there is none.  If the snapshot is new that takes as long whatever
 * versions there are, unless the row's place is not known.
 */
extern bool dp_budget_kept_row_find(Relation table, Snapshot snapshot, int64 budget,
									const uint8 *question, TupleTableSlot *slot);

/* A walk through a budget's answers that a snapshot sees, in the order of their questions. */
typedef struct DpKeptWalk
{
	Relation	table;
	Snapshot	snapshot;
	Relation	index;
	IndexScanDesc scan;
	TupleTableSlot *slot;		/* the answer it has come to */
	int64		budget;
	const uint8 *base;			/* of these answers alone, or NULL */
	uint8		question[DP_QUESTION_BYTES];	/* that it has come to, */
	bool		begun;			/* if to any, */
	int			same;			/* and how often it has met that again */
} DpKeptWalk;

/* Begin a walk through all answers of a budget, or through those of a base. */
extern void dp_budget_kept_walk_begin(DpKeptWalk *walk, Relation table, Snapshot snapshot, int64 budget,
									  const uint8 *base);

/* Have the next answer in the slot; false if there are no more. */
extern bool dp_budget_kept_walk_next(DpKeptWalk *walk);

extern void dp_budget_kept_walk_end(DpKeptWalk *walk);

#endif							/* DP_BUDGET_KEPT_KEPT_TABLE_H */
