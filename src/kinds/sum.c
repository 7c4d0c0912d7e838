/*
 * sum.c
 *	  Sums of values, or of distinct ones.
 */
#include "postgres.h"

#include <math.h>

#include "kinds/kinds.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"

/*
 * Rounding a sum to a coarser grid counts for nothing where the noise is so many times what it
 * moves the sum by, or where answers are rounded to whole numbers anyway.
 */
#define FINE (1 << 20)

/* The scale of a noise, in grid units. */
static double
scale_of(const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN ? (double) noise->sigma : (double) noise->scale_num / noise->scale_den;
}

static bool
can_convert(const DpRelease *asked, const DpRelease *finer)
{
	int			coarser = asked->noise[0].grid - finer->noise[0].grid;

	return coarser > -60 && (coarser <= 0 || (asked->rounded && asked->noise[0].grid == 0) ||
							 scale_of(&finer->noise[0]) >= FINE * ldexp(1, coarser));
}

const DpKind dp_kinds_sum = {
	.number = DP_RELEASE_SUM,
	.totals = 1,
	.bounds_totals = true,
	.goes_with_groups = true,
	.scale = dp_pricing_scale_release,
	.can_convert = can_convert,
};
