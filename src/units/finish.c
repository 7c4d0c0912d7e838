/* SPDX-License-Identifier: PostgreSQL */
/*
 * finish.c
 *	  Adding up what units contributed, group by group.
 *
 * Totals and cells of a group are in parts of the same number.  A part too large for
 * memory is divided by further bits of the hash; of one group alone, there is an array of
 * all cells.
 */
#include "units/finish.h"
#include "units/partition_file.h"

/* Where a part's records come from; of cells or none. */
typedef struct Logs
{
	DpLog	   *const *totals;
	int			count;			/* of these */
	DpLog	   *cells;
} Logs;

typedef struct Finish
{
	DpContributions *contributions;
	DpAddUp		totals;			/* of a part; and */
	DpAddUp		cells;
	DpBuffer	first;			/* per group: number of its first cell, from 1 */
	DpBuffer	next;			/* per cell: likewise of the next */
	DpBuffer	group_totals;	/* of a group; and */
	DpBuffer	list;			/* its cells */
	DpLog	   *to;				/* of a division; and */
	bool		any;			/* what was put there: anything, and then */
	bool		one_group;		/* all of this one: */
	uint8_t		group[DP_CONTRIBUTION_IDENTITY];
	DpGroupVisit visit;
	void	   *context;
} Finish;

static inline uint32_t
cell_of(const uint8_t *record)
{
	return dp_units_acc_load32(record + DP_CONTRIBUTION_IDENTITY);
}

static inline uint64_t
weight_of(const uint8_t *record)
{
	return dp_units_acc_load64(record + DP_CONTRIBUTION_IDENTITY + sizeof(uint32_t));
}

/* Chain the cells of each group. */
static void
chain_cells(Finish *finish)
{
	const DpMemory *memory = &finish->contributions->memory;
	uint32_t	count = finish->cells.count;
	uint32_t   *first = finish->first.bytes;
	uint32_t   *next = dp_buffer_reserve(memory, &finish->next, ((size_t) count + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; i < count; i++)
	{
		const uint8_t *totals = dp_units_add_up_find(&finish->totals, dp_units_add_up_at(&finish->cells, i), true);
		uint32_t	group;

		if (i % DP_MEMORY_STRIDE == 0)
			memory->breathe();
		if (totals == NULL)
			continue;
		group = (uint32_t) ((size_t) (totals - dp_units_add_up_at(&finish->totals, 0)) / finish->totals.size);
		next[i] = first[group];
		first[group] = i + 1;
	}
}

/* Make a list of a group's cells. */
static void
list_cells(Finish *finish, uint32_t first, DpGroupTotals *group)
{
	const DpMemory *memory = &finish->contributions->memory;
	const uint32_t *next = finish->next.bytes;
	uint32_t	count = 0;
	DpCellWeight *list;

	group->weights = 0;
	for (uint32_t i = first; i != 0; i = next[i - 1])
		if (++count % DP_MEMORY_STRIDE == 0)
			memory->breathe();
	list = dp_buffer_reserve(memory, &finish->list, ((size_t) count + 1) * sizeof(DpCellWeight));
	group->weight = list;
	for (uint32_t i = first; i != 0; i = next[i - 1])
	{
		const uint8_t *record = dp_units_add_up_at(&finish->cells, i - 1);

		list[group->weights++] = (DpCellWeight) {cell_of(record), weight_of(record)};
		if (group->weights % DP_MEMORY_STRIDE == 0)
			memory->breathe();
	}
}

/* Hand over a group with its totals, which are added up in this record, and its cells, if some unit counts in it. */
static void
visit_group(Finish *finish, const uint8_t *record, DpGroupTotals *group)
{
	const DpUnitsSpec *spec = finish->contributions->spec;
	size_t		size = spec->parts * sizeof(__int128);
	const uint8_t *data = record + DP_CONTRIBUTION_IDENTITY;
	DpUnitId	id;

	memcpy(&id, record + DP_CONTRIBUTION_ID_AT, sizeof(id));
	group->totals = dp_buffer_reserve(&finish->contributions->memory, &finish->group_totals, size);
	memcpy(group->totals, data + sizeof(DpKeyPlace), size);
	if (dp_units_counts(spec, group->totals) || group->weights > 0)
		finish->visit(finish->context, &id, dp_units_acc_load64(data), group);
}

/* Hand over what a part was added up to. */
static void
visit_groups(Finish *finish)
{
	const uint32_t *first = finish->first.bytes;
	DpGroupTotals group = {0};

	for (uint32_t i = 0; i < finish->totals.count; i++)
	{
		if (i % DP_MEMORY_STRIDE == 0)
			finish->contributions->memory.breathe();
		if (finish->contributions->cells)
			list_cells(finish, first[i], &group);
		visit_group(finish, dp_units_add_up_at(&finish->totals, i), &group);
	}
}

static void
weigh_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			uint32_t bytes)
{
	DpWeights  *weights = context;
	size_t		stride = dp_units_record_size(&log->records, form);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		dp_units_weights_add(weights, 0, cell_of(record), weight_of(record));
}

/* Hand over the one group that so many cells are of: its totals are added up. */
static void
visit_one_group(Finish *finish, DpLog *cells)
{
	DpWeights	weights;
	DpGroupTotals group;

	dp_units_weights_create(&weights, &finish->contributions->memory, finish->contributions->spec, 1);
	for (uint32_t i = 0; i < cells->parts; i++)
		dp_units_part_take(cells, i, weigh_block, &weights);
	dp_units_weights_list(&weights, 0, &group);
	visit_group(finish, dp_units_add_up_find(&finish->totals, finish->group, true), &group);
	dp_units_weights_destroy(&weights);
}

