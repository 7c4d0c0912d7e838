/* SPDX-License-Identifier: PostgreSQL */
/*
 * statistic.c
 *	  Statistics in the outer query: what is known of the noisy totals they are made of.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "aggregate/estimate.h"
#include "pricing/aggregate_args.h"
#include "pricing/kind.h"
#include "pricing/selector.h"
#include "pricing/statistic.h"
#include "tree/make_nodes.h"

/* Scale of a noise term, in grid units. */
static double
noise_scale(const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN ? (double) noise->sigma
		: (double) noise->scale_num / (double) noise->scale_den;
}

Const *
dp_pricing_make_estimate(const DpMeasure *measure, const Aggref *aggref, double threshold)
{
	const DpNoise *noise = measure->release.noise;
	DpEstimate	estimate = {
		.gaussian = noise[0].mechanism == DP_GAUSSIAN,
		.lower_x = measure->lower, .upper_x = measure->upper,
		.lower_y = measure->lower_y, .upper_y = measure->upper_y,
		.noise = noise_scale(&noise[0]),
		.feigned = Max(Max(dp_pricing_feigned_rows(&measure->release), threshold - 1), 0)
	};

	dp_kind(&measure->release)->estimate(measure, aggref, &estimate);
	if (estimate.centred)
	{
		estimate.noise_count = noise_scale(&noise[1]);
		estimate.ratio = ldexp(1, noise[0].grid - noise[1].grid);
	}
	return dp_tree_make_bytea(&estimate, sizeof(estimate));
}

Node *
dp_pricing_released_statistic(const DpMeasure *measure, const Aggref *aggref, Node *totals)
{
	Oid			types[] = {BYTEAOID, BYTEAOID};

	return (Node *) dp_tree_make_call("released_statistic", types, lengthof(types),
									  list_make2(totals, dp_pricing_make_estimate(measure, aggref, 0)),
									  FLOAT8OID);
}
