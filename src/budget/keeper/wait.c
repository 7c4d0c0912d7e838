/* SPDX-License-Identifier: PostgreSQL */
/*
 * wait.c
 *	  Having charges made by the keeper, and waiting for what comes of them.
 *
 * A session has one charge made, in its own request.  One that asks for a standby has several made
 * at once, in requests that it borrows: they are queued together, so that one commit makes them
 * all, and each has an answer of its own.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/timestamp.h"

#include "base/compat_varlena.h"
#include "base/injection.h"
#include "base/settings.h"
#include "budget/keeper/wait.h"
#include "budget/queue/parcel.h"
#include "budget/queue/queue.h"
#include "budget/queue/queue_state.h"
#include "budget/queue/request.h"
#include "budget/rows/chain.h"

/* How often to see after a keeper that says nothing. */
#define DP_RECHECK_MS 500

/* How many keepers may fail a charge before it gives up. */
#define DP_MAX_LAUNCHES 3

/* A session waiting for its answers. */
typedef struct DpWait
{
	DpRequest  *request[DP_CHARGES_AT_ONCE];	/* NULL: it has been answered */
	DpParcelBytes sent[DP_CHARGES_AT_ONCE];
	DpAsked    *asked;			/* as many as there are requests */
	int			count;
	int			open;			/* requests that have not been answered */
	bool		alone;			/* a charge that a session asks for itself */
	TimestampTz deadline;
	int			launches;		/* keepers we launched for them */
} DpWait;

/* Does the request hold the same releases, from last time? */
static bool
holds_already(const DpRequest *request, const DpCharge *charge)
{
	const char *held = request->asked.bytes;

	return request->asked.segment == DSM_HANDLE_INVALID &&
		VARSIZE(held) == VARSIZE(charge->releases) &&
		memcmp(held, charge->releases, VARSIZE(held)) == 0;
}

/*
 * Fill in what to charge.  What the keeper would have to hash is digested here,
 * where nobody else waits for it, and once for a statement asked many times.
 */
static DpParcelBytes
fill_in(DpRequest *request, const DpAsked *asked)
{
	static bool digested = false;
	const DpCharge *charge = asked->charge;
	Size		releases = MAXALIGN(VARSIZE(charge->releases));
	Size		statement = charge->statement ? VARSIZE(charge->statement) : 0;
	DpParcelBytes sent;
	bool		again = !request->spare && digested && holds_already(request, charge);

	request->role = charge->role;
	request->pool = asked->pool;
	strlcpy(request->dataset, charge->dataset, NAMEDATALEN);
	request->cost = charge->cost;
	if (!request->spare)
		digested = again;
	sent = dp_budget_parcel_fill(&request->asked, releases + statement);
	memcpy(sent.bytes, charge->releases, VARSIZE(charge->releases));
	if (charge->statement)
		memcpy(sent.bytes + releases, charge->statement, statement);
	if (!again)
		dp_budget_chain_digest(charge->releases, request->digest);
	if (!request->spare)
		digested = true;
	return sent;
}

/* Give up, saying whether the charge may stand. */
static void
raise_timeout(DpWait *wait)
{
	bool		stands = dp_budget_queue_release(wait->request[0]) != DP_REQUEST_WAITING;

	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("canceling statement because its privacy budget was not charged in time"),
			 stands ? errdetail("The charge was already being committed and may stand.") :
			 errdetail("Nothing was charged."),
			 errhint("The time allowed is \"%s\".", "dp_agg.charge_timeout")));
}

/* Sleep until something may have changed; serves interrupts. */
static void
sleep_a_while(DpWait *wait)
{
	long		left = DP_RECHECK_MS;

	if (wait->deadline != DT_NOEND)
		left = Min(left, TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
														 wait->deadline));
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 left, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

static bool
too_late(DpWait *wait)
{
	return wait->deadline != DT_NOEND && GetCurrentTimestamp() >= wait->deadline;
}

/* What an error says of the charge, if there is one: of several some may stand. */
static int
detail_of(const DpWait *wait)
{
	return wait->alone ? errdetail("Nothing was charged.") : 0;
}

/* Launch a keeper, within reason. */
static void
launch_keeper(DpWait *wait)
{
	if (wait->launches++ == DP_MAX_LAUNCHES)
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not charge the privacy budget because its keeper does not stay up"),
				 detail_of(wait),
				 errhint("See the server log.")));
	if (!dp_budget_keeper_launch())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not charge the privacy budget because no background worker is free for its keeper"),
				 detail_of(wait),
				 errhint("You may need to increase \"%s\".", "max_worker_processes")));
}

/* Launch one if any of the requests needs it, and nobody else does. */
static void
see_after_keeper(DpWait *wait)
{
	for (int i = 0; i < wait->count; i++)
		if (wait->request[i] != NULL && dp_budget_queue_wants_keeper(wait->request[i]))
		{
			launch_keeper(wait);
			return;
		}
}

/* Wait until an earlier charge this process gave up is out of the way. */
static void
wait_for_idle(DpWait *wait)
{
	while (dp_budget_queue_state(dp_budget_queue_mine()) != DP_REQUEST_IDLE)
	{
		if (too_late(wait))
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("canceling statement because an earlier charge is still being committed"),
					 errdetail("Nothing was charged.")));
		sleep_a_while(wait);
	}
}

