/*
 * slots.c
 *	  Growing, limiting and emptying a unit's groups.
 */
#include "units/slots.h"

/* An entry has room for that many groups, or for all that count. */
#define WANTED_SLOTS 4

/* Up to so many groups, an entry never holds more than count. */
#define EXACT_GROUPS 32

#define CACHE_LINE 64

typedef struct SlotChunk
{
	struct SlotChunk *next;
	size_t		size;
	size_t		used;
	uint8_t		data[];
} SlotChunk;

static void *
allocate(DpSlots *slots, size_t size)
{
	void	   *block = slots->memory.allocate(slots->memory.context, size);

	slots->used += size;
	return block;
}

static void
release(DpSlots *slots, void *block, size_t size)
{
	slots->memory.release(slots->memory.context, block, size);
	slots->used -= size;
}

/* Choose the size of an entry: a divisor or a multiple of a cache line. */
static void
lay_out_entry(DpSlots *slots)
{
	size_t		slot = slots->acc_size + (slots->grouped ? 4 : 0);
	size_t		wanted = slots->max_groups < WANTED_SLOTS ? slots->max_groups : WANTED_SLOTS;
	size_t		needed;
	size_t		size = 16;

	slots->head_size = slots->id_words * 8 + 8;
	needed = slots->head_size + (slots->grouped && wanted * slot < 8 ? 8 : wanted * slot);
	while (size < needed && size < CACHE_LINE)
		size *= 2;
	while (size < needed)
		size += CACHE_LINE;
	slots->entry_size = size;
	slots->inline_slots = slots->grouped ? (size - slots->head_size) / slot : 1;
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
	slots->most = spec->max_groups <= EXACT_GROUPS ? spec->max_groups : 2 * spec->max_groups;
	slots->measures = spec->measures;
	slots->measure = spec->measure;
	slots->chunk_size = spec->limit / 32;
	slots->chunk_size = slots->chunk_size < 8192 ? 8192 : slots->chunk_size;
	slots->chunk_size = slots->chunk_size > 1 << 20 ? 1 << 20 : slots->chunk_size;
	lay_out_entry(slots);
	dp_units_create_groups(&slots->groups, memory, &spec->secret.group, parts);
}

static size_t
block_size(const DpSlots *slots, uint32_t class)
{
	return ((((size_t) 4 + slots->acc_size) << class) + 7) & ~(size_t) 7;
}

