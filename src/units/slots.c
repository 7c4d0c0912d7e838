/*
 * slots.c
 *	  Growing and emptying a unit's groups.
 */
#include "units/limit.h"
#include "units/slots.h"
#include "units/view.h"

/* An entry has room for that many groups, or for all that count. */
#define WANTED_SLOTS 4

/* Blocks are cut from chunks of so many bytes in all. */
#define HUGE_PAGE ((size_t) 2 << 20)
#define LEAST_CHUNK ((size_t) 8 << 10)
#define MOST_CHUNK (2 * HUGE_PAGE)

typedef struct SlotChunk
{
	struct SlotChunk *next;
	size_t		size;
	size_t		used;
	uint8_t		data[];
} SlotChunk;

/* Choose the size of an entry: a divisor or a multiple of a cache line. */
static void
lay_out_entry(DpSlots *slots)
{
	size_t		slot = slots->acc_size + (slots->grouped ? 4 : 0);
	size_t		wanted = slots->max_groups < WANTED_SLOTS ? slots->max_groups : WANTED_SLOTS;
	size_t		needed;
	size_t		size = 16;

	slots->slot_size = sizeof(uint32_t) + slots->acc_size;
	slots->head_size = slots->id_words * 8 + 8;
	needed = slots->head_size + (slots->grouped && wanted * slot < 8 ? 8 : wanted * slot);
	while (size < needed && size < DP_SLOTS_LINE)
		size *= 2;
	while (size < needed)
		size += DP_SLOTS_LINE;
	slots->entry_size = size;
	slots->inline_slots = slots->grouped ? (size - slots->head_size) / slot : 1;
}

/* A small part of the memory; in whole huge pages where it is large. */
static size_t
choose_chunk_size(size_t limit)
{
	size_t		size = limit / 32;

	if (size >= HUGE_PAGE)
		return size < MOST_CHUNK ? size & ~(HUGE_PAGE - 1) : MOST_CHUNK;
	return size > LEAST_CHUNK ? size : LEAST_CHUNK;
}

void
dp_slots_create(DpSlots *slots, const DpUnitsSpec *spec, const DpUnitsMemory *memory)
{
	DpUnitsSpec layout = *spec;
	int			parts = dp_units_lay_out(&layout, &slots->acc_size);

	slots->memory = *memory;
	slots->secret = spec->secret.priority;
	slots->id_words = spec->id_words;
	slots->grouped = spec->grouped;
	slots->max_groups = spec->max_groups;
	slots->most = spec->max_groups <= DP_EXACT_GROUPS ? spec->max_groups : 2 * spec->max_groups;
	slots->measures = spec->measures;
	slots->measure = spec->measure;
	slots->chunk_size = choose_chunk_size(spec->limit);
	lay_out_entry(slots);
	dp_units_create_groups(&slots->groups, memory, &spec->secret.group, parts);
}

static size_t
block_size(const DpSlots *slots, uint32_t class)
{
	return (((size_t) slots->slot_size << class) + 7) & ~(size_t) 7;
}

/* Cut memory from a chunk, a large piece from one of its own. */
static uint8_t *
cut_block(DpSlots *slots, size_t size)
{
	SlotChunk  *chunk = slots->chunks;
	uint8_t    *block;

	if (chunk == NULL || chunk->size - chunk->used < size)
	{
		size_t		room = size > slots->chunk_size / 8 ? size
			: slots->chunk_size - sizeof(SlotChunk);

		chunk = dp_slots_allocate(slots, sizeof(SlotChunk) + room);
		chunk->size = room;
		if (room == size && slots->chunks)
		{
			chunk->next = slots->chunks->next;
			slots->chunks->next = chunk;
		}
		else
		{
			chunk->next = slots->chunks;
			slots->chunks = chunk;
		}
	}
	block = chunk->data + chunk->used;
	chunk->used += size;
	return block;
}

/* An empty block. */
static uint8_t *
new_block(DpSlots *slots, uint32_t class)
{
	uint8_t    *block = slots->free_block[class];

	if (block)
		memcpy(&slots->free_block[class], block, sizeof(slots->free_block[class]));
	else
		block = cut_block(slots, block_size(slots, class));
	dp_slots_empty_block(slots, block, class);
	return block;
}

static void
free_block(DpSlots *slots, uint8_t *block, uint32_t class)
{
	memcpy(block, &slots->free_block[class], sizeof(slots->free_block[class]));
	slots->free_block[class] = block;
}

