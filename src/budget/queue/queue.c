/* SPDX-License-Identifier: PostgreSQL */
/*
 * queue.c
 *	  Charge requests on their way to their keeper, in shared memory.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <unistd.h>

#include "access/xlog.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/injection.h"
#include "base/settings.h"
#include "budget/queue/kept_count.h"
#include "budget/queue/queue.h"
#include "budget/queue/queue_state.h"
#include "budget/queue/request.h"
#include "budget/queue/row_hint.h"

/* What takes this long at least is worth gathering for; for how long, and how often to look. */
#define DP_GATHER_FROM_US 400
#define DP_GATHER_SHARE 4
#define DP_GATHER_MAX_US 1000
#define DP_GATHER_STEP_US 50

static void queue_call_failed(void);
static bool queue_call(void);
static void answer_consume(DpRequest *request);

/*
 * Handing requests back to their sessions, and waking these.
 */

/* The requests that were answered last, in the order in which they are woken. */
static DpRequest **answered = NULL;
static int	answered_count = 0;

void
dp_budget_answer_init(void)
{
	answered = MemoryContextAlloc(TopMemoryContext,
								  dp_budget_queue_size() * sizeof(DpRequest *));
}

static void
wake(DpRequest *request)
{
	SetLatch(dp_budget_queue_owner(request));
}

void
dp_budget_answer_remind(void)
{
	for (int i = 0; i < answered_count; i++)
		if (dp_budget_queue_state(answered[i]) == DP_REQUEST_ANSWERED)
			wake(answered[i]);
	answered_count = 0;
}

/* A request's life has ended, which its owner has given up; the lock is held. */
static void
end_life(DpRequest *request)
{
	dp_budget_queue_set_state(request, DP_REQUEST_IDLE);
	if (request->spare)
		dlist_push_tail(&dp_budget_queue->spare, &request->node);
}

/*
 * Is a request to be answered now?  Else it is handed back in another way, and
 * whoever owns it may be told.  The lock is held.
 */
static bool
is_answer(DpRequest *request, TimestampTz now)
{
	if (request->abandoned)
		end_life(request);
	else if (request->outcome == DP_OUTCOME_LOCKED && !request->once &&
			 !TimestampDifferenceExceeds(request->submitted, now, DP_LOCK_PATIENCE_MS))
	{
		request->due = TimestampTzPlusMilliseconds(now, DP_RETRY_MS);
		dp_budget_queue_link(dp_budget_queue_keeper, request);
	}
	else
		return true;
	wake(request);
	return false;
}

/* Say whom each of those answered wakes: all but the first are woken by one. */
static void
share_waking(void)
{
	for (int i = 0; i < answered_count; i++)
		for (int j = 0; j < DP_WAKES; j++)
		{
			int			next = DP_FIRST_WAKES + DP_WAKES * i + j;

			answered[i]->wakes[j] = next < answered_count ? answered[next] : NULL;
		}
}

void
dp_budget_answer(DpRequest **requests, int count)
{
	TimestampTz now = GetCurrentTimestamp();

	dp_budget_answer_remind();
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	for (int i = 0; i < count; i++)
		if (is_answer(requests[i], now))
			answered[answered_count++] = requests[i];
	share_waking();

	/*
	 * A process that sees the state, without the lock, sees the answer, too: see
	 * dp_budget_queue_state.
	 */
	pg_write_barrier();
	for (int i = 0; i < answered_count; i++)
		dp_budget_queue_set_state(answered[i], DP_REQUEST_ANSWERED);
	LWLockRelease(dp_budget_queue->lock);

	for (int i = 0; i < Min(answered_count, DP_FIRST_WAKES); i++)
		wake(answered[i]);
}

void
dp_budget_answer_return(DpRequest **requests, int count)
{
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	for (int i = 0; i < count; i++)
	{
		if (requests[i]->abandoned)
		{
			end_life(requests[i]);
			wake(requests[i]);
		}
		else
			dp_budget_queue_link(dp_budget_queue_keeper, requests[i]);
	}
	LWLockRelease(dp_budget_queue->lock);
}

/*
 * The session's side: the owner has read the answer, or does not want it any
 * more.  Wakes those it is to wake.
 */
