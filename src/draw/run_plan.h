/* SPDX-License-Identifier: PostgreSQL */
/*
 * run_plan.h
 *	  Running a plan that the extension made: of an exact query, or of one that reads public tables.
 *
 * The executor's own functions run it, not the hooks of other extensions, which would
 * count and log it.
 */
#ifndef DP_DRAW_RUN_PLAN_H
#define DP_DRAW_RUN_PLAN_H

#include "postgres.h"

#include "executor/execdesc.h"

/* Start a plan in the current memory context; rights have been checked. */
extern QueryDesc *dp_draw_start_run(PlannedStmt *plan, const char *source, Snapshot snapshot);

/* Let its workers start when they are wanted; an error leaves parallel mode with its transaction. */
extern void dp_draw_allow_workers(QueryDesc *run);

/* The next row of a started plan, deformed; NULL at the end. */
extern TupleTableSlot *dp_draw_next_row(PlanState *plan);

/* Stop it, give back what it held, and count none of its workers. */
extern void dp_draw_end_run(QueryDesc *run);

/*
 * Run a plan that reads public tables alone, under a statement's snapshot, and have its
 * rows be read: by this process alone, since workers take functions that are tried for
 * a row's only while statistics are stopped.
 */
extern void dp_draw_run_public(PlannedStmt *plan, const EState *estate,
							   void (*read) (PlanState *plan, void *arg), void *arg);

#endif							/* DP_DRAW_RUN_PLAN_H */
