/* SPDX-License-Identifier: PostgreSQL */
/*
 * mean.c
 *	  Means of values, or of distinct ones.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "aggregate/exact.h"
#include "aggregate/ladder.h"
#include "aggregate/moments.h"
#include "draw/add_noise.h"
#include "draw/draw_clamp.h"
#include "exact/exact_query.h"
#include "exact/over_units.h"
#include "from/contribution.h"
#include "kinds/kinds.h"
#include "kinds/mean.h"
#include "pricing/aggregate_args.h"
#include "pricing/bounded.h"
#include "pricing/clipping.h"
#include "pricing/kind.h"
#include "pricing/statistic.h"
#include "pricing/total_cost.h"
#include "rewrite/interval.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

double
dp_kinds_mean_factor(const DpRelease *release)
{
	return release->noise[0].mechanism == DP_GAUSSIAN ? sqrt(2) : 1;
}

DpToldRows
dp_kinds_mean_told_rows(const DpRelease *release)
{
	const DpNoise *noise = &release->noise[1];

	if (noise->mechanism == DP_GAUSSIAN)
		return (DpToldRows) {.first = 1, .count = 1, .noise = noise, .row = ldexp(1, -noise->grid)};
	return (DpToldRows) {.count = 2, .noise = noise, .row = (double) release->width};
}

static bool
can_convert(const DpRelease *asked, const DpRelease *finer)
{
	const DpNoise *noise = finer->noise;

	return asked->width == finer->width && asked->noise[0].mechanism == noise[0].mechanism &&
		asked->noise[0].grid == noise[0].grid && asked->noise[1].grid == noise[1].grid &&
		(noise[0].mechanism == DP_LAPLACE || noise[1].grid <= 0);
}

Node *
dp_kinds_mean_exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	return dp_exact_over_distinct((Node *) dp_tree_make_aggregate("exact_avg", dp_exact_arguments(measure), BYTEAOID),
								  measure);
}

void
dp_kinds_mean_ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
{
	dp_exact_ask_bounded(measure, measure->distinct_values ? DP_UNITS_VALUE_MEAN : DP_UNITS_MEAN, ask, value);
}

static Node *
part(const DpMeasure *measure)
{
	return (Node *) dp_tree_make_aggregate("unit_part", dp_exact_arguments(measure), BYTEAOID);
}

/*
 * The two totals an average releases, from S = sum of (x - lower) and the
 * number of rows n.  Laplace: S and n * width - S.  Gaussian: the sum about the
 * midpoint in half units, 2 S - n * width, and n on its own grid.
 */
static void
split_average(const DpRelease *release, DpInt128 *totals)
{
	DpInt128	sum = totals[0];
	DpInt128	rows = totals[1];

	if (release->noise[0].mechanism == DP_LAPLACE)
		totals[1] = rows * release->width - sum;
	else
	{
		totals[0] = 2 * sum - rows * release->width;
		totals[1] = dp_draw_to_grid(rows, release->noise[1].grid);
	}
}

Datum
dp_kinds_mean_draw(const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared, DpInt128 *units,
				   bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	dp_draw_read_exact(release, type, value, isnull, totals);
	split_average(release, totals);
	totals[0] += dp_draw_draw_noise(&release->noise[0]);
	totals[1] += dp_draw_draw_noise(&release->noise[1]);
	*units = totals[1] + (release->noise[0].mechanism == DP_LAPLACE ? totals[0] : 0);
	return PointerGetDatum(dp_aggregate_make_totals(2, totals));
}

Datum
dp_kinds_mean_draw_clamped(const DpRelease *release, const DpInt128 *parts, const DpLadderSeen *seen)
{
	int			step = seen->step;
	int			bits = dp_pricing_clip_bits(release, step);
	DpInt128	rows;
	DpInt128	sum = dp_aggregate_ladder_mean(&release->ladder, parts, step, &rows);
	DpInt128	totals[2];

	if (release->noise[0].mechanism == DP_LAPLACE)
	{
		totals[0] = dp_draw_shift(sum, bits);
		totals[1] = dp_draw_shift(rows * release->width - sum, bits);
	}
	else
	{
		totals[0] = dp_draw_shift(2 * sum - rows * release->width, bits);
		totals[1] = dp_draw_shift(rows, bits - release->noise[1].grid);
	}
	totals[0] += dp_draw_draw_noise(&release->noise[0]);
	totals[1] += dp_draw_draw_noise(&release->noise[1]);
	return PointerGetDatum(dp_aggregate_make_totals(2, totals));
}

static Datum
added_up(const DpRelease *asked, const DpRelease *finer, Oid type, DpInt128 *parts)
{
	return PointerGetDatum(dp_aggregate_make_totals(asked->nnoise, parts));
}

