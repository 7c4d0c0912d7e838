/* SPDX-License-Identifier: PostgreSQL */
/*
 * invalidation.h
 *	  Whether anything changed that a validated block may depend on.
 */
#ifndef DP_DRAW_INVALIDATION_H
#define DP_DRAW_INVALIDATION_H

#include "postgres.h"

/*
 * How often this session was told of a change to relations, types, functions, operators,
 * casts, roles or foreign servers, by others or by what it did itself.  As long as the
 * number stays, so does everything that validation looks at.  Call
 * AcceptInvalidationMessages() first where what others did has to be known.
 */
extern uint64 dp_draw_invalidations(void);

/*
 * A number that stays only as long as no row of any catalog, nor any relation, was dropped
 * from this session's caches: of what was looked up before, nothing has to be looked up
 * again.  Zero while the transaction may have changed catalogs itself.
 */
extern uint64 dp_draw_cache_changes(void);

/* Listen to changes; from _PG_init. */
extern void dp_draw_invalidation_init(void);

#endif							/* DP_DRAW_INVALIDATION_H */
