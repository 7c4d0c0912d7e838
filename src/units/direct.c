/* SPDX-License-Identifier: PostgreSQL */
/*
 * direct.c
 *	  Looking up units, and adding their rows up.
 */
#include "units/direct.h"
#include "units/sums.h"

/* Places of a table at first, and at most, so that 32 bits count them. */
#define FIRST_PLACES 512
#define MOST_PLACES (UINT32_C(1) << 31)
#define LEAST_PLACES 16

/* Entries of a table with so many places that grows, and of one that does not. */
#define FEW_ENTRIES(places) ((places) / 2)
#define MOST_ENTRIES(places) ((places) - (places) / 4)

/* The first rows, of which a share of the memory holds fewer if that is little. */
#define FIRST_ROWS 32768
#define FIRST_SHARE 8

/* Rows after which a full table is looked at, and whether it has their units. */
#define WATCHED_ROWS 16384

/* Bytes for a row that waits. */
#define ROW_SIZE(spec) (sizeof(DpUnitId) + (size_t) (spec)->measures * sizeof(int64_t) + 2 * sizeof(uint32_t))

/* Have so many rows wait from now on. */
static void
set_batch(DpDirect *direct, uint32_t batch)
{
	const DpUnitsMemory *memory = &direct->memory;

	if (direct->unit)
		memory->release(memory->context, direct->unit, direct->batch * ROW_SIZE(direct->spec));
	direct->unit = NULL;
	direct->batch = batch;
	if (batch == 0)
		return;
	direct->unit = memory->allocate(memory->context, batch * ROW_SIZE(direct->spec));
	direct->place = (int64_t *) (direct->unit + batch);
	direct->hash = (uint32_t *) (direct->place + (size_t) batch * direct->spec->measures);
	direct->left = direct->hash + batch;
}

/* Choose how wide ids are, and so how many places there can be. */
static void
lay_out(DpDirect *direct, size_t id_size)
{
	size_t		places;

	direct->id_size = id_size;
	direct->size = id_size + direct->spec->acc_size;
	places = dp_units_direct_limit(direct->spec) / direct->size;
	places = places < MOST_PLACES ? places : MOST_PLACES;
	direct->most_places = (uint32_t) (places > LEAST_PLACES ? places : LEAST_PLACES);
}

static void
make_table(DpDirect *direct, uint32_t places)
{
	direct->places = places < direct->most_places ? places : direct->most_places;
	direct->entry = direct->memory.allocate(direct->memory.context, direct->places * direct->size);
}

void
dp_units_direct_create(DpDirect *direct, const DpUnitsMemory *memory, const DpUnitsSpec *spec)
{
	size_t		rows;

	memset(direct, 0, sizeof(DpDirect));
	direct->memory = *memory;
	direct->spec = spec;
	direct->nowhere = memory->allocate(memory->context, spec->acc_size + 1);
	rows = dp_units_direct_limit(spec) / FIRST_SHARE / ROW_SIZE(spec);
	rows = rows < FIRST_ROWS ? rows : FIRST_ROWS;
	set_batch(direct, (uint32_t) (rows > DP_DIRECT_BATCH ? rows : DP_DIRECT_BATCH));
	lay_out(direct, spec->id_words > 1 ? sizeof(DpUnitId) : sizeof(uint32_t));
	make_table(direct, FIRST_PLACES);
}

void
dp_units_direct_destroy(DpDirect *direct)
{
	const DpUnitsMemory *memory = &direct->memory;

	if (direct->entry == NULL)
		return;
	memory->release(memory->context, direct->entry, direct->places * direct->size);
	memory->release(memory->context, direct->nowhere, direct->spec->acc_size + 1);
	set_batch(direct, 0);
	direct->entry = NULL;
}

/* An id's first word as entries have it: 0 is a free place. */
static DP_ALWAYS_INLINE uint64_t
key_of(const DpDirect *direct, const DpUnitId *unit, size_t id_size)
{
	uint64_t	key = unit->word[0] + direct->spec->secret.offset;

	return id_size == sizeof(uint32_t) ? (uint32_t) key : key;
}

static DP_ALWAYS_INLINE uint64_t
load_key(const uint8_t *entry, size_t id_size)
{
	return id_size == sizeof(uint32_t) ? dp_units_acc_load32(entry) : dp_units_acc_load64(entry);
}

static DP_ALWAYS_INLINE void
store_key(uint8_t *entry, uint64_t key, const DpUnitId *unit, size_t id_size)
{
	if (id_size == sizeof(uint32_t))
		dp_units_acc_store32(entry, (uint32_t) key);
	else
		dp_units_acc_store64(entry, key);
	if (id_size > sizeof(uint64_t))
		dp_units_acc_store64(entry + sizeof(uint64_t), unit->word[1]);
}

