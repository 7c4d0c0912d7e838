/* SPDX-License-Identifier: PostgreSQL */
/*
 * replica.c
 *	  The background worker that has requests charged on the primary: its life,
 *	  its link, and what it has under way.
 *
 * It stands in for the keeper on a standby, at the same queue.  A session is answered by what the
 * primary says, which says it once the charge is durable there.
 *
 *	- All requests that wait go over the link in one call, and the primary charges them in one transaction.
 *	  Those that come meanwhile make up the next one.
 *	- A request goes over the link at most once, unless the primary says that its budget is locked.  If the link
 *	  is lost, or this process ends, before what came of it is known, its session is told that the charge may stand.
 *	- Nothing here waits for the primary alone: a latch and a socket are waited for together,
 *	  and both making the link and an acknowledgement have a time.
 *	- Once the standby is promoted the worker ends.  Requests that it has not sent are the keeper's.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/compat_varlena.h"
#include "base/injection.h"
#include "base/settings.h"
#include "budget/account/home.h"
#include "budget/queue/parcel.h"
#include "budget/queue/queue.h"
#include "budget/queue/queue_state.h"
#include "budget/queue/request.h"
#include "budget/replica/link.h"
#include "budget/replica/replica.h"
#include "budget/replica/reply.h"

/* How long it may take to make a link, at most; half of the time for a charge if that is less. */
#define DP_LINK_MAKING_MS 5000

/* After how long without a link another one is tried; requests fail meanwhile. */
#define DP_LINK_RETRY_MS 500

/* For how long beyond the time for a charge nothing may be acknowledged; where that has no end, for how long. */
#define DP_LINK_SLACK_MS 5000
#define DP_LINK_PATIENCE_MS 60000

/* How often to see after what nobody tells of, such as a promotion. */
#define DP_LOOK_ROUND_MS 200

/* The link, and what is under way over it. */
static const DpLinkLibrary *library;
static DpLink *primary = NULL;
static DpLinkState state;
static TimestampTz progress;	/* since it began to be made, or anything came */
static TimestampTz retry = 0;	/* not to be made before */
static bool readable;			/* the socket is as the link waits for it */
static bool outdated = false;	/* settings have changed since it was made */

/* Requests that were sent, in the call that is under way. */
static DpRequest *sent[DP_CHARGES_AT_ONCE];
static int	under_way = 0;

/* The last call: when it was sent, how long it took, and how many requests may follow it. */
static TimestampTz called;
static uint64 took_us = 0;
static int	expected = 0;

/* Requests that were taken: of these, so many have been sent or answered. */
static DpRequest *taken[DP_CHARGES_AT_ONCE];
static int	taken_count = 0;
static int	taken_done = 0;

static void
set_up_signals(void)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, SIG_IGN);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
}

static bool
is_ready(void)
{
	return primary != NULL && state == DP_LINK_READY;
}

/* Answer all that is under way; their outcomes are there. */
static void
answer_sent(void)
{
	int			count = under_way;

	under_way = 0;
	dp_budget_answer(sent, count);
}

/* What is under way may have been charged. */
static void
give_up_sent(void)
{
	if (under_way == 0)
		return;
	for (int i = 0; i < under_way; i++)
		sent[i]->outcome = DP_OUTCOME_UNACKNOWLEDGED;
	answer_sent();
}

static void
close_link(void)
{
	if (primary == NULL)
		return;
	library->close(primary);
	primary = NULL;
	ReleaseExternalFD();
}

/* Say, for pg_stat_activity, how it stands with the link. */
static void
show(const char *how)
{
	pgstat_report_activity(STATE_IDLE, how);
}

/* There is no link any more, or none could be made. */
static void
lose_link(const char *reason)
{
	ereport(LOG,
			(errmsg("lost the link to the primary server, which charges privacy budgets for this standby: %s", reason)));
	show("no link to the primary server");
	/* One that was made may be made again at once. */
	if (!is_ready())
		retry = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), DP_LINK_RETRY_MS);
	close_link();
	give_up_sent();
}

/* Take requests, while nothing that could fail comes between this and sending or answering them. */
static DpWork
take_waiting(void)
{
	DpWork		work = dp_budget_queue_take(taken, DP_CHARGES_AT_ONCE);

	taken_count = work.taken;
	taken_done = 0;
	return work;
}

/* Without a link, nothing is charged. */
static void
fail_waiting(void)
{
	(void) take_waiting();
	for (; taken_done < taken_count; taken_done++)
	{
		DpRequest  *request = taken[taken_done];

		request->outcome = DP_OUTCOME_FAILED;
		request->sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
		strlcpy(request->failure, "there is no link to the primary server", DP_FAILURE_MAX);
		dp_budget_answer(&request, 1);
	}
}

