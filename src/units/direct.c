/* SPDX-License-Identifier: PostgreSQL */
/*
 * direct.c
 *	  Finding units, and adding their rows up.
 */
#include "units/direct.h"

/* Places that a table has at least, and at most, so that 32 bits count them. */
#define LEAST_PLACES 64
#define MOST_PLACES (UINT32_C(1) << 31)

/* Beyond so many units a log does as well. */
#define MOST_UNITS (UINT32_C(1) << 17)

/* The first rows, of which a share of the memory holds fewer if that is little, but so many. */
#define FIRST_ROWS 4096
#define LEAST_ROWS 64
#define FIRST_SHARE 8

/* Places for a unit at first, for so many more of which few rows were seen, and by what they grow. */
#define SPARSE 4
#define MORE_UNITS (MOST_UNITS / 8)

/* Rows after which a table is looked at. */
#define WATCHED_ROWS 16384

/* Bytes for a row that waits. */
#define ROW_SIZE(spec) (sizeof(DpUnitId) + (size_t) (spec)->measures * sizeof(int64_t))

void
dp_units_direct_create(DpDirect *direct, const DpMemory *memory, const DpUnitsSpec *spec)
{
	size_t		rows = dp_units_direct_limit(spec) / FIRST_SHARE / ROW_SIZE(spec);
	size_t		places;

	memset(direct, 0, sizeof(DpDirect));
	direct->memory = *memory;
	direct->spec = spec;
	direct->id_size = dp_units_record_group_at(spec);
	direct->size = direct->id_size + spec->acc_size;
	places = dp_units_direct_limit(spec) / direct->size;
	places = places < MOST_PLACES ? places : MOST_PLACES;
	direct->places = direct->most_places = (uint32_t) (places > LEAST_PLACES ? places : LEAST_PLACES) & ~UINT32_C(1);
	direct->entry = memory->allocate(memory->context, direct->places * direct->size);
	rows = rows < FIRST_ROWS ? rows : FIRST_ROWS;
	direct->room = (uint32_t) (rows > LEAST_ROWS ? rows : LEAST_ROWS);
	direct->unit = memory->allocate(memory->context, direct->room * ROW_SIZE(spec));
	direct->place = (int64_t *) (direct->unit + direct->room);
}

void
dp_units_direct_destroy(DpDirect *direct)
{
	const DpMemory *memory = &direct->memory;

	if (direct->entry == NULL)
		return;
	memory->release(memory->context, direct->entry, direct->most_places * direct->size);
	memory->release(memory->context, direct->unit, direct->room * ROW_SIZE(direct->spec));
	direct->entry = NULL;
}

static void
clear(DpDirect *direct)
{
	dp_memory_fill(&direct->memory, direct->entry, 0, direct->places * direct->size);
}

/* Use so many places of an empty table, or as many as there are. */
static void
use_places(DpDirect *direct, uint64_t places)
{
	direct->places = places < direct->most_places ? (uint32_t) places : direct->most_places;
}

/* Where u units are equally likely, about n^2 / 2u of the first n rows are of units that came before. */
bool
dp_units_direct_try(DpDirect *direct)
{
	uint64_t	rows = direct->waiting;
	uint64_t	before = 1;
	uint64_t	units;

	direct->tried = true;
	for (uint32_t i = 0; i < rows; i++)
	{
		uint8_t    *entry = dp_units_direct_home(direct, direct->unit[i].word[0]);
		uint32_t	hash = (uint32_t) (direct->unit[i].word[0] >> 32);

		before += dp_units_acc_load32(entry) == hash;
		dp_units_acc_store32(entry, hash);
	}
	clear(direct);
	units = rows * rows / (2 * before);
	use_places(direct, SPARSE * (units + MORE_UNITS));
	return units <= MOST_UNITS && units <= direct->places / 2;
}

/* Write an entry to the log, if it is a unit's. */
static DP_ALWAYS_INLINE void
write_entry(DpDirect *direct, DpLog *log, const uint8_t *entry, bool small)
{
	uint64_t	hash = dp_units_record_unit(entry, small, 1).word[0];

	if (hash == 0)
		return;
	memcpy(dp_units_part_room(log, hash), entry, direct->size);
	direct->written++;
}