/*
 * Has a unit no entry, by its key?  Those of one word of which 32 bits would be a free place, even where there are 64, so
 * that no unit gets an entry after rows of it were left; and while ids of 32 bits are to be given up, those that are wider.
 * Which these are is secret.
 */
static DP_ALWAYS_INLINE bool
has_no_entry(const DpDirect *direct, const DpUnitId *unit, uint64_t key, size_t id_size)
{
	if (id_size > sizeof(uint64_t))
		return key == 0;
	return (uint32_t) key == 0 ||
		(id_size == sizeof(uint32_t) && direct->in_vain && dp_units_direct_beyond(unit) != 0);
}

/* A unit's entry, or the free place for one: set whether there is one. */
static DP_ALWAYS_INLINE uint8_t *
find(const DpDirect *direct, uint32_t hash, uint64_t key, uint64_t second, size_t id_size, bool *found)
{
	const uint8_t *end = direct->entry + direct->places * direct->size;

	for (uint8_t *entry = dp_units_direct_home(direct, hash);;)
	{
		uint64_t	known = load_key(entry, id_size);

		*found = known == key &&
			(id_size <= sizeof(uint64_t) || dp_units_acc_load64(entry + sizeof(uint64_t)) == second);
		if (*found || known == 0)
			return entry;
		entry += direct->size;
		if (entry == end)
			entry = direct->entry;
	}
}

const uint8_t *
dp_units_direct_next(const DpDirect *direct, uint32_t *place, DpUnitId *unit)
{
	while (*place < direct->places)
	{
		const uint8_t *entry = direct->entry + *place * direct->size;
		uint64_t	key = load_key(entry, direct->id_size);

		if ((*place)++ % DP_UNITS_STRIDE == 0)
			direct->memory.breathe();
		if (key == 0)
			continue;
		unit->word[0] = key - direct->spec->secret.offset;
		if (direct->id_size == sizeof(uint32_t))
			unit->word[0] = (uint64_t) (int64_t) (int32_t) unit->word[0];
		unit->word[1] = direct->id_size > sizeof(uint64_t) ? dp_units_acc_load64(entry + sizeof(uint64_t)) : 0;
		return entry + direct->id_size;
	}
	return NULL;
}

/* Move all to a table of about so many places, with ids of this width. */
static void
rebuild(DpDirect *direct, uint32_t places, size_t id_size)
{
	DpDirect	old = *direct;
	uint32_t	place = 0;
	DpUnitId	unit;

	lay_out(direct, id_size);
	make_table(direct, places);
	for (const uint8_t *acc; (acc = dp_units_direct_next(&old, &place, &unit)) != NULL;)
	{
		uint32_t	hash = (uint32_t) (dp_units_record_hash(direct->spec, &unit) >> 32);
		uint64_t	key = key_of(direct, &unit, id_size);
		bool		found;
		uint8_t    *entry = id_size > sizeof(uint64_t) ? find(direct, hash, key, unit.word[1], sizeof(DpUnitId), &found)
			: id_size == sizeof(uint64_t) ? find(direct, hash, key, 0, sizeof(uint64_t), &found)
			: find(direct, hash, key, 0, sizeof(uint32_t), &found);

		store_key(entry, key, &unit, id_size);
		memcpy(entry + id_size, acc, direct->spec->acc_size);
	}
	old.memory.release(old.memory.context, old.entry, old.places * old.size);
}

/* See to room for so many units more, if there can be, and to ids that are wide enough. */
static void
make_room(DpDirect *direct, uint32_t more)
{
	uint32_t	wanted = direct->count + more;

	if (direct->beyond != 0 && direct->id_size == sizeof(uint32_t))
	{
		size_t		size = sizeof(uint64_t) + direct->spec->acc_size;

		direct->in_vain = wanted > MOST_ENTRIES(dp_units_direct_limit(direct->spec) / size);
		if (!direct->in_vain)
			rebuild(direct, direct->places, sizeof(uint64_t));
	}
	if (wanted > FEW_ENTRIES(direct->places) && direct->most_places - direct->places > direct->places / 4)
		rebuild(direct, 2 * direct->places, direct->id_size);
}

/*
 * Accumulators of the units of rows from here on, which are made as long as there is room;
 * returns how many rows are left, whose numbers are the first in `left`.
 */
static DP_ALWAYS_INLINE uint32_t
look_up(DpDirect *direct, uint32_t from, uint32_t rows, uint8_t **acc, uint32_t *left, size_t id_size)
{
	uint32_t	most = MOST_ENTRIES(direct->places);
	uint32_t	missed = 0;

	for (uint32_t i = 0; i < rows; i++)
	{
		const DpUnitId *unit = &direct->unit[from + i];
		uint64_t	key = key_of(direct, unit, id_size);
		bool		none = has_no_entry(direct, unit, key, id_size);
		bool		found;
		uint8_t    *entry = find(direct, direct->hash[from + i], key, unit->word[1], id_size, &found);

		acc[i] = entry + id_size;
		if (found && !none)
			continue;
		if (none || direct->count >= most || direct->in_vain)
		{
			left[missed++] = from + i;
			acc[i] = direct->nowhere;
			continue;
		}
		direct->count++;
		store_key(entry, key, unit, id_size);
	}
	return missed;
}

