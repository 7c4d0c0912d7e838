/*
 * slots.h
 *	  One unit's entry: its groups, and what its rows add up to in each.
 *
 * Plain C: no server header.  Part of table.c; see there.
 */
#ifndef DP_UNITS_SLOTS_H
#define DP_UNITS_SLOTS_H

#include "units/table.h"

/* Free blocks are kept by class: a block of class c has 2^c places. */
#define DP_SLOTS_CLASSES 28
#define DP_SLOTS_FIRST_CLASS 3

/* A line of the processor's cache. */
#define DP_SLOTS_LINE 64

/* Instead of DP_GRID_NONE, for a place in 32 bits. */
#define DP_SHORT_NONE INT32_MIN

/* So many bytes behind an entry's groups may be read along with them. */
#define DP_SLOTS_SLACK 16

/* The word after the id: in use, class of the block or 0, number of groups. */
#define DP_ENTRY_USED UINT32_C(0x80000000)
#define DP_ENTRY_CLASS(word) (((word) >> 24) & 0x7F)
#define DP_ENTRY_COUNT(word) ((word) & 0xFFFFFF)

/* A group of a unit being ranked by priority. */
typedef struct DpRank
{
	uint64_t	priority;
	uint32_t	group;
	uint32_t	place;
} DpRank;

typedef struct DpSlots
{
	DpUnitsMemory memory;
	DpUnitsGroups groups;
	DpSipKey	secret;			/* of priorities */
	uint64_t	seed;			/* of hashes of units */
	int			id_words;
	bool		grouped;
	uint32_t	max_groups;
	uint32_t	most;			/* groups an entry may hold meanwhile */
	int			measures;
	DpUnitsMeasure *measure;
	int			acc_size;		/* of a group's accumulators */
	int			slot_size;		/* of a group in a block: its number, and they */
	int			head_size;		/* of an entry without groups */
	uint32_t	inline_slots;	/* groups that fit an entry */
	size_t		entry_size;
	struct SlotChunk *chunks;	/* memory blocks are cut from */
	size_t		chunk_size;
	uint8_t    *free_block[DP_SLOTS_CLASSES];
	DpRank	   *rank;			/* scratch space for as many groups */
	uint8_t    *kept;			/* and for their accumulators */
	uint32_t	rank_capacity;
	size_t		used;			/* bytes of memory, without the groups' */
} DpSlots;

extern void dp_slots_create(DpSlots *slots, const DpUnitsSpec *spec, const DpUnitsMemory *memory);

/* Give back all memory. */
extern void dp_slots_destroy(DpSlots *slots);

/*
 * The accumulators of a group the entry does not have yet; NULL if it is not
 * among those of least priority.
 */
extern uint8_t *dp_slots_make(DpSlots *slots, uint8_t *entry, uint32_t group);

/* Add the entry's contributions to the totals of its groups. */
extern void dp_slots_finish(DpSlots *slots, uint8_t *entry);

/* Hand the entry's groups to a sink. */
extern void dp_slots_dump(DpSlots *slots, uint8_t *entry, DpUnitsSink *sink, uint32_t partition);

/* Free all blocks: no entry may be in use. */
extern void dp_slots_reset(DpSlots *slots);

static inline uint32_t *
dp_slots_word(const DpSlots *slots, const uint8_t *entry)
{
	return (uint32_t *) (entry + slots->id_words * sizeof(uint64_t));
}

/* Upper half of the greatest priority that may come in. */
static inline uint32_t *
dp_slots_cut(const DpSlots *slots, const uint8_t *entry)
{
	return dp_slots_word(slots, entry) + 1;
}

/* Does this place of the table hold a unit? */
static inline bool
dp_slots_is_entry(const DpSlots *slots, const uint8_t *entry)
{
	return *dp_slots_word(slots, entry) != 0;
}

/* The hash of its id, which stands for the id's first word. */
static inline uint64_t
dp_slots_hash(const uint8_t *entry)
{
	return *(const uint64_t *) entry;
}

static inline DpUnitId
dp_slots_id(const DpSlots *slots, const uint8_t *entry)
{
	const uint64_t *word = (const uint64_t *) entry;
	uint64_t	second = slots->id_words == 1 ? 0 : word[1];
	DpUnitId	id = {{dp_units_unhash(slots->seed, word[0], second), second}};

	return id;
}

/* Is this the entry of a unit with this hash, and second word? */
static inline bool
dp_slots_is_unit(const DpSlots *slots, const uint8_t *entry, uint64_t hash, uint64_t second)
{
	const uint64_t *word = (const uint64_t *) entry;

	return word[0] == hash && (slots->id_words == 1 || word[1] == second);
}

/* An entry of a unit without groups, where there were zeros. */
static inline void
dp_slots_start(const DpSlots *slots, uint8_t *entry, uint64_t hash, uint64_t second)
{
	uint64_t   *word = (uint64_t *) entry;

	word[0] = hash;
	if (slots->id_words > 1)
		word[1] = second;
	*dp_slots_word(slots, entry) = DP_ENTRY_USED;
	*dp_slots_cut(slots, entry) = UINT32_MAX;
}

