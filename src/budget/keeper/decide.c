/* SPDX-License-Identifier: PostgreSQL */
/*
 * decide.c
 *	  Deciding charges.
 *
 * Each budget or cap a batch concerns is found and locked once, when a request
 * first needs it, and written once, at the end.  Rows are locked in whatever
 * order requests come: none is waited for.
 */
#include "postgres.h"

#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat_varlena.h"
#include "base/settings.h"
#include "budget/account/home.h"
#include "budget/account/payer.h"
#include "budget/account/row_tid.h"
#include "budget/account/store.h"
#include "budget/audit/follow.h"
#include "budget/keeper/alert.h"
#include "budget/keeper/decide.h"
#include "budget/queue/parcel.h"
#include "budget/queue/request.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

/* A row of the budget table, or that there is none, while a batch is decided. */
typedef struct DpAccount
{
	Oid			role;
	DpLookup	lookup;
	const char *dataset;
	const char *problem;		/* with what the ledger says of it, or NULL */
	DpFilter	filter;			/* of the row's limit, if known */
	DpBudgetRow row;
	TupleTableSlot *found;
	double		epsilon_spent;	/* of the row's limit, if charged */
	bool		filter_known;
	bool		charged;		/* by this batch, which refreshes before that if at all */
	bool		changed;
	bool		pool_known;		/* have pools been looked for, for a role without a row? */
	DpPayer		pooled;			/* and with what result */
	Oid			pool;
} DpAccount;

typedef struct DpSettlement
{
	DpStore		store;
	DpChainEnd	from;			/* of the chain before it */
	TimestampTz now;
	const char *home;
	bool		synchronous;
	List	   *accounts;
	List	   *parcels;		/* of DpParcelBytes: what rows that are entered point to */
} DpSettlement;

void
dp_budget_decide_failed(DpRequest *request, int sqlstate, const char *message)
{
	request->outcome = DP_OUTCOME_FAILED;
	request->sqlstate = sqlstate;
	strlcpy(request->failure, message, DP_FAILURE_MAX);
}

/*
 * How an account differs from what the ledger says.  What this keeper left was
 * decided by it.
 */
static const char *
compare_to_ledger(DpSettlement *settlement, DpAccount *account)
{
	Relation	ledger = settlement->store.ledger->ri_RelationDesc;

	if (account->lookup == DP_LOOKUP_FOUND &&
		!dp_budget_tid_is_left(account->role, account->dataset, account->found))
		return dp_budget_follow_check(ledger, &account->row);
	if (account->lookup == DP_LOOKUP_ABSENT && !OidIsValid(account->role) &&
		dp_budget_follow_has_cap(ledger, account->dataset, &settlement->from))
		return "is gone, but was not dropped";
	return NULL;
}

/* The account of (role, dataset), locked if it is there. */
static DpAccount *
get_account(DpSettlement *settlement, Oid role, const char *dataset)
{
	DpAccount  *account;
	ListCell   *lc;

	foreach(lc, settlement->accounts)
	{
		account = lfirst(lc);
		if (account->role == role && strcmp(account->dataset, dataset) == 0)
			return account;
	}
	account = palloc0(sizeof(DpAccount));
	account->role = role;
	account->dataset = dataset;
	account->lookup = dp_budget_store_lock(&settlement->store, role, dataset,
										   &account->row, &account->found);
	account->problem = compare_to_ledger(settlement, account);
	settlement->accounts = lappend(settlement->accounts, account);
	return account;
}

/*
 * The only pool that the session of a role without a budget has found, a moment ago.
 * NULL if it found none, or if the role is no longer a member or the pool has no budget
 * any more.
 */
static DpAccount *
get_found_pool(DpSettlement *settlement, DpRequest *request)
{
	DpAccount  *found;

	if (!OidIsValid(request->pool) || !dp_budget_payer_draws_on(request->role, request->pool))
		return NULL;
	found = get_account(settlement, request->pool, request->dataset);
	return found->lookup != DP_LOOKUP_ABSENT ? found : NULL;
}

