/* SPDX-License-Identifier: PostgreSQL */
/*
 * cover.c
 *	  Going through pairs of units and values.
 */
#include "units/buffer.h"
#include "units/cover.h"
#include "units/partition_file.h"

/* The part of a table that is in use at most, in eighths. */
#define DP_KEY_TABLE_MOST 6

#define DP_PAIR_VALUE_AT sizeof(uint64_t)

static DpLog *pairs_log(const DpPairs *pairs, int bits);
static void key_table_enlarge(DpKeyTable *table);

/*
 * Known facts of units, or values, of groups.
 */

/* Room of a table at least. */
#define LEAST_CAPACITY 1024

static void
key_table_create(DpKeyTable *table, const DpUnitsMemory *memory, const DpUnitsSecret *secret, size_t key)
{
	table->memory = memory;
	table->secret = secret;
	table->key = key;
	table->size = key + sizeof(uint32_t);
	table->capacity = LEAST_CAPACITY;
	table->count = 0;
	table->entry = memory->allocate(memory->context, dp_units_key_table_bytes(table, table->capacity));
}

static void
key_table_destroy(DpKeyTable *table)
{
	table->memory->release(table->memory->context, table->entry, dp_units_key_table_bytes(table, table->capacity));
}

/* Make a table's room twice as large: the caller does before it is in use further than that. */
static void
key_table_enlarge(DpKeyTable *table)
{
	DpKeyTable	old = *table;

	table->capacity *= 2;
	table->entry = table->memory->allocate(table->memory->context, dp_units_key_table_bytes(table, table->capacity));
	for (uint32_t i = 0; i < old.capacity; i++)
	{
		const uint8_t *entry = old.entry + i * old.size;

		if (i % DP_UNITS_STRIDE == 0)
			table->memory->breathe();
		if (dp_units_acc_load32(entry + old.key) != 0)
			memcpy(dp_units_key_table_find(table, entry) - old.key, entry, old.size);
	}
	key_table_destroy(&old);
}

/*
 * Putting down which values units have.
 */

/* A pair that was put more than once is one: whatever it says is the same. */
static void
absorb(const void *context, uint8_t *added, DpRecordForm form, const uint8_t *data)
{
	(void) context;
	(void) form;
	dp_units_acc_store32(added, dp_units_acc_load32(data));
}

/* A log like those of the pairs, by the bits of hashes behind so many. */
static DpLog *
pairs_log(const DpPairs *pairs, int bits)
{
	DpRecords	records = {.identity = dp_units_pairs_identity(pairs), .absorb = absorb};

	for (int i = 0; i < DP_RECORD_FORMS; i++)
		records.data[i] = sizeof(uint32_t);
	return dp_units_part_create(&pairs->memory, pairs->files, &records, DP_RECORD_ADDED, bits, pairs->limit);
}

void
dp_units_pairs_create(DpPairs *pairs, const DpUnitsMemory *memory, const DpFiles *files,
					  const DpUnitsSpec *spec, bool wide)
{
	memset(pairs, 0, sizeof(DpPairs));
	pairs->memory = *memory;
	pairs->files = files;
	pairs->spec = spec;
	pairs->group_size = dp_units_record_group_size(spec, wide);
	pairs->unit_size = spec->id_words * sizeof(uint64_t);
	if (spec->values == 0)
		return;
	pairs->limit = dp_units_log_limit(spec) / 2 / spec->values;
	pairs->log = memory->allocate(memory->context, spec->measures * sizeof(DpLog *));
	for (int i = 0; i < spec->measures; i++)
		if (dp_units_has_values(&spec->measure[i]))
			pairs->log[i] = pairs_log(pairs, 0);
}

void
dp_units_pairs_destroy(DpPairs *pairs)
{
	if (pairs->log == NULL)
		return;
	for (int i = 0; i < pairs->spec->measures; i++)
		if (pairs->log[i])
			dp_units_part_destroy(pairs->log[i]);
	pairs->memory.release(pairs->memory.context, pairs->log, pairs->spec->measures * sizeof(DpLog *));
	pairs->log = NULL;
}

