/* SPDX-License-Identifier: PostgreSQL */
/*
 * take.h
 *	  From a part's records to the totals of groups: the rows of each unit are brought
 *	  together and added up, its groups are limited, its totals clamped and added to
 *	  those of all units.
 *
 * Plain C: no server header.
 *
 * All of a unit's rows are in one part.  A part too large for memory is divided by
 * further bits of the hash; one whose rows are all of one unit by groups.  Where there
 * are cells, a unit's rows are gone through a second time, to be weighed; where distinct
 * values count, for the unit's values in its groups.
 */
#ifndef DP_UNITS_TAKE_H
#define DP_UNITS_TAKE_H

#include "units/contributions.h"
#include "units/cover.h"
#include "units/sums.h"

typedef struct DpTake
{
	DpMemory	memory;
	const DpFiles *files;
	const DpUnitsSpec *spec;
	size_t		limit;			/* bytes for what a division keeps in memory; and */
	size_t		room;			/* for a part that is taken */
	DpRecords	records;		/* of divisions */
	__int128   *totals;			/* by groups' numbers, unless groups are ids; and */
	uint32_t	groups;			/* so many there are; and */
	DpWeights  *weights;		/* of their cells; or if there is no array of them, */
	DpContributions *cells;		/* where these go */
	DpContributions *contributions; /* if they are ids; else NULL */
	DpPairs    *pairs;			/* where values of units go; and */
	const DpUnitId *pair_ids;	/* ids of groups that are numbers, if these are meant there; or
								 * NULL */
	DpLoad		load;
	DpSums		sums;
	DpReservoir reservoir;		/* groups of a unit with more rows than memory; and */
	DpBuffer	acc;			/* accumulators of one of them, or of a unit in one group */
	DpBuffer	part_totals;	/* of groups that are ids, by numbers in a part */
} DpTake;

/* Groups are numbers with totals, or else ids with contributions. */
extern void dp_units_take_create(DpTake *take, const DpMemory *memory, const DpFiles *files,
								 const DpUnitsSpec *spec, DpContributions *contributions);

extern void dp_units_take_destroy(DpTake *take);

/* How records look in a log for this. */
extern DpRecords dp_units_take_records(const DpUnitsSpec *spec, bool wide);

/* Take one part, which is given back to the logs. */
extern void dp_units_take_part(DpTake *take, const DpLogSource *source, int sources, uint32_t part);

/*
 * Weigh a row of a unit, which has these accumulators in the row's group, a number or
 * an id; and put down its values.
 */
static inline void
dp_units_take_weigh(DpTake *take, const DpUnitId *unit, const DpUnitId *group, const uint8_t *acc,
					DpRecordForm form, const uint8_t *data)
{
	const DpUnitsSpec *spec = take->spec;
	uint32_t	cell;

	for (int i = 0; i < spec->measures; i++)
	{
		const DpUnitsMeasure *measure = &spec->measure[i];
		uint64_t	weight = dp_units_weights_of_row(measure, acc, form, data, &cell);

		if (dp_units_is_of_values(measure->kind))
		{
			int64_t		place = dp_units_record_place(measure, form, data);

			if (place != DP_GRID_NONE)
				dp_units_pairs_put(take->pairs, measure->value, unit, take->pair_ids ? &take->pair_ids[group->word[0]] : group,
								   place);
		}
		if (weight == 0)
			continue;
		if (take->cells)
			dp_units_contributions_put_cell(take->cells, group, cell, weight);
		else
			dp_units_weights_add(take->weights, (uint32_t) group->word[0], cell, weight);
	}
}

#endif							/* DP_UNITS_TAKE_H */
