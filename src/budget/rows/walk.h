/* SPDX-License-Identifier: PostgreSQL */
/*
 * walk.h
 *	  Walking the ledger's rows in order, checking that each continues the
 *	  chain.
 */
#ifndef DP_BUDGET_ROWS_WALK_H
#define DP_BUDGET_ROWS_WALK_H

#include "postgres.h"

#include "access/genam.h"

#include "budget/rows/ledger.h"

typedef struct DpWalk
{
	Relation	ledger;
	Relation	index;
	SysScanDesc scan;
	MemoryContext row_context;	/* of what a row holds, until the next one */
	bool		chained;		/* is each row to continue the chain? */
	DpChainEnd	last;			/* the row before */
	HeapTuple	tuple;			/* this row */
	int64		id;
	Datum	   *values;
	bool	   *nulls;
} DpWalk;

/*
 * Begin a walk over all rows that a snapshot sees, which continue the chain
 * from the given end: zeros, or that of rows that were removed; or NULL: whether they
 * continue a chain is not looked at.
 */
extern void dp_budget_walk_begin(DpWalk *walk, Relation ledger, Snapshot snapshot,
								 const DpChainEnd *from);

/*
 * Go on to the next row, and say what is wrong with it, or NULL: whether its
 * number and hash follow from the row before.  False at the end.  In memory
 * that lasts until the next step.
 */
extern bool dp_budget_walk_next(DpWalk *walk, const char **problem);

extern void dp_budget_walk_end(DpWalk *walk);

#endif							/* DP_BUDGET_ROWS_WALK_H */
