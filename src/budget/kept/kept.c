/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept.c
 *	  Answers that were paid for and are kept, from the session's side.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat_catalog.h"
#include "base/compat_varlena.h"
#include "base/settings.h"
#include "base/usage.h"
#include "budget/account/store.h"
#include "budget/kept/kept.h"
#include "budget/kept/kept_parcel.h"
#include "budget/kept/kept_payer.h"
#include "budget/kept/kept_table.h"
#include "budget/queue/kept_count.h"
#include "budget/queue/kept_queue.h"
#include "budget/queue/parcel.h"
#include "budget/queue/queue.h"
#include "budget/rows/chain.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

/*
 * Removing kept answers, with the caller's transaction.
 *
 * Rows that the keeper is writing are waited for; the keeper does not wait for those that
 * are being removed.
 */

PG_FUNCTION_INFO_V1(dp_budget_forget_kept);

/* Answers to forget. */
typedef struct Forgotten
{
	const char *relation;		/* what was asked of this, or NULL */
	bool		of_budgets;		/* what these paid for, */
	List	   *budgets;		/* pointers to int64 */
	TimestampTz before;			/* if asked before */
} Forgotten;

static Datum
column(Relation table, HeapTuple tuple, int number)
{
	bool		null;

	return heap_getattr(tuple, number + 1, RelationGetDescr(table), &null);
}

/* Is a name among those of the relations that a row was asked of? */
static bool
asks_of(Relation table, HeapTuple tuple, const char *relation)
{
	Datum	   *name;
	int			count;

	deconstruct_array(DatumGetArrayTypeP(column(table, tuple, DP_KEPT_RELATIONS)), TEXTOID, -1, false,
					  TYPALIGN_INT, &name, NULL, &count);
	for (int i = 0; i < count; i++)
		if (strcmp(TextDatumGetCString(name[i]), relation) == 0)
			return true;
	return false;
}

static bool
is_paid_by(Relation table, HeapTuple tuple, const List *budgets)
{
	int64		budget = DatumGetInt64(column(table, tuple, DP_KEPT_BUDGET));
	ListCell   *lc;

	foreach(lc, budgets)
		if (*(int64 *) lfirst(lc) == budget)
			return true;
	return false;
}

static bool
is_forgotten(Relation table, HeapTuple tuple, const Forgotten *what)
{
	return (what->relation == NULL || asks_of(table, tuple, what->relation)) &&
		(!what->of_budgets || is_paid_by(table, tuple, what->budgets)) &&
		DatumGetTimestampTz(column(table, tuple, DP_KEPT_ASKED_AT)) < what->before;
}

/* Remove answers; returns how many. */
static int64
forget(const Forgotten *what)
{
	DpKeptTable table;
	Relation	relation;
	SysScanDesc scan;
	HeapTuple	tuple;
	int64		count = 0;

	if (dp_budget_queue_exists())
		dp_budget_kept_queue_await(0);
	(void) dp_budget_kept_table_open(&table, true);
	relation = table.info->ri_RelationDesc;
	scan = systable_beginscan(relation, InvalidOid, false, GetActiveSnapshot(), 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		if (is_forgotten(relation, tuple, what))
			count += dp_budget_kept_table_delete(&table, &tuple->t_self);
	}
	systable_endscan(scan);
	dp_budget_kept_table_close(&table);
	return count;
}

void
dp_budget_kept_forget_relation(const char *relation)
{
	Forgotten	what = {.relation = relation, .before = DT_NOEND};

	(void) forget(&what);
}

void
dp_budget_kept_forget_budget(int64 budget)
{
	Forgotten	what = {.of_budgets = true, .budgets = list_make1(&budget), .before = DT_NOEND};

	(void) forget(&what);
}

