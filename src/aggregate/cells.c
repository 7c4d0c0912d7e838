/*
 * cells.c
 *	  Summaries of rows by cell: the exact aggregates exact_cells, unit_cells and
 *	  exact_cells_total.
 *
 * A state starts as a list of cells, one a row, and becomes an array of the
 * weights of all cells when there are half as many rows as cells: never more than
 * eight bytes a cell.  NULL and NaN are skipped, infinities clamp.  Weights are
 * added in integers: neither the order of rows nor the number of workers matters.
 *
 * exact_cells counts rows; unit_cells the rows of one unit, scaled down so that
 * together they weigh at most max_rows; exact_cells_total adds up summaries, as
 * a list with the weights beside it.
 * What comes in as bytes is checked here; bytes that fail raise 22023.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/cells.h"
#include "aggregate/place.h"
#include "aggregate/state.h"
#include "compat.h"

#define SPEC_SIZE (sizeof(DpCellSpec) - VARHDRSZ)

/* Cells in the state itself: there may be one for each unit. */
#define FIRST_CELLS 4

/* Up to here, lists are sorted by insertion. */
#define SHORT_LIST 24

/* What states have in common. */
typedef struct CellsShared
{
	DpGrid		grid;
	uint32		cells;
	int64		max_rows;
	DpCellSpec	spec;			/* of row states only */
} CellsShared;

/* One chunk of 64 bytes, where there are few rows. */
typedef struct CellsState
{
	const CellsShared *shared;
	MemoryContext context;		/* of what is allocated besides */
	uint32	   *cell;			/* the list, in no order; NULL: there is an array */
	uint64	   *weight;			/* the array, or of the list's cells; NULL: one each */
	uint32		entries;		/* of the list */
	uint32		capacity;
	uint64		rows;
	uint32		first[FIRST_CELLS];
} CellsState;

PG_FUNCTION_INFO_V1(dp_aggregate_add_cells);
PG_FUNCTION_INFO_V1(dp_aggregate_add_cells_part);
PG_FUNCTION_INFO_V1(dp_aggregate_cells_combine);
PG_FUNCTION_INFO_V1(dp_aggregate_cells_serialize);
PG_FUNCTION_INFO_V1(dp_aggregate_cells_deserialize);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_cells);
PG_FUNCTION_INFO_V1(dp_aggregate_unit_cells);

static void
refuse(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid %s of an exact quantile", what)));
}

/* An empty state. */
static CellsState *
new_state(MemoryContext context, const CellsShared *shared)
{
	CellsState *state = MemoryContextAllocZero(context, sizeof(CellsState));

	state->shared = shared;
	state->context = context;
	state->cell = state->first;
	state->capacity = FIRST_CELLS;
	return state;
}

/* An empty state of summaries, which has its own part of what is shared. */
static CellsState *
new_total(MemoryContext context, const DpCellsHeader *header)
{
	CellsShared *shared = MemoryContextAllocZero(context, sizeof(CellsShared));

	shared->cells = header->cells;
	shared->max_rows = header->max_rows;
	return new_state(context, shared);
}

/* The weight of an entry of the list. */
static inline uint64
weight_at(const CellsState *state, uint32 i)
{
	return state->weight ? state->weight[i] : 1;
}

