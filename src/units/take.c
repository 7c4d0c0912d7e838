/* SPDX-License-Identifier: PostgreSQL */
/*
 * take.c
 *	  Taking part after part.
 */
#include "units/sums.h"
#include "units/take.h"

/* Parts that a part was divided into. */
typedef struct DpDivision
{
	DpTake	   *take;
	const DpLogSource *source;	/* being divided */
	DpLog	   *to;
	bool		by_group;
	bool		any;
	bool		only_one;		/* all records are of this unit, or group if divided by these: */
	DpUnitId	one;
} DpDivision;

/* How a log's part is gone through: dp_units_part_take, or dp_units_part_visit, which keeps it. */
typedef void (*DpLogGo) (DpLog *log, uint32_t part, DpLogVisit visit, void *context);

/*
 * Writing a part's records by parts of their own.
 */

/* The unit that a record is of, or its group where records are divided by these. */
static inline DpUnitId
divided_by(const DpDivision *division, const uint8_t *record)
{
	const DpUnitsSpec *spec = division->take->spec;
	DpUnitId	id = {{0, 0}};

	if (division->by_group)
		memcpy(&id, record + dp_units_record_group_at(spec),
			   dp_units_record_group_size(spec, division->take->contributions != NULL));
	else
		id = dp_units_record_unit(record, spec->small_ids, spec->id_words);
	return id;
}

/* Are all records of the same? */
static inline void
note(DpDivision *division, const DpUnitId *id)
{
	if (!division->any)
		division->one = *id;
	division->any = true;
	division->only_one = division->only_one && id->word[0] == division->one.word[0] &&
		id->word[1] == division->one.word[1];
}

/* Write the records of a block to a division. */
static void
divide_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			 uint32_t bytes)
{
	DpDivision *division = context;
	DpTake	   *take = division->take;
	size_t		group_at = dp_units_record_group_at(take->spec);
	size_t		stride = dp_units_record_size(&log->records, form);
	uint8_t		identity[sizeof(DpUnitId) + sizeof(DpUnitId)];

	for (const uint8_t *end = record + bytes; record < end; record += stride)
	{
		DpUnitId	id;
		uint8_t    *to;

		memcpy(identity, record, group_at);
		dp_units_load_group(take->spec, division->source, take->contributions != NULL, form, record + group_at,
							identity + group_at);
		id = divided_by(division, identity);
		note(division, &id);
		to = dp_units_part_room(division->to, division->by_group ? dp_units_hash(&take->spec->secret, &id)
								: id.word[0]);
		memcpy(to, identity, take->records.identity);
		dp_units_load_convert(take->spec, form, record + dp_units_record_data_at(&log->records, form), division->to->form,
							  to + take->records.identity);
	}
}

/* Divide a part by bits of hashes of units, or of groups, behind the first so many. */
static DpDivision
divide(DpTake *take, const DpLogSource *source, int sources, uint32_t part, int bits,
	   bool by_group, DpLogGo go)
{
	DpDivision	division = {.take = take, .by_group = by_group, .only_one = true};
	DpRecordForm form = dp_units_load_form(source, sources, part);

	for (int i = 0; i < sources; i++)
		dp_units_part_close(source[i].log);
	division.to = dp_units_part_create(&take->memory, take->files, &take->records,
									   form > DP_RECORD_SHORT ? form : DP_RECORD_SHORT, bits, take->limit);
	for (int i = 0; i < sources; i++)
	{
		division.source = &source[i];
		go(source[i].log, part, divide_block, &division);
	}
	return division;
}

/* The part of it in which all records are, if they are of one. */
static uint32_t
divide_part(const DpDivision *division)
{
	const DpLog *log = division->to;
	uint64_t	hash = division->one.word[0];

	if (division->by_group)
		hash = dp_units_hash(&division->take->spec->secret, &division->one);
	return (uint32_t) (hash >> log->shift) & (log->parts - 1);
}

/* Number of a part's records. */
static uint64_t
divide_count(const DpLogSource *source, int sources, uint32_t part)
{
	uint64_t	count = 0;

	for (int i = 0; i < sources; i++)
		count += dp_units_part_count(source[i].log, part);
	return count;
}

