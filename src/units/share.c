/* SPDX-License-Identifier: PostgreSQL */
/*
 * share.c
 *	  Rows of a parallel plan.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/barrier.h"
#include "storage/dsm.h"
#include "utils/wait_event.h"

#include "base/injection.h"
#include "units/known.h"
#include "units/share.h"

/* Logs have no more parts than this. */
#define DP_SHARED_MOST_PARTS 256

/* A log that others can read. */
typedef struct DpSharedLog
{
	int			file;			/* its file's number; -1: there is none */
	uint32		parts;
	DpLogPart	part[DP_SHARED_MOST_PARTS];
} DpSharedLog;

/* Rows that one process has collected. */
typedef struct DpSharedRows
{
	DpSharedLog numbered;
	DpSharedLog identified;
	DpSharedLog keys_of_groups; /* the places of long keys, by ids */
	int			key_file;		/* likewise its number */
	uint64		key_file_size;
	DpKnownGroups known;
	int			segments;
	dsm_handle	segment[DP_MOST_SEGMENTS];
} DpSharedRows;

/* Rows that another process collected, opened. */
typedef struct DpOpenedRows
{
	DpServerSegments segments;
	DpLog	   *numbered;
	DpLog	   *identified;
	DpLog	   *keys_of_groups;
	uint32	   *numbers;
	DpUnitId   *ids;
} DpOpenedRows;

/*
 * What one process of a parallel plan collected, as others read it.
 */

/* Let others read a log. */
static void
shared_publish_log(DpSharedLog *to, DpLog *log)
{
	if (log->parts > DP_SHARED_MOST_PARTS)
		elog(ERROR, "a log of units has too many parts");
	dp_units_part_publish(log);
	to->file = dp_files_number(log->file);
	to->parts = log->parts;
	memcpy(to->part, log->part, log->parts * sizeof(DpLogPart));
}

/* Let others read what was collected here. */
static void
shared_publish(DpSharedRows *to, DpCollect *collect)
{
	dp_units_collect_write(collect);
	shared_publish_log(&to->numbered, collect->numbered);
	if (collect->wide)
	{
		shared_publish_log(&to->identified, collect->identified);
		shared_publish_log(&to->keys_of_groups, collect->contributions.log);
	}
	dp_units_publish_known(&to->known, collect);
	dp_units_key_file_close(&collect->keys);
	to->key_file = dp_files_number(collect->keys.file);
	to->key_file_size = collect->keys.size;
	to->segments = dp_segments_handles((DpServerSegments *) collect->segments, to->segment);
	collect->segments = NULL;
}

/* A log of another process like one of this: all have the same memory, hence as many parts. */
static DpLog *
open_log(DpServerFiles *files, int process, const DpSharedLog *from, const DpLog *like,
		 const DpRecords *records, DpSegments *segments)
{
	if (from->parts != like->parts)
		elog(ERROR, "logs of units have different parts");
	return dp_units_part_attach(like, records, from->part, segments,
								dp_files_open(files, process, from->file));
}

/*
 * Open what another process collected, in files by its number, and learn what its numbers of groups
 * stand for.
 */
