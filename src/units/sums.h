/* SPDX-License-Identifier: PostgreSQL */
/*
 * sums.h
 *	  What one unit's rows add up to in each of its groups.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_SUMS_H
#define DP_UNITS_SUMS_H

#include "base/buffer.h"
#include "units/groups.h"
#include "units/probe.h"
#include "units/record.h"

/* A group of the unit, before its accumulators. */
typedef struct DpSum
{
	uint32_t	stamp;			/* of the unit: else there is none */
	uint32_t	group;
} DpSum;

typedef struct DpSums
{
	DpMemory	memory;
	const DpUnitsSpec *spec;
	size_t		size;			/* of a sum */
	DpBuffer	sum;
	DpBuffer	found;			/* the unit's groups: places of their sums, uint32_t */
	uint32_t	places;			/* there may be so many sums */
	int			shift;			/* from a hashed group to a place; 0: the group is its place */
	uint32_t	factor;			/* of this hash: odd, secret */
	uint32_t	stamp;
	uint32_t	count;			/* groups of the unit */
} DpSums;

/* Groups have numbers; if there are few each has its place. */
extern void dp_units_sums_create(DpSums *sums, const DpMemory *memory, const DpUnitsSpec *spec);
extern void dp_units_sums_destroy(DpSums *sums);

/* Up to so many groups each has a place of its own; */
#define DP_SUMS_MOST_DIRECT 8192

/* else a row of the largest unit takes so many bytes at most. */
static inline size_t
dp_units_sums_cost(const DpUnitsSpec *spec)
{
	return 4 * (sizeof(DpSum) + sizeof(uint32_t) + spec->acc_size);
}

/* Get ready for units in so many groups. */
extern void dp_units_sums_expect(DpSums *sums, uint32_t groups);

/* Add up a unit's rows: groups, if there are any, each followed by data, from one to the next. */
extern void dp_units_sums_add(DpSums *sums, DpRecordForm form, const uint8_t *row, size_t size,
							  uint32_t rows);

/*
 * Leave so many of the unit's groups, chosen uniformly from all such sets by the
 * private CSPRNG's words.  The others are not found any more.
 */
extern void dp_units_sums_choose(DpSums *sums, uint32_t most);

static inline DpSum *
dp_units_sums_at(const DpSums *sums, uint32_t place)
{
	return (DpSum *) ((uint8_t *) sums->sum.bytes + place * sums->size);
}

/* The unit's i-th group, and its accumulators. */
static inline DpSum *
dp_units_sums_found(const DpSums *sums, uint32_t i)
{
	return dp_units_sums_at(sums, ((const uint32_t *) sums->found.bytes)[i]);
}

/* Where a group's sum is or belongs. */
static inline uint32_t
dp_units_sums_place(const DpSums *sums, uint32_t group)
{
	uint32_t	mask;

	if (sums->shift == 0)
		return group;
	mask = (UINT32_C(1) << (32 - sums->shift)) - 1;
	DP_PROBE(i, (group * sums->factor) >> sums->shift, mask)
	{
		const DpSum *sum = dp_units_sums_at(sums, i);

		if (sum->stamp != sums->stamp || sum->group == group)
			return i;
	}
}

/* The sum of a group the unit counts in; else NULL. */
static inline DpSum *
dp_units_sums_find(const DpSums *sums, uint32_t group)
{
	DpSum	   *sum = dp_units_sums_at(sums, dp_units_sums_place(sums, group));

	return sum->stamp == sums->stamp && sum->group == group ? sum : NULL;
}

static inline uint8_t *
dp_units_sum_acc(DpSum *sum)
{
	return (uint8_t *) (sum + 1);
}

/* Add accumulators of a unit in so many groups to the totals of one, the number of units first. */
static DP_ALWAYS_INLINE void
dp_units_sums_contribute(const DpUnitsSpec *spec, const uint8_t *acc, uint64_t groups, __int128 *totals)
{
	totals[0]++;
	for (int i = 0; i < spec->measures; i++)
		dp_units_acc_finish(&spec->measure[i], acc, groups, totals);
}

/*
 * A uniform choice of max_groups of a unit's groups that come one after the other
 * (Vitter's Algorithm R), with what its rows add up to there.
 *
 * Takes memory for max_groups groups at most.
 */

typedef struct DpReservoir
{
	DpMemory	memory;
	const DpUnitsSecret *secret;
	size_t		size;			/* of an entry: the group, and accumulators */
	uint32_t	most;
	uint32_t	count;
	uint64_t	offered;
	DpBuffer	entry;
	DpUnitsGroups index;		/* once there is one: their ids, numbered as they are here */
} DpReservoir;

extern void dp_units_reservoir_create(DpReservoir *reservoir, const DpMemory *memory,
									  const DpUnitsSpec *spec);

extern void dp_units_reservoir_destroy(DpReservoir *reservoir);

/* A group that was not offered before: its number or id, and what rows add up to in it. */
extern void dp_units_reservoir_offer(DpReservoir *reservoir, const DpUnitId *group, const uint8_t *acc);

/* In the end: so that groups can be found. */
extern void dp_units_reservoir_index(DpReservoir *reservoir);

/* The i-th group chosen. */
static inline const DpUnitId *
dp_units_reservoir_group(const DpReservoir *reservoir, uint32_t i)
{
	return (const DpUnitId *) ((const uint8_t *) reservoir->entry.bytes + i * reservoir->size);
}

static inline const uint8_t *
dp_units_reservoir_acc(const DpReservoir *reservoir, uint32_t i)
{
	return (const uint8_t *) (dp_units_reservoir_group(reservoir, i) + 1);
}

/* Totals of the rows of a group, once there is an index; NULL if it was not chosen. */
static inline const uint8_t *
dp_units_reservoir_find(const DpReservoir *reservoir, const DpUnitId *group)
{
	uint32_t	number = dp_units_find(&reservoir->index, group, sizeof(DpUnitId));

	return number == DP_NO_GROUP ? NULL : dp_units_reservoir_acc(reservoir, number);
}

#endif							/* DP_UNITS_SUMS_H */