/* Cut memory from a chunk, a large piece from one of its own. */
static uint8_t *
cut_block(DpSlots *slots, size_t size)
{
	SlotChunk  *chunk = slots->chunks;
	uint8_t    *block;

	if (chunk == NULL || chunk->size - chunk->used < size)
	{
		size_t		room = size > slots->chunk_size / 8 ? size : slots->chunk_size;

		chunk = allocate(slots, sizeof(SlotChunk) + room);
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
		memcpy(&slots->free_block[class], block, sizeof(uint8_t *));
	else
		block = cut_block(slots, block_size(slots, class));
	memset(block, 0xFF, (size_t) 4 << class);
	return block;
}

static void
free_block(DpSlots *slots, uint8_t *block, uint32_t class)
{
	memcpy(block, &slots->free_block[class], sizeof(uint8_t *));
	slots->free_block[class] = block;
}

static void
free_ranks(DpSlots *slots)
{
	if (slots->rank == NULL)
		return;
	release(slots, slots->rank, slots->rank_capacity * sizeof(DpRank));
	release(slots, slots->kept, (size_t) slots->rank_capacity * slots->acc_size + 1);
	slots->rank_capacity = 0;
	slots->rank = NULL;
}

void
dp_slots_reset(DpSlots *slots)
{
	free_ranks(slots);
	while (slots->chunks)
	{
		SlotChunk  *chunk = slots->chunks;

		slots->chunks = chunk->next;
		release(slots, chunk, sizeof(SlotChunk) + chunk->size);
	}
	memset(slots->free_block, 0, sizeof(slots->free_block));
}

void
dp_slots_destroy(DpSlots *slots)
{
	dp_slots_reset(slots);
	dp_units_destroy_groups(&slots->groups);
}

/* An entry's groups and accumulators, wherever they are. */
typedef struct View
{
	uint32_t	class;
	uint32_t	count;
	uint32_t	capacity;		/* places to look at */
	uint32_t   *groups;
	uint8_t    *accs;
} View;

static View
view_entry(const DpSlots *slots, uint8_t *entry)
{
	uint32_t	word = *dp_slots_word(slots, entry);
	View		view = {.class = DP_ENTRY_CLASS(word), .count = DP_ENTRY_COUNT(word)};
	uint8_t    *base = entry + slots->head_size;

	if (view.class == 0)
		view.capacity = view.count;
	else
	{
		base = dp_slots_block(slots, entry);
		view.capacity = UINT32_C(1) << view.class;
	}
	view.groups = (uint32_t *) base;
	view.accs = base;
	if (slots->grouped)
		view.accs += (size_t) 4 * (view.class == 0 ? slots->inline_slots : view.capacity);
	return view;
}

/* The group at a place of a view, or DP_NO_GROUP. */
static inline uint32_t
group_at(const DpSlots *slots, const View *view, uint32_t place)
{
	return slots->grouped ? view->groups[place] : 0;
}

/* A place for a new group in a block with room; its accumulators are zeros. */
static uint8_t *
put_in_block(const DpSlots *slots, uint8_t *block, uint32_t class, uint32_t group)
{
	uint32_t   *groups = (uint32_t *) block;
	uint32_t	capacity = UINT32_C(1) << class;
	uint32_t	i = dp_slots_home(group, class);
	uint8_t    *acc;

	while (groups[i] != DP_NO_GROUP)
		i = (i + 1) & (capacity - 1);
	groups[i] = group;
	acc = block + (size_t) capacity * 4 + (size_t) i * slots->acc_size;
	memset(acc, 0, slots->acc_size);
	return acc;
}

/* Move an entry's groups to a larger block. */
static void
enlarge(DpSlots *slots, uint8_t *entry)
{
	View		view = view_entry(slots, entry);
	uint32_t	class = view.class == 0 ? DP_SLOTS_FIRST_CLASS : view.class + 1;
	uint8_t    *block;

	while ((view.count + 1) * 4 > (UINT32_C(3) << class))
		class++;
	block = new_block(slots, class);
	for (uint32_t i = 0; i < view.capacity; i++)
	{
		if (i % DP_UNITS_STRIDE == 0)
			slots->memory.breathe();
		if (view.groups[i] != DP_NO_GROUP)
			memcpy(put_in_block(slots, block, class, view.groups[i]),
				   view.accs + (size_t) i * slots->acc_size, slots->acc_size);
	}
	if (view.class != 0)
		free_block(slots, (uint8_t *) view.groups, view.class);
	memcpy(entry + slots->head_size, &block, sizeof(block));
	*dp_slots_word(slots, entry) = DP_ENTRY_USED | class << 24 | view.count;
}

static uint64_t
priority(const DpSlots *slots, const uint8_t *entry, uint32_t group)
{
	uint64_t	message[3];

	memcpy(message, entry, slots->id_words * sizeof(uint64_t));
	message[slots->id_words] = slots->groups.group[group].digest;
	return dp_sip64_words(&slots->secret, message, slots->id_words + 1);
}

static inline bool
precedes(const DpRank *a, const DpRank *b)
{
	return a->priority < b->priority || (a->priority == b->priority && a->group < b->group);
}

/* Scratch space for ranking so many groups. */
static void
reserve_ranks(DpSlots *slots, uint32_t count)
{
	if (count <= slots->rank_capacity)
		return;
	free_ranks(slots);
	count = count < 2 * EXACT_GROUPS ? 2 * EXACT_GROUPS : count;
	slots->rank = allocate(slots, count * sizeof(DpRank));
	slots->kept = allocate(slots, (size_t) count * slots->acc_size + 1);
	slots->rank_capacity = count;
}

/* Rank an entry's groups, in no order yet. */
static void
rank_groups(DpSlots *slots, const uint8_t *entry, const View *view)
{
	uint32_t	n = 0;

	reserve_ranks(slots, view->count);
	for (uint32_t i = 0; i < view->capacity; i++)
	{
		uint32_t	group = view->groups[i];

		if (i % DP_UNITS_STRIDE == 0)
			slots->memory.breathe();
		if (group == DP_NO_GROUP)
			continue;
		slots->rank[n].priority = priority(slots, entry, group);
		slots->rank[n].group = group;
		slots->rank[n++].place = i;
	}
}

static inline void
swap_ranks(DpRank *a, DpRank *b)
{
	DpRank		c = *a;

	*a = *b;
	*b = c;
}

/*
 * Bring the `first` least ranks to the front (quickselect).  Priorities are
 * uniform, so the middle element is as good a pivot as any.
 */
static void
select_least(DpSlots *slots, uint32_t count, uint32_t first)
{
	DpRank	   *rank = slots->rank;
	uint32_t	low = 0;
	uint32_t	high = count;

	while (high - low > 1)
	{
		DpRank		pivot = rank[low + (high - low) / 2];
		uint32_t	middle = low;

		for (uint32_t i = low; i < high; i++)
		{
			if (i % DP_UNITS_STRIDE == 0)
				slots->memory.breathe();
			if (precedes(&rank[i], &pivot))
				swap_ranks(&rank[i], &rank[middle++]);
		}
		if (middle >= first)
			high = middle;
		else
		{
			/* The pivot is the least of the rest. */
			for (uint32_t i = middle; i < high; i++)
				if (rank[i].group == pivot.group)
				{
					swap_ranks(&rank[i], &rank[middle]);
					break;
				}
			low = middle + 1;
			if (low >= first)
				return;
		}
		if (high <= first)
			return;
	}
}

/* Keep the `first` groups ranked, an entry's only ones from now on. */
static void
keep_ranked(DpSlots *slots, uint8_t *entry, const View *view, uint32_t first)
{
	size_t		size = slots->acc_size;
	uint32_t	word = DP_ENTRY_USED | view->class << 24 | first;

	for (uint32_t i = 0; i < first; i++)
		memcpy(slots->kept + i * size, view->accs + slots->rank[i].place * size, size);
	if (view->class != 0)
		memset(view->groups, 0xFF, (size_t) 4 << view->class);
	for (uint32_t i = 0; i < first; i++)
	{
		uint32_t	group = slots->rank[i].group;
		uint8_t    *acc = view->accs + i * size;

		if (i % DP_UNITS_STRIDE == 0)
			slots->memory.breathe();
		if (view->class == 0)
			view->groups[i] = group;
		else
			acc = put_in_block(slots, (uint8_t *) view->groups, view->class, group);
		memcpy(acc, slots->kept + i * size, size);
	}
	*dp_slots_word(slots, entry) = word;
}

/* Drop groups of an entry beyond those of least priority. */
static void
limit_groups(DpSlots *slots, uint8_t *entry)
{
	View		view = view_entry(slots, entry);

	if (view.count <= slots->max_groups)
		return;
	rank_groups(slots, entry, &view);
	select_least(slots, view.count, slots->max_groups);
	keep_ranked(slots, entry, &view, slots->max_groups);
}

/*
 * Make room for a group in an entry that holds as many as it may.  False if
 * the group's priority does not let it in.
 */
static bool
make_room(DpSlots *slots, uint8_t *entry, const DpRank *candidate)
{
	View		view = view_entry(slots, entry);
	uint32_t	keep = slots->most == slots->max_groups ? view.count - 1 : slots->max_groups;
	DpRank	   *rank;
	const DpRank *last;

	rank_groups(slots, entry, &view);
	select_least(slots, view.count, keep);
	rank = slots->rank;
	if (slots->most == slots->max_groups)
	{
		/* One of count + 1 has to go. */
		if (precedes(&rank[keep], candidate))
		{
			*dp_slots_cut(slots, entry) = (uint32_t) (rank[keep].priority >> 32);
			return false;
		}
		last = candidate;
	}
	else
		last = &rank[0];
	for (uint32_t i = 0; i < keep; i++)
		if (precedes(last, &rank[i]))
			last = &rank[i];
	*dp_slots_cut(slots, entry) = (uint32_t) (last->priority >> 32);
	keep_ranked(slots, entry, &view, keep);
	return last == candidate || precedes(candidate, last);
}

uint8_t *
dp_slots_make(DpSlots *slots, uint8_t *entry, uint32_t group)
{
	uint32_t	count = DP_ENTRY_COUNT(*dp_slots_word(slots, entry));
	uint32_t	class;

	if (count >= slots->max_groups)
	{
		DpRank		candidate = {.priority = priority(slots, entry, group), .group = group};

		if (candidate.priority >> 32 > *dp_slots_cut(slots, entry))
			return NULL;
		if (count >= slots->most)
		{
			if (!make_room(slots, entry, &candidate))
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
		return put_in_block(slots, dp_slots_block(slots, entry), class, group);
	((uint32_t *) (entry + slots->head_size))[count] = group;
	return memset(entry + slots->head_size + slots->inline_slots * 4 +
				  (size_t) count * slots->acc_size, 0, slots->acc_size);
}

void
dp_slots_finish(DpSlots *slots, uint8_t *entry)
{
	View		view;

	limit_groups(slots, entry);
	view = view_entry(slots, entry);
	for (uint32_t i = 0; i < view.capacity; i++)
	{
		uint32_t	group = group_at(slots, &view, i);
		__int128   *totals;

		if (group == DP_NO_GROUP)
			continue;
		if (i % DP_UNITS_STRIDE == DP_UNITS_STRIDE - 1)
			slots->memory.breathe();
		totals = dp_units_totals(&slots->groups, group);
		totals[0]++;
		for (int j = 0; j < slots->measures; j++)
			dp_acc_finish(&slots->measure[j], view.accs + (size_t) i * slots->acc_size, totals);
	}
}

void
dp_slots_dump(DpSlots *slots, uint8_t *entry, DpUnitsSink *sink, uint32_t partition)
{
	DpUnitId	id = dp_slots_id(slots, entry);
	View		view;

	limit_groups(slots, entry);
	view = view_entry(slots, entry);
	for (uint32_t i = 0; i < view.capacity; i++)
	{
		uint32_t	group = group_at(slots, &view, i);

		if (i % DP_UNITS_STRIDE == DP_UNITS_STRIDE - 1)
			slots->memory.breathe();
		if (group != DP_NO_GROUP)
			sink->take(sink, &id, partition, &slots->groups.group[group],
					   view.accs + (size_t) i * slots->acc_size);
	}
}
