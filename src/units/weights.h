/*
 * weights.h
 *	  What the cells of groups weigh: the rows in them, each in the part that its unit's
 *	  rows count in.
 *
 * Plain C: no server header.  Cells of all measures are numbered through; see
 * DpUnitsMeasure.  Rows cannot be weighed before all of their unit's are counted,
 * so they are gone through twice.
 */
#ifndef DP_UNITS_WEIGHTS_H
#define DP_UNITS_WEIGHTS_H

#include "units/buffer.h"
#include "units/record.h"

/* A cell that weighs more than nothing. */
typedef struct DpCellWeight
{
	uint32_t	cell;
	uint64_t	weight;
} DpCellWeight;

/* What a group comes to. */
typedef struct DpGroupTotals
{
	__int128   *totals;
	const DpCellWeight *weight; /* each cell at most once, in any order */
	uint32_t	weights;
} DpGroupTotals;

/* An array of the weights of all cells, of groups that are numbered. */
typedef struct DpWeights
{
	DpUnitsMemory memory;
	uint32_t	cells;			/* of a group; 0: there is no array */
	uint32_t	groups;
	uint64_t   *weight;
	DpBuffer	list;			/* of DpCellWeight */
} DpWeights;

/* Is there room for an array of so many groups?  There always is for one. */
extern bool dp_weights_fit(const DpUnitsSpec *spec, uint64_t groups);

extern void dp_weights_create(DpWeights *weights, const DpUnitsMemory *memory,
							  const DpUnitsSpec *spec, uint32_t groups);
extern void dp_weights_destroy(DpWeights *weights);

/* Set what there is in a group, valid until the next call. */
extern void dp_weights_list(DpWeights *weights, uint32_t group, DpGroupTotals *totals);

static inline void
dp_weights_add(DpWeights *weights, uint32_t group, uint32_t cell, uint64_t weight)
{
	weights->weight[(size_t) group * weights->cells + cell] += weight;
}

/* Rows that were counted: they are all in one cell. */
static inline uint64_t
dp_weights_of_counted(const DpUnitsMeasure *measure, uint64_t weight, const uint8_t *data,
					  uint32_t *cell)
{
	*cell = measure->first_cell + dp_acc_load32(data + measure->offset + sizeof(uint64_t));
	return dp_acc_load64(data + measure->offset) * weight;
}

/*
 * The weight of a row, or counted rows, in a measure's cell, of a unit with these
 * accumulators; 0: none.  All of a unit's together weigh what max_rows rows do at most: no
 * counts add up to more than their sum, and of 2^64 rows each weighs nothing.
 */
static inline uint64_t
dp_weights_of_row(const DpUnitsMeasure *measure, const uint8_t *acc, DpRecordForm form,
				  const uint8_t *data, uint32_t *cell)
{
	uint64_t	weight;
	int64_t		place;

	if (measure->kind != DP_UNITS_CELLS)
		return 0;
	weight = dp_cells_row_weight(dp_acc_load64(acc + measure->offset), (uint64_t) measure->max_rows);
	if (form == DP_RECORD_ADDED)
		return dp_weights_of_counted(measure, weight, data, cell);
	place = dp_record_place(measure, form, data);
	if (place == DP_GRID_NONE)
		return 0;
	*cell = measure->first_cell + (uint32_t) place;
	return weight;
}

#endif							/* DP_UNITS_WEIGHTS_H */
