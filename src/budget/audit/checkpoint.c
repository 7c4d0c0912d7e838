/* SPDX-License-Identifier: PostgreSQL */
/*
 * checkpoint.c
 *	  Books that stand for rows that were removed from the ledger.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "accounting/json.h"
#include "base/compat_catalog.h"
#include "base/compat_varlena.h"
#include "budget/account/act.h"
#include "budget/account/store.h"
#include "budget/audit/books.h"
#include "budget/audit/checkpoint.h"
#include "budget/rows/chain.h"
#include "budget/rows/ledger.h"
#include "budget/rows/walk.h"

/* So many budgets are in one row of a checkpoint: no row grows with how many there are. */
#define DP_CHECKPOINT_BUDGETS 64

static void books_save(DpBooks *books, const DpChainEnd *end);

/* Append a number that is read back as the same; JSON knows no infinity. */
static void
append_number(StringInfo json, double number)
{
	if (isinf(number))
		appendStringInfoString(json, "\"Infinity\"");
	else
		appendStringInfo(json, "%.17g", number);
}

static void
append_member(StringInfo json, const char *name, double number)
{
	appendStringInfo(json, ", \"%s\": ", name);
	append_number(json, number);
}

static void
append_name(StringInfo json, const char *name, const char *value)
{
	appendStringInfo(json, ", \"%s\": ", name);
	escape_json(json, value);
}

static void
append_tally(StringInfo json, const DpTally *tally)
{
	appendStringInfo(json, "{\"budget\": " INT64_FORMAT, tally->number);
	append_name(json, "dataset", tally->dataset);
	append_name(json, "payer", tally->payer);
	append_member(json, "epsilon_limit", tally->epsilon_limit);
	append_member(json, "delta_limit", tally->delta_limit);
	appendStringInfo(json, ", \"terms\": %s", tally->terms);
	appendStringInfo(json, ", \"statements\": " INT64_FORMAT ", \"refusals\": " INT64_FORMAT
					 ", \"entries\": " INT64_FORMAT,
					 tally->statements, tally->refusals, tally->entries);
	if (tally->refreshes)
		appendStringInfo(json, ", \"period_began\": " INT64_FORMAT, tally->period_began);
	append_member(json, "pure", tally->spent.pure);
	append_member(json, "delta", tally->spent.delta);
	append_member(json, "variance", tally->spent.variance);
	append_member(json, "coarseness", tally->spent.coarseness);
	appendStringInfoString(json, ", \"rdp\": [");
	for (int i = 0; i < DP_ORDERS; i++)
	{
		if (i > 0)
			appendStringInfoString(json, ", ");
		append_number(json, tally->spent.rdp[i]);
	}
	appendStringInfoString(json, "]}");
}

/* One row of a checkpoint: a part of the tallies, which are in the order of their numbers. */
static char *
part_of(DpTally *const *tallies, int ntallies, int part, int parts, int64 greatest,
		const DpChainEnd *end)
{
	int			from = (part - 1) * DP_CHECKPOINT_BUDGETS;
	int			to = Min(part * DP_CHECKPOINT_BUDGETS, ntallies);
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"through\": " INT64_FORMAT ", \"hash\": \"", end->id);
	for (int i = 0; i < DP_CHAIN_BYTES; i++)
		appendStringInfo(&json, "%02x", end->hash[i]);
	appendStringInfo(&json, "\", \"part\": %d, \"parts\": %d, \"greatest\": " INT64_FORMAT
					 ", \"budgets\": [", part, parts, greatest);
	for (int i = from; i < to; i++)
	{
		if (i > from)
			appendStringInfoString(&json, ", ");
		append_tally(&json, tallies[i]);
	}
	appendStringInfoString(&json, "]}");
	return json.data;
}

static int
by_number(const void *a, const void *b)
{
	int64		first = (*(DpTally *const *) a)->number;
	int64		second = (*(DpTally *const *) b)->number;

	return (first > second) - (first < second);
}

/*
 * Write a checkpoint, as acts: the books, and the end of the chain they stand for, as
 * JSON, in rows that follow each other.  Exact.
 */
