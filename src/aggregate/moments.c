/* SPDX-License-Identifier: PostgreSQL */
/*
 * moments.c
 *	  The exact aggregates over moments: see moments.h.
 *
 * exact_moments adds up rows that are units.  Pairs of values come as one bigint, made by
 * place_pair.  NULL and NaN are skipped, infinities count as the bound they exceed.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "aggregate/place.h"
#include "aggregate/state.h"
#include "base/compat_varlena.h"
#include "base/sql_function.h"

#define SPEC_SIZE (sizeof(DpMomentsSpec) - VARHDRSZ)

/* Data that all states share, in memory that outlives them. */
typedef struct MomentsBounds
{
	DpMomentsSpec spec;
	DpGrid		grid;			/* of x */
	DpGrid		grid_y;
	int64		width_x;
	int64		width_y;
	int			parts;
	Datum		constant;		/* the argument, if it stays the same; or 0 */
} MomentsBounds;

/* One chunk per group in the aggregate's context. */
typedef struct MomentsState
{
	const MomentsBounds *bounds;
	DpMoment	sum[DP_MOMENTS_MOST];
} MomentsState;

/* A state between processes of one server. */
typedef struct SavedMoments
{
	DpMomentsSpec spec;
	uint64		half[2 * DP_MOMENTS_MOST];	/* low, high */
} SavedMoments;

PG_FUNCTION_INFO_V1(dp_aggregate_place_pair);
PG_FUNCTION_INFO_V1(dp_aggregate_moments_combine);
PG_FUNCTION_INFO_V1(dp_aggregate_moments_serialize);
PG_FUNCTION_INFO_V1(dp_aggregate_moments_deserialize);
PG_FUNCTION_INFO_V1(dp_aggregate_exact_moments);

/*
 * These bounds, shared with what the same FmgrInfo saw before if they are equal,
 * as they are whenever the specification is constant.  22023 unless they are sane.
 */
static const MomentsBounds *
share_bounds(FmgrInfo *flinfo, const char *spec)
{
	MomentsBounds *bounds = flinfo->fn_extra;

	if (bounds != NULL && memcmp((char *) &bounds->spec + VARHDRSZ, spec, SPEC_SIZE) == 0)
		return bounds;
	bounds = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(MomentsBounds));
	memcpy((char *) &bounds->spec + VARHDRSZ, spec, SPEC_SIZE);
	if (!dp_aggregate_moments_spec_is_sane(&bounds->spec))
		dp_aggregate_refuse("bounds");
	bounds->grid = dp_aggregate_grid_init(bounds->spec.grid_x);
	bounds->grid_y = dp_aggregate_grid_init(bounds->spec.grid_y);
	bounds->width_x = bounds->spec.upper_x - bounds->spec.lower_x;
	bounds->width_y = bounds->spec.upper_y - bounds->spec.lower_y;
	bounds->parts = dp_aggregate_moments_parts((DpMomentsShape) bounds->spec.shape);
	flinfo->fn_extra = bounds;
	return bounds;
}

/* The bounds in argument 2. */
static pg_noinline const MomentsBounds *
read_bounds(FunctionCallInfo fcinfo)
{
	MomentsBounds *bounds;
	const bytea *value;

	if (PG_ARGISNULL(2))
		dp_aggregate_refuse("bounds");
	value = PG_GETARG_BYTEA_PP(2);
	if (VARSIZE_ANY_EXHDR(value) != SPEC_SIZE)
		dp_aggregate_refuse("bounds");
	bounds = unconstify(MomentsBounds *, share_bounds(fcinfo->flinfo, VARDATA_ANY(value)));
	if (dp_aggregate_is_constant(fcinfo->flinfo, 2))
		bounds->constant = PG_GETARG_DATUM(2);
	return bounds;
}

/* The same, as read before where they are a constant of the plan. */
static inline const MomentsBounds *
known_bounds(FunctionCallInfo fcinfo)
{
	const MomentsBounds *bounds = fcinfo->flinfo->fn_extra;

	if (likely(bounds != NULL && bounds->constant != (Datum) 0 &&
			   bounds->constant == PG_GETARG_DATUM(2)))
		return bounds;
	return read_bounds(fcinfo);
}

/*
 * place_pair(y, x float8, spec bytea): the places of both within their bounds as
 * one number; NULL if either is NaN.
 */