static void
shared_open(const DpSharedRows *from, int process, DpServerFiles *files, DpCollect *collect,
			DpKeyFile *keys, DpOpenedRows *opened)
{
	DpRecords	numbered = dp_units_take_records(collect->spec, false);
	DpRecords	identified = dp_units_take_records(collect->spec, true);
	DpSegments *segments = &opened->segments.segments;

	keys->memory = collect->memory;
	keys->files = &files->files;
	keys->file = dp_files_open(files, process, from->key_file);
	keys->size = keys->written = from->key_file_size;
	opened->numbered = open_log(files, process, &from->numbered, collect->numbered, &numbered, segments);
	if (collect->wide)
		opened->ids = palloc_extended((from->known.count + 1) * sizeof(DpUnitId), MCXT_ALLOC_HUGE);
	else
		opened->numbers = palloc_extended((from->known.count + 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	dp_units_learn_known(&from->known, collect, segments, keys, process, opened->numbers, opened->ids);
	if (!from->known.wide)
		return;
	opened->identified = open_log(files, process, &from->identified, collect->numbered, &identified,
								  segments);
	opened->keys_of_groups = open_log(files, process, &from->keys_of_groups, collect->contributions.log,
									  &collect->contributions.log->records, NULL);
}

/* Close the rows, all of whose parts have been taken. */
static void
close_rows(DpOpenedRows *opened)
{
	if (opened->numbered)
		dp_units_part_destroy(opened->numbered);
	if (opened->identified)
		dp_units_part_destroy(opened->identified);
	dp_segments_leave(&opened->segments);
}

struct DpUnitsShared
{
	Barrier		read;			/* phase 0: rows are being read */
	pg_atomic_uint32 readers;	/* processes that read rows: numbered from 0; and */
	pg_atomic_uint32 late;		/* those that came when all were read: numbered behind these */
	pg_atomic_uint32 next;		/* part to be taken */
	pg_atomic_uint32 taking;	/* processes that take parts and have not put down pairs yet */
	pg_atomic_uint32 counted;	/* has anybody begun to count distinct values? */
	int			processes;		/* at most */
	int			values;			/* measures of distinct values */
	SharedFileSet files;
	dsm_handle	segment;
	DpUnitsSecret secret;
	DpSharedRows rows[FLEXIBLE_ARRAY_MEMBER];	/* then a DpSharedLog of pairs per process and
												 * such measure */
};

Size
dp_units_shared_size(int workers, int values)
{
	return offsetof(DpUnitsShared, rows) +
		(workers + 1) * (sizeof(DpSharedRows) + values * sizeof(DpSharedLog));
}

/* The pairs that a process put down, of the measures with values. */
static DpSharedLog *
pairs_of(DpUnitsShared *shared, int process)
{
	return (DpSharedLog *) &shared->rows[shared->processes] + process * shared->values;
}

void
dp_units_share(DpUnitsShared *shared, ParallelContext *context, const DpUnitsSpec *spec)
{
	BarrierInit(&shared->read, 0);
	pg_atomic_init_u32(&shared->readers, 0);
	pg_atomic_init_u32(&shared->next, 0);
	pg_atomic_init_u32(&shared->late, 0);
	pg_atomic_init_u32(&shared->taking, 0);
	pg_atomic_init_u32(&shared->counted, 0);
	shared->values = spec->values;
	shared->processes = context->nworkers + 1;
	for (int i = 0; i < shared->processes * shared->values; i++)
		pairs_of(shared, 0)[i].file = -1;
	SharedFileSetInit(&shared->files, context->seg);
	shared->segment = dsm_segment_handle(context->seg);
	shared->secret = spec->secret;
}

void
dp_units_attach(DpUnitsShared *shared)
{
	SharedFileSetAttach(&shared->files, dsm_find_mapping(shared->segment));
}

void
dp_units_share_join(DpShare *share, DpUnitsShared *shared, MemoryContext context, DpUnitsSpec *spec)
{
	spec->secret = shared->secret;
	spec->processes = shared->processes;
	share->shared = shared;
	share->late = BarrierAttach(&shared->read) > 0;
	share->process = !share->late ? pg_atomic_fetch_add_u32(&shared->readers, 1)
		: pg_atomic_read_u32(&shared->readers) + pg_atomic_fetch_add_u32(&shared->late, 1);
	dp_segments_use(&share->segments, dp_units_log_limit(spec));
	dp_files_use(&share->files, context, &shared->files, share->process);
	dp_files_use(&share->own_files, context, NULL, 0);
}

/* Has any process met too many groups for numbers? */
static bool
any_is_wide(const DpUnitsShared *shared, int readers)
{
	for (int i = 0; i < readers; i++)
		if (shared->rows[i].known.wide)
			return true;
	return false;
}

/* The next part that nobody has taken. */
static uint32
next_part(void *context)
{
	return pg_atomic_fetch_add_u32(context, 1);
}

/* Take parts of what all processes collected. */
static void
take_parts(DpShare *share, DpCollect *collect, const DpOpenedRows *opened, int readers)
{
	DpLogSource *source = palloc0(2 * readers * sizeof(DpLogSource));
	int			sources = 0;

	for (int i = 0; i < readers; i++)
	{
		bool		own = i == share->process;
		DpLog	   *identified = own ? collect->identified : opened[i].identified;

		source[sources++] = (DpLogSource)
		{
			own ? collect->numbered : opened[i].numbered, opened[i].numbers,
				own ? collect->ids.bytes : opened[i].ids
		};
		if (identified)
			source[sources++] = (DpLogSource) {identified, NULL, NULL};
	}
	dp_units_collect_take(collect, source, sources, next_part, &share->shared->next);
	pfree(source);
}

/* Add the pairs that another process put down, if it did, to those of this one. */
static void
add_pairs(DpShare *share, DpCollect *collect, int process)
{
	for (uint32 i = 0; i < collect->spec->values; i++)
	{
		const DpSharedLog *from = &pairs_of(share->shared, process)[i];
		DpLog	   *own = collect->pairs.log[i];
		DpLog	   *other;

		if (from->file < 0)
			continue;
		other = open_log(&share->files, process, from, own, &own->records, NULL);
		dp_units_pairs_add(&collect->pairs, i, other);
		dp_units_part_destroy(other);
	}
}

/*
 * Count distinct values, if this process is the last to put down pairs: so nobody waits.
 * One that begins to take when all parts are taken puts none down, whoever counts.
 */
static void
count_values(DpShare *share, DpCollect *collect)
{
	DpUnitsShared *shared = share->shared;

	for (uint32 i = 0; i < collect->spec->values; i++)
		shared_publish_log(&pairs_of(shared, share->process)[i], collect->pairs.log[i]);
	if (pg_atomic_fetch_sub_u32(&shared->taking, 1) != 1 ||
		pg_atomic_fetch_add_u32(&shared->counted, 1) != 0)
		return;
	for (int i = 0; i < shared->processes; i++)
		if (i != share->process)
			add_pairs(share, collect, i);
	dp_units_collect_count_values(collect);
}

/* Attach the segments of all others; false if one is gone, as it is when no part is left. */
static bool
attach_rows(DpShare *share, DpOpenedRows *opened, int readers)
{
	DpUnitsShared *shared = share->shared;

	for (int i = 0; i < readers; i++)
	{
		const DpSharedRows *rows = &shared->rows[i];

		if (i == share->process || dp_segments_attach(&opened[i].segments, rows->segment, rows->segments))
			continue;
		if (pg_atomic_read_u32(&shared->next) < shared->rows[i].numbered.parts)
			elog(ERROR, "rows of units are gone");
		return false;
	}
	return true;
}

/* Open what all have collected, with their keys and those of this process. */
static int
open_rows(DpShare *share, DpCollect *collect, DpOpenedRows *opened, int readers, DpKeyFile *keys,
		  DpLog **keys_of_groups)
{
	int			count = 1;

	keys_of_groups[0] = collect->contributions.log;
	for (int i = 0; i < readers; i++)
	{
		if (i != share->process)
			shared_open(&share->shared->rows[i], i, &share->files, collect, &keys[i], &opened[i]);
		if (opened[i].keys_of_groups)
			keys_of_groups[count++] = opened[i].keys_of_groups;
	}
	dp_units_key_file_close(&collect->keys);
	keys[collect->process] = collect->keys;
	return count;
}

/* Add up what this process comes to. */
static void
finish(DpShare *share, DpCollect *collect, DpOpenedRows *opened, int readers, DpKeyVisit visit, void *context)
{
	DpKeyFile  *keys = palloc0(share->shared->processes * sizeof(DpKeyFile));
	DpLog	  **keys_of_groups = palloc((readers + 1) * sizeof(DpLog *));
	int			count = open_rows(share, collect, opened, readers, keys, keys_of_groups);

	take_parts(share, collect, opened, readers);
	for (int i = 0; i < readers; i++)
		close_rows(&opened[i]);
	dp_segments_leave(&share->segments);
	if (collect->spec->values > 0)
		count_values(share, collect);
	if (collect->wide)
		dp_units_collect_visit_identified(collect, keys_of_groups, count, keys, visit, context);
	else
		dp_units_collect_visit_numbered(collect, visit, context);
	for (int i = 1; i < count; i++)
		dp_units_part_destroy(keys_of_groups[i]);
	collect->keys = keys[collect->process];
	for (int i = 0; i < readers; i++)
		if (i != share->process)
			dp_units_key_file_destroy(&keys[i]);
}

/* Is there nothing left to do for a process that came late? */
static bool
comes_too_late(const DpShare *share, const DpCollect *collect)
{
	return share->late &&
		pg_atomic_read_u32(&share->shared->next) >= collect->numbered->parts;
}

void
dp_units_share_finish(DpShare *share, DpCollect *collect, DpKeyVisit visit, void *context)
{
	DpUnitsShared *shared = share->shared;
	DpOpenedRows *opened;
	int			readers;

	if (!share->late)
	{
		shared_publish(&shared->rows[share->process], collect);
		BarrierArriveAndWait(&shared->read, PG_WAIT_EXTENSION);
	}
	BarrierDetach(&shared->read);
	DP_INJECTION_POINT("rows_read");
	readers = pg_atomic_read_u32(&shared->readers);
	opened = palloc0(readers * sizeof(DpOpenedRows));
	if (!comes_too_late(share, collect) && attach_rows(share, opened, readers))
	{
		collect->files = collect->contributions.files = &share->own_files.files;
		pg_atomic_fetch_add_u32(&shared->taking, 1);
		collect->pair_files = &share->files.files;
		if (any_is_wide(shared, readers) && !collect->wide)
			dp_units_collect_widen(collect);
		finish(share, collect, opened, readers, visit, context);
	}
	for (int i = 0; i < readers; i++)
		dp_segments_leave(&opened[i].segments);
	dp_segments_leave(&share->segments);
}
