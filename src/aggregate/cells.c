/*
 * cells.c
 *	  Summaries of rows by cell: the exact aggregates exact_cells, unit_cells and
 *	  exact_cells_total.
 *
 * A state starts as a list of entries, one a row, and becomes an array of all
 * cells when that takes no more memory: never more than eight bytes a cell, and
 * sixteen a row.  NULL and NaN are skipped, infinities clamp.  Weights are added
 * in integers: neither the order of rows nor the number of workers matters.
 *
 * exact_cells counts rows; unit_cells the rows of one unit, scaled down so that
 * together they weigh at most max_rows; exact_cells_total adds up summaries.
 * What comes in as bytes is checked here; bytes that fail raise 22023.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/cells.h"
#include "aggregate/place.h"
#include "aggregate/state.h"
#include "compat.h"

#define SPEC_SIZE (sizeof(DpCellSpec) - VARHDRSZ)
#define FIRST_ENTRIES 8

typedef struct CellEntry
{
	uint64		weight;
	uint32		cell;
} CellEntry;

typedef struct CellsState
{
	MemoryContext context;		/* of all below */
	const DpCellSpec *spec;		/* NULL: no rows are added, only summaries */
	DpGrid		grid;
	uint32		cells;
	uint32		entries;		/* in use; the list is not in order */
	uint32		capacity;
	CellEntry  *entry;			/* NULL: there is an array */
	uint64	   *weight;			/* of each cell, or NULL */
	uint64		rows;
	int64		max_rows;
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
new_state(MemoryContext context, uint32 cells, int64 max_rows)
{
	CellsState *state = MemoryContextAllocZero(context, sizeof(CellsState));

	state->context = context;
	state->cells = cells;
	state->max_rows = max_rows;
	return state;
}

/* Put weight into an array. */
static inline void
add_to_array(CellsState *state, uint32 cell, uint64 weight)
{
	state->weight[cell] += weight;
}

/* From a list to an array. */
static void
make_array(CellsState *state)
{
	state->weight = MemoryContextAllocZero(state->context, state->cells * sizeof(uint64));
	for (uint32 i = 0; i < state->entries; i++)
		add_to_array(state, state->entry[i].cell, state->entry[i].weight);
	if (state->entry)
		pfree(state->entry);
	state->entry = NULL;
	state->entries = state->capacity = 0;
}

/* Room for one more entry: a longer list, or else an array. */
static pg_noinline void
grow(CellsState *state)
{
	uint32		capacity = Max(FIRST_ENTRIES, 2 * state->capacity);
	CellEntry  *entry;

	if (capacity * sizeof(CellEntry) >= state->cells * sizeof(uint64))
	{
		make_array(state);
		return;
	}
	entry = MemoryContextAlloc(state->context, capacity * sizeof(CellEntry));
	if (state->entry)
	{
		memcpy(entry, state->entry, state->entries * sizeof(CellEntry));
		pfree(state->entry);
	}
	state->entry = entry;
	state->capacity = capacity;
}

static inline void
add_weight(CellsState *state, uint32 cell, uint64 weight)
{
	if (state->weight == NULL && state->entries == state->capacity)
		grow(state);
	if (likely(state->weight != NULL))
		add_to_array(state, cell, weight);
	else
		state->entry[state->entries++] = (CellEntry) {weight, cell};
}

/* A sane specification, in memory that outlives all states; 22023 otherwise. */
static const DpCellSpec *
read_spec(FmgrInfo *flinfo, const bytea *value)
{
	DpCellSpec *spec = flinfo->fn_extra;

	if (VARSIZE_ANY_EXHDR(value) != SPEC_SIZE)
		refuse("bounds");
	if (spec && memcmp((char *) spec + VARHDRSZ, VARDATA_ANY(value), SPEC_SIZE) == 0)
		return spec;
	spec = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(DpCellSpec));
	memcpy((char *) spec + VARHDRSZ, VARDATA_ANY(value), SPEC_SIZE);
	if (spec->grid < DP_GRID_MIN || spec->grid > DP_GRID_MAX ||
		spec->lower < -DP_GRID_LIMIT || spec->lower > spec->upper || spec->upper > DP_GRID_LIMIT ||
		spec->max_rows < 1 || spec->cells < 1 || spec->cells > DP_MAX_CELLS)
		refuse("bounds");
	flinfo->fn_extra = spec;
	return spec;
}