/* From a list to an array. */
static void
make_array(CellsState *state)
{
	uint64	   *array = MemoryContextAllocZero(state->context, state->shared->cells * sizeof(uint64));

	for (uint32 i = 0; i < state->entries; i++)
		array[state->cell[i]] += weight_at(state, i);
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

/* Room in the list for so many entries; or an array, if it is that long. */
static pg_noinline void
reserve(CellsState *state, uint32 entries)
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
add_weights(CellsState *state)
{
	state->weight = MemoryContextAlloc(state->context, state->capacity * sizeof(uint64));
	for (uint32 i = 0; i < state->entries; i++)
		state->weight[i] = 1;
}

/* A row; the list has no weights. */
static inline void
add_row(CellsState *state, uint32 cell)
{
	state->rows++;
	if (unlikely(state->cell && state->entries == state->capacity))
		reserve(state, state->entries + 1);
	if (state->cell)
		state->cell[state->entries++] = cell;
	else
		state->weight[cell]++;
}

/* Weight in a cell. */
static void
add_weight(CellsState *state, uint32 cell, uint64 weight)
{
	if (state->cell && state->entries == state->capacity)
		reserve(state, state->entries + 1);
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

/* A sane specification, in memory that outlives all states; 22023 otherwise. */
static const CellsShared *
read_spec(FmgrInfo *flinfo, const bytea *value)
{
	CellsShared *shared = flinfo->fn_extra;
	DpCellSpec *spec;

	if (VARSIZE_ANY_EXHDR(value) != SPEC_SIZE)
		refuse("bounds");
	if (shared && memcmp((char *) &shared->spec + VARHDRSZ, VARDATA_ANY(value), SPEC_SIZE) == 0)
		return shared;
	shared = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(CellsShared));
	spec = &shared->spec;
	memcpy((char *) spec + VARHDRSZ, VARDATA_ANY(value), SPEC_SIZE);
	if (spec->grid < DP_GRID_MIN || spec->grid > DP_GRID_MAX ||
		spec->lower < -DP_GRID_LIMIT || spec->lower > spec->upper || spec->upper > DP_GRID_LIMIT ||
		spec->max_rows < 1 || spec->cells < 1 || spec->cells > DP_MAX_CELLS)
		refuse("bounds");
	shared->grid = dp_grid_init(spec->grid);
	shared->cells = spec->cells;
	shared->max_rows = spec->max_rows;
	flinfo->fn_extra = shared;
	return shared;
}

/*
 * One row into the state, every case.  The state exists from the first row on,
 * NULL or not, so that whether bounds are refused does not depend on data.
 */
static pg_noinline Datum
accumulate_any(FunctionCallInfo fcinfo, DpValueType type)
{
	CellsState *state = PG_ARGISNULL(0) ? NULL : (CellsState *) PG_GETARG_POINTER(0);
	int64		place = DP_GRID_NONE;

	if (state == NULL)
	{
		if (PG_ARGISNULL(2))
			refuse("bounds");
		state = new_state(dp_aggregate_context(fcinfo),
						  read_spec(fcinfo->flinfo, PG_GETARG_BYTEA_PP(2)));
	}
	if (!PG_ARGISNULL(1))
		place = dp_aggregate_any_place(PG_GETARG_DATUM(1), type, state->shared->grid.grid);
	if (place != DP_GRID_NONE)
		add_row(state, dp_cell_of(&state->shared->spec, place));
	PG_RETURN_POINTER(state);
}

/* One row into the state: the usual case, or a tail call. */
static pg_attribute_always_inline Datum
accumulate(FunctionCallInfo fcinfo, DpValueType type)
{
	CellsState *state = (CellsState *) PG_GETARG_POINTER(0);
	int64		place;

	if (unlikely(PG_ARGISNULL(0) || PG_ARGISNULL(1)))
		return accumulate_any(fcinfo, type);
	place = dp_aggregate_quick_place(PG_GETARG_DATUM(1), type, &state->shared->grid);
	if (unlikely(place == DP_GRID_NONE))
		return accumulate_any(fcinfo, type);
	add_row(state, dp_cell_of(&state->shared->spec, place));
	PG_RETURN_POINTER(state);
}

#define DP_ACCUMULATE(name, type) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		return accumulate(fcinfo, type); \
	} \
	extern Datum name(PG_FUNCTION_ARGS)

