/*
 * kept_verify.c
 *	  Do kept answers follow from the ledger?
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "budget/rows/chain.h"
#include "budget/answers/kept_table.h"
#include "budget/answers/kept_verify.h"
#include "budget/rows/ledger.h"
#include "base/compat.h"

/* Does a charge say that it paid for a question? */
static bool
pays_for(const Datum *charge, const bool *nulls, Datum question)
{
	Jsonb	   *releases = nulls[DP_LEDGER_RELEASES] ? NULL : DatumGetJsonbP(charge[DP_LEDGER_RELEASES]);
	char	   *hex = TextDatumGetCString(DirectFunctionCall2(binary_encode, question,
															  CStringGetTextDatum("hex")));

	return releases && strstr(JsonbToCString(NULL, &releases->root, VARSIZE(releases)), hex);
}

/* What is wrong with an answer, by the row of the ledger that it names; NULL if nothing is. */
static const char *
compare_to_charge(const Datum *answer, const Datum *charge, const bool *nulls)
{
	uint8		hash[DP_CHAIN_BYTES];
	bytea	   *borne = DatumGetByteaPP(answer[DP_KEPT_HASH]);
	bytea	   *charged = nulls[DP_LEDGER_HASH] ? NULL : DatumGetByteaPP(charge[DP_LEDGER_HASH]);

	if (strcmp(TextDatumGetCString(charge[DP_LEDGER_EVENT]), dp_budget_event_name[DP_EVENT_CHARGE]) != 0 ||
		nulls[DP_LEDGER_BUDGET] ||
		DatumGetInt64(charge[DP_LEDGER_BUDGET]) != DatumGetInt64(answer[DP_KEPT_BUDGET]) ||
		DatumGetTimestampTz(charge[DP_LEDGER_AT]) != DatumGetTimestampTz(answer[DP_KEPT_ASKED_AT]) ||
		!pays_for(charge, nulls, answer[DP_KEPT_QUESTION]))
		return "an answer is kept that it did not pay for";
	if (charged == NULL || VARSIZE_ANY_EXHDR(charged) != DP_CHAIN_BYTES)
		return NULL;
	dp_budget_kept_table_hash(answer, (const uint8 *) VARDATA_ANY(charged), hash);
	if (VARSIZE_ANY_EXHDR(borne) != DP_CHAIN_BYTES ||
		memcmp(VARDATA_ANY(borne), hash, DP_CHAIN_BYTES) != 0)
		return "the answer that is kept for it was changed";
	return NULL;
}

/* The first row of the ledger with this number, or after it if there is none; NULL for none. */
static SysScanDesc
find_entry(Relation ledger, Relation index, Snapshot snapshot, StrategyNumber strategy,
		   RegProcedure comparison, int64 entry, HeapTuple *tuple)
{
	ScanKeyData key;
	SysScanDesc scan;

	ScanKeyInit(&key, DP_LEDGER_ID + 1, strategy, comparison, Int64GetDatum(entry));
	scan = systable_beginscan_ordered(ledger, index, snapshot, 1, &key);
	*tuple = systable_getnext_ordered(scan, ForwardScanDirection);
	return scan;
}

/* Were rows as old as this one removed? */
static bool
is_compacted(Relation ledger, Relation index, Snapshot snapshot, int64 entry)
{
	HeapTuple	older;
	SysScanDesc scan = find_entry(ledger, index, snapshot, BTLessEqualStrategyNumber, F_INT8LE, entry, &older);
	bool		compacted = !HeapTupleIsValid(older);

	systable_endscan_ordered(scan);
	return compacted;
}

/* What is wrong with an answer; NULL if nothing is. */
static const char *
check_answer(Relation ledger, Relation index, Snapshot snapshot, const Datum *answer)
{
	int64		entry = DatumGetInt64(answer[DP_KEPT_ENTRY]);
	int			columns = RelationGetNumberOfAttributes(ledger);
	Datum	   *values = palloc(columns * sizeof(Datum));
	bool	   *nulls = palloc(columns * sizeof(bool));
	const char *problem = NULL;
	HeapTuple	charge;
	SysScanDesc scan = find_entry(ledger, index, snapshot, BTEqualStrategyNumber, F_INT8EQ, entry, &charge);

	if (HeapTupleIsValid(charge))
	{
		heap_deform_tuple(charge, RelationGetDescr(ledger), values, nulls);
		problem = compare_to_charge(answer, values, nulls);
	}
	else if (!is_compacted(ledger, index, snapshot, entry))
		problem = "an answer is kept, but there is no such charge";
	systable_endscan_ordered(scan);
	return problem;
}

void
dp_budget_kept_verify(Relation ledger, Snapshot snapshot, DpKeptReport report, void *context)
{
	Relation	table = dp_budget_kept_table_read();
	Relation	index = index_open(dp_compat_primary_key(ledger), AccessShareLock);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg kept answer",
											  ALLOCSET_DEFAULT_SIZES);
	int			columns = table ? RelationGetNumberOfAttributes(table) : 0;
	Datum	   *values = palloc(columns * sizeof(Datum));
	bool	   *nulls = palloc(columns * sizeof(bool));
	SysScanDesc scan = table ? systable_beginscan(table, InvalidOid, false, snapshot, 0, NULL) : NULL;
	HeapTuple	tuple;

	while (scan && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		MemoryContext old = MemoryContextSwitchTo(row);
		const char *problem;

		CHECK_FOR_INTERRUPTS();
		heap_deform_tuple(tuple, RelationGetDescr(table), values, nulls);
		problem = check_answer(ledger, index, snapshot, values);
		MemoryContextSwitchTo(old);
		if (problem)
			report(context, DatumGetInt64(values[DP_KEPT_ENTRY]), problem);
		MemoryContextReset(row);
	}
	if (scan)
		systable_endscan(scan);
	if (table)
		table_close(table, AccessShareLock);
	index_close(index, AccessShareLock);
	MemoryContextDelete(row);
}
