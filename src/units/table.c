/*
 * table.c
 *	  The hash table of units.
 *
 * An entry is an id, its first word as a hash, a word that says how many groups it
 * has and where, an upper bound of the priorities that may still come in, and the
 * groups themselves: in the entry while they fit, then in a block, which is a small
 * hash table.
 * Groups come as an array of numbers followed by an array of accumulators.
 *
 * Linear probing from the highest bits of a keyed hash: going through the table
 * goes through the partitions in order.
 */
#include "units/table.h"

#include "units/held.h"
#include "units/slots.h"

/* A new table has so many places, fewer if they take a quarter of its memory. */
#define FIRST_CAPACITY 1024
#define LEAST_CAPACITY 256

/* The most entries, in tenths of the table. */
#define FULLNESS 6

/*
 * Once blocks take so many bytes, rows are held back by parts, in so large a part
 * of the memory or this many bytes.  Entries alone arrive in time for their rows.
 */
#define MUCH_IN_BLOCKS ((size_t) 4 << 20)
#define HELD_SHARE 8
#define MOST_HELD ((size_t) 32 << 20)

/* Groups that take more than this part of the memory are forgotten with the units. */
#define GROUPS_SHARE 8

/* Passing on an entry of more groups takes a while. */
#define MANY_GROUPS 16

