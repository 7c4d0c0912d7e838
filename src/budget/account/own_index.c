/* SPDX-License-Identifier: PostgreSQL */
/*
 * own_index.c
 *	  Indexes of the extension's tables, held to how it made them.
 */
#include "postgres.h"

#include "access/genam.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "budget/account/own_index.h"

/* Is it a valid index of these columns of the table, and unique if so asked? */
static bool
fits(Relation index, Relation table, const AttrNumber *column, int columns, bool unique)
{
	if (index == NULL || index->rd_index->indrelid != RelationGetRelid(table) ||
		!index->rd_index->indisvalid || index->rd_index->indnkeyatts != columns ||
		(unique && !index->rd_index->indisunique))
		return false;
	for (int i = 0; i < columns; i++)
		if (index->rd_index->indkey.values[i] != column[i])
			return false;
	return true;
}

Relation
dp_budget_own_index_open(Relation table, Oid relid, const AttrNumber *column, int columns, bool unique,
						 const char *name)
{
	Relation	index = OidIsValid(relid) && get_rel_relkind(relid) == RELKIND_INDEX ?
		index_open(relid, AccessShareLock) : NULL;

	if (!fits(index, table, column, columns, unique))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" of table \"%s\" is not as extension \"%s\" made it",
						name, RelationGetRelationName(table), "dp_agg")));
	return index;
}

Relation
dp_budget_own_index_named(Relation table, const char *name, const AttrNumber *column, int columns, bool unique)
{
	return dp_budget_own_index_open(table, get_relname_relid(name, RelationGetNamespace(table)),
									column, columns, unique, name);
}
