/* SPDX-License-Identifier: PostgreSQL */
/*
 * collect.h
 *	  The road of rows in one process: they are collected in a log by parts of the units,
 *	  which are then taken one by one.
 *
 * Plain C: no server header.
 *
 * Groups are numbered, and their totals are in memory, while these take no more than
 * their share of it.  From then on rows are collected with the ids of their groups, and
 * what units contribute goes to a second log.
 */
#ifndef DP_UNITS_COLLECT_H
#define DP_UNITS_COLLECT_H

#include "units/direct.h"
#include "units/groups.h"
#include "units/key_file.h"
#include "units/take.h"

typedef struct DpCollect
{
	DpMemory	memory;
	const DpFiles *files;
	const DpUnitsSpec *spec;
	uint32_t	process;		/* its number */
	DpUnitsGroups groups;		/* numbered; once there are too many, those whose keys were
								 * written */
	DpDirect	direct;			/* units, if there is one group, until they are in the log of rows */
	DpSegments *segments;		/* what logs of rows are cut from, while others may come to read
								 * them; or NULL */
	DpLog	   *numbered;		/* rows whose groups are numbers */
	bool		wide;			/* there are too many groups */
	DpLog	   *identified;		/* then: rows whose groups are ids */
	DpBuffer	ids;			/* DpUnitId, of the groups that were numbered */
	uint32_t	count;			/* of these */
	DpContributions contributions;	/* then; and if there are too many cells for an array */
	DpKeyFile	keys;
	DpPairs		pairs;			/* of units and values, once parts are taken */
	const DpFiles *pair_files;	/* files for them that other processes read; or NULL */
	DpBuffer	pair_ids;		/* then: ids of groups that are numbered; and */
	DpUnitsGroups pair_groups;	/* these by ids, with the same numbers */
	DpBuffer	value_totals;	/* scratch: of a value that counts */
	DpWeights	weights;		/* of the cells of groups that are numbered, once parts are taken */
} DpCollect;

/* Called with a group that some unit counts in. */
typedef void (*DpKeyVisit) (void *context, const uint8_t *key, uint32_t length,
							const DpGroupTotals *totals);

/* Rows to be collected by the process with this number, from 0; in these segments, if any. */
extern void dp_units_collect_create(DpCollect *collect, const DpMemory *memory, const DpFiles *files,
									const DpUnitsSpec *spec, uint32_t process, DpSegments *segments);
extern void dp_units_collect_destroy(DpCollect *collect);

/* Do groups take more than their share?  Then they get ids, and must be asked for so. */
extern bool dp_units_collect_is_full(const DpCollect *collect);
extern void dp_units_collect_widen(DpCollect *collect);

/* A group's id, for its key. */
extern DpUnitId dp_units_collect_identify(DpCollect *collect, const void *key, uint32_t length);

/* Where its key is, if it is long and this process has met it; see dp_units_contributions_put. */
extern DpKeyPlace dp_units_collect_key_place(DpCollect *collect, const DpUnitId *id, const void *key,
											 uint32_t length);

/* All rows are there: write those that are in a table of units to the log, which other processes read. */
extern void dp_units_collect_write(DpCollect *collect);

/* Take the parts that `next` names, until there is none of that number, from these sources. */
extern void dp_units_collect_take(DpCollect *collect, const DpLogSource *source, int sources,
								  uint32_t (*next) (void *context), void *context);

/*
 * Count distinct values, if any do: once for all units, by one process that has all their
 * pairs.
 */
extern void dp_units_collect_count_values(DpCollect *collect);

/* Add up all rows, of this process alone, and go through all groups. */
extern void dp_units_collect_finish(DpCollect *collect, DpKeyVisit visit, void *context);

/* Go through groups with their totals: where these are numbers, and where they are ids. */
extern void dp_units_collect_visit_numbered(DpCollect *collect, DpKeyVisit visit, void *context);
extern void dp_units_collect_visit_identified(DpCollect *collect, DpLog *const *log, int count,
											  DpKeyFile *keys, DpKeyVisit visit, void *context);

/*
 * Begin a record of this form: its unit, as records have it, and its group of so many bytes.  Data follow.
 * NULL if the group does not fit the form.
 */
