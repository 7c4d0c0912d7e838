/* SPDX-License-Identifier: PostgreSQL */
/*
 * load.c
 *	  Loading a part, numbering groups, and bringing units together.
 */
#include "units/load.h"
#include "units/probe.h"

#define LEAST_PLACES 256

/* Records a unit that are expected at first, and at least. */
#define FIRST_ROWS 8
#define LEAST_ROWS 4

void
dp_units_load_create(DpLoad *load, const DpMemory *memory, const DpUnitsSpec *spec, bool wide)
{
	memset(load, 0, sizeof(DpLoad));
	load->memory = *memory;
	load->spec = spec;
	load->wide = wide;
	load->group_at = dp_units_record_group_at(spec);
	load->expected = FIRST_ROWS;
}

void
dp_units_load_destroy(DpLoad *load)
{
	dp_buffer_free(&load->memory, &load->record);
	dp_buffer_free(&load->memory, &load->sorted);
	dp_buffer_free(&load->memory, &load->end);
	dp_buffer_free(&load->memory, &load->group_place);
	dp_buffer_free(&load->memory, &load->group_id);
}

DpRecordForm
dp_units_load_form(const DpLogSource *source, int sources, uint32_t part)
{
	DpRecordForm form = DP_RECORD_NARROW;

	for (int i = 0; i < sources; i++)
	{
		int			forms = source[i].log->part[part].forms;

		if (form < DP_RECORD_SHORT && (source[i].numbers || source[i].ids))
			form = DP_RECORD_SHORT;
		while (forms >> form > 1)
			form++;
	}
	return form;
}

size_t
dp_units_load_cost(const DpUnitsSpec *spec, bool wide, DpRecordForm form)
{
	size_t		data = dp_units_record_data_size(spec, form);
	size_t		record = dp_units_record_group_at(spec) + dp_units_record_number_size(spec, form) + data;

	/* Twice the record, a quarter besides as buffers have it, and a bucket. */
	return record / 2 * 5 + sizeof(uint32_t) +
		(wide ? 5 * sizeof(uint32_t) + 2 * sizeof(DpUnitId) + 2 * spec->parts * sizeof(__int128) : 0);
}

void
dp_units_load_group(const DpUnitsSpec *spec, const DpLogSource *source, bool wide, DpRecordForm form,
					const uint8_t *from, uint8_t *to)
{
	if (!spec->grouped)
		return;
	if (source->ids)
		memcpy(to, &source->ids[dp_units_record_number(form, from)], sizeof(DpUnitId));
	else if (source->numbers)
		dp_units_acc_store32(to, source->numbers[dp_units_record_number(form, from)]);
	else if (wide)
		memcpy(to, from, sizeof(DpUnitId));
	else
		dp_units_acc_store32(to, dp_units_record_number(form, from));
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
		int64_t		place = dp_units_record_nth_place(form, data, i);

		if (wanted == DP_RECORD_LONG)
			dp_units_acc_store64(to + i * sizeof(int64_t), (uint64_t) place);
		else
			dp_units_acc_store32(to + i * sizeof(int32_t), (uint32_t) (place == DP_GRID_NONE ? DP_SHORT_NONE : place));
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

/* Copy a record whose group or form differs from what is wanted. */
static inline void
copy_record(DpLoad *load, DpRecordForm form, const uint8_t *from, uint8_t *to)
{
	const DpLogSource *source = load->source;
	const DpUnitsSpec *spec = load->spec;
	DpUnitId	group;

	dp_units_record_copy(to, from, load->group_at);
	dp_units_load_group(spec, source, load->wide, form, from + load->group_at, (uint8_t *) &group);
	if (load->wide && spec->grouped)
		dp_units_acc_store32((uint8_t *) &group, number_group(load, &group));
	if (load->data_at - load->group_at == sizeof(uint16_t))
		memcpy(to + load->group_at, from + load->group_at, sizeof(uint16_t));
	else if (spec->grouped)
		dp_units_acc_store32(to + load->group_at, dp_units_acc_load32((uint8_t *) &group));
	dp_units_load_convert(spec, form, from + dp_units_record_data_at(&source->log->records, form), load->form,
						  to + load->data_at);
}

/* Copy the records of a block. */
static void
load_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
		   uint32_t bytes)
{
	DpLoad	   *load = context;
	uint8_t    *to = (uint8_t *) load->record.bytes + (size_t) load->count * load->size;
	size_t		stride = dp_units_record_size(&log->records, form);

	load->count += bytes / stride;
	if (form == load->form && (!load->spec->grouped || (!load->source->numbers && !load->wide)))
	{
		memcpy(to, record, bytes);
		return;
	}
	for (const uint8_t *end = record + bytes; record < end; record += stride, to += load->size)
		copy_record(load, form, record, to);
}

