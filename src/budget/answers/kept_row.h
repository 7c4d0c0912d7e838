/*
 * kept_row.h
 *	  Finding rows of the table of kept answers, without their old versions.
 *
 * A question that is asked again and again, or shown, leaves a version of its row each time.
 * While somebody's transaction can see these, indexes lead past them: so rows are looked for at
 * their places first (place.h), and walks go from question to question.
 */
#ifndef DP_BUDGET_ANSWERS_KEPT_ROW_H
#define DP_BUDGET_ANSWERS_KEPT_ROW_H

#include "postgres.h"

#include "access/genam.h"
#include "executor/tuptable.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "budget/rows/kept_columns.h"

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

#endif							/* DP_BUDGET_ANSWERS_KEPT_ROW_H */
