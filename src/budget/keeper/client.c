/* SPDX-License-Identifier: PostgreSQL */
/*
 * client.c
 *	  Charging a role's budget, from the session's side.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "base/compat_varlena.h"
#include "base/injection.h"
#include "base/settings.h"
#include "budget/account/birth.h"
#include "budget/account/home.h"
#include "budget/account/payer.h"
#include "budget/account/store.h"
#include "budget/keeper/client.h"
#include "budget/queue/parcel.h"
#include "budget/queue/queue.h"
#include "budget/queue/queue_state.h"
#include "budget/queue/request.h"
#include "budget/rows/balance.h"
#include "budget/rows/chain.h"
#include "budget/rows/ledger_cost.h"
#include "budget/rows/row.h"

/* How often to see after a keeper that says nothing. */
#define DP_RECHECK_MS 500

/* How many keepers may fail a charge before it gives up. */
#define DP_MAX_LAUNCHES 3

/* A session waiting for its answer. */
typedef struct DpWait
{
	DpRequest  *request;
	TimestampTz deadline;
	int			launches;		/* keepers we launched for it */
} DpWait;

void
dp_budget_init(void)
{
	dp_budget_queue_init();
	dp_budget_birth_init();
	if (!process_shared_preload_libraries_in_progress)
		return;
	dp_budget_copied_init();
	dp_budget_chain_init();
}

/* Raise an error wherever a charge cannot be made, or not be made durable. */
static void
check_can_charge(void)
{
	if (RecoveryInProgress() && !dp_budget_replica_is_set_up())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("cannot charge a privacy budget during recovery"),
				 errhint("Connect to the primary server. An administrator can have this one charge there, by \"%s\".",
						 "dp_agg.primary_conninfo")));
	if (IsParallelWorker())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("cannot charge a privacy budget in a parallel worker")));
	if (!IsUnderPostmaster)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot charge a privacy budget in single-user mode")));
	if (!dp_budget_queue_exists())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("library \"%s\" must be preloaded to charge a privacy budget",
						"dp_agg"),
				 errhint("Add it to \"%s\" and restart the server: %s = '%s'.",
						 "shared_preload_libraries",
						 "shared_preload_libraries", "dp_agg")));
}

static void
check_fits(const DpCharge *charge)
{
	if (strlen(charge->dataset) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("name of a data set is too long"),
				 errdetail("It may have up to %d bytes.", NAMEDATALEN - 1)));
}

#ifdef USE_ASSERT_CHECKING
/* Does the cost follow from what the ledger will say of it? */
static bool
is_described(const DpCharge *charge)
{
	DpCurve		described;

	return !dp_budget_row_valid_cost(&charge->cost) ||
		(dp_budget_ledger_cost(charge->releases, &described) &&
		 dp_budget_same_cost(&charge->cost, &described, 0));
}
#endif

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
fill_in(DpRequest *request, const DpCharge *charge, Oid pool)
{
	static bool digested = false;
	Size		releases = MAXALIGN(VARSIZE(charge->releases));
	Size		statement = charge->statement ? VARSIZE(charge->statement) : 0;
	DpParcelBytes sent;

	request->role = charge->role;
	request->pool = pool;
	strlcpy(request->dataset, charge->dataset, NAMEDATALEN);
	request->cost = charge->cost;
	digested = digested && holds_already(request, charge);
	sent = dp_budget_parcel_fill(&request->asked, releases + statement);
	memcpy(sent.bytes, charge->releases, VARSIZE(charge->releases));
	if (charge->statement)
		memcpy(sent.bytes + releases, charge->statement, statement);
	if (!digested)
		dp_budget_chain_digest(charge->releases, request->digest);
	digested = true;
	return sent;
}

/* Give up, saying whether the charge may stand. */
static void
raise_timeout(DpWait *wait)
{
	bool		stands = dp_budget_queue_release(wait->request) != DP_REQUEST_WAITING;

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

/* Launch a keeper, within reason. */
static void
launch_keeper(DpWait *wait)
{
	if (wait->launches++ == DP_MAX_LAUNCHES)
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not charge the privacy budget because its keeper does not stay up"),
				 errdetail("Nothing was charged."),
				 errhint("See the server log.")));
	if (!dp_budget_keeper_launch())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not charge the privacy budget because no background worker is free for its keeper"),
				 errdetail("Nothing was charged."),
				 errhint("You may need to increase \"%s\".", "max_worker_processes")));
}

/* Wait until an earlier charge this process gave up is out of the way. */
static void
wait_for_idle(DpWait *wait)
{
	while (dp_budget_queue_state(wait->request) != DP_REQUEST_IDLE)
	{
		if (too_late(wait))
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("canceling statement because an earlier charge is still being committed"),
					 errdetail("Nothing was charged.")));
		sleep_a_while(wait);
	}
}

