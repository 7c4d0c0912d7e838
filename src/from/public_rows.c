/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_rows.c
 *	  Rows of public items of FROM, as they have been read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "expression/canonical_key.h"
#include "expression/fold_constants.h"
#include "from/join_equality.h"
#include "from/public_rows.h"
#include "policy/partitions.h"
#include "policy/unique.h"
#include "tree/make_nodes.h"
#include "tree/public_params.h"

/* Most rows that a hash table is made of: of more, the values can be chosen to meet there. */
#define FEW_ROWS 100

/* Most values in one of half as many buckets as there are values: 10 in a million by chance. */
#define MOST_IN_BUCKET 32

/* The values of a column of a lifted item, or NULL if they are not known; reads: of the statement, NULL once they are put in. */
static Const *
values_of(const DpPublicReads *reads, const RangeTblEntry *rte, AttrNumber column)
{
	const RangeTblFunction *function = list_nth_node(RangeTblFunction, rte->functions, column - 1);
	Node	   *values = linitial(castNode(FuncExpr, function->funcexpr)->args);

	return dp_tree_is_public_param(values) ? dp_tree_public_value(reads, (Param *) values)
		: IsA(values, Const) ? (Const *) values : NULL;
}

/* Columns of rows that are compared. */
typedef struct Rows
{
	int			ncolumns;
	SortSupport order;			/* of each column */
	Datum	  **values;			/* of each */
	bool	  **nulls;
} Rows;

static int
compare_rows(const void *left, const void *right, void *arg)
{
	Rows	   *rows = arg;
	int			i = *(const int *) left;
	int			j = *(const int *) right;

	CHECK_FOR_INTERRUPTS();
	for (int k = 0; k < rows->ncolumns; k++)
	{
		int			order = ApplySortComparator(rows->values[k][i], false, rows->values[k][j], false, &rows->order[k]);

		if (order != 0)
			return order;
	}
	return 0;
}

/* Enter the values of a column; returns their number. */
static int
add_column(Rows *rows, const Const *values, Oid collation)
{
	Oid			type = get_element_type(values->consttype);
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_LT_OPR);
	SortSupport order = &rows->order[rows->ncolumns];
	int			count = 0;

	order->ssup_cxt = CurrentMemoryContext;
	order->ssup_collation = collation;
	PrepareSortSupportFromOrderingOp(cache->lt_opr, order);
	if (!values->constisnull)
		deconstruct_array(DatumGetArrayTypeP(values->constvalue), type, cache->typlen, cache->typbyval,
						  cache->typalign, &rows->values[rows->ncolumns], &rows->nulls[rows->ncolumns], &count);
	rows->ncolumns++;
	return count;
}

/* The most rows that are alike, of so many, none of them with a NULL. */
static int
most_alike(Rows *rows, int count)
{
	int		   *numbers = palloc(Max(count, 1) * sizeof(int));
	int			n = 0;
	int			most = 0;
	int			run = 0;

	for (int i = 0; i < count; i++)
	{
		bool		null = false;

		for (int k = 0; k < rows->ncolumns; k++)
			null = null || rows->nulls[k][i];
		if (!null)
			numbers[n++] = i;
	}
	qsort_arg(numbers, n, sizeof(int), compare_rows, rows);
	for (int i = 0; i < n; i++)
	{
		run = i > 0 && compare_rows(&numbers[i - 1], &numbers[i], rows) == 0 ? run + 1 : 1;
		most = Max(most, run);
	}
	return most;
}

/* The number of a lifted item's rows; 0 as long as they are not known. */
static int
count_rows(const DpPublicReads *reads, const RangeTblEntry *rte)
{
	int			count = 0;

	for (int column = 1; column <= list_length(rte->functions); column++)
	{
		const Const *values = values_of(reads, rte, column);

		if (values && !values->constisnull)
			count = Max(count, ArrayGetNItems(ARR_NDIM(DatumGetArrayTypeP(values->constvalue)),
											  ARR_DIMS(DatumGetArrayTypeP(values->constvalue))));
	}
	return count;
}