/*
 * The pool a role without a budget draws on; NULL with the outcome if none.  Memberships
 * are looked through here only if the session could not: all others wait meanwhile.
 */
static DpAccount *
get_pool(DpSettlement *settlement, DpAccount *asking, DpRequest *request)
{
	Relation	budget = settlement->store.budget->ri_RelationDesc;
	DpAccount  *found = get_found_pool(settlement, request);

	if (found != NULL)
		return found;
	if (!asking->pool_known)
		asking->pooled = dp_budget_payer_pool(budget, GetActiveSnapshot(), request->role,
											  request->dataset, &asking->pool);
	asking->pool_known = true;
	switch (asking->pooled)
	{
		case DP_PAYER_FOUND:
			return get_account(settlement, asking->pool, request->dataset);
		case DP_PAYER_AMBIGUOUS:
			request->outcome = DP_OUTCOME_AMBIGUOUS;
			return NULL;
		case DP_PAYER_NONE:
			break;
	}
	request->outcome = DP_OUTCOME_NO_BUDGET;
	return NULL;
}

/* The account that answers for a request; NULL with the outcome if none. */
static DpAccount *
get_payer(DpSettlement *settlement, DpRequest *request)
{
	DpAccount  *account = get_account(settlement, request->role, request->dataset);

	if (account->lookup == DP_LOOKUP_ABSENT || !OidIsValid(request->role))
		account = get_pool(settlement, account, request);
	if (account != NULL && account->lookup == DP_LOOKUP_ABSENT)
	{
		request->outcome = DP_OUTCOME_NO_BUDGET;
		account = NULL;
	}
	return account;
}

/* May an account be charged here? */
static bool
is_at_home(DpSettlement *settlement, DpAccount *account)
{
	return dp_settings_answer_on_copies || strcmp(account->row.home, settlement->home) == 0;
}

/*
 * Can an account be had, if it is there?  If not, answer so, in words about
 * "its row" or the like.
 */
static bool
check_lookup(DpSettlement *settlement, DpAccount *account, DpRequest *request,
			 const char *subject)
{
	if (account->lookup == DP_LOOKUP_BUSY)
		request->outcome = DP_OUTCOME_LOCKED;
	else if (account->lookup == DP_LOOKUP_MALFORMED || account->problem != NULL)
		dp_budget_decide_failed(request, ERRCODE_DATA_CORRUPTED,
								psprintf("%s %s", subject, account->problem != NULL ?
										 account->problem : "makes no sense"));
	else if (account->lookup == DP_LOOKUP_FOUND && !is_at_home(settlement, account))
		request->outcome = DP_OUTCOME_BEHIND;
	else
		return true;
	return false;
}

/* Count and append a row about an account. */
static void
enter(DpSettlement *settlement, DpAccount *account, DpLedgerRow *entry)
{
	entry->at = settlement->now;
	entry->budget = &account->row;
	entry->epsilon_spent = account->charged ? &account->epsilon_spent : NULL;
	account->row.entries++;
	account->changed = true;
	dp_budget_store_append(&settlement->store, entry);
}

/* Enter a decision, on the account's row and on that of the cap, if any. */
static void
enter_decision(DpSettlement *settlement, DpAccount *account, DpAccount *cap,
			   DpRequest *request, const char *asked, DpEvent event)
{
	Size		releases = MAXALIGN(VARSIZE(asked));
	DpLedgerRow entry = {
		.event = event,
		.role = request->role,
		.cap = cap != NULL ? &cap->row : NULL,
		.cap_epsilon_spent = cap != NULL && cap->charged ? &cap->epsilon_spent : NULL,
		.statement = request->asked.size > releases ? (const text *) (asked + releases) : NULL,
		.releases = (const Jsonb *) asked,
		.digest = request->digest,
		.cost = &request->cost
	};

	if (cap != NULL)
	{
		cap->row.entries++;
		cap->changed = true;
	}
	enter(settlement, account, &entry);
}

