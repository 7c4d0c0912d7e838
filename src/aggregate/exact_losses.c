/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact_losses.c
 *	  The exact aggregate of losses: for each of many models, the sum over rows of what it
 *	  loses on them, each times the row's weight.
 *
 * A row weighs as much as it may where its unit has so many (models/layout.h).  One that is no row of
 * a model's takes as long as any other, and adds nothing.  Totals are integers: the order of rows does not matter.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregate/exact.h"
#include "aggregate/loss_spec.h"
#include "aggregate/state.h"
#include "base/compat_varlena.h"

/* Arguments of the transition before coordinates: state, spec, rows, y. */
#define FIRST_VALUE 4

/* A state, of so many models; what they are is known where it gets rows. */
typedef struct LossState
{
	int			count;
	DpModelSpec columns;
	DpModels   *models;
	DpLossTotal *total;
} LossState;

PG_FUNCTION_INFO_V1(dp_aggregate_target);
PG_FUNCTION_INFO_V1(dp_aggregate_add_losses);
PG_FUNCTION_INFO_V1(dp_aggregate_losses_combine);
PG_FUNCTION_INFO_V1(dp_aggregate_losses_serialize);
PG_FUNCTION_INFO_V1(dp_aggregate_losses_deserialize);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_losses);

/* An empty state of so many models, in the current memory context; palloc aligns to less than totals need. */
static LossState *
new_state(int count)
{
	LossState  *state = palloc0(sizeof(LossState));

	state->count = count;
	state->total = (DpLossTotal *) TYPEALIGN(sizeof(DpLossTotal), palloc0((count + 1) * sizeof(DpLossTotal)));
	return state;
}

/* The type of an argument, under domains, looked up once. */
static Oid
type_of(FunctionCallInfo fcinfo)
{
	Oid		   *type = fcinfo->flinfo->fn_extra;

	if (type == NULL)
	{
		type = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Oid));
		*type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 0));
		fcinfo->flinfo->fn_extra = type;
	}
	return *type;
}

/* A number in such units, as a score; NULL for NaN. */
static Datum
target(FunctionCallInfo fcinfo, double value)
{
	double		units = ldexp(value / PG_GETARG_FLOAT8(1), DP_SCORE_BITS);

	if (isnan(units))
		PG_RETURN_NULL();
	PG_RETURN_INT64((int64) rint(Min(Max(units, -(double) DP_MOST_TARGET), (double) DP_MOST_TARGET)));
}

/*
 * target(y, unit): a number in these units, as what models say of it is; a condition as 1 or -1.  Total: never an
 * error, whatever the unit, of the types that dp_select_model asks it of.
 */
Datum
dp_aggregate_target(PG_FUNCTION_ARGS)
{
	Datum		value = PG_GETARG_DATUM(0);

	switch (type_of(fcinfo))
	{
		case BOOLOID:
			PG_RETURN_INT64(DatumGetBool(value) ? 1 : -1);
		case INT2OID:
			return target(fcinfo, DatumGetInt16(value));
		case INT4OID:
			return target(fcinfo, DatumGetInt32(value));
		case INT8OID:
			return target(fcinfo, (double) DatumGetInt64(value));
		case NUMERICOID:
			return target(fcinfo, DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value)));
		case FLOAT4OID:
			return target(fcinfo, DatumGetFloat4(value));
		case FLOAT8OID:
			return target(fcinfo, DatumGetFloat8(value));
		default:
			dp_aggregate_refuse("type");
			PG_RETURN_NULL();
	}
}

static bool
is_sane(const DpLossSpec *spec)
{
	Size		size = VARSIZE(spec);

	return size >= offsetof(DpLossSpec, weight) &&
		dp_models_model_spec_is_sane(&spec->columns) &&
		spec->models >= 1 && spec->models <= DP_MOST_MODELS &&
		size == offsetof(DpLossSpec, weight) +
		(Size) spec->models * (dp_models_model_coordinates(&spec->columns) + 1) * sizeof(int32) &&
		spec->loss >= 0 && spec->loss < DP_LOSSES &&
		spec->bound >= DP_LEAST_LOSS_BOUND && spec->bound <= DP_MOST_LOSS_BOUND;
}

