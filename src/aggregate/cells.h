/* SPDX-License-Identifier: PostgreSQL */
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

#include "fmgr.h"

#include "aggregate/grid.h"

/* Most cells: a summary of all takes 8 MB. */
#define DP_MAX_CELLS ((1 << 20) + 1)

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
dp_aggregate_cells_entry(const DpCells *cells, uint32 i, uint64 *weight)
{
	uint32		word[3];

	memcpy(word, cells->data + i * DP_CELL_ENTRY, sizeof(word));
	*weight = (uint64) word[2] << 32 | word[1];
	return word[0];
}

/* The cell of a place that is clamped to the bounds. */
static inline uint32
dp_aggregate_cell_of(const DpCellSpec *spec, int64 place)
{
	uint64		offset;
	uint64		cell;

	place = place < spec->upper ? place : spec->upper;
	place = place > spec->lower ? place : spec->lower;
	offset = (uint64) place - (uint64) spec->lower;
	cell = (uint64) (((unsigned __int128) offset * spec->multiplier + (UINT64CONST(1) << 63)) >> 64);
	return cell < (uint64) spec->cells ? (uint32) cell : (uint32) spec->cells - 1;
}

/*
 * The transition state of the exact aggregate exact_cells.
 *
 * A state starts as a list of cells, one a row, and becomes an array of the
 * weights of all cells when there are half as many rows as cells: never more than
 * eight bytes a cell.  NULL and NaN are skipped, infinities clamp.  Weights are
 * added in integers: neither the order of rows nor the number of workers matters.
 */

/* Cells in the state itself: there may be one for each unit. */
#define DP_FIRST_CELLS 4

/* Data that all states share. */
typedef struct DpCellsShared
{
	DpGrid		grid;
	uint32		cells;
	int64		max_rows;
	DpCellSpec	spec;			/* of row states only */
} DpCellsShared;

/* One chunk of 64 bytes, where there are few rows. */
typedef struct DpCellsState
{
	const DpCellsShared *shared;
	MemoryContext context;		/* of what is allocated besides */
	uint32	   *cell;			/* the list, in no order; NULL: there is an array */
	uint64	   *weight;			/* the array, or of the list's cells; NULL: one each */
	uint32		entries;		/* of the list */
	uint32		capacity;
	uint64		rows;
	uint32		first[DP_FIRST_CELLS];
} DpCellsState;

/* An empty state, in this memory context and growing there. */
extern DpCellsState *dp_aggregate_new_cells(MemoryContext context, const DpCellsShared *shared);

/*
 * The state of a transition function over rows, whose specification is its argument
 * 2.  It exists from the first row on, NULL or not, so that whether bounds are refused
 * does not depend on data.
 */
extern DpCellsState *dp_aggregate_row_cells(FunctionCallInfo fcinfo);

/* Room in the list for so many entries; or an array, if it is that long. */
extern void dp_aggregate_reserve_cells(DpCellsState *state, uint32 entries);

/* The state as a value, in the current memory context. */
extern bytea *dp_aggregate_summary(DpCellsState *state);

/* Weight in a cell. */
extern void dp_aggregate_add_weight(DpCellsState *state, uint32 cell, uint64 weight);

/* The weight of an entry of the list. */
static inline uint64
dp_aggregate_cells_weight_at(const DpCellsState *state, uint32 i)
{
	return state->weight ? state->weight[i] : 1;
}

/* A row; the list has no weights. */
static inline void
dp_aggregate_cells_add_row(DpCellsState *state, uint32 cell)
{
	state->rows++;
	if (unlikely(state->cell && state->entries == state->capacity))
		dp_aggregate_reserve_cells(state, state->entries + 1);
	if (state->cell)
		state->cell[state->entries++] = cell;
	else
		state->weight[cell]++;
}

#endif							/* DP_AGGREGATE_CELLS_H */
