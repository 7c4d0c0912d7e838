/*
 * model.c
 *	  Linear and other models: totals of products of what rows have.
 */
#include "postgres.h"

#include "aggregate/exact.h"
#include "draw/add_noise.h"
#include "kinds/kinds.h"
#include "models/layout.h"
#include "pricing/kind.h"
#include "pricing/model.h"
#include "pricing/total_cost.h"

static double
factor(const DpRelease *release)
{
	return release->factor;
}

/* There may be many totals. */
static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *units, bool *none)
{
	DpInt128	totals[DP_MODEL_MOST_TOTALS] = {0};

	if (!isnull)
		dp_aggregate_read_totals(DatumGetByteaPP(value), release->features, totals);
	dp_draw_add_to_each(release, totals);
	return PointerGetDatum(dp_aggregate_make_totals(release->features, totals));
}

const DpKind dp_kinds_model = {
	.number = DP_RELEASE_MODEL,
	.over_rows = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.suits_aggregates = true,
	.weighed_values = dp_pricing_coordinates,
	.weighed_total = dp_pricing_exact_model,
	.draw = draw,
};