/* Zeros again. */
static inline void
dp_slots_clear(const DpSlots *slots, uint8_t *entry)
{
	memset(entry, 0, slots->entry_size);
}

/* The entry's groups, if they are in a block. */
static inline uint8_t *
dp_slots_block(const DpSlots *slots, const uint8_t *entry)
{
	uint8_t    *block;

	memcpy(&block, entry + slots->head_size, sizeof(block));
	return block;
}

/* Where to look for a group first in a block of this class. */
static inline uint32_t
dp_slots_home(uint32_t group, uint32_t class)
{
	return (group * UINT32_C(0x9E3779B1)) >> (32 - class);
}

static inline uint8_t *
dp_slots_find_in_block(const DpSlots *slots, const uint8_t *entry, uint32_t class, uint32_t group)
{
	uint8_t    *block = dp_slots_block(slots, entry);
	uint32_t	mask = (UINT32_C(1) << class) - 1;

	for (uint32_t i = dp_slots_home(group, class);; i = (i + 1) & mask)
	{
		uint8_t    *slot = block + (size_t) i * slots->slot_size;
		uint32_t	found = *(const uint32_t *) slot;

		if (found == group)
			return slot + sizeof(uint32_t);
		if (found == DP_NO_GROUP)
			return NULL;
	}
}

/* Ask for the cache lines that a group of the entry will be found in. */
static DP_ALWAYS_INLINE void
dp_slots_prefetch(const DpSlots *slots, const uint8_t *entry, uint32_t group)
{
	uint32_t	class = DP_ENTRY_CLASS(*dp_slots_word(slots, entry));

	if (class != 0)
	{
		const uint8_t *slot = dp_slots_block(slots, entry) +
			(size_t) dp_slots_home(group, class) * slots->slot_size;

		__builtin_prefetch(slot, 1);
		__builtin_prefetch(slot + slots->slot_size - 1, 1);
	}
	else
		for (size_t i = DP_SLOTS_LINE; i < slots->entry_size; i += DP_SLOTS_LINE)
			__builtin_prefetch(entry + i, 1);
}

/* Which of four groups is this one, as bits? */
static inline uint32_t
dp_slots_match(const uint32_t *groups, uint32_t group)
{
	return (groups[0] == group) | (groups[1] == group) << 1 |
		(groups[2] == group) << 2 | (groups[3] == group) << 3;
}

/*
 * The accumulators of a group of the entry, made if it is new; NULL if the
 * unit's rows in this group do not count.
 */
static inline uint8_t *
dp_slots_get(DpSlots *slots, uint8_t *entry, uint32_t group)
{
	uint32_t	word = *dp_slots_word(slots, entry);
	uint32_t	count = DP_ENTRY_COUNT(word);
	uint32_t	class = DP_ENTRY_CLASS(word);
	uint8_t    *found;

	if (class == 0)
	{
		const uint32_t *groups = (const uint32_t *) (entry + slots->head_size);

		if (!slots->grouped)
		{
			*dp_slots_word(slots, entry) = DP_ENTRY_USED | 1;
			return entry + slots->head_size;
		}
		for (uint32_t i = 0; i < count; i += 4)
		{
			uint32_t	hit = dp_slots_match(groups + i, group) & ((UINT32_C(1) << (count - i)) - 1);

			if (hit != 0)
				return entry + slots->head_size + slots->inline_slots * 4 +
					(size_t) (i + __builtin_ctz(hit)) * slots->acc_size;
		}
	}
	else if ((found = dp_slots_find_in_block(slots, entry, class, group)) != NULL)
		return found;
	return dp_slots_make(slots, entry, group);
}

/* The place for a measure, of those that lie in 64 bits each or in 32. */
static inline int64_t
dp_slots_place(const uint8_t *places, int measure, bool in_32)
{
	int32_t		place;

	if (!in_32)
		return (int64_t) dp_acc_load64(places + measure * sizeof(int64_t));
	place = (int32_t) dp_acc_load32(places + measure * sizeof(int32_t));
	return place == DP_SHORT_NONE ? DP_GRID_NONE : place;
}

/* One row: a place per measure. */
static inline void
dp_slots_add(const DpSlots *slots, uint8_t *acc, const uint8_t *places, bool in_32)
{
	for (int i = 0; i < slots->measures; i++)
	{
		int64_t		place = dp_slots_place(places, i, in_32);

		if (place != DP_GRID_NONE)
			dp_acc_add(&slots->measure[i], acc, place);
	}
}

/* Rows added up before. */
static inline void
dp_slots_combine(const DpSlots *slots, uint8_t *acc, const uint8_t *from)
{
	for (int i = 0; i < slots->measures; i++)
		dp_acc_combine(&slots->measure[i], acc, from);
}

#endif							/* DP_UNITS_SLOTS_H */