static void
wait_for_answer(DpWait *wait)
{
	while (dp_budget_queue_state(wait->request) != DP_REQUEST_ANSWERED)
	{
		if (dp_budget_queue_wants_keeper(wait->request))
			launch_keeper(wait);
		sleep_a_while(wait);
		if (too_late(wait) &&
			dp_budget_queue_state(wait->request) != DP_REQUEST_ANSWERED)
			raise_timeout(wait);
	}
}

/* Withdraw the request, or leave it to the keeper, if the session gives up. */
static void
give_up(int code, Datum arg)
{
	DpWait	   *mine = (DpWait *) DatumGetPointer(arg);

	/* We may not have launched the keeper that others count on. */
	if (mine->launches > 0)
		dp_budget_queue_launch_failed(mine->request);
	(void) dp_budget_queue_release(mine->request);
}

/* Queue a filled-in request and wait for the answer. */
static void
submit(DpWait *wait)
{
	PG_ENSURE_ERROR_CLEANUP(give_up, PointerGetDatum(wait));
	{
		if (!dp_budget_queue_submit(wait->request))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
					 errmsg("could not charge the privacy budget because too many databases have keepers"),
					 errdetail("Nothing was charged."),
					 errhint("You may need to increase \"%s\".", "max_worker_processes")));
		wait_for_answer(wait);
	}
	PG_END_ENSURE_ERROR_CLEANUP(give_up, PointerGetDatum(wait));
}

static const char *
role_name(Oid role)
{
	char	   *name = GetUserNameFromId(role, true);

	return name != NULL ? name : psprintf("%u", role);
}

void
dp_budget_refuse(Oid role, const char *dataset)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("role \"%s\" has no budget on data set \"%s\"",
					role_name(role), dataset),
			 errhint("An administrator can grant one with dp_agg.set_budget.")));
}

/* Raise the error that an answer stands for, if it is one. */
static void
raise_outcome(const DpChargeAnswer *answer, const DpCharge *charge)
{
	const char *role;

	if (answer->outcome == DP_OUTCOME_ADMITTED || answer->outcome == DP_OUTCOME_REFUSED)
		return;
	role = role_name(charge->role);
	switch (answer->outcome)
	{
		case DP_OUTCOME_ADMITTED:
		case DP_OUTCOME_REFUSED:
			break;
		case DP_OUTCOME_NO_BUDGET:
			dp_budget_refuse(charge->role, charge->dataset);
			break;
		case DP_OUTCOME_AMBIGUOUS:
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("several pooled budgets on data set \"%s\" apply to role \"%s\"",
							charge->dataset, role),
					 errdetail("Nothing was charged."),
					 errhint("Use SET ROLE to say which, or have a budget set for the role itself.")));
			break;
		case DP_OUTCOME_BEHIND:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("budgets on data set \"%s\" may be behind in this copy of the database",
							charge->dataset),
					 errdetail("What was spent elsewhere is not known here. Nothing was charged."),
					 errhint("An administrator who knows that can call dp_agg.acknowledge_copy.")));
			break;
		case DP_OUTCOME_LOCKED:
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("budget of role \"%s\" on data set \"%s\" is locked by another transaction",
							role, charge->dataset),
					 errdetail("Nothing was charged.")));
			break;
		case DP_OUTCOME_FAILED:
			ereport(ERROR,
					(errcode(answer->sqlstate),
					 errmsg("could not charge the budget of role \"%s\" on data set \"%s\": %s",
							role, charge->dataset, answer->failure),
					 errdetail("Nothing was charged.")));
			break;
		case DP_OUTCOME_UNKNOWN:
			ereport(ERROR,
					(errcode(ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN),
					 errmsg("outcome of charging the budget of role \"%s\" on data set \"%s\" is unknown",
							role, charge->dataset),
					 errdetail("The keeper was terminated while it committed; the charge may stand.")));
			break;
		case DP_OUTCOME_UNACKNOWLEDGED:
			ereport(ERROR,
					(errcode(ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN),
					 errmsg("outcome of charging the budget of role \"%s\" on data set \"%s\" is unknown",
							role, charge->dataset),
					 errdetail("The primary server did not acknowledge the charge, which may stand.")));
			break;
	}
}

/*
 * May the charge be queued?  A role without a budget is told before the queue, as after it: ADMITTED stands
 * for anything else.  Finds the pool that a role without a budget of its own draws on: looking through its
 * memberships takes the session's time, not that of the keeper, which everybody waits for.
 */
static DpOutcome
find_pool(const DpCharge *charge, Oid *pool)
{
	DpBudgetId	which;

	*pool = InvalidOid;
	switch (dp_budget_payer_look(charge->role, charge->dataset, &which))
	{
		case DP_PAYER_NONE:
			return DP_OUTCOME_NO_BUDGET;
		case DP_PAYER_AMBIGUOUS:
			return DP_OUTCOME_AMBIGUOUS;
		case DP_PAYER_FOUND:
			break;
	}
	if (which.number != 0 && which.role != charge->role)
		*pool = which.role;
	return DP_OUTCOME_ADMITTED;
}

