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
#include "pricing/kind.h"
#include "pricing/total_cost.h"
#include "tree/make_nodes.h"

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
draw(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *units, bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	dp_draw_read_exact(release, type, value, isnull, totals);
	totals[0] += dp_draw_draw_noise(&release->noise[0]);
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
};
