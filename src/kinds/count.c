/*
 * count.c
 *	  Counts: of rows, units or distinct values.
 */
#include "postgres.h"

#include <math.h>

#include "pricing/kind.h"
#include "pricing/total_cost.h"

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
};
