/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_payer.c
 *	  Who paid for a kept answer, by the ledger.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/compat_catalog.h"
#include "budget/account/store.h"
#include "budget/audit/books.h"
#include "budget/kept/kept_payer.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

/* Is this the name of a budget's role, or was it once?  It mostly still is, and then the role's own entry tells. */
static bool
is_name_of(const DpBudgetId *budget, const char *name)
{
	const char *current = GetUserNameFromId(budget->role, true);
	DpBudgetRow row = {.role = budget->role};

	return (current && strcmp(current, name) == 0) || dp_budget_books_same_payer(&row, name);
}

/* Is a row of the ledger this one, and about this budget, as its payer? */
static bool
is_charge(Relation ledger, HeapTuple tuple, int64 entry, const DpBudgetId *budget)
{
	TupleDesc	desc = RelationGetDescr(ledger);
	bool		no_number;
	bool		no_payer;
	bool		null;
	Datum		id = heap_getattr(tuple, DP_LEDGER_ID + 1, desc, &null);
	Datum		number = heap_getattr(tuple, DP_LEDGER_BUDGET + 1, desc, &no_number);
	Datum		payer = heap_getattr(tuple, DP_LEDGER_PAYER + 1, desc, &no_payer);

	return DatumGetInt64(id) == entry && !no_number && !no_payer && DatumGetInt64(number) == budget->number &&
		is_name_of(budget, TextDatumGetCString(payer));
}

bool
dp_budget_kept_is_paid_by(int64 entry, const DpBudgetId *budget)
{
	Relation	ledger = dp_budget_store_read_ledger();
	Relation	index = index_open(dp_compat_primary_key(ledger), AccessShareLock);
	Snapshot	snapshot = dp_budget_store_snapshot(ledger);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		paid;

	ScanKeyInit(&key, DP_LEDGER_ID + 1, BTLessEqualStrategyNumber, F_INT8LE, Int64GetDatum(entry));
	scan = systable_beginscan_ordered(ledger, index, snapshot, 1, &key);
	tuple = systable_getnext_ordered(scan, BackwardScanDirection);
	paid = !HeapTupleIsValid(tuple) || is_charge(ledger, tuple, entry, budget);
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	UnregisterSnapshot(snapshot);
	table_close(ledger, AccessShareLock);
	return paid;
}
