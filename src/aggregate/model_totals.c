/* SPDX-License-Identifier: PostgreSQL */
/*
 * model_totals.c
 *	  The exact aggregate over coordinates of rows, for models: see models/layout.h.
 *
 *		exact_model(spec, rows, value, ...)
 *
 * A row brings the number of rows that its unit has, which says what it weighs, and a number
 * for each block: coordinates and places of keys.  Whatever these are, they are brought within their
 * ranges here, and a row without one of them is skipped: what a row can add depends on nothing
 * but this file.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "aggregate/exact.h"
#include "aggregate/state.h"
#include "base/compat_varlena.h"
#include "base/sql_function.h"
#include "models/layout.h"
#include "models/products.h"

#define SPEC_SIZE (sizeof(DpModelSpec) - VARHDRSZ)

/* Arguments of the transition before those of the blocks: state, spec, rows. */
#define FIRST_VALUE 3

/* Totals of the rows so far. */
typedef struct ModelState
{
	DpModelSpec spec;
	int			sums;			/* products of entries */
	DpModelProducts *products;
} ModelState;

PG_FUNCTION_INFO_V1(dp_aggregate_coordinate_boolean);
PG_FUNCTION_INFO_V1(dp_aggregate_add_model);
PG_FUNCTION_INFO_V1(dp_aggregate_model_combine);
PG_FUNCTION_INFO_V1(dp_aggregate_model_serialize);
PG_FUNCTION_INFO_V1(dp_aggregate_model_deserialize);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_model);

/*
 * Where a value lies above the lower bound in argument 1, so many steps a unit, as a coordinate; NULL for
 * NaN.  Total: never an error, whatever the bounds.
 */
static Datum
coordinate(FunctionCallInfo fcinfo, double value)
{
	double		place = (value - PG_GETARG_FLOAT8(1)) * PG_GETARG_FLOAT8(2);

	if (unlikely(isnan(place)))
		PG_RETURN_NULL();
	if (place <= 0)
		PG_RETURN_INT32(-DP_MODEL_GRID);
	if (place >= 2 * DP_MODEL_GRID)
		PG_RETURN_INT32(DP_MODEL_GRID);
	PG_RETURN_INT32((int32) (place + 0.5) - DP_MODEL_GRID);
}

/* coordinate(value, lower, steps) */
DP_SQL_FUNCTION(dp_aggregate_coordinate_int2, coordinate(fcinfo, PG_GETARG_INT16(0)));
DP_SQL_FUNCTION(dp_aggregate_coordinate_int4, coordinate(fcinfo, PG_GETARG_INT32(0)));
DP_SQL_FUNCTION(dp_aggregate_coordinate_int8, coordinate(fcinfo, (double) PG_GETARG_INT64(0)));
DP_SQL_FUNCTION(dp_aggregate_coordinate_float4, coordinate(fcinfo, PG_GETARG_FLOAT4(0)));
DP_SQL_FUNCTION(dp_aggregate_coordinate_float8, coordinate(fcinfo, PG_GETARG_FLOAT8(0)));
DP_SQL_FUNCTION(dp_aggregate_coordinate_numeric, coordinate(fcinfo, DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, PG_GETARG_DATUM(0)))));
DP_SQL_FUNCTION(dp_aggregate_coordinate_date, coordinate(fcinfo, PG_GETARG_DATEADT(0)));
DP_SQL_FUNCTION(dp_aggregate_coordinate_timestamp, coordinate(fcinfo, (double) PG_GETARG_INT64(0)));

/* coordinate(value) */
Datum
dp_aggregate_coordinate_boolean(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(PG_GETARG_BOOL(0) ? DP_MODEL_GRID : -DP_MODEL_GRID);
}

/* A state without rows, in a memory context.  22023 unless the specification is sane. */
static ModelState *
make_state(MemoryContext context, const char *spec)
{
	ModelState *state = MemoryContextAllocZero(context, sizeof(ModelState));
	int			entries;

	memcpy((char *) &state->spec + VARHDRSZ, spec, SPEC_SIZE);
	if (!dp_models_model_spec_is_sane(&state->spec))
		dp_aggregate_refuse("model");
	entries = dp_models_model_entries(&state->spec);
	state->sums = entries * (entries + 1) / 2;
	state->products = dp_models_model_products_init(MemoryContextAllocZero(context, dp_models_model_products_size(entries)), entries);
	return state;
}

/* The state that the first row begins with: a number for each block is what it is to bring. */
static ModelState *
start(FunctionCallInfo fcinfo)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	const bytea *spec;
	ModelState *state;

	if (PG_ARGISNULL(1))
		dp_aggregate_refuse("model");
	spec = PG_GETARG_BYTEA_PP(1);
	if (VARSIZE_ANY_EXHDR(spec) != SPEC_SIZE)
		dp_aggregate_refuse("model");
	state = make_state(context, VARDATA_ANY(spec));
	if (PG_NARGS() != FIRST_VALUE + state->spec.blocks)
		dp_aggregate_refuse("model");
	for (int i = FIRST_VALUE; i < PG_NARGS(); i++)
		if (get_fn_expr_argtype(fcinfo->flinfo, i) != INT4OID)
			dp_aggregate_refuse("model");
	return state;
}