static void
books_save(DpBooks *books, const DpChainEnd *end)
{
	int			ntallies = 0;
	DpTally   **tallies = palloc_extended(Max(hash_get_num_entries(books->tallies), 1) *
										  sizeof(DpTally *), MCXT_ALLOC_HUGE);
	HASH_SEQ_STATUS status;
	DpTally    *tally;
	int			parts;

	hash_seq_init(&status, books->tallies);
	while ((tally = hash_seq_search(&status)) != NULL)
		tallies[ntallies++] = tally;
	qsort(tallies, ntallies, sizeof(DpTally *), by_number);
	parts = Max((ntallies + DP_CHECKPOINT_BUDGETS - 1) / DP_CHECKPOINT_BUDGETS, 1);
	for (int part = 1; part <= parts; part++)
	{
		char	   *json = part_of(tallies, ntallies, part, parts, books->greatest, end);

		CHECK_FOR_INTERRUPTS();
		dp_budget_act_record(DP_EVENT_CHECKPOINT, GetCurrentTimestamp(), NULL, json, NULL);
		pfree(json);
	}
	pfree(tallies);
}

static void
raise_unreadable(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("checkpoint of the ledger makes no sense")));
}

/* A member of an object, of a certain type: all that a checkpoint holds is there. */
static JsonbValue *
member(JsonbContainer *object, const char *name, enum jbvType type)
{
	JsonbValue *value = JsonContainerIsObject(object) ?
		dp_accounting_json_member(object, name) : NULL;

	if (value == NULL || value->type != type)
		raise_unreadable();
	return value;
}

/* A number, or what else append_number writes. */
static double
as_number(const JsonbValue *value)
{
	if (value != NULL && value->type == jbvNumeric)
		return DatumGetFloat8(DirectFunctionCall1(numeric_float8,
												  NumericGetDatum(value->val.numeric)));
	if (!dp_accounting_json_is(value, "Infinity"))
		raise_unreadable();
	return get_float8_infinity();
}

static double
number_in(JsonbContainer *object, const char *name)
{
	return as_number(dp_accounting_json_member(object, name));
}

static int64
count_in(JsonbContainer *object, const char *name)
{
	JsonbValue *value = member(object, name, jbvNumeric);

	return DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value->val.numeric)));
}

/* Copy a name of up to 63 bytes. */
static void
copy_name(char *name, JsonbContainer *object, const char *from)
{
	JsonbValue *value = member(object, from, jbvString);

	if (value->val.string.len >= NAMEDATALEN)
		raise_unreadable();
	memcpy(name, value->val.string.val, value->val.string.len);
	name[value->val.string.len] = '\0';
}

static JsonbContainer *
list_in(JsonbContainer *object, const char *name)
{
	JsonbContainer *array = member(object, name, jbvBinary)->val.binary.data;

	if (!JsonContainerIsArray(array))
		raise_unreadable();
	return array;
}

static void
load_curve(JsonbContainer *object, DpCurve *spent)
{
	JsonbContainer *rdp = list_in(object, "rdp");

	if (JsonContainerSize(rdp) != DP_ORDERS)
		raise_unreadable();
	for (uint32 i = 0; i < DP_ORDERS; i++)
		spent->rdp[i] = as_number(getIthJsonbValueFromContainer(rdp, i));
	spent->pure = number_in(object, "pure");
	spent->delta = number_in(object, "delta");
	spent->variance = number_in(object, "variance");
	spent->coarseness = number_in(object, "coarseness");
}

/* Load the terms of a tally. */
static void
load_terms(DpBooks *books, DpTally *tally, JsonbValue *terms)
{
	tally->terms = MemoryContextStrdup(books->context,
									   JsonbToCString(NULL, terms->val.binary.data, terms->val.binary.len));
	tally->refreshes = dp_budget_row_terms_refresh(JsonbValueToJsonb(terms), &tally->refresh);
}

