/* SPDX-License-Identifier: PostgreSQL */
/*
 * warm_caches.c
 *	  Fill the caches of catalogs before protected rows are read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "access/skey.h"
#include "access/table.h"
#include "access/toast_internals.h"
#include "access/xlog.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/sortsupport.h"
#include "utils/spccache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "base/compat_stats.h"
#include "sidechannel/warm_caches.h"
#include "units/node.h"

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

/* Open what a table's long values lie in, and keep it locked; with a snapshot, search it. */
static void
open_toast(Oid relid, Snapshot snapshot)
{
	Relation	toast = table_open(relid, AccessShareLock);
	Relation   *indexes;
	int			count;
	int			valid = toast_open_indexes(toast, AccessShareLock, &indexes, &count);

	if (snapshot)
		search(toast, indexes[valid], snapshot);
	toast_close_indexes(indexes, count, NoLock);
	table_close(toast, NoLock);
}

/* Look up how to sort by an operator. */
static void
look_up_order(Oid operator, Oid collation)
{
	SortSupportData support = {.ssup_cxt = CurrentMemoryContext};

	support.ssup_collation = collation;
	PrepareSortSupportFromOrderingOp(operator, &support);
}

/* How the values of aggregates with DISTINCT are sorted. */
static void
look_up_aggregates(AggState *agg)
{
	for (int i = 0; i < agg->numtrans; i++)
	{
		AggStatePerTrans trans = &agg->pertrans[i];

		for (int j = 0; j < trans->numSortCols; j++)
			look_up_order(trans->sortOperators[j], trans->sortCollations[j]);
	}
}

static void
look_up_sort(const Sort *sort)
{
	for (int i = 0; i < sort->numCols; i++)
		look_up_order(sort->sortOperators[i], sort->collations[i]);
}

/* How rows that are sorted in part are told apart, beside how they are sorted. */
static void
look_up_presorted(const IncrementalSort *sort)
{
	look_up_sort(&sort->sort);
	for (int i = 0; i < sort->nPresortedCols; i++)
		(void) get_opcode(get_equality_op_for_ordering_op(sort->sort.sortOperators[i], NULL));
}

/*
 * How keys of a search are compared with those of the index, where their types differ, and
 * how columns without one are skipped.
 */
static void
look_up_keys(Relation index, const ScanKeyData *keys, int count)
{
	if (index == NULL || index->rd_rel->relam != BTREE_AM_OID)
		return;
	for (int i = 0; count > 0 && i < IndexRelationGetNumberOfKeyAttributes(index); i++)
		dp_compat_look_up_skips(index, i);
	for (int i = 0; i < count; i++)
		if (keys[i].sk_attno > 0)
			(void) get_opfamily_proc(index->rd_opfamily[keys[i].sk_attno - 1],
									 index->rd_opcintype[keys[i].sk_attno - 1],
									 keys[i].sk_subtype, BTORDER_PROC);
}

/* The statistics of the other side that a join makes its table by. */
static void
look_up_skew(const Hash *hash)
{
	HeapTuple	tuple;

	if (!OidIsValid(hash->skewTable))
		return;
	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(hash->skewTable),
							Int16GetDatum(hash->skewColumn), BoolGetDatum(hash->skewInherit));
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
}

/* Look up how a join hashes what it compares. */
static void
look_up_hashes(const HashJoin *join)
{
	Oid			left;
	Oid			right;
	ListCell   *lc;

	foreach(lc, join->hashoperators)
	{
		(void) get_op_hash_functions(lfirst_oid(lc), &left, &right);
		(void) op_strict(lfirst_oid(lc));
	}
}

/* How the node that adds up units sorts groups. */
static void
look_up_units(const CustomScan *scan)
{
	List	   *operators;
	List	   *collations;
	ListCell   *lc;
	ListCell   *lc2;

	if (!dp_units_sorts_by(scan, &operators, &collations))
		return;
	forboth(lc, operators, lc2, collations)
		look_up_order(lfirst_oid(lc), lfirst_oid(lc2));
}

/* Look up how values are compared and hashed by these operators of their type. */
static void
look_up_operators(const TypeCacheEntry *type)
{
	Oid			left;
	Oid			right;

	if (OidIsValid(type->lt_opr))
	{
		look_up_order(type->lt_opr, type->typcollation);
		(void) get_opcode(get_equality_op_for_ordering_op(type->lt_opr, NULL));
	}
	if (OidIsValid(type->eq_opr))
	{
		(void) get_op_hash_functions(type->eq_opr, &left, &right);
		(void) op_strict(type->eq_opr);
	}
}

/*
 * Look up how values of a type are stored, compared, sorted and hashed, and those of its
 * elements, whatever of it the plan needs.
 */
static void
look_up_type(Oid type)
{
	int16		length;
	bool		by_value;
	char		align;

	if (!OidIsValid(type) || get_typtype(type) == TYPTYPE_PSEUDO)
		return;
	get_typlenbyvalalign(type, &length, &by_value, &align);
	look_up_operators(lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR_FINFO |
										TYPECACHE_CMP_PROC_FINFO | TYPECACHE_HASH_PROC_FINFO));
	look_up_type(get_element_type(type));
}

