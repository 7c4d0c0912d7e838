/* SPDX-License-Identifier: PostgreSQL */
/*
 * follow.c
 *	  Does a row of the budget table follow from the ledger?
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "budget/account/own_index.h"
#include "budget/audit/books.h"
#include "budget/audit/checkpoint.h"
#include "budget/audit/follow.h"
#include "budget/rows/chain.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

/*
 * Totals are compared with what was worked out once, perhaps by another
 * machine's arithmetic.
 */
#define DP_FOLLOW_ROUNDING 1e-9

/* Indexes of the ledger, each of a column and the row's number. */
typedef struct DpLedgerIndex
{
	const char *name;
	int			column;
} DpLedgerIndex;

static const DpLedgerIndex by_budget = {"ledger_budget", DP_LEDGER_BUDGET};
static const DpLedgerIndex by_cap = {"ledger_cap", DP_LEDGER_CAP};
static const DpLedgerIndex by_set = {"ledger_set", DP_LEDGER_BUDGET};	/* event is set */
static const DpLedgerIndex by_refresh = {"ledger_refresh", DP_LEDGER_BUDGET};	/* event is refresh */
static const DpLedgerIndex by_capped = {"ledger_capped", DP_LEDGER_DATASET};	/* about caps */

/* A row of the ledger; values are NULL for none. */
typedef struct DpEntry
{
	Datum	   *values;
	bool	   *nulls;
} DpEntry;

/* Last state of a budget or cap by the ledger. */
typedef struct DpSaid
{
	bool		known;
	bool		dropped;
	char		dataset[NAMEDATALEN];
	char		payer[NAMEDATALEN]; /* empty: a cap */
	double		epsilon_limit;
	double		delta_limit;
	double		epsilon_spent;
	double		delta_spent;
} DpSaid;

/* The books of the newest checkpoint, by the number of its row. */
static struct
{
	int64		id;				/* 0: none */
	MemoryContext context;
	DpBooks    *books;
	List	   *capped;			/* names of data sets with a cap */
}			checkpoint;

/* A data set without a cap, up to an end of the chain; empty: none is known. */
static struct
{
	char		dataset[NAMEDATALEN];
	DpChainEnd	end;
}			uncapped;

/* Open an index of the ledger, whose second column is always the row's number. */
static Relation
open_index(Relation ledger, const DpLedgerIndex *wanted)
{
	const AttrNumber column[] = {wanted->column + 1, DP_LEDGER_ID + 1};

	return dp_budget_own_index_named(ledger, wanted->name, column, lengthof(column), false);
}

static DpEntry
read_entry(Relation ledger, HeapTuple tuple)
{
	int			columns = RelationGetNumberOfAttributes(ledger);
	DpEntry		entry = {
		.values = palloc(columns * sizeof(Datum)),
		.nulls = palloc(columns * sizeof(bool))
	};

	heap_deform_tuple(heap_copytuple(tuple), RelationGetDescr(ledger), entry.values, entry.nulls);
	return entry;
}

static bool
is_event(const DpEntry *entry, DpEvent event)
{
	return !entry->nulls[DP_LEDGER_EVENT] &&
		strcmp(TextDatumGetCString(entry->values[DP_LEDGER_EVENT]),
			   dp_budget_event_name[event]) == 0;
}

/* The last row with a key, of a certain event if that is one. */
static DpEntry
find_last(Relation ledger, const DpLedgerIndex *wanted, ScanKey key, DpEvent event)
{
	Relation	index = open_index(ledger, wanted);
	SysScanDesc scan = systable_beginscan_ordered(ledger, index, GetActiveSnapshot(), 1, key);
	DpEntry		entry = {0};
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, BackwardScanDirection)))
	{
		entry = read_entry(ledger, tuple);
		if (event == DP_EVENTS || is_event(&entry, event))
			break;
		entry.values = NULL;
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return entry;
}