void
dp_units_pairs_put(DpPairs *pairs, int measure, const DpUnitId *unit, const DpUnitId *group,
				   int64_t value)
{
	uint64_t	hash = dp_units_pairs_hash(pairs->spec, group, unit->word[0], value);
	uint8_t    *record = dp_units_part_room(pairs->log[measure], hash);

	dp_units_acc_store64(record, hash);
	dp_units_acc_store64(record + DP_PAIR_VALUE_AT, (uint64_t) value);
	memcpy(record + DP_PAIR_UNIT_AT, unit, pairs->unit_size);
	memcpy(record + dp_units_pairs_group_at(pairs), group, pairs->group_size);
	dp_units_acc_store32(record + dp_units_pairs_identity(pairs), 0);
}

static void
add_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record, uint32_t bytes)
{
	DpLog	   *to = context;
	size_t		stride = dp_units_record_size(&log->records, form);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		memcpy(dp_units_part_room(to, dp_units_acc_load64(record)), record, stride);
}

void
dp_units_pairs_add(DpPairs *pairs, int measure, DpLog *from)
{
	for (uint32_t i = 0; i < from->parts; i++)
		dp_units_part_take(from, i, add_block, pairs->log[measure]);
}

/* A part's pairs are put in order in buckets of about so many. */
#define IN_BUCKET 4

/* Bytes of a key at most. */
#define MOST_KEY (2 * sizeof(DpUnitId))

typedef struct Cover
{
	DpPairs    *pairs;
	const DpUnitsMemory *memory;
	const DpUnitsMeasure *measure;
	DpCoverVisit visit;
	void	   *context;
	size_t		room;			/* bytes for a part's pairs; and */
	size_t		limit;			/* for both tables */
	DpKeyTable	units;			/* number of values that a unit covers in a group */
	DpKeyTable	values;			/* 1: somebody covers it */
	bool		full;			/* there is no room for more: pairs are left for later, */
	DpLog	   *later;			/* here; NULL: none so far */
	DpLog	   *to;				/* of a division */
	DpLogScratch scratch;		/* a part's pairs */
	DpAddUp		add;
	DpBuffer	bucket;			/* per bucket: where the next goes */
	DpBuffer	order;			/* pairs by numbers, in their order */
} Cover;

/* See to room for one more key; false if that would take too much memory. */
static bool
reserve(const Cover *cover, DpKeyTable *table)
{
	size_t		all = dp_units_key_table_bytes(&cover->units, cover->units.capacity) +
		dp_units_key_table_bytes(&cover->values, cover->values.capacity);

	if (table->count < table->capacity / 8 * DP_KEY_TABLE_MOST)
		return true;
	if (table->capacity > UINT32_MAX / 4 ||
		all + 2 * dp_units_key_table_bytes(table, table->capacity) > cover->limit)
		return false;
	key_table_enlarge(table);
	return true;
}

/* The keys of a pair's unit and of its value, in its group. */
static inline void
read_keys(const DpPairs *pairs, const uint8_t *record, uint8_t *unit, uint8_t *value)
{
	const uint8_t *group = record + dp_units_pairs_group_at(pairs);

	memcpy(unit, record + DP_PAIR_UNIT_AT, pairs->unit_size + pairs->group_size);
	memcpy(value, record + DP_PAIR_VALUE_AT, sizeof(uint64_t));
	memcpy(value + sizeof(uint64_t), group, pairs->group_size);
}

/* Known facts of a pair. */
typedef struct Known
{
	uint8_t		unit_key[MOST_KEY];
	uint8_t		value_key[MOST_KEY];
	uint8_t    *unit;			/* numbers in the tables */
	uint8_t    *value;
	uint32_t	used;			/* values that its unit covers */
	bool		open;			/* may it still be taken? */
} Known;

static inline void
look_up(const Cover *cover, const uint8_t *record, Known *known)
{
	read_keys(cover->pairs, record, known->unit_key, known->value_key);
	known->unit = dp_units_key_table_find(&cover->units, known->unit_key);
	known->value = dp_units_key_table_find(&cover->values, known->value_key);
	known->used = dp_units_acc_load32(known->unit);
	if (known->used == 0)
		known->used = dp_units_acc_load32(record + dp_units_pairs_identity(cover->pairs));
	known->open = known->used < cover->measure->max_rows && dp_units_acc_load32(known->value) == 0;
}

/* Leave a pair for later, with what is known. */
static void
leave(Cover *cover, const uint8_t *record)
{
	size_t		identity = dp_units_pairs_identity(cover->pairs);
	Known		known;
	uint8_t    *to;

	look_up(cover, record, &known);
	if (!known.open)
		return;
	if (cover->later == NULL)
		cover->later = pairs_log(cover->pairs, 0);
	to = dp_units_part_room(cover->later, dp_units_acc_load64(record));
	memcpy(to, record, identity);
	dp_units_acc_store32(to + identity, known.used);
}

