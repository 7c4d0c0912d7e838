/* SPDX-License-Identifier: PostgreSQL */
/*
 * clamped_around.c
 *	  A count or sum whose clamp was chosen, as an interval sees it.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/exact.h"
#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "pricing/clipping.h"
#include "rewrite/clamped_around.h"

bool
dp_rewrite_is_sane_clamped_around(const DpClampedAround *around)
{
	return dp_rewrite_is_sane_spread(&around->spread) && dp_rewrite_is_sane_spread(&around->choice) &&
		around->steps >= 1 && around->steps <= DP_LADDER_MOST && around->least_clamp > 0 &&
		around->more_classes >= 0 && around->more_classes <= DP_LADDER_MOST &&
		(around->more_classes == 0 || dp_rewrite_is_sane_spread(&around->classes));
}

void
dp_rewrite_read_clamped_around(const bytea *value, DpClampedAround *around)
{
	const Size	size = sizeof(DpClampedAround) - VARHDRSZ;

	if (VARSIZE_ANY_EXHDR(value) != size)
		dp_aggregate_refuse_description();
	memcpy((char *) around + VARHDRSZ, VARDATA_ANY(value), size);
	if (!dp_rewrite_is_sane_clamped_around(around))
		dp_aggregate_refuse_description();
}

void
dp_rewrite_read_seen(const bytea *totals, const DpClampedAround *around, DpLadderSeen *seen)
{
	__int128	numbers[1 + DP_LADDER_SEEN_TOTALS];

	dp_aggregate_read_totals(totals, lengthof(numbers), numbers);
	if (!dp_aggregate_ladder_get_seen(seen, around->steps, numbers + 1))
		dp_aggregate_refuse_description();
}

DpAround
dp_rewrite_around_of_step(const DpClampedAround *around, const DpLadderSeen *seen)
{
	DpAround	total = {.integral = around->integral, .spread = around->spread, .threshold = -INFINITY};

	total.spread.noise.grid = Min(total.spread.noise.grid + seen->step, DP_GRID_MAX);
	return total;
}

double
dp_rewrite_most_missing(const DpClampedAround *around, const DpLadderSeen *seen, double miss)
{
	double		part = around->more_classes > 0 ? miss / 2 : miss;
	double		cut = dp_pricing_clip_most_cut(seen, &around->choice.noise, around->steps, part) +
		ldexp(dp_pricing_clip_most_beyond(seen->beyond, &around->classes.noise, around->more_classes, part), seen->step);

	cut *= around->least_clamp;
	return around->integral ? ceil(cut) : cut;
}
