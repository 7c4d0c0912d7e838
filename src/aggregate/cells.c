/* SPDX-License-Identifier: PostgreSQL */
/*
 * cells.c
 *	  Making, growing and adding up states of cells, see cells.h.
 *
 * A summary that comes in as bytes is checked here; bytes that fail raise 22023.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/cells.h"
#include "aggregate/state.h"
#include "base/compat_varlena.h"

/* The weights of a summary add up to no more. */
#define DP_MAX_CELLS_WEIGHT (UINT64CONST(1) << 62)

static void refuse_cells(const char *what);
static const DpCellsShared *read_cell_spec(FmgrInfo *flinfo, const bytea *value);

/*
 * From a state of cells to its summary: for other processes or servers, or for the
 * release node.
 */

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
			weight += dp_aggregate_cells_weight_at(state, i);
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

#define SPEC_SIZE (sizeof(DpCellSpec) - VARHDRSZ)

PG_FUNCTION_INFO_V1(dp_aggregate_cells_combine);
PG_FUNCTION_INFO_V1(dp_aggregate_cells_deserialize);

/* Raise 22023: bytes that hold no sane bounds or summary. */
static void
refuse_cells(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid %s of an exact quantile", what)));
}

DpCellsState *
dp_aggregate_new_cells(MemoryContext context, const DpCellsShared *shared)
{
	DpCellsState *state = MemoryContextAllocZero(context, sizeof(DpCellsState));

	state->shared = shared;
	state->context = context;
	state->cell = state->first;
	state->capacity = DP_FIRST_CELLS;
	return state;
}

/*
 * A sane specification, in memory that outlives all states of the aggregate whose
 * function this is; 22023 otherwise.
 */
static const DpCellsShared *
read_cell_spec(FmgrInfo *flinfo, const bytea *value)
{
	DpCellsShared *shared = flinfo->fn_extra;
	DpCellSpec *spec;

	if (VARSIZE_ANY_EXHDR(value) != SPEC_SIZE)
		refuse_cells("bounds");
	if (shared && memcmp((char *) &shared->spec + VARHDRSZ, VARDATA_ANY(value), SPEC_SIZE) == 0)
		return shared;
	shared = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(DpCellsShared));
	spec = &shared->spec;
	memcpy((char *) spec + VARHDRSZ, VARDATA_ANY(value), SPEC_SIZE);
	if (spec->grid < DP_GRID_MIN || spec->grid > DP_GRID_MAX ||
		spec->lower < -DP_GRID_LIMIT || spec->lower > spec->upper || spec->upper > DP_GRID_LIMIT ||
		spec->max_rows < 1 || spec->cells < 1 || spec->cells > DP_MAX_CELLS)
		refuse_cells("bounds");
	shared->grid = dp_aggregate_grid_init(spec->grid);
	shared->cells = spec->cells;
	shared->max_rows = spec->max_rows;
	flinfo->fn_extra = shared;
	return shared;
}

DpCellsState *
dp_aggregate_row_cells(FunctionCallInfo fcinfo)
{
	if (!PG_ARGISNULL(0))
		return (DpCellsState *) PG_GETARG_POINTER(0);
	if (PG_ARGISNULL(2))
		refuse_cells("bounds");
	return dp_aggregate_new_cells(dp_aggregate_context(fcinfo),
								  read_cell_spec(fcinfo->flinfo, PG_GETARG_BYTEA_PP(2)));
}

/* An empty state of summaries, which has its own part of what is shared. */
static DpCellsState *
new_total(MemoryContext context, const DpCellsHeader *header)
{
	DpCellsShared *shared = MemoryContextAllocZero(context, sizeof(DpCellsShared));

	shared->cells = header->cells;
	shared->max_rows = header->max_rows;
	return dp_aggregate_new_cells(context, shared);
}

/* From a list to an array. */
static void
make_array(DpCellsState *state)
{
	uint64	   *array = MemoryContextAllocZero(state->context, state->shared->cells * sizeof(uint64));

	for (uint32 i = 0; i < state->entries; i++)
		array[state->cell[i]] += dp_aggregate_cells_weight_at(state, i);
	if (state->cell != state->first)
		pfree(state->cell);
	if (state->weight)
		pfree(state->weight);
	state->cell = NULL;
	state->weight = array;
	state->entries = state->capacity = 0;
}

/* A copy of an array of `used` elements with room for more. */
static void *
enlarge(MemoryContext context, void *old, Size used, Size size, bool owned)
{
	void	   *copy = MemoryContextAlloc(context, size);

	memcpy(copy, old, used);
	if (owned)
		pfree(old);
	return copy;
}

