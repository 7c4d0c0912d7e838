/* SPDX-License-Identifier: PostgreSQL */
/*
 * ledger.c
 *	  Rows of the ledger: what is entered, and as columns.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat_catalog.h"
#include "base/compat_executor.h"
#include "base/compat_varlena.h"
#include "budget/rows/chain.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

static void ledger_encode(const DpLedgerRow *row, DpChainEnd *end,
						  Datum *values, bool *nulls);

const Oid	dp_budget_ledger_types[DP_LEDGER_COLUMNS] = {
	[DP_LEDGER_ID] = INT8OID,
	[DP_LEDGER_AT] = TIMESTAMPTZOID,
	[DP_LEDGER_EVENT] = TEXTOID,
	[DP_LEDGER_ROLE] = TEXTOID,
	[DP_LEDGER_DATASET] = TEXTOID,
	[DP_LEDGER_BUDGET] = INT8OID,
	[DP_LEDGER_PAYER] = TEXTOID,
	[DP_LEDGER_CAP] = INT8OID,
	[DP_LEDGER_ADMITTED] = BOOLOID,
	[DP_LEDGER_STATEMENT] = TEXTOID,
	[DP_LEDGER_RELEASES] = JSONBOID,
	[DP_LEDGER_CURVE] = FLOAT8ARRAYOID,
	[DP_LEDGER_PURE_EPSILON] = FLOAT8OID,
	[DP_LEDGER_DELTA] = FLOAT8OID,
	[DP_LEDGER_EPSILON_LIMIT] = FLOAT8OID,
	[DP_LEDGER_DELTA_LIMIT] = FLOAT8OID,
	[DP_LEDGER_EPSILON_SPENT] = FLOAT8OID,
	[DP_LEDGER_DELTA_SPENT] = FLOAT8OID,
	[DP_LEDGER_CAP_EPSILON_SPENT] = FLOAT8OID,
	[DP_LEDGER_CAP_DELTA_SPENT] = FLOAT8OID,
	[DP_LEDGER_HASH] = BYTEAOID
};

const char *const dp_budget_event_name[DP_EVENTS] = {
	[DP_EVENT_CHARGE] = "charge",
	[DP_EVENT_REFUSAL] = "refusal",
	[DP_EVENT_CAP_REFUSAL] = "refusal by cap",
	[DP_EVENT_REFRESH] = "refresh",
	[DP_EVENT_SET] = "set",
	[DP_EVENT_RESET] = "reset",
	[DP_EVENT_DROP] = "drop",
	[DP_EVENT_ACKNOWLEDGE] = "acknowledge",
	[DP_EVENT_CHECKPOINT] = "checkpoint"
};

/* Fill in one column. */
static void
set(Datum *values, bool *nulls, int column, Datum value)
{
	values[column] = value;
	nulls[column] = false;
}

/* A role by the name it has now: in time it may be renamed or dropped. */
static Datum
role_name(Oid role)
{
	char	   *name = GetUserNameFromId(role, true);

	return CStringGetTextDatum(name != NULL ? name : psprintf("%u", role));
}

/* Total that a budget has spent, worked out if it is not known. */
static double
spent_by(const DpBudgetRow *budget, const double *known)
{
	return known != NULL ? *known : dp_accounting_epsilon_spent(&budget->limit, &budget->spent);
}

/* The budget's columns; the one for who asked is there already. */
static void
set_budget(Datum *values, bool *nulls, const DpLedgerRow *row)
{
	const DpBudgetRow *budget = row->budget;

	set(values, nulls, DP_LEDGER_DATASET, CStringGetTextDatum(budget->dataset));
	set(values, nulls, DP_LEDGER_BUDGET, Int64GetDatum(budget->number));
	if (OidIsValid(budget->role))
		set(values, nulls, DP_LEDGER_PAYER, budget->role == row->role ?
			values[DP_LEDGER_ROLE] : role_name(budget->role));
	set(values, nulls, DP_LEDGER_EPSILON_LIMIT, Float8GetDatum(budget->limit.epsilon));
	set(values, nulls, DP_LEDGER_DELTA_LIMIT, Float8GetDatum(budget->limit.delta));
	set(values, nulls, DP_LEDGER_EPSILON_SPENT, Float8GetDatum(spent_by(budget, row->epsilon_spent)));
	set(values, nulls, DP_LEDGER_DELTA_SPENT, Float8GetDatum(budget->spent.delta));
}

