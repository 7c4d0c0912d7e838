/* SPDX-License-Identifier: PostgreSQL */
/*
 * known.h
 *	  What one process's numbers of groups stand for, as others read it: keys, or ids.
 *
 * Plain C: no server header.
 *
 * Each is behind its length, in one of the process's segments if there is room, else in its key
 * file.
 */
#ifndef DP_UNITS_KNOWN_H
#define DP_UNITS_KNOWN_H

#include "units/collect.h"

typedef struct DpKnownGroups
{
	bool		wide;			/* ids */
	uint32_t	count;
	uint64_t	place;			/* of the first in the segments; or 0, and */
	uint64_t	key_at;			/* in the key file */
} DpKnownGroups;

/* Let others read what this process's numbers stand for. */
extern void dp_units_publish_known(DpKnownGroups *known, DpCollect *collect);

/*
 * Learn what the numbers of the process with this number stand for, from its segments and its keys: fill in
 * their numbers here, or their ids if groups have ids here, `known->count` of them.
 */
extern void dp_units_learn_known(const DpKnownGroups *known, DpCollect *collect, const DpSegments *segments,
								 DpKeyFile *keys, uint32_t process, uint32_t *numbers, DpUnitId *ids);

#endif							/* DP_UNITS_KNOWN_H */
