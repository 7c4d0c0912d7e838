/*
 * keeper_launch.c
 *	  Having a keeper come.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"

#include "budget/queue/keeper_launch.h"
#include "budget/queue/queue.h"

bool
dp_budget_keeper_launch(void)
{
	BackgroundWorker worker;

	memset(&worker, 0, sizeof(worker));
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker.bgw_library_name, "dp_agg", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "dp_budget_keeper_main", BGW_MAXLEN);
	strlcpy(worker.bgw_name, DP_KEEPER_NAME, BGW_MAXLEN);
	strlcpy(worker.bgw_type, DP_KEEPER_NAME, BGW_MAXLEN);
	worker.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId);
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

void
dp_budget_keeper_call(void)
{
	if (dp_budget_queue_call() && !dp_budget_keeper_launch())
		dp_budget_queue_call_failed();
}
