/*
 * shared_rows.c
 *	  What one process of a parallel plan collected, as others read it.
 */
#include "postgres.h"

#include "units/shared_rows.h"

void
dp_shared_publish_log(DpSharedLog *to, DpLog *log)
{
	if (log->parts > DP_SHARED_MOST_PARTS)
		elog(ERROR, "a log of units has too many parts");
	dp_log_close(log);
	to->file = dp_units_file_number(log->file);
	to->parts = log->parts;
	memcpy(to->part, log->part, log->parts * sizeof(DpLogPart));
}

/* Write down what the numbers of groups stand for. */
static void
publish_groups(DpSharedRows *to, DpCollect *collect)
{
	to->known_at = collect->keys.size;
	to->known = collect->wide ? collect->count : collect->groups.count;
	for (uint32 i = 0; i < to->known; i++)
	{
		const DpUnitsGroup *group = &collect->groups.group[i];

		if (collect->wide)
			dp_key_file_add(&collect->keys, &collect->ids[i], sizeof(DpUnitId));
		else
			dp_key_file_add(&collect->keys, dp_units_key(group), group->length);
	}
	dp_key_file_close(&collect->keys);
	to->key_file = dp_units_file_number(collect->keys.file);
	to->key_file_size = collect->keys.size;
}

void
dp_shared_publish(DpSharedRows *to, DpCollect *collect)
{
	to->wide = collect->wide;
	dp_shared_publish_log(&to->numbered, collect->numbered);
	if (collect->wide)
	{
		dp_shared_publish_log(&to->identified, collect->identified);
		dp_shared_publish_log(&to->keys_of_groups, collect->contributions.log);
	}
	publish_groups(to, collect);
}

/* A log of another process like one of this: all have the same memory, hence as many parts. */
static DpLog *
open_log(DpServerFiles *files, int process, const DpSharedLog *from, const DpLog *like,
		 const DpRecords *records)
{
	if (from->parts != like->parts)
		elog(ERROR, "logs of units have different parts");
	return dp_log_attach(like, records, from->part,
						 dp_units_open_file(files, process, from->file));
}

/* Learn what another process's numbers of groups stand for. */
static void
learn_groups(DpCollect *collect, const DpSharedRows *from, int process, DpKeyFile *keys,
			 DpOpenedRows *opened)
{
	const DpUnitsSpec *spec = collect->spec;
	uint64		place = from->known_at;

	if (collect->wide)
		opened->ids = palloc_extended((from->known + 1) * sizeof(DpUnitId), MCXT_ALLOC_HUGE);
	else
		opened->numbers = palloc_extended((from->known + 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < from->known; i++)
	{
		uint64		next;
		uint32		length;
		const uint8_t *key = dp_key_file_read(keys, place, &length, &next);

		if (!collect->wide)
			opened->numbers[i] = dp_units_intern(&collect->groups, key, length);
		else if (from->wide)
			memcpy(&opened->ids[i], key, sizeof(DpUnitId));
		else
		{
			opened->ids[i] = dp_group_id(&spec->secret, key, length);
			if (dp_group_key_is_long(&opened->ids[i]))
				dp_contributions_put_key(&collect->contributions, &opened->ids[i],
										 (place + 1) | (uint64) process << DP_KEY_PLACE_BITS);
		}
		place = next;
	}
}

void
dp_shared_open(const DpSharedRows *from, int process, DpServerFiles *files, DpCollect *collect,
			   DpKeyFile *keys, DpOpenedRows *opened)
{
	DpRecords	numbered = dp_take_records(collect->spec, false);
	DpRecords	identified = dp_take_records(collect->spec, true);

	keys->memory = collect->memory;
	keys->files = &files->files;
	keys->file = dp_units_open_file(files, process, from->key_file);
	keys->size = keys->written = from->key_file_size;
	opened->numbered = open_log(files, process, &from->numbered, collect->numbered, &numbered);
	learn_groups(collect, from, process, keys, opened);
	if (!from->wide)
		return;
	opened->identified = open_log(files, process, &from->identified, collect->numbered, &identified);
	opened->keys_of_groups = open_log(files, process, &from->keys_of_groups, collect->contributions.log,
									  &collect->contributions.log->records);
}

void
dp_shared_close(DpOpenedRows *opened)
{
	if (opened->numbered)
		dp_log_destroy(opened->numbered);
	if (opened->identified)
		dp_log_destroy(opened->identified);
	if (opened->keys_of_groups)
		dp_log_destroy(opened->keys_of_groups);
}
