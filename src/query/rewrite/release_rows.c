/*
 * release_rows.c
 *	  How many rows the planner is told that a release has.
 */
#include "postgres.h"

#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "query/block/block.h"
#include "query/rewrite/release_rows.h"
#include "settings.h"

/* Groups a key is planned to have if its type does not tell, and a release at most. */
#define GROUPS_OF_KEY 1000.0
#define MOST_GROUPS 10000.0

/* How many values a key may have. */
static double
values_of_key(Oid type)
{
	CatCList   *labels;
	double		count;

	if (type == BOOLOID)
		return 3;
	if (get_typtype(type) != TYPTYPE_ENUM)
		return GROUPS_OF_KEY;
	labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	count = labels->n_members + 1;
	ReleaseSysCacheList(labels);
	return count;
}

double
dp_query_release_rows(const DpBlock *block, const List *keys)
{
	double		rows = 1;
	ListCell   *lc;

	if (block->form == DP_FORM_RANKING)
		return block->size;
	if (block->nkeys == 0)
		return 1;
	if (block->domain > 0)
		return block->domain;
	if (dp_settings_release_rows > 0)
		return dp_settings_release_rows;
	foreach(lc, keys)
		rows = Min(rows * values_of_key(exprType(lfirst(lc))), MOST_GROUPS);
	return rows;
}