/* The numbers of a role's budgets, as pointers to int64. */
static List *
budgets_of(Oid role)
{
	Relation	budget = dp_budget_store_read_budget();
	List	   *numbers = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, DP_BUDGET_ROLE + 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(role));
	scan = systable_beginscan(budget, InvalidOid, false, GetActiveSnapshot(), 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		int64	   *number = palloc(sizeof(int64));

		*number = DatumGetInt64(column(budget, tuple, DP_BUDGET_NUMBER));
		numbers = lappend(numbers, number);
	}
	systable_endscan(scan);
	table_close(budget, AccessShareLock);
	return numbers;
}

/* dp_agg.forget_kept(role regrole, before timestamptz) returns bigint; null: all roles, all times */
Datum
dp_budget_forget_kept(PG_FUNCTION_ARGS)
{
	Forgotten	what = {
		.of_budgets = !PG_ARGISNULL(0),
		.budgets = PG_ARGISNULL(0) ? NIL : budgets_of(PG_GETARG_OID(0)),
		.before = PG_ARGISNULL(1) ? DT_NOEND : PG_GETARG_TIMESTAMPTZ(1)
	};

	PreventCommandDuringRecovery("dp_agg.forget_kept()");
	PreventCommandIfReadOnly("dp_agg.forget_kept()");
	PG_RETURN_INT64(forget(&what));
}

/*
 * Do kept answers follow from the ledger?
 */

/* Has a charge a block of which the question was not known? */
static bool
reads_released(Jsonb *releases)
{
	Datum		pattern = DirectFunctionCall1(jsonb_in, CStringGetDatum("[{\"reads_released\": true}]"));

	return DatumGetBool(DirectFunctionCall2(jsonb_contains, JsonbPGetDatum(releases), pattern));
}

/*
 * Does a charge say that it paid for a question, or for one that reads what others of its statement release,
 * which is known only after the charge?
 */
static bool
pays_for(const Datum *charge, const bool *nulls, Datum question)
{
	Jsonb	   *releases = nulls[DP_LEDGER_RELEASES] ? NULL : DatumGetJsonbP(charge[DP_LEDGER_RELEASES]);
	char	   *hex = TextDatumGetCString(DirectFunctionCall2(binary_encode, question,
															  CStringGetTextDatum("hex")));

	return releases && (strstr(JsonbToCString(NULL, &releases->root, VARSIZE(releases)), hex) ||
						reads_released(releases));
}

/* Error in an answer, by the row of the ledger that it names; NULL if there is none. */
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

/* Error in an answer; NULL if there is none. */
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

bool
dp_budget_kept_is_on(void)
{
	return dp_settings_kept_limit > 0 && dp_budget_queue_exists();
}

void
dp_budget_kept_await(int64 budget)
{
	if (!RecoveryInProgress() && dp_budget_queue_exists())
		dp_budget_kept_queue_await(budget);
}

bool
dp_budget_kept_of(Oid role, const char *dataset, DpBudgetId *budget)
{
	if (!dp_budget_kept_is_on() ||
		dp_budget_payer_look(role, dataset, budget) != DP_PAYER_FOUND || budget->number == 0)
		return false;
	dp_budget_kept_await(budget->number);
	return true;
}

/* Read a row that was found, if it was asked late enough and the budget paid for it. */
static bool
read_kept(TupleTableSlot *slot, const DpBudgetId *budget, TimestampTz not_before, DpKept *kept)
{
	bool		null;

	kept->asked_at = DatumGetTimestampTz(slot_getattr(slot, DP_KEPT_ASKED_AT + 1, &null));
	if (kept->asked_at < not_before ||
		!dp_budget_kept_is_paid_by(DatumGetInt64(slot_getattr(slot, DP_KEPT_ENTRY + 1, &null)), budget))
		return false;
	kept->released = DatumGetByteaPCopy(slot_getattr(slot, DP_KEPT_RELEASED + 1, &null));
	return true;
}

/* The snapshot is one of those that catalogs are read by: they are taken anew. */
static bool
find_in(Relation table, const DpBudgetId *budget, const uint8 *question, TimestampTz not_before,
		DpKept *kept)
{
	Snapshot	snapshot = dp_budget_store_snapshot(table);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	bool		found = dp_budget_kept_row_find(table, snapshot, budget->number, question, slot) &&
		read_kept(slot, budget, not_before, kept);

	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
	return found;
}

