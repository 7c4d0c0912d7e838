/*
 * count.c
 *	  Counts: of rows, units or distinct values.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/moments.h"
#include "draw/add_noise.h"
#include "draw/draw_clamp.h"
#include "exact/exact_query.h"
#include "exact/over_units.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"
#include "tree/make_nodes.h"

/* The one total is the number. */
static DpToldRows
told_rows(const DpRelease *release)
{
	return (DpToldRows) {.count = 1, .noise = &release->noise[0], .row = ldexp(1, -release->noise[0].grid)};
}

/* Whatever the grid of its noise, what was released is a number of rows. */
static bool
can_convert(const DpRelease *asked, const DpRelease *finer)
{
	return true;
}

static Node *
exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	if (measure->distinct_values)
		return dp_exact_over_distinct((Node *) dp_tree_make_count(copyObject(measure->value)), measure);
	return measure->distinct_units || measure->value == NULL ? dp_exact_row_count(rewrite)
		: (Node *) dp_tree_make_count(copyObject(measure->value));
}

static void
ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
{
	ask->kind = measure->distinct_values ? DP_UNITS_VALUES : DP_UNITS_ROWS;
	ask->max_rows = measure->most_rows;
	if (measure->value)
		*value = copyObject(measure->value);
	if (measure->distinct_values)
		*value = dp_exact_reform(*value);
}

static Node *
part(const DpMeasure *measure)
{
	return (Node *) dp_tree_make_count(copyObject(measure->value));
}

static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *units, bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	dp_draw_read_exact(release, type, value, isnull, totals);
	*units = dp_draw_noisy_count(release, totals[0]);
	return dp_draw_count_datum(type, dp_draw_from_grid(*units, release));
}

static Datum
added_up(const DpRelease *asked, const DpRelease *finer, Oid type, DpInt128 *parts)
{
	return dp_draw_count_datum(type, (int64) Max(Min(parts[0], (DpInt128) PG_INT64_MAX), (DpInt128) PG_INT64_MIN));
}

const DpKind dp_kinds_count = {
	.number = DP_RELEASE_COUNT,
	.totals = 1,
	.counts = true,
	.whole = true,
	.one_way = true,
	.goes_with_groups = true,
	.scale = dp_pricing_scale_release,
	.told_rows = told_rows,
	.can_convert = can_convert,
	.suits_aggregates = true,
	.exact = exact,
	.ask = ask,
	.part = part,
	.draw = draw,
	.draw_clamped = dp_draw_clamped_total,
	.noise_weight = 1,
	.added_up = added_up,
};
