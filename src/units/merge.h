/* SPDX-License-Identifier: PostgreSQL */
/*
 * merge.h
 *	  The groups' totals on their way out: gathered in any order, several times
 *	  per group if need be, returned in the order of their keys, once each.
 */
#ifndef DP_UNITS_MERGE_H
#define DP_UNITS_MERGE_H

#include "postgres.h"

#include "utils/tuplesort.h"

#include "aggregate/cells.h"
#include "units/contributions.h"

typedef struct DpMerge
{
	int			nkeys;
	const DpUnitsSpec *spec;	/* of which the measures */
	TupleDesc	desc;			/* keys and what they come to, as bytes */
	Tuplesortstate *sort;		/* NULL without keys: there is one group */
	TupleTableSlot *input;
	TupleTableSlot *current;	/* group being returned */
	TupleTableSlot *next;		/* first row of the one after it; maybe empty */
	bool		started;
	__int128   *totals;			/* of the group being returned; and */
	DpCellsState **cells;		/* likewise, per measure; NULL for those without */
	MemoryContext context;		/* of these */
} DpMerge;

/* So many zeros, aligned as palloc does not. */
extern __int128 *dp_units_merge_make_totals(int parts);

/*
 * Gather groups with the keys that the first columns of `keys` describe, in the
 * current memory context.
 */
extern DpMerge *dp_units_merge_begin(TupleDesc keys, int nkeys, List *operators,
									 List *collations, const DpUnitsSpec *spec);

/* Add to what a group comes to. */
extern void dp_units_merge_put(DpMerge *merge, const Datum *keys, const bool *isnull,
							   const DpGroupTotals *totals);

/* The same of what dp_units_merge_bytes returned in another process. */
extern void dp_units_merge_put_bytes(DpMerge *merge, const Datum *keys, const bool *isnull,
									 bytea *bytes);

/* Totals of the group being returned, in the current memory context. */
extern bytea *dp_units_merge_bytes(const DpMerge *merge);

/*
 * The next group: its keys in merge->current, what it comes to in merge->totals and cells;
 * false at the end.  Without keys there is always one.
 */
extern bool dp_units_merge_next(DpMerge *merge);

extern void dp_units_merge_end(DpMerge *merge);

#endif							/* DP_UNITS_MERGE_H */