Datum
dp_aggregate_place_pair(PG_FUNCTION_ARGS)
{
	const MomentsBounds *bounds = known_bounds(fcinfo);
	const DpMomentsSpec *spec = &bounds->spec;
	float8		y = PG_GETARG_FLOAT8(0);
	float8		x = PG_GETARG_FLOAT8(1);
	int64		place_y = dp_aggregate_grid_quick_double(y, &bounds->grid_y);
	int64		place_x = dp_aggregate_grid_quick_double(x, &bounds->grid);

	if (unlikely(place_y == DP_GRID_NONE))
		place_y = dp_aggregate_grid_double(y, spec->grid_y);
	if (unlikely(place_x == DP_GRID_NONE))
		place_x = dp_aggregate_grid_double(x, spec->grid_x);
	if (place_y == DP_GRID_NONE || place_x == DP_GRID_NONE)
		PG_RETURN_NULL();
	PG_RETURN_INT64(dp_aggregate_moments_pair(spec, place_x, place_y));
}

/* Count a row at a place. */
static pg_attribute_always_inline void
add_place(MomentsState *state, DpValueType type, int64 place)
{
	const MomentsBounds *bounds = state->bounds;
	int64		x;
	int64		y;

	if (type != DP_VALUE_BIGINT || bounds->spec.shape == DP_MOMENTS_VARIANCE)
	{
		x = dp_aggregate_moments_from_lower(place, bounds->spec.lower_x, bounds->spec.upper_x);
		dp_aggregate_moments_add(DP_MOMENTS_VARIANCE, state->sum, x, 0);
		return;
	}
	dp_aggregate_moments_unpack(place, bounds->width_x, bounds->width_y, &x, &y);
	dp_aggregate_moments_add((DpMomentsShape) bounds->spec.shape, state->sum, x, y);
}

/* Is the bigint a pair, to be taken as it is? */
static inline bool
is_pair(const MomentsBounds *bounds)
{
	return bounds->spec.shape != DP_MOMENTS_VARIANCE;
}

/*
 * One row into the state, every case.  The state exists from the first row on,
 * so that whether bounds are refused does not depend on data.
 */
static pg_noinline Datum
accumulate_any(FunctionCallInfo fcinfo, DpValueType type)
{
	MomentsState *state = (MomentsState *) PG_GETARG_POINTER(0);
	int64		place = DP_GRID_NONE;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = dp_aggregate_context(fcinfo);
		const MomentsBounds *bounds = read_bounds(fcinfo);

		if (is_pair(bounds) && type != DP_VALUE_BIGINT)
			dp_aggregate_refuse("bounds");
		state = MemoryContextAllocZero(context, sizeof(MomentsState));
		state->bounds = bounds;
	}
	if (!PG_ARGISNULL(1))
		place = is_pair(state->bounds) ? PG_GETARG_INT64(1)
			: dp_aggregate_any_place(PG_GETARG_DATUM(1), type, state->bounds->grid.grid);
	if (place != DP_GRID_NONE)
		add_place(state, type, place);
	PG_RETURN_POINTER(state);
}

/* One row into the state: the usual case, or a tail call. */
static pg_attribute_always_inline Datum
accumulate(FunctionCallInfo fcinfo, DpValueType type)
{
	MomentsState *state = (MomentsState *) PG_GETARG_POINTER(0);
	int64		place;

	if (unlikely(PG_ARGISNULL(0) || PG_ARGISNULL(1)))
		return accumulate_any(fcinfo, type);
	if (type == DP_VALUE_BIGINT && is_pair(state->bounds))
		place = PG_GETARG_INT64(1);
	else
		place = dp_aggregate_quick_place(PG_GETARG_DATUM(1), type, &state->bounds->grid);
	if (unlikely(place == DP_GRID_NONE))
		return accumulate_any(fcinfo, type);
	add_place(state, type, place);
	PG_RETURN_POINTER(state);
}