/* Can a part with so many records be taken in the memory there is? */
static bool
fits(const DpTake *take, DpRecordForm form, uint64_t count)
{
	bool		wide = take->contributions != NULL;
	size_t		cost = dp_units_load_cost(take->spec, wide, form);

	if (wide || take->groups > DP_SUMS_MOST_DIRECT)
		cost += dp_units_sums_cost(take->spec);
	return count <= take->room / cost;
}

/* Does a part have to be divided?  Adding up, which this does, may do instead. */
static bool
divide_needed(const DpTake *take, const DpLogSource *source, int sources, uint32_t part)
{
	if (source->log->shift == 0 ||
		fits(take, dp_units_load_form(source, sources, part), divide_count(source, sources, part)))
		return false;
	for (int i = 0; i < sources; i++)
		dp_units_part_add_up(source[i].log, part);
	return !fits(take, dp_units_load_form(source, sources, part), divide_count(source, sources, part));
}

/*
 * A unit with more rows than memory, whose groups are too many to choose from at once.
 */

/* Add a block's records to the accumulators. */
static void
absorb_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			 uint32_t bytes)
{
	DpTake	   *take = context;
	size_t		stride = dp_units_record_size(&log->records, form);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		dp_units_record_absorb(take->spec, take->acc.bytes, form, record + log->records.identity);
}

/* Offer the one group that all rows of a part are in, which is gone through like this. */
static void
offer_one_group(DpTake *take, DpLog *log, uint32_t part, const DpUnitId *group, DpLogGo go)
{
	dp_buffer_reserve(&take->memory, &take->acc, take->spec->acc_size + 1);
	memset(take->acc.bytes, 0, take->spec->acc_size);
	go(log, part, absorb_block, take);
	dp_units_reservoir_offer(&take->reservoir, group, take->acc.bytes);
}

static void offer_groups(DpTake *take, const DpLogSource *source, uint32_t part);

/* Divide a part by bits of groups behind the first so many, going through it like this, and offer these. */
static void
offer_divided(DpTake *take, const DpLogSource *source, uint32_t part, int bits, DpLogGo go)
{
	DpDivision	division = divide(take, source, 1, part, bits, true, go);
	DpLogSource deeper = {division.to, NULL, NULL};

	if (division.only_one)
		offer_one_group(take, deeper.log, divide_part(&division), &division.one, dp_units_part_take);
	else
		for (uint32_t i = 0; i < deeper.log->parts; i++)
			offer_groups(take, &deeper, i);
	dp_units_part_destroy(deeper.log);
}

/* Offer all groups of the one unit whose rows are in a part to the reservoir. */
static void
offer_groups(DpTake *take, const DpLogSource *source, uint32_t part)
{
	if (divide_count(source, 1, part) == 0)
		return;
	if (divide_needed(take, source, 1, part))
	{
		offer_divided(take, source, part, 64 - source->log->shift, dp_units_part_take);
		return;
	}
	dp_units_load_part(&take->load, source, 1, part, divide_count(source, 1, part));
	dp_units_sums_expect(&take->sums, take->contributions ? take->load.groups : take->groups);
	dp_units_sums_add(&take->sums, take->load.form, (const uint8_t *) take->load.record.bytes + take->load.group_at,
					  take->load.size, take->load.count);
	for (uint32_t i = 0; i < take->sums.count; i++)
	{
		DpSum	   *sum = dp_units_sums_found(&take->sums, i);
		DpUnitId	group = {{sum->group, 0}};

		if (take->contributions)
			group = ((const DpUnitId *) take->load.group_id.bytes)[sum->group];
		dp_units_reservoir_offer(&take->reservoir, &group, dp_units_sum_acc(sum));
	}
}

/* Add what the groups that were chosen come to. */
static void
contribute_chosen(DpTake *take)
{
	const DpReservoir *reservoir = &take->reservoir;
	__int128   *totals = dp_buffer_reserve(&take->memory, &take->part_totals,
										   take->spec->parts * sizeof(__int128));

	for (uint32_t i = 0; i < reservoir->count; i++)
	{
		const DpUnitId *group = dp_units_reservoir_group(reservoir, i);

		if (i % DP_MEMORY_STRIDE == 0)
			take->memory.breathe();
		if (!take->contributions)
			totals = take->totals + group->word[0] * take->spec->parts;
		else
			memset(totals, 0, take->spec->parts * sizeof(__int128));
		dp_units_sums_contribute(take->spec, dp_units_reservoir_acc(reservoir, i), reservoir->offered, totals);
		if (take->contributions)
			dp_units_contributions_put(take->contributions, group, 0, totals);
	}
}