/* No group is numbered yet, of so many at most. */
static void
clear_groups(DpLoad *load, uint64_t most)
{
	load->groups = 0;
	load->group_places = LEAST_PLACES;
	while (load->group_places < 2 * most)
		load->group_places *= 2;
	dp_buffer_reserve(&load->memory, &load->group_id, most * sizeof(DpUnitId));
	dp_buffer_reserve(&load->memory, &load->group_place, load->group_places * sizeof(uint32_t));
	dp_memory_fill(&load->memory, load->group_place.bytes, 0, load->group_places * sizeof(uint32_t));
}

void
dp_units_load_part(DpLoad *load, const DpLogSource *source, int sources, uint32_t part, uint64_t count)
{
	load->form = dp_units_load_form(source, sources, part);
	load->data_at = load->group_at + dp_units_record_number_size(load->spec, load->form);
	load->size = load->data_at + dp_units_record_data_size(load->spec, load->form);
	load->bits = source->log->shift;
	load->count = 0;
	dp_buffer_reserve(&load->memory, &load->record, count * load->size);
	if (load->wide)
		clear_groups(load, count);
	for (int i = 0; i < sources; i++)
	{
		load->source = &source[i];
		dp_units_part_take(source[i].log, part, load_block, load);
	}
}

/*
 * Bringing the records of units together: by a counting sort into buckets by the next bits
 * of hashes, twice as many as there will be units, and in each bucket by going through it.
 */

/* So many units of a bucket are found one by one.  What is left then is sorted. */
#define MOST_SEARCHES 8

/* By how many bits of hashes records are sorted. */
static int
choose_bits(const DpLoad *load)
{
	uint64_t	wanted = 2 * (uint64_t) load->count / load->expected;
	int			bits = 0;

	while (bits < load->bits && UINT64_C(1) << bits < wanted)
		bits++;
	return bits;
}

/* Count the records of each bucket, and write these side by side: afterwards next[i] is where bucket i ends. */
static DP_ALWAYS_INLINE void
sort_records(DpLoad *load, int shift, uint32_t *next, bool small, size_t size)
{
	uint32_t	mask = load->buckets - 1;
	const uint8_t *record = load->record.bytes;
	uint8_t    *sorted = load->sorted.bytes;
	uint32_t	at = 0;

	for (uint32_t i = 0; i < load->count; i++, record += size)
	{
		if (i % DP_MEMORY_STRIDE == 0)
			load->memory.breathe();
		next[(dp_units_record_unit(record, small, 1).word[0] >> shift) & mask]++;
	}
	for (uint32_t i = 0; i <= mask; i++)
	{
		uint32_t	records = next[i];

		if (i % DP_MEMORY_STRIDE == 0)
			load->memory.breathe();
		next[i] = at;
		at += records;
	}
	record = load->record.bytes;
	for (uint32_t i = 0; i < load->count; i++, record += size)
	{
		uint32_t	to = next[(dp_units_record_unit(record, small, 1).word[0] >> shift) & mask]++;

		if (i % DP_MEMORY_STRIDE == 0)
			load->memory.breathe();
		dp_units_record_copy(sorted + (size_t) to * size, record, size);
	}
}

void
dp_units_load_sort(DpLoad *load)
{
	int			bits = choose_bits(load);
	int			shift = (load->bits - bits) & 63;
	bool		small = load->spec->small_ids;
	uint32_t   *next;

	load->buckets = UINT32_C(1) << bits;
	next = dp_buffer_reserve(&load->memory, &load->end, load->buckets * sizeof(uint32_t));
	dp_memory_fill(&load->memory, next, 0, load->buckets * sizeof(uint32_t));
	dp_buffer_reserve(&load->memory, &load->sorted, load->count * load->size);
	if (small && load->size == 8)
		sort_records(load, shift, next, true, 8);
	else if (small && load->size == 12)
		sort_records(load, shift, next, true, 12);
	else if (!small && load->size == 12)
		sort_records(load, shift, next, false, 12);
	else if (!small && load->size == 16)
		sort_records(load, shift, next, false, 16);
	else
		sort_records(load, shift, next, small, load->size);
	load->bucket = load->at = load->units = 0;
	load->searches = 0;
}

