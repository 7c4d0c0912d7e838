/*
 * quantile.c
 *	  Quantiles, and the least and greatest values: points drawn by their ranks.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"

#include "aggregate/exact.h"
#include "draw/draw_levels.h"
#include "kinds/kinds.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "pricing/quantile.h"
#include "pricing/total_cost.h"

/* How far off its rank is, but for what is a part of all rows. */
static double
half_width(const DpBlock *block, const DpRelease *release)
{
	DpRankError error = dp_pricing_rank_error(block, release);

	return error.scale * log(error.alternatives / DP_PRICING_MISS) + error.inside;
}

/* The rank that it aims at, and how it shares its price. */
static void
spell(StringInfo text, const DpRelease *release)
{
	pq_sendint32(text, release->rank.cells);
	pq_sendint32(text, release->rank.fraction);
	pq_sendint32(text, release->rank.fraction_bits);
	pq_sendint64(text, release->rank.offset);
	pq_sendint64(text, release->rank.none);
	pq_sendint32(text, release->rank.none_bits);
	pq_sendint32(text, release->split.sharers);
	pq_sendint32(text, release->split.level);
	pq_sendint32(text, release->split.bits);
	pq_sendint32(text, release->split.asked);
}

static Node *
exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	return dp_pricing_row_cells(measure);
}

static void
ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
{
	const DpCellSpec *spec = &measure->quantile->spec;

	ask->kind = DP_UNITS_CELLS;
	ask->grid = spec->grid;
	ask->lower = spec->lower;
	ask->upper = spec->upper;
	ask->max_rows = spec->max_rows;
	ask->multiplier = spec->multiplier;
	ask->cells = spec->cells;
	*value = copyObject(measure->value);
}

static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *units, bool *none)
{
	DpInt128	point = dp_draw_draw_quantile(release, value, isnull);

	*none = point == release->rank.cells;
	return PointerGetDatum(dp_aggregate_make_totals(1, &point));
}

const DpKind dp_kinds_quantile = {
	.number = DP_RELEASE_QUANTILE,
	.totals = 1,
	.is_rank = true,
	.half_width = half_width,
	.scale = dp_pricing_scale_release,
	.spell = spell,
	.exact = exact,
	.ask = ask,
	.part = dp_pricing_row_cells,
	.draw = draw,
};