/* What a session on the primary must not be ended by; the primary is of the same version. */
static const char *
session_options(void)
{
	static const char *const limits[] = {"statement_timeout", "lock_timeout", "idle_session_timeout",
	"idle_in_transaction_session_timeout", "transaction_timeout"};	/* since PostgreSQL 17 */
	StringInfoData options;

	initStringInfo(&options);
	for (int i = 0; i < lengthof(limits); i++)
		if (GetConfigOption(limits[i], true, false) != NULL)
			appendStringInfo(&options, "-c %s=0 ", limits[i]);
	return options.data;
}

/* Where the link leads, in the current memory context. */
static DpLinkTarget
target(void)
{
	DpLinkTarget target = {
		.server = PrimaryConnInfo != NULL ? PrimaryConnInfo : "",
		.own = dp_settings_primary_conninfo,
		.encoding = GetDatabaseEncodingName(),
		.name = cluster_name[0] != '\0' ? cluster_name : DP_REPLICA_NAME,
		.options = session_options()
	};
	char	   *database;
	MemoryContext context = CurrentMemoryContext;

	StartTransactionCommand();
	database = get_database_name(MyDatabaseId);
	target.database = database != NULL ? MemoryContextStrdup(context, database) : "";
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return target;
}

/* Begin to make a link. */
static void
open_link(void)
{
	DpLinkTarget where = target();
	const char *reason = "too many files are open";

	outdated = false;
	progress = GetCurrentTimestamp();
	readable = false;
	state = DP_LINK_WRITING;
	if (!AcquireExternalFD())
		lose_link(reason);
	else if ((primary = library->open(&where, &reason)) == NULL)
	{
		ReleaseExternalFD();
		lose_link(reason);
	}
}

/* For how long the link may make no progress, in milliseconds. */
static int
patience(void)
{
	int			charge = dp_settings_charge_timeout;

	if (state != DP_LINK_READY)
		return charge > 0 ? Min(charge / 2, DP_LINK_MAKING_MS) : DP_LINK_MAKING_MS;
	return charge > 0 ? Min(charge, INT_MAX - DP_LINK_SLACK_MS) + DP_LINK_SLACK_MS : DP_LINK_PATIENCE_MS;
}

/* Go on making the link, once its socket is as it should be; one that has none has failed. */
static void
go_on_making(void)
{
	if (!readable && library->socket(primary) != PGINVALID_SOCKET)
		return;
	state = library->advance(primary);
	readable = false;
	if (state == DP_LINK_FAILED)
		lose_link(library->reason(primary));
	else if (state == DP_LINK_READY)
		show("linked to the primary server");
}

/* Have a link if somebody waits for it, or let those who wait know that there is none. */
static void
tend_link(void)
{
	if (outdated && under_way == 0)
		close_link();
	if (primary == NULL && dp_budget_queue_length() > 0 && GetCurrentTimestamp() >= retry)
		open_link();
	if (primary != NULL && state != DP_LINK_READY)
		go_on_making();
	if (primary == NULL && dp_budget_queue_length() > 0)
		fail_waiting();
}

/* The arrays that a call is made of, as it is put together. */
typedef struct DpArrays
{
	StringInfoData roles;
	Datum		dataset[DP_CHARGES_AT_ONCE];
	Datum		releases[DP_CHARGES_AT_ONCE];
	Datum		statement[DP_CHARGES_AT_ONCE];
	bool		untold[DP_CHARGES_AT_ONCE];
	Size		size;			/* of what is in them */
} DpArrays;

/* An array of texts, in the form that the function reads; those of releases are of JSON. */
static char *
array_text(Datum *elements, bool *nulls)
{
	int			length = under_way;
	int			from = 1;
	ArrayType  *array = construct_md_array(elements, nulls, 1, &length, &from, TEXTOID, -1, false, TYPALIGN_INT);

	return OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(array));
}

/* Put a request into the call. */
static void
add_request(DpArrays *arrays, DpRequest *request, const char *asked)
{
	const Jsonb *releases = (const Jsonb *) asked;
	Size		behind = MAXALIGN(VARSIZE(asked));
	int			i = under_way;

	appendStringInfo(&arrays->roles, "%s%u", i > 0 ? "," : "", request->role);
	arrays->dataset[i] = CStringGetTextDatum(request->dataset);
	arrays->releases[i] = CStringGetTextDatum(JsonbToCString(NULL, unconstify(JsonbContainer *, &releases->root), VARSIZE(asked)));
	arrays->untold[i] = request->asked.size <= behind;
	if (!arrays->untold[i])
		arrays->statement[i] = datumCopy(PointerGetDatum(asked + behind), false, -1);
	arrays->size += VARSIZE(asked);
	sent[under_way++] = request;
}

