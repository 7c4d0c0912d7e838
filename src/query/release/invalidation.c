/*
 * invalidation.c
 *	  Whether anything changed that a validated block may depend on.
 */
#include "postgres.h"

#include "utils/inval.h"
#include "utils/syscache.h"

#include "query/release/invalidation.h"

/*
 * What validation looks up beside relations, whose own changes (columns, indexes,
 * constraints, children, privileges, labels) are told as changes of the relation.
 */
static const int caches[] = {
	AUTHMEMROLEMEM,
	AUTHOID,
	CASTSOURCETARGET,
	CONSTROID,
	ENUMOID,
	FOREIGNDATAWRAPPEROID,
	FOREIGNSERVEROID,
	OPEROID,
	PROCOID,
	TYPEOID,
	USERMAPPINGOID,
};

static uint64 invalidations = 0;

static void
count_relation(Datum arg, Oid relid)
{
	invalidations++;
}

static void
count_entry(Datum arg, int cache, uint32 hash)
{
	invalidations++;
}

uint64
dp_query_invalidations(void)
{
	return invalidations;
}

void
dp_query_invalidation_init(void)
{
	CacheRegisterRelcacheCallback(count_relation, (Datum) 0);
	for (int i = 0; i < lengthof(caches); i++)
		CacheRegisterSyscacheCallback(caches[i], count_entry, (Datum) 0);
}