DpReason *
dp_kinds_calibrate_mean(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;
	int			parts = contribution->pricing->mechanism == DP_GAUSSIAN ? 2 : 1;
	double		bound = (measure->upper - measure->lower) * measure->most_rows;
	int			location = measure->aggref->location;
	int			grid;
	uint64		sensitivity;
	DpReason   *reason;

	if (!isfinite(bound))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL,
								 "bounds are too far apart");
	if (bound == 0)
		bound = 1;

	/* What a unit with too many rows adds is scaled down: integers become fractions. */
	grid = dp_pricing_bounded_grid(measure, contribution, parts, bound, dp_pricing_has_integers(measure->aggref) &&
								   (contribution->row_is_unit || measure->distinct_values));
	dp_pricing_set_bounds(measure, grid);
	release->width = measure->spec.upper - measure->spec.lower;
	if (release->width > 0 &&
		measure->most_rows > (double) DP_MAX_SENSITIVITY / release->width)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL,
								 "bounds are too far apart");
	sensitivity = Max((uint64) release->width * measure->most_rows, 1);
	if (parts == 1)
	{
		reason = dp_pricing_calibrate(release, 0, contribution, parts, sensitivity, measure->spec.grid, location);
		release->noise[1] = release->noise[0];
		release->nnoise = 2;
		return reason;
	}
	reason = dp_pricing_calibrate(release, 0, contribution, parts, sensitivity, measure->spec.grid - 1, location);
	if (reason)
		return reason;
	return dp_pricing_calibrate_count(release, 1, contribution, parts, measure->most_rows, location);
}

static DpReason *
measure_mean(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	DpReason   *reason = dp_pricing_read_bounded(block, contribution, statement, measure, &dp_kinds_mean);

	if (reason)
		return reason;
	if (dp_pricing_clips(contribution) && measure->aggref->aggdistinct == NIL)
		return dp_pricing_clip_avg(measure, contribution);
	return dp_kinds_calibrate_mean(measure, contribution);
}

/* The weights of a mean's two totals in a count or sum. */
static void
weigh(const DpMeasure *carrier, bool count, double *weight)
{
	const DpNoise *noise = carrier->release.noise;
	double		unit = ldexp(1, carrier->spec.grid);
	double		width = (double) carrier->release.width;
	double		lower = (double) carrier->spec.lower;
	double		upper = (double) carrier->spec.upper;

	if (noise[0].mechanism == DP_GAUSSIAN)
	{
		weight[0] = count ? 0 : unit / 2;	/* twice the sum about the middle */
		weight[1] = ldexp(count ? 1 : (lower / 2 + upper / 2) * unit, noise[1].grid);
		return;
	}
	weight[0] = (count ? 1 : upper * unit) / width;
	weight[1] = (count ? 1 : lower * unit) / width;
}

/* Another mean's totals are no more than its own. */
static bool
can_be_part(const DpMeasure *measure, const DpMeasure *carrier)
{
	return carrier->release.kind != measure->release.kind;
}

Node *
dp_kinds_convert_mean(const DpMeasure *measure, Node *totals)
{
	Oid			types[] = {BYTEAOID, FLOAT8OID, FLOAT8OID, INT4OID, INT4OID};
	const DpNoise *noise = measure->release.noise;
	List	   *args = list_make3(totals, dp_tree_make_float8(measure->lower),
								  dp_tree_make_float8(measure->upper));

	if (noise[0].mechanism == DP_LAPLACE)
		return (Node *) dp_tree_make_call("released_mean_laplace", types, 3, args, FLOAT8OID);
	args = lappend(args, dp_tree_make_int4(noise[0].grid));
	args = lappend(args, dp_tree_make_int4(noise[1].grid));
	return (Node *) dp_tree_make_call("released_mean_gaussian", types, 5, args, FLOAT8OID);
}

/* A mean as the type the aggregate returns: a numeric has its 15 leading digits. */
static Node *
as_returned(const Aggref *aggref, Node *mean)
{
	if (aggref->aggtype == FLOAT8OID)
		return mean;
	return (Node *) dp_tree_make_call("released_digits", (Oid[]) {FLOAT8OID}, 1, list_make1(mean), NUMERICOID);
}

static Node *
value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	return as_returned(measure->aggref, dp_kinds_convert_mean(measure, dp_rewrite_totals_of_rows(rewrite, number)));
}

static Node *
part_value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	return as_returned(aggref, dp_pricing_released_statistic(measure->carrier, aggref,
															 dp_rewrite_totals_of_rows(rewrite, number)));
}

void
dp_kinds_mean_estimate(const DpMeasure *measure, const Aggref *aggref, DpEstimate *estimate)
{
	estimate->statistic = DP_STATISTIC_MEAN;
	estimate->centred = estimate->gaussian;
	estimate->unit = (double) measure->release.width;
}

static const DpFunction asked_by[] = {DP_FUNCTION_AVG, DP_FUNCTION_OTHER};

const DpKind dp_kinds_mean = {
	.number = DP_RELEASE_AVG,
	.totals = 2,
	.over_rows = true,
	.selects = true,
	.goes_with_groups = true,
	.factor = dp_kinds_mean_factor,
	.scale = dp_pricing_scale_release,
	.told_rows = dp_kinds_mean_told_rows,
	.can_convert = can_convert,
	.knows_rows = true,
	.exact = dp_kinds_mean_exact,
	.ask = dp_kinds_mean_ask,
	.part = part,
	.draw = dp_kinds_mean_draw,
	.draw_clamped = dp_kinds_mean_draw_clamped,
	.noise_weight = DP_MEAN_NOISE,
	.added_up = added_up,
	.functions = asked_by,
	.measure = measure_mean,
	.carries = 2,
	.recalibrate = dp_kinds_calibrate_mean,
	.weigh = weigh,
	.can_be_part = can_be_part,
	.value = value,
	.part_value = part_value,
	.interval = dp_rewrite_statistic_interval,
	.estimate = dp_kinds_mean_estimate,
};