/* Load a tally, if the books are about it. */
static void
load_tally(DpBooks *books, JsonbContainer *object)
{
	int64		number = count_in(object, "budget");
	JsonbValue *terms;
	DpTally    *tally;

	if (!dp_budget_books_cover(books, number))
		return;
	tally = hash_search(books->tallies, &number, HASH_ENTER, NULL);
	tally->seen = false;
	copy_name(tally->dataset, object, "dataset");
	copy_name(tally->payer, object, "payer");
	tally->epsilon_limit = number_in(object, "epsilon_limit");
	tally->delta_limit = number_in(object, "delta_limit");
	terms = member(object, "terms", jbvBinary);
	load_terms(books, tally, terms);
	if (tally->refreshes)
		tally->period_began = count_in(object, "period_began");
	tally->statements = count_in(object, "statements");
	tally->refusals = count_in(object, "refusals");
	tally->entries = count_in(object, "entries");
	load_curve(object, &tally->spent);
}

static void
load_end(JsonbContainer *checkpoint, DpChainEnd *end)
{
	JsonbValue *hash = member(checkpoint, "hash", jbvString);

	if (hash->val.string.len != 2 * DP_CHAIN_BYTES)
		raise_unreadable();
	(void) hex_decode(hash->val.string.val, hash->val.string.len, (char *) end->hash);
	end->id = count_in(checkpoint, "through");
}

/*
 * Load the tallies of a part that the books are about, and where the chain goes on.  It
 * has to be this one of them, or, for 0, the last of all.  Returns its number.
 */
