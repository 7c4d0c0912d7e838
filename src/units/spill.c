/*
 * spill.c
 *	  Temporary files of units.
 *
 * A record: the length of the key, the unit's id, its accumulators, the key.
 */
#include "postgres.h"

#include <fcntl.h>

#include "miscadmin.h"

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

/* Make the scratch space as large as a record. */
static void
reserve(DpSpill *spill, Size size)
{
	if (size <= spill->record_size)
		return;
	spill->record_size = size * 2;
	spill->record = spill->record == NULL ? palloc_extended(spill->record_size, MCXT_ALLOC_HUGE)
		: repalloc_huge(spill->record, spill->record_size);
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

/* Write a unit's rows in one group to the unit's partition. */
static void
take(DpUnitsSink *sink, const DpUnitId *id, uint32_t partition, const DpUnitsGroup *group,
	 const uint8_t *accumulators)
{
	DpSpill    *spill = (DpSpill *) sink;
	Size		id_size = spill->id_words * sizeof(uint64);
	char	   *to;

	reserve(spill, head_size(spill) + group->length);
	if (spill->file[partition] == NULL)
		spill->file[partition] = create_file(spill, partition);
	to = spill->record;
	memcpy(to, &group->length, sizeof(uint32));
	to += sizeof(uint32);
	memcpy(to, id->word, id_size);
	to += id_size;
	memcpy(to, accumulators, spill->acc_size);
	to += spill->acc_size;
	memcpy(to, group->key, group->length);
	BufFileWrite(spill->file[partition], spill->record, head_size(spill) + group->length);
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

/* Read so many bytes; false at the end of the file. */
static bool
read_bytes(BufFile *file, char *to, Size size, bool may_end)
{
	Size		got = BufFileRead(file, to, size);

	if (got == 0 && may_end)
		return false;
	if (got != size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file")));
	return true;
}

void
dp_spill_rewind(DpSpill *spill, int partition)
{
	if (spill->file[partition] &&
		BufFileSeek(spill->file[partition], 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind a temporary file")));
}

bool
dp_spill_read(DpSpill *spill, int partition, DpUnits *units)
{
	BufFile    *file = spill->file[partition];
	Size		head = head_size(spill);

	if (file == NULL)
		return false;
	for (;;)
	{
		DpUnitId	id = {{0, 0}};
		uint32		length;
		uint32		group;
		char	   *from;

		reserve(spill, head);
		if (!read_bytes(file, spill->record, head, true))
			return false;
		memcpy(&length, spill->record, sizeof(length));
		reserve(spill, head + length);
		if (length > 0)
			read_bytes(file, spill->record + head, length, false);
		from = spill->record + sizeof(length);
		memcpy(id.word, from, spill->id_words * sizeof(uint64));
		from += spill->id_words * sizeof(uint64);
		group = dp_units_intern(dp_units_groups(units), spill->record + head, length);
		dp_units_combine(units, &id, group, (const uint8_t *) from);
		if (!dp_units_must_flush(units))
			continue;
		CHECK_FOR_INTERRUPTS();
		dp_units_flush(units);
		if (dp_units_is_full(units))
			return true;
	}
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

	name_file(name, partition, writer);
	spill->file[partition] = BufFileOpenFileSet(spill->set, name, O_RDONLY, true);
}
