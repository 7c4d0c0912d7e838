/*
 * presence.c
 *	  Whether what was released of a group may be noise alone; see presence.h.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "accounting/sum_of_noise.h"
#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "pricing/presence.h"

/* Does the second total count rows by itself? */
static bool
has_count(const DpRelease *release)
{
	return release->kind == DP_RELEASE_AVG && release->noise[0].mechanism == DP_GAUSSIAN;
}

int
dp_query_totals_of(const DpRelease *release)
{
	return release->kind == DP_RELEASE_AVG ? 2 : release->features;
}

/* What noise in the number of rows exceeds with a probability of `share` at most, in units of the totals. */
static double
reach(const DpRelease *release, double share)
{
	const DpNoise *noise = &release->noise[has_count(release) ? 1 : 0];
	int			noises = has_count(release) ? 1 : dp_query_totals_of(release);

	return ldexp(dp_accounting_sum_half_width(noise, noises * Max(release->summed, 1), false, 1 - 2 * share),
				 -noise->grid);
}

double
dp_query_feigned_rows(const DpRelease *release)
{
	double		row = has_count(release) ? ldexp(1, -release->noise[1].grid) : (double) release->width;

	/* Between bounds without width a row adds nothing to totals, and the answer is known. */
	if ((release->kind != DP_RELEASE_AVG && release->kind != DP_RELEASE_MOMENTS) || release->width == 0)
		return -INFINITY;
	return Max(reach(release, DP_FEIGNED_SHARE), Min(reach(release, DP_FEIGNED_RARELY), row / 2));
}

bool
dp_query_is_feigned(const DpRelease *release, double feigned, Datum column)
{
	__int128	totals[DP_MOMENTS_MOST];
	double		rows = 0;

	if (!(feigned > -INFINITY))
		return false;
	dp_aggregate_read_totals(DatumGetByteaPP(column), dp_query_totals_of(release), totals);
	for (int i = has_count(release) ? 1 : 0; i < dp_query_totals_of(release); i++)
		rows += (double) totals[i];
	return rows <= feigned;
}