/* Put a request that was taken into the call, or answer it if its session is gone. */
static void
add_taken(DpArrays *arrays, DpRequest *request)
{
	DpParcelBytes asked = dp_budget_parcel_open(&request->asked);

	if (asked.bytes != NULL)
		add_request(arrays, request, asked.bytes);
	else
	{
		request->outcome = DP_OUTCOME_FAILED;
		request->sqlstate = ERRCODE_SYSTEM_ERROR;
		strlcpy(request->failure, "its session has left", DP_FAILURE_MAX);
		dp_budget_answer(&request, 1);
	}
	taken_done++;
	dp_budget_parcel_close(&asked);
}

/* Put the call on its way; false if it is not, and the link is lost. */
static bool
send_call(DpArrays *arrays)
{
	const char *values[DP_LINK_VALUES] = {
		psprintf("{%s}", arrays->roles.data), array_text(arrays->dataset, NULL), array_text(arrays->releases, NULL),
		array_text(arrays->statement, arrays->untold), dp_budget_home_here(),
		cluster_name[0] != '\0' ? cluster_name : DP_REPLICA_NAME
	};

	called = progress = GetCurrentTimestamp();
	return library->send(primary, values);
}

/* Would a request make the call too large?  One alone never does: the primary decides on it. */
static bool
is_too_much(const DpArrays *arrays, const DpRequest *request)
{
	return under_way > 0 && arrays->size + request->asked.size > DP_CALL_BYTES;
}

/*
 * Send all that wait, or as many as a call has; how many are to be tried again later.  Those that are
 * taken are this worker's to answer or to return, however it leaves.
 */
static int
send_waiting(void)
{
	DpWork		work;
	DpArrays	arrays = {.size = 0};
	bool		good = true;
	MemoryContext context = CurrentMemoryContext;

	if (!is_ready() || under_way > 0 || dp_budget_queue_length() == 0)
		return 0;
	dp_budget_queue_gather(expected, took_us);
	/* For the look into catalogs that a home may take. */
	StartTransactionCommand();
	MemoryContextSwitchTo(context);
	initStringInfo(&arrays.roles);
	work = take_waiting();
	DP_INJECTION_POINT("replica_taken");
	while (taken_done < taken_count && !is_too_much(&arrays, taken[taken_done]))
		add_taken(&arrays, taken[taken_done]);
	dp_budget_answer_return(taken + taken_done, taken_count - taken_done);
	taken_count = taken_done = 0;
	if (under_way > 0)
		good = send_call(&arrays);
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	DP_INJECTION_POINT("replica_sent");
	if (!good)
		lose_link(library->reason(primary));
	return work.postponed;
}

/*
 * Was nothing charged for sure, when the primary raised this error?  Those of these classes it raises
 * before it queues the charge; any other might come while it waits for it.
 */
static bool
is_refusal(int sqlstate)
{
	int			class = ERRCODE_TO_CATEGORY(sqlstate);

	return class == ERRCODE_TO_CATEGORY(ERRCODE_INSUFFICIENT_PRIVILEGE) ||
		class == ERRCODE_TO_CATEGORY(ERRCODE_INVALID_PARAMETER_VALUE) ||
		sqlstate == ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
}

/* None of the requests has an answer of its own. */
static void
take_error(const DpLinkReply *reply)
{
	int			sqlstate = strlen(reply->sqlstate) == 5 ?
		MAKE_SQLSTATE(reply->sqlstate[0], reply->sqlstate[1], reply->sqlstate[2],
					  reply->sqlstate[3], reply->sqlstate[4]) : 0;

	ereport(LOG,
			(errmsg("the primary server did not charge a privacy budget for this standby: %s (%s)",
					reply->message, reply->sqlstate)));
	for (int i = 0; i < under_way; i++)
	{
		sent[i]->outcome = is_refusal(sqlstate) ? DP_OUTCOME_FAILED : DP_OUTCOME_UNACKNOWLEDGED;
		sent[i]->sqlstate = sqlstate;
		strlcpy(sent[i]->failure, reply->message, DP_FAILURE_MAX);
	}
}

/* What came of one of the requests. */
static void
take_answer(DpRequest *request, const char *bytes, int size)
{
	DpChargeAnswer answer;

	request->outcome = DP_OUTCOME_UNACKNOWLEDGED;
	if (!dp_budget_replica_reply_read(bytes, size, &answer))
		return;
	request->outcome = answer.outcome;
	request->sqlstate = answer.sqlstate;
	strlcpy(request->failure, answer.failure, DP_FAILURE_MAX);
	request->balance = answer.balance;
}

/*
 * What came of the requests that were sent.  After a promotion it counts for nothing: budgets
 * are charged here from then on.
 */