pg_noinline void
dp_aggregate_reserve_cells(DpCellsState *state, uint32 entries)
{
	uint32		capacity = Max(entries, 2 * state->capacity);
	Size		used = state->entries;

	if (capacity > state->shared->cells / 2)
	{
		make_array(state);
		return;
	}
	state->cell = enlarge(state->context, state->cell, used * sizeof(uint32),
						  capacity * sizeof(uint32), state->cell != state->first);
	if (state->weight)
		state->weight = enlarge(state->context, state->weight, used * sizeof(uint64),
								capacity * sizeof(uint64), true);
	state->capacity = capacity;
}

/* Have weights beside the list. */
static void
add_weights(DpCellsState *state)
{
	state->weight = MemoryContextAlloc(state->context, state->capacity * sizeof(uint64));
	for (uint32 i = 0; i < state->entries; i++)
		state->weight[i] = 1;
}

void
dp_aggregate_add_weight(DpCellsState *state, uint32 cell, uint64 weight)
{
	if (state->cell && state->entries == state->capacity)
		dp_aggregate_reserve_cells(state, state->entries + 1);
	if (state->cell == NULL)
	{
		state->weight[cell] += weight;
		return;
	}
	if (state->weight == NULL && weight != 1)
		add_weights(state);
	if (state->weight)
		state->weight[state->entries] = weight;
	state->cell[state->entries++] = cell;
}

void
dp_aggregate_read_cells(const bytea *value, DpCells *cells)
{
	const bytea *plain = pg_detoast_datum_packed(unconstify(bytea *, value));
	Size		size = VARSIZE_ANY_EXHDR(plain);
	int64		before = -1;

	if (size < sizeof(DpCellsHeader) || (size - sizeof(DpCellsHeader)) % DP_CELL_ENTRY != 0)
		refuse_cells("summary");
	memcpy(&cells->header, VARDATA_ANY(plain), sizeof(DpCellsHeader));
	cells->data = VARDATA_ANY(plain) + sizeof(DpCellsHeader);
	cells->entries = (size - sizeof(DpCellsHeader)) / DP_CELL_ENTRY;
	cells->total = 0;
	if (cells->header.cells < 1 || cells->header.cells > DP_MAX_CELLS ||
		cells->header.max_rows < 1 || cells->header.rows > DP_MAX_CELLS_WEIGHT)
		refuse_cells("summary");
	for (uint32 i = 0; i < cells->entries; i++)
	{
		uint64		weight;
		uint32		cell = dp_aggregate_cells_entry(cells, i, &weight);

		if (cell <= before || cell >= cells->header.cells || weight < 1 ||
			weight > DP_MAX_CELLS_WEIGHT - cells->total)
			refuse_cells("summary");
		before = cell;
		cells->total += weight;
	}
}

/* Add a summary to a state. */
static void
add_summary(DpCellsState *state, const DpCells *cells)
{
	if (cells->header.cells != state->shared->cells ||
		cells->header.max_rows != state->shared->max_rows)
		refuse_cells("summary");
	if (state->cell && cells->entries > state->capacity - state->entries)
		dp_aggregate_reserve_cells(state, state->entries + cells->entries);
	for (uint32 i = 0; i < cells->entries; i++)
	{
		uint64		weight;
		uint32		cell = dp_aggregate_cells_entry(cells, i, &weight);

		dp_aggregate_add_weight(state, cell, weight);
	}
	state->rows += cells->header.rows;
}

/* cells_combine(internal, internal): add the second state into the first. */
Datum
dp_aggregate_cells_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	DpCellsState *into = PG_ARGISNULL(0) ? NULL : (DpCellsState *) PG_GETARG_POINTER(0);
	DpCellsState *from = PG_ARGISNULL(1) ? NULL : (DpCellsState *) PG_GETARG_POINTER(1);

	if (from == NULL)
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	if (into == NULL)
	{
		DpCellsHeader header = {.cells = from->shared->cells, .max_rows = from->shared->max_rows};

		into = new_total(context, &header);
	}
	if (into->shared->cells != from->shared->cells || into->shared->max_rows != from->shared->max_rows)
		refuse_cells("summary");
	if (from->cell == NULL && into->cell)
		make_array(into);
	for (uint32 i = 0; from->cell == NULL && i < from->shared->cells; i++)
		into->weight[i] += from->weight[i];
	for (uint32 i = 0; from->cell && i < from->entries; i++)
		dp_aggregate_add_weight(into, from->cell[i], dp_aggregate_cells_weight_at(from, i));
	into->rows += from->rows;
	PG_RETURN_POINTER(into);
}

/*
 * cells_deserialize(bytea, internal): the state again, in the current memory
 * context.  Errors: 22023 for bytes no serialization produces.
 */
Datum
dp_aggregate_cells_deserialize(PG_FUNCTION_ARGS)
{
	DpCellsState *state;
	DpCells		cells;

	dp_aggregate_read_cells(PG_GETARG_BYTEA_PP(0), &cells);
	state = new_total(CurrentMemoryContext, &cells.header);
	add_summary(state, &cells);
	PG_RETURN_POINTER(state);
}