/* add_cell(internal, type, bytea) */
DP_ACCUMULATE(dp_aggregate_add_cell_int2, DP_VALUE_SMALLINT);
DP_ACCUMULATE(dp_aggregate_add_cell_int4, DP_VALUE_INTEGER);
DP_ACCUMULATE(dp_aggregate_add_cell_int8, DP_VALUE_BIGINT);
DP_ACCUMULATE(dp_aggregate_add_cell_numeric, DP_VALUE_NUMERIC);
DP_ACCUMULATE(dp_aggregate_add_cell_float4, DP_VALUE_REAL);
DP_ACCUMULATE(dp_aggregate_add_cell_float8, DP_VALUE_DOUBLE);

void
dp_aggregate_read_cells(const bytea *value, DpCells *cells)
{
	const bytea *plain = pg_detoast_datum_packed(unconstify(bytea *, value));
	Size		size = VARSIZE_ANY_EXHDR(plain);
	int64		before = -1;

	if (size < sizeof(DpCellsHeader) || (size - sizeof(DpCellsHeader)) % DP_CELL_ENTRY != 0)
		refuse("summary");
	memcpy(&cells->header, VARDATA_ANY(plain), sizeof(DpCellsHeader));
	cells->data = VARDATA_ANY(plain) + sizeof(DpCellsHeader);
	cells->entries = (size - sizeof(DpCellsHeader)) / DP_CELL_ENTRY;
	cells->total = 0;
	if (cells->header.cells < 1 || cells->header.cells > DP_MAX_CELLS ||
		cells->header.max_rows < 1)
		refuse("summary");
	for (uint32 i = 0; i < cells->entries; i++)
	{
		uint64		weight;
		uint32		cell = dp_cells_entry(cells, i, &weight);

		if (cell <= before || cell >= cells->header.cells || weight < 1 ||
			weight > DP_MAX_CELLS_WEIGHT - cells->total)
			refuse("summary");
		before = cell;
		cells->total += weight;
	}
}

/* Add a summary to a state. */
static void
add_summary(CellsState *state, const DpCells *cells)
{
	if (cells->header.cells != state->shared->cells ||
		cells->header.max_rows != state->shared->max_rows)
		refuse("summary");
	if (state->cell && cells->entries > state->capacity - state->entries)
		reserve(state, state->entries + cells->entries);
	for (uint32 i = 0; i < cells->entries; i++)
	{
		uint64		weight;
		uint32		cell = dp_cells_entry(cells, i, &weight);

		add_weight(state, cell, weight);
	}
	state->rows += cells->header.rows;
}

/* add_cells(internal, bytea): the summary of a unit. */
Datum
dp_aggregate_add_cells(PG_FUNCTION_ARGS)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	CellsState *state = PG_ARGISNULL(0) ? NULL : (CellsState *) PG_GETARG_POINTER(0);
	DpCells		cells;

	if (PG_ARGISNULL(1))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	dp_aggregate_read_cells(PG_GETARG_BYTEA_PP(1), &cells);
	if (state == NULL)
		state = new_total(context, &cells.header);
	add_summary(state, &cells);
	PG_RETURN_POINTER(state);
}

/*
 * add_cells(internal, bytea, bytea): those rows of a unit that another server
 * holds, as exact_cells returned them.  Errors: 22023 unless they are rows,
 * each of weight 1, in the cells of this specification.
 */
Datum
dp_aggregate_add_cells_part(PG_FUNCTION_ARGS)
{
	CellsState *state = PG_ARGISNULL(0) ? NULL : (CellsState *) PG_GETARG_POINTER(0);
	DpCells		cells;

	if (state == NULL)
	{
		const DpCellSpec *spec;

		if (PG_ARGISNULL(2))
			refuse("bounds");
		spec = read_spec(fcinfo->flinfo, PG_GETARG_BYTEA_PP(2));
		state = new_state(dp_aggregate_context(fcinfo), spec->cells, spec->max_rows);
	}
	if (!PG_ARGISNULL(1))
	{
		dp_aggregate_read_cells(PG_GETARG_BYTEA_PP(1), &cells);
		if (cells.header.max_rows != state->max_rows || cells.header.rows != cells.total ||
			state->rows > DP_MAX_CELLS_WEIGHT)
			refuse("summary");
		add_summary(state, &cells);
	}
	PG_RETURN_POINTER(state);
}

