/* SPDX-License-Identifier: PostgreSQL */
/*
 * client.c
 *	  Charging a role's budget, from the session's side.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/settings.h"
#include "budget/account/birth.h"
#include "budget/account/home.h"
#include "budget/account/payer.h"
#include "budget/account/store.h"
#include "budget/keeper/client.h"
#include "budget/keeper/wait.h"
#include "budget/queue/queue.h"
#include "budget/queue/request.h"
#include "budget/rows/balance.h"
#include "budget/rows/chain.h"
#include "budget/rows/ledger_cost.h"
#include "budget/rows/row.h"

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

/* May a charge be queued?  Else that is its answer already. */
static bool
prepare(DpAsked *asked, const DpCharge *charge, DpChargeAnswer *answer)
{
	check_fits(charge);
	Assert(is_described(charge));
	memset(answer, 0, sizeof(*answer));
	asked->charge = charge;
	asked->answer = answer;
	answer->outcome = find_pool(charge, &asked->pool);
	return answer->outcome == DP_OUTCOME_ADMITTED;
}

void
dp_budget_charge_answered(const DpCharge *charges, DpChargeAnswer *answers, int count)
{
	DpAsked    *asked = palloc(count * sizeof(DpAsked));
	int			queued = 0;

	check_can_charge();
	for (int i = 0; i < count; i++)
		if (prepare(&asked[queued], &charges[i], &answers[i]))
			queued++;
	dp_budget_wait_for_all(asked, queued);
}

bool
dp_budget_charge(const DpCharge *charge, DpBalance *balance)
{
	DpChargeAnswer answer;
	DpAsked		asked;

	check_can_charge();
	if (prepare(&asked, charge, &answer))
		dp_budget_wait_for(&asked);
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
