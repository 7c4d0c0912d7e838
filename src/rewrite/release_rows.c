/*
 * release_rows.c
 *	  How many rows the planner is told that a release has.
 *
 * The planner of the analyst's statement shows its estimates, by EXPLAIN and by what it
 * chooses.  So they depend on the statement, settings, types, declarations and, where these
 * list the keys, PostgreSQL's estimates of public tables; on nothing protected.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "pricing/block.h"
#include "rewrite/finite_keys.h"
#include "rewrite/release_rows.h"
#include "base/settings.h"

/* Groups a key is planned to have if nothing tells, and a release at most. */
#define GROUPS_OF_KEY 1000.0
#define MOST_GROUPS 100000.0

/* How many values a key may have. */
static double
values_of_key(Query *query, Node *key)
{
	Oid			type = exprType(key);
	ArrayType  *declared;
	CatCList   *labels;
	double		count;

	if (!contain_var_clause(key))
		return 1;
	declared = dp_query_declared_keys(query, key);
	if (declared)
		return ArrayGetNItems(ARR_NDIM(declared), ARR_DIMS(declared));
	if (type == BOOLOID)
		return 3;
	if (get_typtype(type) != TYPTYPE_ENUM)
		return GROUPS_OF_KEY;
	labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	count = labels->n_members + 1;
	ReleaseSysCacheList(labels);
	return count;
}

/* How many rows PostgreSQL's statistics say that a public table has; MOST_GROUPS if they do not. */
static double
rows_of_public(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	double		rows;

	if (!HeapTupleIsValid(tuple))
		return MOST_GROUPS;
	rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
	ReleaseSysCache(tuple);
	return rows < 0 ? MOST_GROUPS : Max(rows, 1);
}

/* How many rows the public tables that list keys may have, joined. */
static double
rows_of_listing(const Query *keys)
{
	double		rows = 1;
	ListCell   *lc;

	foreach(lc, keys->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_RELATION)
			rows = Min(rows * rows_of_public(entry->relid), MOST_GROUPS);
	}
	return rows;
}

double
dp_query_release_rows(const DpBlockRewrite *rewrite, const Query *keys)
{
	const DpBlock *block = rewrite->block;
	double		rows = 1;
	ListCell   *lc;

	if (block->form == DP_FORM_RANKING)
		return block->size;
	if (block->form == DP_FORM_SYNTHESIS)
		return block->size > 0 ? block->size : GROUPS_OF_KEY;
	if (block->nkeys == 0)
		return 1;
	if (block->domain > 0)
		return block->domain;
	if (dp_settings_release_rows > 0)
		return dp_settings_release_rows;
	foreach(lc, rewrite->key_exprs)
		rows = Min(rows * values_of_key(rewrite->query, lfirst(lc)), MOST_GROUPS);
	return keys ? Min(rows, rows_of_listing(keys)) : rows;
}
