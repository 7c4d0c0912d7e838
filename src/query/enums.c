/*
 * enums.c
 *	  The enums that an exact plan knows; see enums.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "query/enums.h"

/* What other nodes yield, they have from columns and constants. */
static bool
enums_walker(Node *node, List **types)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, Const))
	{
		Oid			element = get_element_type(exprType(node));
		Oid			type = OidIsValid(element) ? element : exprType(node);

		if (get_typtype(type) == TYPTYPE_ENUM)
			*types = list_append_unique_oid(*types, type);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, enums_walker, types, 0);
	return expression_tree_walker(node, enums_walker, types);
}

List *
dp_query_enums_of(Query *query)
{
	List	   *types = NIL;

	(void) query_tree_walker(query, enums_walker, &types, 0);
	return types;
}

void
dp_query_hold_enums(List *types)
{
	ListCell   *lc;

	foreach(lc, types)
	{
		LockDatabaseObject(TypeRelationId, lfirst_oid(lc), 0, AccessShareLock);
		if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(lfirst_oid(lc))))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("a type in a differentially private query has been dropped")));
	}
}
