/* SPDX-License-Identifier: PostgreSQL */
/*
 * measure.h
 *	  What is computed of units' rows, one of it for each aggregate.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_MEASURE_H
#define DP_UNITS_MEASURE_H

#include <stdbool.h>

#include "aggregate/ladder.h"
#include "aggregate/moments.h"

typedef enum DpUnitsKind
{
	DP_UNITS_UNITS,				/* the number of units: nothing to remember */
	DP_UNITS_ROWS,
	DP_UNITS_SUM,
	DP_UNITS_MEAN,
	DP_UNITS_MOMENTS,
	DP_UNITS_CELLS,				/* places are cells, see aggregate/cells.h */
	DP_UNITS_VALUES,			/* the number of distinct values, see cover.h: places tell them
								 * apart */
	DP_UNITS_VALUE_SUM,			/* their sum */
	DP_UNITS_VALUE_MEAN,		/* and their number besides */
	DP_UNITS_CLASSES			/* the number of units in each class by their number of groups:
								 * ladder has the classes; once for each group that a unit counts
								 * in, see dp_units_acc_finish */
} DpUnitsKind;

typedef struct DpUnitsMeasure
{
	DpUnitsKind kind;
	int64_t		lower;			/* in grid units; |bounds| <= 2^62 */
	int64_t		upper;
	int64_t		max_rows;		/* 1 ... 2^31; of values, those that a unit covers */
	bool		small;			/* no place of a sum is beyond +-2^31 */
	bool		counted;		/* rows come by cells, with how many there are in each */
	DpMomentsShape shape;		/* of moments; then upper - lower is the width of x */
	int64_t		width_y;
	DpLadder	ladder;			/* of clamps of rows, a sum or mean, one of which is chosen
								 * afterwards */
	uint32_t	cells;			/* number of cells; 0 unless there are any */
	uint32_t	first_cell;		/* number of the first among those of all measures; set by
								 * dp_units_lay_out */
	bool		constant;		/* counts in every row, whatever this has: no place is kept */
	int			place;			/* its number in a row, or -1; set by dp_units_lay_out */
	int			offset;			/* of its accumulator; likewise */
	int			part;			/* of its totals among a group's; likewise */
	uint32_t	value;			/* of distinct values, its number among those; likewise */
} DpUnitsMeasure;

/* Are distinct values counted or added up? */
static inline bool
dp_units_is_of_values(DpUnitsKind kind)
{
	return kind == DP_UNITS_VALUES || kind == DP_UNITS_VALUE_SUM || kind == DP_UNITS_VALUE_MEAN;
}

static inline uint64_t
dp_units_acc_load64(const uint8_t *acc)
{
	uint64_t	value;

	memcpy(&value, acc, sizeof(value));
	return value;
}

static inline uint32_t
dp_units_acc_load32(const uint8_t *acc)
{
	uint32_t	value;

	memcpy(&value, acc, sizeof(value));
	return value;
}

static inline void
dp_units_acc_store64(uint8_t *acc, uint64_t value)
{
	memcpy(acc, &value, sizeof(value));
}

static inline void
dp_units_acc_store32(uint8_t *acc, uint32_t value)
{
	memcpy(acc, &value, sizeof(value));
}

/* A row's place, clamped. */
static inline int64_t
dp_units_acc_clamp(const DpUnitsMeasure *measure, int64_t place)
{
	place = place < measure->upper ? place : measure->upper;
	return place > measure->lower ? place : measure->lower;
}

/* Is a row's place clamped, whatever else the unit has? */
static inline bool
dp_units_acc_clamps_places(const DpUnitsMeasure *measure)
{
	return measure->kind == DP_UNITS_MEAN ||
		(measure->kind == DP_UNITS_SUM && measure->ladder.steps > 0) ||
		(measure->kind == DP_UNITS_MOMENTS && measure->shape == DP_MOMENTS_VARIANCE);
}

#endif							/* DP_UNITS_MEASURE_H */
