/* SPDX-License-Identifier: PostgreSQL */
/*
 * node.h
 *	  The node that adds up units, in the executor.
 *
 * Its plan reads rows (unit, keys, values), or just (keys, values) where each row is a
 * unit of its own, or (unit, keys, parts) where others added rows up (rows.h).  It
 * returns a row per group, in the order of the keys, NULL last.  A row has the keys and
 * the totals of each aggregate, as a DpTotals, or for a quantile its exact summary
 * (aggregate/cells.h).  In a parallel plan every process runs one that returns partial
 * rows (keys, and all that they come to, as in merge.c), and a final one above Gather
 * adds these up.  With a ladder of clamps an aggregate comes to the totals of its steps
 * (aggregate/ladder.h).
 */
#ifndef DP_UNITS_NODE_H
#define DP_UNITS_NODE_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "units/ask.h"
#include "units/record.h"

typedef enum DpUnitsMode
{
	DP_UNITS_WHOLE,
	DP_UNITS_PARTIAL,
	DP_UNITS_FINAL
} DpUnitsMode;

/* One aggregate. */
typedef struct DpUnitsColumn
{
	DpUnitsAsk	ask;
	int32		value;			/* its value's number among the columns; -1: constant */
	int32		value_y;		/* of a pair, that of y, value being x; -1: value is all */
	DpMomentsSpec pair;			/* bounds and grids, if there is y */
} DpUnitsColumn;

/* Flat: travels through plan copies as a bytea constant. */
typedef struct DpUnitsPlan
{
	int32		vl_len_;		/* varlena header */
	int32		mode;			/* DpUnitsMode */
	int32		nkeys;
	int32		max_groups;
	int32		rows_are_units; /* 1: no two rows share a unit */
	int32		by_parts;		/* 1: a row stands for several, see rows.h */
	int32		ncolumns;
	DpUnitsColumn column[FLEXIBLE_ARRAY_MEMBER];
} DpUnitsPlan;

/* Number of the first key: where rows are units, no unit comes before. */
static inline int
dp_units_first_key(const DpUnitsPlan *plan)
{
	return plan->rows_are_units ? 0 : 1;
}

#define DpUnitsPlanSize(n) (offsetof(DpUnitsPlan, column) + (n) * sizeof(DpUnitsColumn))

/*
 * A CustomScan of this node has in custom_private: the plan as a bytea Const; for each
 * key its sort operator and its collation, as lists of OIDs; and as a list of int where
 * in the child's rows these columns are.  If the node can join rows of its other
 * children by itself, it also has how, see star.h.
 */
extern Node *dp_units_create_state(CustomScan *scan);

/* Is this a scan of the node?  Then set how it sorts keys: lists of OIDs. */
extern bool dp_units_sorts_by(const CustomScan *scan, List **operators, List **collations);

/*
 * If this is a scan of the node, have units count in so many groups, and add up nothing but classes of
 * units, or all but these: other columns are numbers of units then.
 */
extern bool dp_units_change(CustomScan *scan, int max_groups, bool classes);

/*
 * Adding up the rows of all units, and passing on the totals of all groups.
 */

/* Fresh secrets: nobody knows them, nothing keeps them. */
extern void dp_units_adding_draw_secret(DpUnitsSecret *secret);

#endif							/* DP_UNITS_NODE_H */