/* Look up a function that a call names as a constant, and what it makes of its result. */
static void
look_up_function(Oid function, Oid result)
{
	FmgrInfo	flinfo;
	Oid		   *types;
	int			count;

	fmgr_info(function, &flinfo);
	(void) IsBinaryCoercible(get_func_signature(function, &types, &count), result);
	(void) get_func_rettype(function);
}

static void
look_up_call(const FuncExpr *call)
{
	ListCell   *lc;

	look_up_type(call->funcresulttype);
	foreach(lc, call->args)
	{
		const Const *arg = lfirst(lc);

		if (IsA(arg, Const) && arg->consttype == REGPROCEDUREOID && !arg->constisnull)
			look_up_function(DatumGetObjectId(arg->constvalue), call->funcresulttype);
	}
}

/* Everything in a query's expressions. */
static bool
look_up_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, look_up_walker, context, 0);
	if (IsA(node, Var) || IsA(node, Const) || IsA(node, Aggref) || IsA(node, OpExpr))
		look_up_type(exprType(node));
	if (IsA(node, FuncExpr))
		look_up_call((FuncExpr *) node);
	return expression_tree_walker(node, look_up_walker, context);
}

/* Functions that searches of an index compare by. */
static void
look_up_index(PlanState *node)
{
	switch (nodeTag(node))
	{
		case T_IndexScanState:
			look_up_keys(((IndexScanState *) node)->iss_RelationDesc,
						 ((IndexScanState *) node)->iss_ScanKeys, ((IndexScanState *) node)->iss_NumScanKeys);
			break;
		case T_IndexOnlyScanState:
			look_up_keys(((IndexOnlyScanState *) node)->ioss_RelationDesc,
						 ((IndexOnlyScanState *) node)->ioss_ScanKeys, ((IndexOnlyScanState *) node)->ioss_NumScanKeys);
			break;
		case T_BitmapIndexScanState:
			look_up_keys(((BitmapIndexScanState *) node)->biss_RelationDesc,
						 ((BitmapIndexScanState *) node)->biss_ScanKeys, ((BitmapIndexScanState *) node)->biss_NumScanKeys);
			break;
		default:
			break;
	}
}

/* The table that a node scans, or NULL. */
static Relation
scanned(PlanState *node)
{
	switch (nodeTag(node))
	{
		case T_IndexScanState:
		case T_IndexOnlyScanState:
		case T_SeqScanState:
		case T_BitmapHeapScanState:
		case T_TidScanState:
		case T_TidRangeScanState:
			return ((ScanState *) node)->ss_currentRelation;
		default:
			return NULL;
	}
}

/* Look up how far ahead a table that a node scans is read, and open its TOAST table, if it has one. */
static void
look_up_scanned(PlanState *node, Snapshot snapshot)
{
	Relation	relation = scanned(node);

	if (relation == NULL)
		return;
	(void) get_tablespace_io_concurrency(relation->rd_rel->reltablespace);
	if (OidIsValid(relation->rd_rel->reltoastrelid))
		open_toast(relation->rd_rel->reltoastrelid, snapshot);
}

/* Make the visibility map of a table, and that of its TOAST table, as long as scans may. */
static void
extend_maps_of(Oid relid)
{
	Relation	relation = table_open(relid, AccessShareLock);
	Oid			toast = relation->rd_rel->reltoastrelid;

	dp_compat_extend_map(relation);
	table_close(relation, NoLock);
	if (OidIsValid(toast))
		extend_maps_of(toast);
}

void
dp_sidechannel_extend_maps(const PlannedStmt *plan)
{
	ListCell   *lc;

	if (!dp_compat_scans_extend_maps() || RecoveryInProgress())
		return;
	foreach(lc, plan->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_RELATION &&
			(entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_MATVIEW))
			extend_maps_of(entry->relid);
	}
}

static bool
look_ahead_walker(PlanState *node, void *context)
{
	switch (nodeTag(node))
	{
		case T_AggState:
			look_up_aggregates((AggState *) node);
			break;
		case T_SortState:
			look_up_sort((Sort *) node->plan);
			break;
		case T_IncrementalSortState:
			look_up_presorted((IncrementalSort *) node->plan);
			break;
		case T_HashState:
			look_up_skew((Hash *) node->plan);
			break;
		case T_HashJoinState:
			look_up_hashes((HashJoin *) node->plan);
			break;
		case T_CustomScanState:
			look_up_units((CustomScan *) node->plan);
			break;
		default:
			look_up_index(node);
			look_up_scanned(node, node->state->es_snapshot);
			break;
	}
	return planstate_tree_walker(node, look_ahead_walker, context);
}

static bool
lock_ahead_walker(PlanState *node, void *context)
{
	look_up_scanned(node, NULL);
	return planstate_tree_walker(node, lock_ahead_walker, context);
}

void
dp_sidechannel_look_ahead(PlanState *plan, Query *query)
{
	(void) look_ahead_walker(plan, NULL);
	(void) look_up_walker((Node *) query, NULL);
}

void
dp_sidechannel_lock_ahead(PlanState *plan)
{
	(void) lock_ahead_walker(plan, NULL);
}
