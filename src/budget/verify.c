/* SPDX-License-Identifier: PostgreSQL */
/*
 * verify.c
 *	  dp_agg.verify_ledger: do the ledger and the budgets hold?
 *
 * What each statement cost is worked out anew from its releases.
 *
 * Verification is one walk over the ledger and one over the budget table, both
 * by one snapshot: what the keeper and administrators change they change in
 * both at once.  Where there are more budgets than maintenance_work_mem holds, more of
 * both follow, each about the budgets of the least numbers that come next, which the walk
 * before has found.  The chain is verified by the first.  An index on budgets would lead to
 * as few rows, but from one page of the ledger to another.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "base/compat_varlena.h"
#include "budget/account/role.h"
#include "budget/account/store.h"
#include "budget/audit/books.h"
#include "budget/audit/checkpoint.h"
#include "budget/kept/kept.h"
#include "budget/rows/ledger.h"
#include "budget/rows/ledger_cost.h"
#include "budget/rows/row.h"
#include "budget/rows/walk.h"

PG_FUNCTION_INFO_V1(dp_budget_verify_ledger);

/* Most budgets that are verified at once, whatever memory there is. */
#define DP_MOST_TALLIES (1 << 20)

/* Report a problem, of a row of the ledger or of a budget (0). */
static void
report(ReturnSetInfo *result, int64 id, const char *problem)
{
	Datum		values[2];
	bool		nulls[2] = {id == 0, false};

	values[0] = Int64GetDatum(id);
	values[1] = CStringGetTextDatum(problem);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * Walk the ledger, reporting whatever is wrong with the budgets of these numbers, and of
 * the least ones with the chain; returns what it adds up to.
 */
static DpBooks *
verify_chain(ReturnSetInfo *result, Relation ledger, Snapshot snapshot, DpNumbers numbers,
			 int most)
{
	DpChainEnd	start;
	DpBooks    *books = dp_budget_books_open(ledger, snapshot, numbers, most, &start);
	const char *problem;
	DpWalk		walk;

	dp_budget_walk_begin(&walk, ledger, snapshot, numbers.from == PG_INT64_MIN ? &start : NULL);
	while (dp_budget_walk_next(&walk, &problem))
	{
		MemoryContext old = MemoryContextSwitchTo(walk.row_context);

		if (problem != NULL)
			report(result, walk.id, problem);
		problem = dp_budget_books_enter(books, walk.values, walk.nulls);
		if (problem != NULL)
			report(result, walk.id, problem);
		MemoryContextSwitchTo(old);
	}
	dp_budget_walk_end(&walk);
	return books;
}

/* The same text that the ledger keeps of a row's terms. */
static bool
same_terms(const DpBudgetRow *row, const DpTally *tally)
{
	Datum		json = DirectFunctionCall1(jsonb_in, CStringGetDatum(dp_budget_row_terms(row)));
	Jsonb	   *terms = DatumGetJsonbP(json);

	return tally->terms != NULL &&
		strcmp(JsonbToCString(NULL, &terms->root, VARSIZE(terms)), tally->terms) == 0;
}

/* How a budget differs from what the ledger adds up to, or NULL. */
static const char *
compare(const DpBudgetRow *row, const DpTally *tally)
{
	if (strcmp(row->dataset, tally->dataset) != 0 || !dp_budget_books_same_payer(row, tally->payer))
		return "is another's in the ledger";
	if (row->limit.epsilon != tally->epsilon_limit ||
		row->limit.delta != tally->delta_limit || !same_terms(row, tally))
		return "has another limit in the ledger";
	if (row->refreshes && row->period_began != tally->period_began)
		return "began its period at another time in the ledger";
	if (!dp_budget_same_cost(&row->spent, &tally->spent, tally->entries))
		return "has not spent what the ledger adds up to";
	if (row->statements != tally->statements || row->refusals != tally->refusals)
		return "counts other statements than the ledger";
	if (row->entries != tally->entries)
		return "counts other rows about it than there are in the ledger";
	return NULL;
}

static char *
describe(int64 number, const char *role, const char *dataset)
{
	if (role == NULL)
		return psprintf("cap " INT64_FORMAT " on data set \"%s\"", number, dataset);
	return psprintf("budget " INT64_FORMAT " of role \"%s\" on data set \"%s\"",
					number, role, dataset);
}

/* Role whose budget a row is; NULL for a cap. */
static const char *
row_role(const DpBudgetRow *row)
{
	char	   *name;

	if (!OidIsValid(row->role))
		return NULL;
	name = GetUserNameFromId(row->role, true);
	return name != NULL ? name : psprintf("%u", row->role);
}

/* Compare a row of the budget table to the books, if they are about it. */
static void
verify_budget(ReturnSetInfo *result, DpBooks *books, Relation budget, HeapTuple tuple)
{
	DpBudgetRow row = {0};
	bool		good = dp_budget_store_decode(budget, tuple, &row);
	DpTally    *tally = dp_budget_books_find(books, row.number);
	const char *problem;

	if (!dp_budget_books_cover(books, row.number))
		return;
	if (!good)
		problem = "makes no sense";
	else if (tally == NULL || tally->seen)
		problem = "is not in the ledger";
	else
		problem = compare(&row, tally);
	if (tally != NULL)
		tally->seen = true;
	if (problem != NULL)
		report(result, 0, psprintf("%s %s", describe(row.number, row_role(&row), row.dataset),
								   problem));
}

static void
verify_budgets(ReturnSetInfo *result, DpBooks *books, Relation budget, Snapshot snapshot)
{
	SysScanDesc scan = systable_beginscan(budget, InvalidOid, false, snapshot, 0, NULL);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg budget",
											  ALLOCSET_DEFAULT_SIZES);
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		CHECK_FOR_INTERRUPTS();
		verify_budget(result, books, budget, tuple);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	MemoryContextDelete(row);
	systable_endscan(scan);
}

