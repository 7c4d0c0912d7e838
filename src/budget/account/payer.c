/* SPDX-License-Identifier: PostgreSQL */
/*
 * payer.c
 *	  Which budgets answer for a role.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat_catalog.h"
#include "base/settings.h"
#include "base/usage.h"
#include "budget/account/act.h"
#include "budget/account/home.h"
#include "budget/account/payer.h"
#include "budget/account/role.h"
#include "budget/account/row_tid.h"
#include "budget/account/store.h"
#include "budget/rows/balance.h"
#include "budget/rows/row.h"

bool
dp_budget_payer_draws_on(Oid role, Oid pool)
{
	return OidIsValid(pool) && has_privs_of_role(role, pool);
}

int64
dp_budget_payer_number(Relation budget, Snapshot snapshot, Oid role, const char *dataset)
{
	HeapTuple	tuple = dp_budget_tid_read(budget, snapshot, role, dataset);
	int64		number = 0;
	bool		null;

	if (tuple != NULL)
	{
		number = DatumGetInt64(heap_getattr(tuple, DP_BUDGET_NUMBER + 1, RelationGetDescr(budget), &null));
		heap_freetuple(tuple);
	}
	return number;
}

/* The budget of the pool that a role draws on, if it has none of its own. */
static DpPayer
find_pool(Relation budget, Snapshot snapshot, Oid role, const char *dataset, DpBudgetId *pool)
{
	int			found = 0;
	ListCell   *lc;

	if (superuser_arg(role))
		return DP_PAYER_NONE;
	foreach(lc, dp_budget_role_memberships(role))
	{
		Oid			candidate = lfirst_oid(lc);
		int64		its = candidate != role && dp_budget_payer_draws_on(role, candidate) ?
			dp_budget_payer_number(budget, snapshot, candidate, dataset) : 0;

		if (its == 0)
			continue;
		*pool = (DpBudgetId) {.number = its, .role = candidate};
		found++;
	}
	return found == 0 ? DP_PAYER_NONE : found == 1 ? DP_PAYER_FOUND : DP_PAYER_AMBIGUOUS;
}

DpPayer
dp_budget_payer_pool(Relation budget, Snapshot snapshot, Oid role, const char *dataset,
					 Oid *pool)
{
	DpBudgetId	found = {0};
	DpPayer		payer = find_pool(budget, snapshot, role, dataset, &found);

	*pool = found.role;
	return payer;
}

/* By rows that may be those of the transaction itself. */
static DpPayer
look_at(Relation budget, Oid role, const char *dataset, DpBudgetId *which)
{
	Snapshot	snapshot = dp_budget_store_snapshot(budget);
	DpPayer		payer = DP_PAYER_FOUND;

	*which = (DpBudgetId) {.number = dp_budget_payer_number(budget, snapshot, role, dataset), .role = role};
	if (which->number == 0)
		payer = find_pool(budget, snapshot, role, dataset, which);
	UnregisterSnapshot(snapshot);
	return payer;
}

/* How many pages that takes is not counted, as below. */
DpPayer
dp_budget_payer_look(Oid role, const char *dataset, DpBudgetId *which)
{
	DpUsage		usage = dp_usage_now();
	Relation	budget = dp_budget_act_is_pending() ? NULL : dp_budget_store_try_budget();
	DpPayer		payer = DP_PAYER_FOUND;

	*which = (DpBudgetId) {0};
	if (budget != NULL)
	{
		payer = look_at(budget, role, dataset, which);
		table_close(budget, AccessShareLock);
	}
	dp_usage_take_back(&usage);
	return payer;
}

/* Is there a row of the role, on whatever data set? */
static bool
has_row(Relation budget, Snapshot snapshot, Oid role)
{
	DpRowWalk	walk;
	bool		found;

	dp_budget_row_walk_begin(&walk, budget, snapshot, role);
	found = dp_budget_row_walk_next(&walk) != NULL;
	dp_budget_row_walk_end(&walk);
	return found;
}