/*
 * One row into the state, every case.  The state exists from the first row on,
 * NULL or not, so that whether bounds are refused does not depend on data.
 */
static pg_noinline Datum
accumulate_any(FunctionCallInfo fcinfo, DpValueType type)
{
	CellsState *state;
	int64		place = DP_GRID_NONE;

	if (PG_ARGISNULL(0))
	{
		const DpCellSpec *spec;

		if (PG_ARGISNULL(2))
			refuse("bounds");
		spec = read_spec(fcinfo->flinfo, PG_GETARG_BYTEA_PP(2));
		state = new_state(dp_aggregate_context(fcinfo), spec->cells, spec->max_rows);
		state->spec = spec;
		state->grid = dp_grid_init(spec->grid);
	}
	else
		state = (CellsState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
		place = dp_aggregate_any_place(PG_GETARG_DATUM(1), type, state->grid.grid);
	if (place != DP_GRID_NONE)
	{
		add_weight(state, dp_cell_of(state->spec, place), 1);
		state->rows++;
	}
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
	place = dp_aggregate_quick_place(PG_GETARG_DATUM(1), type, &state->grid);
	if (unlikely(place == DP_GRID_NONE))
		return accumulate_any(fcinfo, type);
	add_weight(state, dp_cell_of(state->spec, place), 1);
	state->rows++;
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
	if (cells->header.cells != state->cells)
		refuse("summary");
	if (state->weight == NULL &&
		((Size) state->entries + cells->entries) * sizeof(CellEntry) >= state->cells * sizeof(uint64))
		make_array(state);
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
		state = new_state(context, cells.header.cells, cells.header.max_rows);
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
		into = new_state(context, from->cells, from->max_rows);
	if (into->cells != from->cells || into->max_rows != from->max_rows)
		refuse("summary");
	if (from->weight && into->weight == NULL)
		make_array(into);
	for (uint32 i = 0; from->weight && i < from->cells; i++)
		add_to_array(into, i, from->weight[i]);
	for (uint32 i = 0; i < from->entries; i++)
		add_weight(into, from->entry[i].cell, from->entry[i].weight);
	into->rows += from->rows;
	PG_RETURN_POINTER(into);
}

static int
compare_cells(const void *a, const void *b)
{
	uint32		x = ((const CellEntry *) a)->cell;
	uint32		y = ((const CellEntry *) b)->cell;

	return (x > y) - (x < y);
}

/* Bring the list into order, and entries of one cell together. */
static void
sort_entries(CellsState *state)
{
	uint32		n = 0;

	qsort(state->entry, state->entries, sizeof(CellEntry), compare_cells);
	for (uint32 i = 0; i < state->entries; i++)
	{
		if (n > 0 && state->entry[n - 1].cell == state->entry[i].cell)
			state->entry[n - 1].weight += state->entry[i].weight;
		else
			state->entry[n++] = state->entry[i];
	}
	state->entries = n;
}

/* Of a unit with too many rows each counts in part, rounded down. */
static uint64
scale(const CellsState *state, uint64 rows, bool of_unit)
{
	if (!of_unit)
		return rows;
	if (state->rows <= (uint64) state->max_rows)
		return rows << DP_CELL_WEIGHT_BITS;
	return (uint64) ((((uint128) rows * (uint64) state->max_rows) << DP_CELL_WEIGHT_BITS) / state->rows);
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

/* The state as a value, in the current memory context. */
static bytea *
make_summary(CellsState *state, bool of_unit)
{
	DpCellsHeader header = {.cells = state->cells,.rows = state->rows,.max_rows = state->max_rows};
	uint32		most = 0;
	bytea	   *result;
	char	   *data;

	if (state->entry)
		sort_entries(state);
	for (uint32 i = 0; state->weight && i < state->cells; i++)
		most += state->weight[i] > 0;
	most += state->entries;
	result = palloc(VARHDRSZ + sizeof(header) + most * DP_CELL_ENTRY);
	memcpy(VARDATA(result), &header, sizeof(header));
	data = VARDATA(result) + sizeof(header);
	for (uint32 i = 0; state->weight && i < state->cells; i++)
		data = put_entry(data, i, scale(state, state->weight[i], of_unit));
	for (uint32 i = 0; i < state->entries; i++)
		data = put_entry(data, state->entry[i].cell, scale(state, state->entry[i].weight, of_unit));
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
	state = new_state(CurrentMemoryContext, cells.header.cells, cells.header.max_rows);
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
