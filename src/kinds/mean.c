/*
 * mean.c
 *	  Means of values, or of distinct ones.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "exact/exact_query.h"
#include "exact/over_units.h"
#include "kinds/kinds.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"
#include "tree/make_nodes.h"

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
};
