/*
 * read_public.c
 *	  Reading what a statement's blocks take from public rows and code.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "query/nodes/public_params.h"
#include "query/release/read_public.h"

/* Most bytes of all values together: they are copied some times, and sorted. */
#define MOST_BYTES ((Size) 64 * 1024 * 1024)

/* A query with the values of those before it in place of their parameters. */
static Query *
with_values(const List *queries, Query *query, List *values)
{
	DpPublicReads reads = {.queries = unconstify(List *, queries), .values = values};
	DpPublicReads *before = dp_query_set_public_reads(&reads);
	Query	   *volatile copy = NULL;

	PG_TRY();
	{
		copy = copyObject((Query *) dp_query_put_values((Node *) query));
	}
	PG_FINALLY();
	{
		dp_query_set_public_reads(before);
	}
	PG_END_TRY();
	return copy;
}

/* A column's value as a constant, whole and in the current memory context. */
static Const *
constant_of(const Node *column, Datum value, bool null)
{
	Oid			type = exprType(column);
	int16		length;
	bool		byval;

	get_typlenbyval(type, &length, &byval);
	if (!null && length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	else if (!null)
		value = datumCopy(value, byval, length);
	return makeConst(type, exprTypmod(column), exprCollation(column), length, null ? (Datum) 0 : value, null, byval);
}

/* Where the only row of a query goes. */
typedef struct OneRow
{
	DestReceiver pub;
	List	   *columns;		/* of the query */
	List	   *values;			/* a constant for each; NIL if there has been no row */
	MemoryContext context;		/* that they are in */
} OneRow;

/* Constants of a row, or of none. */
static List *
constants_of(const List *columns, TupleTableSlot *slot)
{
	List	   *values = NIL;
	ListCell   *lc;

	foreach(lc, columns)
	{
		int			i = foreach_current_index(lc);

		values = lappend(values, constant_of((Node *) lfirst_node(TargetEntry, lc)->expr,
											 slot ? slot->tts_values[i] : (Datum) 0,
											 slot == NULL || slot->tts_isnull[i]));
	}
	return values;
}

/* Take a row; raises an error if it is the second. */
static bool
take_row(TupleTableSlot *slot, DestReceiver *receiver)
{
	OneRow	   *row = (OneRow *) receiver;
	MemoryContext old;

	if (row->values)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("more than one row returned by a subquery used as an expression")));
	slot_getallattrs(slot);
	old = MemoryContextSwitchTo(row->context);
	row->values = constants_of(row->columns, slot);
	MemoryContextSwitchTo(old);
	return true;
}

static void
start_taking(DestReceiver *receiver, int operation, TupleDesc desc)
{
}

static void
stop_taking(DestReceiver *receiver)
{
}

/*
 * Run a query as any statement is run, with what other extensions do to it, and append the
 * values of its row, or NULLs if there is none.
 */
static List *
read_row(Query *query, const EState *estate, List *values)
{
	OneRow		row = {{take_row, start_taking, stop_taking, stop_taking, DestNone},
	.columns = copyObject(query->targetList), .context = CurrentMemoryContext};
	PlannedStmt *plan = dp_compat_plan(query, estate->es_sourceText, 0, estate->es_param_list_info);
	QueryDesc  *run = CreateQueryDesc(plan, estate->es_sourceText, estate->es_snapshot, InvalidSnapshot,
									  &row.pub, estate->es_param_list_info, NULL, 0);

	ExecutorStart(run, 0);
	dp_compat_run(run);
	ExecutorFinish(run);
	ExecutorEnd(run);
	FreeQueryDesc(run);
	return list_concat(values, row.values ? row.values : constants_of(row.columns, NULL));
}

static Size
bytes_of(List *values)
{
	Size		bytes = 0;
	ListCell   *lc;

	foreach(lc, values)
	{
		const Const *value = lfirst_node(Const, lc);

		if (value->constlen == -1 && !value->constisnull)
			bytes += VARSIZE_ANY(DatumGetPointer(value->constvalue));
	}
	return bytes;
}

List *
dp_query_read_public(List *queries, const EState *estate)
{
	List	   *values = NIL;
	ListCell   *lc;

	foreach(lc, queries)
	{
		values = read_row(with_values(queries, lfirst_node(Query, lc), values), estate, values);
		if (bytes_of(values) > MOST_BYTES)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("public sub-selects of a differentially private query hold more than %d MB",
							(int) (MOST_BYTES / (1024 * 1024))),
					 errhint("Store the rows in a table, and join that by a unique key.")));
	}
	return values;
}