/* Read the answer to a request, and have done with it. */
static void
take_answer(DpWait *wait, int i)
{
	DpRequest  *request = wait->request[i];
	DpChargeAnswer *answer = wait->asked[i].answer;

	answer->outcome = request->outcome;
	answer->sqlstate = request->sqlstate;
	/* Else it is of an earlier request, of whoever had it then. */
	strlcpy(answer->failure, request->outcome == DP_OUTCOME_FAILED ? request->failure : "", DP_FAILURE_MAX);
	answer->balance = request->balance;
	(void) dp_budget_queue_release(request);
	wait->request[i] = NULL;
	wait->open--;
	dp_budget_parcel_close(&wait->sent[i]);
	DP_INJECTION_POINT("answered");
}

/* Read the answers that have come; those whom they wake wait for no other of ours. */
static void
take_answers(DpWait *wait)
{
	for (int i = 0; i < wait->count; i++)
		if (wait->request[i] != NULL && dp_budget_queue_state(wait->request[i]) == DP_REQUEST_ANSWERED)
			take_answer(wait, i);
}

/* An answer that did not come in time. */
static void
tell_late(DpChargeAnswer *answer, DpOutcome outcome)
{
	answer->outcome = outcome;
	answer->sqlstate = ERRCODE_LOCK_NOT_AVAILABLE;
	strlcpy(answer->failure, "it was not charged in time", DP_FAILURE_MAX);
}

/* Tell those of some that were not answered in time whether they may stand. */
static void
answer_late(DpWait *wait)
{
	take_answers(wait);
	for (int i = 0; i < wait->count; i++)
	{
		if (wait->request[i] == NULL)
			continue;
		tell_late(wait->asked[i].answer, dp_budget_queue_release(wait->request[i]) == DP_REQUEST_WAITING ?
				  DP_OUTCOME_FAILED : DP_OUTCOME_UNACKNOWLEDGED);
		wait->request[i] = NULL;
		wait->open--;
		dp_budget_parcel_close(&wait->sent[i]);
	}
}

static void
wait_for_answers(DpWait *wait)
{
	for (take_answers(wait); wait->open > 0; take_answers(wait))
	{
		see_after_keeper(wait);
		sleep_a_while(wait);
		if (!too_late(wait))
			continue;
		if (!wait->alone)
			answer_late(wait);
		else if (dp_budget_queue_state(wait->request[0]) != DP_REQUEST_ANSWERED)
			raise_timeout(wait);
	}
}

/* Withdraw the requests, or leave them to the keeper, if the session gives up. */
static void
give_up(int code, Datum arg)
{
	DpWait	   *mine = (DpWait *) DatumGetPointer(arg);

	for (int i = 0; i < mine->count; i++)
	{
		if (mine->request[i] == NULL)
			continue;
		/* We may not have launched the keeper that others count on. */
		if (mine->launches > 0)
			dp_budget_queue_launch_failed(mine->request[i]);
		(void) dp_budget_queue_release(mine->request[i]);
	}
}

/* Fill in the requests, queue them and wait for the answers. */
static void
submit(DpWait *wait)
{
	for (int i = 0; i < wait->count; i++)
	{
		wait->sent[i] = fill_in(wait->request[i], &wait->asked[i]);
		wait->request[i]->once = !wait->alone;
	}
	if (!dp_budget_queue_submit(wait->request, wait->count))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not charge the privacy budget because too many databases have keepers"),
				 detail_of(wait),
				 errhint("You may need to increase \"%s\".", "max_worker_processes")));
	wait_for_answers(wait);
}

/* Until when a charge may take that is asked for now. */
static TimestampTz
deadline_from_now(void)
{
	return dp_settings_charge_timeout > 0 ?
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), dp_settings_charge_timeout) : DT_NOEND;
}

/* Have charges made, as many as there are requests for; how many. */
static int
wait_for_some(DpAsked *asked, int count, bool alone, TimestampTz deadline)
{
	DpWait		wait;

	wait.asked = asked;
	wait.alone = alone;
	wait.launches = 0;
	wait.deadline = deadline;
	wait_for_idle(&wait);
	wait.request[0] = dp_budget_queue_mine();
	wait.count = 1;
	PG_ENSURE_ERROR_CLEANUP(give_up, PointerGetDatum(&wait));
	{
		if (count > 1)
			wait.count += dp_budget_queue_borrow(wait.request + 1, Min(count, DP_CHARGES_AT_ONCE) - 1);
		wait.open = wait.count;
		submit(&wait);
	}
	PG_END_ENSURE_ERROR_CLEANUP(give_up, PointerGetDatum(&wait));
	return wait.count;
}

void
dp_budget_wait_for(DpAsked *asked)
{
	(void) wait_for_some(asked, 1, true, deadline_from_now());
}

void
dp_budget_wait_for_all(DpAsked *asked, int count)
{
	TimestampTz deadline = deadline_from_now();
	int			done = 0;

	while (done < count && (done == 0 || deadline == DT_NOEND || GetCurrentTimestamp() < deadline))
		done += wait_for_some(asked + done, count - done, false, deadline);
	for (; done < count; done++)
		tell_late(asked[done].answer, DP_OUTCOME_FAILED);
}