static void
answer_consume(DpRequest *request)
{
	DpRequest  *wakes[DP_WAKES];

	memcpy(wakes, request->wakes, sizeof(wakes));
	if (!request->spare)
		dp_budget_queue_set_state(request, DP_REQUEST_IDLE);
	else
	{
		LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
		end_life(request);
		LWLockRelease(dp_budget_queue->lock);
	}
	for (int j = 0; j < DP_WAKES; j++)
		if (wakes[j] != NULL)
			wake(wakes[j]);
}

#define DP_QUEUE_NAME "dp_agg budget queue"

DpQueue    *dp_budget_queue = NULL;
DpKeeper   *dp_budget_queue_keeper = NULL;

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

/* As many keepers as there can be background workers: no more can run. */
static int
keeper_slots(void)
{
	return Max(max_worker_processes, 1);
}

static Size
queue_memory(void)
{
	Size		size = MAXALIGN(sizeof(DpQueue));

	size = add_size(size, MAXALIGN(mul_size(keeper_slots(), sizeof(DpKeeper))));
	size = add_size(size, MAXALIGN(mul_size(MaxBackends + DP_SPARE_REQUESTS, sizeof(DpRequest))));
	size = add_size(size, MAXALIGN(mul_size(MaxBackends, sizeof(DpKeptSlot))));
	size = add_size(size, MAXALIGN(sizeof(DpKeptCounts)));
	return add_size(size, dp_budget_place_memory());
}

static void
request_memory(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(queue_memory());
	RequestNamedLWLockTranche(DP_QUEUE_NAME, 2);
}

static void
initialize_requests(void)
{
	dlist_init(&dp_budget_queue->spare);
	for (int i = 0; i < dp_budget_queue->requests; i++)
	{
		DpRequest  *request = &dp_budget_queue->request[i];

		pg_atomic_init_u32(&request->state, DP_REQUEST_IDLE);
		request->spare = i >= MaxBackends;
		request->owner = request->spare ? 0 : i;
		request->asked.segment = DSM_HANDLE_INVALID;
		if (request->spare)
			dlist_push_tail(&dp_budget_queue->spare, &request->node);
	}
}

static void
initialize_queue(void)
{
	char	   *memory = (char *) dp_budget_queue;

	memset(memory, 0, queue_memory());
	dp_budget_queue->lock = &GetNamedLWLockTranche(DP_QUEUE_NAME)[0].lock;
	dp_budget_queue->counts_lock = &GetNamedLWLockTranche(DP_QUEUE_NAME)[1].lock;
	dp_budget_queue->keepers = keeper_slots();
	dp_budget_queue->requests = MaxBackends + DP_SPARE_REQUESTS;
	dp_budget_queue->keeper = (DpKeeper *) (memory + MAXALIGN(sizeof(DpQueue)));
	dp_budget_queue->request = (DpRequest *)
		((char *) dp_budget_queue->keeper + MAXALIGN(dp_budget_queue->keepers * sizeof(DpKeeper)));
	dp_budget_queue->kept = (DpKeptSlot *)
		((char *) dp_budget_queue->request + MAXALIGN(dp_budget_queue->requests * sizeof(DpRequest)));
	dp_budget_queue->counts = (DpKeptCounts *)
		((char *) dp_budget_queue->kept + MAXALIGN(MaxBackends * sizeof(DpKeptSlot)));
	dp_budget_queue->places = (struct DpPlaces *)
		((char *) dp_budget_queue->counts + MAXALIGN(sizeof(DpKeptCounts)));
	dp_budget_place_init(dp_budget_queue->places);
	for (int i = 0; i < dp_budget_queue->keepers; i++)
	{
		pg_atomic_init_u32(&dp_budget_queue->keeper[i].length, 0);
		dlist_init(&dp_budget_queue->keeper[i].waiting);
		pg_atomic_init_u32(&dp_budget_queue->keeper[i].kept_length, 0);
		dlist_init(&dp_budget_queue->keeper[i].kept);
	}
	for (int i = 0; i < MaxBackends; i++)
		pg_atomic_init_u32(&dp_budget_queue->kept[i].full, 0);
	initialize_requests();
}

static void
attach_memory(void)
{
	bool		found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	dp_budget_queue = ShmemInitStruct(DP_QUEUE_NAME, queue_memory(), &found);
	if (!found)
		initialize_queue();
	LWLockRelease(AddinShmemInitLock);
}

void
dp_budget_queue_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_memory;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = attach_memory;
}

bool
dp_budget_queue_exists(void)
{
	return dp_budget_queue != NULL;
}

