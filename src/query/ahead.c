/*
 * ahead.c
 *	  Looking up below a release what a row would make PostgreSQL look up or read.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/genam.h"
#include "access/skey.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/toast_internals.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/sortsupport.h"

#include "query/ahead.h"
#include "query/policy.h"

/* Do all that reading a value does but for the value: search for one that nobody has. */
static void
search(Relation toast, Relation index, Snapshot snapshot)
{
	ScanKeyData key;
	SysScanDesc scan;

	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(InvalidOid));
	scan = systable_beginscan_ordered(toast, index, snapshot, 1, &key);
	(void) systable_getnext_ordered(scan, ForwardScanDirection);
	systable_endscan_ordered(scan);
}

/* Open what a table's long values lie in, and keep it locked. */
static void
open_toast(Oid relid, Snapshot snapshot)
{
	Relation	toast = table_open(relid, AccessShareLock);
	Relation   *indexes;
	int			count;
	int			valid = toast_open_indexes(toast, AccessShareLock, &indexes, &count);

	search(toast, indexes[valid], snapshot);
	toast_close_indexes(indexes, count, NoLock);
	table_close(toast, NoLock);
}

/* Look up how the values of aggregates with DISTINCT are sorted. */
static void
prepare_sorts(AggState *agg)
{
	for (int i = 0; i < agg->numtrans; i++)
	{
		AggStatePerTrans trans = &agg->pertrans[i];

		for (int j = 0; j < trans->numSortCols; j++)
		{
			SortSupportData support = {.ssup_cxt = CurrentMemoryContext};

			support.ssup_collation = trans->sortCollations[j];
			support.ssup_nulls_first = trans->sortNullsFirst[j];
			PrepareSortSupportFromOrderingOp(trans->sortOperators[j], &support);
		}
	}
}

static bool
look_ahead_walker(PlanState *node, void *context)
{
	Relation	relation = NULL;

	switch (nodeTag(node))
	{
		case T_SeqScanState:
		case T_IndexScanState:
		case T_IndexOnlyScanState:
		case T_BitmapHeapScanState:
		case T_TidScanState:
		case T_TidRangeScanState:
			relation = ((ScanState *) node)->ss_currentRelation;
			break;
		case T_AggState:
			prepare_sorts((AggState *) node);
			break;
		default:
			break;
	}
	if (relation && OidIsValid(relation->rd_rel->reltoastrelid))
		open_toast(relation->rd_rel->reltoastrelid, node->state->es_snapshot);
	return planstate_tree_walker(node, look_ahead_walker, context);
}

void
dp_query_look_ahead(PlanState *plan)
{
	(void) look_ahead_walker(plan, NULL);
}

void
dp_query_look_ahead_worker(PlanState *plan)
{
	/* The leader's settings: statistics are not counted in a quiet time. */
	if (!pgstat_track_counts)
		dp_query_look_ahead(plan);
}

/* The columns of an item of FROM that the query looks at and that can be out of line. */
static List *
long_columns(Query *query, int varno, List *vars)
{
	Oid			relid = list_nth_node(RangeTblEntry, query->rtable, varno - 1)->relid;
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, vars)
	{
		Var		   *var = lfirst_node(Var, lc);

		if (var->varno == varno && var->varattno > 0 && get_typlen(var->vartype) == -1)
			columns = list_append_unique_oid(columns, (Oid) var->varattno);
	}
	return columns == NIL ? NIL : lcons_oid(relid, columns);
}

static bool
public_columns_walker(Node *node, List **columns)
{
	Query	   *query = (Query *) node;
	List	   *vars;
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, public_columns_walker, columns);
	vars = pull_vars_of_level(node, 0);
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		List	   *of_item = NIL;
		DpPolicy	policy;

		if (rte->rtekind == RTE_RELATION && !dp_query_policy_get(rte->relid, &policy))
			of_item = long_columns(query, foreach_current_index(lc) + 1, vars);
		if (of_item != NIL)
			*columns = lappend(*columns, of_item);
	}
	return query_tree_walker(query, public_columns_walker, columns, 0);
}

List *
dp_query_public_columns(Query *exact)
{
	List	   *columns = NIL;

	(void) public_columns_walker((Node *) exact, &columns);
	return columns;
}

/* Does a table keep any value out of line? */
static bool
has_long_values(Relation relation)
{
	Relation	toast;
	BlockNumber blocks;

	if (!OidIsValid(relation->rd_rel->reltoastrelid))
		return false;
	toast = table_open(relation->rd_rel->reltoastrelid, AccessShareLock);
	blocks = RelationGetNumberOfBlocks(toast);
	table_close(toast, NoLock);
	return blocks > 0;
}

/* Read the values that a row has out of line in these columns. */
static void
read_values(TupleTableSlot *slot, List *columns)
{
	ListCell   *lc;

	slot_getallattrs(slot);
	for_each_from(lc, columns, 1)
	{
		int			i = (int) lfirst_oid(lc) - 1;
		struct varlena *value = (struct varlena *) DatumGetPointer(slot->tts_values[i]);

		if (!slot->tts_isnull[i] && VARATT_IS_EXTERNAL_ONDISK(value))
			pfree(detoast_external_attr(value));
	}
}

static void
read_rows(Relation relation, List *columns, Snapshot snapshot)
{
	TableScanDesc scan = table_beginscan(relation, snapshot, 0, NULL);
	TupleTableSlot *slot = table_slot_create(relation, NULL);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		read_values(slot, columns);
	}
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
}

void
dp_query_read_long_values(List *columns, Snapshot snapshot)
{
	ListCell   *lc;

	foreach(lc, columns)
	{
		Relation	relation = table_open(linitial_oid(lfirst(lc)), AccessShareLock);

		if (has_long_values(relation))
			read_rows(relation, lfirst(lc), snapshot);
		table_close(relation, NoLock);
	}
}