/* A state for rows, in the aggregate's context: the first row's specification is that of all. */
static LossState *
begin(FunctionCallInfo fcinfo)
{
	MemoryContext old = MemoryContextSwitchTo(dp_aggregate_context(fcinfo));
	DpLossSpec *spec;
	LossState  *state;
	int			terms;

	if (PG_ARGISNULL(1))
		dp_aggregate_refuse("models");
	spec = (DpLossSpec *) PG_GETARG_BYTEA_P_COPY(1);
	if (!is_sane(spec) || PG_NARGS() != FIRST_VALUE + spec->columns.blocks - 1)
		dp_aggregate_refuse("models");
	for (int i = FIRST_VALUE; i < PG_NARGS(); i++)
		if (get_fn_expr_argtype(fcinfo->flinfo, i) != INT4OID)
			dp_aggregate_refuse("models");
	terms = dp_models_model_coordinates(&spec->columns) + 1;
	for (int i = 0; i < spec->models * terms; i++)
		if (spec->weight[i] > DP_MOST_WEIGHT << DP_WEIGHT_BITS || spec->weight[i] < -(DP_MOST_WEIGHT << DP_WEIGHT_BITS))
			dp_aggregate_refuse("models");
	state = new_state(spec->models);
	state->columns = spec->columns;
	state->models = palloc(sizeof(DpModels));
	dp_models_init(state->models, (DpLoss) spec->loss, spec->bound, spec->models, terms, spec->weight);
	MemoryContextSwitchTo(old);
	return state;
}

/* Read a row: false if a value is missing or none of its column's. */
static bool
read_row(FunctionCallInfo fcinfo, const LossState *state, int32 *vector, int64 *y)
{
	int32		value[DP_MODEL_MOST_BLOCKS];
	int			blocks = state->columns.blocks - 1;

	for (int i = 2; i < FIRST_VALUE + blocks; i++)
		if (PG_ARGISNULL(i))
			return false;
	for (int i = 0; i < blocks; i++)
		value[i] = PG_GETARG_INT32(FIRST_VALUE + i);
	value[blocks] = 0;
	*y = PG_GETARG_INT64(3);
	return PG_GETARG_INT64(2) >= 1 && *y <= DP_MOST_TARGET && *y >= -DP_MOST_TARGET &&
		dp_models_model_vector(&state->columns, value, vector);
}

/* add_losses(internal, spec, rows, y, value, ...) */
Datum
dp_aggregate_add_losses(PG_FUNCTION_ARGS)
{
	LossState  *state = PG_ARGISNULL(0) ? begin(fcinfo) : (LossState *) PG_GETARG_POINTER(0);
	int32		vector[DP_MODEL_MOST_ENTRIES] = {0};
	int64		y = 1;
	uint32		weight = 0;

	if (read_row(fcinfo, state, vector, &y))
		weight = (uint32) dp_models_model_weight(&state->columns, PG_GETARG_INT64(2));
	dp_models_add(state->models, vector, y, weight, state->total);
	PG_RETURN_POINTER(state);
}

/* losses_combine(internal, internal): add the second state into the first. */
Datum
dp_aggregate_losses_combine(PG_FUNCTION_ARGS)
{
	MemoryContext old = MemoryContextSwitchTo(dp_aggregate_context(fcinfo));
	LossState  *into = PG_ARGISNULL(0) ? NULL : (LossState *) PG_GETARG_POINTER(0);
	const LossState *from = PG_ARGISNULL(1) ? NULL : (LossState *) PG_GETARG_POINTER(1);

	if (into == NULL && from != NULL)
		into = new_state(from->count);
	MemoryContextSwitchTo(old);
	if (into == NULL)
		PG_RETURN_NULL();
	if (from != NULL && into->count != from->count)
		dp_aggregate_refuse("state");
	for (int i = 0; from != NULL && i < into->count; i++)
		into->total[i] += from->total[i];
	PG_RETURN_POINTER(into);
}

/* losses_serialize(internal): the totals of a state, as those of a result. */
Datum
dp_aggregate_losses_serialize(PG_FUNCTION_ARGS)
{
	const LossState *state = (LossState *) PG_GETARG_POINTER(0);

	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(state->count, (const __int128 *) state->total));
}

/* losses_deserialize(bytea, internal): a state that only adds to another, in the current memory context. */
Datum
dp_aggregate_losses_deserialize(PG_FUNCTION_ARGS)
{
	const bytea *value = PG_GETARG_BYTEA_PP(0);
	int			count = dp_aggregate_count_totals(value);
	LossState  *state;

	if (count < 1 || count > DP_MOST_MODELS)
		dp_aggregate_refuse("state");
	state = new_state(count);
	dp_aggregate_read_totals(value, count, (__int128 *) state->total);
	PG_RETURN_POINTER(state);
}

/* Final function of exact_losses: the totals; NULL without rows of any kind. */
Datum
dp_aggregate_exact_losses(PG_FUNCTION_ARGS)
{
	const LossState *state;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (LossState *) PG_GETARG_POINTER(0);
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(state->count, (const __int128 *) state->total));
}