static DP_ALWAYS_INLINE uint8_t *
dp_units_collect_begin(DpCollect *collect, DpLog *log, DpRecordForm form, const DpUnitId *unit, const void *group,
					   size_t group_size)
{
	uint8_t    *record = dp_units_part_room(log, unit->word[0]);

	dp_units_record_put_unit(collect->spec, record, unit);
	record += dp_units_record_group_at(collect->spec);
	if (form <= DP_RECORD_MEDIUM && group_size > 0)
	{
		uint32_t	number = dp_units_acc_load32(group);
		uint16_t	narrow = (uint16_t) number;

		memcpy(record, &narrow, sizeof(narrow));
		return narrow == number ? record + sizeof(narrow) : NULL;
	}
	memcpy(record, group, group_size);
	return record + group_size;
}

/* Write a row in this form: places, behind its unit and its group of so many bytes; false if it does not fit. */
static DP_ALWAYS_INLINE bool
dp_units_collect_put_form(DpCollect *collect, DpLog *log, DpRecordForm form, const DpUnitId *unit, const void *group,
						  size_t group_size, const int64_t *places)
{
	uint8_t    *data = dp_units_collect_begin(collect, log, form, unit, group, group_size);

	return data && dp_units_record_put(collect->spec, form, places, data);
}

/* Write a row, in the first form that it fits. */
static DP_ALWAYS_INLINE void
dp_units_collect_put(DpCollect *collect, DpLog *log, const DpUnitId *unit, const void *group, size_t group_size,
					 const int64_t *places)
{
	for (;;)
	{
		if (log->form == DP_RECORD_NARROW ?
			dp_units_collect_put_form(collect, log, DP_RECORD_NARROW, unit, group, group_size, places)
			: log->form == DP_RECORD_MEDIUM ?
			dp_units_collect_put_form(collect, log, DP_RECORD_MEDIUM, unit, group, group_size, places)
			: log->form == DP_RECORD_SHORT ?
			dp_units_collect_put_form(collect, log, DP_RECORD_SHORT, unit, group, group_size, places)
			: dp_units_collect_put_form(collect, log, DP_RECORD_LONG, unit, group, group_size, places))
			return;
		log->part[(unit->word[0] >> log->shift) & (log->parts - 1)].next -= log->size;
		dp_units_part_set_form(log, log->form + 1);
	}
}

/* Write rows that are added up: accumulators, likewise. */
static inline void
dp_units_collect_put_added(DpCollect *collect, DpLog *log, const DpUnitId *unit, const void *group,
						   size_t group_size, const uint8_t *acc)
{
	DpUnitId	known = dp_units_record_id(collect->spec, unit);

	memcpy(dp_units_collect_begin(collect, log, DP_RECORD_ADDED, &known, group, group_size), acc,
		   collect->spec->acc_size);
}

/* Add the rows that wait for the table of units. */
extern void dp_units_collect_look_up(DpCollect *collect);

/* Add rows of the one group to the table of units, if that is in use: units become what records have of them. */
static DP_ALWAYS_INLINE bool
dp_units_collect_add_direct(DpCollect *collect, DpUnitId *unit, const int64_t *places, uint32_t rows)
{
	DpDirect   *direct = &collect->direct;

	if (direct->entry == NULL || !direct->tried)
		return false;
	for (uint32_t i = 0; i < rows; i++)
	{
		unit[i] = dp_units_record_id(collect->spec, &unit[i]);
		__builtin_prefetch(dp_units_direct_home(direct, unit[i].word[0]), 1);
	}
	dp_units_direct_add(direct, collect->numbered, unit, places, rows);
	if (direct->in_vain)
		dp_units_collect_write(collect);
	return true;
}

/* A row of a group with this number. */
static DP_ALWAYS_INLINE void
dp_units_collect_add(DpCollect *collect, const DpUnitId *unit, uint32_t group, const int64_t *places)
{
	DpDirect   *direct = &collect->direct;
	DpUnitId	known = dp_units_record_id(collect->spec, unit);

	if (collect->spec->grouped)
		dp_units_collect_put(collect, collect->numbered, &known, &group, sizeof(group), places);
	else if (direct->entry == NULL)
		dp_units_collect_put(collect, collect->numbered, &known, &group, 0, places);
	else
	{
		direct->unit[direct->waiting] = known;
		for (int i = 0; i < collect->spec->measures; i++)
			direct->place[(size_t) direct->waiting * collect->spec->measures + i] = places[i];
		if (++direct->waiting == direct->room)
			dp_units_collect_look_up(collect);
	}
}

/* A row of a group with this id. */
static inline void
dp_units_collect_add_identified(DpCollect *collect, const DpUnitId *unit, const DpUnitId *group,
								const int64_t *places)
{
	DpUnitId	known = dp_units_record_id(collect->spec, unit);

	dp_units_collect_put(collect, collect->identified, &known, group, sizeof(DpUnitId), places);
}

#endif							/* DP_UNITS_COLLECT_H */