/* Does anything wait with a keeper?  The lock is held. */
static bool
has_work(DpKeeper *keeper)
{
	return !dlist_is_empty(&keeper->waiting) || !dlist_is_empty(&keeper->kept);
}

/* Give up the answers that wait with a keeper who does not come; the lock is held. */
static void
drop_kept(DpKeeper *keeper)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &keeper->kept)
	{
		DpKeptSlot *slot = dlist_container(DpKeptSlot, node, iter.cur);

		/* In this order: once it is unlinked its owner fills it again. */
		dp_budget_parcel_forget(&slot->parcel);
		dp_budget_queue_unlink_kept(slot);
	}
}

/*
 * Where answers alone wait with a keeper who does not come, they are given up for another
 * database if there is no other entry for that: theirs may have been dropped.
 *
 * An entry nobody waits with is free even if its keeper was to be launched: a keeper
 * that comes late finds itself another.
 */
DpKeeper *
dp_budget_queue_find_keeper(Oid database)
{
	DpKeeper   *unused = NULL;
	DpKeeper   *abandoned = NULL;

	for (int i = 0; i < dp_budget_queue->keepers; i++)
	{
		DpKeeper   *keeper = &dp_budget_queue->keeper[i];

		if (keeper->database == database)
			return keeper;
		if (keeper->state != DP_KEEPER_RUNNING && !has_work(keeper))
			unused = keeper;
		else if (dlist_is_empty(&keeper->waiting) && !dp_budget_queue_is_coming(keeper))
			abandoned = keeper;
	}
	if (unused == NULL && abandoned != NULL)
	{
		drop_kept(abandoned);
		unused = abandoned;
	}
	if (unused != NULL)
	{
		if (unused->database != database)
			memset(&unused->counts, 0, sizeof(unused->counts));
		unused->database = database;
		unused->state = DP_KEEPER_ABSENT;
	}
	return unused;
}

static void
unlink_request(DpKeeper *keeper, DpRequest *request, DpRequestState state)
{
	dlist_delete(&request->node);
	pg_atomic_fetch_sub_u32(&keeper->length, 1);
	dp_budget_queue_set_state(request, state);
}

DpRequest *
dp_budget_queue_mine(void)
{
	int			number = MyProc - ProcGlobal->allProcs;

	if (number < 0 || number >= dp_budget_queue->requests - DP_SPARE_REQUESTS)
		elog(ERROR, "process number %d has no charge request", number);
	return &dp_budget_queue->request[number];
}

int
dp_budget_queue_borrow(DpRequest **requests, int count)
{
	int			borrowed = 0;

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	while (borrowed < count && !dlist_is_empty(&dp_budget_queue->spare))
	{
		DpRequest  *request = dlist_container(DpRequest, node, dlist_pop_head_node(&dp_budget_queue->spare));

		request->owner = MyProc - ProcGlobal->allProcs;
		requests[borrowed++] = request;
	}
	LWLockRelease(dp_budget_queue->lock);
	return borrowed;
}

bool
dp_budget_queue_submit(DpRequest **requests, int count)
{
	DpKeeper   *keeper;
	Latch	   *latch = NULL;
	TimestampTz now = GetCurrentTimestamp();

	for (int i = 0; i < count; i++)
	{
		Assert(dp_budget_queue_state(requests[i]) == DP_REQUEST_IDLE);
		requests[i]->submitted = requests[i]->due = now;
		requests[i]->abandoned = false;
	}
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	keeper = dp_budget_queue_find_keeper(MyDatabaseId);
	for (int i = 0; keeper != NULL && i < count; i++)
	{
		requests[i]->keeper = keeper - dp_budget_queue->keeper;
		dp_budget_queue_link(keeper, requests[i]);
	}
	if (keeper != NULL && keeper->state == DP_KEEPER_RUNNING)
		latch = keeper->latch;
	LWLockRelease(dp_budget_queue->lock);

	if (latch != NULL)
		SetLatch(latch);
	return keeper != NULL;
}

/*
 * Is a keeper to be launched, whom nobody else is launching?  Then the caller is.  The
 * lock is held.
 */
static bool
take_launch(DpKeeper *keeper)
{
	if (dp_budget_queue_is_coming(keeper))
		return false;
	keeper->state = DP_KEEPER_LAUNCHING;
	keeper->launched = GetCurrentTimestamp();
	return true;
}

