/*
 * reservoir.h
 *	  A uniform choice of max_groups of a unit's groups that come one after the other
 *	  (Vitter's Algorithm R), with what its rows add up to there.
 *
 * Plain C: no server header.  Takes memory for max_groups groups at most.
 */
#ifndef DP_UNITS_RESERVOIR_H
#define DP_UNITS_RESERVOIR_H

#include "units/buffer.h"
#include "units/record.h"

typedef struct DpReservoir
{
	DpUnitsMemory memory;
	const DpUnitsSecret *secret;
	size_t		size;			/* of an entry: the group, and accumulators */
	uint32_t	most;
	uint32_t	count;
	uint64_t	offered;
	DpBuffer	entry;
	DpBuffer	place;			/* once indexed: open addressing, numbers from 1, uint32_t */
	uint32_t	places;			/* a power of two */
} DpReservoir;

extern void dp_reservoir_create(DpReservoir *reservoir, const DpUnitsMemory *memory,
								const DpUnitsSpec *spec);
extern void dp_reservoir_destroy(DpReservoir *reservoir);

/* A group that was not offered before: its number or id, and what rows add up to in it. */
extern void dp_reservoir_offer(DpReservoir *reservoir, const DpUnitId *group, const uint8_t *acc);

/* In the end: so that groups can be found. */
extern void dp_reservoir_index(DpReservoir *reservoir);

/* The i-th group chosen. */
static inline const DpUnitId *
dp_reservoir_group(const DpReservoir *reservoir, uint32_t i)
{
	return (const DpUnitId *) ((const uint8_t *) reservoir->entry.bytes + i * reservoir->size);
}

static inline const uint8_t *
dp_reservoir_acc(const DpReservoir *reservoir, uint32_t i)
{
	return (const uint8_t *) (dp_reservoir_group(reservoir, i) + 1);
}

/* Where in the index a group is or belongs. */
static inline uint32_t
dp_reservoir_place(const DpReservoir *reservoir, const DpUnitId *group)
{
	const uint32_t *place = reservoir->place.bytes;
	uint32_t	mask = reservoir->places - 1;
	uint32_t	i = (uint32_t) dp_units_hash(reservoir->secret, group) & mask;

	for (; place[i] != 0; i = (i + 1) & mask)
	{
		const DpUnitId *known = dp_reservoir_group(reservoir, place[i] - 1);

		if (known->word[0] == group->word[0] && known->word[1] == group->word[1])
			break;
	}
	return i;
}

/* What the rows of a group add up to, once there is an index; NULL if it was not chosen. */
static inline const uint8_t *
dp_reservoir_find(const DpReservoir *reservoir, const DpUnitId *group)
{
	const uint32_t *place = reservoir->place.bytes;
	uint32_t	number = place[dp_reservoir_place(reservoir, group)];

	return number == 0 ? NULL : dp_reservoir_acc(reservoir, number - 1);
}

#endif							/* DP_UNITS_RESERVOIR_H */
