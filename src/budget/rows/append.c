/*
 * append.c
 *	  Appending rows to the ledger, many at a time.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "budget/rows/append.h"
#include "budget/rows/chain.h"
#include "budget/rows/ledger.h"
#include "base/compat.h"

/* The number and hash of a row of the ledger. */
static void
read_end(Relation ledger, HeapTuple tuple, DpChainEnd *end)
{
	TupleDesc	desc = RelationGetDescr(ledger);
	bool		no_id;
	bool		no_hash;
	Datum		id = heap_getattr(tuple, DP_LEDGER_ID + 1, desc, &no_id);
	Datum		value = heap_getattr(tuple, DP_LEDGER_HASH + 1, desc, &no_hash);
	bytea	   *hash = no_hash ? NULL : DatumGetByteaPP(value);

	if (no_id || no_hash || VARSIZE_ANY_EXHDR(hash) != DP_CHAIN_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("last row of table \"%s\" has no hash to continue from",
						RelationGetRelationName(ledger))));
	end->id = DatumGetInt64(id);
	memcpy(end->hash, VARDATA_ANY(hash), DP_CHAIN_BYTES);
}

/* The last row of the ledger from this number on; false if there is none. */
static bool
find_last(Relation ledger, Relation index, int64 from, DpChainEnd *end)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, DP_LEDGER_ID + 1, BTGreaterEqualStrategyNumber, F_INT8GE,
				Int64GetDatum(from));
	scan = systable_beginscan_ordered(ledger, index, GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext_ordered(scan, BackwardScanDirection);
	if (HeapTupleIsValid(tuple))
		read_end(ledger, tuple, end);
	systable_endscan_ordered(scan);
	return HeapTupleIsValid(tuple);
}

/*
 * Find the end of the chain, which the caller holds.  Where it was last time is
 * a good place to look from, since an index gives all entries of a page at once,
 * but for those outside the condition.
 */
static void
find_end(Relation ledger, DpChainEnd *end)
{
	static int64 hint = PG_INT64_MIN;
	Relation	index = index_open(dp_compat_primary_key(ledger), AccessShareLock);

	memset(end, 0, sizeof(*end));
	if (!find_last(ledger, index, hint, end))
		(void) find_last(ledger, index, PG_INT64_MIN, end);
	hint = end->id;
	index_close(index, AccessShareLock);
}

void
dp_budget_append_begin(DpAppender *appender, EState *estate, ResultRelInfo *ledger)
{
	appender->estate = estate;
	appender->ledger = ledger;
	appender->slots = 0;
	appender->waiting = 0;
	find_end(ledger->ri_RelationDesc, &appender->end);
}

/* A slot for the next row; each is made once, when first needed. */
static TupleTableSlot *
next_slot(DpAppender *appender)
{
	TupleDesc	desc = RelationGetDescr(appender->ledger->ri_RelationDesc);
	TupleTableSlot *slot;

	if (appender->waiting == appender->slots)
		appender->slot[appender->slots++] = ExecInitExtraTupleSlot(appender->estate, desc,
																   &TTSOpsVirtual);
	slot = appender->slot[appender->waiting++];
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, desc->natts * sizeof(bool));
	return slot;
}

/* What the executor does to a row before it is stored. */
static void
complete_row(DpAppender *appender, TupleTableSlot *slot)
{
	TupleConstr *constr = appender->ledger->ri_RelationDesc->rd_att->constr;

	if (constr != NULL && constr->has_generated_stored)
		ExecComputeStoredGenerated(appender->ledger, appender->estate, slot, CMD_INSERT);
	if (constr != NULL)
		ExecConstraints(appender->ledger, slot, appender->estate);
	ResetPerTupleExprContext(appender->estate);
}

void
dp_budget_append_row(DpAppender *appender, const DpLedgerRow *row)
{
	TupleTableSlot *slot;

	if (appender->waiting == DP_APPEND_BATCH)
		dp_budget_append_flush(appender);
	slot = next_slot(appender);
	dp_budget_ledger_encode(row, &appender->end, slot->tts_values, slot->tts_isnull);
	ExecStoreVirtualTuple(slot);
	complete_row(appender, slot);
}

void
dp_budget_append_flush(DpAppender *appender)
{
	ResultRelInfo *ledger = appender->ledger;

	if (appender->waiting == 0)
		return;
	table_multi_insert(ledger->ri_RelationDesc, appender->slot, appender->waiting,
					   GetCurrentCommandId(true), 0, NULL);
	for (int i = 0; i < appender->waiting; i++)
	{
		if (ledger->ri_NumIndices > 0)
			dp_compat_insert_index_entries(ledger, appender->slot[i], appender->estate);
		ResetPerTupleExprContext(appender->estate);
	}
	appender->waiting = 0;
}
