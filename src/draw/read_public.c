/* SPDX-License-Identifier: PostgreSQL */
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
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "base/compat_executor.h"
#include "base/compat_varlena.h"
#include "draw/read_public.h"
#include "tree/collect_values.h"
#include "tree/make_nodes.h"
#include "tree/public_params.h"

/* Most bytes of all values together: they are copied some times, and sorted. */
#define MOST_BYTES ((Size) 64 * 1024 * 1024)

/* A query with the values of those before it in place of their parameters. */
static Query *
with_values(const List *queries, Query *query, List *values)
{
	DpPublicReads reads = {.queries = unconstify(List *, queries), .values = values};

	return copyObject((Query *) dp_tree_put_values(&reads, (Node *) query));
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

/* The value of an aggregate that dp_tree_make_array_agg made; NULL of anything else. */
static Expr *
value_of_array_agg(const TargetEntry *target)
{
	const Aggref *aggref = (const Aggref *) target->expr;

	if (!IsA(aggref, Aggref) || aggref->aggfnoid != F_ARRAY_AGG_ANYNONARRAY || aggref->aggorder || aggref->aggdistinct ||
		aggref->aggfilter || aggref->agglevelsup > 0)
		return NULL;
	return linitial_node(TargetEntry, aggref->args)->expr;
}

/* Have a query that makes an array of each of its item's columns show the rows; false if it is any other. */
static bool
show_item_rows(Query *query)
{
	ListCell   *lc;

	if (!query->hasAggs || query->groupClause || query->groupingSets || query->havingQual || query->setOperations ||
		query->sortClause || query->distinctClause || query->limitCount || query->limitOffset || query->hasWindowFuncs ||
		query->hasTargetSRFs)
		return false;
	foreach(lc, query->targetList)
		if (value_of_array_agg(lfirst(lc)) == NULL)
			return false;
	foreach(lc, query->targetList)
		lfirst_node(TargetEntry, lc)->expr = value_of_array_agg(lfirst(lc));
	query->hasAggs = false;
	return true;
}

/* SELECT value FROM (subquery), of SELECT ARRAY(subquery); NULL of anything else. */
static Query *
rows_of_array(const Query *query)
{
	SubLink    *link = (SubLink *) linitial_node(TargetEntry, query->targetList)->expr;
	Query	   *rows;
	ListCell   *lc;

	if (list_length(query->targetList) != 1 || query->rtable != NIL || query->jointree->quals || query->hasAggs ||
		!IsA(link, SubLink) || link->subLinkType != ARRAY_SUBLINK)
		return NULL;
	rows = dp_tree_make_open_select_from(castNode(Query, link->subselect), "s");
	foreach(lc, castNode(Query, link->subselect)->targetList)
		if (!lfirst_node(TargetEntry, lc)->resjunk)
			(void) dp_tree_add_column(rows, (Node *) makeVarFromTargetEntry(1, lfirst(lc)), "value");
	if (list_length(rows->targetList) != 1 ||
		exprType((Node *) linitial_node(TargetEntry, rows->targetList)->expr) != get_element_type(exprType((Node *) link)))
		return NULL;
	rows->cteList = query->cteList;
	rows->hasRecursive = query->hasRecursive;
	rows->hasModifyingCTE = query->hasModifyingCTE;
	rows->hasRowSecurity = query->hasRowSecurity;
	return rows;
}

/* The query whose rows those arrays are made of that a query returns; NULL if it returns anything else. */
static Query *
rows_of(const Query *query)
{
	Query	   *copy = copyObject(unconstify(Query *, query));

	return show_item_rows(copy) ? copy : rows_of_array(copy);
}

/* Where the rows of a query go that become arrays. */
typedef struct ManyRows
{
	DestReceiver pub;
	int			ncolumns;
	DpCollected *columns;
	Size		size;			/* of all values so far */
	MemoryContext context;		/* that they are in */
	MemoryContext row;
} ManyRows;

static void
check_size(Size size)
{
	if (size > MOST_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("public subqueries of a differentially private query hold more than %d MB",
						(int) (MOST_BYTES / (1024 * 1024))),
				 errhint("Store the rows in a table, and join that by a unique key.")));
}

/* Add a row to the arrays. */
static bool
collect_row(TupleTableSlot *slot, DestReceiver *receiver)
{
	ManyRows   *rows = (ManyRows *) receiver;
	MemoryContext old = MemoryContextSwitchTo(rows->row);

	slot_getallattrs(slot);
	for (int i = 0; i < rows->ncolumns; i++)
		rows->size += dp_tree_collect(&rows->columns[i], slot->tts_values[i], slot->tts_isnull[i], rows->context);
	check_size(rows->size);
	MemoryContextSwitchTo(old);
	MemoryContextReset(rows->row);
	return true;
}

