/*
 * spill.c
 *	  Temporary files of units.
 *
 * A unit's record for each of its groups: a word of the group's number and what is
 * told with it, the length and bytes of the key if they are, the unit's id unless it
 * is the same as in the record before, and accumulators.
 * A key's record: its length, accumulators, the key.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "units/spill.h"

/* A file's buffer, more or less. */
#define FILE_MEMORY ((Size) 10 * 1024)

/* A record's words and the unit's id take no more bytes. */
#define MOST_HEAD (2 * sizeof(uint32) + sizeof(DpUnitId))

#define LEAST_BITS 3
#define MOST_BITS 6

/* Told with a group's number, besides what keys.h says. */
#define SAME_UNIT DP_KEYS_CALLERS

StaticAssertDecl(DP_UNITS_MOST_GROUPS + DP_UNITS_BATCH <= DP_KEYS_NUMBER, "a group's number fits its bits");
StaticAssertDecl(1 << MOST_BITS <= 64, "files are known by the bits of a word");

/* Make a buffer large enough. */
static void
reserve(char **buffer, Size *buffer_size, Size size)
{
	if (size <= *buffer_size)
		return;
	*buffer_size = size * 2;
	*buffer = *buffer == NULL ? palloc_extended(*buffer_size, MCXT_ALLOC_HUGE)
		: repalloc_huge(*buffer, *buffer_size);
}

/* Room for a record that will be written to a file. */
static char *
begin_record(DpSpill *spill, uint32 partition, Size size)
{
	reserve(&spill->record, &spill->record_size, size);
	if (spill->file[partition] == NULL)
		spill->file[partition] = BufFileCreateTemp(false);
	return spill->record;
}

/* Append to a record. */
static inline char *
put(char *to, const void *bytes, Size size)
{
	return (char *) memcpy(to, bytes, size) + size;
}

static void
write_record(DpSpill *spill, uint32 partition, const char *end)
{
	BufFileWrite(spill->file[partition], spill->record, end - spill->record);
}

/* Is this the unit of the last record, if there is one? */
static inline bool
is_last_unit(const DpSpill *spill, uint32 partition, const DpUnitId *id)
{
	return spill->file[partition] != NULL && spill->last.word[0] == id->word[0] &&
		(spill->id_words == 1 || spill->last.word[1] == id->word[1]);
}

/* Write a unit's rows in one group to the unit's partition. */
static void
take(DpUnitsSink *sink, const DpUnitId *id, uint32_t partition, const DpUnitsGroups *groups,
	 uint32_t number, const uint8_t *accumulators)
{
	DpSpill    *spill = (DpSpill *) sink;
	const DpUnitsGroup *group = &groups->group[number];
	uint32		told = dp_keys_tell(&spill->written, groups, number, partition);
	char	   *to;

	told |= number | (is_last_unit(spill, partition, id) ? SAME_UNIT : 0);
	to = begin_record(spill, partition,
					  MOST_HEAD + spill->acc_size + (told & DP_KEYS_NEW ? group->length : 0));
	to = put(to, &told, sizeof(told));
	if (told & DP_KEYS_NEW)
	{
		to = put(to, &group->length, sizeof(uint32));
		to = put(to, dp_units_key(group), group->length);
	}
	if (!(told & SAME_UNIT))
		to = put(to, id->word, spill->id_words * sizeof(uint64));
	to = put(to, accumulators, spill->acc_size);
	write_record(spill, partition, to);
	spill->last = *id;
}

void
dp_spill_put(DpSpill *spill, const DpSipKey *secret, const void *key, uint32 length,
			 const void *accumulators)
{
	uint32		partition = dp_sip64(secret, key, length) >> (64 - spill->sink.partition_bits);
	char	   *to = begin_record(spill, partition, MOST_HEAD + spill->acc_size + (Size) length);

	to = put(to, &length, sizeof(length));
	to = put(to, accumulators, spill->acc_size);
	to = put(to, key, length);
	write_record(spill, partition, to);
}