bool
dp_budget_queue_wants_keeper(DpRequest *request)
{
	DpKeeper   *keeper = &dp_budget_queue->keeper[request->keeper];
	bool		launch;

	/* A keeper that leaves wakes us, and then this look is not stale. */
	if (*(volatile DpKeeperState *) &keeper->state == DP_KEEPER_RUNNING)
		return false;

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	launch = dp_budget_queue_state(request) == DP_REQUEST_WAITING && take_launch(keeper);
	LWLockRelease(dp_budget_queue->lock);
	return launch;
}

void
dp_budget_queue_count(DpRequest **requests, int count, int64 commit_us)
{
	DpKeeperCounts *counts = &dp_budget_queue_keeper->counts;
	TimestampTz now = GetCurrentTimestamp();

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	for (int i = 0; i < count; i++)
		counts->wait_us += Max(now - requests[i]->submitted, 0);
	counts->charges += count;
	counts->commit_us += commit_us;
	counts->commits++;
	LWLockRelease(dp_budget_queue->lock);
}

void
dp_budget_queue_counts(DpKeeperCounts *counts)
{
	memset(counts, 0, sizeof(*counts));
	if (!dp_budget_queue_exists())
		return;
	LWLockAcquire(dp_budget_queue->lock, LW_SHARED);
	for (int i = 0; i < dp_budget_queue->keepers; i++)
		if (dp_budget_queue->keeper[i].database == MyDatabaseId)
			*counts = dp_budget_queue->keeper[i].counts;
	LWLockRelease(dp_budget_queue->lock);
}

/* Wake everybody who waits with a keeper; the lock is held. */
static void
wake_waiting(DpKeeper *keeper)
{
	dlist_iter	iter;

	dlist_foreach(iter, &keeper->waiting)
		SetLatch(dp_budget_queue_owner(dlist_container(DpRequest, node, iter.cur)));
}

/*
 * Wake the keeper of this database for something else than a request.  Must the caller
 * launch one?  Then it has taken on to, and tells if that fails.
 */
static bool
queue_call(void)
{
	DpKeeper   *keeper;
	Latch	   *latch = NULL;
	bool		launch = false;

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	keeper = dp_budget_queue_find_keeper(MyDatabaseId);
	if (keeper != NULL && keeper->state == DP_KEEPER_RUNNING)
		latch = keeper->latch;
	else if (keeper != NULL)
		launch = take_launch(keeper);
	LWLockRelease(dp_budget_queue->lock);
	if (latch != NULL)
		SetLatch(latch);
	return launch;
}

/*
 * Wake the keeper of this database for something else than a request.  Must the caller
 * launch one?  Then it has taken on to, and tells if that fails.
 */
static void
queue_call_failed(void)
{
	DpKeeper   *keeper;

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	keeper = dp_budget_queue_find_keeper(MyDatabaseId);
	if (keeper != NULL && keeper->state == DP_KEEPER_LAUNCHING)
	{
		keeper->state = DP_KEEPER_ABSENT;
		wake_waiting(keeper);
	}
	LWLockRelease(dp_budget_queue->lock);
}

void
dp_budget_queue_launch_failed(DpRequest *request)
{
	DpKeeper   *keeper = &dp_budget_queue->keeper[request->keeper];

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	if (dp_budget_queue_state(request) == DP_REQUEST_WAITING &&
		keeper->state == DP_KEEPER_LAUNCHING)
	{
		keeper->state = DP_KEEPER_ABSENT;
		wake_waiting(keeper);
	}
	LWLockRelease(dp_budget_queue->lock);
}

DpRequestState
dp_budget_queue_release(DpRequest *request)
{
	DpRequestState state = dp_budget_queue_state(request);

	if (state == DP_REQUEST_WAITING || state == DP_REQUEST_TAKEN || (state == DP_REQUEST_IDLE && request->spare))
	{
		LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
		state = dp_budget_queue_state(request);
		if (state == DP_REQUEST_WAITING)
			unlink_request(&dp_budget_queue->keeper[request->keeper], request, DP_REQUEST_IDLE);
		else if (state == DP_REQUEST_TAKEN)
			request->abandoned = true;
		if (request->spare && (state == DP_REQUEST_WAITING || state == DP_REQUEST_IDLE))
			end_life(request);
		LWLockRelease(dp_budget_queue->lock);
	}
	if (state == DP_REQUEST_ANSWERED)
		answer_consume(request);
	return state;
}