bool
dp_budget_kept_find(const DpBudgetId *budget, const uint8 *question, TimestampTz not_before,
					DpKept *kept)
{
	DpUsage		usage = dp_usage_now();
	Relation	table = dp_budget_kept_table_read();
	bool		found = false;

	if (table != NULL)
	{
		found = find_in(table, budget, question, not_before, kept);
		table_close(table, AccessShareLock);
	}
	dp_usage_take_back(&usage);
	return found;
}

/* Read the row that a walk has come to, if it was asked late enough. */
static List *
add_finer(const DpKeptWalk *walk, TimestampTz not_before, List *found)
{
	DpKeptFiner *finer = palloc(sizeof(DpKeptFiner));
	bool		null;

	finer->asked_at = DatumGetTimestampTz(slot_getattr(walk->slot, DP_KEPT_ASKED_AT + 1, &null));
	if (finer->asked_at < not_before)
		return found;
	memcpy(finer->question, walk->question, DP_QUESTION_BYTES);
	finer->shape = DatumGetByteaPCopy(slot_getattr(walk->slot, DP_KEPT_SHAPE + 1, &null));
	return lappend(found, finer);
}

/* Find the rows of a base in the table. */
static List *
find_finer_in(Relation table, int64 budget, const uint8 *base, TimestampTz not_before)
{
	Snapshot	snapshot = dp_budget_store_snapshot(table);
	List	   *found = NIL;
	DpKeptWalk	walk;

	dp_budget_kept_walk_begin(&walk, table, snapshot, budget, base);
	while (dp_budget_kept_walk_next(&walk))
		found = add_finer(&walk, not_before, found);
	dp_budget_kept_walk_end(&walk);
	UnregisterSnapshot(snapshot);
	return found;
}

List *
dp_budget_kept_find_finer(const DpBudgetId *budget, const uint8 *base, TimestampTz not_before)
{
	DpUsage		usage = dp_usage_now();
	Relation	table = dp_budget_kept_table_read();
	List	   *found = NIL;

	if (table != NULL)
	{
		found = find_finer_in(table, budget->number, base, not_before);
		table_close(table, AccessShareLock);
	}
	dp_usage_take_back(&usage);
	return found;
}

void
dp_budget_kept_replayed(const DpBudgetId *budget, const char *dataset, const uint8 *question)
{
	DpReplays	replay = {.budget = budget->number, .role = budget->role, .count = 1};

	strlcpy(replay.dataset, dataset, NAMEDATALEN);
	memcpy(replay.question, question, DP_QUESTION_BYTES);
	if (dp_budget_kept_count_replays(&replay) && !RecoveryInProgress())
		dp_budget_keeper_call();
}

/* Send answers in a parcel of this process's own. */
static void
send_parcel(List *answers, DpParcel *parcel)
{
	DpParcelBytes filled = dp_budget_parcel_fill(parcel, dp_budget_kept_parcel_size(answers));

	dp_budget_kept_parcel_write(answers, filled.bytes);
	dp_budget_parcel_leave(&filled);
	if (dp_budget_kept_queue_send(((DpKeptAnswer *) linitial(answers))->budget))
		return;
	dp_budget_parcel_forget(parcel);
}

/*
 * An answer that there is no room for is shown all the same, and one on a standby, where nobody
 * takes what is sent.
 */
void
dp_budget_kept_send(List *answers)
{
	MemoryContext context = CurrentMemoryContext;
	DpParcel   *parcel = RecoveryInProgress() ? NULL : dp_budget_kept_queue_parcel();

	if (parcel == NULL)
		return;
	PG_TRY();
	{
		send_parcel(answers, parcel);
	}
	PG_CATCH();
	{
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_INSUFFICIENT_RESOURCES)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
}
