/* SPDX-License-Identifier: PostgreSQL */
/*
 * oblivious_plan.h
 *	  Exact plans that read all they scan, even where another relation holds no rows.
 *
 * PostgreSQL's joins do not begin with one side when the other turns out to be empty,
 * and a bitmap of one index is not built when another index found nothing.  Whether any
 * protected row passes a condition, such as one on a single person, could then be told
 * from the time it takes to read, hash or sort a large table, or much of an index, for
 * the price of the cheapest release.
 *
 * A hash join always builds its table and reads its other side.  A merge join always
 * sorts both sides (join_search.c sees to it that they are sorted, not read in the
 * order of an index); only comparing the sorted rows may end early.  A loop, where a
 * constant joins to one row, reads its inner side to the end.  Results of several
 * indexes are not intersected.
 *
 * Scans of public tables detoast every value.  Detoasting only joined rows would show
 * in the analyst's buffer counts who has a match.
 */
#ifndef DP_EXACT_OBLIVIOUS_PLAN_H
#define DP_EXACT_OBLIVIOUS_PLAN_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

/* Leave out intersections of indexes from the ways to read a table of an exact plan. */
extern void dp_exact_read_one_index(PlannerInfo *root, RelOptInfo *rel);

/*
 * Have scans of public tables in an exact plan detoast the values they return, except
 * in columns that the statement does not name.
 */
extern void dp_exact_fetch_whole(PlannedStmt *plan);

/*
 * Have all joins of an exact plan read both sides in full.  Called before anything of
 * it has run.
 */
extern void dp_exact_read_whole(PlanState *plan);

#endif							/* DP_EXACT_OBLIVIOUS_PLAN_H */
