/* SPDX-License-Identifier: PostgreSQL */
/*
 * number.c
 *	  Numbers of budgets, which are never used again.
 *
 * No sequence gives them: whoever may write all data may set one back.  They follow
 * from what only the extension writes, the budget table and the ledger.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "budget/account/own_index.h"
#include "budget/account/store.h"
#include "budget/audit/follow.h"
#include "budget/audit/number.h"
#include "budget/rows/row.h"

/* The last number given, which the ledger does not have before the transaction commits. */
static struct
{
	TransactionId transaction;
	int64		number;
}			given;

/* The greatest number in the table, or 0. */
static int64
greatest_there(Relation budget)
{
	static const AttrNumber column[] = {DP_BUDGET_NUMBER + 1};
	Relation	index = dp_budget_own_index_named(budget, "budget_number_key", column, lengthof(column), true);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	int64		number = 0;
	bool		null;

	ScanKeyInit(&key, DP_BUDGET_NUMBER + 1, BTLessEqualStrategyNumber, F_INT8LE,
				Int64GetDatum(PG_INT64_MAX));
	scan = systable_beginscan_ordered(budget, index, GetActiveSnapshot(), 1, &key);
	if (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, BackwardScanDirection)))
		number = DatumGetInt64(heap_getattr(tuple, DP_BUDGET_NUMBER + 1,
											RelationGetDescr(budget), &null));
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return Max(number, 0);
}

/* The greatest number that was ever used. */
static int64
greatest_known(Relation budget)
{
	Relation	ledger = dp_budget_store_read_ledger();
	int64		number = Max(greatest_there(budget), dp_budget_follow_greatest(ledger));

	table_close(ledger, AccessShareLock);
	if (given.transaction == GetTopTransactionId())
		number = Max(number, given.number);
	return number;
}

/* The next number, by what has been committed and this transaction. */
static int64
next_number(Relation budget)
{
	int64		number;

	PushActiveSnapshot(GetLatestSnapshot());
	number = greatest_known(budget);
	PopActiveSnapshot();
	if (number == PG_INT64_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("no number is left for another budget")));
	return number + 1;
}

/* Is there a budget already? */
static bool
has_begun(Relation budget, Oid role, const char *dataset)
{
	DpBudgetRow row;
	bool		begun;

	PushActiveSnapshot(GetLatestSnapshot());
	begun = dp_budget_store_find(budget, GetActiveSnapshot(), role, dataset, &row) != DP_LOOKUP_ABSENT;
	PopActiveSnapshot();
	return begun;
}

int64
dp_budget_number_for(Oid role, const char *dataset)
{
	Relation	budget = dp_budget_store_read_budget();
	bool		begun = has_begun(budget, role, dataset);
	int64		number;

	if (!begun)
		dp_budget_store_lock_beginnings();
	number = next_number(budget);
	table_close(budget, AccessShareLock);
	if (!begun)
	{
		given.transaction = GetTopTransactionId();
		given.number = number;
	}
	return number;
}
