/* SPDX-License-Identifier: PostgreSQL */
/*
 * cache_watch.h
 *	  Builds with assertions: does reading protected rows make a session look anything up?
 */
#ifndef DP_SIDECHANNEL_CACHE_WATCH_H
#define DP_SIDECHANNEL_CACHE_WATCH_H

#include "postgres.h"

#include "utils/memutils.h"

/* Bytes in use in a memory context and those below it, but for what scans keep of an index. */
static inline Size
dp_sidechannel_bytes_used(MemoryContext context)
{
	MemoryContextCounters counters = {0};
	Size		used;

	context->methods->stats(context, NULL, NULL, &counters, false);
	used = counters.totalspace - counters.freespace;
	for (MemoryContext child = context->firstchild; child; child = child->nextchild)
		if (strcmp(child->name, "index info") != 0)
			used += dp_sidechannel_bytes_used(child);
	return used;
}

/*
 * Contents of the session's catalog caches; in builds without assertions always
 * zero.
 */
static inline Size
dp_sidechannel_cached(void)
{
#ifdef USE_ASSERT_CHECKING
	return dp_sidechannel_bytes_used(CacheMemoryContext);
#else
	return 0;
#endif
}

#endif							/* DP_SIDECHANNEL_CACHE_WATCH_H */
