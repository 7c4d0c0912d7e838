/*
 * take.c
 *	  Taking part after part.
 */
#include "units/divide.h"
#include "units/one_unit.h"
#include "units/take.h"

static void
absorb(const void *context, uint8_t *added, DpRecordForm form, const uint8_t *data)
{
	dp_record_absorb(context, added, form, data);
}

DpRecords
dp_take_records(const DpUnitsSpec *spec, bool wide)
{
	DpRecords	records = {.absorb = dp_units_goes_twice(spec) ? NULL : absorb, .context = spec};

	records.identity = dp_record_group_at(spec) + dp_record_group_size(spec, wide);
	for (int i = 0; i < DP_RECORD_FORMS; i++)
		records.data[i] = dp_record_data_size(spec, (DpRecordForm) i);
	return records;
}

void
dp_take_create(DpTake *take, const DpUnitsMemory *memory, const DpFiles *files,
			   const DpUnitsSpec *spec, DpContributions *contributions)
{
	memset(take, 0, sizeof(DpTake));
	take->memory = *memory;
	take->files = files;
	take->spec = spec;
	take->limit = dp_units_log_limit(spec);
	take->room = dp_units_room(spec);
	take->records = dp_take_records(spec, contributions != NULL);
	take->contributions = contributions;
	dp_load_create(&take->load, memory, spec, contributions != NULL);
	dp_sums_create(&take->sums, memory, spec);
}

void
dp_take_destroy(DpTake *take)
{
	dp_load_destroy(&take->load);
	dp_sums_destroy(&take->sums);
	dp_buffer_free(&take->memory, &take->sorted);
	dp_buffer_free(&take->memory, &take->acc);
	dp_buffer_free(&take->memory, &take->part_totals);
}

/* The totals of groups by their numbers in what is loaded. */
static __int128 *
begin_totals(DpTake *take)
{
	size_t		size;

	if (!take->contributions)
	{
		dp_sums_expect(&take->sums, take->groups);
		return take->totals;
	}
	dp_sums_expect(&take->sums, take->load.groups);
	size = (size_t) take->load.groups * take->spec->parts * sizeof(__int128);
	dp_buffer_reserve(&take->memory, &take->part_totals, size + sizeof(__int128));
	dp_units_fill(&take->memory, take->part_totals.bytes, 0, size);
	return take->part_totals.bytes;
}

/* Pass on the totals of what was loaded, if its groups are ids. */
static void
end_totals(DpTake *take, const __int128 *totals)
{
	const DpUnitId *id = take->load.group_id.bytes;

	if (!take->contributions)
		return;
	for (uint32_t i = 0; i < take->load.groups; i++, totals += take->spec->parts)
	{
		if (i % DP_UNITS_STRIDE == 0)
			take->memory.breathe();
		if (totals[0] != 0)
			dp_contributions_put(take->contributions, &id[i], 0, totals);
	}
}

/* A unit of what is loaded, as its records have it. */
static inline DpUnitId
unit_id(const DpLoad *load, uint32_t unit)
{
	DpUnitId	id = {{((const uint64_t *) load->hash.bytes)[unit], 0}};

	if (load->spec->id_words > 1)
		id.word[1] = ((const uint64_t *) load->second.bytes)[unit];
	return id;
}

/* Weigh the rows of units that are all in one group. */
static void
weigh_ungrouped(DpTake *take)
{
	const DpLoad *load = &take->load;
	const uint32_t *unit_of = load->unit_of.bytes;
	DpUnitId	group = {{0, 0}};

	for (uint32_t i = 0; i < load->count; i++)
	{
		DpUnitId	unit = unit_id(load, unit_of[i]);

		if (i % DP_UNITS_STRIDE == 0)
			take->memory.breathe();
		dp_take_weigh(take, &unit, &group,
					  (uint8_t *) take->acc.bytes + (size_t) unit_of[i] * take->spec->acc_size,
					  load->form, dp_load_record(load, i) + load->data_at);
	}
}

/* Weigh a unit's rows, groups each followed by data. */
static void
weigh_unit(DpTake *take, uint32_t number, const uint8_t *row, size_t size, uint32_t rows)
{
	const DpUnitId *id = take->load.group_id.bytes;
	DpUnitId	unit = unit_id(&take->load, number);

	for (uint32_t i = 0; i < rows; i++, row += size)
	{
		DpUnitId	group = {{dp_acc_load32(row), 0}};
		DpSum	   *sum = dp_sums_find(&take->sums, (uint32_t) group.word[0]);

		if (i % DP_UNITS_STRIDE == DP_UNITS_STRIDE - 1)
			take->memory.breathe();
		if (sum)
			dp_take_weigh(take, &unit, take->contributions ? &id[group.word[0]] : &group,
						  dp_sum_acc(sum), take->load.form, row + sizeof(uint32_t));
	}
}