/* Is there one of the role, or of one whose privileges it has? */
static bool
has_any(Relation budget, Oid role)
{
	Snapshot	snapshot = RegisterSnapshot(GetCatalogSnapshot(RelationGetRelid(budget)));
	bool		found = has_row(budget, snapshot, role);
	List	   *pools = found || superuser_arg(role) ? NIL : dp_budget_role_memberships(role);
	ListCell   *lc;

	foreach(lc, pools)
		found = found || (dp_budget_payer_draws_on(role, lfirst_oid(lc)) && has_row(budget, snapshot, lfirst_oid(lc)));
	UnregisterSnapshot(snapshot);
	return found;
}

bool
dp_budget_payer_any(Oid role)
{
	DpUsage		usage = dp_usage_now();
	Relation	budget = dp_budget_act_is_pending() ? NULL : dp_budget_store_try_budget();
	bool		found = true;

	if (budget != NULL)
	{
		found = has_any(budget, role);
		table_close(budget, AccessShareLock);
	}
	dp_usage_take_back(&usage);
	return found;
}

void
dp_budget_payer_balance(const DpBudgetRow *row, const DpBudgetRow *cap, DpBalance *balance)
{
	balance->budget = row->number;
	balance->payer = row->role;
	balance->limit = row->limit;
	balance->spent = row->spent;
	balance->capped = cap != NULL;
	balance->refused_by_cap = false;
	balance->behind = false;
	balance->alert = 0;
	if (cap != NULL)
	{
		balance->cap_limit = cap->limit;
		balance->cap_spent = cap->spent;
	}
}

/* Read the row of (role, dataset) as a charge at this time would find it. */
static DpLookup
find_refreshed(Relation budget, Snapshot snapshot, Oid role, const char *dataset,
			   DpBudgetRow *row)
{
	DpLookup	lookup = dp_budget_store_find(budget, snapshot, role, dataset, row);
	TimestampTz now = GetCurrentTimestamp();

	if (lookup == DP_LOOKUP_FOUND && dp_budget_row_refresh_due(row, now))
		dp_budget_row_refresh(row, now);
	return lookup;
}

/* Read the row that answers for a role. */
static DpLookup
find_payer(Relation budget, Snapshot snapshot, Oid role, const char *dataset,
		   DpBudgetRow *row)
{
	DpLookup	lookup = find_refreshed(budget, snapshot, role, dataset, row);
	Oid			pool;

	if (lookup == DP_LOOKUP_ABSENT &&
		dp_budget_payer_pool(budget, snapshot, role, dataset, &pool) == DP_PAYER_FOUND)
		lookup = find_refreshed(budget, snapshot, pool, dataset, row);
	return lookup;
}

bool
dp_budget_payer_would_reopen(Oid role, const char *dataset, Oid *pool)
{
	Relation	budget = dp_budget_store_read_budget();
	Snapshot	snapshot = dp_budget_store_snapshot(budget);
	DpBudgetRow row;
	bool		result = find_refreshed(budget, snapshot, role, dataset, &row) == DP_LOOKUP_FOUND &&
		(row.spent.pure > 0 || row.spent.rdp[0] > 0 || row.spent.delta > 0) &&
		dp_budget_payer_pool(budget, snapshot, role, dataset, pool) == DP_PAYER_FOUND;

	UnregisterSnapshot(snapshot);
	table_close(budget, AccessShareLock);
	return result;
}

/* Is the row not to be charged before an administrator acknowledges the copy? */
static bool
must_wait(const DpBudgetRow *row)
{
	return !dp_settings_answer_on_copies &&
		strcmp(row->home, dp_budget_home_here()) != 0;
}

/* Does a row wait that a walk comes by?  Ends the walk. */
static bool
any_waits(DpRowWalk *walk)
{
	bool		waits = false;
	HeapTuple	tuple;

	while (!waits && (tuple = dp_budget_row_walk_next(walk)) != NULL)
	{
		DpBudgetRow row;

		CHECK_FOR_INTERRUPTS();
		waits = dp_budget_store_decode(walk->budget, tuple, &row) && must_wait(&row);
		heap_freetuple(tuple);
	}
	dp_budget_row_walk_end(walk);
	return waits;
}

