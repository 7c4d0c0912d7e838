/*
 * keeper.c
 *	  The background worker that charges budgets.
 *
 * All requests that wait are settled in one transaction, which is flushed once
 * (and waited for once, where standbys are synchronous), and answered only
 * then.  If it fails, each of its requests is settled in a transaction of its
 * own, so that none suffers for another.
 *
 * What a session is told is never more than what is durable:
 *
 *	- From before the commit until the answer no interrupt is served, and a
 *	  cancel does not end the wait for standbys.
 *	- A terminated keeper leaves in one of two ways: before the commit, when
 *	  requests go back to the queue for the next keeper; or after it, when they
 *	  have been answered, as unknown if it may have cut the wait short.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/s_lock.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "budget/keeper.h"
#include "budget/queue.h"
#include "budget/store.h"
#include "settings.h"

#define DP_KEEPER_NAME "dp_agg keeper"

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
	{"search_path", "pg_catalog, pg_temp"},
	{"lock_timeout", "500ms"}
};

/*
 * Where a commit takes long, those just answered are given a part of that time
 * to come back, so that all share the next one instead of every second one.
 */
#define DP_SLOW_COMMIT_US 400
#define DP_GATHER_SHARE 4
#define DP_GATHER_MAX_US 1000
#define DP_GATHER_STEP_US 50

/* The requests in hand: those of them that are still TAKEN are ours. */
static DpRequest **batch;
static int	batch_size = 0;

/* How long the last commit took, and how many may be waiting soon. */
static instr_time commit_time;
static int	expected = 0;

/* Set from before the commit until its requests are answered. */
static volatile sig_atomic_t committing = false;

bool
dp_budget_keeper_launch(BackgroundWorkerHandle **handle)
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
	worker.bgw_notify_pid = MyProcPid;
	return RegisterDynamicBackgroundWorker(&worker, handle);
}

/* A cancel ends a wait for a lock, but never the wait for standbys. */
static void
handle_cancel(SIGNAL_ARGS)
{
	if (!committing)
		StatementCancelHandler(postgres_signal_arg);
}

static void
set_up_signals(void)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, handle_cancel);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
}

static void
pin_settings(void)
{
	for (int i = 0; i < lengthof(pinned_settings); i++)
		SetConfigOption(pinned_settings[i].name, pinned_settings[i].value,
						PGC_SUSET, PGC_S_OVERRIDE);
}

/* Make this transaction's commit as durable as "on", at least. */
static void
insist_on_durability(void)
{
	if (synchronous_commit < SYNCHRONOUS_COMMIT_ON)
		set_config_option("synchronous_commit", "on", PGC_USERSET, PGC_S_OVERRIDE,
						  GUC_ACTION_LOCAL, true, 0, false);
}

static void
set_failure(DpRequest *request, int sqlstate, const char *message)
{
	request->outcome = DP_OUTCOME_FAILED;
	request->sqlstate = sqlstate;
	strlcpy(request->failure, message, DP_FAILURE_MAX);
}

/* Compose a cost into a budget if the budget admits it. */
static bool
admit(DpBalance *balance, const DpCurve *cost)
{
	DpCurve		total = balance->spent;

	dp_accounting_compose(&total, cost);
	if (!dp_budget_row_valid_cost(&total) ||
		!dp_accounting_admits(&balance->limit, &total))
		return false;
	balance->spent = total;
	return true;
}

/* Charge one request to its row, and enter it in the ledger. */
static void
charge(DpStore *store, DpBudgetRow *row, DpRequest *request, TimestampTz now)
{
	DpLedgerRow entry = {
		.at = now,
		.role = request->role,
		.dataset = request->dataset,
		.releases = request->releases,
		.cost = &request->cost,
		.after = &row->balance
	};

	if (!dp_budget_row_valid_cost(&request->cost))
	{
		set_failure(request, ERRCODE_INTERNAL_ERROR, "cost is not a number, or negative");
		return;
	}
	entry.admitted = admit(&row->balance, &request->cost);
	if (entry.admitted)
	{
		row->statements++;
		row->last_charge = now;
	}
	else
		row->refusals++;
	dp_budget_store_append(store, &entry);
	request->outcome = entry.admitted ? DP_OUTCOME_ADMITTED : DP_OUTCOME_REFUSED;
	request->balance = row->balance;
}

