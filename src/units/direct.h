/* SPDX-License-Identifier: PostgreSQL */
/*
 * direct.h
 *	  A table of units in front of the log, each with what its rows add up to: for rows
 *	  that are all in one group, and are looked at once.
 *
 * Plain C: no server header.
 *
 * An entry is a record of rows added up (record.h), in one of two places side by side that
 * follow the top bits of its hash, as a log's parts do.  Where a unit has none, one is made
 * in place of another's, which is written to the log.
 *
 * The first rows wait.  If they tell that there are too many units, there is no table: the
 * log does as well.  A table that writes much grows, and is given up once it cannot.
 */
#ifndef DP_UNITS_DIRECT_H
#define DP_UNITS_DIRECT_H

#include "units/partition_file.h"

typedef struct DpDirect
{
	DpMemory	memory;
	const DpUnitsSpec *spec;
	size_t		id_size;		/* bytes of a unit in an entry */
	size_t		size;			/* of an entry */
	uint8_t    *entry;			/* NULL: there is no table */
	uint32_t	most_places;
	uint32_t	places;			/* of these, in use */
	bool		tried;			/* the first rows have been looked at */
	bool		in_vain;		/* the log does as well */
	uint32_t	rows;			/* since the table was looked at; and */
	uint32_t	written;		/* entries since then */
	uint32_t	room;			/* for the first rows, which wait; and */
	uint32_t	waiting;		/* so many do: */
	DpUnitId   *unit;			/* theirs, as records have it; and */
	int64_t    *place;			/* one per measure of each */
} DpDirect;

extern void dp_units_direct_create(DpDirect *direct, const DpMemory *memory, const DpUnitsSpec *spec);
extern void dp_units_direct_destroy(DpDirect *direct);

/* The first rows wait: would the table do better than the log?  Else they stay as they are. */
extern bool dp_units_direct_try(DpDirect *direct);

/* Add rows of these units, as records have them, with one place per measure of each; the log is of rows added up. */
extern void dp_units_direct_add(DpDirect *direct, DpLog *log, const DpUnitId *unit, const int64_t *place, uint32_t rows);

/* Write all units to the log, likewise. */
extern void dp_units_direct_write(DpDirect *direct, DpLog *log);

/* Where a unit's entry is, or in the place beside it. */
static inline uint8_t *
dp_units_direct_home(const DpDirect *direct, uint64_t hash)
{
	return direct->entry + ((hash >> 32) * direct->places >> 32) * direct->size;
}

#endif							/* DP_UNITS_DIRECT_H */