/* Weigh those rows of a block that are in the groups that were chosen. */
static void
weigh_chosen(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			 uint32_t bytes)
{
	DpTake	   *take = context;
	size_t		stride = dp_units_record_size(&log->records, form);
	size_t		group_at = dp_units_record_group_at(take->spec);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
	{
		DpUnitId	unit = dp_units_record_unit(record, take->spec->small_ids, take->spec->id_words);
		DpUnitId	group = {{0, 0}};
		const uint8_t *acc;

		memcpy(&group, record + group_at, dp_units_record_group_size(take->spec, take->contributions != NULL));
		acc = dp_units_reservoir_find(&take->reservoir, &group);
		if (acc)
			dp_units_take_weigh(take, &unit, &group, acc, form, record + log->records.identity);
	}
}

/* Take a unit with more rows than memory, group after group, in a part that is given back to the log. */
static void
take_one_unit(DpTake *take, const DpLogSource *source, uint32_t part)
{
	bool		twice = dp_units_goes_twice(take->spec);
	DpLogGo		go = twice ? dp_units_part_visit : dp_units_part_take;

	dp_units_reservoir_create(&take->reservoir, &take->memory, take->spec);
	if (take->spec->grouped)
		offer_divided(take, source, part, 0, go);
	else
		offer_one_group(take, source->log, part, &(DpUnitId) {{0, 0}}, go);
	contribute_chosen(take);
	if (twice)
	{
		dp_units_reservoir_index(&take->reservoir);
		dp_units_part_take(source->log, part, weigh_chosen, take);
	}
	dp_units_reservoir_destroy(&take->reservoir);
}

static void
absorb(const void *context, uint8_t *added, DpRecordForm form, const uint8_t *data)
{
	dp_units_record_absorb(context, added, form, data);
}

DpRecords
dp_units_take_records(const DpUnitsSpec *spec, bool wide)
{
	DpRecords	records = {.absorb = dp_units_goes_twice(spec) ? NULL : absorb, .context = spec};

	records.identity = dp_units_record_group_at(spec) + dp_units_record_group_size(spec, wide);
	records.spared = spec->grouped && !wide ? sizeof(uint16_t) : 0;
	for (int i = 0; i < DP_RECORD_FORMS; i++)
		records.data[i] = dp_units_record_data_size(spec, (DpRecordForm) i);
	return records;
}

void
dp_units_take_create(DpTake *take, const DpMemory *memory, const DpFiles *files,
					 const DpUnitsSpec *spec, DpContributions *contributions)
{
	memset(take, 0, sizeof(DpTake));
	take->memory = *memory;
	take->files = files;
	take->spec = spec;
	take->limit = dp_units_log_limit(spec);
	take->room = dp_units_room(spec);
	take->records = dp_units_take_records(spec, contributions != NULL);
	take->contributions = contributions;
	dp_units_load_create(&take->load, memory, spec, contributions != NULL);
	dp_units_sums_create(&take->sums, memory, spec);
}

void
dp_units_take_destroy(DpTake *take)
{
	dp_units_load_destroy(&take->load);
	dp_units_sums_destroy(&take->sums);
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
		dp_units_sums_expect(&take->sums, take->groups);
		return take->totals;
	}
	dp_units_sums_expect(&take->sums, take->load.groups);
	size = (size_t) take->load.groups * take->spec->parts * sizeof(__int128);
	dp_buffer_reserve(&take->memory, &take->part_totals, size + sizeof(__int128));
	dp_memory_fill(&take->memory, take->part_totals.bytes, 0, size);
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
		if (i % DP_MEMORY_STRIDE == 0)
			take->memory.breathe();
		if (totals[0] != 0)
			dp_units_contributions_put(take->contributions, &id[i], 0, totals);
	}
}