/* The most rows that have the same values in these columns; 0 as long as they are not known. */
static int
count_alike(const DpPublicReads *reads, const RangeTblEntry *rte, List *columns)
{
	int			ncolumns = list_length(columns);
	Rows		rows = {.order = palloc0(ncolumns * sizeof(SortSupportData)),
	.values = palloc0(ncolumns * sizeof(Datum *)), .nulls = palloc0(ncolumns * sizeof(bool *))};
	int			count = 0;
	ListCell   *lc;

	foreach(lc, columns)
	{
		const Const *values = values_of(reads, rte, lfirst_int(lc));

		if (values == NULL)
			return 0;
		count = add_column(&rows, values, values->constcollid);
	}
	return most_alike(&rows, count);
}

int
dp_from_public_rows_alike(const DpPublicReads *reads, const RangeTblEntry *rte, List *columns)
{
	MemoryContext work;
	MemoryContext old;
	int			alike;

	if (columns == NIL)
		return count_rows(reads, rte);
	work = AllocSetContextCreate(CurrentMemoryContext, "dp_agg comparing values", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(work);
	alike = count_alike(reads, rte, columns);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return alike;
}

/* Are the columns of these clauses among those joined? */
static bool
are_joined(List *clauses, Query *query, List *columns)
{
	ListCell   *lc;

	foreach(lc, clauses)
		if (!list_member_int(columns, get_sortgroupclause_tle(lfirst(lc), query->targetList)->resno))
			return false;
	return clauses != NIL;
}

/* Are all columns that a query shows among those joined? */
static bool
all_are_joined(Query *query, List *columns)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
		if (!lfirst_node(TargetEntry, lc)->resjunk && !list_member_int(columns, lfirst_node(TargetEntry, lc)->resno))
			return false;
	return true;
}

/*
 * The constants that a row of VALUES has in these columns of a query over them; NIL if it has others.
 * They equal each other where their values do, whatever lengths, precisions and collations they were
 * declared with.  Functions that are not built in make none: they may return another value each time,
 * whatever they are declared as.
 */
static List *
constants_of(Query *query, List *row, List *columns)
{
	List	   *constants = NIL;
	ListCell   *lc;

	foreach(lc, columns)
	{
		Var		   *column = (Var *) get_tle_by_resno(query->targetList, lfirst_int(lc))->expr;
		Const	   *value = IsA(column, Var) ? dp_expression_constant(list_nth(row, column->varattno - 1), NULL) : NULL;

		if (value == NULL || !dp_expression_equals_by_bytes(value->consttype))
			return NIL;
		value->consttypmod = -1;
		value->constcollid = InvalidOid;
		constants = lappend(constants, value);
	}
	return constants;
}

/* Do the rows of a query over VALUES differ in these columns, all being constants there? */
static bool
values_differ(Query *query, const RangeTblEntry *values, List *columns)
{
	List	   *seen = NIL;
	ListCell   *lc;

	if (list_length(values->values_lists) > FEW_ROWS)
		return false;
	foreach(lc, values->values_lists)
	{
		List	   *constants = constants_of(query, lfirst(lc), columns);

		if (constants == NIL || list_member(seen, constants))
			return false;
		seen = lappend(seen, constants);
	}
	return true;
}

/* Columns of an item that are joined by equality. */
typedef struct Joined
{
	List	   *columns;		/* numbers */
	bool		or_null;		/* does NULL match NULL there? */
} Joined;

static bool is_unique_entry(const RangeTblEntry *rte, List *ctes, Joined joined, DpStatement *statement, bool *certain);

