/*
 * checkpoint.c
 *	  Books that stand for rows that were removed from the ledger.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "budget/books.h"
#include "budget/chain.h"
#include "budget/checkpoint.h"
#include "budget/ledger.h"
#include "compat.h"

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
	append_member(json, "pure", tally->spent.pure);
	append_member(json, "delta", tally->spent.delta);
	appendStringInfoString(json, ", \"rdp\": [");
	for (int i = 0; i < DP_ORDERS; i++)
	{
		if (i > 0)
			appendStringInfoString(json, ", ");
		append_number(json, tally->spent.rdp[i]);
	}
	appendStringInfoString(json, "]}");
}

char *
dp_budget_books_save(DpBooks *books, const DpChainEnd *end)
{
	const char *separator = "";
	StringInfoData json;
	HASH_SEQ_STATUS status;
	DpTally    *tally;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"through\": " INT64_FORMAT ", \"hash\": \"", end->id);
	for (int i = 0; i < DP_CHAIN_BYTES; i++)
		appendStringInfo(&json, "%02x", end->hash[i]);
	appendStringInfoString(&json, "\", \"budgets\": [");
	hash_seq_init(&status, books->tallies);
	while ((tally = hash_seq_search(&status)) != NULL)
	{
		appendStringInfoString(&json, separator);
		append_tally(&json, tally);
		separator = ", ";
	}
	appendStringInfoString(&json, "]}");
	return json.data;
}

static void
raise_unreadable(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("checkpoint of the ledger makes no sense")));
}

/* Run a query on a checkpoint that returns rows without nulls. */
static void
query_checkpoint(const char *query, Jsonb *checkpoint)
{
	Oid			type = JSONBOID;
	Datum		value = JsonbPGetDatum(checkpoint);
	int			result = SPI_execute_with_args(query, 1, &type, &value, NULL, true, 0);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "could not read a checkpoint: %s", SPI_result_code_string(result));
}

static Datum
column(HeapTuple tuple, int number)
{
	bool		null;
	Datum		value = SPI_getbinval(tuple, SPI_tuptable->tupdesc, number, &null);

	if (null)
		raise_unreadable();
	return value;
}

static void
load_end(Jsonb *checkpoint, DpChainEnd *end)
{
	bytea	   *hash;

	query_checkpoint("SELECT ($1->>'through')::bigint, decode($1->>'hash', 'hex')", checkpoint);
	if (SPI_processed != 1)
		raise_unreadable();
	end->id = DatumGetInt64(column(SPI_tuptable->vals[0], 1));
	hash = DatumGetByteaPP(column(SPI_tuptable->vals[0], 2));
	if (VARSIZE_ANY_EXHDR(hash) != DP_CHAIN_BYTES)
		raise_unreadable();
	memcpy(end->hash, VARDATA_ANY(hash), DP_CHAIN_BYTES);
}

static void
load_curve(HeapTuple tuple, DpCurve *spent)
{
	ArrayType  *rdp = DatumGetArrayTypeP(column(tuple, 10));

	spent->pure = DatumGetFloat8(column(tuple, 11));
	spent->delta = DatumGetFloat8(column(tuple, 12));
	if (ARR_NDIM(rdp) != 1 || ARR_HASNULL(rdp) || ARR_DIMS(rdp)[0] != DP_ORDERS)
		raise_unreadable();
	memcpy(spent->rdp, ARR_DATA_PTR(rdp), sizeof(spent->rdp));
}

static void
load_tally(DpBooks *books, HeapTuple tuple)
{
	int64		number = DatumGetInt64(column(tuple, 1));
	DpTally    *tally = hash_search(books->tallies, &number, HASH_ENTER, NULL);

	tally->seen = false;
	strlcpy(tally->dataset, TextDatumGetCString(column(tuple, 2)), NAMEDATALEN);
	strlcpy(tally->payer, TextDatumGetCString(column(tuple, 3)), NAMEDATALEN);
	tally->epsilon_limit = DatumGetFloat8(column(tuple, 4));
	tally->delta_limit = DatumGetFloat8(column(tuple, 5));
	tally->terms = MemoryContextStrdup(books->context, TextDatumGetCString(column(tuple, 6)));
	tally->statements = DatumGetInt64(column(tuple, 7));
	tally->refusals = DatumGetInt64(column(tuple, 8));
	tally->entries = DatumGetInt64(column(tuple, 9));
	load_curve(tuple, &tally->spent);
}

void
dp_budget_books_load(DpBooks *books, Jsonb *checkpoint, DpChainEnd *end)
{
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	load_end(checkpoint, end);
	query_checkpoint("SELECT budget, dataset, payer, epsilon_limit, delta_limit, terms::text,"
					 " statements, refusals, entries, rdp, pure, delta"
					 " FROM jsonb_to_recordset($1->'budgets') AS t (budget bigint,"
					 " dataset text, payer text, epsilon_limit float8, delta_limit float8,"
					 " terms jsonb, statements bigint, refusals bigint, entries bigint,"
					 " rdp float8[], pure float8, delta float8)", checkpoint);
	for (uint64 i = 0; i < SPI_processed; i++)
		load_tally(books, SPI_tuptable->vals[i]);
	SPI_finish();
}

/* Is this row a checkpoint?  Returns what it says, or NULL. */
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

/* What the newest checkpoint says, or NULL if there is none. */
static Jsonb *
newest_checkpoint(Relation ledger, SysScanDesc scan)
{
	Jsonb	   *found = NULL;
	HeapTuple	tuple;

	while (found == NULL &&
		   HeapTupleIsValid(tuple = systable_getnext_ordered(scan, BackwardScanDirection)))
	{
		CHECK_FOR_INTERRUPTS();
		found = checkpoint_in(ledger, tuple);
	}
	return found;
}

DpBooks *
dp_budget_books_open(Relation ledger, Snapshot snapshot, DpChainEnd *end)
{
	DpBooks    *books = dp_budget_books_create();
	Relation	index = index_open(dp_compat_primary_key(ledger), AccessShareLock);
	SysScanDesc scan = systable_beginscan_ordered(ledger, index, snapshot, 0, NULL);
	HeapTuple	first = systable_getnext_ordered(scan, ForwardScanDirection);
	Jsonb	   *checkpoint = NULL;
	bool		null;

	memset(end, 0, sizeof(*end));
	if (HeapTupleIsValid(first) &&
		DatumGetInt64(heap_getattr(first, DP_LEDGER_ID + 1, RelationGetDescr(ledger), &null)) > 1)
	{
		systable_endscan_ordered(scan);
		scan = systable_beginscan_ordered(ledger, index, snapshot, 0, NULL);
		checkpoint = newest_checkpoint(ledger, scan);
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	if (checkpoint != NULL)
		dp_budget_books_load(books, checkpoint, end);
	return books;
}