/* Weigh the rows of a unit that are in its groups. */
static void
weigh_unit(DpTake *take, const uint8_t *record, uint32_t rows)
{
	const DpLoad *load = &take->load;
	const DpUnitId *id = load->group_id.bytes;
	DpUnitId	unit = dp_units_record_unit(record, take->spec->small_ids, take->spec->id_words);
	DpUnitId	group = {{0, 0}};

	for (uint32_t i = 0; i < rows; i++, record += load->size)
	{
		DpSum	   *sum;

		if (i % DP_MEMORY_STRIDE == DP_MEMORY_STRIDE - 1)
			take->memory.breathe();
		if (take->spec->grouped)
			group.word[0] = dp_units_record_number(load->form, record + load->group_at);
		sum = dp_units_sums_find(&take->sums, (uint32_t) group.word[0]);
		if (sum)
			dp_units_take_weigh(take, &unit, take->contributions ? &id[group.word[0]] : &group,
								dp_units_sum_acc(sum), load->form, record + load->data_at);
	}
}

/* Add a unit's contributions to its groups' totals. */
static inline void
contribute(DpTake *take, __int128 *totals)
{
	DpSums	   *sums = &take->sums;
	uint32_t	groups = sums->count;

	if (sums->count > take->spec->max_groups)
		dp_units_sums_choose(sums, take->spec->max_groups);
	for (uint32_t i = 0; i < sums->count; i++)
	{
		DpSum	   *sum = dp_units_sums_found(sums, i);

		if (i % DP_MEMORY_STRIDE == DP_MEMORY_STRIDE - 1)
			take->memory.breathe();
		dp_units_sums_contribute(take->spec, dp_units_sum_acc(sum), groups, totals + (size_t) sum->group * take->spec->parts);
	}
}

/* Add up the rows of a unit that are all in one group, and contribute what they come to. */
static void
take_in_one_group(DpTake *take, const uint8_t *record, uint32_t rows, __int128 *totals)
{
	const DpLoad *load = &take->load;
	uint8_t    *acc = take->acc.bytes;

	if (take->spec->grouped)
		totals += (size_t) dp_units_record_number(load->form, record + load->group_at) * take->spec->parts;
	memset(acc, 0, take->spec->acc_size);
	for (uint32_t i = 0; i < rows; i++, record += load->size)
	{
		if (i % DP_MEMORY_STRIDE == DP_MEMORY_STRIDE - 1)
			take->memory.breathe();
		dp_units_record_absorb(take->spec, acc, load->form, record + load->data_at);
	}
	dp_units_sums_contribute(take->spec, acc, 1, totals);
}

/* Add up the units of what is loaded. */
static void
take_units(DpTake *take)
{
	DpLoad	   *load = &take->load;
	__int128   *totals = begin_totals(take);
	bool		twice = dp_units_goes_twice(take->spec);
	const uint8_t *record;
	uint32_t	rows;

	dp_buffer_reserve(&take->memory, &take->acc, take->spec->acc_size + 1);

	dp_units_load_sort(load);
	while ((rows = dp_units_load_next(load, &record)) > 0)
	{
		if (!twice && (rows == 1 || !take->spec->grouped))
		{
			take_in_one_group(take, record, rows, totals);
			continue;
		}
		dp_units_sums_add(&take->sums, load->form, record + load->group_at, load->size, rows);
		contribute(take, totals);
		if (twice)
			weigh_unit(take, record, rows);
	}
	end_totals(take, totals);
}

/* Divide a part that does not fit, and take what it is divided into. */
static void
take_divided(DpTake *take, const DpLogSource *source, int sources, uint32_t part, int bits)
{
	DpDivision	division = divide(take, source, sources, part, bits, false, dp_units_part_take);
	DpLogSource parts = {division.to, NULL, NULL};

	if (!division.only_one)
		for (uint32_t i = 0; i < parts.log->parts; i++)
			dp_units_take_part(take, &parts, 1, i);
	else
		take_one_unit(take, &parts, divide_part(&division));
	dp_units_part_destroy(parts.log);
}

void
dp_units_take_part(DpTake *take, const DpLogSource *source, int sources, uint32_t part)
{
	if (divide_count(source, sources, part) == 0)
		return;
	if (divide_needed(take, source, sources, part))
	{
		take_divided(take, source, sources, part, 64 - source->log->shift);
		return;
	}
	dp_units_load_part(&take->load, source, sources, part, divide_count(source, sources, part));
	take_units(take);
}
