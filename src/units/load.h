/* SPDX-License-Identifier: PostgreSQL */
/*
 * load.h
 *	  A part's records side by side in memory, all of one form, with the group of each
 *	  numbered, and unit after unit.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_LOAD_H
#define DP_UNITS_LOAD_H

#include "base/buffer.h"
#include "units/partition_file.h"

/*
 * Where a part's records come from: a log, and what the numbers of groups in it mean
 * here.  Without either they are what they are here.
 */
typedef struct DpLogSource
{
	DpLog	   *log;
	const uint32_t *numbers;	/* those of the same groups here, or NULL */
	const DpUnitId *ids;		/* ids of these groups, or NULL */
} DpLogSource;

typedef struct DpLoad
{
	DpMemory	memory;
	const DpUnitsSpec *spec;
	bool		wide;			/* groups are ids */
	size_t		group_at;		/* bytes from a record's beginning */
	size_t		data_at;
	const DpLogSource *source;	/* whose records are being copied */
	DpRecordForm form;
	size_t		size;			/* of a record: its group is a number */
	uint32_t	count;
	DpBuffer	record;
	int			bits;			/* of hashes that records do not share, the lowest ones */
	uint32_t	expected;		/* records a unit, as the part before had them */
	DpBuffer	sorted;			/* records by buckets, and in these by units as far as they were
								 * named; */
	DpBuffer	end;			/* where each bucket ends, uint32_t: number of a record */
	uint32_t	buckets;		/* a power of two */
	uint32_t	bucket;			/* of the next unit; and */
	uint32_t	at;				/* its first record */
	uint32_t	units;			/* named so far; and */
	uint32_t	searches;		/* those of this bucket */
	uint32_t	groups;			/* numbered in this part, where they are ids */
	DpBuffer	group_place;	/* open addressing: numbers from 1, uint32_t */
	uint32_t	group_places;	/* a power of two */
	DpBuffer	group_id;		/* per group, DpUnitId */
} DpLoad;

extern void dp_units_load_create(DpLoad *load, const DpMemory *memory, const DpUnitsSpec *spec,
								 bool wide);
extern void dp_units_load_destroy(DpLoad *load);

/* The one form that all records of these parts can be brought to, and their groups here. */
extern DpRecordForm dp_units_load_form(const DpLogSource *source, int sources, uint32_t part);

/* Write a record's group as a log of these groups has it: four bytes or sixteen. */
extern void dp_units_load_group(const DpUnitsSpec *spec, const DpLogSource *source, bool wide,
								DpRecordForm form, const uint8_t *from, uint8_t *to);

/* Bring data to another form. */
extern void dp_units_load_convert(const DpUnitsSpec *spec, DpRecordForm form, const uint8_t *data,
								  DpRecordForm wanted, uint8_t *to);

/* Load a part that has so many records in all, and give them back to the logs. */
extern void dp_units_load_part(DpLoad *load, const DpLogSource *source, int sources, uint32_t part,
							   uint64_t count);

/* Bring records together that are of one unit; and name the first records of each such unit, and how many it has: 0 in the end. */
extern void dp_units_load_sort(DpLoad *load);
extern uint32_t dp_units_load_next(DpLoad *load, const uint8_t **record);

/* Bytes that a record takes here, at most, and totals of its group if groups are ids. */
extern size_t dp_units_load_cost(const DpUnitsSpec *spec, bool wide, DpRecordForm form);

#endif							/* DP_UNITS_LOAD_H */
