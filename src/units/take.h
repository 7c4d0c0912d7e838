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
 * are cells, a unit's rows are gone through a second time, to be weighed.
 */
#ifndef DP_UNITS_TAKE_H
#define DP_UNITS_TAKE_H

#include "units/contributions.h"
#include "units/load.h"
#include "units/sums.h"
#include "units/weights.h"

typedef struct DpTake
{
	DpUnitsMemory memory;
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
	DpLoad		load;
	DpSums		sums;
	DpBuffer	sorted;			/* groups and data of a part's rows, unit after unit */
	DpBuffer	acc;			/* accumulators by units, where there is one group */
	DpBuffer	part_totals;	/* of groups that are ids, by numbers in a part */
} DpTake;

/* Groups are numbers with totals, or else ids with contributions. */
extern void dp_take_create(DpTake *take, const DpUnitsMemory *memory, const DpFiles *files,
						   const DpUnitsSpec *spec, DpContributions *contributions);
extern void dp_take_destroy(DpTake *take);

/* How records look in a log for this. */
extern DpRecords dp_take_records(const DpUnitsSpec *spec, bool wide);

/* Take one part, which is given back to the logs. */
extern void dp_take_part(DpTake *take, const DpLogSource *source, int sources, uint32_t part);

/* Put groups and data of loaded rows side by side, unit after unit: returns their size. */
extern size_t dp_take_sort(DpTake *take);

/* Weigh a row of a group with this number or id, whose unit's rows in it were added up. */
static inline void
dp_take_weigh(DpTake *take, uint32_t group, const DpUnitId *id, const uint8_t *acc,
			  DpRecordForm form, const uint8_t *data)
{
	const DpUnitsSpec *spec = take->spec;
	DpUnitId	number = {{group, 0}};
	uint32_t	cell;

	for (int i = 0; i < spec->measures; i++)
	{
		uint64_t	weight = dp_weights_of_row(&spec->measure[i], acc, form, data, &cell);

		if (weight == 0)
			continue;
		if (take->cells)
			dp_contributions_put_cell(take->cells, id ? id : &number, cell, weight);
		else
			dp_weights_add(take->weights, group, cell, weight);
	}
}

#endif							/* DP_UNITS_TAKE_H */
