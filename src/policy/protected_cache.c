/*
 * protected_cache.c
 *	  Whether a table is protected, for every statement that is planned.
 *
 * Declaring and dropping a policy changes the relation, so that PostgreSQL tells every
 * session.
 */
#include "postgres.h"

#include "access/transam.h"
#include "commands/extension.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "policy/partitions.h"
#include "policy/policy.h"
#include "policy/protected_cache.h"

typedef struct ProtectedEntry
{
	Oid			relid;			/* hash key */
	bool		is_protected;
} ProtectedEntry;

static HTAB *protected_cache = NULL;

/* Forget whether a relation, or any, is protected. */
static void
forget_protected(Oid relid)
{
	HTAB	   *cache = protected_cache;

	if (cache == NULL)
		return;
	if (OidIsValid(relid))
		(void) hash_search(cache, &relid, HASH_REMOVE, NULL);
	else
	{
		protected_cache = NULL;
		hash_destroy(cache);
	}
}

/* A relation has changed, or all may have.  Both are told here: PostgreSQL tells ten at most. */
static void
forget_relation(Datum arg, Oid relid)
{
	forget_protected(relid);
	dp_query_forget_partitions(relid);
}

/* A function has changed: the extension may have come or gone. */
static void
forget_all(Datum arg, int cacheid, uint32 hashvalue)
{
	forget_protected(InvalidOid);
}

void
dp_query_protected_init(void)
{
	CacheRegisterRelcacheCallback(forget_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(PROCOID, forget_all, (Datum) 0);
}

static void
enter(Oid relid, bool is_protected)
{
	ProtectedEntry *entry;

	if (protected_cache == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(ProtectedEntry)};

		protected_cache = hash_create("dp_agg protected tables", 64, &control,
									  HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(protected_cache, &relid, HASH_ENTER, NULL);
	entry->is_protected = is_protected;
}

bool
dp_query_is_protected(Oid relid)
{
	const ProtectedEntry *entry = NULL;
	bool		is_protected;

	if (relid < FirstNormalObjectId)
		return false;
	if (protected_cache)
		entry = hash_search(protected_cache, &relid, HASH_FIND, NULL);
	if (entry)
		return entry->is_protected;

	/* Reading catalogs may empty the cache: enter afterwards. */
	is_protected = dp_query_policy_columns(relid) != NIL &&
		OidIsValid(get_extension_oid("dp_agg", true));
	enter(relid, is_protected);
	return is_protected;
}
