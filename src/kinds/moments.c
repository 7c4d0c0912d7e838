/*
 * moments.c
 *	  Variance, covariance, correlation and regression: totals of features.
 */
#include "postgres.h"

#include "kinds/kinds.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"

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

const DpKind dp_kinds_moments = {
	.number = DP_RELEASE_MOMENTS,
	.over_rows = true,
	.in_unit = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.told_rows = told_rows,
};
