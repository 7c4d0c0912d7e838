/*
 * ahead.c
 *	  Looking up below a release what a row would make PostgreSQL look up.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/skey.h"
#include "access/table.h"
#include "access/toast_internals.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/sortsupport.h"

#include "query/ahead.h"

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
