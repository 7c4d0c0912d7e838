/* SPDX-License-Identifier: PostgreSQL */
/*
 * keeper.c
 *	  The background worker that charges budgets: its life, and the pace at
 *	  which it takes requests.
 *
 * Requests that come while a batch is being committed make up the next one.
 */
#include "postgres.h"

#include <sched.h>

#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "storage/procarray.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/compat_catalog.h"
#include "base/settings.h"
#include "budget/keeper/keeper.h"
#include "budget/keeper/settle.h"
#include "budget/kept/kept_store.h"
#include "budget/queue/kept_count.h"
#include "budget/queue/kept_queue.h"
#include "budget/queue/queue.h"
#include "budget/queue/queue_state.h"
#include "budget/queue/request.h"

/* How long to look out for the next charge before going to sleep for it. */
#define DP_SPIN_US 100

/*
 * What a transaction of the keeper depends on, whatever ALTER DATABASE or
 * ALTER ROLE say.  Rows are never waited for; the lock timeout bounds waiting
 * for anything else, such as the ledger's TOAST table.
 */
static const struct
{
	const char *name;
	const char *value;
}			pinned_settings[] = {
	{"default_transaction_isolation", "read committed"},
	{"default_transaction_read_only", "off"},
	{"default_transaction_deferrable", "off"},
	{"exit_on_error", "off"},
	{"search_path", "pg_catalog, pg_temp"},
	{"lock_timeout", "500ms"},
	{"transaction_timeout", "0"}	/* since PostgreSQL 17 */
};

/* How often replays are entered, at most. */
#define DP_REPLAYS_EVERY_MS 2000

/*
 * How often an idle keeper looks whether somebody wants its database alone.  PostgreSQL waits five
 * seconds for others to leave.
 */
#define DP_LOOK_ROUND_MS 500

static void
set_up_signals(void)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, dp_budget_settle_cancel);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
}

static void
pin_settings(void)
{
	for (int i = 0; i < lengthof(pinned_settings); i++)
		if (GetConfigOption(pinned_settings[i].name, true, false) != NULL)
			SetConfigOption(pinned_settings[i].name, pinned_settings[i].value,
							PGC_SUSET, PGC_S_OVERRIDE);
}

/*
 * Look out for a charge for a moment: a lone client's next one comes soon.  Other
 * processes get the processor meanwhile.
 */
static bool
spin_for_work(int postponed, int unstored)
{
	instr_time	start;
	instr_time	elapsed;

	INSTR_TIME_SET_CURRENT(start);
	do
	{
		(void) sched_yield();
		if (dp_budget_queue_length() > postponed || dp_budget_kept_queue_length() > unstored)
			return true;
		INSTR_TIME_SET_CURRENT(elapsed);
		INSTR_TIME_SUBTRACT(elapsed, start);
	} while (INSTR_TIME_GET_MICROSEC(elapsed) < DP_SPIN_US);
	return false;
}

/*
 * Is this process all that keeps somebody from having the database alone: to drop, rename or move it,
 * or as a template?  All commands that want that lock it, so that nobody connects, and wait for those
 * who are.  As long as sessions are there, the keeper stays for them: the next one could not come.
 */
static bool
is_in_the_way(void)
{
	LOCKTAG		tag;

	if (CountDBBackends(MyDatabaseId) > 1)
		return false;
	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, MyDatabaseId, 0);
	if (!dp_compat_try_lock(&tag, RowExclusiveLock))
		return true;
	(void) LockRelease(&tag, RowExclusiveLock, true);
	return false;
}

/* Wait for work; false if none came for as long as a keeper stays idle, or if it is in the way. */
static bool
wait_for_work(int postponed, int unstored, TimestampTz last_work)
{
	TimestampTz leave = TimestampTzPlusMilliseconds(last_work, dp_settings_keeper_idle);
	long		left;

	if (spin_for_work(postponed, unstored))
		return true;
	dp_budget_answer_remind();
	left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), leave);
	if (postponed > 0 || unstored > 0)
		left = DP_RETRY_MS;
	else if (left <= 0 || is_in_the_way())
		return false;
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 Min(left, DP_LOOK_ROUND_MS), PG_WAIT_EXTENSION);
	return true;
}

/* Leave nobody waiting, however the keeper exits. */
static void
leave_queue(int code, Datum arg)
{
	dp_budget_settle_abandon();
	dp_budget_answer_remind();
	dp_budget_queue_quit();
}

/* Enter the replays that were counted meanwhile, not too often unless they are of very many answers. */
static void
enter_replays(TimestampTz *last)
{
	TimestampTz now = GetCurrentTimestamp();

	if (!TimestampDifferenceExceeds(*last, now, DP_REPLAYS_EVERY_MS) &&
		!dp_budget_kept_count_is_crowded())
		return;
	dp_budget_kept_store_replays();
	*last = now;
}

/* Serve this database until nothing has come for a while. */
static void
serve(void)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, DP_KEEPER_NAME,
												  ALLOCSET_DEFAULT_SIZES);
	DpRequest **requests = palloc(dp_budget_queue_size() * sizeof(DpRequest *));
	TimestampTz last_work = GetCurrentTimestamp();
	TimestampTz last_replays = last_work;
	int			expected = 0;	/* how many may be waiting soon */

	MemoryContextSwitchTo(context);
	for (;;)
	{
		DpWork		work;
		int			unstored;

		(void) dp_budget_queue_interrupts();
		dp_budget_queue_gather(expected, dp_budget_settle_commit_us());
		work = dp_budget_queue_take(requests, dp_budget_queue_size());
		if (work.taken > 0)
		{
			dp_budget_settle(requests, work.taken);
			expected = work.taken + dp_budget_queue_length();
			last_work = GetCurrentTimestamp();
			pgstat_report_stat(false);
		}
		unstored = dp_budget_kept_store_waiting() ? 0 : dp_budget_kept_queue_length();
		enter_replays(&last_replays);
		MemoryContextReset(context);
		if (work.taken > 0 || wait_for_work(work.postponed, unstored, last_work))
			continue;
		dp_budget_kept_store_replays();
		if (dp_budget_queue_retire())
			return;
	}
}

void
dp_budget_keeper_main(Datum database)
{
	set_up_signals();
	if (!dp_budget_queue_claim(DatumGetObjectId(database)))
		proc_exit(0);
	before_shmem_exit(leave_queue, (Datum) 0);
	/* Whom it serves is connected already, even if nobody else may connect any more. */
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
	pgstat_report_appname(DP_KEEPER_NAME);
	pin_settings();
	dp_budget_answer_init();
	serve();
	proc_exit(0);
}