/* Run a query as any statement is run, with what other extensions do to it. */
static void
run_query(Query *query, const EState *estate, DestReceiver *receiver)
{
	PlannedStmt *plan = dp_compat_plan(query, estate->es_sourceText, 0, estate->es_param_list_info);
	QueryDesc  *run = CreateQueryDesc(plan, estate->es_sourceText, estate->es_snapshot, InvalidSnapshot,
									  receiver, estate->es_param_list_info, NULL, 0);

	ExecutorStart(run, 0);
	dp_compat_run(run);
	ExecutorFinish(run);
	ExecutorEnd(run);
	FreeQueryDesc(run);
}

/* The arrays as constants.  An aggregate makes none of no rows. */
static List *
arrays_of(ManyRows *rows, const Query *query)
{
	List	   *values = NIL;
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		const Node *array = (Node *) lfirst_node(TargetEntry, lc)->expr;
		DpCollected *column = &rows->columns[foreach_current_index(lc)];
		bool		isnull = column->count == 0 && IsA(array, Aggref);

		values = lappend(values, makeConst(exprType(array), exprTypmod(array), exprCollation(array), -1,
										   isnull ? (Datum) 0 : dp_tree_end_collected(column), isnull, false));
	}
	return values;
}

/*
 * Run a query, given as the one whose rows it makes arrays of, and return these.  What is
 * needed on the way is given back.
 */
static List *
read_rows(Query *query, Query *rows_query, const EState *estate, Size size)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "dp_agg reading values", ALLOCSET_DEFAULT_SIZES);
	ManyRows	rows = {{collect_row, start_taking, stop_taking, stop_taking, DestNone},
	.ncolumns = list_length(rows_query->targetList), .size = size, .context = work};
	MemoryContext old = MemoryContextSwitchTo(work);
	List	   *values;
	ListCell   *lc;

	rows.row = AllocSetContextCreate(work, "dp_agg row of values", ALLOCSET_DEFAULT_SIZES);
	rows.columns = palloc(rows.ncolumns * sizeof(DpCollected));
	foreach(lc, rows_query->targetList)
		dp_tree_begin_collected(&rows.columns[foreach_current_index(lc)],
								exprType((Node *) lfirst_node(TargetEntry, lc)->expr));
	run_query(rows_query, estate, &rows.pub);
	MemoryContextSwitchTo(old);
	values = arrays_of(&rows, query);
	MemoryContextDelete(work);
	return values;
}

/* Run a query, and return the values of its row, or NULLs if there is none. */
static List *
read_row(Query *query, const EState *estate)
{
	OneRow		row = {{take_row, start_taking, stop_taking, stop_taking, DestNone},
	.columns = copyObject(query->targetList), .context = CurrentMemoryContext};

	run_query(query, estate, &row.pub);
	return row.values ? row.values : constants_of(row.columns, NULL);
}

static Size
bytes_of(List *values)
{
	Size		bytes = 0;
	ListCell   *lc;

	foreach(lc, values)
	{
		const Const *value = lfirst(lc);

		if (value && value->constlen == -1 && !value->constisnull)
			bytes += VARSIZE_ANY(DatumGetPointer(value->constvalue));
	}
	return bytes;
}

/* Enter values of a query, the first of which has this number. */
static void
enter_values(List *values, int first, List *read)
{
	ListCell   *lc;

	foreach(lc, read)
		list_nth_cell(values, first + foreach_current_index(lc))->ptr_value = lfirst(lc);
	check_size(bytes_of(values));
}

List *
dp_draw_read_public(List *queries, const Bitmapset *which, List *values, const EState *estate)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg public values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int			first = 0;
	ListCell   *lc;

	values = list_copy(values);
	foreach(lc, queries)
	{
		int			columns = list_length(lfirst_node(Query, lc)->targetList);

		while (list_length(values) < first + columns)
			values = lappend(values, NULL);
		if (bms_is_member(foreach_current_index(lc), which))
		{
			Query	   *query = with_values(queries, lfirst_node(Query, lc), values);
			Query	   *rows = rows_of(query);

			enter_values(values, first, rows ? read_rows(query, rows, estate, bytes_of(values)) : read_row(query, estate));
		}
		first += columns;
	}
	MemoryContextSwitchTo(old);
	return values;
}
