/*
 * units_processes.h
 *	  Several processes that collect rows, read each other's logs, and take parts of all
 *	  of them, one after the other: what src/units/share.c does with a barrier between.
 *
 * Some have as many segments as they like, some a few, some none.  When rows have been read,
 * segments move: nothing may depend on where they are.
 */
#ifndef DP_UNITS_PROCESSES_H
#define DP_UNITS_PROCESSES_H

#include "units_model.h"

#include "units/known.h"

#define MOST_PROCESSES 4

typedef struct Process
{
	DpCollect	collect;
	DpSegments	segments;
	int			most;			/* of them */
	DpKnownGroups known;
} Process;

/* A process's logs as another one has opened them. */
typedef struct Opened
{
	DpLog	   *numbered;
	DpLog	   *identified;
	DpLog	   *keys_of_groups;
	uint32_t   *numbers;
	DpUnitId   *ids;
	uint32_t	known;			/* numbers or ids */
} Opened;

typedef struct Processes
{
	Process		process[MOST_PROCESSES];
	DpLogPart	numbered[MOST_PROCESSES][256];
	DpLogPart	identified[MOST_PROCESSES][256];
	DpLogPart	keys_of_groups[MOST_PROCESSES][256];
	int			count;
	uint32_t	next;			/* part */
	uint32_t	quota;			/* parts that the process whose turn it is will take */
	uint32_t	parts;
} Processes;

static inline void *
make_segment(void *context, size_t size)
{
	Process    *process = context;

	CLAIM(size > 0 && process->segments.size + size <= process->segments.limit);
	return process->segments.count < process->most ? world_allocate(NULL, size) : NULL;
}

/* A process, with segments or without. */
static inline void
begin_process(Process *process, const DpUnitsSpec *spec, uint32_t number)
{
	uint32_t	mode = data_below(3);

	process->most = mode == 0 ? DP_MOST_SEGMENTS : (int) data_below(3);
	process->segments.context = process;
	process->segments.make = make_segment;
	process->segments.limit = dp_units_log_limit(spec);
	dp_units_collect_create(&process->collect, &world_memory, &world_files, spec, number,
							mode == 1 ? NULL : &process->segments);
}

/* Let them be elsewhere, or nowhere. */
static inline void
move_segments(Process *process, bool elsewhere)
{
	for (int i = 0; i < process->segments.count; i++)
	{
		size_t		size = process->segments.segment[i].size;
		uint8_t    *old = process->segments.segment[i].base;

		process->segments.segment[i].base = elsewhere ? memcpy(world_allocate(NULL, size), old, size) : NULL;
		world_release(NULL, old, size);
	}
}

/* Write down all that a process has collected. */
static inline void
publish(Processes *all, int p)
{
	Process    *process = &all->process[p];
	DpCollect  *collect = &process->collect;

	dp_units_collect_write(collect);
	dp_units_part_publish(collect->numbered);
	memcpy(all->numbered[p], collect->numbered->part, collect->numbered->parts * sizeof(DpLogPart));
	if (collect->wide)
	{
		dp_units_part_publish(collect->identified);
		dp_units_part_publish(collect->contributions.log);
		memcpy(all->identified[p], collect->identified->part,
			   collect->identified->parts * sizeof(DpLogPart));
		memcpy(all->keys_of_groups[p], collect->contributions.log->part,
			   collect->contributions.log->parts * sizeof(DpLogPart));
	}
	dp_units_publish_known(&process->known, collect);
	dp_units_key_file_close(&collect->keys);
	collect->segments = NULL;
	move_segments(process, true);
}

/* Learn what a process's numbers of groups stand for. */
static inline void
learn_groups(DpCollect *to, const Process *from, int p, DpKeyFile *keys,
			 Opened *opened)
{
	opened->known = from->known.count;
	if (to->wide)
		opened->ids = world_allocate(NULL, (opened->known + 1) * sizeof(DpUnitId));
	else
		opened->numbers = world_allocate(NULL, (opened->known + 1) * sizeof(uint32_t));
	dp_units_learn_known(&from->known, to, &from->segments, keys, (uint32_t) p, opened->numbers, opened->ids);
}

/* Open what another process has collected. */
static inline void
open_process(const Case *test, Processes *all, DpCollect *to, int p, DpKeyFile *keys, Opened *opened)
{
	Process    *from = &all->process[p];
	DpRecords	numbered = dp_units_take_records(&test->spec, false);
	DpRecords	identified = dp_units_take_records(&test->spec, true);

	dp_units_key_file_create(keys, &world_memory, &world_files);
	keys->file = world_open_again(from->collect.keys.file);
	keys->size = keys->written = from->collect.keys.size;
	opened->numbered = dp_units_part_attach(to->numbered, &numbered, all->numbered[p], &from->segments,
											world_open_again(from->collect.numbered->file));
	learn_groups(to, from, p, keys, opened);
	if (!from->known.wide)
		return;
	opened->identified = dp_units_part_attach(to->numbered, &identified, all->identified[p], &from->segments,
											  world_open_again(from->collect.identified->file));
	opened->keys_of_groups = dp_units_part_attach(to->contributions.log, &to->contributions.log->records,
												  all->keys_of_groups[p], NULL,
												  world_open_again(from->collect.contributions.log->file));
}