/* Add up units that are all in one group. */
static void
take_ungrouped(DpTake *take)
{
	const DpUnitsSpec *spec = take->spec;
	const DpLoad *load = &take->load;
	const uint32_t *unit_of = load->unit_of.bytes;
	uint8_t    *acc = dp_buffer_reserve(&take->memory, &take->acc,
										(size_t) load->units * spec->acc_size + 1);

	dp_units_fill(&take->memory, acc, 0, (size_t) load->units * spec->acc_size);
	for (uint32_t i = 0; i < load->count; i++)
	{
		if (i % DP_UNITS_STRIDE == 0)
			take->memory.breathe();
		dp_record_absorb(spec, acc + (size_t) unit_of[i] * spec->acc_size, load->form,
						 dp_load_record(load, i) + load->data_at);
	}
	for (uint32_t unit = 0; unit < load->units; unit++, acc += spec->acc_size)
	{
		if (unit % DP_UNITS_STRIDE == 0)
			take->memory.breathe();
		dp_sums_contribute(spec, acc, take->totals);
	}
	if (dp_units_goes_twice(spec))
		weigh_ungrouped(take);
}

size_t
dp_take_sort(DpTake *take)
{
	const DpLoad *load = &take->load;
	const uint32_t *unit_of = load->unit_of.bytes;
	uint32_t   *next = load->rows.bytes;
	size_t		size = load->size - load->group_at;
	uint8_t    *sorted = dp_buffer_reserve(&take->memory, &take->sorted, load->count * size);
	uint32_t	at = 0;

	for (uint32_t unit = 0; unit < load->units; unit++)
	{
		uint32_t	rows = next[unit];

		if (unit % DP_UNITS_STRIDE == 0)
			take->memory.breathe();
		next[unit] = at;
		at += rows;
	}
	for (uint32_t i = 0; i < load->count; i++)
	{
		if (i % DP_UNITS_STRIDE == 0)
			take->memory.breathe();
		dp_record_copy(sorted + next[unit_of[i]]++ * size,
					   dp_load_record(load, i) + load->group_at, size);
	}
	return size;
}

/* Add a unit's contributions to its groups' totals. */
static inline void
contribute(DpTake *take, __int128 *totals)
{
	DpSums	   *sums = &take->sums;
	uint32_t	groups = sums->count;

	if (sums->count > take->spec->max_groups)
		dp_sums_choose(sums, take->spec->max_groups);
	for (uint32_t i = 0; i < sums->count; i++)
	{
		DpSum	   *sum = dp_sums_found(sums, i);

		if (i % DP_UNITS_STRIDE == DP_UNITS_STRIDE - 1)
			take->memory.breathe();
		dp_sums_contribute(take->spec, dp_sum_acc(sum), totals + (size_t) sum->group * take->spec->parts);
		if (take->spec->classifies)
			dp_sums_classify(take->spec, groups, totals + (size_t) sum->group * take->spec->parts);
	}
}

/* Add up the units of what is loaded. */
static void
take_grouped(DpTake *take)
{
	const uint32_t *end = take->load.rows.bytes;	/* per unit, once sorted */
	size_t		size = dp_take_sort(take);
	__int128   *totals = begin_totals(take);
	uint32_t	at = 0;

	for (uint32_t unit = 0; unit < take->load.units; unit++)
	{
		const uint8_t *rows = (const uint8_t *) take->sorted.bytes + at * size;

		if (unit % DP_UNITS_STRIDE == 0)
			take->memory.breathe();
		dp_sums_add(&take->sums, take->load.form, rows, size, end[unit] - at);
		contribute(take, totals);
		if (dp_units_goes_twice(take->spec))
			weigh_unit(take, unit, rows, size, end[unit] - at);
		at = end[unit];
	}
	end_totals(take, totals);
}

/* Divide a part that does not fit, and take what it is divided into. */
static void
take_divided(DpTake *take, const DpLogSource *source, int sources, uint32_t part, int bits)
{
	DpDivision	division = dp_divide(take, source, sources, part, bits, false, dp_log_take);
	DpLogSource parts = {division.to, NULL, NULL};

	if (!division.only_one)
		for (uint32_t i = 0; i < parts.log->parts; i++)
			dp_take_part(take, &parts, 1, i);
	else
		dp_take_one_unit(take, &parts, dp_divide_part(&division));
	dp_log_destroy(parts.log);
}

void
dp_take_part(DpTake *take, const DpLogSource *source, int sources, uint32_t part)
{
	if (dp_divide_count(source, sources, part) == 0)
		return;
	if (dp_divide_needed(take, source, sources, part))
	{
		take_divided(take, source, sources, part, 64 - source->log->shift);
		return;
	}
	dp_load_part(&take->load, source, sources, part, dp_divide_count(source, sources, part));
	if (take->spec->grouped)
		take_grouped(take);
	else
		take_ungrouped(take);
}
