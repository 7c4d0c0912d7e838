/* SPDX-License-Identifier: PostgreSQL */
/*
 * enum_labels.c
 *	  The enums that an exact plan knows; see enum_labels.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "storage/lmgr.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "sidechannel/enum_labels.h"

/* Other nodes have their values from columns and constants. */
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
dp_sidechannel_enums_of(Query *query)
{
	List	   *types = NIL;

	(void) query_tree_walker(query, enums_walker, &types, 0);
	return types;
}

/* Look up each label of an enum, and their order, which a session keeps. */
static void
look_up_labels(Oid type)
{
	TypeCacheEntry *order = lookup_type_cache(type, 0);
	CatCList   *labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	Oid			first = InvalidOid;

	for (int i = 0; i < labels->n_members; i++)
	{
		Oid			label = ((Form_pg_enum) GETSTRUCT(&labels->members[i]->tuple))->oid;

		(void) SearchSysCacheExists1(ENUMOID, ObjectIdGetDatum(label));
		if (i == 0)
			first = label;
		else
			(void) compare_values_of_enum(order, first, label);
	}
	ReleaseSysCacheList(labels);
}

void
dp_sidechannel_hold_enums(List *types)
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

void
dp_sidechannel_look_up_labels(List *types)
{
	ListCell   *lc;

	foreach(lc, types)
		look_up_labels(lfirst_oid(lc));
}
