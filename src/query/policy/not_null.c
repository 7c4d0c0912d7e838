/*
 * not_null.c
 *	  Columns that are declared NOT NULL; see not_null.h.
 */
#include "postgres.h"

#include "access/table.h"
#include "utils/rel.h"

#include "compat.h"
#include "query/policy/not_null.h"

bool
dp_query_is_declared_not_null(const RangeTblEntry *rte, AttrNumber attno)
{
	Relation	relation;
	bool		not_null;

	if (rte->rtekind != RTE_RELATION || attno <= 0)
		return false;
	relation = table_open(rte->relid, NoLock);
	not_null = dp_compat_is_not_null(RelationGetDescr(relation), attno);
	table_close(relation, NoLock);
	return not_null;
}
