/*
 * append.h
 *	  Appending rows to the ledger, many at a time.
 *
 * Rows are numbered, chained and checked one by one and stored together: once
 * DP_APPEND_BATCH are waiting, and when the caller says so.
 */
#ifndef DP_BUDGET_ROWS_APPEND_H
#define DP_BUDGET_ROWS_APPEND_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/execnodes.h"

#include "budget/rows/ledger.h"

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

#endif							/* DP_BUDGET_ROWS_APPEND_H */