static inline void
close_opened(Opened *opened)
{
	if (opened->numbered)
		dp_units_part_destroy(opened->numbered);
	if (opened->identified)
		dp_units_part_destroy(opened->identified);
	if (opened->keys_of_groups)
		dp_units_part_destroy(opened->keys_of_groups);
	if (opened->numbers)
		world_release(NULL, opened->numbers, (opened->known + 1) * sizeof(uint32_t));
	if (opened->ids)
		world_release(NULL, opened->ids, (opened->known + 1) * sizeof(DpUnitId));
}

static inline uint32_t
next_of_all(void *context)
{
	Processes  *all = context;

	if (all->quota == 0 || all->next == all->parts)
		return all->parts;
	all->quota--;
	return all->next++;
}

/* Where pairs are: not in memory that is counted. */
static DpLogPart process_pairs[MOST_PROCESSES][MEASURES][256];

/* Put down pairs of units and values; the last process goes through those of all. */
static inline void
count_process_values(Processes *all, int p)
{
	DpCollect  *collect = &all->process[p].collect;

	for (uint32_t measure = 0; measure < collect->spec->values; measure++)
	{
		DpLog	   *own = collect->pairs.log[measure];

		dp_units_part_publish(own);
		memcpy(process_pairs[p][measure], own->part, own->parts * sizeof(DpLogPart));
		for (int i = 0; p == all->count - 1 && i < p; i++)
		{
			void	   *file = all->process[i].collect.pairs.log[measure]->file;
			DpLog	   *other = dp_units_part_attach(own, &own->records, process_pairs[i][measure], NULL,
													 world_open_again(file));

			dp_units_pairs_add(&collect->pairs, measure, other);
			dp_units_part_destroy(other);
		}
	}
	if (p == all->count - 1)
		dp_units_collect_count_values(collect);
}

/* One process takes its share of the parts. */
static inline void
finish_process(Case *test, Processes *all, int p)
{
	DpCollect  *collect = &all->process[p].collect;
	Opened		opened[MOST_PROCESSES] = {{0}};
	DpKeyFile	keys[MOST_PROCESSES];
	DpLogSource source[2 * MOST_PROCESSES];
	DpLog	   *keys_of_groups[MOST_PROCESSES] = {collect->contributions.log};
	int			sources = 0;
	int			logs = 1;

	for (int i = 0; i < all->count; i++)
	{
		DpLog	   *identified = collect->identified;

		if (i != p)
		{
			open_process(test, all, collect, i, &keys[i], &opened[i]);
			identified = opened[i].identified;
			if (identified)
				keys_of_groups[logs++] = opened[i].keys_of_groups;
		}
		source[sources++] = (DpLogSource) {i == p ? collect->numbered : opened[i].numbered,
			opened[i].numbers, i == p ? collect->ids.bytes : opened[i].ids};
		if (identified)
			source[sources++] = (DpLogSource) {identified, NULL, NULL};
	}
	dp_units_key_file_close(&collect->keys);
	keys[p] = collect->keys;
	all->quota = p == all->count - 1 ? all->parts : data_below(all->parts);
	collect->pair_files = &world_files;
	dp_units_collect_take(collect, source, sources, next_of_all, all);
	if (test->spec.values > 0)
		count_process_values(all, p);
	if (collect->wide)
		dp_units_collect_visit_identified(collect, keys_of_groups, logs, keys, note_group, test);
	else
		dp_units_collect_visit_numbered(collect, note_group, test);
	collect->keys = keys[p];
	for (int i = 0; i < all->count; i++)
	{
		close_opened(&opened[i]);
		if (i != p)
			dp_units_key_file_destroy(&keys[i]);
	}
}

/* So many processes collect the rows; some of them widen, at that row at the latest. */
static inline void
run_processes(Case *test, int count, uint32_t widen_at)
{
	Processes  *all = world_allocate(NULL, sizeof(Processes));
	bool		wide = false;

	forget_found(test);
	test->spec.processes = all->count = count;
	for (int p = 0; p < count; p++)
		begin_process(&all->process[p], &test->spec, (uint32_t) p);
	all->parts = all->process[0].collect.numbered->parts;
	for (uint32_t i = 0; i < test->rows; i++)
	{
		uint32_t	p = data_below((uint32_t) count);

		collect_next(test, &all->process[p].collect, &test->row[i], i >= widen_at && p % 2 == 0);
	}
	for (int p = 0; p < count; p++)
	{
		if (p % 2 == 1)
			meet_groups(test, &all->process[p].collect);
		publish(all, p);
		wide = wide || all->process[p].collect.wide;
	}
	for (int p = 0; p < count; p++)
	{
		if (wide && !all->process[p].collect.wide)
			dp_units_collect_widen(&all->process[p].collect);
		finish_process(test, all, p);
	}
	for (int p = 0; p < count; p++)
	{
		dp_units_collect_destroy(&all->process[p].collect);
		move_segments(&all->process[p], false);
	}
	world_release(NULL, all, sizeof(Processes));
}

#endif							/* DP_UNITS_PROCESSES_H */