/* An entry for a unit that has none; of hash 0, as free places have it, a unit has a record of the log. */
static DP_ALWAYS_INLINE uint8_t *
make_entry(DpDirect *direct, DpLog *log, const DpUnitId *unit, uint8_t *first, uint8_t *second, bool small)
{
	uint8_t    *entry = first;

	if (unit->word[0] == 0)
		entry = dp_units_part_room(log, 0);
	else if (dp_units_record_unit(second, small, 1).word[0] == 0)
		entry = second;
	else
		write_entry(direct, log, first, small);
	dp_units_record_put_unit(direct->spec, entry, unit);
	memset(entry + direct->id_size, 0, direct->spec->acc_size);
	return entry;
}

static DP_ALWAYS_INLINE bool
is_of(const uint8_t *entry, const DpUnitId *unit, bool small, int words)
{
	DpUnitId	known = dp_units_record_unit(entry, small, words);

	return known.word[0] == unit->word[0] && known.word[1] == unit->word[1];
}

/* Rows to add. */
typedef struct DpRows
{
	const DpUnitId *unit;
	const int64_t *place;
	uint32_t	count;
} DpRows;

/* Add rows, by measures and with ids of which the compiler knows what the caller does. */
static DP_ALWAYS_INLINE void
add_rows(DpDirect *direct, DpLog *log, const DpRows *rows, const DpUnitsMeasure *measure, int measures, bool small, int words)
{
	const int64_t *place = rows->place;
	const DpUnitId *unit = rows->unit;

	for (uint32_t i = 0; i < rows->count; i++, place += measures, unit++)
	{
		uint64_t	at = (unit->word[0] >> 32) * direct->places >> 32;
		uint8_t    *entry = direct->entry + at * direct->size;
		uint8_t    *other = at & 1 ? entry - direct->size : entry + direct->size;

		if (unit->word[0] == 0 || !is_of(entry, unit, small, words))
			entry = unit->word[0] != 0 && is_of(other, unit, small, words) ? other
				: make_entry(direct, log, unit, entry, other, small);
		for (int m = 0; m < measures; m++)
			if (measure[m].constant || place[m] != DP_GRID_NONE)
				dp_units_acc_add(&measure[m], entry + direct->id_size, place[m]);
	}
}

static DP_ALWAYS_INLINE void
add_measures(DpDirect *direct, DpLog *log, const DpRows *rows, const DpUnitsMeasure *measure, int measures)
{
	if (direct->spec->small_ids)
		add_rows(direct, log, rows, measure, measures, true, 1);
	else if (direct->spec->id_words == 1)
		add_rows(direct, log, rows, measure, measures, false, 1);
	else
		add_rows(direct, log, rows, measure, measures, false, 2);
}

/* What most queries ask for, and all else. */
static void
add_all(DpDirect *direct, DpLog *log, const DpRows *rows)
{
	const DpUnitsSpec *spec = direct->spec;
	DpUnitsMeasure only = spec->measure[0];

	if (spec->measures == 1 && only.kind == DP_UNITS_ROWS)
	{
		only.kind = DP_UNITS_ROWS;
		add_measures(direct, log, rows, &only, 1);
	}
	else if (spec->measures == 1 && only.kind == DP_UNITS_SUM && only.small && only.ladder.steps == 0)
	{
		only.kind = DP_UNITS_SUM;
		only.small = true;
		only.ladder.steps = 0;
		add_measures(direct, log, rows, &only, 1);
	}
	else
		add_measures(direct, log, rows, spec->measure, spec->measures);
}

void
dp_units_direct_add(DpDirect *direct, DpLog *log, const DpUnitId *unit, const int64_t *place, uint32_t rows)
{
	direct->memory.breathe();
	add_all(direct, log, &(DpRows) {unit, place, rows});
	direct->rows += rows;
	if (direct->rows < WATCHED_ROWS)
		return;
	if (direct->written > direct->rows / 8 && direct->places < direct->most_places)
	{
		dp_units_direct_write(direct, log);
		clear(direct);
		use_places(direct, (uint64_t) direct->places * SPARSE);
	}
	else
		direct->in_vain = direct->written > direct->rows / 4 * 3;
	direct->rows = direct->written = 0;
}

void
dp_units_direct_write(DpDirect *direct, DpLog *log)
{
	for (uint32_t i = 0; i < direct->places; i++)
	{
		if (i % DP_MEMORY_STRIDE == 0)
			direct->memory.breathe();
		write_entry(direct, log, direct->entry + i * direct->size, direct->spec->small_ids);
	}
}