DpSpill *
dp_spill_create(const DpUnitsSpec *spec, int acc_size)
{
	DpSpill    *spill = palloc0(sizeof(DpSpill));
	int			bits = LEAST_BITS;

	/* A quarter of the memory for buffers is enough. */
	while (bits < MOST_BITS && (FILE_MEMORY << (bits + 1)) <= spec->limit / 4)
		bits++;
	spill->sink.take = take;
	spill->sink.partition_bits = bits;
	spill->id_words = spec->id_words;
	spill->acc_size = acc_size;
	spill->partitions = 1 << bits;
	spill->file = palloc0(spill->partitions * sizeof(BufFile *));
	return spill;
}

/* A file ends within a record. */
static pg_noinline void
raise_short_read(void)
{
	ereport(ERROR,
			(errcode_for_file_access(),
			 errmsg("could not read from a temporary file")));
}

/* See to it that so many bytes of a file are there from start on; false at its end. */
static inline bool
fetch(DpSpill *spill, BufFile *file, Size size)
{
	if (likely(spill->end - spill->start >= size))
		return true;
	reserve(&spill->input, &spill->input_size, Max(size, BLCKSZ));
	spill->end -= spill->start;
	memmove(spill->input, spill->input + spill->start, spill->end);
	spill->start = 0;
	spill->end += BufFileRead(file, spill->input + spill->end, spill->input_size - spill->end);
	if (spill->end > 0 && spill->end < size)
		raise_short_read();
	return spill->end > 0;
}

void
dp_spill_rewind(DpSpill *spill, int partition)
{
	spill->start = spill->end = 0;
	if (spill->file[partition] &&
		BufFileSeek(spill->file[partition], 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind a temporary file")));
}

/* The next so many bytes of a record. */
static inline const char *
get(DpSpill *spill, BufFile *file, Size size)
{
	if (unlikely(!fetch(spill, file, size)))
		raise_short_read();
	spill->start += size;
	return spill->input + spill->start - size;
}

/* A group that a file names for the first time. */
static pg_noinline uint32
learn_group(DpSpill *spill, BufFile *file, uint32 told, DpUnitsGroups *groups)
{
	uint32		length;

	memcpy(&length, get(spill, file, sizeof(length)), sizeof(length));
	return dp_keys_learn(&spill->read, groups, told, get(spill, file, length), length);
}

/* Put the next record into the table; false at the end. */
static inline bool
read_record(DpSpill *spill, BufFile *file, DpUnits *units)
{
	Size		id_size = spill->id_words * sizeof(uint64);
	uint32		told;
	uint32		group;

	if (!fetch(spill, file, sizeof(told)))
		return false;
	memcpy(&told, get(spill, file, sizeof(told)), sizeof(told));
	if (unlikely(told & DP_KEYS_NEW))
		group = learn_group(spill, file, told, dp_units_groups(units));
	else
		group = dp_keys_group(&spill->read, dp_units_groups(units), told & DP_KEYS_NUMBER);
	if (!(told & SAME_UNIT))
		memcpy(spill->last.word, get(spill, file, id_size), id_size);
	dp_units_combine(units, &spill->last, group, (const uint8_t *) get(spill, file, spill->acc_size));
	return true;
}

bool
dp_spill_next(DpSpill *spill, int partition, const char **key, uint32 *length,
			  void *accumulators)
{
	BufFile    *file = spill->file[partition];

	if (!fetch(spill, file, sizeof(*length)))
		return false;
	memcpy(length, get(spill, file, sizeof(*length)), sizeof(*length));
	memcpy(accumulators, get(spill, file, spill->acc_size), spill->acc_size);
	*key = get(spill, file, *length);
	return true;
}

bool
dp_spill_read(DpSpill *spill, int partition, DpUnits *units)
{
	BufFile    *file = spill->file[partition];

	if (file == NULL)
		return false;
	while (read_record(spill, file, units))
	{
		if (!dp_units_must_flush(units))
			continue;
		CHECK_FOR_INTERRUPTS();
		dp_units_flush(units);
		if (dp_units_is_full(units))
			return true;
	}
	return false;
}

void
dp_spill_close(DpSpill *spill, int partition)
{
	if (spill->file[partition])
		BufFileClose(spill->file[partition]);
	spill->file[partition] = NULL;
	dp_keys_forget(&spill->read);
}
