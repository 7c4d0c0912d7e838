/* SPDX-License-Identifier: PostgreSQL */
/*
 * path.h
 *	  The node that adds up units, in the planner.
 *
 * A query
 *
 *		SELECT ... over_units(unit, value, ask) ... FROM ... WHERE ... GROUP BY keys
 *
 * is planned as the node over an ordinary plan of its FROM and WHERE that yields
 * (unit, keys, values), or where rows are units (keys, values), see node.h.  No other plan of it can run: the aggregate itself is
 * an error.
 */
#ifndef DP_UNITS_PATH_H
#define DP_UNITS_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Replace the grouping paths of such a query by the node; leaves a query
 * without the aggregate alone.  From create_upper_paths_hook.
 */
extern void dp_units_add_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
							   Oid over_units);

/*
 * Leave of the finished paths of such a query only those with the node: another
 * hook may have added others.  Errors: 0A000 if none is left.
 */
extern void dp_units_check_paths(PlannerInfo *root, RelOptInfo *output, Oid over_units);

/* A path that yields these columns, in whatever order, with nothing above one that does. */
extern Path *dp_units_yield(PlannerInfo *root, RelOptInfo *rel, Path *path, List *columns);

/* Register the node; from _PG_init. */
extern void dp_units_init(void);

#endif							/* DP_UNITS_PATH_H */
