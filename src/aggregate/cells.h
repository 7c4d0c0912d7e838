/*
 * cells.h
 *	  How many rows there are at each of the points a quantile may be: the exact
 *	  summary it is drawn from.
 *
 * Points, or cells, are numbered 0 ... cells - 1 from the lower bound up.  A value
 * is clamped to the bounds and belongs to the nearest of them: a monotone
 * function of the value, the same for all types, in integers only.
 *
 * As a value, also between processes, a summary is the bytea
 *
 *		DpCellsHeader, { uint32 cell, uint32 low, uint32 high of its weight } ...
 *
 * with cells in ascending order and weights above zero: the cells that some row
 * is in.  Weights count rows, or parts of rows where units can have several.
 */
#ifndef DP_AGGREGATE_CELLS_H
#define DP_AGGREGATE_CELLS_H

#include "postgres.h"

#include "aggregate/grid.h"
#include "aggregate/scale.h"

/* Most cells: a summary of all takes 8 MB. */
#define DP_MAX_CELLS ((1 << 20) + 1)

/* The weights of a summary add up to no more. */
#define DP_MAX_CELLS_WEIGHT (UINT64CONST(1) << 62)

/* A bytea constant holding this struct, passed to the exact aggregates. */
typedef struct DpCellSpec
{
	int32		vl_len_;		/* varlena header */
	int32		grid;			/* one grid unit is 2^grid of the value's unit */
	int64		lower;			/* bounds, in grid units */
	int64		upper;
	uint64		multiplier;		/* cells per grid unit, times 2^64 */
	int64		max_rows;		/* of a unit, that count in a group */
	int32		cells;
	int32		padding;
} DpCellSpec;

typedef struct DpCellsHeader
{
	uint32		cells;
	uint32		padding;
	uint64		rows;			/* rows counted */
	int64		max_rows;
} DpCellsHeader;

/* A summary being read. */
typedef struct DpCells
{
	DpCellsHeader header;
	const char *data;			/* entries */
	uint32		entries;
	uint64		total;			/* of all weights */
} DpCells;

#define DP_CELL_ENTRY (3 * sizeof(uint32))

/*
 * Read a summary, in whatever form a tuple left it; everything said above has
 * been checked then.  Errors: 22023.
 */
extern void dp_aggregate_read_cells(const bytea *value, DpCells *cells);

/* The i-th entry. */
static inline uint32
dp_cells_entry(const DpCells *cells, uint32 i, uint64 *weight)
{
	uint32		word[3];

	memcpy(word, cells->data + i * DP_CELL_ENTRY, sizeof(word));
	*weight = (uint64) word[2] << 32 | word[1];
	return word[0];
}

/* The cell of a place that is clamped to the bounds. */
static inline uint32
dp_cell_of(const DpCellSpec *spec, int64 place)
{
	uint64		offset;
	uint64		cell;

	place = place < spec->upper ? place : spec->upper;
	place = place > spec->lower ? place : spec->lower;
	offset = (uint64) place - (uint64) spec->lower;
	cell = (uint64) (((unsigned __int128) offset * spec->multiplier + (UINT64CONST(1) << 63)) >> 64);
	return cell < (uint64) spec->cells ? (uint32) cell : (uint32) spec->cells - 1;
}

#endif							/* DP_AGGREGATE_CELLS_H */