/* The last row with a number of a budget or cap in a column. */
static DpEntry
find_last_of(Relation ledger, const DpLedgerIndex *wanted, int64 number)
{
	ScanKeyData key;

	ScanKeyInit(&key, wanted->column + 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(number));
	return find_last(ledger, wanted, &key, DP_EVENTS);
}

/* Key of rows about no budget, such as checkpoints. */
static ScanKeyData
about_no_budget(void)
{
	ScanKeyData key;

	ScanKeyEntryInitialize(&key, SK_ISNULL | SK_SEARCHNULL, DP_LEDGER_BUDGET + 1,
						   InvalidStrategy, InvalidOid, InvalidOid, InvalidOid, (Datum) 0);
	return key;
}

/* The last row of the newest checkpoint. */
static DpEntry
find_checkpoint(Relation ledger)
{
	ScanKeyData key = about_no_budget();

	return find_last(ledger, &by_budget, &key, DP_EVENT_CHECKPOINT);
}

/* Names of the data sets that have a cap in books, in the current memory context. */
static List *
capped_in(DpBooks *books)
{
	HASH_SEQ_STATUS status;
	DpTally    *tally;
	List	   *capped = NIL;

	hash_seq_init(&status, books->tallies);
	while ((tally = hash_seq_search(&status)) != NULL)
		if (tally->payer[0] == '\0')
			capped = lappend(capped, tally->dataset);
	return capped;
}

