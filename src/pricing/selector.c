/* SPDX-License-Identifier: PostgreSQL */
/*
 * selector.c
 *	  Thresholds of private groups; see selector.h.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "accounting/sum_of_noise.h"
#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "pricing/kind.h"
#include "pricing/release.h"
#include "pricing/selector.h"

/*
 * How often a group without rows is answered all the same, at most: that often, or where noise is
 * so little that it does not matter for a group of one row, so rarely.
 */
#define DP_FEIGNED_SHARE 0.01

#define DP_FEIGNED_RARELY 1e-12

int
dp_pricing_totals_of(const DpRelease *release)
{
	return dp_kind(release)->totals > 0 ? dp_kind(release)->totals : release->features;
}

/* What noise in the number of rows exceeds with a probability of `share` at most, in units of the totals. */
static double
reach(const DpRelease *release, const DpToldRows *told, double share)
{
	return ldexp(dp_accounting_sum_half_width(told->noise, told->count * Max(release->summed, 1), false, 1 - 2 * share),
				 -told->noise->grid);
}

double
dp_pricing_feigned_rows(const DpRelease *release)
{
	DpToldRows	told;

	/* Between bounds without width a row adds nothing to totals, and the answer is known. */
	if (!dp_kind(release)->told_rows || release->width == 0)
		return -INFINITY;
	told = dp_kind(release)->told_rows(release);
	return Max(reach(release, &told, DP_FEIGNED_SHARE), Min(reach(release, &told, DP_FEIGNED_RARELY), told.row / 2));
}

bool
dp_pricing_is_feigned(const DpRelease *release, double feigned, Datum column)
{
	__int128	totals[DP_MOMENTS_MOST];
	double		rows = 0;
	DpToldRows	told;

	if (!(feigned > -INFINITY))
		return false;
	told = dp_kind(release)->told_rows(release);
	dp_aggregate_read_totals(DatumGetByteaPP(column), dp_pricing_totals_of(release), totals);
	for (int i = told.first; i < told.first + told.count; i++)
		rows += (double) totals[i];
	return rows <= feigned;
}

int64
dp_pricing_threshold(const DpRelease *selector, double delta)
{
	DpToldRows	told = dp_kind(selector)->told_rows(selector);

	return told.count == 2 ? dp_accounting_pair_threshold(told.noise, delta) : dp_accounting_threshold(told.noise, delta);
}

double
dp_pricing_threshold_unit(const DpRelease *selector)
{
	return dp_kind(selector)->told_rows(selector).row;
}

void
dp_pricing_threshold_noise(const DpRelease *selector, double *stddev, double *half_width)
{
	DpToldRows	told = dp_kind(selector)->told_rows(selector);
	double		row = ldexp(told.row, told.noise->grid);

	*stddev = dp_accounting_sum_stddev(told.noise, told.count, false) / row;
	*half_width = dp_accounting_sum_half_width(told.noise, told.count, false, 0.95) / row;
}