/* Add rows by one measure, of which the compiler knows what the caller does. */
static DP_ALWAYS_INLINE void
add_rows(DpUnitsMeasure measure, const int64_t *place, uint8_t *const *acc, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		if (place[i] != DP_GRID_NONE)
			dp_units_acc_add(&measure, acc[i], place[i]);
}

/* The same, by what most queries ask for and by all else. */
static void
add_measure(const DpUnitsMeasure *wanted, const int64_t *place, uint8_t *const *acc, uint32_t rows)
{
	DpUnitsMeasure measure = *wanted;

	if (measure.kind == DP_UNITS_ROWS)
	{
		measure.kind = DP_UNITS_ROWS;
		add_rows(measure, place, acc, rows);
	}
	else if (measure.kind == DP_UNITS_SUM && measure.small && measure.ladder.steps == 0)
	{
		measure.kind = DP_UNITS_SUM;
		measure.small = true;
		measure.ladder.steps = 0;
		add_rows(measure, place, acc, rows);
	}
	else
		add_rows(measure, place, acc, rows);
}

/* Add a batch's rows from here on; returns how many are left. */
static uint32_t
add_some(DpDirect *direct, uint32_t from, uint32_t rows, uint32_t *left)
{
	uint8_t    *acc[DP_DIRECT_BATCH];
	uint32_t	missed;

	make_room(direct, rows);
	if (direct->id_size == sizeof(uint32_t))
		missed = look_up(direct, from, rows, acc, left, sizeof(uint32_t));
	else if (direct->id_size == sizeof(uint64_t))
		missed = look_up(direct, from, rows, acc, left, sizeof(uint64_t));
	else
		missed = look_up(direct, from, rows, acc, left, sizeof(DpUnitId));
	for (int m = 0; m < direct->spec->measures; m++)
		add_measure(&direct->spec->measure[m], direct->place + (size_t) m * direct->batch + from, acc, rows);
	return missed;
}

/*
 * Are there more units than two thirds of what the table holds, by the number of the first rows
 * whose units came before?  Where u units are equally likely, there are about n^2 / 2u of
 * these among n rows.
 */
static bool
are_too_many(const DpDirect *direct)
{
	uint64_t	rows = direct->waiting;
	uint64_t	most = MOST_ENTRIES(direct->most_places);

	return 3 * rows * rows > 4 * most * (rows - direct->count);
}

uint32_t
dp_units_direct_add(DpDirect *direct)
{
	uint32_t	rows = direct->waiting;
	uint32_t	missed = 0;

	for (uint32_t from = 0; from < rows; from += DP_DIRECT_BATCH)
	{
		uint32_t	some = rows - from < DP_DIRECT_BATCH ? rows - from : DP_DIRECT_BATCH;

		if (from % DP_UNITS_STRIDE == 0)
			direct->memory.breathe();
		missed += add_some(direct, from, some, direct->left + missed);
	}
	if (!direct->tried && rows == direct->batch && are_too_many(direct))
	{
		for (missed = 0; missed < rows; missed++)
			direct->left[missed] = missed;
		dp_units_direct_clear(direct);
		direct->in_vain = true;
	}
	if (direct->rows > WATCHED_ROWS)
		direct->rows = direct->missed = 0;
	if (direct->count >= MOST_ENTRIES(direct->places))
		direct->rows += rows;
	direct->missed += missed;
	return missed;
}

bool
dp_units_direct_is_outdated(const DpDirect *direct)
{
	return direct->rows > WATCHED_ROWS && direct->missed > direct->rows / 4 * 3;
}

void
dp_units_direct_clear(DpDirect *direct)
{
	dp_units_fill(&direct->memory, direct->entry, 0, direct->places * direct->size);
	direct->count = direct->rows = direct->missed = 0;
}

void
dp_units_direct_forget_rows(DpDirect *direct)
{
	direct->waiting = 0;
	if (!direct->tried && direct->batch > DP_DIRECT_BATCH)
		set_batch(direct, DP_DIRECT_BATCH);
	direct->tried = true;
}

void
dp_units_direct_contribute(const DpDirect *direct, __int128 *totals)
{
	uint32_t	place = 0;
	DpUnitId	unit;

	for (const uint8_t *acc; (acc = dp_units_direct_next(direct, &place, &unit)) != NULL;)
		dp_units_sums_contribute(direct->spec, acc, totals);
}