static bool
any_seen_waits(Relation budget, Snapshot snapshot)
{
	DpRowWalk	walk;
	bool		waits = false;
	ListCell   *lc;

	if (dp_budget_role_may_read(RelationGetRelid(budget)))
	{
		dp_budget_row_walk_begin_all(&walk, budget, snapshot);
		return any_waits(&walk);
	}
	foreach(lc, dp_budget_role_memberships(GetUserId()))
	{
		dp_budget_row_walk_begin(&walk, budget, snapshot, lfirst_oid(lc));
		waits = any_waits(&walk) || waits;
	}
	return waits;
}

bool
dp_budget_payer_any_behind(void)
{
	DpUsage		usage = dp_usage_now();
	Relation	budget = dp_budget_store_try_budget();
	bool		behind = false;

	if (budget != NULL)
	{
		Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());

		behind = any_seen_waits(budget, snapshot);
		UnregisterSnapshot(snapshot);
		table_close(budget, AccessShareLock);
	}
	dp_usage_take_back(&usage);
	return behind;
}

/* Read the row that answers for a role and that of the cap, and close the table. */
static DpLookup
read_rows(Relation budget, Oid role, const char *dataset, DpBalance *balance)
{
	Snapshot	snapshot = dp_budget_store_snapshot(budget);
	DpBudgetRow row;
	DpBudgetRow cap;
	DpLookup	lookup = find_payer(budget, snapshot, role, dataset, &row);
	DpLookup	cap_lookup = DP_LOOKUP_ABSENT;

	if (lookup == DP_LOOKUP_FOUND)
	{
		cap_lookup = find_refreshed(budget, snapshot, InvalidOid, dataset, &cap);
		dp_budget_payer_balance(&row, cap_lookup == DP_LOOKUP_FOUND ? &cap : NULL, balance);
		balance->behind = must_wait(&row) || (cap_lookup == DP_LOOKUP_FOUND && must_wait(&cap));
	}
	UnregisterSnapshot(snapshot);
	table_close(budget, AccessShareLock);
	return cap_lookup == DP_LOOKUP_MALFORMED ? DP_LOOKUP_MALFORMED : lookup;
}

/* How many pages that takes, and writes, is not counted: it tells of others' rows. */
DpLookup
dp_budget_payer_peek(Oid role, const char *dataset, DpBalance *balance)
{
	DpUsage		usage = dp_usage_now();
	DpLookup	lookup = read_rows(dp_budget_store_read_budget(), role, dataset, balance);

	dp_usage_take_back(&usage);
	return lookup;
}

bool
dp_budget_payer_glance(Oid role, const char *dataset, DpBalance *balance)
{
	DpUsage		usage = dp_usage_now();
	Relation	budget = dp_budget_act_is_pending() ? NULL : dp_budget_store_try_budget();
	bool		found = budget != NULL && read_rows(budget, role, dataset, balance) == DP_LOOKUP_FOUND;

	dp_usage_take_back(&usage);
	return found;
}

/* Start a scan for all rows of a data set. */
static SysScanDesc
begin_scan(Relation budget, Snapshot snapshot, const char *dataset)
{
	ScanKeyData key;

	ScanKeyInit(&key, DP_BUDGET_DATASET + 1, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(dataset));
	return systable_beginscan(budget, dp_compat_primary_key(budget), true, snapshot,
							  1, &key);
}

bool
dp_budget_payer_total(const char *dataset, DpCurve *total)
{
	Relation	budget = dp_budget_store_read_budget();
	Snapshot	snapshot = dp_budget_store_snapshot(budget);
	SysScanDesc scan = begin_scan(budget, snapshot, dataset);
	bool		good = true;
	HeapTuple	tuple;

	memset(total, 0, sizeof(*total));
	while (good && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		DpBudgetRow row;

		good = dp_budget_store_decode(budget, tuple, &row);
		if (good && OidIsValid(row.role))
			dp_accounting_compose(total, &row.spent);
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(budget, AccessShareLock);
	return good;
}
