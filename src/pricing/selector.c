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
#include "pricing/block.h"
#include "pricing/selector.h"

/*
 * How often a group without rows is answered all the same, at most: that often, or where noise is
 * so little that it does not matter for a group of one row, so rarely.
 */
#define DP_FEIGNED_SHARE 0.01

#define DP_FEIGNED_RARELY 1e-12

/* Does the second total count rows by itself? */
static bool
has_count(const DpRelease *release)
{
	return release->kind == DP_RELEASE_AVG && release->noise[0].mechanism == DP_GAUSSIAN;
}

int
dp_pricing_totals_of(const DpRelease *release)
{
	return release->kind == DP_RELEASE_AVG ? 2 : release->features;
}

/* What noise in the number of rows exceeds with a probability of `share` at most, in units of the totals. */
static double
reach(const DpRelease *release, double share)
{
	const DpNoise *noise = &release->noise[has_count(release) ? 1 : 0];
	int			noises = has_count(release) ? 1 : dp_pricing_totals_of(release);

	return ldexp(dp_accounting_sum_half_width(noise, noises * Max(release->summed, 1), false, 1 - 2 * share),
				 -noise->grid);
}

double
dp_pricing_feigned_rows(const DpRelease *release)
{
	double		row = has_count(release) ? ldexp(1, -release->noise[1].grid) : (double) release->width;

	/* Between bounds without width a row adds nothing to totals, and the answer is known. */
	if ((release->kind != DP_RELEASE_AVG && release->kind != DP_RELEASE_MOMENTS) || release->width == 0)
		return -INFINITY;
	return Max(reach(release, DP_FEIGNED_SHARE), Min(reach(release, DP_FEIGNED_RARELY), row / 2));
}

bool
dp_pricing_is_feigned(const DpRelease *release, double feigned, Datum column)
{
	__int128	totals[DP_MOMENTS_MOST];
	double		rows = 0;

	if (!(feigned > -INFINITY))
		return false;
	dp_aggregate_read_totals(DatumGetByteaPP(column), dp_pricing_totals_of(release), totals);
	for (int i = has_count(release) ? 1 : 0; i < dp_pricing_totals_of(release); i++)
		rows += (double) totals[i];
	return rows <= feigned;
}

/* Do two totals of a mean tell its rows together? */
static bool
is_pair(const DpRelease *selector)
{
	return selector->kind == DP_RELEASE_AVG && selector->noise[0].mechanism == DP_LAPLACE;
}

/* The noise of the rows, or of each of the pair. */
static const DpNoise *
noise_of_rows(const DpRelease *selector)
{
	return &selector->noise[selector->kind == DP_RELEASE_AVG ? 1 : 0];
}

int64
dp_pricing_threshold(const DpRelease *selector, double delta)
{
	const DpNoise *noise = noise_of_rows(selector);

	return is_pair(selector) ? dp_accounting_pair_threshold(noise, delta) : dp_accounting_threshold(noise, delta);
}

double
dp_pricing_threshold_unit(const DpRelease *selector)
{
	return is_pair(selector) ? (double) selector->width : ldexp(1, -noise_of_rows(selector)->grid);
}

void
dp_pricing_threshold_noise(const DpRelease *selector, double *stddev, double *half_width)
{
	const DpNoise *noise = noise_of_rows(selector);
	int			noises = is_pair(selector) ? 2 : 1;
	double		row = ldexp(dp_pricing_threshold_unit(selector), noise->grid);

	*stddev = dp_accounting_sum_stddev(noise, noises, false) / row;
	*half_width = dp_accounting_sum_half_width(noise, noises, false, 0.95) / row;
}
