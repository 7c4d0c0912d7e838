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
#include "kinds/kinds.h"
#include "pricing/clipping.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"
#include "tree/make_nodes.h"

/*
 * What is cut of a count or sum is lacking.  A mean is off by so much of it as the rows cut differ from
 * others: by one part of so many of the bounds, it is thought.
 */
#define MEAN_NOISE 8

/*
 * The noise of a mean times its count, as a factor on that of the first noise
 * term: at its largest, which is where the mean lies at a bound.  Laplace: only
 * one of the two totals then adds to it; Gaussian: the noise of the count adds
 * as much as that of the sum.
 */
static double
factor(const DpRelease *release)
{
	return release->noise[0].mechanism == DP_GAUSSIAN ? sqrt(2) : 1;
}

/* With Gaussian noise the second total counts rows by itself; else both tell them together. */
static DpToldRows
told_rows(const DpRelease *release)
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

static Node *
exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	return dp_exact_over_distinct((Node *) dp_tree_make_aggregate("exact_avg", dp_exact_arguments(measure), BYTEAOID),
								  measure);
}

static void
ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
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

static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *units, bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	dp_draw_read_exact(release, type, value, isnull, totals);
	split_average(release, totals);
	totals[0] += dp_draw_draw_noise(&release->noise[0]);
	totals[1] += dp_draw_draw_noise(&release->noise[1]);
	*units = totals[1] + (release->noise[0].mechanism == DP_LAPLACE ? totals[0] : 0);
	return PointerGetDatum(dp_aggregate_make_totals(2, totals));
}

/*
 * The noisy totals of a mean, as of one whose clamp is given, on grids that are finer by the clamp:
 * their ratio is the same.
 */
static Datum
draw_clamped(const DpRelease *release, const DpInt128 *parts, int step)
{
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

const DpKind dp_kinds_mean = {
	.number = DP_RELEASE_AVG,
	.totals = 2,
	.over_rows = true,
	.selects = true,
	.goes_with_groups = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.told_rows = told_rows,
	.can_convert = can_convert,
	.knows_rows = true,
	.exact = exact,
	.ask = ask,
	.part = part,
	.draw = draw,
	.draw_clamped = draw_clamped,
	.noise_weight = MEAN_NOISE,
	.added_up = added_up,
};