struct DpUnits
{
	DpSlots		slots;			/* what is in an entry; first */
	DpUnitsMemory memory;
	size_t		limit;
	uint64_t	place;			/* the secret places are found by */
	uint8_t    *table;
	uint64_t	capacity;		/* power of two */
	uint64_t	first_capacity; /* of an empty table */
	int			shift;			/* from a hash to a place */
	uint64_t	count;
	bool		full;
	bool		dumping;
	DpHeld		rows;			/* held back */
	DpHeld		combined;		/* likewise, rows added up before */
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

DpUnits *
dp_units_create(DpUnitsSpec *spec, const DpUnitsMemory *memory)
{
	DpUnits    *units = memory->allocate(memory->context, sizeof(DpUnits));

	units->memory = *memory;
	units->limit = spec->limit;
	units->place = spec->secret.place;
	dp_slots_create(&units->slots, spec, memory);
	units->slots.seed = units->place;
	dp_held_create(&units->rows, &units->slots, false);
	dp_held_create(&units->combined, &units->slots, true);
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
	dp_held_destroy(&units->rows);
	dp_held_destroy(&units->combined);
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
	uint64_t	seed = units->place ^ ((uint64_t) level * DP_UNITS_FACTOR);

	if (units->slots.seed == seed)
		return;
	units->slots.seed = seed;
	dp_held_unite(&units->rows);
	units->memory.release(units->memory.context, units->table, table_size(units, units->capacity));
	allocate_table(units, units->first_capacity);
}

/* The entry of a unit, made if it is not there. */
static inline uint8_t *
find_entry(DpUnits *units, uint64_t hash, uint64_t second)
{
	uint64_t	mask = units->capacity - 1;
	uint64_t	i = hash >> units->shift;

	for (;; i = (i + 1) & mask)
	{
		uint8_t    *entry = units->table + i * units->slots.entry_size;

		if (!dp_slots_is_entry(&units->slots, entry))
		{
			dp_slots_start(&units->slots, entry, hash, second);
			units->count++;
			return entry;
		}
		if (dp_slots_is_unit(&units->slots, entry, hash, second))
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
		uint64_t	j;

		if (i % DP_UNITS_STRIDE == 0)
			units->memory.breathe();
		if (!dp_slots_is_entry(&units->slots, entry))
			continue;
		j = dp_slots_hash(entry) >> units->shift;
		while (dp_slots_is_entry(&units->slots, units->table + j * size))
			j = (j + 1) & mask;
		memcpy(units->table + j * size, entry, size);
	}
	units->memory.release(units->memory.context, old, table_size(units, capacity));
}

/*
 * Bytes in use, were the table of this capacity.  In a dump groups and rows held back
 * are not counted: it would empty the table all the time, and both are about to go.
 */
static size_t
memory_with(const DpUnits *units, uint64_t capacity)
{
	size_t		in_table = table_size(units, capacity) + units->slots.used;

	if (units->dumping)
		return in_table;
	return in_table + units->slots.groups.used + dp_held_size(&units->rows);
}

/* Is the limit reached? */
static bool
is_beyond(const DpUnits *units)
{
	return memory_with(units, units->capacity) > units->limit ||
		(!units->dumping && units->slots.groups.count >= DP_UNITS_MOST_GROUPS);
}

/*
 * Make room for a batch, or say that the table is full; there is room for
 * the batch all the same.
 */
static void
reserve(DpUnits *units)
{
	units->full = is_beyond(units);
	if ((units->count + DP_UNITS_BATCH) * 10 <= units->capacity * FULLNESS)
		return;
	if (units->count + 2 * DP_UNITS_BATCH < units->capacity &&
		memory_with(units, 2 * units->capacity) > units->limit)
		units->full = true;
	else
		grow(units);
}

/* Ask for the cache lines of a unit's entry. */
static DP_ALWAYS_INLINE void
prefetch_entry(const DpUnits *units, uint64_t hash)
{
	const uint8_t *entry = units->table + (hash >> units->shift) * units->slots.entry_size;

	for (size_t i = 0; i < units->slots.entry_size; i += DP_SLOTS_LINE)
		__builtin_prefetch(entry + i, 1);
}

/* A row that is being put in, and its unit's entry. */
typedef struct Found
{
	const uint8_t *row;
	uint8_t    *entry;
} Found;

/* Rows whose groups are in their entries, and in blocks. */
typedef struct Batch
{
	uint32_t	count[2];
	Found		found[2][DP_UNITS_BATCH];
} Batch;

/* Find the entries of rows, and ask for their groups. */
static inline void
find_entries(DpUnits *units, const DpHeld *held, const uint8_t *row, const uint8_t *end,
			 Batch *batch)
{
	batch->count[0] = batch->count[1] = 0;
	for (; row < end; row += held->row_size)
	{
		uint8_t    *entry = find_entry(units, dp_held_hash(row), dp_held_second(held, row));
		int			form = DP_ENTRY_CLASS(*dp_slots_word(&units->slots, entry)) != 0;

		dp_slots_prefetch(&units->slots, entry, dp_held_group(held, row));
		batch->found[form][batch->count[form]++] = (Found) {row, entry};
	}
}

/* Add what a row brings to its unit's group. */
static inline void
put_row(DpUnits *units, const DpHeld *held, const Found *found)
{
	DpSlots    *slots = &units->slots;
	const uint8_t *data = dp_held_data(held, found->row);
	uint8_t    *acc = dp_slots_get(slots, found->entry, dp_held_group(held, found->row));

	if (acc == NULL)
		return;
	if (held->form == DP_HELD_SHORT_PLACES)
		dp_slots_add(slots, acc, data, true);
	else if (held->form == DP_HELD_PLACES)
		dp_slots_add(slots, acc, data, false);
	else
		dp_slots_combine(slots, acc, data);
}

/*
 * Put in the rows before `end`, at most a batch, and ask for the entries of those
 * before `after`.  One form of entries comes after the other: the processor foresees
 * which it will meet.
 */
static void
put_batch(DpUnits *units, const DpHeld *held, const uint8_t *row, const uint8_t *end,
		  const uint8_t *after)
{
	Batch		batch;

	find_entries(units, held, row, end, &batch);
	for (row = end; row < after; row += held->row_size)
		prefetch_entry(units, dp_held_hash(row));
	for (int form = 0; form < 2; form++)
		for (uint32_t i = 0; i < batch.count[form]; i++)
			put_row(units, held, &batch.found[form][i]);
}

/* The end of a batch that starts with this row, of a part's rows. */
static inline const uint8_t *
end_of_batch(const DpHeld *held, const DpHeldPart *part, const uint8_t *row)
{
	size_t		batch = DP_UNITS_BATCH * held->row_size;

	return (size_t) (part->next - row) < batch ? part->next : row + batch;
}

/* Put in a part's rows, until the table is full. */
static void
put_part(DpUnits *units, DpHeld *held, DpHeldPart *part)
{
	const uint8_t *row = dp_held_first(held, part);

	do
	{
		const uint8_t *end = end_of_batch(held, part, row);

		reserve(units);
		put_batch(units, held, row, end, end_of_batch(held, part, end));
		row = end;
	} while (row < part->next && !units->full);
	dp_held_remove(held, part, row);
	units->memory.breathe();
}

/* Put in a row that was not held back: rare, so kept out of its caller. */
static __attribute__((noinline)) void
put_at_once(DpUnits *units, uint64_t hash, uint64_t second, uint32_t group,
			const int64_t *places)
{
	uint8_t    *acc;

	reserve(units);
	acc = dp_slots_get(&units->slots, find_entry(units, hash, second), group);
	if (acc != NULL)
		dp_slots_add(&units->slots, acc, (const uint8_t *) places, false);
}

bool
dp_units_add_hashed(DpUnits *units, const DpUnitId *unit, uint32_t group, const int64_t *places)
{
	if (units->rows.bits == 0)
		prefetch_entry(units, unit->word[0]);
	if (!dp_held_add(&units->rows, unit->word[0], unit->word[1], group, places))
		put_at_once(units, unit->word[0], unit->word[1], group, places);
	return units->rows.ripe != NULL;
}

/* The id as the table knows it now. */
static inline DpUnitId
hashed(const DpUnits *units, const DpUnitId *id)
{
	return dp_units_hashed(units->slots.seed, units->slots.id_words, id);
}

bool
dp_units_add(DpUnits *units, const DpUnitId *id, uint32_t group, const int64_t *places)
{
	DpUnitId	unit = hashed(units, id);

	return dp_units_add_hashed(units, &unit, group, places);
}

const DpHeld *
dp_units_packing(const DpUnits *units)
{
	return &units->rows;
}

bool
dp_units_add_packed(DpUnits *units, const uint8_t *row, uint32_t group)
{
	if (units->rows.bits == 0)
		prefetch_entry(units, dp_held_hash(row));
	dp_held_add_written(&units->rows, row, group);
	return units->rows.ripe != NULL;
}

void
dp_units_combine(DpUnits *units, const DpUnitId *id, uint32_t group, const uint8_t *accumulators)
{
	DpUnitId	unit = hashed(units, id);

	prefetch_entry(units, unit.word[0]);
	dp_held_add(&units->combined, unit.word[0], unit.word[1], group, accumulators);
}

bool
dp_units_must_flush(const DpUnits *units)
{
	return units->rows.ripe != NULL || units->combined.ripe != NULL;
}

void
dp_units_divide(DpUnits *units)
{
	size_t		size = units->limit / HELD_SHARE;

	if (units->rows.bits == 0)
		dp_held_divide(&units->rows, size < MOST_HELD ? size : MOST_HELD);
}

/* Are there so many blocks that rows should be held back by parts, and room for that? */
static bool
should_divide(const DpUnits *units)
{
	return units->slots.used >= MUCH_IN_BLOCKS &&
		memory_with(units, units->capacity) <= units->limit / 2;
}

void
dp_units_flush(DpUnits *units)
{
	if (units->rows.ripe)
	{
		put_part(units, &units->rows, units->rows.ripe);
		if (units->rows.bits == 0 && should_divide(units))
			dp_units_divide(units);
	}
	if (units->combined.ripe)
		put_part(units, &units->combined, units->combined.ripe);
}

/* Put in all rows of these parts; false if the table is full before. */
static bool
settle(DpUnits *units, DpHeld *held)
{
	for (int i = 0; i < 1 << held->bits; i++)
		while (held->part[i].next > dp_held_first(held, &held->part[i]))
		{
			put_part(units, held, &held->part[i]);
			if (units->full)
				return false;
		}
	return true;
}

bool
dp_units_settle(DpUnits *units)
{
	return settle(units, &units->rows) && settle(units, &units->combined);
}

bool
dp_units_is_full(const DpUnits *units)
{
	return units->full || is_beyond(units);
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
	while (!dp_units_settle(units))
		continue;
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

/* Hand everything in the table to the sink. */
static void
take_out(DpUnits *units, DpUnitsSink *sink)
{
	for (uint64_t i = 0; i < units->capacity; i++)
	{
		uint8_t    *entry = units->table + i * units->slots.entry_size;

		breathe(units, i, entry);
		if (!dp_slots_is_entry(&units->slots, entry))
			continue;
		dp_slots_dump(&units->slots, entry, sink,
					  (uint32_t) (dp_slots_hash(entry) >> (64 - sink->partition_bits)));
		dp_slots_clear(&units->slots, entry);
	}
	empty_table(units);
}

void
dp_units_dump(DpUnits *units, DpUnitsSink *sink)
{
	units->dumping = true;
	take_out(units, sink);
	while (!dp_held_is_empty(&units->rows) || !dp_held_is_empty(&units->combined))
	{
		dp_units_settle(units);
		take_out(units, sink);
	}
	units->dumping = false;
	if (units->slots.groups.used > units->limit / GROUPS_SHARE)
		dp_units_reset_groups(&units->slots.groups);
}
