/* SPDX-License-Identifier: PostgreSQL */
/*
 * partition_file.c
 *	  Writing records by parts.
 */
#include "units/partition_file.h"
#include "units/probe.h"

/*
 * Adding up records of the same identity.
 */

#define LEAST_PLACES 64

void
dp_units_add_up_free(DpAddUp *add)
{
	dp_buffer_free(add->memory, &add->record);
	dp_buffer_free(add->memory, &add->place);
	memset(add, 0, sizeof(DpAddUp));
}

void
dp_units_add_up_begin(DpAddUp *add, const DpMemory *memory, const DpRecords *records, uint64_t most)
{
	uint32_t	places = LEAST_PLACES;

	while (places < 2 * (uint32_t) most)
		places *= 2;
	add->memory = memory;
	add->records = records;
	add->size = dp_units_record_size(records, DP_RECORD_ADDED);
	add->count = 0;
	add->most = (uint32_t) most;
	add->places = places;
	dp_buffer_fit(memory, &add->record, (most + 1) * add->size);
	dp_memory_fill(memory, dp_buffer_fit(memory, &add->place, places * sizeof(uint32_t)), 0, places * sizeof(uint32_t));
}

/* Where to look first for a record: by so many bytes of its identity. */
static inline uint32_t
home(const uint8_t *record, size_t told)
{
	uint64_t	x = 0;
	size_t		at = 0;

	for (; at + sizeof(uint64_t) <= told; at += sizeof(uint64_t))
	{
		x = (x ^ dp_units_acc_load64(record + at)) * UINT64_C(0xD6E8FEB86659FD93);
		x ^= x >> 32;
	}
	if (at < told)
		x ^= dp_units_acc_load32(record + at) * UINT64_C(0xD6E8FEB86659FD93);
	return (uint32_t) ((x * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/* Are two records to be added up? */
static inline bool
same(const uint8_t *a, const uint8_t *b, size_t identity)
{
	size_t		at = 0;

	for (; at + sizeof(uint64_t) <= identity; at += sizeof(uint64_t))
		if (dp_units_acc_load64(a + at) != dp_units_acc_load64(b + at))
			return false;
	return at == identity || dp_units_acc_load32(a + at) == dp_units_acc_load32(b + at);
}

/* The record of this identity; NULL if there is none, and none is to be made or there would be too many. */
static DP_ALWAYS_INLINE uint8_t *
find(DpAddUp *add, const uint8_t *record, bool make)
{
	uint32_t   *place = add->place.bytes;
	uint32_t	mask = add->places - 1;
	size_t		identity = add->records->identity;

	DP_PROBE(i, home(record, add->records->told > 0 ? add->records->told : identity), mask)
	{
		uint32_t	number = place[i];
		uint8_t    *found = (uint8_t *) add->record.bytes + (size_t) (number == 0 ? add->count : number - 1) * add->size;

		if (number == 0)
		{
			if (!make || add->count == add->most)
				return NULL;
			dp_units_record_copy(found, record, identity);
			memset(found + identity, 0, add->size - identity);
			place[i] = ++add->count;
			return found;
		}
		if (same(found, record, identity))
			return found;
	}
}

uint8_t *
dp_units_add_up_find(DpAddUp *add, const uint8_t *identity, bool make)
{
	return find(add, identity, make);
}

bool
dp_units_add_up_some(DpAddUp *add, DpRecordForm form, const uint8_t *record, size_t bytes)
{
	const DpRecords *records = add->records;
	size_t		stride = dp_units_record_size(records, form);
	size_t		data_at = dp_units_record_data_at(records, form);

	for (size_t at = 0; at < bytes; at += stride)
	{
		uint8_t		identity[2 * sizeof(DpUnitId)];
		uint8_t    *found;

		/* A number in 16 bits becomes one in 32. */
		if (data_at < records->identity)
		{
			size_t		number_at = data_at - sizeof(uint16_t);

			dp_units_record_copy(identity, record + at, number_at);
			dp_units_acc_store32(identity + number_at, dp_units_record_number(form, record + at + number_at));
		}
		found = find(add, data_at < records->identity ? identity : record + at, true);
		if (found == NULL)
			return false;
		records->absorb(records->context, found + records->identity, form, record + at + data_at);
	}
	return true;
}

/*
 * Memory for blocks.
 */

struct DpSlab
{
	DpSlab	   *next;
	size_t		size;
	size_t		used;
	uint8_t		data[] __attribute__((aligned(16)));
};

/* So many bytes of zeros from the newest of the slabs, or from another of `more` bytes. */
static void *
slab_cut(const DpMemory *memory, DpSlab **slabs, size_t size, size_t more)
{
	DpSlab	   *slab = *slabs;

	if (slab == NULL || slab->size - slab->used < size)
	{
		more = more > size ? more : size;
		slab = memory->allocate(memory->context, sizeof(DpSlab) + more);
		slab->size = more;
		slab->next = *slabs;
		*slabs = slab;
	}
	slab->used += size;
	return slab->data + slab->used - size;
}

/* Give all back. */
static void
slab_free(const DpMemory *memory, DpSlab **slabs)
{
	while (*slabs)
	{
		DpSlab	   *slab = *slabs;

		*slabs = slab->next;
		memory->release(memory->context, slab, sizeof(DpSlab) + slab->size);
	}
}

/* Segments are as large as all before them together, within these bounds. */
#define LEAST_SEGMENT ((size_t) 256 * 1024)
#define MOST_SEGMENT ((size_t) 64 * 1024 * 1024)

/* Parts are numbered by so many bits, fewer where memory is little. */
#define MOST_BITS 8
#define LEAST_BITS 3

/* Bytes of records in a block, and this many blocks a part at least. */
#define MOST_IN_BLOCK ((size_t) 16 * 1024)
#define LEAST_IN_BLOCK ((size_t) 1024)
#define MOST_IN_SHARED ((size_t) 4 * 1024)
#define BLOCKS_A_PART 4

/* A part's first block is smaller, by this factor. */
#define FIRST_BLOCK 16

/* No part takes more than this share of the memory. */
#define PART_SHARE 8

/* Adding up is worth its while if it leaves at most so many tenths. */
#define WORTH 6
#define MOST_PATIENCE 64

/* Memory is asked for in pieces, this share of the limit each, but no more than this. */
#define SLAB_SHARE 8
#define MOST_IN_SLAB ((size_t) 4 * 1024 * 1024)

/* How many bits number the parts. */
static int
choose_bits(size_t limit)
{
	int			bits = MOST_BITS;

	while (bits > LEAST_BITS && (limit >> bits) < BLOCKS_A_PART * LEAST_IN_BLOCK)
		bits--;
	return bits;
}

static DpLog *
create(const DpMemory *memory, const DpFiles *files, const DpRecords *records,
	   DpRecordForm form, uint32_t parts)
{
	DpLog	   *log = memory->allocate(memory->context, sizeof(DpLog));

	log->memory = *memory;
	log->files = files;
	log->records = *records;
	log->parts = parts;
	log->part = memory->allocate(memory->context, parts * sizeof(DpLogPart));
	log->form = form;
	log->size = dp_units_record_size(records, form);
	return log;
}

/* Bytes of blocks: so many of records, but two records of any form at least. */
static void
set_block_sizes(DpLog *log, size_t bytes)
{
	size_t		record = 0;

	for (int i = 0; i < DP_RECORD_FORMS; i++)
	{
		size_t		size = dp_units_record_size(&log->records, (DpRecordForm) i);

		record = record > size ? record : size;
	}
	for (int i = 0; i < 2; i++)
	{
		size_t		size = i == 0 ? bytes / FIRST_BLOCK : bytes;

		size = size > 2 * record ? size : 2 * record;
		log->block_size[i] = (sizeof(DpLogBlock) + size + 15) & ~(size_t) 15;
	}
}

DpLog *
dp_units_part_create(const DpMemory *memory, const DpFiles *files, const DpRecords *records,
					 DpRecordForm form, int bits, size_t limit)
{
	int			own = choose_bits(limit);
	size_t		bytes = (limit >> own) / BLOCKS_A_PART;
	DpLog	   *log;

	if (own > 64 - bits)
		own = 64 - bits;
	log = create(memory, files, records, form, UINT32_C(1) << own);
	log->shift = (64 - bits - own) & 63;
	log->limit = limit;
	bytes = bytes < MOST_IN_BLOCK ? bytes : MOST_IN_BLOCK;
	set_block_sizes(log, bytes > LEAST_IN_BLOCK ? bytes : LEAST_IN_BLOCK);
	return log;
}

/*
 * All of a segment is touched when it is made, so that its blocks are smaller: those of most parts
 * are not full.
 */
void
dp_units_part_use_segments(DpLog *log, DpSegments *segments)
{
	size_t		bytes = log->block_size[1] - sizeof(DpLogBlock);

	log->segments = segments;
	if (segments && bytes > MOST_IN_SHARED)
		set_block_sizes(log, MOST_IN_SHARED);
}

DpLog *
dp_units_part_attach(const DpLog *like, const DpRecords *records, const DpLogPart *part,
					 DpSegments *segments, void *file)
{
	DpLog	   *log = create(&like->memory, like->files, records, like->form, like->parts);

	log->shift = like->shift;
	log->limit = like->limit;
	log->segments = segments;
	log->file = file;
	memcpy(log->part, part, log->parts * sizeof(DpLogPart));
	return log;
}

/* Give back the memory of all blocks, of which none is in use. */
static void
free_blocks(DpLog *log)
{
	slab_free(&log->memory, &log->slabs);
	log->free[0] = log->free[1] = NULL;
	dp_units_add_up_free(&log->add_up);
}

void
dp_units_part_destroy(DpLog *log)
{
	DpMemory	memory = log->memory;

	free_blocks(log);
	if (log->file)
		log->files->close(log->file);
	memory.release(memory.context, log->part, log->parts * sizeof(DpLogPart));
	memory.release(memory.context, log, sizeof(DpLog));
}

/* Memory for a block of so many bytes. */
static DpLogBlock *
cut(DpLog *log, size_t size)
{
	size_t		more = log->limit / SLAB_SHARE < MOST_IN_SLAB ? log->limit / SLAB_SHARE : MOST_IN_SLAB;

	if (log->segments)
	{
		size_t		wanted = log->segments->size < MOST_SEGMENT ? log->segments->size : MOST_SEGMENT;
		void	   *shared = dp_segments_cut(log->segments, size, wanted > LEAST_SEGMENT ? wanted : LEAST_SEGMENT);

		if (shared)
			return shared;
		more /= SLAB_SHARE;		/* what segments have is nearly all */
	}
	return slab_cut(&log->memory, &log->slabs, size, more);
}

/* Number of the records in a block. */
static inline uint32_t
count_block(const DpLog *log, const DpLogBlock *block)
{
	return block->used / dp_units_record_size(&log->records, (DpRecordForm) block->form);
}

/* Write down how full a part's newest block is. */
static inline void
close_block(DpLogPart *part)
{
	if (part->block)
		part->block->used = (uint32_t) (part->next - part->block->data);
}

/* Likewise, and count its records: no more come to it. */
static inline void
end_block(const DpLog *log, DpLogPart *part)
{
	close_block(part);
	if (part->block)
		part->records += count_block(log, part->block);
}

/* Begin a block: a small one if it is the part's first. */
static void
begin_block(DpLog *log, DpLogPart *part, DpRecordForm form)
{
	int			size = part->records > 0 || part->block != NULL;
	DpLogBlock *block = log->free[size];

	end_block(log, part);
	if (block)
		log->free[size] = block->next;
	else
		block = cut(log, log->block_size[size]);
	log->used += log->block_size[size];
	block->form = form;
	block->size = size;
	block->used = 0;
	block->next = part->block;
	part->block = block;
	part->blocks++;
	part->forms |= 1 << form;
	part->next = block->data;
	part->end = (uint8_t *) block + log->block_size[size];
}

/* Give back a part's blocks in memory. */
static void
drop_blocks(DpLog *log, DpLogPart *part)
{
	while (part->block)
	{
		DpLogBlock *block = part->block;

		part->block = block->next;
		block->next = log->free[block->size];
		log->free[block->size] = block;
		log->used -= log->block_size[block->size];
	}
	part->blocks = 0;
	part->next = part->end = NULL;
}

/* Write a part's blocks to the file, each with the place of the one before; their records are counted. */
static void
write_blocks(DpLog *log, DpLogPart *part)
{
	if (part->block && log->file == NULL)
		log->file = log->files->open(log->files->context);
	for (DpLogBlock *block = part->block; block; block = block->next)
	{
		size_t		size = sizeof(DpLogPlace) + block->used;

		if (block->used == 0)
			continue;
		log->memory.breathe();
		block->before = part->last;
		log->files->write(log->file, log->file_size, &block->before, size);
		part->last = (DpLogPlace) {log->file_size, block->used, block->form};
		log->file_size += size;
	}
	drop_blocks(log, part);
}

/* Put records that were added up in place of a part's blocks in memory. */
static void
put_back(DpLog *log, DpLogPart *part, const uint8_t *record, uint32_t count)
{
	size_t		size = dp_units_record_size(&log->records, DP_RECORD_ADDED);

	drop_blocks(log, part);
	while (count > 0)
	{
		uint32_t	some;

		begin_block(log, part, DP_RECORD_ADDED);
		some = (uint32_t) ((size_t) (part->end - part->next) / size);
		some = some < count ? some : count;
		memcpy(part->next, record, some * size);
		part->next += some * size;
		record += some * size;
		count -= some;
	}
}

/* Add up what a part has in memory; false if that does not save enough. */
static bool
compact(DpLog *log, DpLogPart *part)
{
	DpAddUp    *add = &log->add_up;
	size_t		bytes = 0;
	uint64_t	records = 0;

	close_block(part);
	for (DpLogBlock *block = part->block; block; block = block->next)
	{
		bytes += block->used;
		records += block == part->block ? 0 : count_block(log, block);
	}
	dp_units_add_up_begin(add, &log->memory, &log->records,
						  bytes / 10 * WORTH / dp_units_record_size(&log->records, DP_RECORD_ADDED));
	for (DpLogBlock *block = part->block; block; block = block->next)
		if (!dp_units_add_up_some(add, (DpRecordForm) block->form, block->data, block->used))
			return false;
	part->records -= records;
	put_back(log, part, add->record.bytes, add->count);
	return true;
}

/* Make room in memory by what a part has there. */
static void
make_space(DpLog *log, DpLogPart *part)
{
	if (part->skip > 0)
		part->skip--;
	else if (part->blocks > 1 && log->records.absorb)
	{
		if (compact(log, part))
		{
			part->patience = 0;
			return;
		}
		part->patience = part->patience == 0 ? 2 : part->patience < MOST_PATIENCE ? 2 * part->patience
			: MOST_PATIENCE;
		part->skip = part->patience;
	}
	end_block(log, part);
	write_blocks(log, part);
}

uint8_t *
dp_units_part_make_room(DpLog *log, DpLogPart *part)
{
	log->memory.breathe();
	if (part->block && (log->used + log->block_size[1] > log->limit ||
						part->blocks * log->block_size[1] > log->limit / PART_SHARE))
		make_space(log, part);
	if (part->block == NULL || part->block->form != log->form ||
		(size_t) (part->end - part->next) < log->size)
		begin_block(log, part, log->form);
	return part->next;
}

void
dp_units_part_set_form(DpLog *log, DpRecordForm form)
{
	log->form = form;
	log->size = dp_units_record_size(&log->records, form);

	/* Blocks of another form are full. */
	for (uint32_t i = 0; i < log->parts; i++)
		log->part[i].end = log->part[i].next;
}

void
dp_units_part_close(DpLog *log)
{
	for (uint32_t i = 0; i < log->parts; i++)
	{
		end_block(log, &log->part[i]);
		write_blocks(log, &log->part[i]);
	}
	free_blocks(log);
}

void
dp_units_part_publish(DpLog *log)
{
	for (uint32_t i = 0; i < log->parts; i++)
	{
		DpLogPart  *part = &log->part[i];

		end_block(log, part);
		for (DpLogBlock **link = &part->block; *link;)
		{
			DpLogBlock *block = *link;
			uint64_t	place = dp_segments_place(log->segments, block);

			if (place == 0)
			{
				link = &block->next;
				continue;
			}
			*link = block->next;
			block->place = part->shared;
			part->shared = place;
		}
		write_blocks(log, part);
	}
	free_blocks(log);
}

void
dp_units_part_add_up(DpLog *log, uint32_t part)
{
	if (log->part[part].blocks > 0 && log->records.absorb)
		(void) compact(log, &log->part[part]);
}

uint64_t
dp_units_part_count(const DpLog *log, uint32_t number)
{
	const DpLogPart *part = &log->part[number];

	if (part->block == NULL)
		return part->records;
	return part->records + (size_t) (part->next - part->block->data) /
		dp_units_record_size(&log->records, (DpRecordForm) part->block->form);
}

/*
 * The blocks of a part that are in the file, newest first.  The process that wrote them
 * may have had blocks of another size.
 */
static void
visit_written(DpLog *log, DpLogPlace last, DpLogVisit visit, void *context)
{
	DpBuffer	buffer = {NULL, 0};

	while (last.used > 0)
	{
		size_t		size = sizeof(DpLogPlace) + last.used;
		DpLogPlace *block = dp_buffer_reserve(&log->memory, &buffer, size);

		log->memory.breathe();
		log->files->read(log->file, last.offset, block, size);
		visit(context, log, (DpRecordForm) last.form, (const uint8_t *) (block + 1), last.used);
		last = *block;
	}
	dp_buffer_free(&log->memory, &buffer);
}

void
dp_units_part_visit(DpLog *log, uint32_t number, DpLogVisit visit, void *context)
{
	DpLogPart  *part = &log->part[number];

	close_block(part);
	for (DpLogBlock *block = part->block; block; block = block->next)
	{
		log->memory.breathe();
		visit(context, log, (DpRecordForm) block->form, block->data, block->used);
	}
	for (uint64_t place = part->shared; place != 0;)
	{
		const DpLogBlock *block = dp_segments_at(log->segments, place);

		log->memory.breathe();
		visit(context, log, (DpRecordForm) block->form, block->data, block->used);
		place = block->place;
	}
	visit_written(log, part->last, visit, context);
}

void
dp_units_part_take(DpLog *log, uint32_t number, DpLogVisit visit, void *context)
{
	dp_units_part_visit(log, number, visit, context);
	drop_blocks(log, &log->part[number]);
	memset(&log->part[number], 0, sizeof(DpLogPart));
}

static void
add_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record, uint32_t bytes)
{
	(void) log;
	(void) dp_units_add_up_some(context, form, record, bytes);
}

void
dp_units_add_up_part(DpAddUp *add, DpLog *log, uint32_t part)
{
	dp_units_part_take(log, part, add_block, add);
}
