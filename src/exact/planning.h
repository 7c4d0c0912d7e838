/* SPDX-License-Identifier: PostgreSQL */
/*
 * planning.h
 *	  What the planner is working on, for the hooks that it calls.
 *
 * Planning nests: the planner runs functions, which plan statements of their own.
 */
#ifndef DP_EXACT_PLANNING_H
#define DP_EXACT_PLANNING_H

#include "postgres.h"

#include "optimizer/planner.h"

#include "pricing/release.h"

struct ExplainState;

/* All zero: a statement that is none of ours. */
typedef struct DpPlanning
{
	List	   *blocks;			/* of DpRewrittenBlock: whose releases the statement reads */
	const DpBlock *exact;		/* whose exact query, or query of keys, this is */
	const char *source;			/* the exact query's statement, or NULL */
	int			location;		/* and its block's place there, or -1 */
	int64		reads_of;		/* number of the statement whose drawn releases it reads, or 0 */
	struct ExplainState *explain;	/* what EXPLAIN asks of the plan, or NULL */
} DpPlanning;

/* Plan a query, which is this.  Hooks see it until the planner returns or plans another. */
extern PlannedStmt *dp_exact_plan_as(const DpPlanning *what, planner_hook_type planner, Query *query,
									 const char *source, int cursor_options, ParamListInfo params);

/* The query being planned. */
extern const DpPlanning *dp_exact_planning(void);

/* Is it an exact query? */
extern bool dp_exact_is_below_release(void);

/* Is this level the whole of an exact query, not a subquery in it? */
extern bool dp_exact_is_exact(PlannerInfo *root);

#endif							/* DP_EXACT_PLANNING_H */