static void
leave_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record, uint32_t bytes)
{
	size_t		stride = dp_units_record_size(&log->records, form);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		leave(context, record);
}

/* Pass on a value that counts. */
static void
pass_on(const Cover *cover, const uint8_t *record)
{
	DpUnitId	group = {{0, 0}};

	memcpy(&group, record + dp_units_pairs_group_at(cover->pairs), cover->pairs->group_size);
	cover->visit(cover->context, cover->measure, &group,
				 (int64_t) dp_units_acc_load64(record + DP_PAIR_VALUE_AT));
}

/* Decide on the next pair, which was not seen before. */
static void
decide(Cover *cover, const uint8_t *record)
{
	Known		known;

	if (cover->full || !reserve(cover, &cover->units) || !reserve(cover, &cover->values))
	{
		cover->full = true;
		leave(cover, record);
		return;
	}
	look_up(cover, record, &known);
	if (!known.open)
		return;
	dp_units_key_table_set(&cover->units, known.unit, known.unit_key, known.used + 1);
	dp_units_key_table_set(&cover->values, known.value, known.value_key, 1);
	pass_on(cover, record);
}

/* Does a pair come before another that it is not the same as? */
static inline bool
is_before(const Cover *cover, uint32_t a, uint32_t b)
{
	size_t		size = dp_units_record_size(cover->add.records, DP_RECORD_ADDED);
	const uint8_t *record_a = cover->scratch.record + a * size;
	const uint8_t *record_b = cover->scratch.record + b * size;
	uint64_t	hash_a = dp_units_acc_load64(record_a);
	uint64_t	hash_b = dp_units_acc_load64(record_b);

	if (hash_a != hash_b)
		return hash_a < hash_b;
	return memcmp(record_a, record_b, dp_units_pairs_identity(cover->pairs)) < 0;
}

/* Put a bucket's pairs in order. */
static void
sort_bucket(const Cover *cover, uint32_t *order, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
	{
		uint32_t	pair = order[i];
		uint32_t	to = i;

		for (; to > 0 && is_before(cover, pair, order[to - 1]); to--)
			order[to] = order[to - 1];
		order[to] = pair;
	}
}

/* Number of buckets for so many pairs of a part: bits of hashes. */
static int
bucket_bits(const DpLog *log, uint32_t count)
{
	int			bits = 0;

	while (bits < log->shift && (count >> bits) > IN_BUCKET)
		bits++;
	return bits;
}

/* Which bucket a pair of a part belongs into: by the bits behind those that name the part. */
static inline uint32_t
bucket_of(const uint8_t *record, int shift, int bits)
{
	return bits == 0 ? 0
		: (uint32_t) (dp_units_acc_load64(record) >> (shift - bits)) & ((UINT32_C(1) << bits) - 1);
}

/* Put a part's pairs in order: returns their numbers. */
static const uint32_t *
sort_pairs(Cover *cover, const DpLog *log)
{
	uint32_t	count = cover->add.count;
	int			bits = bucket_bits(log, count);
	uint32_t	buckets = UINT32_C(1) << bits;
	size_t		size = dp_units_record_size(&log->records, DP_RECORD_ADDED);
	uint32_t   *next = dp_units_buffer_reserve(cover->memory, &cover->bucket, (buckets + 1) * sizeof(uint32_t));
	uint32_t   *order = dp_units_buffer_reserve(cover->memory, &cover->order, (count + 1) * sizeof(uint32_t));

	dp_units_fill(cover->memory, next, 0, (buckets + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
	{
		if (i % DP_UNITS_STRIDE == 0)
			cover->memory->breathe();
		next[bucket_of(cover->scratch.record + i * size, log->shift, bits) + 1]++;
	}
	for (uint32_t i = 1; i <= buckets; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < count; i++)
	{
		if (i % DP_UNITS_STRIDE == 0)
			cover->memory->breathe();
		order[next[bucket_of(cover->scratch.record + i * size, log->shift, bits)]++] = i;
	}
	for (uint32_t i = 0; i < buckets; i++)
	{
		uint32_t	first = i == 0 ? 0 : next[i - 1];

		if (i % DP_UNITS_STRIDE == 0)
			cover->memory->breathe();
		sort_bucket(cover, order + first, next[i] - first);
	}
	return order;
}

static void
load_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record, uint32_t bytes)
{
	Cover	   *cover = context;

	(void) log;
	(void) dp_units_add_up_some(&cover->add, form, record, bytes);
}

/* Go through a part that fits memory. */
static void
cover_loaded(Cover *cover, DpLog *log, uint32_t part)
{
	size_t		size = dp_units_record_size(&log->records, DP_RECORD_ADDED);
	const uint32_t *order;

	dp_units_add_up_begin(&cover->add, cover->memory, &log->records, &cover->scratch,
						  (dp_units_part_count(log, part) + 1) * size);
	dp_units_part_take(log, part, load_block, cover);
	order = sort_pairs(cover, log);
	for (uint32_t i = 0; i < cover->add.count; i++)
	{
		if (i % DP_UNITS_STRIDE == 0)
			cover->memory->breathe();
		decide(cover, cover->scratch.record + order[i] * size);
	}
}

static void
divide_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record, uint32_t bytes)
{
	const Cover *cover = context;
	size_t		stride = dp_units_record_size(&log->records, form);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		memcpy(dp_units_part_room(cover->to, dp_units_acc_load64(record)), record, stride);
}