/* The columns of its only item that these of a query are; NIL if any is none. */
static List *
columns_of_item(Query *query, List *columns)
{
	List	   *below = NIL;
	ListCell   *lc;

	foreach(lc, columns)
	{
		Var		   *column = (Var *) dp_tree_without_casts((Node *) get_tle_by_resno(query->targetList, lfirst_int(lc))->expr);

		if (!IsA(column, Var) || column->varlevelsup > 0 || column->varattno <= 0)
			return NIL;
		below = lappend_int(below, column->varattno);
	}
	return below;
}

/* The only item that a query reads, or NULL. */
static const RangeTblEntry *
only_item(Query *query)
{
	RangeTblRef *item = list_length(query->jointree->fromlist) == 1 ? linitial(query->jointree->fromlist) : NULL;

	return item && IsA(item, RangeTblRef) ? rt_fetch(item->rtindex, query->rtable) : NULL;
}

/* Does a query have one row at most for each value of these of its columns, as its text says? */
static bool
is_unique_by_text(Query *query, Joined joined, DpStatement *statement, bool *certain)
{
	SetOperationStmt *operation = (SetOperationStmt *) query->setOperations;
	const DpReleasedBlock *block = dp_tree_released_block(&statement->reads, query);
	const RangeTblEntry *item;

	if (block)
		return block->of_groups && !block->given->hasTargetSRFs && !block->given->groupingSets &&
			(block->given->groupClause == NIL || are_joined(block->given->groupClause, block->given, joined.columns));

	if (query->hasTargetSRFs || query->groupingSets)
		return false;
	if (operation)
		return !operation->all && all_are_joined(query, joined.columns);
	if (query->distinctClause && are_joined(query->distinctClause, query, joined.columns))
		return true;
	if (query->groupClause || query->hasAggs)
		return query->groupClause == NIL || are_joined(query->groupClause, query, joined.columns);
	item = only_item(query);
	if (item && item->rtekind == RTE_VALUES)
		return values_differ(query, item, joined.columns);
	joined.columns = item ? columns_of_item(query, joined.columns) : NIL;
	return joined.columns != NIL && is_unique_entry(item, query->cteList, joined, statement, certain);
}

/* Is it a call of generate_series, or of no function that makes several rows? */
static bool
makes_series(const RangeTblEntry *rte)
{
	const FuncExpr *call = (const FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;

	return list_length(rte->functions) == 1 && IsA(call, FuncExpr) &&
		call->funcid < FirstNormalObjectId && strcmp(get_func_name(call->funcid), "generate_series") == 0;
}

/* Are values that are equal by their type's own operator equal by an index, in this of its columns? */
static bool
compares_as_type(Relation index, int column)
{
	Oid			type = TupleDescAttr(RelationGetDescr(index), column)->atttypid;
	Oid			equality = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;

	return OidIsValid(equality) && get_op_opfamily_strategy(equality, index->rd_opfamily[column]) == BTEqualStrategyNumber;
}

/* Are all columns of a unique index among these, children apart; and is it so old that no snapshot sees rows from before? */
static bool
is_key(Relation relation, Oid oid, List *columns, List **new_keys, bool *old)
{
	Relation	index = index_open(oid, AccessShareLock);
	bool		found = dp_policy_key_is_in_force_alone(index);

	for (int i = 0; found && i < index->rd_index->indnkeyatts; i++)
		found = list_member_int(columns, index->rd_index->indkey.values[i]) && compares_as_type(index, i);
	if (found)
		*old = *old || dp_policy_key_is_old(index, relation, new_keys);
	index_close(index, AccessShareLock);
	return found;
}

/*
 * Has a table, whatever may be seen of it, one row at most for each value of these columns, by a unique
 * key?  Clears *certain if an older snapshot might see it otherwise.
 */
static bool
has_key(const RangeTblEntry *rte, List *columns, List **new_keys, bool *certain)
{
	Relation	relation = table_open(rte->relid, AccessShareLock);
	bool		found = false;
	bool		old = false;
	ListCell   *lc;

	if (!rte->inh || !dp_policy_has_children(rte->relid))
		foreach(lc, RelationGetIndexList(relation))
			found |= is_key(relation, lfirst_oid(lc), columns, new_keys, &old);
	table_close(relation, NoLock);
	if (found)
		*certain = *certain && old;
	return found;
}

/* The same of an item, which may name one of these WITH queries. */
static bool
is_unique_entry(const RangeTblEntry *rte, List *ctes, Joined joined, DpStatement *statement, bool *certain)
{
	ListCell   *lc;

	check_stack_depth();
	if (rte->rtekind == RTE_RELATION)
		return !joined.or_null && has_key(rte, joined.columns, &statement->new_keys, certain);
	if (rte->rtekind == RTE_SUBQUERY)
		return is_unique_by_text(rte->subquery, joined, statement, certain);
	if (rte->rtekind == RTE_FUNCTION)
		return makes_series(rte) && list_member_int(joined.columns, 1);
	if (rte->rtekind == RTE_CTE && rte->ctelevelsup == 0)
		foreach(lc, ctes)
			if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, rte->ctename) == 0)
				return !lfirst_node(CommonTableExpr, lc)->cterecursive &&
					is_unique_by_text(castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery), joined, statement, certain);
	return false;
}

