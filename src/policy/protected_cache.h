/*
 * protected_cache.h
 *	  Whether a table is protected, for every statement that is planned.
 */
#ifndef DP_POLICY_PROTECTED_CACHE_H
#define DP_POLICY_PROTECTED_CACHE_H

#include "postgres.h"

/*
 * Has this relation a policy?  Labels are read once a session, and again when the
 * relation changes.  Nothing is protected in a database without the extension.
 */
extern bool dp_query_is_protected(Oid relid);

/* Register the cache's invalidation; from _PG_init. */
extern void dp_query_protected_init(void);

#endif							/* DP_POLICY_PROTECTED_CACHE_H */
