/*
 * cells_state.h
 *	  The transition state of the exact aggregate exact_cells.
 *
 * A state starts as a list of cells, one a row, and becomes an array of the
 * weights of all cells when there are half as many rows as cells: never more than
 * eight bytes a cell.  NULL and NaN are skipped, infinities clamp.  Weights are
 * added in integers: neither the order of rows nor the number of workers matters.
 */
#ifndef DP_AGGREGATE_CELLS_STATE_H
#define DP_AGGREGATE_CELLS_STATE_H

#include "postgres.h"

#include "fmgr.h"

#include "aggregate/cells.h"

/* Cells in the state itself: there may be one for each unit. */
#define DP_FIRST_CELLS 4

/* What states have in common. */
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
 * A sane specification, in memory that outlives all states of the aggregate whose
 * function this is; 22023 otherwise.
 */
extern const DpCellsShared *dp_aggregate_read_cell_spec(FmgrInfo *flinfo, const bytea *value);

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

/* Raise 22023: bytes that hold no sane bounds or summary. */
extern void dp_aggregate_refuse_cells(const char *what);

/* Weight in a cell. */
extern void dp_aggregate_add_weight(DpCellsState *state, uint32 cell, uint64 weight);

/* The weight of an entry of the list. */
static inline uint64
dp_cells_weight_at(const DpCellsState *state, uint32 i)
{
	return state->weight ? state->weight[i] : 1;
}

/* A row; the list has no weights. */
static inline void
dp_cells_add_row(DpCellsState *state, uint32 cell)
{
	state->rows++;
	if (unlikely(state->cell && state->entries == state->capacity))
		dp_aggregate_reserve_cells(state, state->entries + 1);
	if (state->cell)
		state->cell[state->entries++] = cell;
	else
		state->weight[cell]++;
}

#endif							/* DP_AGGREGATE_CELLS_STATE_H */