List *
dp_from_public_rows_told_apart(const DpFromItem *leaf, List *equalities, Relids joined, bool *certain)
{
	Query	   *source = dp_tree_public_item_query(&leaf->statement->reads, leaf->rte);
	Joined		tries[] = {{dp_from_bound_columns(leaf, equalities, joined), false},
	{dp_from_columns_bound_or_null(leaf, equalities, joined), true}};

	for (int i = 0; source && i < lengthof(tries); i++)
		if (tries[i].columns != NIL &&
			is_unique_entry(linitial_node(RangeTblEntry, source->rtable), source->cteList, tries[i], leaf->statement, certain))
			return tries[i].columns;
	return NIL;
}

bool
dp_from_has_few_rows(const RangeTblEntry *rte)
{
	for (int column = 1; column <= list_length(rte->functions); column++)
	{
		const Const *values = values_of(NULL, rte, column);

		if (values == NULL)
			return false;
		if (!values->constisnull &&
			ArrayGetNItems(ARR_NDIM(DatumGetArrayTypeP(values->constvalue)), ARR_DIMS(DatumGetArrayTypeP(values->constvalue))) > FEW_ROWS)
			return false;
	}
	return true;
}

/* Do the values of a column share few buckets?  Leaves what it needs in the current memory context. */
static bool
is_spread(const RangeTblEntry *rte, AttrNumber column)
{
	const Const *list = values_of(NULL, rte, column);
	Oid			type = list ? get_element_type(list->consttype) : InvalidOid;
	TypeCacheEntry *cache = list ? lookup_type_cache(type, TYPECACHE_HASH_PROC_FINFO) : NULL;
	Datum	   *values = NULL;
	bool	   *nulls = NULL;
	int			count = 0;
	uint32		mask;
	uint8	   *load;
	bool		spread = true;

	if (cache == NULL || !OidIsValid(cache->hash_proc))
		return false;
	if (!list->constisnull)
		deconstruct_array(DatumGetArrayTypeP(list->constvalue), type, cache->typlen, cache->typbyval,
						  cache->typalign, &values, &nulls, &count);
	mask = pg_nextpower2_32(Max(count, 4)) / 2 - 1;
	load = palloc0(mask + 1);
	for (int i = 0; i < count && spread; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			spread = ++load[DatumGetUInt32(FunctionCall1Coll(&cache->hash_proc_finfo, cache->typcollation, values[i])) & mask] <=
				MOST_IN_BUCKET;
	}
	return spread;
}

bool
dp_from_column_is_spread(const RangeTblEntry *rte, AttrNumber column)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "dp_agg spread of values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	bool		spread = is_spread(rte, column);

	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return spread;
}
