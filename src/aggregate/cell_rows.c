/* SPDX-License-Identifier: PostgreSQL */
/*
 * cell_rows.c
 *	  Transition functions of exact_cells, one per type: a row costs
 *	  one conversion to the grid, one multiplication and one increment.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/cells.h"
#include "aggregate/place.h"
#include "aggregate/state.h"
#include "base/sql_function.h"

/* One row into the state, every case. */
static pg_noinline Datum
accumulate_any(FunctionCallInfo fcinfo, DpValueType type)
{
	DpCellsState *state = dp_aggregate_row_cells(fcinfo);
	int64		place = DP_GRID_NONE;

	if (!PG_ARGISNULL(1))
		place = dp_aggregate_any_place(PG_GETARG_DATUM(1), type, state->shared->grid.grid);
	if (place != DP_GRID_NONE)
		dp_aggregate_cells_add_row(state, dp_aggregate_cell_of(&state->shared->spec, place));
	PG_RETURN_POINTER(state);
}

/* One row into the state: the usual case, or a tail call. */
static pg_attribute_always_inline Datum
accumulate(FunctionCallInfo fcinfo, DpValueType type)
{
	DpCellsState *state = (DpCellsState *) PG_GETARG_POINTER(0);
	int64		place;

	if (unlikely(PG_ARGISNULL(0) || PG_ARGISNULL(1)))
		return accumulate_any(fcinfo, type);
	place = dp_aggregate_quick_place(PG_GETARG_DATUM(1), type, &state->shared->grid);
	if (unlikely(place == DP_GRID_NONE))
		return accumulate_any(fcinfo, type);
	dp_aggregate_cells_add_row(state, dp_aggregate_cell_of(&state->shared->spec, place));
	PG_RETURN_POINTER(state);
}

/* add_cell(internal, type, bytea) */
DP_SQL_FUNCTION(dp_aggregate_add_cell_int2, accumulate(fcinfo, DP_VALUE_SMALLINT));
DP_SQL_FUNCTION(dp_aggregate_add_cell_int4, accumulate(fcinfo, DP_VALUE_INTEGER));
DP_SQL_FUNCTION(dp_aggregate_add_cell_int8, accumulate(fcinfo, DP_VALUE_BIGINT));
DP_SQL_FUNCTION(dp_aggregate_add_cell_numeric, accumulate(fcinfo, DP_VALUE_NUMERIC));
DP_SQL_FUNCTION(dp_aggregate_add_cell_float4, accumulate(fcinfo, DP_VALUE_REAL));
DP_SQL_FUNCTION(dp_aggregate_add_cell_float8, accumulate(fcinfo, DP_VALUE_DOUBLE));
