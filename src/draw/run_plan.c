/* SPDX-License-Identifier: PostgreSQL */
/*
 * run_plan.c
 *	  Running a plan that the extension made.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "tcop/dest.h"

#include "base/compat_executor.h"
#include "draw/run_plan.h"
#include "expression/null_on_error.h"

QueryDesc *
dp_draw_start_run(PlannedStmt *plan, const char *source, Snapshot snapshot)
{
	QueryDesc  *run = CreateQueryDesc(plan, source, snapshot, InvalidSnapshot, None_Receiver,
									  NULL, NULL, 0);

	dp_compat_grant_all(plan);
	standard_ExecutorStart(run, 0);
	return run;
}

void
dp_draw_allow_workers(QueryDesc *run)
{
	if (run->plannedstmt->parallelModeNeeded)
	{
		EnterParallelMode();
		run->estate->es_use_parallel_mode = true;
	}
}

TupleTableSlot *
dp_draw_next_row(PlanState *plan)
{
	MemoryContext old = MemoryContextSwitchTo(plan->state->es_query_cxt);
	TupleTableSlot *slot;

	CHECK_FOR_INTERRUPTS();
	ResetPerTupleExprContext(plan->state);
	slot = ExecProcNode(plan);
	MemoryContextSwitchTo(old);
	if (TupIsNull(slot))
		return NULL;
	slot_getallattrs(slot);
	return slot;
}

void
dp_draw_end_run(QueryDesc *run)
{
	ExecShutdownNode(run->planstate);
	if (run->estate->es_use_parallel_mode)
		ExitParallelMode();
	dp_compat_forget_workers(run->estate);
	standard_ExecutorFinish(run);
	standard_ExecutorEnd(run);
	FreeQueryDesc(run);
}

void
dp_draw_run_public(PlannedStmt *plan, const EState *estate, void (*read) (PlanState *plan, void *arg), void *arg)
{
	bool		was_running = dp_expression_release_running;

	dp_expression_release_running = true;
	PG_TRY();
	{
		QueryDesc  *run = dp_draw_start_run(plan, estate->es_sourceText, estate->es_snapshot);

		read(run->planstate, arg);
		dp_draw_end_run(run);
	}
	PG_FINALLY();
	{
		dp_expression_release_running = was_running;
	}
	PG_END_TRY();
}