/* Write a block's records to a division. */
static void
divide_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			 uint32_t bytes)
{
	Finish	   *finish = context;
	size_t		stride = dp_units_record_size(&log->records, form);

	if (finish->to->form != form)
		dp_units_part_set_form(finish->to, form);
	for (const uint8_t *end = record + bytes; record < end; record += stride)
	{
		memcpy(dp_units_part_room(finish->to, dp_units_acc_load64(record)), record, stride);
		if (!finish->any)
			memcpy(finish->group, record, DP_CONTRIBUTION_IDENTITY);
		finish->any = true;
		finish->one_group = finish->one_group && memcmp(finish->group, record, DP_CONTRIBUTION_IDENTITY) == 0;
	}
}

/* Divide a part of these logs by further bits. */
static DpLog *
divide(Finish *finish, DpLog *const *log, int count, uint32_t part)
{
	DpContributions *contributions = finish->contributions;

	for (int i = 0; i < count; i++)
		dp_units_part_close(log[i]);
	finish->to = dp_units_part_create(&contributions->memory, contributions->files, &log[0]->records,
									  DP_RECORD_ADDED, 64 - log[0]->shift,
									  dp_units_log_limit(contributions->spec));
	for (int i = 0; i < count; i++)
		dp_units_part_take(log[i], part, divide_block, finish);
	return finish->to;
}

static uint64_t
count_records(DpLog *const *log, int count, uint32_t part)
{
	uint64_t	records = 0;

	for (int i = 0; i < count; i++)
		records += dp_units_part_count(log[i], part);
	return records;
}

/* Add up a part of the totals, with room for so many groups that have none. */
static void
add_totals(Finish *finish, const Logs *logs, uint32_t part, uint64_t others)
{
	dp_units_add_up_begin(&finish->totals, &finish->contributions->memory, &logs->totals[0]->records,
						  count_records(logs->totals, logs->count, part) + others + 1);
	for (int i = 0; i < logs->count; i++)
		dp_units_add_up_part(&finish->totals, logs->totals[i], part);
}

/* Bytes that adding up a record takes, at most: it, its place, and its link in a chain. */
static size_t
cost(const DpLog *log)
{
	return dp_units_record_size(&log->records, DP_RECORD_ADDED) + 5 * sizeof(uint32_t);
}

static void finish_part(Finish *finish, const Logs *logs, uint32_t part);

/* Divide a part, and go through what it is divided into. */
static void
finish_divided(Finish *finish, const Logs *logs, uint32_t part)
{
	DpLog	   *totals;
	Logs		deeper = {&totals, 1, NULL};

	finish->any = false;
	finish->one_group = true;
	totals = divide(finish, logs->totals, logs->count, part);
	if (logs->cells)
		deeper.cells = divide(finish, &logs->cells, 1, part);
	if (deeper.cells && finish->one_group)
	{
		add_totals(finish, &deeper, (dp_units_acc_load64(finish->group) >> totals->shift) & (totals->parts - 1), 0);
		visit_one_group(finish, deeper.cells);
	}
	else
		for (uint32_t i = 0; i < totals->parts; i++)
			finish_part(finish, &deeper, i);
	dp_units_part_destroy(totals);
	if (deeper.cells)
		dp_units_part_destroy(deeper.cells);
}

/* Go through the groups of a part. */
static void
finish_part(Finish *finish, const Logs *logs, uint32_t part)
{
	const DpMemory *memory = &finish->contributions->memory;
	uint64_t	totals = count_records(logs->totals, logs->count, part);
	uint64_t	cells = logs->cells ? dp_units_part_count(logs->cells, part) : 0;
	uint64_t	others = cells < finish->contributions->groups ? cells : finish->contributions->groups;
	size_t		bytes = (totals + others) * cost(logs->totals[0]);

	if (totals + cells == 0)
		return;
	if (cells > 0)
		bytes += cells * cost(logs->cells);
	if (bytes > dp_units_room(finish->contributions->spec) && logs->totals[0]->shift != 0)
	{
		finish_divided(finish, logs, part);
		return;
	}
	add_totals(finish, logs, part, others);
	if (logs->cells)
	{
		size_t		size = ((size_t) finish->totals.most + 1) * sizeof(uint32_t);

		dp_units_add_up_begin(&finish->cells, memory, &logs->cells->records, cells);
		dp_units_add_up_part(&finish->cells, logs->cells, part);
		dp_memory_fill(memory, dp_buffer_reserve(memory, &finish->first, size), 0, size);
		chain_cells(finish);
	}
	visit_groups(finish);
}

void
dp_units_contributions_finish(DpContributions *contributions, DpLog *const *log, int count,
							  DpGroupVisit visit, void *context)
{
	Finish		finish = {.contributions = contributions, .visit = visit, .context = context};
	const DpMemory *memory = &contributions->memory;
	Logs		logs = {log, count, contributions->cells};

	for (uint32_t part = 0; part < contributions->log->parts; part++)
		finish_part(&finish, &logs, part);
	dp_units_add_up_free(&finish.totals);
	dp_units_add_up_free(&finish.cells);
	dp_buffer_free(memory, &finish.first);
	dp_buffer_free(memory, &finish.next);
	dp_buffer_free(memory, &finish.group_totals);
	dp_buffer_free(memory, &finish.list);
}
