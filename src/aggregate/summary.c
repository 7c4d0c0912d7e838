/*
 * summary.c
 *	  From a state of cells to its summary: for other processes or servers, or for the
 *	  release node.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/cells_state.h"
#include "base/compat.h"

/* Up to here, lists are sorted by insertion. */
#define SHORT_LIST 24

PG_FUNCTION_INFO_V1(dp_aggregate_cells_serialize);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_cells);

/* An entry of a list with weights, while it is sorted. */
typedef struct CellEntry
{
	uint64		weight;
	uint32		cell;
} CellEntry;

static int
compare_entries(const void *a, const void *b)
{
	uint32		x = ((const CellEntry *) a)->cell;
	uint32		y = ((const CellEntry *) b)->cell;

	return (x > y) - (x < y);
}

static int
compare_cells(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return (x > y) - (x < y);
}

static void
sort_with_weights(DpCellsState *state)
{
	CellEntry  *entry = palloc((state->entries + 1) * sizeof(CellEntry));

	for (uint32 i = 0; i < state->entries; i++)
		entry[i] = (CellEntry) {state->weight[i], state->cell[i]};
	qsort(entry, state->entries, sizeof(CellEntry), compare_entries);
	for (uint32 i = 0; i < state->entries; i++)
	{
		state->weight[i] = entry[i].weight;
		state->cell[i] = entry[i].cell;
	}
	pfree(entry);
}

/* Bring the list into order: most are of a unit, and short. */
static void
sort_list(DpCellsState *state)
{
	uint32	   *cell = state->cell;

	if (state->weight)
		sort_with_weights(state);
	else if (state->entries > SHORT_LIST)
		qsort(cell, state->entries, sizeof(uint32), compare_cells);
	else
		for (uint32 i = 1; i < state->entries; i++)
		{
			uint32		moved = cell[i];
			uint32		j = i;

			for (; j > 0 && cell[j - 1] > moved; j--)
				cell[j] = cell[j - 1];
			cell[j] = moved;
		}
}

/* Add an entry at the end of a summary, unless it weighs nothing. */
static char *
put_entry(char *data, uint32 cell, uint64 weight)
{
	uint32		word[3] = {cell, (uint32) weight, (uint32) (weight >> 32)};

	if (weight == 0)
		return data;
	memcpy(data, word, sizeof(word));
	return data + sizeof(word);
}

/* The entries of a sorted list, those of one cell together. */
static char *
put_list(char *data, const DpCellsState *state)
{
	uint32		i = 0;

	while (i < state->entries)
	{
		uint32		cell = state->cell[i];
		uint64		weight = 0;

		for (; i < state->entries && state->cell[i] == cell; i++)
			weight += dp_cells_weight_at(state, i);
		data = put_entry(data, cell, weight);
	}
	return data;
}

bytea *
dp_aggregate_summary(DpCellsState *state)
{
	const DpCellsShared *shared = state->shared;
	DpCellsHeader header = {.cells = shared->cells, .rows = state->rows, .max_rows = shared->max_rows};
	Size		most = state->entries;
	bytea	   *result;
	char	   *data;

	for (uint32 i = 0; state->cell == NULL && i < shared->cells; i++)
		most += state->weight[i] > 0;
	result = palloc(VARHDRSZ + sizeof(header) + most * DP_CELL_ENTRY);
	memcpy(VARDATA(result), &header, sizeof(header));
	data = VARDATA(result) + sizeof(header);
	if (state->cell)
	{
		sort_list(state);
		data = put_list(data, state);
	}
	for (uint32 i = 0; state->cell == NULL && i < shared->cells; i++)
		data = put_entry(data, i, state->weight[i]);
	SET_VARSIZE(result, data - (char *) result);
	return result;
}

/* cells_serialize(internal): the state as a summary. */
Datum
dp_aggregate_cells_serialize(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(dp_aggregate_summary((DpCellsState *) PG_GETARG_POINTER(0)));
}

/* Final function of exact_cells: the summary, NULL without rows. */
Datum
dp_aggregate_exact_cells(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(dp_aggregate_summary((DpCellsState *) PG_GETARG_POINTER(0)));
}
