/*
 * one_unit.c
 *	  A unit with more rows than memory, whose groups are too many to choose from at once.
 */
#include "units/divide.h"
#include "units/one_unit.h"
#include "units/reservoir.h"

/* What the one unit of a part adds up to, in one group. */
typedef struct OneUnit
{
	DpTake	   *take;
	uint8_t    *acc;
} OneUnit;

static void
absorb_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			 uint32_t bytes)
{
	const OneUnit *unit = context;
	size_t		stride = dp_record_size(&log->records, form);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		dp_record_absorb(unit->take->spec, unit->acc, form, record + log->records.identity);
}

/* Offer the one group that all rows of a part are in. */
static void
offer_one_group(DpTake *take, DpReservoir *reservoir, DpLog *log, uint32_t part,
				const DpUnitId *group)
{
	OneUnit		unit = {take, dp_buffer_reserve(&take->memory, &take->acc, take->spec->acc_size + 1)};

	memset(unit.acc, 0, take->spec->acc_size);
	dp_log_take(log, part, absorb_block, &unit);
	dp_reservoir_offer(reservoir, group, unit.acc);
}

static void offer_groups(DpTake *take, DpReservoir *reservoir, const DpLogSource *source,
						 uint32_t part);

/* Divide a part by groups, and offer these. */
static void
offer_divided(DpTake *take, DpReservoir *reservoir, const DpLogSource *source, uint32_t part)
{
	DpDivision	division = dp_divide(take, source, 1, part, 64 - source->log->shift, true, dp_log_take);
	DpLogSource deeper = {division.to, NULL, NULL};

	if (division.only_one)
		offer_one_group(take, reservoir, deeper.log, dp_divide_part(&division), &division.one);
	else
		for (uint32_t i = 0; i < deeper.log->parts; i++)
			offer_groups(take, reservoir, &deeper, i);
	dp_log_destroy(deeper.log);
}

/* Offer all groups of the one unit whose rows are in a part to the reservoir. */
static void
offer_groups(DpTake *take, DpReservoir *reservoir, const DpLogSource *source, uint32_t part)
{
	size_t		size;

	if (dp_divide_count(source, 1, part) == 0)
		return;
	if (dp_divide_needed(take, source, 1, part))
	{
		offer_divided(take, reservoir, source, part);
		return;
	}
	dp_load_part(&take->load, source, 1, part, dp_divide_count(source, 1, part));
	dp_sums_expect(&take->sums, take->contributions ? take->load.groups : take->groups);
	size = dp_take_sort(take);
	dp_sums_add(&take->sums, take->load.form, take->sorted.bytes, size, take->load.count);
	for (uint32_t i = 0; i < take->sums.count; i++)
	{
		DpSum	   *sum = dp_sums_found(&take->sums, i);
		DpUnitId	group = {{sum->group, 0}};

		if (take->contributions)
			group = ((const DpUnitId *) take->load.group_id.bytes)[sum->group];
		dp_reservoir_offer(reservoir, &group, dp_sum_acc(sum));
	}
}

/* Add what the groups that were chosen come to. */
static void
contribute_chosen(DpTake *take, const DpReservoir *reservoir)
{
	__int128   *totals = dp_buffer_reserve(&take->memory, &take->part_totals,
										   take->spec->parts * sizeof(__int128));

	for (uint32_t i = 0; i < reservoir->count; i++)
	{
		const DpUnitId *group = dp_reservoir_group(reservoir, i);

		if (i % DP_UNITS_STRIDE == 0)
			take->memory.breathe();
		if (!take->contributions)
			totals = take->totals + group->word[0] * take->spec->parts;
		else
			memset(totals, 0, take->spec->parts * sizeof(__int128));
		dp_sums_contribute(take->spec, dp_reservoir_acc(reservoir, i), totals);
		dp_sums_classify(take->spec, reservoir->offered, totals);
		if (take->contributions)
			dp_contributions_put(take->contributions, group, 0, totals);
	}
}

/* The unit that a record is of. */
static inline DpUnitId
unit_of(const DpUnitsSpec *spec, const uint8_t *record)
{
	DpUnitId	id = {{0, 0}};

	memcpy(&id, record, spec->id_words * sizeof(uint64_t));
	return id;
}

/* Rows of a unit, whose groups were chosen. */
typedef struct Chosen
{
	DpTake	   *take;
	const DpReservoir *reservoir;
} Chosen;

/* Weigh those of a block that are in these groups. */
static void
weigh_chosen(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			 uint32_t bytes)
{
	const Chosen *chosen = context;
	const DpTake *take = chosen->take;
	size_t		stride = dp_record_size(&log->records, form);
	size_t		group_at = dp_record_group_at(take->spec);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
	{
		DpUnitId	unit = unit_of(take->spec, record);
		DpUnitId	group = {{0, 0}};
		const uint8_t *acc;

		memcpy(&group, record + group_at, dp_record_group_size(take->spec, take->contributions != NULL));
		acc = dp_reservoir_find(chosen->reservoir, &group);
		if (acc)
			dp_take_weigh(chosen->take, &unit, &group, acc, form,
						  record + log->records.identity);
	}
}

/* Take a unit with more rows than memory: group after group. */
static void
take_unit(DpTake *take, const DpLogSource *source, uint32_t part)
{
	bool		twice = dp_units_goes_twice(take->spec);
	DpDivision	division = dp_divide(take, source, 1, part, 0, true, twice ? dp_log_visit : dp_log_take);
	DpLogSource groups = {division.to, NULL, NULL};
	DpReservoir reservoir;

	dp_reservoir_create(&reservoir, &take->memory, take->spec);
	for (uint32_t i = 0; i < groups.log->parts; i++)
		offer_groups(take, &reservoir, &groups, i);
	contribute_chosen(take, &reservoir);
	if (twice)
	{
		Chosen		chosen = {take, &reservoir};

		dp_reservoir_index(&reservoir);
		dp_log_take(source->log, part, weigh_chosen, &chosen);
	}
	dp_reservoir_destroy(&reservoir);
	dp_log_destroy(groups.log);
}

static void
weigh_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			uint32_t bytes)
{
	const OneUnit *unit = context;
	size_t		stride = dp_record_size(&log->records, form);
	DpUnitId	id = unit_of(unit->take->spec, record);
	DpUnitId	group = {{0, 0}};

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		dp_take_weigh(unit->take, &id, &group, unit->acc, form, record + log->records.identity);
}

static void
take_ungrouped_unit(DpTake *take, const DpLogSource *source, uint32_t part)
{
	bool		twice = dp_units_goes_twice(take->spec);
	OneUnit		unit = {take, dp_buffer_reserve(&take->memory, &take->acc, take->spec->acc_size + 1)};

	memset(unit.acc, 0, take->spec->acc_size);
	(twice ? dp_log_visit : dp_log_take) (source->log, part, absorb_block, &unit);
	dp_sums_contribute(take->spec, unit.acc, take->totals);
	if (twice)
		dp_log_take(source->log, part, weigh_block, &unit);
}

void
dp_take_one_unit(DpTake *take, const DpLogSource *source, uint32_t part)
{
	if (take->spec->grouped)
		take_unit(take, source, part);
	else
		take_ungrouped_unit(take, source, part);
}