/* Does a request concern a row that could not be had?  Then answer it so. */
static void
answer_lookup(DpRequest *request, DpLookup lookup)
{
	if (lookup == DP_LOOKUP_ABSENT)
		request->outcome = DP_OUTCOME_NO_BUDGET;
	else if (lookup == DP_LOOKUP_BUSY)
		request->outcome = DP_OUTCOME_LOCKED;
	else
		set_failure(request, ERRCODE_DATA_CORRUPTED, "its row makes no sense");
}

static bool
same_budget(const DpRequest *a, const DpRequest *b)
{
	return a->role == b->role && strcmp(a->dataset, b->dataset) == 0;
}

/*
 * Settle the first request and all others for the same budget, in order:
 * the row is locked and written once.  Those others become NULL.
 */
static void
settle_budget(DpStore *store, DpRequest **requests, int count, TimestampTz now)
{
	DpRequest  *first = requests[0];
	DpBudgetRow row;
	DpLookup	lookup = dp_budget_store_lock(store, first->role, first->dataset, &row);

	for (int i = 0; i < count; i++)
	{
		DpRequest  *request = requests[i];

		if (request == NULL || !same_budget(request, first))
			continue;
		if (lookup == DP_LOOKUP_FOUND)
			charge(store, &row, request, now);
		else
			answer_lookup(request, lookup);
		requests[i] = NULL;
	}
	if (lookup == DP_LOOKUP_FOUND)
		dp_budget_store_update(store, &row);
}

/* Settle requests, within a transaction. */
static void
settle(DpRequest **requests, int count)
{
	DpRequest **left = palloc(count * sizeof(DpRequest *));
	TimestampTz now = GetCurrentTimestamp();
	DpStore		store;

	memcpy(left, requests, count * sizeof(DpRequest *));
	if (!dp_budget_store_open(&store))
	{
		for (int i = 0; i < count; i++)
			requests[i]->outcome = DP_OUTCOME_LOCKED;
		return;
	}
	for (int i = 0; i < count; i++)
		if (left[i] != NULL)
			settle_budget(&store, &left[i], count - i, now);
	dp_budget_store_close(&store);
}

/*
 * Commit and answer.  A terminate that came before the answer may have ended
 * the wait for standbys: then nobody is told that a charge is safe.
 */
static void
commit_and_answer(DpRequest **requests, int count)
{
	instr_time	start;

	HOLD_INTERRUPTS();
	committing = true;
	QueryCancelPending = false;
	INSTR_TIME_SET_CURRENT(start);
	CommitTransactionCommand();
	INSTR_TIME_SET_CURRENT(commit_time);
	INSTR_TIME_SUBTRACT(commit_time, start);
	if (ProcDiePending)
		for (int i = 0; i < count; i++)
			requests[i]->outcome = DP_OUTCOME_UNKNOWN;
	dp_budget_queue_answer(requests, count);
	committing = false;
	RESUME_INTERRUPTS();
}

/*
 * Clean up after a failed transaction, of which nothing was committed: once it
 * is, an error is a panic.
 */
static ErrorData *
recover(MemoryContext context)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	committing = false;
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	MemoryContextSwitchTo(context);
	RESUME_INTERRUPTS();
	return error;
}