/* Let two records change places. */
static DP_ALWAYS_INLINE void
swap(uint8_t *a, uint8_t *b, size_t size)
{
	for (size_t some; size > 0; size -= some, a += some, b += some)
	{
		uint64_t	word;

		some = size < sizeof(word) ? size : sizeof(word);
		dp_units_record_copy((uint8_t *) &word, a, some);
		dp_units_record_copy(a, b, some);
		dp_units_record_copy(b, (const uint8_t *) &word, some);
	}
}

/* Does a record's unit come before that of another? */
static inline bool
comes_before(const DpLoad *load, const uint8_t *a, const uint8_t *b)
{
	DpUnitId	x = dp_units_record_unit(a, load->spec->small_ids, load->spec->id_words);
	DpUnitId	y = dp_units_record_unit(b, load->spec->small_ids, load->spec->id_words);

	return x.word[0] < y.word[0] || (x.word[0] == y.word[0] && x.word[1] < y.word[1]);
}

/* In a heap of so many records, let one sink to where it belongs. */
static void
sink(const DpLoad *load, uint8_t *heap, size_t count, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < count; i = child)
	{
		if (child + 1 < count && comes_before(load, heap + child * load->size, heap + (child + 1) * load->size))
			child++;
		if (!comes_before(load, heap + i * load->size, heap + child * load->size))
			break;
		swap(heap + i * load->size, heap + child * load->size, load->size);
	}
}

/* Sort records by their units, however many these are: by a heap. */
static void
sort_units(const DpLoad *load, uint8_t *record, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
	{
		if (i % (DP_MEMORY_STRIDE / 16) == 0)
			load->memory.breathe();
		sink(load, record, count, i);
	}
	for (size_t i = count; i-- > 1;)
	{
		if (i % (DP_MEMORY_STRIDE / 16) == 0)
			load->memory.breathe();
		swap(record, record + i * load->size, load->size);
		sink(load, record, i, 0);
	}
}

/* Bring the records of the first one's unit to the front: returns how many there are. */
static DP_ALWAYS_INLINE uint32_t
gather(const DpLoad *load, uint8_t *first, uint32_t count, bool small, int words, size_t size)
{
	DpUnitId	unit = dp_units_record_unit(first, small, words);
	uint8_t    *to = first + size;
	uint8_t    *from = to;

	for (uint32_t i = 1; i < count; i++, from += size)
	{
		DpUnitId	id = dp_units_record_unit(from, small, words);

		if (i % DP_MEMORY_STRIDE == 0)
			load->memory.breathe();
		if (id.word[0] != unit.word[0] || (words > 1 && id.word[1] != unit.word[1]))
		{
			if (load->searches > MOST_SEARCHES)
				break;
			continue;
		}
		if (from != to)
			swap(from, to, size);
		to += size;
	}
	return (uint32_t) ((size_t) (to - first) / size);
}

/* The bucket that is next, and has records; false if there is none. */
static bool
next_bucket(DpLoad *load)
{
	const uint32_t *end = load->end.bytes;

	load->searches = 0;
	while (load->bucket < load->buckets && end[load->bucket] == load->at)
	{
		if (++load->bucket % DP_MEMORY_STRIDE == 0)
			load->memory.breathe();
	}
	return load->bucket < load->buckets;
}

uint32_t
dp_units_load_next(DpLoad *load, const uint8_t **record)
{
	const uint32_t *end = load->end.bytes;
	uint8_t    *first;
	uint32_t	count;

	if ((load->at == 0 || load->at == end[load->bucket]) && !next_bucket(load))
	{
		load->expected = load->units > 0 ? load->count / load->units : FIRST_ROWS;
		load->expected = load->expected > LEAST_ROWS ? load->expected : LEAST_ROWS;
		return 0;
	}
	if (load->units++ % DP_MEMORY_STRIDE == 0)
		load->memory.breathe();
	first = (uint8_t *) load->sorted.bytes + (size_t) load->at * load->size;
	count = end[load->bucket] - load->at;
	if (++load->searches == MOST_SEARCHES + 1)
		sort_units(load, first, count);
	if (load->spec->id_words > 1)
		count = gather(load, first, count, false, 2, load->size);
	else if (load->spec->small_ids)
		count = gather(load, first, count, true, 1, load->size);
	else
		count = gather(load, first, count, false, 1, load->size);
	load->at += count;
	*record = first;
	return count;
}