static int
load_part(DpBooks *books, Jsonb *checkpoint, int expected, DpChainEnd *end)
{
	MemoryContext tally = AllocSetContextCreate(CurrentMemoryContext, "dp_agg tally",
												ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(tally);
	JsonbContainer *budgets = list_in(&checkpoint->root, "budgets");
	int64		part = count_in(&checkpoint->root, "part");

	if (part != (expected > 0 ? expected : count_in(&checkpoint->root, "parts")) ||
		part < 1 || part > PG_INT32_MAX)
		raise_unreadable();
	load_end(&checkpoint->root, end);
	books->greatest = Max(books->greatest, count_in(&checkpoint->root, "greatest"));
	for (uint32 i = 0; i < JsonContainerSize(budgets); i++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(budgets, i);

		CHECK_FOR_INTERRUPTS();
		if (value->type != jbvBinary)
			raise_unreadable();
		load_tally(books, value->val.binary.data);
		MemoryContextReset(tally);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(tally);
	return part;
}

/* Is this row a part of a checkpoint?  Returns what it says, or NULL. */
static Jsonb *
checkpoint_in(Relation ledger, HeapTuple tuple)
{
	TupleDesc	desc = RelationGetDescr(ledger);
	bool		no_event;
	bool		nothing;
	Datum		event = heap_getattr(tuple, DP_LEDGER_EVENT + 1, desc, &no_event);
	Datum		says = heap_getattr(tuple, DP_LEDGER_RELEASES + 1, desc, &nothing);
	text	   *name = no_event ? NULL : DatumGetTextPP(event);
	const char *wanted = dp_budget_event_name[DP_EVENT_CHECKPOINT];

	if (no_event || nothing || VARSIZE_ANY_EXHDR(name) != strlen(wanted) ||
		memcmp(VARDATA_ANY(name), wanted, strlen(wanted)) != 0)
		return NULL;
	return DatumGetJsonbPCopy(says);
}

void
dp_budget_books_load(DpBooks *books, Relation ledger, SysScanDesc scan, DpChainEnd *end)
{
	int			part = 0;
	HeapTuple	tuple;

	while (part != 1 &&
		   HeapTupleIsValid(tuple = systable_getnext_ordered(scan, BackwardScanDirection)))
	{
		Jsonb	   *checkpoint = checkpoint_in(ledger, tuple);

		CHECK_FOR_INTERRUPTS();
		if (checkpoint != NULL)
		{
			part = load_part(books, checkpoint, Max(part - 1, 0), end);
			pfree(checkpoint);
		}
		else if (part > 0)
			raise_unreadable();
	}
	if (part > 1)
		raise_unreadable();
}

DpBooks *
dp_budget_books_open(Relation ledger, Snapshot snapshot, DpNumbers numbers, int most_after,
					 DpChainEnd *end)
{
	DpBooks    *books = dp_budget_books_create(numbers);
	Relation	index = index_open(dp_compat_primary_key(ledger), AccessShareLock);
	SysScanDesc scan = systable_beginscan_ordered(ledger, index, snapshot, 0, NULL);
	HeapTuple	first = systable_getnext_ordered(scan, ForwardScanDirection);
	bool		null;

	books->most_after = most_after;
	memset(end, 0, sizeof(*end));
	if (HeapTupleIsValid(first) &&
		DatumGetInt64(heap_getattr(first, DP_LEDGER_ID + 1, RelationGetDescr(ledger), &null)) > 1)
	{
		systable_endscan_ordered(scan);
		scan = systable_beginscan_ordered(ledger, index, snapshot, 0, NULL);
		dp_budget_books_load(books, ledger, scan, end);
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return books;
}

/*
 * dp_agg.compact_ledger: a checkpoint in place of old rows.
 *
 * Rows never change once they are there, so that removing some of them stops
 * no charge; only the checkpoint, like any act, is appended at commit.
 */

PG_FUNCTION_INFO_V1(dp_budget_compact_ledger);

/* The number of the newest row; 0 if there is none. */
static int64
newest_row(Relation ledger, Snapshot snapshot)
{
	Relation	index = index_open(dp_compat_primary_key(ledger), AccessShareLock);
	SysScanDesc scan = systable_beginscan_ordered(ledger, index, snapshot, 0, NULL);
	HeapTuple	tuple = systable_getnext_ordered(scan, BackwardScanDirection);
	bool		null;
	int64		id = 0;

	if (HeapTupleIsValid(tuple))
		id = DatumGetInt64(heap_getattr(tuple, DP_LEDGER_ID + 1, RelationGetDescr(ledger), &null));
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return id;
}

/* Enter a row in the books and remove it from the ledger; it must be right. */
static void
compact_row(DpWalk *walk, DpBooks *books, const char *problem)
{
	MemoryContext old = MemoryContextSwitchTo(walk->row_context);

	if (problem == NULL)
		problem = dp_budget_books_enter(books, walk->values, walk->nulls);
	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("row " INT64_FORMAT " of the ledger does not verify: %s",
						walk->id, problem),
				 errhint("See dp_agg.verify_ledger().")));
	simple_heap_delete(walk->ledger, &walk->tuple->t_self);
	MemoryContextSwitchTo(old);
}

/*
 * Remove all rows before the first one that is not older, and never the newest:
 * the chain goes on from it.  Returns how many, and the books at their end.
 */
static int64
compact_rows(Relation ledger, Snapshot snapshot, TimestampTz before, DpBooks *books,
			 DpChainEnd *end)
{
	int64		newest = newest_row(ledger, snapshot);
	int64		removed = 0;
	const char *problem;
	DpWalk		walk;

	dp_budget_walk_begin(&walk, ledger, snapshot, end);
	while (dp_budget_walk_next(&walk, &problem) && walk.id < newest &&
		   DatumGetTimestampTz(walk.values[DP_LEDGER_AT]) < before)
	{
		compact_row(&walk, books, problem);
		*end = walk.last;
		removed++;
	}
	dp_budget_walk_end(&walk);
	return removed;
}

static void
check_owner(Relation ledger)
{
	if (!dp_compat_owns(RelationRelationId, RelationGetRelid(ledger), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(ledger));
}

/* dp_agg.compact_ledger(before timestamptz) returns bigint */
Datum
dp_budget_compact_ledger(PG_FUNCTION_ARGS)
{
	Relation	ledger = dp_budget_store_read_ledger();
	DpChainEnd	end;
	DpBooks    *books;
	Snapshot	snapshot;
	int64		removed;

	check_owner(ledger);
	PreventCommandIfReadOnly("dp_agg.compact_ledger()");
	LockRelationOid(RelationGetRelid(ledger), ShareUpdateExclusiveLock);
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	books = dp_budget_books_open(ledger, snapshot, DP_NUMBERS_ALL, 0, &end);
	removed = compact_rows(ledger, snapshot, PG_GETARG_TIMESTAMPTZ(0), books, &end);
	if (removed > 0)
		books_save(books, &end);
	UnregisterSnapshot(snapshot);
	table_close(ledger, NoLock);
	PG_RETURN_INT64(removed);
}