bool
dp_budget_queue_claim(Oid database)
{
	DpKeeper   *keeper;

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	keeper = dp_budget_queue_find_keeper(database);
	if (keeper != NULL && keeper->state != DP_KEEPER_RUNNING)
	{
		keeper->state = DP_KEEPER_RUNNING;
		keeper->latch = MyLatch;
		dp_budget_queue_keeper = keeper;
	}
	LWLockRelease(dp_budget_queue->lock);
	return dp_budget_queue_keeper != NULL;
}

DpWork
dp_budget_queue_take(DpRequest **requests, int most)
{
	DpWork		work = {0, 0};
	dlist_mutable_iter iter;
	TimestampTz now;

	if (pg_atomic_read_u32(&dp_budget_queue_keeper->length) == 0)
		return work;
	DP_INJECTION_POINT("queued");

	now = GetCurrentTimestamp();
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	dlist_foreach_modify(iter, &dp_budget_queue_keeper->waiting)
	{
		DpRequest  *request = dlist_container(DpRequest, node, iter.cur);

		if (request->due > now)
			work.postponed++;
		else if (work.taken < most)
		{
			unlink_request(dp_budget_queue_keeper, request, DP_REQUEST_TAKEN);
			requests[work.taken++] = request;
		}
	}
	LWLockRelease(dp_budget_queue->lock);
	return work;
}

int
dp_budget_queue_length(void)
{
	return pg_atomic_read_u32(&dp_budget_queue_keeper->length);
}

void
dp_budget_queue_gather(int expected, uint64 took_us)
{
	uint64		patience = Min(took_us / DP_GATHER_SHARE, DP_GATHER_MAX_US);
	instr_time	start;
	instr_time	elapsed;

	if (took_us < DP_GATHER_FROM_US || dp_budget_queue_length() == 0)
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

bool
dp_budget_queue_retire(void)
{
	bool		idle;

	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	idle = !has_work(dp_budget_queue_keeper);
	if (idle)
		dp_budget_queue_keeper->state = DP_KEEPER_ABSENT;
	LWLockRelease(dp_budget_queue->lock);
	if (idle)
		dp_budget_queue_keeper = NULL;
	return idle;
}

void
dp_budget_queue_quit(void)
{
	if (dp_budget_queue_keeper == NULL)
		return;
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	dp_budget_queue_keeper->state = DP_KEEPER_ABSENT;
	wake_waiting(dp_budget_queue_keeper);
	LWLockRelease(dp_budget_queue->lock);
	dp_budget_queue_keeper = NULL;
}

bool
dp_budget_queue_interrupts(void)
{
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	if (!ConfigReloadPending)
		return false;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	return true;
}

/*
 * Having a keeper come.
 */

const char *
dp_budget_replica_library(void)
{
	Dl_info		ours;
	const char *end;
	char	   *path;

	if (dladdr(&dp_budget_queue, &ours) == 0 || (end = strrchr(ours.dli_fname, '/')) == NULL)
		return NULL;
	path = psprintf("%.*s/%s%s", (int) (end - ours.dli_fname), ours.dli_fname, DP_REPLICA_LIBRARY, DLSUFFIX);
	return access(path, R_OK) == 0 ? path : NULL;
}

bool
dp_budget_replica_is_set_up(void)
{
	return dp_settings_primary_conninfo != NULL && dp_settings_primary_conninfo[0] != '\0' &&
		dp_budget_replica_library() != NULL;
}

bool
dp_budget_keeper_launch(void)
{
	bool		standby = RecoveryInProgress();
	const char *name = standby ? DP_REPLICA_NAME : DP_KEEPER_NAME;
	BackgroundWorker worker;

	memset(&worker, 0, sizeof(worker));
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = standby ? BgWorkerStart_ConsistentState : BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker.bgw_library_name, "dp_agg", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, standby ? "dp_budget_replica_main" : "dp_budget_keeper_main", BGW_MAXLEN);
	strlcpy(worker.bgw_name, name, BGW_MAXLEN);
	strlcpy(worker.bgw_type, name, BGW_MAXLEN);
	worker.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId);
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

void
dp_budget_keeper_call(void)
{
	if (queue_call() && !dp_budget_keeper_launch())
		queue_call_failed();
}
