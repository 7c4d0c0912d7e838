/*
 * log.h
 *	  The rows of all units, kept apart by a keyed hash of the unit, to be gone
 *	  through more than once, one part of the units at a time.
 *
 * Where a row's weight depends on how many rows its unit has, a table of units is
 * looked at twice a row, and misses the cache each time.  Rows in parts by unit
 * are written one behind the other instead; a part's units are few enough for
 * their table to stay in the cache.  What exceeds hash_mem goes to one temporary
 * file.
 *
 * The hash is a permutation of words that nobody without the secret can steer,
 * so that it stands for the unit.
 */
#ifndef DP_UNITS_LOG_H
#define DP_UNITS_LOG_H

#include "postgres.h"

#include "storage/buffile.h"

/* A unit is known by one word or two, see units/word.h; as the log keeps them. */
typedef struct DpLogUnit
{
	uint64		hash;
	uint64		word;			/* the second; 0 where there is one */
} DpLogUnit;

typedef struct DpLogBlock
{
	struct DpLogBlock *next;	/* of the part, in memory */
	int64		before;			/* number of the part's block before, in the file; or -1 */
	uint32		size;			/* in words, and */
	uint32		used;
	uint64		word[FLEXIBLE_ARRAY_MEMBER];
} DpLogBlock;

typedef struct DpLogPart
{
	DpLogBlock *block;			/* being written, then full ones; or NULL */
	int64		last;			/* in the file; or -1 */
} DpLogPart;

/* A unit of the part that is looked at. */
typedef struct DpLogEntry
{
	DpLogUnit	unit;
	uint64		rows;			/* 0: nothing is here */
} DpLogEntry;

typedef struct DpLog
{
	MemoryContext context;
	uint64		key[2];			/* of the hash, secret */
	int			words;			/* of a row: unit and payload */
	int			parts;			/* a power of two */
	int			shift;			/* from a hash to its part */
	Size		limit;
	Size		used;
	BufFile    *file;
	int64		blocks;			/* in it */
	DpLogBlock *read;			/* from it */
	DpLogEntry *entry;			/* the units of a part: open addressing */
	uint64		capacity;
	uint64		units;
	DpLogPart	part[FLEXIBLE_ARRAY_MEMBER];
} DpLog;

/* What is done with each row. */
typedef void (*DpLogVisit) (void *arg, DpLogUnit unit, uint64 payload);

/*
 * An empty log in this memory context, of units of so many words.  Its file
 * belongs to the current resource owner.
 */
extern DpLog *dp_log_create(MemoryContext context, int unit_words);

/* Room for a row in a part: in its block, after this. */
extern DpLogBlock *dp_log_make_room(DpLog *log, DpLogPart *part);

/* Go through all rows of a part, in any order. */
extern void dp_log_visit(DpLog *log, int part, DpLogVisit visit, void *arg);

/*
 * Count the rows of the units of a part, for dp_log_rows; returns those of the
 * unit that has most of them.
 */
extern uint64 dp_log_count(DpLog *log, int part);

/* Give everything back but what the context holds. */
extern void dp_log_close(DpLog *log);

/* Add a row. */
static inline void
dp_log_add(DpLog *log, const uint64 *unit, uint64 payload)
{
	uint64		x = (unit[0] ^ log->key[0]) * UINT64CONST(0xD6E8FEB86659FD93);
	DpLogPart  *part;
	DpLogBlock *block;
	uint64	   *to;

	x = ((x ^ (x >> 32)) + log->key[1]) * UINT64CONST(0x9E3779B97F4A7C15);
	x ^= x >> 32;
	part = &log->part[x >> log->shift];
	block = part->block;
	if (unlikely(block == NULL || block->size - block->used < log->words))
		block = dp_log_make_room(log, part);
	to = block->word + block->used;
	to[0] = x;
	to[1] = payload;
	if (log->words > 2)
		to[2] = unit[1];
	block->used += log->words;
}

/* Where a unit is among those of the part, or belongs. */
static inline DpLogEntry *
dp_log_find(const DpLog *log, DpLogUnit unit)
{
	uint64		mask = log->capacity - 1;

	for (uint64 i = unit.hash & mask;; i = (i + 1) & mask)
	{
		DpLogEntry *entry = &log->entry[i];

		if (entry->rows == 0 ||
			(entry->unit.hash == unit.hash && entry->unit.word == unit.word))
			return entry;
	}
}

#endif							/* DP_UNITS_LOG_H */