static void
set_cap(Datum *values, bool *nulls, const DpLedgerRow *row)
{
	set(values, nulls, DP_LEDGER_CAP, Int64GetDatum(row->cap->number));
	set(values, nulls, DP_LEDGER_CAP_EPSILON_SPENT,
		Float8GetDatum(spent_by(row->cap, row->cap_epsilon_spent)));
	set(values, nulls, DP_LEDGER_CAP_DELTA_SPENT, Float8GetDatum(row->cap->spent.delta));
}

/* A cost; that of a statement without its curve, which ledger_cost.c works out anew. */
static void
set_cost(Datum *values, bool *nulls, const DpCurve *cost, bool with_curve)
{
	if (with_curve)
		set(values, nulls, DP_LEDGER_CURVE, dp_budget_row_curve(cost));
	set(values, nulls, DP_LEDGER_PURE_EPSILON, Float8GetDatum(cost->pure));
	set(values, nulls, DP_LEDGER_DELTA, Float8GetDatum(cost->delta));
}

/* Append the columns to the chain, and the hash to the columns. */
static void
set_hash(Datum *values, bool *nulls, const uint8 *known, DpChainEnd *end)
{
	bytea	   *hash = palloc(VARHDRSZ + DP_CHAIN_BYTES);

	dp_budget_chain_hash(end->hash, DP_LEDGER_HASH, dp_budget_ledger_types,
						 values, nulls, known, end->hash);
	SET_VARSIZE(hash, VARHDRSZ + DP_CHAIN_BYTES);
	memcpy(VARDATA(hash), end->hash, DP_CHAIN_BYTES);
	set(values, nulls, DP_LEDGER_HASH, PointerGetDatum(hash));
}

Jsonb *
dp_budget_ledger_json(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

/*
 * Fill in the next row, in the current memory context but for what the row
 * points to, and move the end of the chain on to it.
 */
static void
ledger_encode(const DpLedgerRow *row, DpChainEnd *end,
			  Datum *values, bool *nulls)
{
	end->id++;
	set(values, nulls, DP_LEDGER_ID, Int64GetDatum(end->id));
	set(values, nulls, DP_LEDGER_AT, TimestampTzGetDatum(row->at));
	set(values, nulls, DP_LEDGER_EVENT,
		CStringGetTextDatum(dp_budget_event_name[row->event]));
	set(values, nulls, DP_LEDGER_ROLE, role_name(row->role));
	if (row->budget != NULL)
		set_budget(values, nulls, row);
	if (row->cap != NULL)
		set_cap(values, nulls, row);
	if (row->event <= DP_EVENT_CAP_REFUSAL)
		set(values, nulls, DP_LEDGER_ADMITTED, BoolGetDatum(row->event == DP_EVENT_CHARGE));
	if (row->statement != NULL)
		set(values, nulls, DP_LEDGER_STATEMENT, PointerGetDatum(row->statement));
	if (row->releases != NULL)
		set(values, nulls, DP_LEDGER_RELEASES,
			JsonbPGetDatum(unconstify(Jsonb *, row->releases)));
	if (row->cost != NULL)
		set_cost(values, nulls, row->cost, row->event > DP_EVENT_CAP_REFUSAL);
	set_hash(values, nulls, row->digest, end);
}

/*
 * Appending rows to the ledger, many at a time.
 */

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

/* Do as the executor does to a row before it is stored. */
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
	ledger_encode(row, &appender->end, slot->tts_values, slot->tts_isnull);
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