/* add_model(state, spec, rows, value, ...) */
Datum
dp_aggregate_add_model(PG_FUNCTION_ARGS)
{
	ModelState *state = PG_ARGISNULL(0) ? start(fcinfo) : (ModelState *) PG_GETARG_POINTER(0);
	int32		value[DP_MODEL_MOST_BLOCKS];
	int32		vector[DP_MODEL_MOST_ENTRIES];

	if (PG_ARGISNULL(2))
		PG_RETURN_POINTER(state);
	for (int i = 0; i < state->spec.blocks; i++)
	{
		if (PG_ARGISNULL(FIRST_VALUE + i))
			PG_RETURN_POINTER(state);
		value[i] = PG_GETARG_INT32(FIRST_VALUE + i);
	}
	if (PG_GETARG_INT64(2) < 1 || !dp_models_model_vector(&state->spec, value, vector))
		PG_RETURN_POINTER(state);
	dp_models_model_products_add(state->products, vector, dp_models_model_weight(&state->spec, PG_GETARG_INT64(2)));
	PG_RETURN_POINTER(state);
}

/* A state that another process, or nobody, changes no more. */
static ModelState *
settled(FunctionCallInfo fcinfo, int n)
{
	ModelState *state = PG_ARGISNULL(n) ? NULL : (ModelState *) PG_GETARG_POINTER(n);

	if (state)
		dp_models_model_products_settle(state->products);
	return state;
}

/* model_combine(internal, internal): add the second state into the first. */
Datum
dp_aggregate_model_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	ModelState *into = settled(fcinfo, 0);
	ModelState *from = settled(fcinfo, 1);

	if (from == NULL && into == NULL)
		PG_RETURN_NULL();
	if (from == NULL)
		PG_RETURN_POINTER(into);
	if (into == NULL)
		into = make_state(context, (char *) &from->spec + VARHDRSZ);
	if (memcmp((char *) &into->spec + VARHDRSZ, (char *) &from->spec + VARHDRSZ, SPEC_SIZE) != 0)
		dp_aggregate_refuse("model");
	for (int i = 0; i < into->sums; i++)
		into->products->total[i] += from->products->total[i];
	PG_RETURN_POINTER(into);
}

/* model_serialize(internal): specification and totals as a bytea. */
Datum
dp_aggregate_model_serialize(PG_FUNCTION_ARGS)
{
	ModelState *state = settled(fcinfo, 0);
	Size		size = VARHDRSZ + SPEC_SIZE + state->sums * sizeof(DpModelTotal);
	bytea	   *result = palloc(size);

	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), (char *) &state->spec + VARHDRSZ, SPEC_SIZE);
	memcpy(VARDATA(result) + SPEC_SIZE, state->products->total, state->sums * sizeof(DpModelTotal));
	PG_RETURN_BYTEA_P(result);
}

/* Can so many rows have these totals?  None is more than that of the first, which is their weight. */
static bool
totals_are_sane(const ModelState *state)
{
	for (int i = 0; i < state->sums; i++)
		if (state->products->total[i] > state->products->total[0] || state->products->total[i] < -state->products->total[0])
			return false;
	return state->products->total[0] <= (DpModelTotal) 1 << 100;
}

/*
 * model_deserialize(bytea, internal): the state again, in the current memory context.  Errors: 22023 for
 * what no rows can have come to.
 */
Datum
dp_aggregate_model_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	ModelState *state;

	if (VARSIZE_ANY_EXHDR(value) < SPEC_SIZE)
		dp_aggregate_refuse("state");
	state = make_state(CurrentMemoryContext, VARDATA_ANY(value));
	if (VARSIZE_ANY_EXHDR(value) != SPEC_SIZE + state->sums * sizeof(DpModelTotal))
		dp_aggregate_refuse("state");
	memcpy(state->products->total, VARDATA_ANY(value) + SPEC_SIZE, state->sums * sizeof(DpModelTotal));
	if (!totals_are_sane(state))
		dp_aggregate_refuse("state");
	PG_RETURN_POINTER(state);
}

/* Final function of exact_model: the totals of all rows; without any, NULL. */
Datum
dp_aggregate_exact_model(PG_FUNCTION_ARGS)
{
	ModelState *state = settled(fcinfo, 0);
	__int128	totals[DP_MODEL_MOST_TOTALS];

	if (state == NULL)
		PG_RETURN_NULL();
	dp_models_model_read_totals(&state->spec, state->products->total, totals);
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(dp_models_model_totals(&state->spec), totals));
}
