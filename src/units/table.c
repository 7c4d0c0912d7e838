/*
 * table.c
 *	  The hash table of units.
 *
 * An entry is an id, a word that says how many groups it has and where, an upper
 * bound of the priorities that may still come in, and the groups themselves: in
 * the entry while they fit, then in a block, which is a small hash table.
 * Groups come as an array of numbers followed by an array of accumulators.
 *
 * Linear probing from the highest bits of a keyed hash: going through the table
 * goes through the partitions in order.
 */
#include "units/table.h"

#include "units/slots.h"

/* A new table has so many places, fewer if they take a quarter of its memory. */
#define FIRST_CAPACITY 1024
#define LEAST_CAPACITY 256

/* The most entries, in tenths of the table. */
#define FULLNESS 6

/* Groups that take more than this part of the memory are forgotten with the units. */
#define GROUPS_SHARE 8

/* Passing on an entry of more groups takes a while. */
#define MANY_GROUPS 16

/* A row held back. */
typedef struct Row
{
	DpUnitId	id;
	uint64_t	hash;
	uint8_t    *entry;
	uint32_t	group;
	bool		combined;		/* added up before */
} Row;

struct DpUnits
{
	DpSlots		slots;			/* what is in an entry; first */
	DpUnitsMemory memory;
	size_t		limit;
	uint64_t	place;			/* the secret places are found by */
	uint64_t	seed;			/* the same, for this level */
	uint8_t    *table;
	uint64_t	capacity;		/* power of two */
	uint64_t	first_capacity; /* of an empty table */
	int			shift;			/* from a hash to a place */
	uint64_t	count;
	bool		full;
	int			held;
	Row			row[DP_UNITS_BATCH];
	int64_t    *places;			/* of the rows held back */
	uint8_t    *states;			/* or their accumulators */
};

int
dp_units_lay_out(DpUnitsSpec *spec, int *accumulators)
{
	int			parts = 1;
	int			offset = 0;

	for (int i = 0; i < spec->measures; i++)
	{
		DpUnitsMeasure *measure = &spec->measure[i];

		measure->offset = offset;
		measure->part = parts;
		offset += dp_acc_size(measure);
		parts += dp_acc_parts(measure);
	}
	*accumulators = offset;
	return parts;
}

/* Bytes of a table, with some behind it that may be read. */
static size_t
table_size(const DpUnits *units, uint64_t capacity)
{
	return capacity * units->slots.entry_size + DP_SLOTS_SLACK;
}

static void
allocate_table(DpUnits *units, uint64_t capacity)
{
	units->table = units->memory.allocate(units->memory.context, table_size(units, capacity));
	units->capacity = capacity;
	units->shift = 64 - __builtin_ctzll(capacity);
}

static size_t
places_size(const DpUnits *units)
{
	return DP_UNITS_BATCH * (units->slots.measures + 1) * sizeof(int64_t);
}

static size_t
states_size(const DpUnits *units)
{
	return DP_UNITS_BATCH * (units->slots.acc_size + 1);
}

DpUnits *
dp_units_create(DpUnitsSpec *spec, const DpUnitsMemory *memory)
{
	DpUnits    *units = memory->allocate(memory->context, sizeof(DpUnits));

	units->memory = *memory;
	units->limit = spec->limit;
	units->place = units->seed = spec->secret.place;
	dp_slots_create(&units->slots, spec, memory);
	units->places = memory->allocate(memory->context, places_size(units));
	units->states = memory->allocate(memory->context, states_size(units));
	units->first_capacity = FIRST_CAPACITY;
	while (units->first_capacity > LEAST_CAPACITY &&
		   table_size(units, units->first_capacity) > spec->limit / 4)
		units->first_capacity /= 2;
	allocate_table(units, units->first_capacity);
	return units;
}

void
dp_units_destroy(DpUnits *units)
{
	DpUnitsMemory memory = units->memory;

	memory.release(memory.context, units->table, table_size(units, units->capacity));
	memory.release(memory.context, units->places, places_size(units));
	memory.release(memory.context, units->states, states_size(units));
	dp_slots_destroy(&units->slots);
	memory.release(memory.context, units, sizeof(DpUnits));
}

DpUnitsGroups *
dp_units_groups(DpUnits *units)
{
	return &units->slots.groups;
}

uint64_t
dp_units_count(const DpUnits *units)
{
	return units->count;
}

void
dp_units_set_level(DpUnits *units, int level)
{
	uint64_t	seed = units->place ^ ((uint64_t) level * UINT64_C(0xD6E8FEB86659FD93));

	if (units->seed == seed)
		return;
	units->seed = seed;
	units->memory.release(units->memory.context, units->table, table_size(units, units->capacity));
	allocate_table(units, units->first_capacity);
}

static Row *
hold_row(DpUnits *units, const DpUnitId *id, uint32_t group)
{
	Row		   *row = &units->row[units->held++];

	row->id.word[0] = id->word[0];
	row->id.word[1] = units->slots.id_words == 1 ? 0 : id->word[1];
	row->hash = dp_units_hash(units->seed, &row->id);
	row->group = group;
	row->combined = false;
	__builtin_prefetch(units->table + (row->hash >> units->shift) * units->slots.entry_size, 1);
	return row;
}

int64_t *
dp_units_add(DpUnits *units, const DpUnitId *id, uint32_t group)
{
	int			i = units->held;

	hold_row(units, id, group);
	return units->places + (size_t) i * units->slots.measures;
}