static void
take_reply(const DpLinkReply *reply, bool answered)
{
	if (!answered)
		take_error(reply);
	else if (reply->answers != under_way || !RecoveryInProgress())
		give_up_sent();
	else
		for (int i = 0; i < under_way; i++)
		{
			int			size;
			const char *bytes = library->answer(primary, i, &size);

			take_answer(sent[i], bytes, size);
		}
}

/* Hand on what has come; false if the link is lost. */
static bool
receive_all(void)
{
	DpLinkReply reply;
	DpLinkResult result = library->receive(primary, &reply);

	if (result == DP_LINK_NOTHING)
		return true;
	if (result == DP_LINK_LOST || under_way == 0)
		return false;
	DP_INJECTION_POINT("replica_acknowledged");
	take_reply(&reply, result == DP_LINK_ANSWER);
	progress = GetCurrentTimestamp();
	took_us = Max(progress - called, 0);
	expected = under_way + dp_budget_queue_length();
	if (under_way > 0)
	{
		dp_budget_queue_count(sent, under_way, took_us);
		answer_sent();
	}
	return true;
}

/* Hand on what has come, and see whether there is still a link. */
static void
receive_replies(void)
{
	if (is_ready() && !receive_all())
		lose_link(library->reason(primary));
	if (primary != NULL && (state != DP_LINK_READY || under_way > 0) &&
		TimestampDifferenceExceeds(progress, GetCurrentTimestamp(), patience()))
		lose_link(state == DP_LINK_READY ? "nothing is acknowledged in time" : "it is not made in time");
}

/* What the link's socket is to be waited for. */
static int
socket_events(void)
{
	if (state != DP_LINK_READY)
		return state == DP_LINK_READING ? WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE;
	return WL_SOCKET_READABLE | (library->flush(primary) ? WL_SOCKET_WRITEABLE : 0);
}

/* Sleep until something may have changed. */
static void
sleep_a_while(int postponed)
{
	int			events = WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH;
	int			came;
	pgsocket	socket = PGINVALID_SOCKET;

	if (primary != NULL && (socket = library->socket(primary)) != PGINVALID_SOCKET)
		events |= socket_events();
	came = WaitLatchOrSocket(MyLatch, events, socket, postponed > 0 ? DP_RETRY_MS : DP_LOOK_ROUND_MS,
							 PG_WAIT_EXTENSION);
	readable = (came & (WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE)) != 0;
}

/* Has nobody asked for as long as a keeper stays idle?  Then leave, unless somebody does now. */
static bool
may_leave(int postponed)
{
	static TimestampTz busy = 0;
	TimestampTz now = GetCurrentTimestamp();

	if (busy == 0 || under_way > 0 || postponed > 0 || dp_budget_queue_length() > 0)
		busy = now;
	return TimestampDifferenceExceeds(busy, now, dp_settings_keeper_idle) && dp_budget_queue_retire();
}

/* Leave nobody waiting, however the worker exits. */
static void
leave_queue(int code, Datum arg)
{
	close_link();
	give_up_sent();
	if (taken_done < taken_count)
		dp_budget_answer_return(taken + taken_done, taken_count - taken_done);
	taken_count = taken_done = 0;
	dp_budget_answer_remind();
	dp_budget_queue_quit();
}

/* Serve this database until nothing has come for a while, or the standby is promoted. */
static void
serve(void)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, DP_REPLICA_NAME,
												  ALLOCSET_DEFAULT_SIZES);

	MemoryContextSwitchTo(context);
	while (RecoveryInProgress())
	{
		int			postponed;

		outdated |= dp_budget_queue_interrupts();
		tend_link();
		/* In this order: those who have waited for the call that has ended go with the next one. */
		receive_replies();
		postponed = send_waiting();
		dp_budget_answer_remind();
		MemoryContextReset(context);
		if (may_leave(postponed))
			return;
		sleep_a_while(postponed);
	}
}

static void
load_library(void)
{
	const char *path = dp_budget_replica_library();
	DpLinkFunction function = path == NULL ? NULL :
		(DpLinkFunction) load_external_function(path, DP_LINK_FUNCTION, true, NULL);

	if (function == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("library \"%s\" is not there", DP_REPLICA_LIBRARY)));
	library = function();
	if (library->version != DP_LINK_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("library \"%s\" is of another version than \"%s\"", DP_REPLICA_LIBRARY, "dp_agg")));
}

void
dp_budget_replica_main(Datum database)
{
	set_up_signals();
	if (!dp_budget_queue_claim(DatumGetObjectId(database)))
		proc_exit(0);
	dp_budget_answer_init();
	before_shmem_exit(leave_queue, (Datum) 0);
	/* Whom it serves is connected already, even if nobody else may connect any more. */
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
	pgstat_report_appname(DP_REPLICA_NAME);
	load_library();
	serve();
	proc_exit(0);
}
