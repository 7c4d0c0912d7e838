/* SPDX-License-Identifier: PostgreSQL */
/*
 * load.c
 *	  Loading a part, and numbering units and groups.
 */
#include "units/load.h"
#include "units/probe.h"

/* A unit's place in the table of a part's units. */
typedef struct DpLoadUnit
{
	uint64_t	hash;
	uint32_t	number;
	uint32_t	stamp;			/* of the part */
} DpLoadUnit;

#define LEAST_CAPACITY 256

void
dp_units_load_create(DpLoad *load, const DpUnitsMemory *memory, const DpUnitsSpec *spec, bool wide)
{
	memset(load, 0, sizeof(DpLoad));
	load->memory = *memory;
	load->spec = spec;
	load->wide = wide;
	load->group_at = dp_units_record_group_at(spec);
	load->data_at = load->group_at + dp_units_record_group_size(spec, false);
}

void
dp_units_load_destroy(DpLoad *load)
{
	dp_units_buffer_free(&load->memory, &load->record);
	dp_units_buffer_free(&load->memory, &load->unit_of);
	dp_units_buffer_free(&load->memory, &load->table);
	dp_units_buffer_free(&load->memory, &load->hash);
	dp_units_buffer_free(&load->memory, &load->second);
	dp_units_buffer_free(&load->memory, &load->rows);
	dp_units_buffer_free(&load->memory, &load->group_place);
	dp_units_buffer_free(&load->memory, &load->group_id);
}

DpRecordForm
dp_units_load_form(const DpLogSource *source, int sources, uint32_t part)
{
	int			forms = 0;

	for (int i = 0; i < sources; i++)
		forms |= source[i].log->part[part].forms;
	if (forms & 1 << DP_RECORD_ADDED)
		return DP_RECORD_ADDED;
	return forms & 1 << DP_RECORD_LONG ? DP_RECORD_LONG : DP_RECORD_SHORT;
}

size_t
dp_units_load_cost(const DpUnitsSpec *spec, bool wide, DpRecordForm form)
{
	size_t		data = dp_units_record_data_size(spec, form);
	size_t		record = dp_units_record_group_at(spec) + sizeof(uint32_t) + data;
	size_t		unit = 4 * sizeof(DpLoadUnit) + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t);
	size_t		sum = 4 * (2 * sizeof(uint32_t) + spec->acc_size);

	if (!spec->grouped)
		return record + unit + spec->acc_size;
	return record + unit + sizeof(uint32_t) + data + sum +
		(wide ? 4 * sizeof(uint32_t) + sizeof(DpUnitId) + spec->parts * sizeof(__int128) : 0);
}

void
dp_units_load_group(const DpUnitsSpec *spec, const DpLogSource *source, bool wide, const uint8_t *from,
					uint8_t *to)
{
	if (!spec->grouped)
		return;
	if (source->ids)
		memcpy(to, &source->ids[dp_units_acc_load32(from)], sizeof(DpUnitId));
	else if (source->numbers)
		dp_units_acc_store32(to, source->numbers[dp_units_acc_load32(from)]);
	else if (wide)
		memcpy(to, from, sizeof(DpUnitId));
	else
		dp_units_acc_store32(to, dp_units_acc_load32(from));
}

void
dp_units_load_convert(const DpUnitsSpec *spec, DpRecordForm form, const uint8_t *data,
					  DpRecordForm wanted, uint8_t *to)
{
	size_t		size = dp_units_record_data_size(spec, wanted);

	if (form == wanted)
	{
		dp_units_record_copy(to, data, size);
		return;
	}
	if (wanted == DP_RECORD_ADDED)
	{
		memset(to, 0, size);
		dp_units_record_absorb(spec, to, form, data);
		return;
	}
	for (int i = 0; i < spec->places; i++)
	{
		int32_t		place = (int32_t) dp_units_acc_load32(data + i * sizeof(int32_t));

		dp_units_acc_store64(to + i * sizeof(int64_t),
							 (uint64_t) (place == DP_SHORT_NONE ? DP_GRID_NONE : place));
	}
}

/* The number of a group in this part, new or old. */
static inline uint32_t
number_group(DpLoad *load, const DpUnitId *id)
{
	uint32_t   *place = load->group_place.bytes;
	DpUnitId   *known = load->group_id.bytes;
	uint32_t	mask = load->group_places - 1;

	DP_PROBE(i, dp_units_hash(&load->spec->secret, id), mask)
	{
		if (place[i] == 0)
		{
			known[load->groups] = *id;
			place[i] = ++load->groups;
			return load->groups - 1;
		}
		if (known[place[i] - 1].word[0] == id->word[0] && known[place[i] - 1].word[1] == id->word[1])
			return place[i] - 1;
	}
}

/* State for visiting a source. */
typedef struct Visit
{
	DpLoad	   *load;
	const DpLogSource *source;
} Visit;

/* Copy a record whose group or form differs from what is wanted. */
static inline void
copy_record(DpLoad *load, const DpLogSource *source, DpRecordForm form, const uint8_t *from,
			uint8_t *to)
{
	const DpUnitsSpec *spec = load->spec;
	DpUnitId	group;

	dp_units_record_copy(to, from, load->group_at);
	dp_units_load_group(spec, source, load->wide, from + load->group_at, (uint8_t *) &group);
	if (spec->grouped)
		dp_units_acc_store32(to + load->group_at,
							 load->wide ? number_group(load, &group) : dp_units_acc_load32((uint8_t *) &group));
	dp_units_load_convert(spec, form, from + source->log->records.identity, load->form,
						  to + load->data_at);
}