void
dp_units_combine(DpUnits *units, const DpUnitId *id, uint32_t group, const uint8_t *accumulators)
{
	int			i = units->held;

	hold_row(units, id, group)->combined = true;
	memcpy(units->states + (size_t) i * units->slots.acc_size, accumulators, units->slots.acc_size);
}

bool
dp_units_must_flush(const DpUnits *units)
{
	return units->held == DP_UNITS_BATCH;
}

/* The entry of a unit, made if it is not there. */
static inline uint8_t *
find_entry(DpUnits *units, const Row *row)
{
	uint64_t	mask = units->capacity - 1;
	uint64_t	i = row->hash >> units->shift;

	for (;; i = (i + 1) & mask)
	{
		uint8_t    *entry = units->table + i * units->slots.entry_size;

		if (!dp_slots_is_entry(&units->slots, entry))
		{
			dp_slots_start(&units->slots, entry, &row->id);
			units->count++;
			return entry;
		}
		if (dp_slots_is_unit(&units->slots, entry, &row->id))
			return entry;
	}
}

/* Move every entry to a table twice the size. */
static void
grow(DpUnits *units)
{
	uint8_t    *old = units->table;
	uint64_t	capacity = units->capacity;
	size_t		size = units->slots.entry_size;
	uint64_t	mask = 2 * capacity - 1;

	allocate_table(units, 2 * capacity);
	for (uint64_t i = 0; i < capacity; i++)
	{
		const uint8_t *entry = old + i * size;
		DpUnitId	id;
		uint64_t	j;

		if (i % DP_UNITS_STRIDE == 0)
			units->memory.breathe();
		if (!dp_slots_is_entry(&units->slots, entry))
			continue;
		id = dp_slots_id(&units->slots, entry);
		j = dp_units_hash(units->seed, &id) >> units->shift;
		while (dp_slots_is_entry(&units->slots, units->table + j * size))
			j = (j + 1) & mask;
		memcpy(units->table + j * size, entry, size);
	}
	units->memory.release(units->memory.context, old, table_size(units, capacity));
}

/* Bytes in use, were the table of this capacity. */
static size_t
memory_with(const DpUnits *units, uint64_t capacity)
{
	return table_size(units, capacity) + units->slots.used + units->slots.groups.used;
}

/*
 * Make room for a batch, or say that the table is full; there is room for
 * the batch all the same.
 */
static void
reserve(DpUnits *units)
{
	units->full = memory_with(units, units->capacity) > units->limit ||
		units->slots.groups.count >= DP_UNITS_MOST_GROUPS;
	if ((units->count + DP_UNITS_BATCH) * 10 <= units->capacity * FULLNESS)
		return;
	if (units->count + 2 * DP_UNITS_BATCH < units->capacity &&
		memory_with(units, 2 * units->capacity) > units->limit)
		units->full = true;
	else
		grow(units);
}

void
dp_units_flush(DpUnits *units)
{
	DpSlots    *slots = &units->slots;
	int			held = units->held;

	reserve(units);
	for (int i = 0; i < held; i++)
	{
		Row		   *row = &units->row[i];

		row->entry = find_entry(units, row);
		dp_slots_prefetch(slots, row->entry, row->group);
	}
	for (int i = 0; i < held; i++)
	{
		const Row  *row = &units->row[i];
		uint8_t    *acc = dp_slots_get(slots, row->entry, row->group);

		if (acc == NULL)
			continue;
		if (row->combined)
			dp_slots_combine(slots, acc, units->states + (size_t) i * slots->acc_size);
		else
			dp_slots_add(slots, acc, units->places + (size_t) i * slots->measures);
	}
	units->held = 0;
}

bool
dp_units_is_full(const DpUnits *units)
{
	return units->full;
}

/* Breathe at a place of the table, and after every entry with many groups. */
static inline void
breathe(const DpUnits *units, uint64_t place, const uint8_t *entry)
{
	if (place % DP_UNITS_STRIDE == 0 ||
		DP_ENTRY_COUNT(*dp_slots_word(&units->slots, entry)) > MANY_GROUPS)
		units->memory.breathe();
}

/* Empty the table, which went through `visit` for every unit. */
static void
empty_table(DpUnits *units)
{
	dp_slots_reset(&units->slots);
	units->count = 0;
	units->full = false;
}

void
dp_units_finish(DpUnits *units)
{
	dp_units_flush(units);
	for (uint64_t i = 0; i < units->capacity; i++)
	{
		uint8_t    *entry = units->table + i * units->slots.entry_size;

		breathe(units, i, entry);
		if (!dp_slots_is_entry(&units->slots, entry))
			continue;
		dp_slots_finish(&units->slots, entry);
		dp_slots_clear(&units->slots, entry);
	}
	empty_table(units);
}

void
dp_units_dump(DpUnits *units, DpUnitsSink *sink)
{
	dp_units_flush(units);
	for (uint64_t i = 0; i < units->capacity; i++)
	{
		uint8_t    *entry = units->table + i * units->slots.entry_size;
		DpUnitId	id;

		breathe(units, i, entry);
		if (!dp_slots_is_entry(&units->slots, entry))
			continue;
		id = dp_slots_id(&units->slots, entry);
		dp_slots_dump(&units->slots, entry, sink,
					  (uint32_t) (dp_units_hash(units->seed, &id) >> (64 - sink->partition_bits)));
		dp_slots_clear(&units->slots, entry);
	}
	empty_table(units);
	if (units->slots.groups.used > units->limit / GROUPS_SHARE)
		dp_units_reset_groups(&units->slots.groups);
}
