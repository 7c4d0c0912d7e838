/*
 * model.c
 *	  Linear and other models: totals of products of what rows have.
 */
#include "postgres.h"

#include "kinds/kinds.h"
#include "pricing/kind.h"
#include "pricing/model.h"
#include "pricing/total_cost.h"

static double
factor(const DpRelease *release)
{
	return release->factor;
}

const DpKind dp_kinds_model = {
	.number = DP_RELEASE_MODEL,
	.over_rows = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.suits_aggregates = true,
	.weighed_values = dp_pricing_coordinates,
	.weighed_total = dp_pricing_exact_model,
};
