/* SPDX-License-Identifier: PostgreSQL */
/*
 * term_interval.h
 *	  Where a term (term.h) would lie without noise, and what it is made of.
 */
#ifndef DP_REWRITE_TERM_INTERVAL_H
#define DP_REWRITE_TERM_INTERVAL_H

#include "postgres.h"

#include "rewrite/term.h"

/* What is known of totals in terms of the statement whose executor has this memory, by one who asks for intervals of them. */
typedef struct DpTermCache DpTermCache;
extern DpTermCache *dp_rewrite_term_cache(MemoryContext statement);

/*
 * Where a term lies with this probability without noise; what chosen clamps cut is left out if `cut` is false, by one cache
 * always or never.  22023 for bytes that are no term.
 */
extern void dp_rewrite_term_ends(const bytea *term, double level, bool cut, DpTermCache *cache, double *low, double *high);

/* In how many steps it was found for all terms of this cache so far: parts that were read, and multiples of values. */
extern uint64 dp_rewrite_term_work(const DpTermCache *cache);

/* Tell of each value that was released and is in a term, as often as it is. */
extern void dp_rewrite_term_origins(const bytea *term, MemoryContext statement, void (*tell) (const DpTermOrigin *origin, void *arg), void *arg);

#endif							/* DP_REWRITE_TERM_INTERVAL_H */