/* Bytes that a pair takes where a part is loaded, at most. */
static size_t
cost(const DpLog *log)
{
	return dp_units_record_size(&log->records, DP_RECORD_ADDED) + 7 * sizeof(uint32_t);
}

/* Go through the pairs of a part, in order. */
static void
cover_part(Cover *cover, DpLog *log, uint32_t part)
{
	DpLog	   *deeper;

	if (dp_units_part_count(log, part) == 0)
		return;
	if (cover->full)
	{
		dp_units_part_close(log);
		dp_units_part_take(log, part, leave_block, cover);
		return;
	}
	if (dp_units_part_count(log, part) * cost(log) <= cover->room || log->shift == 0)
	{
		cover_loaded(cover, log, part);
		return;
	}
	dp_units_part_close(log);
	deeper = cover->to = pairs_log(cover->pairs, 64 - log->shift);
	dp_units_part_take(log, part, divide_block, cover);
	for (uint32_t i = 0; i < deeper->parts; i++)
		cover_part(cover, deeper, i);
	dp_units_part_destroy(deeper);
}

/* Nothing is known of units and values in groups to come; and forget what is. */
static void
begin_groups(Cover *cover)
{
	key_table_create(&cover->units, cover->memory, &cover->pairs->spec->secret, cover->pairs->unit_size + cover->pairs->group_size);
	key_table_create(&cover->values, cover->memory, &cover->pairs->spec->secret, sizeof(uint64_t) + cover->pairs->group_size);
	cover->full = false;
}

static void
end_groups(Cover *cover)
{
	key_table_destroy(&cover->units);
	key_table_destroy(&cover->values);
}

/* Go through a log's pairs as far as memory suffices: returns those that are left, or NULL. */
static DpLog *
cover_log(Cover *cover, DpLog *log)
{
	bool		grouped = cover->pairs->spec->grouped;

	cover->later = NULL;
	begin_groups(cover);
	for (uint32_t i = 0; i < log->parts; i++)
	{
		if (i > 0 && grouped)
		{
			end_groups(cover);
			begin_groups(cover);
		}
		cover_part(cover, log, i);
	}
	end_groups(cover);
	return cover->later;
}

void
dp_units_cover_values(DpPairs *pairs, DpCoverVisit visit, void *context)
{
	Cover		cover = {.pairs = pairs, .memory = &pairs->memory, .visit = visit, .context = context};

	cover.room = dp_units_room(pairs->spec) / 2;
	cover.limit = dp_units_room(pairs->spec) / 2 * 3;
	for (int i = 0; i < pairs->spec->measures && pairs->log; i++)
	{
		cover.measure = &pairs->spec->measure[i];
		while (pairs->log[i])
		{
			DpLog	   *log = pairs->log[i];

			pairs->log[i] = cover_log(&cover, log);
			dp_units_part_destroy(log);
		}
	}
	dp_units_add_up_free(cover.memory, &cover.scratch);
	dp_units_buffer_free(cover.memory, &cover.bucket);
	dp_units_buffer_free(cover.memory, &cover.order);
}
