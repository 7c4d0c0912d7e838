/*
 * row_walk.h
 *	  Going through the rows of the budget table, without their old versions.
 */
#ifndef DP_BUDGET_ACCOUNT_ROW_WALK_H
#define DP_BUDGET_ACCOUNT_ROW_WALK_H

#include "postgres.h"

#include "access/genam.h"
#include "access/htup.h"
#include "executor/tuptable.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

/*
 * A walk through all rows that a snapshot sees, or those of one role, in the order of the
 * primary key.  It goes from key to key, and looks a row up by its place where the index
 * leads to an older version first: what it takes depends on how many keys there are, not
 * on how many versions, nor on how long the table once was.
 */
typedef struct DpRowWalk
{
	Relation	budget;
	Snapshot	snapshot;
	Relation	index;
	IndexScanDesc scan;
	TupleTableSlot *slot;
	bool		all;			/* of all roles */
	bool		within;			/* is the scan for one role? */
	Oid			role;			/* the key it has come to, */
	char	   *dataset;		/* NULL if to none */
	int			same;			/* and how often it has met it again */
} DpRowWalk;

/* Begin a walk through the rows of a role, or of all. */
extern void dp_budget_row_walk_begin(DpRowWalk *walk, Relation budget, Snapshot snapshot, Oid role);
extern void dp_budget_row_walk_begin_all(DpRowWalk *walk, Relation budget, Snapshot snapshot);

/* The next row, a copy in the current memory context; NULL if there are no more. */
extern HeapTuple dp_budget_row_walk_next(DpRowWalk *walk);

extern void dp_budget_row_walk_end(DpRowWalk *walk);

#endif							/* DP_BUDGET_ACCOUNT_ROW_WALK_H */
