/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_bounds.h
 *	  How many rows and groups of a join count of one unit.
 */
#ifndef DP_FROM_JOIN_BOUNDS_H
#define DP_FROM_JOIN_BOUNDS_H

#include "postgres.h"

#include "from/from_item.h"

/* The bounds of what one unit contributes to a join, as seen from one of its items. */
typedef struct DpJoinBounds
{
	int			rows;
	int			groups;
	int			values;			/* 0: as rows */
	int			clip_rows;
	bool		cut;			/* may a unit have more rows, by what is declared? */
} DpJoinBounds;

/*
 * The items of a join in an order that does not depend on that of FROM: protected ones first,
 * those that allow a unit less before those that allow more.
 */
extern List *dp_from_in_order_of_bounds(List *leaves);

/*
 * The bounds of a join of these items, of which the fan-outs (of DpFanOut) make several rows of one of
 * the base.  If the base may be replaced by NULLs, rows of `unmatched` stand without it; else NULL.
 */
extern DpJoinBounds dp_from_bounds_of_join(const DpFromItem *base, const DpFromItem *unmatched, List *fan_outs,
										   List *leaves);

/* The product of two bounds, at most this. */
extern int	dp_from_multiply_bounds(int a, int b, int most);

#endif							/* DP_FROM_JOIN_BOUNDS_H */