/* Begin a new period if the last one has passed. */
static void
refresh_if_due(DpSettlement *settlement, DpAccount *account, DpRequest *request)
{
	DpCurve		spent = account->row.spent;
	DpLedgerRow entry = {
		.event = DP_EVENT_REFRESH,
		.role = request->role,
		.cost = &spent
	};

	if (!dp_budget_row_refresh_due(&account->row, settlement->now))
		return;
	entry.releases = dp_budget_ledger_json(dp_budget_row_counts(&account->row));
	dp_budget_row_refresh(&account->row, settlement->now);
	enter(settlement, account, &entry);
}

/* A row's total after a cost more, and the epsilon that comes to. */
typedef struct DpTotal
{
	DpCurve		curve;
	double		epsilon_spent;
} DpTotal;

/* The filter of the account's limit, worked out once for a batch. */
static const DpFilter *
get_filter(DpAccount *account)
{
	if (!account->filter_known)
		dp_accounting_filter_init(&account->filter, &account->row.limit);
	account->filter_known = true;
	return &account->filter;
}

/* Work out the total after a cost more; does the account's limit admit it? */
static bool
admits(DpAccount *account, const DpCurve *cost, DpTotal *total)
{
	const DpBudgetRow *row = &account->row;

	total->curve = row->spent;
	dp_accounting_compose(&total->curve, cost);
	if (!dp_budget_row_valid_cost(&total->curve))
		return false;
	total->epsilon_spent = dp_accounting_filter_spent(get_filter(account), &total->curve);
	return dp_accounting_is_within(&row->limit, total->epsilon_spent);
}

static void
spend(DpAccount *account, const DpTotal *total, TimestampTz now)
{
	account->row.spent = total->curve;
	account->row.statements++;
	account->row.last_charge = now;
	account->epsilon_spent = total->epsilon_spent;
	account->charged = true;
}

/* Let budget and cap, if there is one, bear a cost, or neither. */
static DpEvent
decide(DpAccount *account, DpAccount *cap, const DpCurve *cost, TimestampTz now)
{
	DpTotal		total;
	DpTotal		cap_total;

	if (!admits(account, cost, &total))
	{
		account->row.refusals++;
		return DP_EVENT_REFUSAL;
	}
	if (cap != NULL && !admits(cap, cost, &cap_total))
	{
		account->row.refusals++;
		cap->row.refusals++;
		return DP_EVENT_CAP_REFUSAL;
	}
	spend(account, &total, now);
	if (cap != NULL)
		spend(cap, &cap_total, now);
	return DP_EVENT_CHARGE;
}

/* The row appended last. */
static DpReceipt
receipt_of(const DpSettlement *settlement)
{
	const DpChainEnd *end = &settlement->store.appender.end;
	DpReceipt	receipt = {.entry = end->id, .at = settlement->now};

	memcpy(receipt.hash, end->hash, DP_CHAIN_BYTES);
	return receipt;
}

/*
 * How much of an account is used after a decision.  One that refuses what its whole limit would
 * admit is used up, once half of it is: it is of no more use to whoever asks the like.
 */
static double
use_of(DpAccount *account, const DpCurve *cost, bool refused)
{
	double		spent = account->charged ? account->epsilon_spent :
		dp_accounting_filter_spent(get_filter(account), &account->row.spent);
	double		use = dp_budget_row_use(&account->row, spent);

	if (refused && use >= 0.5 && use < 1 && dp_accounting_admits(&account->row.limit, cost))
		use = 1;
	return use;
}

/* Which threshold of an account a decision crosses, in percent, or 0; it is logged once that is committed. */
static double
cross(DpSettlement *settlement, DpAccount *account, const DpRequest *request, bool refused)
{
	if (dp_settings_budget_alerts.count == 0)
		return 0;
	return dp_budget_alert_cross(&account->row, use_of(account, &request->cost, refused), refused,
								 settlement->now);
}