/* Take up the books of the newest checkpoint, whose last row this is. */
static void
load_checkpoint(Relation ledger, const DpEntry *entry)
{
	Relation	index = open_index(ledger, &by_budget);
	ScanKeyData key = about_no_budget();
	SysScanDesc scan = systable_beginscan_ordered(ledger, index, GetActiveSnapshot(), 1, &key);
	MemoryContext old;
	DpChainEnd	end;

	checkpoint.id = 0;
	if (checkpoint.context == NULL)
		checkpoint.context = AllocSetContextCreate(TopMemoryContext, "dp_agg checkpoint",
												   ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(checkpoint.context);
	old = MemoryContextSwitchTo(checkpoint.context);
	checkpoint.books = dp_budget_books_create(DP_NUMBERS_ALL);
	dp_budget_books_load(checkpoint.books, ledger, scan, &end);
	checkpoint.capped = capped_in(checkpoint.books);
	MemoryContextSwitchTo(old);
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	checkpoint.id = DatumGetInt64(entry->values[DP_LEDGER_ID]);
}

/* The books of the rows that were removed; NULL if none were. */
static DpBooks *
checkpoint_books(Relation ledger)
{
	DpEntry		entry = find_checkpoint(ledger);

	if (entry.values == NULL || entry.nulls[DP_LEDGER_RELEASES])
		return NULL;
	if (checkpoint.id != DatumGetInt64(entry.values[DP_LEDGER_ID]))
		load_checkpoint(ledger, &entry);
	return checkpoint.books;
}

static DpTally *
find_tally(Relation ledger, int64 number)
{
	DpBooks    *books = checkpoint_books(ledger);

	return books != NULL ? dp_budget_books_find(books, number) : NULL;
}

static double
number_in(const DpEntry *entry, int column)
{
	return entry->nulls[column] ? 0 : DatumGetFloat8(entry->values[column]);
}

static void
copy_name(char *name, const DpEntry *entry, int column)
{
	strlcpy(name, entry->nulls[column] ? "" : TextDatumGetCString(entry->values[column]),
			NAMEDATALEN);
}

static void
say_entry(DpSaid *said, const DpEntry *entry)
{
	said->known = true;
	said->dropped = is_event(entry, DP_EVENT_DROP);
	copy_name(said->dataset, entry, DP_LEDGER_DATASET);
	copy_name(said->payer, entry, DP_LEDGER_PAYER);
	said->epsilon_limit = number_in(entry, DP_LEDGER_EPSILON_LIMIT);
	said->delta_limit = number_in(entry, DP_LEDGER_DELTA_LIMIT);
	said->epsilon_spent = number_in(entry, DP_LEDGER_EPSILON_SPENT);
	said->delta_spent = number_in(entry, DP_LEDGER_DELTA_SPENT);
}

/* Figures for what was spent depend on a limit: the row's, if it is the same. */
static void
say_tally(DpSaid *said, const DpTally *tally, const DpLimit *limit)
{
	said->known = true;
	strlcpy(said->dataset, tally->dataset, NAMEDATALEN);
	strlcpy(said->payer, tally->payer, NAMEDATALEN);
	said->epsilon_limit = tally->epsilon_limit;
	said->delta_limit = tally->delta_limit;
	said->epsilon_spent = dp_accounting_epsilon_spent(limit, &tally->spent);
	said->delta_spent = tally->spent.delta;
}

/* Statements on a cap are rows about the budgets that paid. */
static void
say_cap(DpSaid *said, Relation ledger, const DpEntry *about, int64 number)
{
	DpEntry		entry = find_last_of(ledger, &by_cap, number);

	if (entry.values == NULL ||
		(about->values != NULL && DatumGetInt64(about->values[DP_LEDGER_ID]) >
		 DatumGetInt64(entry.values[DP_LEDGER_ID])))
		return;
	said->epsilon_spent = number_in(&entry, DP_LEDGER_CAP_EPSILON_SPENT);
	said->delta_spent = number_in(&entry, DP_LEDGER_CAP_DELTA_SPENT);
}

static DpSaid
what_was_said(Relation ledger, const DpBudgetRow *row)
{
	DpSaid		said = {0};
	DpEntry		about = find_last_of(ledger, &by_budget, row->number);
	DpTally    *tally;

	if (about.values != NULL)
		say_entry(&said, &about);
	else if ((tally = find_tally(ledger, row->number)) != NULL)
		say_tally(&said, tally, &row->limit);
	if (said.known && !OidIsValid(row->role))
		say_cap(&said, ledger, &about, row->number);
	return said;
}

static Jsonb *
read_json(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

/* The terms that were set last; NULL if none are known. */
static Jsonb *
last_terms(Relation ledger, int64 number)
{
	DpEntry		entry = find_last_of(ledger, &by_set, number);
	DpTally    *tally;

	if (entry.values != NULL)
		return entry.nulls[DP_LEDGER_RELEASES] ? NULL :
			DatumGetJsonbP(entry.values[DP_LEDGER_RELEASES]);
	tally = find_tally(ledger, number);
	return tally != NULL && tally->terms != NULL ? read_json(tally->terms) : NULL;
}

/* Are the terms of the row those that were set last? */
static bool
same_terms(Relation ledger, const DpBudgetRow *row)
{
	Jsonb	   *set = last_terms(ledger, row->number);

	return set != NULL &&
		compareJsonbContainers(&set->root, &read_json(dp_budget_row_terms(row))->root) == 0;
}

/*
 * When terms, newer than a row of the ledger, first said that a budget refreshes, since none
 * said that it does not.  False if they say nothing on when its period began; *ends if they
 * said that it had none.
 */
static bool
first_set(Relation ledger, int64 number, int64 after, TimestampTz *began, bool *ends)
{
	Relation	index = open_index(ledger, &by_set);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;

	*ends = false;
	ScanKeyInit(&key, by_set.column + 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(number));
	scan = systable_beginscan_ordered(ledger, index, GetActiveSnapshot(), 1, &key);
	while (!*ends && HeapTupleIsValid(tuple = systable_getnext_ordered(scan, BackwardScanDirection)))
	{
		DpEntry		entry = read_entry(ledger, tuple);
		Interval	refresh;

		CHECK_FOR_INTERRUPTS();
		if (DatumGetInt64(entry.values[DP_LEDGER_ID]) < after)
			break;
		*ends = entry.nulls[DP_LEDGER_RELEASES] ||
			!dp_budget_row_terms_refresh(DatumGetJsonbP(entry.values[DP_LEDGER_RELEASES]), &refresh);
		if (*ends)
			break;
		*began = DatumGetTimestampTz(entry.values[DP_LEDGER_AT]);
		found = true;
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return found;
}

/*
 * When the period of a budget that refreshes began, by the ledger: when it was refreshed
 * last, or, if it did not refresh at any time since then, when it was set to.
 */
static TimestampTz
period_said(Relation ledger, int64 number)
{
	DpEntry		refreshed = find_last_of(ledger, &by_refresh, number);
	int64		after = refreshed.values != NULL ?
		DatumGetInt64(refreshed.values[DP_LEDGER_ID]) : PG_INT64_MIN;
	TimestampTz began = DT_NOBEGIN;
	bool		ends;
	bool		set = first_set(ledger, number, after, &began, &ends);
	DpTally    *tally;

	if (set && ends)
		return began;
	if (refreshed.values != NULL)
		return DatumGetTimestampTz(refreshed.values[DP_LEDGER_AT]);
	tally = find_tally(ledger, number);
	return tally != NULL && tally->refreshes ? tally->period_began : began;
}

static bool
is_less(double here, double said)
{
	return here < said * (1 - DP_FOLLOW_ROUNDING);
}

const char *
dp_budget_follow_check(Relation ledger, const DpBudgetRow *row)
{
	DpSaid		said = what_was_said(ledger, row);

	if (!said.known)
		return "is not in the ledger";
	if (said.dropped)
		return "was dropped in the ledger";
	if (strcmp(row->dataset, said.dataset) != 0 || !dp_budget_books_same_payer(row, said.payer))
		return "is another's in the ledger";
	if (row->limit.epsilon != said.epsilon_limit || row->limit.delta != said.delta_limit ||
		!same_terms(ledger, row))
		return "has another limit in the ledger";
	if (row->refreshes && row->period_began != period_said(ledger, row->number))
		return "began its period at another time in the ledger";
	if (is_less(dp_accounting_epsilon_spent(&row->limit, &row->spent), said.epsilon_spent) ||
		is_less(row->spent.delta, said.delta_spent))
		return "has spent more in the ledger";
	return NULL;
}

/* Was a cap of a data set the last thing said of its caps? */
static bool
says_capped(Relation ledger, const char *dataset)
{
	ScanKeyData key;
	DpEntry		entry;
	ListCell   *lc;

	ScanKeyInit(&key, by_capped.column + 1, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(dataset));
	entry = find_last(ledger, &by_capped, &key, DP_EVENTS);
	if (entry.values != NULL)
		return !is_event(&entry, DP_EVENT_DROP);
	if (checkpoint_books(ledger) != NULL)
		foreach(lc, checkpoint.capped)
			if (strcmp(lfirst(lc), dataset) == 0)
				return true;
	return false;
}

int64
dp_budget_follow_greatest(Relation ledger)
{
	DpBooks    *books = checkpoint_books(ledger);
	int64		greatest = books != NULL ? books->greatest : 0;
	ScanKeyData key;
	DpEntry		entry;

	ScanKeyInit(&key, by_budget.column + 1, BTLessEqualStrategyNumber, F_INT8LE,
				Int64GetDatum(PG_INT64_MAX));
	entry = find_last(ledger, &by_budget, &key, DP_EVENTS);
	if (entry.values != NULL)
		greatest = Max(greatest, DatumGetInt64(entry.values[DP_LEDGER_BUDGET]));
	return greatest;
}

static bool
same_end(const DpChainEnd *one, const DpChainEnd *other)
{
	return one->id == other->id && memcmp(one->hash, other->hash, DP_CHAIN_BYTES) == 0;
}

bool
dp_budget_follow_has_cap(Relation ledger, const char *dataset, const DpChainEnd *end)
{
	if (strcmp(uncapped.dataset, dataset) == 0 && same_end(&uncapped.end, end))
		return false;
	if (says_capped(ledger, dataset))
		return true;
	strlcpy(uncapped.dataset, dataset, NAMEDATALEN);
	uncapped.end = *end;
	return false;
}

/* If it is not committed, nobody meets with this end. */
void
dp_budget_follow_decided(const DpChainEnd *from, const DpChainEnd *end)
{
	if (same_end(&uncapped.end, from))
		uncapped.end = *end;
}
