/* SPDX-License-Identifier: PostgreSQL */
/*
 * partition_file.h
 *	  Records kept apart by parts: rows written one behind the other, by the top bits
 *	  of a hash, to be taken part by part.
 *
 * Plain C: no server header.  What one part needs then lies in the processor's caches,
 * whatever there is in all.
 *
 * When memory is short, the part that needs more of it adds its records up if that
 * saves two fifths, or else writes them to the log's file.  A part where it did not
 * save that tries again later each time.  Records that each have to be kept are written.
 *
 * Processes of a parallel plan have their logs in segments of shared memory as far as these go.
 * Others read the blocks where they lie.
 */
#ifndef DP_UNITS_PARTITION_FILE_H
#define DP_UNITS_PARTITION_FILE_H

#include "base/buffer.h"
#include "base/segments.h"
#include "units/record.h"

/* Memory that blocks are cut from, and that is given back all at once. */
typedef struct DpSlab DpSlab;

/* A part's block in the file. */
typedef struct DpLogPlace
{
	uint64_t	offset;
	uint32_t	used;			/* bytes of records; 0: there is none */
	uint32_t	form;			/* theirs */
} DpLogPlace;

typedef struct DpLogBlock
{
	union
	{
		struct DpLogBlock *next;
		uint64_t	place;		/* of the next, once others read them; 0: there is none */
	};
	uint32_t	used;			/* bytes of records */
	uint16_t	form;			/* DpRecordForm */
	uint16_t	size;			/* which of the two sizes it has */
	DpLogPlace	before;			/* as written: the part's block before this one */
	uint8_t		data[];
} DpLogBlock;

typedef struct DpLogPart
{
	uint8_t    *next;			/* where the next record goes, in the newest block */
	uint8_t    *end;			/* of that block */
	DpLogBlock *block;			/* in memory, newest first */
	DpLogPlace	last;			/* in the file */
	uint64_t	shared;			/* place of a block that others read, too; 0: there is none */
	uint64_t	records;		/* of all blocks but the newest in memory */
	uint32_t	blocks;			/* in memory */
	uint8_t		forms;			/* those that occur, a bit each */
	uint8_t		skip;			/* times that adding up is not tried */
	uint8_t		patience;		/* and the next time it does not help */
} DpLogPart;

/* Adding up records of the same identity, in the cache. */
typedef struct DpAddUp
{
	const DpMemory *memory;		/* NULL: nothing has been added up */
	const DpRecords *records;
	DpBuffer	record;			/* what is added up; and */
	size_t		size;			/* bytes of one; and */
	uint32_t	count;			/* how many there are; and */
	uint32_t	most;			/* of them */
	DpBuffer	place;			/* open addressing: numbers of records, from 1, uint32_t */
	uint32_t	places;			/* in use, a power of two */
} DpAddUp;

typedef struct DpLog
{
	DpMemory	memory;
	const DpFiles *files;
	DpRecords	records;
	DpRecordForm form;			/* of records to come */
	size_t		size;			/* of one of them */
	int			shift;			/* from a hash to a part's number */
	uint32_t	parts;			/* power of two */
	size_t		limit;			/* bytes of blocks */
	size_t		used;
	size_t		block_size[2];	/* of a part's first block, which is small, and others */
	DpLogBlock *free[2];
	DpSegments *segments;		/* memory that blocks are cut from; NULL: none; and */
	DpSlab	   *slabs;			/* what they are cut from else */
	void	   *file;			/* NULL: none yet */
	uint64_t	file_size;
	DpAddUp		add_up;
	DpLogPart  *part;
} DpLog;

/*
 * An empty log of records like these, by the bits of hashes behind the first `bits`,
 * in about so many bytes of memory.
 */
extern DpLog *dp_units_part_create(const DpMemory *memory, const DpFiles *files,
								   const DpRecords *records, DpRecordForm form, int bits, size_t limit);

/* Have an empty log in these segments, as far as they go. */
extern void dp_units_part_use_segments(DpLog *log, DpSegments *segments);

/*
 * Records that another process published, with parts like those of a log, in its segments and its
 * file; to be read only.
 */
extern DpLog *dp_units_part_attach(const DpLog *like, const DpRecords *records, const DpLogPart *part,
								   DpSegments *segments, void *file);

/* Let others read it, and write no more to it: what is not in segments goes to the file. */
extern void dp_units_part_publish(DpLog *log);

/* Give back all memory, and the file. */
extern void dp_units_part_destroy(DpLog *log);

/* Room for a record where there was none. */
extern uint8_t *dp_units_part_make_room(DpLog *log, DpLogPart *part);

/* From now on records have this form. */
extern void dp_units_part_set_form(DpLog *log, DpRecordForm form);

/* Write everything to the file; and give back the memory of blocks. */
extern void dp_units_part_close(DpLog *log);

/* Add up what a part has in memory, if that makes it less. */
extern void dp_units_part_add_up(DpLog *log, uint32_t part);

/* A part's number of records. */
extern uint64_t dp_units_part_count(const DpLog *log, uint32_t number);

/* Called with the records of a block. */
typedef void (*DpLogVisit) (void *context, const DpLog *log, DpRecordForm form,
							const uint8_t *records, uint32_t bytes);

/* Go through all records of a part, in any order. */
extern void dp_units_part_visit(DpLog *log, uint32_t number, DpLogVisit visit, void *context);

/* The same, and give them back if they are this log's. */
extern void dp_units_part_take(DpLog *log, uint32_t number, DpLogVisit visit, void *context);

/* Room for a record with this hash, of log->size bytes, to be written now. */
static DP_ALWAYS_INLINE uint8_t *
dp_units_part_room(DpLog *log, uint64_t hash)
{
	DpLogPart  *part = &log->part[(hash >> log->shift) & (log->parts - 1)];
	uint8_t    *at = part->next;

	if (__builtin_expect((size_t) (part->end - at) < log->size, 0))
		at = dp_units_part_make_room(log, part);
	part->next = at + log->size;
	return at;
}

/* Bytes in front of a record's data, and of all of it. */
static inline size_t
dp_units_record_data_at(const DpRecords *records, DpRecordForm form)
{
	return records->identity - (form <= DP_RECORD_MEDIUM ? records->spared : 0);
}

static inline size_t
dp_units_record_size(const DpRecords *records, DpRecordForm form)
{
	return dp_units_record_data_at(records, form) + records->data[form];
}

/* Begin with no record, with what was held before; no more than so many are made. */
extern void dp_units_add_up_begin(DpAddUp *add, const DpMemory *memory, const DpRecords *records, uint64_t most);

/* Add records of this form; false if there would be too many. */
extern bool dp_units_add_up_some(DpAddUp *add, DpRecordForm form, const uint8_t *record, size_t bytes);

/* Take a part, and add its records, of which there are not too many. */
extern void dp_units_add_up_part(DpAddUp *add, DpLog *log, uint32_t part);

/* The record of this identity; NULL if there is none, and none is to be made or there is no room. */
extern uint8_t *dp_units_add_up_find(DpAddUp *add, const uint8_t *identity, bool make);

/* The i-th record. */
static inline const uint8_t *
dp_units_add_up_at(const DpAddUp *add, uint32_t i)
{
	return (const uint8_t *) add->record.bytes + i * add->size;
}

/* Give back what is held. */
extern void dp_units_add_up_free(DpAddUp *add);

#endif							/* DP_UNITS_PARTITION_FILE_H */