/* Settle requests in one transaction and answer them; or return the error. */
static ErrorData *
try_to_settle(DpRequest **requests, int count)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData  *volatile error = NULL;

	PG_TRY();
	{
		StartTransactionCommand();
		insist_on_durability();
		PushActiveSnapshot(GetTransactionSnapshot());
		settle(requests, count);
		PopActiveSnapshot();
		commit_and_answer(requests, count);
	}
	PG_CATCH();
	{
		error = recover(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return error;
}

/* Answer a request that could not be settled even alone. */
static void
answer_failed(DpRequest *request, ErrorData *error)
{
	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		request->outcome = DP_OUTCOME_LOCKED;
	else
		set_failure(request, error->sqlerrcode, error->message);
	dp_budget_queue_answer(&request, 1);
}

/* Settle and answer all requests: together if possible, else one by one. */
static void
settle_batch(DpRequest **requests, int count)
{
	ErrorData  *error = try_to_settle(requests, count);

	if (error != NULL && count == 1)
		answer_failed(requests[0], error);
	else if (error != NULL)
		for (int i = 0; i < count; i++)
			settle_batch(&requests[i], 1);
}

/*
 * Leave nobody waiting, however the keeper exits.  Runs after its transaction
 * was aborted.
 */
static void
leave_queue(int code, Datum arg)
{
	int			held = 0;

	for (int i = 0; i < batch_size; i++)
		if (dp_budget_queue_state(batch[i]) == DP_REQUEST_TAKEN)
			batch[held++] = batch[i];
	batch_size = 0;
	if (committing)
	{
		for (int i = 0; i < held; i++)
			batch[i]->outcome = DP_OUTCOME_UNKNOWN;
		dp_budget_queue_answer(batch, held);
	}
	else
		dp_budget_queue_return(batch, held);
	dp_budget_queue_quit();
}

/* Look out for a charge for a moment: a lone client's next one comes soon. */
static bool
spin_for_work(int postponed)
{
	instr_time	start;
	instr_time	elapsed;

	INSTR_TIME_SET_CURRENT(start);
	do
	{
		for (int i = 0; i < 20; i++)
			SPIN_DELAY();
		if (dp_budget_queue_length() > postponed)
			return true;
		INSTR_TIME_SET_CURRENT(elapsed);
		INSTR_TIME_SUBTRACT(elapsed, start);
	} while (INSTR_TIME_GET_MICROSEC(elapsed) < DP_SPIN_US);
	return false;
}

/* If some are waiting, let those who were answered last join them. */
static void
gather(void)
{
	uint64		commit_us = INSTR_TIME_GET_MICROSEC(commit_time);
	uint64		patience = Min(commit_us / DP_GATHER_SHARE, DP_GATHER_MAX_US);
	instr_time	start;
	instr_time	elapsed;

	if (commit_us < DP_SLOW_COMMIT_US || dp_budget_queue_length() == 0)
		return;
	INSTR_TIME_SET_CURRENT(start);
	INSTR_TIME_SET_ZERO(elapsed);
	while (dp_budget_queue_length() < expected &&
		   INSTR_TIME_GET_MICROSEC(elapsed) < patience)
	{
		pg_usleep(DP_GATHER_STEP_US);
		INSTR_TIME_SET_CURRENT(elapsed);
		INSTR_TIME_SUBTRACT(elapsed, start);
	}
}

/* Wait for work; false if none came for as long as a keeper stays idle. */
static bool
wait_for_work(int postponed, TimestampTz last_work)
{
	TimestampTz leave = TimestampTzPlusMilliseconds(last_work, dp_settings_keeper_idle);
	long		left;

	if (spin_for_work(postponed))
		return true;
	left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), leave);
	if (postponed > 0)
		left = DP_RETRY_MS;
	else if (left <= 0)
		return false;
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 left, PG_WAIT_EXTENSION);
	return true;
}

static void
serve_interrupts(void)
{
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}

/* Serve this database until nothing has come for a while. */
static void
serve(void)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, DP_KEEPER_NAME,
												  ALLOCSET_DEFAULT_SIZES);
	TimestampTz last_work = GetCurrentTimestamp();

	MemoryContextSwitchTo(context);
	for (;;)
	{
		DpWork		work;

		serve_interrupts();
		gather();
		work = dp_budget_queue_take(batch);
		batch_size = work.taken;
		if (work.taken > 0)
		{
			settle_batch(batch, work.taken);
			batch_size = 0;
			expected = work.taken + dp_budget_queue_length();
			last_work = GetCurrentTimestamp();
			MemoryContextReset(context);
			pgstat_report_stat(false);
		}
		else if (!wait_for_work(work.postponed, last_work) && dp_budget_queue_retire())
			return;
	}
}

void
dp_budget_keeper_main(Datum database)
{
	set_up_signals();
	batch = MemoryContextAlloc(TopMemoryContext,
							   dp_budget_queue_size() * sizeof(DpRequest *));
	if (!dp_budget_queue_claim(DatumGetObjectId(database)))
		proc_exit(0);
	before_shmem_exit(leave_queue, (Datum) 0);
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, 0);
	pgstat_report_appname(DP_KEEPER_NAME);
	pin_settings();
	serve();
	proc_exit(0);
}