/* add_moments(internal, type, bytea) */
DP_SQL_FUNCTION(dp_aggregate_add_moments_int2, accumulate(fcinfo, DP_VALUE_SMALLINT));
DP_SQL_FUNCTION(dp_aggregate_add_moments_int4, accumulate(fcinfo, DP_VALUE_INTEGER));
DP_SQL_FUNCTION(dp_aggregate_add_moments_int8, accumulate(fcinfo, DP_VALUE_BIGINT));
DP_SQL_FUNCTION(dp_aggregate_add_moments_numeric, accumulate(fcinfo, DP_VALUE_NUMERIC));
DP_SQL_FUNCTION(dp_aggregate_add_moments_float4, accumulate(fcinfo, DP_VALUE_REAL));
DP_SQL_FUNCTION(dp_aggregate_add_moments_float8, accumulate(fcinfo, DP_VALUE_DOUBLE));

/* moments_combine(internal, internal): add the second state into the first. */
Datum
dp_aggregate_moments_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = dp_aggregate_context(fcinfo);
	MomentsState *into = PG_ARGISNULL(0) ? NULL : (MomentsState *) PG_GETARG_POINTER(0);
	MomentsState *from = PG_ARGISNULL(1) ? NULL : (MomentsState *) PG_GETARG_POINTER(1);

	if (into == NULL && from != NULL)
	{
		into = MemoryContextAlloc(context, sizeof(MomentsState));
		*into = *from;
		PG_RETURN_POINTER(into);
	}
	if (into == NULL)
		PG_RETURN_NULL();
	if (from == NULL)
		PG_RETURN_POINTER(into);
	if (memcmp((char *) &into->bounds->spec + VARHDRSZ, (char *) &from->bounds->spec + VARHDRSZ,
			   SPEC_SIZE) != 0)
		dp_aggregate_refuse("bounds");
	for (int i = 0; i < into->bounds->parts; i++)
		into->sum[i] += from->sum[i];
	PG_RETURN_POINTER(into);
}

/* moments_serialize(internal): the state as a bytea. */
Datum
dp_aggregate_moments_serialize(PG_FUNCTION_ARGS)
{
	const MomentsState *state = (MomentsState *) PG_GETARG_POINTER(0);
	SavedMoments *saved = palloc0(sizeof(SavedMoments));

	saved->spec = state->bounds->spec;
	for (int i = 0; i < state->bounds->parts; i++)
	{
		saved->half[2 * i] = (uint64) state->sum[i];
		saved->half[2 * i + 1] = (uint64) (state->sum[i] >> 64);
	}
	SET_VARSIZE(saved, sizeof(SavedMoments));
	PG_RETURN_BYTEA_P((bytea *) saved);
}

/*
 * moments_deserialize(bytea, internal): the state again, in the current memory
 * context.  Errors: 22023 for bytes of another size, bounds that are not sane and
 * sums of no rows within them.
 */
Datum
dp_aggregate_moments_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	MomentsState *state = palloc0(sizeof(MomentsState));
	SavedMoments saved = {0};

	if (VARSIZE_ANY_EXHDR(value) != sizeof(SavedMoments) - VARHDRSZ)
		dp_aggregate_refuse("state");
	memcpy((char *) &saved + VARHDRSZ, VARDATA_ANY(value), sizeof(SavedMoments) - VARHDRSZ);
	state->bounds = share_bounds(fcinfo->flinfo, (char *) &saved.spec + VARHDRSZ);
	for (int i = 0; i < state->bounds->parts; i++)
		state->sum[i] = ((DpMoment) saved.half[2 * i + 1] << 64) | saved.half[2 * i];
	if (!dp_aggregate_moments_sums_are_sane(&state->bounds->spec, state->sum))
		dp_aggregate_refuse("state");
	PG_RETURN_POINTER(state);
}

/*
 * Final function of exact_moments: the features' totals.  Without rows that count zeros; how
 * many of them follows from the state alone, which there is if there was a row of any kind.
 */
Datum
dp_aggregate_exact_moments(PG_FUNCTION_ARGS)
{
	const MomentsState *state;
	const MomentsBounds *bounds;
	DpMoment	features[DP_MOMENTS_MOST];
	__int128	totals[DP_MOMENTS_MOST];

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (MomentsState *) PG_GETARG_POINTER(0);
	bounds = state->bounds;
	dp_aggregate_moments_to_features((DpMomentsShape) bounds->spec.shape, bounds->width_x, bounds->width_y,
									 state->sum, features);
	for (int i = 0; i < bounds->parts; i++)
		totals[i] = (__int128) features[i];
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(bounds->parts, totals));
}
