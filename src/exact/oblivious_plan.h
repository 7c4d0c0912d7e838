/* SPDX-License-Identifier: PostgreSQL */
/*
 * oblivious_plan.h
 *	  Reading below a release what is to be read, whatever else holds no rows.
 *
 * PostgreSQL's joins do not begin with one side when the other turns out to be
 * empty, nor does it look into an index for what another did not find.  Whether any
 * protected row passes a condition, be it on one person, could then be told from
 * the time it takes to read, hash or sort a large table, or much of an index, for
 * the price of the cheapest release.
 *
 * A hash join builds its table and reads its other side always.  A merge join has
 * both sides sorted always (join_search.c sees to it that they are sorted, not read
 * in the order of an index); what is left out is to compare what was sorted.  A loop,
 * where a constant joins to one row, reads its inner side to the end.  What is found
 * by an index is not intersected with what another finds.
 *
 * Nor may it depend on a row which values of a public table are fetched from where
 * they lie out of line: the analyst sees by the buffers of her own statements which
 * were, and so for whom there is a row to join with.  All are fetched where the
 * table is read.
 */
#ifndef DP_EXACT_OBLIVIOUS_PLAN_H
#define DP_EXACT_OBLIVIOUS_PLAN_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

/* Leave out intersections of indexes from the ways to read a table of an exact plan. */
extern void dp_exact_read_one_index(PlannerInfo *root, RelOptInfo *rel);

/*
 * Have scans of public tables in an exact plan fetch what they return of values out of
 * line, but for columns that nobody named.
 */
extern void dp_exact_fetch_whole(PlannedStmt *plan);

/* Have all joins of an exact plan do so, before anything of it has run. */
extern void dp_exact_read_whole(PlanState *plan);

#endif							/* DP_EXACT_OBLIVIOUS_PLAN_H */
