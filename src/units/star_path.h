/* SPDX-License-Identifier: PostgreSQL */
/*
 * star_path.h
 *	  Joining rows without a join of PostgreSQL's, in the planner: see star.h.
 */
#ifndef DP_UNITS_STAR_PATH_H
#define DP_UNITS_STAR_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

typedef struct DpStarPath
{
	RelOptInfo *base;			/* a table, or a join of PostgreSQL's */
	List	   *sides;			/* RelOptInfo */
	List	   *optional;		/* of these, as int: do rows without one stay? */
	List	   *columns;		/* of the base and of each side: a List of expressions, see star.h */
	List	   *places;			/* of what is wanted among these, likewise */
} DpStarPath;

/*
 * A join as a star that yields these expressions; NULL if it is none.  A star is made
 * of inner and left joins by one equality of integers, texts or uuids each, of plain
 * tables, of which all but one have at most one row of a key; or a base that PostgreSQL
 * joins and one such table.  Also NULL if its sides may not fit into `limit` bytes.
 */
extern DpStarPath *dp_units_star_find(PlannerInfo *root, RelOptInfo *joined, List *wanted, Size limit);

/* Can several processes share the base's rows, each with sides of its own? */
extern bool dp_units_star_is_parallel(const DpStarPath *star);

/*
 * Paths of the base and the sides, for one of several processes or for one alone,
 * and what it costs to read and join their rows.
 */
extern List *dp_units_star_paths(PlannerInfo *root, const DpStarPath *star, bool parallel, Cost *cost);

#endif							/* DP_UNITS_STAR_PATH_H */
