/* SPDX-License-Identifier: PostgreSQL */
/*
 * direct.h
 *	  Units in a table, each with what its rows add up to: for rows that are all in one
 *	  group, and are looked at once.
 *
 * Plain C: no server header.
 *
 * An entry is the unit's id and accumulators, found by open addressing.  Its place follows
 * the top bits of the secret hash, as a log's parts do.  Ids of one word are kept in 32
 * bits as long as all fit.  When the table is full, it keeps the units it has, and leaves
 * rows of others to the caller.
 *
 * The first rows wait for each other.  If they tell that there are more units than the
 * table holds, all are left, and there is no table.  If few of later rows find their units,
 * as when rows are sorted by these, the caller is to write all down, and the table begins
 * anew.
 */
#ifndef DP_UNITS_DIRECT_H
#define DP_UNITS_DIRECT_H

#include "units/buffer.h"
#include "units/record.h"

/* Rows are added so many at a time: entries arrive in the cache meanwhile. */
#define DP_DIRECT_BATCH 64

typedef struct DpDirect
{
	DpUnitsMemory memory;
	const DpUnitsSpec *spec;
	size_t		id_size;		/* bytes of an id in an entry: 4, 8 or 16 */
	size_t		size;			/* of an entry */
	uint8_t    *entry;			/* NULL: there is no table */
	uint32_t	places;
	uint32_t	most_places;
	uint32_t	count;			/* entries */
	uint32_t	rows;			/* looked up since it is full; and */
	uint32_t	missed;			/* those that were left */
	bool		tried;			/* the first rows have been added */
	bool		in_vain;		/* it cannot hold what it has to */
	uint64_t	beyond;			/* not 0: an id does not fit 32 bits */
	uint8_t    *nowhere;		/* accumulators for rows that are left */
	uint32_t	batch;			/* so many rows may wait */
	uint32_t	waiting;		/* and so many do, by number: */
	DpUnitId   *unit;			/* theirs; */
	int64_t    *place;			/* places, `batch` of each measure; */
	uint32_t   *hash;			/* top bits of hashes; */
	uint32_t   *left;			/* and the numbers of those that are left, once they are added */
} DpDirect;

/* An empty table. */
extern void dp_units_direct_create(DpDirect *direct, const DpUnitsMemory *memory, const DpUnitsSpec *spec);
extern void dp_units_direct_destroy(DpDirect *direct);

/* Add the rows that wait; returns how many are left. */
extern uint32_t dp_units_direct_add(DpDirect *direct);

/* The rows that waited, and were left, have been dealt with. */
extern void dp_units_direct_forget_rows(DpDirect *direct);

/* Are there other units than when the table was filled? */
extern bool dp_units_direct_is_outdated(const DpDirect *direct);

/* Forget all units. */
extern void dp_units_direct_clear(DpDirect *direct);

/* Add all units to the totals of the group. */
extern void dp_units_direct_contribute(const DpDirect *direct, __int128 *totals);

/* The accumulators of the next unit from this place on; NULL behind the last. */
extern const uint8_t *dp_units_direct_next(const DpDirect *direct, uint32_t *place, DpUnitId *unit);

/* Where a unit is looked for first. */
static inline uint8_t *
dp_units_direct_home(const DpDirect *direct, uint32_t hash)
{
	return direct->entry + ((uint64_t) hash * direct->places >> 32) * direct->size;
}

/* Not 0: the unit's id does not fit 32 bits. */
static DP_ALWAYS_INLINE uint64_t
dp_units_direct_beyond(const DpUnitId *unit)
{
	return (unit->word[0] + (UINT64_C(1) << 31)) >> 32;
}

/* Have a row of this unit be the next that waits; its places are up to the caller. */
static DP_ALWAYS_INLINE void
dp_units_direct_wait(DpDirect *direct, const DpUnitId *unit)
{
	uint32_t	i = direct->waiting++;

	direct->hash[i] = (uint32_t) (dp_units_record_hash(direct->spec, unit) >> 32);
	direct->unit[i] = *unit;
	direct->beyond |= dp_units_direct_beyond(unit);
	__builtin_prefetch(dp_units_direct_home(direct, direct->hash[i]), 1);
}

#endif							/* DP_UNITS_DIRECT_H */
