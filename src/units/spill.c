/*
 * spill.c
 *	  Temporary files of units.
 *
 * A record: the length of the key, the unit's id, its accumulators, the key.
 */
#include "postgres.h"

#include <fcntl.h>

#include "miscadmin.h"

#include "units/rows.h"
#include "units/spill.h"

/* A file's buffer, more or less. */
#define FILE_MEMORY ((Size) 10 * 1024)

#define LEAST_BITS 3
#define MOST_BITS 6

static Size
head_size(const DpSpill *spill)
{
	return sizeof(uint32) + spill->id_words * sizeof(uint64) + spill->acc_size;
}

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

/* Name of a shared file. */
static void
name_file(char *name, int partition, int writer)
{
	snprintf(name, MAXPGPATH, "units%d.%d", partition, writer);
}

static BufFile *
create_file(const DpSpill *spill, int partition)
{
	char		name[MAXPGPATH];

	if (spill->set == NULL)
		return BufFileCreateTemp(false);
	name_file(name, partition, spill->writer);
	return BufFileCreateFileSet(spill->set, name);
}

static void
write_record(DpSpill *spill, const DpUnitId *id, uint32_t partition, const void *key,
			 uint32 length, const void *accumulators)
{
	Size		id_size = spill->id_words * sizeof(uint64);
	char	   *to;

	reserve(&spill->record, &spill->record_size, head_size(spill) + length);
	if (spill->file[partition] == NULL)
		spill->file[partition] = create_file(spill, partition);
	to = spill->record;
	memcpy(to, &length, sizeof(uint32));
	to += sizeof(uint32);
	memcpy(to, id->word, id_size);
	to += id_size;
	memcpy(to, accumulators, spill->acc_size);
	to += spill->acc_size;
	memcpy(to, key, length);
	BufFileWrite(spill->file[partition], spill->record, head_size(spill) + length);
}

/* Write a unit's rows in one group to the unit's partition. */
static void
take(DpUnitsSink *sink, const DpUnitId *id, uint32_t partition, const DpUnitsGroup *group,
	 const uint8_t *accumulators)
{
	write_record((DpSpill *) sink, id, partition, dp_units_key(group), group->length,
				 accumulators);
}

void
dp_spill_put(DpSpill *spill, const DpSipKey *secret, const void *key, uint32 length,
			 const void *accumulators)
{
	DpUnitId	none = {{0, 0}};
	uint64		digest = dp_sip64(secret, key, length);

	write_record(spill, &none, digest >> (64 - spill->sink.partition_bits), key, length,
				 accumulators);
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
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file")));
	return spill->end > 0;
}

/* Numbers of groups that have a single key passed by value, by their keys. */
typedef struct GroupCache
{
	char		key[DP_KEY_CACHE][1 + sizeof(Datum)];
	uint32		group[DP_KEY_CACHE];	/* DP_NO_GROUP: nothing cached */
} GroupCache;

/* The number of the group with this key. */
static inline uint32
find_group(GroupCache *cache, DpUnits *units, const char *key, uint32 length)
{
	uint64		word;
	uint32		place;

	if (length != sizeof(cache->key[0]))
		return dp_units_intern(dp_units_groups(units), key, length);
	memcpy(&word, key + 1, sizeof(word));
	place = dp_units_cache_place(word);
	if (unlikely(cache->group[place] == DP_NO_GROUP ||
				 memcmp(cache->key[place], key, sizeof(cache->key[0])) != 0))
	{
		cache->group[place] = dp_units_intern(dp_units_groups(units), key, length);
		memcpy(cache->key[place], key, sizeof(cache->key[0]));
	}
	return cache->group[place];
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

/* The next record, and the length of its key; NULL at the end. */
static inline const char *
next_record(DpSpill *spill, BufFile *file, uint32 *length)
{
	Size		head = head_size(spill);
	Size		start;

	if (!fetch(spill, file, head))
		return NULL;
	memcpy(length, spill->input + spill->start, sizeof(*length));
	(void) fetch(spill, file, head + *length);
	start = spill->start;
	spill->start += head + *length;
	return spill->input + start;
}

/* Put the next record into the table; false at the end. */
static inline bool
read_record(DpSpill *spill, BufFile *file, GroupCache *cache, DpUnits *units)
{
	Size		id_size = spill->id_words * sizeof(uint64);
	DpUnitId	id = {{0, 0}};
	uint32		length;
	uint32		group;
	const char *from = next_record(spill, file, &length);

	if (from == NULL)
		return false;
	group = find_group(cache, units, from + head_size(spill), length);
	from += sizeof(length);
	memcpy(id.word, from, id_size);
	dp_units_combine(units, &id, group, (const uint8_t *) from + id_size);
	return true;
}

bool
dp_spill_next(DpSpill *spill, int partition, const char **key, uint32 *length,
			  void *accumulators)
{
	const char *from = next_record(spill, spill->file[partition], length);

	if (from == NULL)
		return false;
	*key = from + head_size(spill);
	memcpy(accumulators, *key - spill->acc_size, spill->acc_size);
	return true;
}

bool
dp_spill_read(DpSpill *spill, int partition, DpUnits *units)
{
	BufFile    *file = spill->file[partition];
	GroupCache	cache;

	if (file == NULL)
		return false;
	memset(cache.group, 0xFF, sizeof(cache.group));
	while (read_record(spill, file, &cache, units))
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
}

void
dp_spill_share(DpSpill *spill, FileSet *set, int writer)
{
	spill->set = set;
	spill->writer = writer;
}

void
dp_spill_export(DpSpill *spill)
{
	for (int i = 0; i < spill->partitions; i++)
	{
		if (spill->file[i])
			BufFileExportFileSet(spill->file[i]);
		dp_spill_close(spill, i);
	}
}

void
dp_spill_import(DpSpill *spill, int partition, int writer)
{
	char		name[MAXPGPATH];

	spill->start = spill->end = 0;
	name_file(name, partition, writer);
	spill->file[partition] = BufFileOpenFileSet(spill->set, name, O_RDONLY, true);
}