static void
charge(DpSettlement *settlement, DpAccount *account, DpAccount *cap, DpRequest *request,
	   const char *asked)
{
	DpEvent		event;
	double		alert = 0;

	refresh_if_due(settlement, account, request);
	event = decide(account, cap, &request->cost, settlement->now);
	if (event != DP_EVENT_CAP_REFUSAL)
		alert = cross(settlement, account, request, event == DP_EVENT_REFUSAL);
	if (cap != NULL && event != DP_EVENT_REFUSAL)
		(void) cross(settlement, cap, request, event == DP_EVENT_CAP_REFUSAL);
	enter_decision(settlement, account, cap, request, asked, event);

	request->outcome = event == DP_EVENT_CHARGE ? DP_OUTCOME_ADMITTED : DP_OUTCOME_REFUSED;
	dp_budget_payer_balance(&account->row, cap != NULL ? &cap->row : NULL,
							&request->balance);
	request->balance.refused_by_cap = event == DP_EVENT_CAP_REFUSAL;
	request->balance.alert = alert;
	request->balance.receipt = receipt_of(settlement);
}

/*
 * Charge that a request asks for, until the batch is decided; NULL if its session
 * has left.
 */
static const char *
open_asked(DpSettlement *settlement, DpRequest *request)
{
	DpParcelBytes *opened = palloc(sizeof(DpParcelBytes));

	*opened = dp_budget_parcel_open(&request->asked);
	settlement->parcels = lappend(settlement->parcels, opened);
	return opened->bytes;
}

static void
close_parcels(DpSettlement *settlement)
{
	ListCell   *lc;

	foreach(lc, settlement->parcels)
		dp_budget_parcel_close(lfirst(lc));
}

/* Decide one request. */
static void
decide_request(DpSettlement *settlement, DpRequest *request)
{
	DpAccount  *account = get_payer(settlement, request);
	DpAccount  *cap;
	const char *asked;

	if (account == NULL || !check_lookup(settlement, account, request, "its row"))
		return;
	cap = get_account(settlement, InvalidOid, request->dataset);
	if (!check_lookup(settlement, cap, request, "the row of the data set's cap"))
		return;
	if (cap->lookup == DP_LOOKUP_ABSENT)
		cap = NULL;
	if (!dp_budget_row_valid_cost(&request->cost))
		dp_budget_decide_failed(request, ERRCODE_INTERNAL_ERROR,
								"cost is not a number, or negative");
	else if ((asked = open_asked(settlement, request)) == NULL)
		dp_budget_decide_failed(request, ERRCODE_SYSTEM_ERROR, "its session has left");
	else
		charge(settlement, account, cap, request, asked);
}

static void
write_accounts(DpSettlement *settlement)
{
	ListCell   *lc;

	foreach(lc, settlement->accounts)
	{
		DpAccount  *account = lfirst(lc);

		if (!account->changed)
			continue;
		account->row.synchronous = settlement->synchronous;
		dp_budget_store_update(&settlement->store, &account->row, account->found);
	}
}

/* Once in a keeper's life: take over what came along in a promotion. */
static void
settle_home(DpSettlement *settlement)
{
	static bool settled = false;

	/* Not before a transaction that moved something has committed. */
	if (!settled)
		settled = !dp_budget_home_take_over(&settlement->store);
}

void
dp_budget_decide(DpRequest **requests, int count)
{
	DpSettlement settlement = {
		.now = GetCurrentTimestamp(),
		.home = dp_budget_home_here(),
		.synchronous = dp_budget_home_is_synchronous(),
		.accounts = NIL
	};

	dp_budget_alert_forget();
	if (!dp_budget_store_open(&settlement.store, false))
	{
		for (int i = 0; i < count; i++)
			requests[i]->outcome = DP_OUTCOME_LOCKED;
		return;
	}
	settlement.from = settlement.store.appender.end;
	settle_home(&settlement);
	for (int i = 0; i < count; i++)
		decide_request(&settlement, requests[i]);
	write_accounts(&settlement);
	dp_budget_store_close(&settlement.store);
	close_parcels(&settlement);
	dp_budget_follow_decided(&settlement.from, &settlement.store.appender.end);
}
