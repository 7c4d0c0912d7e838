/*
 * public_rows.c
 *	  Rows of public items of FROM, as they have been read.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "query/from/join_equality.h"
#include "query/from/public_rows.h"
#include "query/nodes/public_params.h"

/* Most rows that a hash table is made of: of more, the values can be chosen to meet there. */
#define FEW_ROWS 100

/* Most values in one of half as many buckets as there are values: 10 in a million by chance. */
#define MOST_IN_BUCKET 32

/* The values of a column of a lifted item, or NULL if they are not known. */
static Const *
values_of(const RangeTblEntry *rte, AttrNumber column)
{
	const RangeTblFunction *function = list_nth_node(RangeTblFunction, rte->functions, column - 1);
	Node	   *values = linitial(castNode(FuncExpr, function->funcexpr)->args);

	return dp_query_is_public_param(values) ? dp_query_public_value((Param *) values)
		: IsA(values, Const) ? (Const *) values : NULL;
}

/* Columns of rows that are compared. */
typedef struct Rows
{
	int			ncolumns;
	SortSupport order;			/* of each column */
	Datum	  **values;			/* of each */
	bool	  **nulls;
	bool		met;			/* were two alike? */
} Rows;

static int
compare_rows(const void *left, const void *right, void *arg)
{
	Rows	   *rows = arg;
	int			i = *(const int *) left;
	int			j = *(const int *) right;

	for (int k = 0; k < rows->ncolumns; k++)
	{
		int			order = ApplySortComparator(rows->values[k][i], false, rows->values[k][j], false, &rows->order[k]);

		if (order != 0)
			return order;
	}
	rows->met |= i != j;
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

/* Do rows differ that have a value in each of these columns? */
static bool
are_distinct(Rows *rows, int count)
{
	int		   *numbers = palloc(Max(count, 1) * sizeof(int));
	int			n = 0;

	for (int i = 0; i < count; i++)
	{
		bool		null = false;

		for (int k = 0; k < rows->ncolumns; k++)
			null = null || rows->nulls[k][i];
		if (!null)
			numbers[n++] = i;
	}
	qsort_arg(numbers, n, sizeof(int), compare_rows, rows);
	return !rows->met;
}

bool
dp_query_public_rows_match_once(const DpFromItem *leaf, List *equalities, Relids joined)
{
	int			columns = list_length(leaf->rte->functions);
	Rows		rows = {.order = palloc0(columns * sizeof(SortSupportData)),
	.values = palloc0(columns * sizeof(Datum *)), .nulls = palloc0(columns * sizeof(bool *))};
	bool		bound = false;
	int			count = 0;

	for (AttrNumber column = 1; column <= columns; column++)
	{
		Node	   *call = list_nth_node(RangeTblFunction, leaf->rte->functions, column - 1)->funcexpr;
		const Const *values = values_of(leaf->rte, column);

		if (!dp_query_is_bound(leaf, column, dp_query_default_family(exprType(call)), equalities, joined))
			continue;
		bound = true;
		if (values)
			count = add_column(&rows, values, exprCollation(call));
	}
	return bound && are_distinct(&rows, count);
}

bool
dp_query_has_few_rows(const RangeTblEntry *rte)
{
	for (AttrNumber column = 1; column <= list_length(rte->functions); column++)
	{
		const Const *values = values_of(rte, column);

		if (values == NULL)
			return false;
		if (!values->constisnull &&
			ArrayGetNItems(ARR_NDIM(DatumGetArrayTypeP(values->constvalue)), ARR_DIMS(DatumGetArrayTypeP(values->constvalue))) > FEW_ROWS)
			return false;
	}
	return true;
}

bool
dp_query_column_is_spread(const RangeTblEntry *rte, AttrNumber column)
{
	const Const *list = values_of(rte, column);
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
		if (!nulls[i])
			spread = ++load[DatumGetUInt32(FunctionCall1Coll(&cache->hash_proc_finfo, cache->typcollation, values[i])) & mask] <=
				MOST_IN_BUCKET;
	pfree(load);
	return spread;
}
