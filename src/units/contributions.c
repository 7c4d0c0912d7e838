/* SPDX-License-Identifier: PostgreSQL */
/*
 * contributions.c
 *	  Putting down what units contribute.
 */
#include "units/contributions.h"

/*
 * Arrays of the weights of cells.
 */

bool
dp_units_weights_fit(const DpUnitsSpec *spec, uint64_t groups)
{
	return !spec->grouped || groups <= 1 || spec->cells == 0 ||
		groups <= dp_units_groups_limit(spec) / sizeof(uint64_t) / spec->cells;
}

void
dp_units_weights_create(DpWeights *weights, const DpMemory *memory, const DpUnitsSpec *spec,
						uint32_t groups)
{
	size_t		size = (size_t) groups * spec->cells * sizeof(uint64_t);

	memset(weights, 0, sizeof(DpWeights));
	weights->memory = *memory;
	if (size == 0)
		return;
	weights->cells = spec->cells;
	dp_buffer_fit(memory, &weights->weight, size);
}

void
dp_units_weights_destroy(DpWeights *weights)
{
	dp_buffer_free(&weights->memory, &weights->weight);
	dp_buffer_free(&weights->memory, &weights->list);
	weights->cells = 0;
}

void
dp_units_weights_list(DpWeights *weights, uint32_t group, DpGroupTotals *totals)
{
	const uint64_t *weight;
	DpCellWeight *list;
	size_t		count = 0;

	totals->weights = 0;
	if (weights->cells == 0)
		return;
	weight = (const uint64_t *) weights->weight.bytes + (size_t) group * weights->cells;
	for (uint32_t i = 0; i < weights->cells; i++)
	{
		if (i % DP_MEMORY_STRIDE == DP_MEMORY_STRIDE - 1)
			weights->memory.breathe();
		count += weight[i] > 0;
	}
	list = dp_buffer_reserve(&weights->memory, &weights->list, (count + 1) * sizeof(DpCellWeight));
	totals->weight = list;
	for (uint32_t i = 0; i < weights->cells; i++)
	{
		if (i % DP_MEMORY_STRIDE == DP_MEMORY_STRIDE - 1)
			weights->memory.breathe();
		if (weight[i] > 0)
			list[totals->weights++] = (DpCellWeight) {i, weight[i]};
	}
}

/* A total of a group and its number. */
#define FEW_SIZE (sizeof(uint32_t) + sizeof(__int128))

/* Totals of a record that has few. */
static inline uint32_t
few_totals(const DpUnitsSpec *spec)
{
	return 1 + 2 * (uint32_t) spec->measures;
}

/*
 * Are most totals of a group 0, as where there are ladders of clamps?  Then records have few of them
 * with their numbers, and of a group that has more there are several.
 */
static bool
has_few_totals(const DpUnitsSpec *spec)
{
	bool		ladders = false;

	for (int i = 0; i < spec->measures; i++)
		ladders = ladders || spec->measure[i].ladder.steps > 0;
	return ladders && few_totals(spec) * FEW_SIZE * 2 < spec->parts * sizeof(__int128);
}

/* Add to a total of a record in its third form, behind the key's place. */
static inline void
add_total(uint8_t *added, uint32_t number, const uint8_t *more)
{
	__int128	total;
	__int128	other;

	memcpy(&total, added + number * sizeof(total), sizeof(total));
	memcpy(&other, more, sizeof(other));
	total += other;
	memcpy(added + number * sizeof(total), &total, sizeof(total));
}

static void
absorb(const void *context, uint8_t *added, DpRecordForm form, const uint8_t *data)
{
	const DpUnitsSpec *spec = context;
	DpKeyPlace	key = dp_units_acc_load64(data);

	if (key != 0)
		dp_units_acc_store64(added, key);
	added += sizeof(DpKeyPlace);
	data += sizeof(DpKeyPlace);
	if (form == DP_RECORD_ADDED)
		for (int i = 0; i < spec->parts; i++)
			add_total(added, (uint32_t) i, data + i * sizeof(__int128));
	if (form != DP_RECORD_LONG)
		return;
	for (uint32_t i = 0; i < few_totals(spec); i++, data += FEW_SIZE)
		add_total(added, dp_units_acc_load32(data), data + sizeof(uint32_t));
}

/* Weights. */
static void
absorb_weight(const void *context, uint8_t *added, DpRecordForm form, const uint8_t *data)
{
	(void) context;
	(void) form;
	dp_units_acc_store64(added, dp_units_acc_load64(added) + dp_units_acc_load64(data));
}