/*
 * Report budgets that are gone but were not dropped.  That of a role that is
 * gone itself is not missed: no dump holds it.
 */
static void
report_missing(ReturnSetInfo *result, DpBooks *books)
{
	HASH_SEQ_STATUS status;
	DpTally    *tally;

	hash_seq_init(&status, books->tallies);
	while ((tally = hash_seq_search(&status)) != NULL)
	{
		const char *role = tally->payer[0] != '\0' ? tally->payer : NULL;

		if (!tally->seen && (role == NULL || OidIsValid(dp_budget_role_named(role))))
			report(result, 0, psprintf("%s is gone, but was not dropped",
									   describe(tally->number, role, tally->dataset)));
	}
}

static void
report_kept(void *result, int64 entry, const char *problem)
{
	report(result, entry, problem);
}

/*
 * Verify the budgets of these numbers, in memory for these alone.  False if there are no
 * greater numbers; else sets the next ones, as many as are to be verified at once.
 */
static bool
verify_numbers(ReturnSetInfo *result, Relation ledger, Relation budget, Snapshot snapshot,
			   int most, DpNumbers *numbers)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg books",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	DpBooks    *books = verify_chain(result, ledger, snapshot, *numbers, most);
	bool		more;

	verify_budgets(result, books, budget, snapshot);
	report_missing(result, books);
	more = books->nafter > 0;
	if (more)
	{
		numbers->from = books->after[0];
		numbers->through = books->nafter == most ? books->after[most - 1] : PG_INT64_MAX;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return more;
}

/* Verify all budgets, as many at a time as maintenance_work_mem holds. */
static void
verify_all(ReturnSetInfo *result, Relation ledger, Relation budget, Snapshot snapshot)
{
	int			most = Min(maintenance_work_mem * INT64CONST(1024) / DP_TALLY_BYTES, DP_MOST_TALLIES);
	DpNumbers	numbers = {PG_INT64_MIN, most};

	while (verify_numbers(result, ledger, budget, snapshot, most, &numbers))
		continue;
}

/* dp_agg.verify_ledger() returns setof (id bigint, problem text) */
Datum
dp_budget_verify_ledger(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation	budget = dp_budget_store_read_budget();
	Relation	ledger = dp_budget_store_read_ledger();
	Snapshot	snapshot = dp_budget_store_snapshot(budget);

	InitMaterializedSRF(fcinfo, 0);
	verify_all(result, ledger, budget, snapshot);
	dp_budget_kept_verify(ledger, snapshot, report_kept, result);
	UnregisterSnapshot(snapshot);
	table_close(ledger, AccessShareLock);
	table_close(budget, AccessShareLock);
	return (Datum) 0;
}
