/* SPDX-License-Identifier: PostgreSQL */
/*
 * group_cells.h
 *	  What the groups of a block are made of, as plans carry it: so that answers may be added up
 *	  from those of finer groups.
 */
#ifndef DP_PRICING_GROUP_CELLS_H
#define DP_PRICING_GROUP_CELLS_H

#include "postgres.h"

/* Members of the List that describes them. */
enum
{
	DP_CELLS_QUERY,				/* FROM and WHERE, as validated; its columns are the keys, the
								 * unit, and two for each release: a Const of DpAddend, and the
								 * value or a constant.  It is never run */
	DP_CELLS_BOUNDS,			/* a Const of DpCellBounds */
	DP_CELLS_VALUES,			/* for each key a Const, the array of its values in their order;
								 * NULL if the key is a call that numbers buckets.  NIL: public
								 * tables list the keys */
	DP_CELLS_COMPLETE			/* integers: can there be no other values of a key? */
};

/* Bounds of a unit's contribution, and a value. */
typedef struct DpCellBounds
{
	int32		vl_len_;		/* varlena header */
	int32		row_is_unit;	/* no two rows share a unit */
	int32		max_rows;
	int32		max_groups;
	int32		longest;		/* value that expressions work on, in bytes with header */
} DpCellBounds;

/* Totals that a release adds up. */
typedef struct DpAddend
{
	int32		vl_len_;		/* varlena header */
	int32		kind;			/* DpReleaseKind: count, sum, or average */
	int32		distinct_units;
	int32		most_rows;		/* of a unit that count */
	Oid			type;			/* of the aggregate */
	double		lower;			/* bounds of the value */
	double		upper;
} DpAddend;

#endif							/* DP_PRICING_GROUP_CELLS_H */
