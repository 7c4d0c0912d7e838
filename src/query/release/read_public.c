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

#include "query/nodes/public_params.h"
#include "query/release/read_public.h"
#include "query/release/run_plan.h"

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

/* Run a query, and append the values of its row, or NULLs if there is none. */
static List *
read_row(Query *query, const EState *estate, List *values)
{
	List	   *columns = copyObject(query->targetList);
	PlannedStmt *plan = pg_plan_query(query, estate->es_sourceText, 0, estate->es_param_list_info);
	QueryDesc  *run = CreateQueryDesc(plan, estate->es_sourceText, estate->es_snapshot, InvalidSnapshot,
									  None_Receiver, estate->es_param_list_info, NULL, 0);
	TupleTableSlot *slot;
	ListCell   *lc;

	ExecutorStart(run, 0);
	slot = dp_query_next_row(run->planstate);
	foreach(lc, columns)
	{
		int			i = foreach_current_index(lc);

		values = lappend(values, constant_of((Node *) lfirst_node(TargetEntry, lc)->expr,
											 slot ? slot->tts_values[i] : (Datum) 0,
											 slot == NULL || slot->tts_isnull[i]));
	}
	if (slot && dp_query_next_row(run->planstate))
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("more than one row returned by a subquery used as an expression")));
	ExecutorFinish(run);
	ExecutorEnd(run);
	FreeQueryDesc(run);
	return values;
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
