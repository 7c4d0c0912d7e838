/*
 * invalidation.h
 *	  Whether anything changed that a validated block may depend on.
 */
#ifndef DP_QUERY_RELEASE_INVALIDATION_H
#define DP_QUERY_RELEASE_INVALIDATION_H

#include "postgres.h"

/*
 * How often this session was told of a change to relations, types, functions, operators,
 * casts, roles or foreign servers, by others or by what it did itself.  As long as the
 * number stays, so does everything that validation looks at.  Call
 * AcceptInvalidationMessages() first where what others did has to be known.
 */
extern uint64 dp_query_invalidations(void);

/* Listen to changes; from _PG_init. */
extern void dp_query_invalidation_init(void);

#endif							/* DP_QUERY_RELEASE_INVALIDATION_H */
