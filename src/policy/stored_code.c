/* SPDX-License-Identifier: PostgreSQL */
/*
 * stored_code.c
 *	  What the expressions that are stored with a table would run.
 *
 * PostgreSQL's own ways to read them (RelationGetIndexExpressions and its like) fold
 * them, and folding calls the functions in them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/partition.h"
#include "catalog/pg_index.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_statistic_ext.h"
#include "nodes/nodes.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "expression/fold_constants.h"
#include "policy/stored_code.h"

/* Does a stored expression, or a list of such, call foreign code? */
static bool
text_calls(const char *text)
{
	return dp_expression_foreign_code(stringToNode(text)) != NULL;
}

/* The same of an attribute of a catalog's row, if it is not null. */
static bool
attribute_calls(int cache, HeapTuple tuple, AttrNumber attribute)
{
	bool		isnull;
	Datum		stored = SysCacheGetAttr(cache, tuple, attribute, &isnull);

	return !isnull && text_calls(TextDatumGetCString(stored));
}

/* The same of up to two attributes of the row with this key; a row that is gone calls anything. */
static bool
row_calls(int cache, Oid key, AttrNumber first, AttrNumber second)
{
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(key));
	bool		calls;

	if (!HeapTupleIsValid(tuple))
		return true;
	calls = attribute_calls(cache, tuple, first) ||
		(second != InvalidAttrNumber && attribute_calls(cache, tuple, second));
	ReleaseSysCache(tuple);
	return calls;
}

/* The same of the rows with these keys. */
static bool
rows_call(List *keys, int cache, AttrNumber first, AttrNumber second)
{
	ListCell   *lc;

	foreach(lc, keys)
		if (row_calls(cache, lfirst_oid(lc), first, second))
			return true;
	return false;
}

/* Do the table's CHECK constraints call foreign code? */
static bool
constraints_call(const TupleConstr *constraints)
{
	for (int i = 0; constraints && i < constraints->num_check; i++)
		if (text_calls(constraints->check[i].ccbin))
			return true;
	return false;
}

/* Do the keys of the partitioned tables above a partition? */
static bool
partition_keys_call(Relation relation)
{
	return relation->rd_rel->relispartition &&
		rows_call(get_partition_ancestors(RelationGetRelid(relation)), PARTRELID,
				  Anum_pg_partitioned_table_partexprs, InvalidAttrNumber);
}

bool
dp_policy_has_foreign_code(Relation relation)
{
	return constraints_call(relation->rd_att->constr) ||
		rows_call(RelationGetIndexList(relation), INDEXRELID,
				  Anum_pg_index_indexprs, Anum_pg_index_indpred) ||
		rows_call(RelationGetStatExtList(relation), STATEXTOID,
				  Anum_pg_statistic_ext_stxexprs, InvalidAttrNumber) ||
		partition_keys_call(relation);
}
