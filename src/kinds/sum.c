/* SPDX-License-Identifier: PostgreSQL */
/*
 * sum.c
 *	  Sums of values, or of distinct ones.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "draw/add_noise.h"
#include "draw/draw_clamp.h"
#include "exact/exact_query.h"
#include "exact/over_units.h"
#include "kinds/kinds.h"
#include "pricing/aggregate_args.h"
#include "pricing/bounded.h"
#include "pricing/clipping.h"
#include "pricing/kind.h"
#include "pricing/shared_noise.h"
#include "pricing/total_cost.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/*
 * Rounding a sum to a coarser grid counts for nothing where the noise is so many times what it
 * moves the sum by, or where answers are rounded to whole numbers anyway.
 */
#define FINE (1 << 20)

/* The scale of a noise, in grid units. */
static double
scale_of(const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN ? (double) noise->sigma : (double) noise->scale_num / noise->scale_den;
}

static bool
can_convert(const DpRelease *asked, const DpRelease *finer)
{
	int			coarser = asked->noise[0].grid - finer->noise[0].grid;

	return coarser > -60 && (coarser <= 0 || (asked->rounded && asked->noise[0].grid == 0) ||
							 scale_of(&finer->noise[0]) >= FINE * ldexp(1, coarser));
}

static Node *
exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	return dp_exact_over_distinct((Node *) dp_tree_make_aggregate("exact_sum", dp_exact_arguments(measure), BYTEAOID),
								  measure);
}

static void
ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
{
	dp_exact_ask_bounded(measure, measure->distinct_values ? DP_UNITS_VALUE_SUM : DP_UNITS_SUM, ask, value);
}

static Node *
part(const DpMeasure *measure)
{
	return (Node *) dp_tree_make_aggregate("unit_sum_part", dp_exact_arguments(measure), BYTEAOID);
}

static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared, DpInt128 *units,
	 bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	dp_draw_read_exact(release, type, value, isnull, totals);
	totals[0] += dp_draw_noise_beside(&release->noise[0], shared);
	return PointerGetDatum(dp_aggregate_make_totals(1, totals));
}

/* A sum in another grid, to the nearest. */
static DpInt128
convert(DpInt128 sum, int from, int to)
{
	if (to > from)
		return (sum + ((DpInt128) 1 << (Min(to - from, 126) - 1))) >> Min(to - from, 126);
	return sum * ((DpInt128) 1 << (from - to));
}

static Datum
added_up(const DpRelease *asked, const DpRelease *finer, Oid type, DpInt128 *parts)
{
	parts[0] = convert(parts[0], finer->noise[0].grid, asked->noise[0].grid);
	return PointerGetDatum(dp_aggregate_make_totals(asked->nnoise, parts));
}

/* A unit's total is within the bounds; or each of the distinct values that it covers is. */
static DpReason *
calibrate_sum(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;
	int			values = measure->distinct_values ? measure->most_rows : 1;
	double		bound = Max(fabs(measure->lower), fabs(measure->upper)) * values;
	int			grid;
	uint64		sensitivity;
	DpReason   *reason;

	if (!isfinite(bound))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL,
								 "bounds are too far apart");
	if (bound == 0)
		bound = 1;
	grid = dp_pricing_bounded_grid(measure, contribution, 1, bound, dp_pricing_has_integers(measure->aggref));
	dp_pricing_set_bounds(measure, grid);
	sensitivity = (uint64) Max(llabs(measure->spec.lower), llabs(measure->spec.upper));
	if (sensitivity > (uint64) DP_MAX_SENSITIVITY / values)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL,
								 "bounds are too far apart");
	reason = dp_pricing_calibrate(release, 0, contribution, 1, Max(sensitivity * values, 1),
								  measure->spec.grid, measure->aggref->location);
	if (!measure->distinct_values)
		release->noise[0].direction = dp_pricing_direction(measure->spec.lower, measure->spec.upper);
	return reason;
}

static DpReason *
measure_sum(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	DpReason   *reason = dp_pricing_read_bounded(block, contribution, statement, measure, &dp_kinds_sum);

	if (reason)
		return reason;
	if (dp_pricing_clips(contribution) && aggref->aggdistinct == NIL)
		return dp_pricing_clip_sum(measure, contribution, dp_pricing_has_integers(aggref));
	return calibrate_sum(measure, contribution);
}

/* Whatever carries it knows what its values add up to. */
static bool
can_be_part(const DpMeasure *measure, const DpMeasure *carrier)
{
	return true;
}

static Node *
value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	if (dp_pricing_is_clipped(&measure->release))
		return dp_rewrite_clamped_value(rewrite, measure, number);
	return dp_rewrite_convert_total(measure->aggref, dp_rewrite_totals(rewrite, number), measure->spec.grid);
}

static const DpFunction asked_by[] = {DP_FUNCTION_SUM, DP_FUNCTION_OTHER};

const DpKind dp_kinds_sum = {
	.number = DP_RELEASE_SUM,
	.totals = 1,
	.bounds_totals = true,
	.goes_with_groups = true,
	.scale = dp_pricing_scale_release,
	.can_convert = can_convert,
	.knows_rows = true,
	.exact = exact,
	.ask = ask,
	.part = part,
	.draw = draw,
	.draw_clamped = dp_draw_clamped_total,
	.noise_weight = 1,
	.added_up = added_up,
	.functions = asked_by,
	.measure = measure_sum,
	.can_be_part = can_be_part,
	.value = value,
	.part_value = dp_rewrite_part_value,
};
