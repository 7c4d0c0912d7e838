/*
 * kept_forget.c
 *	  Removing kept answers, with the caller's transaction.
 *
 * Rows that the keeper is writing are waited for; the keeper does not wait for those that
 * are being removed.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "budget/answers/kept_forget.h"
#include "budget/queue/kept_queue.h"
#include "budget/answers/kept_table.h"
#include "budget/queue/queue.h"
#include "budget/rows/row.h"
#include "budget/account/store.h"

PG_FUNCTION_INFO_V1(dp_budget_forget_answers);

/* What is forgotten. */
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

/* dp_agg.forget_answers(role regrole, before timestamptz) returns bigint; null: all roles, all times */
Datum
dp_budget_forget_answers(PG_FUNCTION_ARGS)
{
	Forgotten	what = {
		.of_budgets = !PG_ARGISNULL(0),
		.budgets = PG_ARGISNULL(0) ? NIL : budgets_of(PG_GETARG_OID(0)),
		.before = PG_ARGISNULL(1) ? DT_NOEND : PG_GETARG_TIMESTAMPTZ(1)
	};

	PreventCommandDuringRecovery("dp_agg.forget_answers()");
	PreventCommandIfReadOnly("dp_agg.forget_answers()");
	PG_RETURN_INT64(forget(&what));
}