bool
dp_budget_may_charge(Oid role, const char *dataset)
{
	DpBudgetId	which;

	return dp_budget_payer_look(role, dataset, &which) != DP_PAYER_NONE;
}

bool
dp_budget_may_charge_any(Oid role)
{
	return dp_budget_payer_any(role);
}

/* Read the answer to a request, and have done with it. */
static void
take_answer(DpRequest *request, DpChargeAnswer *answer)
{
	answer->outcome = request->outcome;
	answer->sqlstate = request->sqlstate;
	strlcpy(answer->failure, request->failure, DP_FAILURE_MAX);
	answer->balance = request->balance;
	(void) dp_budget_queue_release(request);
	DP_INJECTION_POINT("answered");
}

void
dp_budget_charge_answered(const DpCharge *charge, DpChargeAnswer *answer)
{
	DpWait		wait = {.deadline = DT_NOEND};
	DpParcelBytes sent;
	Oid			pool;

	check_can_charge();
	check_fits(charge);
	Assert(is_described(charge));
	memset(answer, 0, sizeof(*answer));
	answer->outcome = find_pool(charge, &pool);
	if (answer->outcome != DP_OUTCOME_ADMITTED)
		return;
	wait.request = dp_budget_queue_mine();
	if (dp_settings_charge_timeout > 0)
		wait.deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
													dp_settings_charge_timeout);
	wait_for_idle(&wait);
	sent = fill_in(wait.request, charge, pool);
	submit(&wait);
	dp_budget_parcel_close(&sent);
	take_answer(wait.request, answer);
}

bool
dp_budget_charge(const DpCharge *charge, DpBalance *balance)
{
	DpChargeAnswer answer;

	dp_budget_charge_answered(charge, &answer);
	raise_outcome(&answer, charge);
	*balance = answer.balance;
	return answer.outcome == DP_OUTCOME_ADMITTED;
}

bool
dp_budget_peek(Oid role, const char *dataset, DpBalance *balance)
{
	switch (dp_budget_payer_peek(role, dataset, balance))
	{
		case DP_LOOKUP_FOUND:
			return true;
		case DP_LOOKUP_ABSENT:
			return false;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("budget of role \"%s\" on data set \"%s\" makes no sense",
							role_name(role), dataset)));
	}
}

double
dp_budget_delta_of(const DpBalance *balance)
{
	double		delta = dp_accounting_chosen_delta(&balance->limit);

	return balance->capped ? Min(delta, dp_accounting_chosen_delta(&balance->cap_limit)) : delta;
}

DpMechanism
dp_budget_mechanism_of(const DpBalance *balance)
{
	return dp_accounting_takes_gaussian(&balance->limit) &&
		(!balance->capped || dp_accounting_takes_gaussian(&balance->cap_limit)) ? DP_GAUSSIAN : DP_LAPLACE;
}

bool
dp_budget_is_chosen_from(const DpPricing *pricing)
{
	return pricing->chooses_delta || pricing->chooses_mechanism;
}

void
dp_budget_choose(DpPricing *pricing, Oid role, const char *dataset)
{
	DpBalance	balance;
	double		delta;

	if (!dp_budget_is_chosen_from(pricing) || !dp_budget_payer_glance(role, dataset, &balance))
		return;
	delta = dp_budget_delta_of(&balance);
	if (pricing->chooses_delta)
		pricing->delta = delta > 0 ? delta : DP_SETTINGS_DELTA_WITHOUT_BUDGET;
	if (pricing->chooses_mechanism)
		dp_settings_take_mechanism(pricing, dp_budget_mechanism_of(&balance));
}

int
dp_budget_limits(Oid role, const char *dataset, DpLimit limit[2])
{
	DpBalance	balance;

	if (!dp_budget_payer_glance(role, dataset, &balance))
		return 0;
	limit[0] = balance.limit;
	limit[1] = balance.cap_limit;
	return balance.capped ? 2 : 1;
}

/* Would a limit admit a cost more than what is spent? */
static bool
admits_more(const DpLimit *limit, const DpCurve *spent, const DpCurve *cost)
{
	DpCurve		total = *spent;

	dp_accounting_compose(&total, cost);
	return dp_accounting_admits(limit, &total);
}

bool
dp_budget_admits(const DpBalance *balance, const DpCurve *cost)
{
	return !balance->behind &&
		admits_more(&balance->limit, &balance->spent, cost) &&
		(!balance->capped ||
		 admits_more(&balance->cap_limit, &balance->cap_spent, cost));
}
