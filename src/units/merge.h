/*
 * merge.h
 *	  The groups' totals on their way out: gathered in any order, several times
 *	  per group if need be, returned in the order of their keys, once each.
 */
#ifndef DP_UNITS_MERGE_H
#define DP_UNITS_MERGE_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/pg_list.h"
#include "utils/tuplesort.h"

typedef struct DpMerge
{
	int			nkeys;
	int			parts;			/* totals of a group */
	TupleDesc	desc;			/* keys and a DpTotals */
	Tuplesortstate *sort;		/* NULL without keys: there is one group */
	TupleTableSlot *input;
	TupleTableSlot *current;	/* group being returned */
	TupleTableSlot *next;		/* first row of the one after it; maybe empty */
	bool		started;
	__int128   *totals;			/* of the group being returned */
	__int128   *row_totals;		/* scratch */
} DpMerge;

/* So many zeros, aligned as palloc does not. */
extern __int128 *dp_merge_make_totals(int parts);

/*
 * Gather groups with the keys that the first columns of `keys` describe, in the
 * current memory context.
 */
extern DpMerge *dp_merge_begin(TupleDesc keys, int nkeys, List *operators,
							   List *collations, int parts);

/* Add to a group's totals. */
extern void dp_merge_put(DpMerge *merge, const Datum *keys, const bool *isnull,
						 const __int128 *totals);

/*
 * The next group: its keys in merge->current, its totals in merge->totals;
 * false at the end.  Without keys there is always one.
 */
extern bool dp_merge_next(DpMerge *merge);

extern void dp_merge_end(DpMerge *merge);

#endif							/* DP_UNITS_MERGE_H */
