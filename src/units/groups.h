/* SPDX-License-Identifier: PostgreSQL */
/*
 * groups.h
 *	  The groups met so far: each distinct key once, numbered from 0, with the
 *	  totals of the units finished so far.
 *
 * Plain C: no server header.  A key is a string of bytes; equal keys are equal
 * strings.  Numbers hold until dp_units_reset_groups.
 */
#ifndef DP_UNITS_GROUPS_H
#define DP_UNITS_GROUPS_H

#include "base/memory.h"
#include "base/siphash.h"

#define DP_NO_GROUP UINT32_MAX

/* Keys of up to so many bytes are kept in their groups. */
#define DP_NEAR_KEY 16

typedef struct DpUnitsGroup
{
	uint32_t	length;
	union
	{
		uint8_t		near[DP_NEAR_KEY];
		const uint8_t *far;
	}			key;			/* see dp_units_key */
} DpUnitsGroup;

/* Open addressing. */
typedef struct DpUnitsBucket
{
	uint32_t	hash;
	uint32_t	number;			/* of the group, from 1; 0 if there is none */
} DpUnitsBucket;

typedef struct DpUnitsGroups
{
	DpMemory	memory;
	DpSipKey	secret;
	int			parts;			/* totals per group, the number of units first */
	uint32_t	count;
	uint32_t	capacity;		/* of group and totals */
	DpUnitsGroup *group;
	__int128   *totals;			/* parts per group */
	DpUnitsBucket *bucket;
	uint32_t	buckets;		/* power of two */
	struct Chunk *keys;			/* the bytes of long keys */
	size_t		used;			/* bytes of memory in all */
} DpUnitsGroups;

extern void dp_units_create_groups(DpUnitsGroups *groups, const DpMemory *memory,
								   const DpSipKey *secret, int parts);

/* The number of the group with this key, new or old. */
extern uint32_t dp_units_intern(DpUnitsGroups *groups, const void *key, uint32_t length);

/* The same, but DP_NO_GROUP if there is none yet. */
extern uint32_t dp_units_find(const DpUnitsGroups *groups, const void *key, uint32_t length);

/* Forget all groups. */
extern void dp_units_reset_groups(DpUnitsGroups *groups);

/* The same, and give back all memory. */
extern void dp_units_destroy_groups(DpUnitsGroups *groups);

/* A group's key, until the next one is interned. */
static inline const uint8_t *
dp_units_key(const DpUnitsGroup *group)
{
	return group->length <= DP_NEAR_KEY ? group->key.near : group->key.far;
}

/* A group's totals. */
static inline __int128 *
dp_units_totals(const DpUnitsGroups *groups, uint32_t number)
{
	return groups->totals + (size_t) number * groups->parts;
}

#endif							/* DP_UNITS_GROUPS_H */
