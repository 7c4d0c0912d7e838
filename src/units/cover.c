/* SPDX-License-Identifier: PostgreSQL */
/*
 * cover.c
 *	  Going through pairs of units and values.
 */
#include "base/buffer.h"
#include "units/cover.h"
#include "units/partition_file.h"

#define DP_PAIR_VALUE_AT sizeof(uint64_t)

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
	DpRecords	records = {.identity = dp_units_pairs_identity(pairs), .told = sizeof(uint64_t), .absorb = absorb};

	for (int i = 0; i < DP_RECORD_FORMS; i++)
		records.data[i] = sizeof(uint32_t);
	return dp_units_part_create(&pairs->memory, pairs->files, &records, DP_RECORD_ADDED, bits, pairs->limit);
}

void
dp_units_pairs_create(DpPairs *pairs, const DpMemory *memory, const DpFiles *files,
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
	pairs->log = memory->allocate(memory->context, spec->values * sizeof(DpLog *));
	for (uint32_t i = 0; i < spec->values; i++)
		pairs->log[i] = pairs_log(pairs, 0);
}

void
dp_units_pairs_destroy(DpPairs *pairs)
{
	if (pairs->log == NULL)
		return;
	for (uint32_t i = 0; i < pairs->spec->values; i++)
		if (pairs->log[i])
			dp_units_part_destroy(pairs->log[i]);
	pairs->memory.release(pairs->memory.context, pairs->log, pairs->spec->values * sizeof(DpLog *));
	pairs->log = NULL;
}