/* cells_combine(internal, internal): add the second state into the first. */
Datum
dp_aggregate_cells_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	CellsState *into = PG_ARGISNULL(0) ? NULL : (CellsState *) PG_GETARG_POINTER(0);
	CellsState *from = PG_ARGISNULL(1) ? NULL : (CellsState *) PG_GETARG_POINTER(1);

	if (from == NULL)
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	if (into == NULL)
	{
		DpCellsHeader header = {.cells = from->shared->cells,.max_rows = from->shared->max_rows};

		into = new_total(context, &header);
	}
	if (into->shared->cells != from->shared->cells || into->shared->max_rows != from->shared->max_rows)
		refuse("summary");
	if (from->cell == NULL && into->cell)
		make_array(into);
	for (uint32 i = 0; from->cell == NULL && i < from->shared->cells; i++)
		into->weight[i] += from->weight[i];
	for (uint32 i = 0; i < from->entries; i++)
		add_weight(into, from->cell[i], weight_at(from, i));
	into->rows += from->rows;
	PG_RETURN_POINTER(into);
}

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
sort_with_weights(CellsState *state)
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
sort_list(CellsState *state)
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

/* Of a unit with too many rows each counts in part, rounded down. */
static uint64
scale(const CellsState *state, uint64 rows, bool of_unit)
{
	uint64		max_rows = state->shared->max_rows;

	if (!of_unit)
		return rows;
	if (state->rows <= max_rows)
		return rows << DP_CELL_WEIGHT_BITS;
	return (uint64) ((((uint128) rows * max_rows) << DP_CELL_WEIGHT_BITS) / state->rows);
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
put_list(char *data, const CellsState *state, bool of_unit)
{
	uint32		i = 0;

	while (i < state->entries)
	{
		uint32		cell = state->cell[i];
		uint64		weight = 0;

		for (; i < state->entries && state->cell[i] == cell; i++)
			weight += weight_at(state, i);
		data = put_entry(data, cell, scale(state, weight, of_unit));
	}
	return data;
}

/* The state as a value, in the current memory context. */
static bytea *
make_summary(CellsState *state, bool of_unit)
{
	const CellsShared *shared = state->shared;
	DpCellsHeader header = {.cells = shared->cells,.rows = state->rows,.max_rows = shared->max_rows};
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
		data = put_list(data, state, of_unit);
	}
	for (uint32 i = 0; state->cell == NULL && i < shared->cells; i++)
		data = put_entry(data, i, scale(state, state->weight[i], of_unit));
	SET_VARSIZE(result, data - (char *) result);
	return result;
}

/* cells_serialize(internal): the state as a summary. */
Datum
dp_aggregate_cells_serialize(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(make_summary((CellsState *) PG_GETARG_POINTER(0), false));
}

/*
 * cells_deserialize(bytea, internal): the state again, in the current memory
 * context.  Errors: 22023 for bytes no serialization produces.
 */
Datum
dp_aggregate_cells_deserialize(PG_FUNCTION_ARGS)
{
	CellsState *state;
	DpCells		cells;

	dp_aggregate_read_cells(PG_GETARG_BYTEA_PP(0), &cells);
	state = new_total(CurrentMemoryContext, &cells.header);
	add_summary(state, &cells);
	PG_RETURN_POINTER(state);
}

/* Final function of exact_cells and exact_cells_total: the summary, NULL without rows. */
Datum
dp_aggregate_exact_cells(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(make_summary((CellsState *) PG_GETARG_POINTER(0), false));
}

/* Final function of unit_cells: what the unit contributes, NULL without rows. */
Datum
dp_aggregate_unit_cells(PG_FUNCTION_ARGS)
{
	CellsState *state = PG_ARGISNULL(0) ? NULL : (CellsState *) PG_GETARG_POINTER(0);

	if (state == NULL || state->rows == 0)
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(make_summary(state, true));
}
