/*
 * moments.c
 *	  Variance, covariance, correlation and regression: totals of features.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "draw/add_noise.h"
#include "kinds/kinds.h"
#include "pricing/kind.h"
#include "pricing/moments.h"
#include "pricing/total_cost.h"
#include "tree/make_nodes.h"

/* As pricing/moments.c works it out. */
static double
factor(const DpRelease *release)
{
	return release->factor;
}

/* All totals tell them together. */
static DpToldRows
told_rows(const DpRelease *release)
{
	return (DpToldRows) {.count = release->features, .noise = &release->noise[0], .row = (double) release->width};
}

static Node *
exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	return (Node *) dp_tree_make_aggregate("exact_moments", dp_pricing_moments_arguments(measure), BYTEAOID);
}

static void
ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
{
	const DpMomentsSpec *spec = &measure->moments;

	ask->kind = DP_UNITS_MOMENTS;
	ask->shape = spec->shape;
	ask->upper = spec->upper_x;
	ask->lower = spec->lower_x;
	ask->width_y = spec->upper_y - spec->lower_y;
	ask->grid = measure->value_y ? 0 : spec->grid_x;
	*value = linitial(dp_pricing_moments_arguments(measure));
}

static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *units, bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	dp_draw_read_exact(release, type, value, isnull, totals);
	dp_draw_add_to_each(release, totals);
	return PointerGetDatum(dp_aggregate_make_totals(release->features, totals));
}

const DpKind dp_kinds_moments = {
	.number = DP_RELEASE_MOMENTS,
	.over_rows = true,
	.in_unit = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.told_rows = told_rows,
	.suits_aggregates = true,
	.exact = exact,
	.ask = ask,
	.draw = draw,
};
