/*
 * log_cells.c
 *	  cells_by_unit(unit, value, spec): the summary of the rows of all units that
 *	  a quantile is drawn from, where there is one group.
 *
 * What unit_cells and exact_cells_total return together, to the byte: each unit's
 * rows weigh at most max_rows in all.  Rows are kept in a log; once they are all
 * there, those of each part's units are counted, and then weighed.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/lsyscache.h"

#include "aggregate/cells_state.h"
#include "aggregate/place.h"
#include "aggregate/state.h"
#include "noise/random.h"
#include "units/log.h"
#include "units/siphash.h"
#include "units/word.h"

PG_FUNCTION_INFO_V1(dp_units_add_cell);
PG_FUNCTION_INFO_V1(dp_units_cells);

typedef struct LogCells
{
	const DpCellsShared *shared;
	DpLog	   *log;
	DpValueType type;			/* of values */
	DpUnitForm	form;			/* of units: DP_UNIT_WORD or DP_UNIT_DIGEST */
	int16		length;			/* of their type */
	DpSipKey	secret;			/* of digests */
	uint64		rows;
	DpCellsState *total;		/* in the end */
} LogCells;

/* The type of values; 22023 unless they are numbers, dates or timestamps. */
static DpValueType
value_type(FmgrInfo *flinfo)
{
	Oid			type = get_fn_expr_argtype(flinfo, 2);

	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return dp_aggregate_value_type(type);
	}
	dp_aggregate_refuse_cells("value");
	pg_unreachable();
}

/*
 * How units are known: by their value, else by a digest, those of sixteen bytes too, as
 * the log's hash looks at the first word.  22023 for types of neither variable nor any
 * fixed length.
 */
static void
describe_units(FmgrInfo *flinfo, LogCells *state)
{
	Oid			type = get_fn_expr_argtype(flinfo, 1);
	bool		by_value;

	if (!OidIsValid(type) || type == UNKNOWNOID)
		dp_aggregate_refuse_cells("unit");
	get_typlenbyval(type, &state->length, &by_value);
	if (!by_value && state->length < -1)
		dp_aggregate_refuse_cells("unit");
	state->form = by_value ? DP_UNIT_WORD : DP_UNIT_DIGEST;
}

/*
 * An empty state.  It exists from the first row on, so that whether bounds are
 * refused does not depend on data.
 */
static LogCells *
new_state(FunctionCallInfo fcinfo)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	LogCells   *state = MemoryContextAllocZero(context, sizeof(LogCells));

	if (PG_ARGISNULL(3))
		dp_aggregate_refuse_cells("bounds");
	state->shared = dp_aggregate_read_cell_spec(fcinfo->flinfo, PG_GETARG_BYTEA_PP(3));
	state->type = value_type(fcinfo->flinfo);
	describe_units(fcinfo->flinfo, state);
	state->secret.word[0] = dp_noise_random64();
	state->secret.word[1] = dp_noise_random64();
	state->log = dp_log_create(context, state->form == DP_UNIT_WORD ? 1 : 2);
	return state;
}

/*
 * add_cell_by_unit(internal, unit, value, spec).  Rows of no unit, NULL and NaN
 * count nowhere.
 */
Datum
dp_units_add_cell(PG_FUNCTION_ARGS)
{
	LogCells   *state = PG_ARGISNULL(0) ? NULL : (LogCells *) PG_GETARG_POINTER(0);
	DpUnitId	unit;
	int64		place;

	if (unlikely(state == NULL))
		state = new_state(fcinfo);
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_POINTER(state);
	place = dp_aggregate_quick_place(PG_GETARG_DATUM(2), state->type, &state->shared->grid);
	if (unlikely(place == DP_GRID_NONE))
		place = dp_aggregate_any_place(PG_GETARG_DATUM(2), state->type, state->shared->grid.grid);
	if (place == DP_GRID_NONE)
		PG_RETURN_POINTER(state);
	unit = dp_units_id(PG_GETARG_DATUM(1), state->form, state->length, &state->secret);
	dp_log_add(state->log, unit.word, dp_cell_of(&state->shared->spec, place));
	state->rows++;
	PG_RETURN_POINTER(state);
}

/* A row of a part whose units all have few. */
static void
add_light_row(void *arg, DpLogUnit unit, uint64 cell)
{
	const LogCells *state = arg;

	state->total->weight[cell] += UINT64CONST(1) << DP_CELL_WEIGHT_BITS;
}

/* A row of a part where some have too many. */
static void
add_row(void *arg, DpLogUnit unit, uint64 cell)
{
	const LogCells *state = arg;
	uint64		rows = dp_log_find(state->log, unit)->rows;

	state->total->weight[cell] += dp_cells_row_weight(rows, state->shared->max_rows);
}

/* Final function: the summary, NULL if no row counted. */
Datum
dp_units_cells(PG_FUNCTION_ARGS)
{
	LogCells   *state = PG_ARGISNULL(0) ? NULL : (LogCells *) PG_GETARG_POINTER(0);

	if (state == NULL || state->rows == 0)
		PG_RETURN_NULL();
	state->total = dp_aggregate_new_cells(dp_aggregate_context(fcinfo), state->shared);
	dp_aggregate_reserve_cells(state->total, state->shared->cells);
	state->total->rows = state->rows;
	for (int i = 0; i < state->log->parts; i++)
	{
		uint64		most = dp_log_count(state->log, i);

		dp_log_visit(state->log, i, most > state->shared->max_rows ? add_row : add_light_row, state);
	}
	dp_log_close(state->log);
	PG_RETURN_BYTEA_P(dp_aggregate_summary(state->total));
}