void
dp_units_contributions_create(DpContributions *contributions, const DpMemory *memory,
							  const DpFiles *files, const DpUnitsSpec *spec, uint32_t groups)
{
	size_t		limit = dp_units_log_limit(spec) / 2;	/* there is one of rows besides */
	DpRecords	totals = {.identity = DP_CONTRIBUTION_IDENTITY, .absorb = absorb, .context = spec};
	DpRecords	cells = {.identity = DP_CONTRIBUTION_IDENTITY + sizeof(uint32_t), .absorb = absorb_weight};

	for (int i = 0; i < DP_RECORD_FORMS; i++)
	{
		totals.data[i] = sizeof(DpKeyPlace);
		cells.data[i] = sizeof(uint64_t);
	}
	totals.data[DP_RECORD_LONG] += few_totals(spec) * FEW_SIZE;
	totals.data[DP_RECORD_ADDED] += spec->parts * sizeof(__int128);
	contributions->memory = *memory;
	contributions->files = files;
	contributions->spec = spec;
	contributions->groups = groups;
	contributions->log = dp_units_part_create(memory, files, &totals, DP_RECORD_SHORT, 0, limit);
	contributions->cells = spec->cells == 0 ? NULL :
		dp_units_part_create(memory, files, &cells, DP_RECORD_ADDED, 0, limit);
}

void
dp_units_contributions_destroy(DpContributions *contributions)
{
	dp_units_part_destroy(contributions->log);
	if (contributions->cells)
		dp_units_part_destroy(contributions->cells);
}

DpUnitId
dp_units_group_id(const DpUnitsSecret *secret, const void *key, uint32_t length)
{
	DpUnitId	id = {{0, 0}};

	if (length > DP_SHORT_KEY)
	{
		dp_siphash_128(&secret->group, key, length, id.word);
		id.word[1] |= (uint64_t) DP_LONG_KEY << 56;
		return id;
	}
	memcpy(id.word, key, length);
	id.word[1] |= (uint64_t) length << 56;
	return id;
}

void
dp_units_contributions_expect_totals(DpContributions *contributions, bool totals)
{
	DpRecordForm form = has_few_totals(contributions->spec) ? DP_RECORD_LONG : DP_RECORD_ADDED;

	dp_units_part_set_form(contributions->log, totals ? form : DP_RECORD_SHORT);
}

/* Begin a record of a group: returns where the rest of it goes. */
static inline uint8_t *
put(const DpContributions *contributions, DpLog *log, const DpUnitId *id)
{
	uint64_t	hash = dp_units_hash(&contributions->spec->secret, id);
	uint8_t    *record = dp_units_part_room(log, hash);

	dp_units_acc_store64(record, hash);
	memcpy(record + sizeof(hash), id, sizeof(DpUnitId));
	return record + DP_CONTRIBUTION_IDENTITY;
}

/* The same, but put the place of its key, with zeros behind: returns where they are. */
static uint8_t *
put_zeros(const DpContributions *contributions, const DpUnitId *id, DpKeyPlace key)
{
	uint8_t    *data = put(contributions, contributions->log, id);

	dp_units_acc_store64(data, key);
	data += sizeof(key);
	return memset(data, 0, contributions->log->size - DP_CONTRIBUTION_IDENTITY - sizeof(key));
}

void
dp_units_contributions_put_key(DpContributions *contributions, const DpUnitId *id, DpKeyPlace key)
{
	(void) put_zeros(contributions, id, key);
}

/* Put the totals of a group that are not 0, few by few; those that a record lacks are zeros that are added to the first. */
static void
put_few(const DpContributions *contributions, const DpUnitId *id, DpKeyPlace key, const __int128 *totals)
{
	uint8_t    *data = NULL;
	uint32_t	left = 0;

	for (int i = 0; i < contributions->spec->parts; i++)
	{
		if (totals[i] == 0)
			continue;
		if (left == 0)
		{
			left = few_totals(contributions->spec);
			data = put_zeros(contributions, id, key);
		}
		dp_units_acc_store32(data, (uint32_t) i);
		memcpy(data + sizeof(uint32_t), &totals[i], sizeof(__int128));
		data += FEW_SIZE;
		left--;
	}
}

void
dp_units_contributions_put(DpContributions *contributions, const DpUnitId *id, DpKeyPlace key,
						   const __int128 *totals)
{
	uint8_t    *data;

	if (contributions->log->form == DP_RECORD_LONG)
	{
		put_few(contributions, id, key, totals);
		return;
	}
	data = put(contributions, contributions->log, id);
	dp_units_acc_store64(data, key);
	memcpy(data + sizeof(key), totals, contributions->spec->parts * sizeof(__int128));
}

void
dp_units_contributions_put_cell(DpContributions *contributions, const DpUnitId *id, uint32_t cell,
								uint64_t weight)
{
	uint8_t    *data = put(contributions, contributions->cells, id);

	dp_units_acc_store32(data, cell);
	dp_units_acc_store64(data + sizeof(cell), weight);
}