/* Copy the records of a block. */
static void
load_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
		   uint32_t bytes)
{
	Visit	   *visit = context;
	DpLoad	   *load = visit->load;
	uint8_t    *to = (uint8_t *) load->record.bytes + (size_t) load->count * load->size;
	size_t		stride = dp_units_record_size(&log->records, form);

	load->count += bytes / stride;
	if (form == load->form && !visit->source->numbers && (!load->wide || !load->spec->grouped))
	{
		memcpy(to, record, bytes);
		return;
	}
	for (const uint8_t *end = record + bytes; record < end; record += stride, to += load->size)
		copy_record(load, visit->source, form, record, to);
}

/* An empty table of so many units. */
static void
clear_table(DpLoad *load, uint32_t capacity)
{
	size_t		size = capacity * sizeof(DpLoadUnit);

	load->capacity = capacity;
	dp_units_buffer_reserve(&load->memory, &load->table, size);
	dp_units_fill(&load->memory, load->table.bytes, 0, size);
	load->stamp = 1;
}

/* Twice as many places or more for the units that are there. */
static void
grow_table(DpLoad *load)
{
	const uint64_t *hash = load->hash.bytes;
	DpLoadUnit *table;

	clear_table(load, 4 * load->capacity);
	table = load->table.bytes;
	for (uint32_t unit = 0; unit < load->units; unit++)
	{
		if (unit % DP_UNITS_STRIDE == 0)
			load->memory.breathe();
		DP_PROBE(i, hash[unit], load->capacity - 1)
		{
			if (table[i].stamp == load->stamp)
				continue;
			table[i] = (DpLoadUnit) {hash[unit], unit, load->stamp};
			break;
		}
	}
}

/* A unit that was not there. */
static inline uint32_t
add_unit(DpLoad *load, DpLoadUnit *at, uint64_t hash, uint64_t second)
{
	uint32_t	unit = load->units++;

	*at = (DpLoadUnit) {hash, unit, load->stamp};
	((uint64_t *) load->hash.bytes)[unit] = hash;
	if (load->spec->id_words > 1)
		((uint64_t *) load->second.bytes)[unit] = second;
	((uint32_t *) load->rows.bytes)[unit] = 0;
	return unit;
}

/* The number of a record's unit, new or old. */
static inline uint32_t
number_unit(DpLoad *load, const uint8_t *record)
{
	uint64_t	hash = dp_units_acc_load64(record);
	uint64_t	second = load->spec->id_words > 1 ? dp_units_acc_load64(record + sizeof(uint64_t)) : 0;
	const uint64_t *seconds = load->second.bytes;
	DpLoadUnit *table = load->table.bytes;
	uint32_t	mask = load->capacity - 1;

	DP_PROBE(i, hash, mask)
	{
		if (table[i].stamp != load->stamp)
			return add_unit(load, &table[i], hash, second);
		if (table[i].hash == hash &&
			(load->spec->id_words == 1 || seconds[table[i].number] == second))
			return table[i].number;
	}
}

/* Number the units of all records. */
static void
number_units(DpLoad *load)
{
	uint32_t   *unit_of = dp_units_buffer_reserve(&load->memory, &load->unit_of, load->count * sizeof(uint32_t));
	uint32_t   *rows = dp_units_buffer_reserve(&load->memory, &load->rows, load->count * sizeof(uint32_t));

	dp_units_buffer_reserve(&load->memory, &load->hash, load->count * sizeof(uint64_t));
	if (load->spec->id_words > 1)
		dp_units_buffer_reserve(&load->memory, &load->second, load->count * sizeof(uint64_t));
	load->units = 0;
	if (load->capacity == 0 || ++load->stamp == 0)
		clear_table(load, load->capacity == 0 ? LEAST_CAPACITY : load->capacity);
	for (uint32_t i = 0; i < load->count; i++)
	{
		uint32_t	unit;

		if (i % DP_UNITS_STRIDE == 0)
			load->memory.breathe();
		if (2 * load->units >= load->capacity)
			grow_table(load);
		unit = number_unit(load, dp_units_load_record(load, i));
		unit_of[i] = unit;
		rows[unit]++;
	}
}

/* No group is numbered yet, of so many at most. */
static void
clear_groups(DpLoad *load, uint64_t most)
{
	load->groups = 0;
	load->group_places = LEAST_CAPACITY;
	while (load->group_places < 2 * most)
		load->group_places *= 2;
	dp_units_buffer_reserve(&load->memory, &load->group_id, most * sizeof(DpUnitId));
	dp_units_buffer_reserve(&load->memory, &load->group_place, load->group_places * sizeof(uint32_t));
	dp_units_fill(&load->memory, load->group_place.bytes, 0, load->group_places * sizeof(uint32_t));
}

void
dp_units_load_part(DpLoad *load, const DpLogSource *source, int sources, uint32_t part, uint64_t count)
{
	load->form = dp_units_load_form(source, sources, part);
	load->size = load->data_at + dp_units_record_data_size(load->spec, load->form);
	load->count = 0;
	dp_units_buffer_reserve(&load->memory, &load->record, count * load->size);
	if (load->wide)
		clear_groups(load, count);
	for (int i = 0; i < sources; i++)
	{
		Visit		visit = {load, &source[i]};

		dp_units_part_take(source[i].log, part, load_block, &visit);
	}
	number_units(load);
}
