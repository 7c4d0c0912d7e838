/*
 * public_table.c
 *	  Tables that are not protected, and may be joined with protected rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "from/public_table.h"
#include "policy/stored_code.h"
#include "policy/unique.h"

/* Is it a table whose rows are its own, and the same for whoever reads them? */
static bool
is_plain_table(RangeTblEntry *rte, Relation relation)
{
	Form_pg_class form = relation->rd_rel;

	return form->relkind == RELKIND_RELATION && form->relpersistence != RELPERSISTENCE_TEMP &&
		!form->relrowsecurity && !IsCatalogRelation(relation) && rte->securityQuals == NIL &&
		rte->tablesample == NULL &&
		find_inheritance_children(RelationGetRelid(relation), NoLock) == NIL;
}

DpReason *
dp_query_check_public(RangeTblEntry *rte, Relation relation, int location)
{
	if (!is_plain_table(rte, relation))
		return dp_query_reason(location,
							   "A public table is one you may read: permanent, plain, without children and row security.",
							   "\"%s\" cannot be joined with protected rows", rte->eref->aliasname);
	if (dp_query_has_foreign_code(relation))
		return dp_query_reason(location,
							   "Copy its rows into a table whose indexes, constraints and statistics call no code that is not built in.",
							   "\"%s\" cannot be joined with protected rows: it stores calls of code that is not built in",
							   rte->eref->aliasname);
	return NULL;
}

bool
dp_query_is_joined_as_table(RangeTblEntry *rte)
{
	Relation	relation = table_open(rte->relid, NoLock);
	bool		plain = is_plain_table(rte, relation);

	table_close(relation, NoLock);
	return plain;
}

/* Has a table any key that can vouch for its having one match at most? */
static bool
has_key(Relation relation)
{
	bool		found = false;
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(relation))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		found = found || dp_query_key_is_in_force(index);
		index_close(index, AccessShareLock);
	}
	return found;
}

bool
dp_query_may_join_table(RangeTblEntry *rte)
{
	Relation	relation = table_open(rte->relid, NoLock);
	bool		may = dp_query_check_public(rte, relation, -1) == NULL && has_key(relation);

	table_close(relation, NoLock);
	return may && pg_class_aclcheck(rte->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}