void
dp_units_pairs_put(DpPairs *pairs, uint32_t measure, const DpUnitId *unit, const DpUnitId *group,
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
dp_units_pairs_add(DpPairs *pairs, uint32_t measure, DpLog *from)
{
	for (uint32_t i = 0; i < from->parts; i++)
		dp_units_part_take(from, i, add_block, pairs->log[measure]);
}

/* A part's pairs are put in order in buckets of about so many. */
#define IN_BUCKET 2

/* Bytes of a key at most. */
#define MOST_KEY (2 * sizeof(DpUnitId))

/* Numbers of units, or values, of groups: a record for each key, of which no more are made than there is room for. */
typedef struct Facts
{
	DpRecords	records;
	DpAddUp		add;
} Facts;

typedef struct Cover
{
	DpPairs    *pairs;
	const DpMemory *memory;
	const DpUnitsMeasure *measure;
	DpCoverVisit visit;
	void	   *context;
	size_t		room;			/* bytes for a part's pairs; and */
	size_t		limit;			/* for facts of units, and of values */
	Facts		units;			/* number of values that a unit covers in a group */
	Facts		values;			/* 1: somebody covers it */
	bool		full;			/* there is no room for more: pairs are left for later, */
	DpLog	   *later;			/* here; NULL: none so far */
	DpAddUp		add;			/* a part's pairs */
	DpBuffer	first;			/* per bucket: number of its first pair, from 1 */
	DpBuffer	next;			/* per pair: likewise of the next */
} Cover;

/* Begin without facts, of as many keys as pairs can have, or there is room for. */
static void
begin_facts(const Cover *cover, Facts *facts, uint64_t pairs)
{
	uint64_t	most = cover->limit / (dp_units_record_size(&facts->records, DP_RECORD_ADDED) + 4 * sizeof(uint32_t));

	dp_units_add_up_begin(&facts->add, cover->memory, &facts->records, pairs < most ? pairs : most);
}

/* The number known by a key; 0 if there is none. */
static inline uint32_t
known(Facts *facts, const uint8_t *key)
{
	const uint8_t *record = dp_units_add_up_find(&facts->add, key, false);

	return record ? dp_units_acc_load32(record + facts->records.identity) : 0;
}

/* The key of a pair's value in its group: by a secret permutation, so that nobody chooses values that meet. */
static void
value_key(const DpPairs *pairs, const uint8_t *record, uint8_t *key)
{
	dp_units_acc_store64(key, dp_units_hash(&pairs->spec->secret, &(DpUnitId) {{dp_units_acc_load64(record + DP_PAIR_VALUE_AT), 0}}));
	memcpy(key + sizeof(uint64_t), record + dp_units_pairs_group_at(pairs), pairs->group_size);
}

/* Leave a pair for later, whose unit covers so many values. */
static void
leave(Cover *cover, const uint8_t *record, uint32_t used)
{
	size_t		identity = dp_units_pairs_identity(cover->pairs);
	uint8_t    *to;

	if (cover->later == NULL)
		cover->later = pairs_log(cover->pairs, 0);
	to = dp_units_part_room(cover->later, dp_units_acc_load64(record));
	memcpy(to, record, identity);
	dp_units_acc_store32(to + identity, used);
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

/*
 * Decide on the next pair; once there was no room for what is known of one, all that may still be taken are left.  Most
 * pairs are of values that somebody covers, so that nothing is made until a pair is taken: what is known then fits the
 * processor's caches.
 */
static void
decide(Cover *cover, const uint8_t *record)
{
	const uint8_t *unit_key = record + DP_PAIR_UNIT_AT;
	uint8_t		key[MOST_KEY];
	uint32_t	used;
	uint8_t    *unit;
	uint8_t    *value;

	value_key(cover->pairs, record, key);
	if (known(&cover->values, key) != 0)
		return;
	used = known(&cover->units, unit_key);
	if (used == 0)
		used = dp_units_acc_load32(record + dp_units_pairs_identity(cover->pairs));
	if (used >= cover->measure->max_rows)
		return;
	unit = cover->full ? NULL : dp_units_add_up_find(&cover->units.add, unit_key, true);
	value = unit ? dp_units_add_up_find(&cover->values.add, key, true) : NULL;
	if (value == NULL)
	{
		cover->full = true;
		leave(cover, record, used);
		return;
	}
	dp_units_acc_store32(unit + cover->units.records.identity, used + 1);
	dp_units_acc_store32(value + cover->values.records.identity, 1);
	pass_on(cover, record);
}

static void
decide_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record, uint32_t bytes)
{
	size_t		stride = dp_units_record_size(&log->records, form);

	for (const uint8_t *end = record + bytes; record < end; record += stride)
		decide(context, record);
}

/* Does a pair come before another that it is not the same as? */
static inline bool
is_before(const Cover *cover, uint32_t a, uint32_t b)
{
	const uint8_t *record_a = dp_units_add_up_at(&cover->add, a);
	const uint8_t *record_b = dp_units_add_up_at(&cover->add, b);
	uint64_t	hash_a = dp_units_acc_load64(record_a);
	uint64_t	hash_b = dp_units_acc_load64(record_b);

	if (hash_a != hash_b)
		return hash_a < hash_b;
	return memcmp(record_a, record_b, dp_units_pairs_identity(cover->pairs)) < 0;
}

/* Put a part's pairs in order: in a chain for each bucket, by the bits of hashes behind those that name the part; returns how many there are. */
static uint32_t
chain_pairs(Cover *cover, const DpLog *log)
{
	uint32_t	count = cover->add.count;
	int			bits = 0;
	uint32_t   *first;
	uint32_t   *next = dp_buffer_reserve(cover->memory, &cover->next, (count + 1) * sizeof(uint32_t));

	while (bits < log->shift && (count >> bits) > IN_BUCKET)
		bits++;
	first = dp_buffer_reserve(cover->memory, &cover->first, (UINT64_C(1) << bits) * sizeof(uint32_t));
	dp_memory_fill(cover->memory, first, 0, (UINT64_C(1) << bits) * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
	{
		uint64_t	hash = dp_units_acc_load64(dp_units_add_up_at(&cover->add, i));
		uint32_t   *link = &first[(hash >> (log->shift - bits)) & ((UINT64_C(1) << bits) - 1)];

		if (i % DP_MEMORY_STRIDE == 0)
			cover->memory->breathe();
		while (*link != 0 && is_before(cover, *link - 1, i))
			link = &next[*link - 1];
		next[i] = *link;
		*link = i + 1;
	}
	return UINT32_C(1) << bits;
}

/* Go through a part that fits memory. */
static void
cover_loaded(Cover *cover, DpLog *log, uint32_t part)
{
	uint32_t	buckets;

	dp_units_add_up_begin(&cover->add, cover->memory, &log->records, dp_units_part_count(log, part));
	dp_units_add_up_part(&cover->add, log, part);
	buckets = chain_pairs(cover, log);
	for (uint32_t i = 0; i < buckets; i++)
	{
		if (i % DP_MEMORY_STRIDE == 0)
			cover->memory->breathe();
		for (uint32_t pair = ((uint32_t *) cover->first.bytes)[i]; pair != 0; pair = ((uint32_t *) cover->next.bytes)[pair - 1])
			decide(cover, dp_units_add_up_at(&cover->add, pair - 1));
	}
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
		dp_units_part_take(log, part, decide_block, cover);
		return;
	}
	if (dp_units_part_count(log, part) * cost(log) <= cover->room || log->shift == 0)
	{
		cover_loaded(cover, log, part);
		return;
	}
	dp_units_part_close(log);
	deeper = pairs_log(cover->pairs, 64 - log->shift);
	dp_units_part_take(log, part, add_block, deeper);
	for (uint32_t i = 0; i < deeper->parts; i++)
		cover_part(cover, deeper, i);
	dp_units_part_destroy(deeper);
}

/* Nothing is known of units and values of groups to come, with so many pairs. */
static void
begin_groups(Cover *cover, uint64_t pairs)
{
	begin_facts(cover, &cover->units, pairs);
	begin_facts(cover, &cover->values, pairs);
	cover->full = false;
}

/* Go through a log's pairs as far as memory suffices: returns those that are left, or NULL. */
static DpLog *
cover_log(Cover *cover, DpLog *log)
{
	bool		grouped = cover->pairs->spec->grouped;
	uint64_t	pairs = 0;

	cover->later = NULL;
	for (uint32_t i = 0; i < log->parts; i++)
		pairs += dp_units_part_count(log, i);
	begin_groups(cover, grouped ? 0 : pairs);
	for (uint32_t i = 0; i < log->parts; i++)
	{
		if (grouped)
			begin_groups(cover, dp_units_part_count(log, i));
		cover_part(cover, log, i);
	}
	return cover->later;
}

/* Facts for keys of so many bytes. */
static Facts
make_facts(size_t key)
{
	Facts		facts = {.records.identity = key};

	facts.records.data[DP_RECORD_ADDED] = sizeof(uint32_t);
	return facts;
}

void
dp_units_cover_values(DpPairs *pairs, DpCoverVisit visit, void *context)
{
	Cover		cover = {.pairs = pairs, .memory = &pairs->memory, .visit = visit, .context = context};

	cover.room = dp_units_room(pairs->spec) / 2;
	cover.limit = dp_units_room(pairs->spec) / 4 * 3;
	cover.units = make_facts(pairs->unit_size + pairs->group_size);
	cover.values = make_facts(sizeof(uint64_t) + pairs->group_size);
	for (int i = 0; i < pairs->spec->measures; i++)
	{
		uint32_t	value = pairs->spec->measure[i].value;

		cover.measure = &pairs->spec->measure[i];
		while (dp_units_is_of_values(cover.measure->kind) && pairs->log[value])
		{
			DpLog	   *log = pairs->log[value];

			pairs->log[value] = cover_log(&cover, log);
			dp_units_part_destroy(log);
		}
	}
	dp_units_add_up_free(&cover.add);
	dp_units_add_up_free(&cover.units.add);
	dp_units_add_up_free(&cover.values.add);
	dp_buffer_free(cover.memory, &cover.first);
	dp_buffer_free(cover.memory, &cover.next);
}
