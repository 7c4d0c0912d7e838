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
#include "query/block/presence.h"

/* Does the second total count rows by itself? */
static bool
has_count(const DpRelease *release)
{
	return release->kind == DP_RELEASE_AVG && release->noise[0].mechanism == DP_GAUSSIAN;
}

/* Number of its totals. */
static int
parts_of(const DpRelease *release)
{
	return release->kind == DP_RELEASE_AVG ? 2 : release->features;
}

double
dp_query_feigned_rows(const DpRelease *release)
{
	const DpNoise *noise = &release->noise[has_count(release) ? 1 : 0];
	int			noises = has_count(release) ? 1 : parts_of(release);

	/* Between bounds without width a row adds nothing to totals, and the answer is known. */
	if ((release->kind != DP_RELEASE_AVG && release->kind != DP_RELEASE_MOMENTS) || release->width == 0)
		return -INFINITY;
	return ldexp(dp_accounting_sum_half_width(noise, noises * Max(release->summed, 1), false,
											  1 - 2 * DP_FEIGNED_SHARE), -noise->grid);
}

bool
dp_query_is_feigned(const DpRelease *release, double feigned, Datum column)
{
	__int128	totals[DP_MOMENTS_MOST];
	double		rows = 0;

	if (!(feigned > -INFINITY))
		return false;
	dp_aggregate_read_totals(DatumGetByteaPP(column), parts_of(release), totals);
	for (int i = has_count(release) ? 1 : 0; i < parts_of(release); i++)
		rows += (double) totals[i];
	return rows <= feigned;
}
