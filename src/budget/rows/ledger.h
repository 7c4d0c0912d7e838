/* SPDX-License-Identifier: PostgreSQL */
/*
 * ledger.h
 *	  Rows of the ledger: what is entered, and as columns.
 *
 * The process that appends a row holds the chain (see store.h): the row's number and
 * hash follow from those of the row before.
 */
#ifndef DP_BUDGET_ROWS_LEDGER_H
#define DP_BUDGET_ROWS_LEDGER_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "budget/rows/chain.h"
#include "budget/rows/row.h"

/* Longest text of a statement that the ledger keeps, in bytes. */
#define DP_STATEMENT_BYTES 8192

/* Columns of dp_agg.ledger, from 0; somebody may have added more. */
enum
{
	DP_LEDGER_ID,
	DP_LEDGER_AT,
	DP_LEDGER_EVENT,
	DP_LEDGER_ROLE,
	DP_LEDGER_DATASET,
	DP_LEDGER_BUDGET,
	DP_LEDGER_PAYER,
	DP_LEDGER_CAP,
	DP_LEDGER_ADMITTED,
	DP_LEDGER_STATEMENT,
	DP_LEDGER_RELEASES,
	DP_LEDGER_CURVE,
	DP_LEDGER_PURE_EPSILON,
	DP_LEDGER_DELTA,
	DP_LEDGER_EPSILON_LIMIT,
	DP_LEDGER_DELTA_LIMIT,
	DP_LEDGER_EPSILON_SPENT,
	DP_LEDGER_DELTA_SPENT,
	DP_LEDGER_CAP_EPSILON_SPENT,
	DP_LEDGER_CAP_DELTA_SPENT,
	DP_LEDGER_HASH,				/* of all columns before it */
	DP_LEDGER_COLUMNS
};

extern const Oid dp_budget_ledger_types[DP_LEDGER_COLUMNS];

typedef enum DpEvent
{
	DP_EVENT_CHARGE,			/* a statement admitted */
	DP_EVENT_REFUSAL,			/* one the budget did not admit */
	DP_EVENT_CAP_REFUSAL,		/* one the data set's cap did not admit */
	DP_EVENT_REFRESH,			/* a new period: nothing spent */
	DP_EVENT_SET,				/* a budget or cap, or new limits for it */
	DP_EVENT_RESET,				/* nothing spent, nothing counted */
	DP_EVENT_DROP,
	DP_EVENT_ACKNOWLEDGE,		/* what this copy holds counts from now on */
	DP_EVENT_CHECKPOINT,		/* stands for rows that were removed */
	DP_EVENTS
} DpEvent;

/* Names of events, as in the column. */
extern const char *const dp_budget_event_name[DP_EVENTS];

/* The end of the chain: the last row's number and hash, or zeros. */
typedef struct DpChainEnd
{
	int64		id;
	uint8		hash[DP_CHAIN_BYTES];
} DpChainEnd;

/* Contents of a row, except its number and hash. */
typedef struct DpLedgerRow
{
	DpEvent		event;
	TimestampTz at;
	Oid			role;			/* who asked */
	const DpBudgetRow *budget;	/* which it concerns, as it left it, or NULL */
	const double *epsilon_spent;	/* what that budget has spent, or NULL: work it out */
	const DpBudgetRow *cap;		/* that was asked too, as it left it, or NULL */
	const double *cap_epsilon_spent;	/* of the cap, likewise */
	const		text *statement;	/* or NULL */
	const Jsonb *releases;		/* or NULL */
	const uint8 *digest;		/* of releases, or NULL: work it out */
	const DpCurve *cost;		/* or NULL; of statements, its curve follows from releases */
} DpLedgerRow;

/* JSON for a row's releases, in the current memory context; 22P02 if it is none. */
extern Jsonb *dp_budget_ledger_json(const char *text);

/*
 * Appending rows to the ledger, many at a time.
 *
 * Rows are numbered, chained and checked one by one and stored together: once
 * DP_APPEND_BATCH are waiting, and when the caller says so.
 */

/* Most rows that wait to be stored. */
#define DP_APPEND_BATCH 64

typedef struct DpAppender
{
	EState	   *estate;
	ResultRelInfo *ledger;
	DpChainEnd	end;			/* the last row's, waiting or stored */
	int			slots;			/* made */
	int			waiting;		/* filled, in order */
	TupleTableSlot *slot[DP_APPEND_BATCH];
} DpAppender;

/*
 * Start appending to a ledger that is open for writing, by a caller who holds
 * the chain.  Raises XX001 if the last row has no hash.
 */
extern void dp_budget_append_begin(DpAppender *appender, EState *estate, ResultRelInfo *ledger);

/*
 * Append a row.  It is made in the current memory context, which has to last
 * until it is stored; so has what the row points to.
 */
extern void dp_budget_append_row(DpAppender *appender, const DpLedgerRow *row);

/* Store the rows that wait. */
extern void dp_budget_append_flush(DpAppender *appender);

#endif							/* DP_BUDGET_ROWS_LEDGER_H */
