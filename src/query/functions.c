/*
 * functions.c
 *	  The allow-list: built-in functions, types and collations.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "query/functions.h"

bool
dp_query_type_is_allowed(Oid type)
{
	char		kind = get_typtype(type);

	if (kind == TYPTYPE_ENUM)
		return true;
	return kind == TYPTYPE_BASE && type < FirstUnpinnedObjectId &&
		!OidIsValid(get_element_type(type));
}

bool
dp_query_collation_is_allowed(Oid collation)
{
	return collation < FirstNormalObjectId &&
		(!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

bool
dp_query_type_is_groupable(Oid type)
{
	TypeCacheEntry *entry;

	if (!dp_query_type_is_allowed(type))
		return false;
	entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY | TYPECACHE_HASH_OPFAMILY);
	return OidIsValid(entry->btree_opf) && OidIsValid(entry->hash_opf);
}
