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

#include <stdint.h>

#include "units/memory.h"
#include "units/siphash.h"

#define DP_NO_GROUP UINT32_MAX

typedef struct DpUnitsGroup
{
	const uint8_t *key;
	uint32_t	length;
	uint32_t	hash;
	uint64_t	digest;			/* of the key, under a secret: for priorities */
} DpUnitsGroup;

typedef struct DpUnitsGroups
{
	DpUnitsMemory memory;
	DpSipKey	secret;
	int			parts;			/* totals per group, the number of units first */
	uint32_t	count;
	uint32_t	capacity;		/* of group and totals */
	DpUnitsGroup *group;
	__int128   *totals;			/* parts per group */
	uint32_t   *bucket;			/* open addressing: number + 1, or 0 */
	uint32_t	buckets;		/* power of two */
	struct Chunk *keys;			/* the bytes of keys */
	size_t		used;			/* bytes of memory in all */
} DpUnitsGroups;

extern void dp_units_create_groups(DpUnitsGroups *groups, const DpUnitsMemory *memory,
								   const DpSipKey *secret, int parts);

/* The number of the group with this key, new or old. */
extern uint32_t dp_units_intern(DpUnitsGroups *groups, const void *key, uint32_t length);

/* Forget all groups. */
extern void dp_units_reset_groups(DpUnitsGroups *groups);

/* The same, and give back all memory. */
extern void dp_units_destroy_groups(DpUnitsGroups *groups);

/* A group's totals. */
static inline __int128 *
dp_units_totals(const DpUnitsGroups *groups, uint32_t number)
{
	return groups->totals + (size_t) number * groups->parts;
}

#endif							/* DP_UNITS_GROUPS_H */