void
dp_slots_reset(DpSlots *slots)
{
	dp_slots_free_ranks(slots);
	while (slots->chunks)
	{
		SlotChunk  *chunk = slots->chunks;

		slots->chunks = chunk->next;
		dp_slots_release(slots, chunk, sizeof(SlotChunk) + chunk->size);
	}
	memset(slots->free_block, 0, sizeof(slots->free_block));
}

void
dp_slots_destroy(DpSlots *slots)
{
	dp_slots_reset(slots);
	dp_units_destroy_groups(&slots->groups);
}

/* Move an entry's groups to a larger block. */
static void
enlarge(DpSlots *slots, uint8_t *entry)
{
	DpSlotsView view = dp_slots_view(slots, entry);
	uint32_t	class = view.class == 0 ? DP_SLOTS_FIRST_CLASS : view.class + 1;
	uint8_t    *block;

	while ((view.count + 1) * 4 > (UINT32_C(3) << class))
		class++;
	block = new_block(slots, class);
	for (uint32_t i = 0; i < view.capacity; i++)
	{
		uint32_t	group;

		if (i % DP_UNITS_STRIDE == 0)
			slots->memory.breathe();
		group = dp_slots_group_at(slots, &view, i);
		if (group != DP_NO_GROUP)
			memcpy(dp_slots_put_in_block(slots, block, class, group),
				   dp_slots_acc_at(&view, i), slots->acc_size);
	}
	if (view.class != 0)
		free_block(slots, view.groups, view.class);
	memcpy(entry + slots->head_size, &block, sizeof(block));
	*dp_slots_word(slots, entry) = DP_ENTRY_USED | class << 24 | view.count;
}

uint8_t *
dp_slots_make(DpSlots *slots, uint8_t *entry, uint32_t group)
{
	uint32_t	count = DP_ENTRY_COUNT(*dp_slots_word(slots, entry));
	uint32_t	class;

	if (count >= slots->max_groups)
	{
		DpRank		candidate = {.priority = dp_slots_priority(slots, entry, group), .group = group};

		if (candidate.priority >> 32 > *dp_slots_cut(slots, entry))
			return NULL;
		if (count >= slots->most)
		{
			if (!dp_slots_make_room(slots, entry, &candidate))
				return NULL;
			count = DP_ENTRY_COUNT(*dp_slots_word(slots, entry));
		}
	}
	class = DP_ENTRY_CLASS(*dp_slots_word(slots, entry));
	if (class == 0 ? count == slots->inline_slots : (count + 1) * 4 > (UINT32_C(3) << class))
		enlarge(slots, entry);
	++*dp_slots_word(slots, entry);
	class = DP_ENTRY_CLASS(*dp_slots_word(slots, entry));
	if (class != 0)
		return dp_slots_put_in_block(slots, dp_slots_block(slots, entry), class, group);
	((uint32_t *) (entry + slots->head_size))[count] = group;
	return memset(entry + slots->head_size + slots->inline_slots * 4 +
				  (size_t) count * slots->acc_size, 0, slots->acc_size);
}

void
dp_slots_finish(DpSlots *slots, uint8_t *entry)
{
	DpSlotsView view;

	dp_slots_limit(slots, entry);
	view = dp_slots_view(slots, entry);
	for (uint32_t i = 0; i < view.capacity; i++)
	{
		uint32_t	group = dp_slots_group_at(slots, &view, i);
		__int128   *totals;

		if (group == DP_NO_GROUP)
			continue;
		if (i % DP_UNITS_STRIDE == DP_UNITS_STRIDE - 1)
			slots->memory.breathe();
		totals = dp_units_totals(&slots->groups, group);
		totals[0]++;
		for (int j = 0; j < slots->measures; j++)
			dp_acc_finish(&slots->measure[j], dp_slots_acc_at(&view, i), totals);
	}
}

void
dp_slots_dump(DpSlots *slots, uint8_t *entry, DpUnitsSink *sink, uint32_t partition)
{
	DpUnitId	id = dp_slots_id(slots, entry);
	DpSlotsView view;

	dp_slots_limit(slots, entry);
	view = dp_slots_view(slots, entry);
	for (uint32_t i = 0; i < view.capacity; i++)
	{
		uint32_t	group = dp_slots_group_at(slots, &view, i);

		if (i % DP_UNITS_STRIDE == DP_UNITS_STRIDE - 1)
			slots->memory.breathe();
		if (group != DP_NO_GROUP)
			sink->take(sink, &id, partition, &slots->groups, group, dp_slots_acc_at(&view, i));
	}
}
