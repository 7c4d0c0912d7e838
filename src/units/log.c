/*
 * log.c
 *	  Writing and reading rows by parts, see log.h.
 */
#include "postgres.h"

#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "noise/random.h"
#include "units/log.h"

#define MOST_PARTS 256
#define LEAST_PARTS 8

/* A part's first block is small, the third and all after it, in bytes: */
#define BLOCK_SIZE BLCKSZ
#define FIRST_BLOCK_SIZE (BLOCK_SIZE / 16)

#define FIRST_CAPACITY 256

DpLog *
dp_log_create(MemoryContext context, int unit_words)
{
	Size		limit = get_hash_memory_limit();
	int			parts = MOST_PARTS;
	DpLog	   *log;

	/* Half of the memory for blocks that are being written is enough. */
	while (parts > LEAST_PARTS && parts * 2 * (Size) BLOCK_SIZE > limit / 2)
		parts /= 2;
	log = MemoryContextAllocZero(context, offsetof(DpLog, part) + parts * sizeof(DpLogPart));
	log->context = context;
	log->key[0] = dp_noise_random64();
	log->key[1] = dp_noise_random64();
	log->words = unit_words + 1;
	log->parts = parts;
	log->shift = 64 - pg_leftmost_one_pos32(parts);
	log->limit = limit;
	for (int i = 0; i < parts; i++)
		log->part[i].last = -1;
	return log;
}

/* An empty block of this many bytes. */
static DpLogBlock *
make_block(DpLog *log, Size size)
{
	DpLogBlock *block = MemoryContextAlloc(log->context, size);

	log->used += size;
	block->next = NULL;
	block->size = (size - offsetof(DpLogBlock, word)) / sizeof(uint64);
	block->used = 0;
	return block;
}

/* Write a part's full block to the file, and empty it. */
static void
write_block(DpLog *log, DpLogPart *part)
{
	MemoryContext old = MemoryContextSwitchTo(log->context);

	if (log->file == NULL)
		log->file = BufFileCreateTemp(false);
	part->block->before = part->last;
	BufFileWrite(log->file, part->block, BLOCK_SIZE);
	part->last = log->blocks++;
	part->block->used = 0;
	MemoryContextSwitchTo(old);
}

DpLogBlock *
dp_log_make_room(DpLog *log, DpLogPart *part)
{
	DpLogBlock *full = part->block;
	Size		size = full == NULL ? FIRST_BLOCK_SIZE
		: Min(BLOCK_SIZE, 4 * (full->size * sizeof(uint64) + offsetof(DpLogBlock, word)));

	CHECK_FOR_INTERRUPTS();
	if (full != NULL && full->size * sizeof(uint64) > BLOCK_SIZE / 2 && log->used + size > log->limit)
	{
		write_block(log, part);
		return full;
	}
	part->block = make_block(log, size);
	part->block->next = full;
	return part->block;
}

/* Go through the rows of a block. */
static void
visit_block(const DpLog *log, const DpLogBlock *block, DpLogVisit visit, void *arg)
{
	CHECK_FOR_INTERRUPTS();
	for (uint32 i = 0; i < block->used; i += log->words)
	{
		DpLogUnit	unit = {block->word[i], log->words > 2 ? block->word[i + 2] : 0};

		visit(arg, unit, block->word[i + 1]);
	}
}

/* A block of the file. */
static const DpLogBlock *
read_block(DpLog *log, int64 number)
{
	if (log->read == NULL)
		log->read = MemoryContextAlloc(log->context, BLOCK_SIZE);
	if (BufFileSeekBlock(log->file, number) != 0 ||
		BufFileRead(log->file, log->read, BLOCK_SIZE) != BLOCK_SIZE)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file")));
	return log->read;
}

void
dp_log_visit(DpLog *log, int part, DpLogVisit visit, void *arg)
{
	int64		number = log->part[part].last;

	for (const DpLogBlock *block = log->part[part].block; block; block = block->next)
		visit_block(log, block, visit, arg);
	while (number >= 0)
	{
		const DpLogBlock *block = read_block(log, number);

		visit_block(log, block, visit, arg);
		number = block->before;
	}
}

/* An empty table of units. */
static void
set_capacity(DpLog *log, uint64 capacity)
{
	log->capacity = capacity;
	log->entry = MemoryContextAllocExtended(log->context, capacity * sizeof(DpLogEntry),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* Twice the room for units. */
static void
grow(DpLog *log)
{
	DpLogEntry *old = log->entry;
	uint64		capacity = log->capacity;

	set_capacity(log, 2 * capacity);
	for (uint64 i = 0; i < capacity; i++)
	{
		if (i % BLOCK_SIZE == 0)
			CHECK_FOR_INTERRUPTS();
		if (old[i].rows > 0)
			*dp_log_find(log, old[i].unit) = old[i];
	}
	pfree(old);
}

/* What is done while rows are counted. */
typedef struct Count
{
	DpLog	   *log;
	uint64		most;
} Count;

static void
count_row(void *arg, DpLogUnit unit, uint64 payload)
{
	Count	   *count = arg;
	DpLogEntry *entry = dp_log_find(count->log, unit);

	if (entry->rows == 0)
	{
		if (unlikely(2 * count->log->units >= count->log->capacity))
		{
			grow(count->log);
			entry = dp_log_find(count->log, unit);
		}
		entry->unit = unit;
		count->log->units++;
	}
	entry->rows++;
	count->most = Max(count->most, entry->rows);
}

uint64
dp_log_count(DpLog *log, int part)
{
	Count		count = {log, 0};

	if (log->entry == NULL)
		set_capacity(log, FIRST_CAPACITY);
	else
		memset(log->entry, 0, log->capacity * sizeof(DpLogEntry));
	log->units = 0;
	dp_log_visit(log, part, count_row, &count);
	return count.most;
}

void
dp_log_close(DpLog *log)
{
	if (log->file)
		BufFileClose(log->file);
	log->file = NULL;
	explicit_bzero(log->key, sizeof(log->key));
}
