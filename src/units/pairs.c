/*
 * pairs.c
 *	  Putting down which values units have.
 */
#include "units/pairs.h"

/* A pair that was put more than once is one: whatever it says is the same. */
static void
absorb(const void *context, uint8_t *added, DpRecordForm form, const uint8_t *data)
{
	(void) context;
	(void) form;
	dp_acc_store32(added, dp_acc_load32(data));
}

DpLog *
dp_pairs_log(const DpPairs *pairs, int bits)
{
	DpRecords	records = {.identity = dp_pairs_identity(pairs), .absorb = absorb};

	for (int i = 0; i < DP_RECORD_FORMS; i++)
		records.data[i] = sizeof(uint32_t);
	return dp_log_create(&pairs->memory, pairs->files, &records, DP_RECORD_ADDED, bits, pairs->limit);
}

void
dp_pairs_create(DpPairs *pairs, const DpUnitsMemory *memory, const DpFiles *files,
				const DpUnitsSpec *spec, bool wide)
{
	memset(pairs, 0, sizeof(DpPairs));
	pairs->memory = *memory;
	pairs->files = files;
	pairs->spec = spec;
	pairs->group_size = dp_record_group_size(spec, wide);
	pairs->unit_size = spec->id_words * sizeof(uint64_t);
	if (spec->values == 0)
		return;
	pairs->limit = dp_units_log_limit(spec) / 2 / spec->values;
	pairs->log = memory->allocate(memory->context, spec->measures * sizeof(DpLog *));
	for (int i = 0; i < spec->measures; i++)
		if (dp_units_has_values(&spec->measure[i]))
			pairs->log[i] = dp_pairs_log(pairs, 0);
}

void
dp_pairs_destroy(DpPairs *pairs)
{
	if (pairs->log == NULL)
		return;
	for (int i = 0; i < pairs->spec->measures; i++)
		if (pairs->log[i])
			dp_log_destroy(pairs->log[i]);
	pairs->memory.release(pairs->memory.context, pairs->log, pairs->spec->measures * sizeof(DpLog *));
	pairs->log = NULL;
}

void
dp_pairs_put(DpPairs *pairs, int measure, const DpUnitId *unit, const DpUnitId *group,
			 int64_t value)
{
	uint64_t	hash = dp_pairs_hash(pairs->spec, group, unit->word[0], value);
	uint8_t    *record = dp_log_room(pairs->log[measure], hash);

	dp_acc_store64(record, hash);
	dp_acc_store64(record + DP_PAIR_VALUE_AT, (uint64_t) value);
	memcpy(record + DP_PAIR_UNIT_AT, unit, pairs->unit_size);
	memcpy(record + dp_pairs_group_at(pairs), group, pairs->group_size);
	dp_acc_store32(record + dp_pairs_identity(pairs), 0);
}

static void
add_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record, uint32_t bytes)
{
	DpLog	   *to = context;
	size_t		stride = dp_record_size(&log->records, form);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		memcpy(dp_log_room(to, dp_acc_load64(record)), record, stride);
}

void
dp_pairs_add(DpPairs *pairs, int measure, DpLog *from)
{
	for (uint32_t i = 0; i < from->parts; i++)
		dp_log_take(from, i, add_block, pairs->log[measure]);
}
