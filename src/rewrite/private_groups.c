/* SPDX-License-Identifier: PostgreSQL */
/*
 * private_groups.c
 *	  Choosing the release that decides which private groups are shown; see private_groups.h.
 */
#include "postgres.h"

#include "pricing/aggregate.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/clipping.h"
#include "pricing/kind.h"
#include "pricing/selector.h"
#include "rewrite/private_groups.h"

/* Does this measure count units, so that groups can be thresholded by it? */
static bool
counts_units(const DpMeasure *measure, const DpContribution *contribution)
{
	return dp_kind(&measure->release)->counts &&
		(measure->distinct_units ||
		 (contribution->row_is_unit && measure->aggref->aggstar));
}

/*
 * Does the mean tell, as surely as an extra count would, how many units have a value?  One row of each
 * counts, and no less epsilon is spent on it.
 */
static bool
tells_units(const DpMeasure *measure, const DpContribution *contribution)
{
	const DpRelease *release = &measure->release;

	return dp_kind(release)->selects && release->width > 0 && !dp_pricing_is_clipped(release) &&
		!measure->distinct_values && (contribution->row_is_unit || measure->most_rows == 1) &&
		release->epsilon >= contribution->pricing->epsilon &&
		dp_pricing_threshold(release, contribution->pricing->delta) < PG_INT64_MAX;
}

/*
 * The number of the measure that decides about groups, or -1.  A mean whose totals answer others too does
 * not: of the groups that are shown for large noise, their noise would be as large.
 */
static int
measure_that_selects(const DpBlockRewrite *rewrite)
{
	ListCell   *lc;

	foreach(lc, rewrite->measures)
		if (counts_units(lfirst(lc), &rewrite->contribution))
			return foreach_current_index(lc);
	if (list_length(rewrite->asked) == 1 && tells_units(linitial(rewrite->measures), &rewrite->contribution))
		return 0;
	return -1;
}

DpReason *
dp_rewrite_choose_selector(DpBlockRewrite *rewrite)
{
	DpBlock    *block = rewrite->block;
	double		delta = rewrite->statement->pricing.delta;

	block->selector = -1;
	if (block->nkeys == 0 || rewrite->domain > 0 || rewrite->listed)
		return NULL;
	block->selector = measure_that_selects(rewrite);
	block->selector_shown = block->selector >= 0;
	if (!block->selector_shown)
	{
		DpReason   *reason;

		block->selector = block->nreleases++;
		reason = dp_pricing_measure_units(&rewrite->contribution, &block->release[block->selector]);
		if (reason)
			return reason;
		block->release[block->selector].column = block->nkeys + block->selector;
	}
	block->threshold_delta = dp_pricing_sampled_delta(block, delta);
	block->selector_delta = delta;
	block->threshold = dp_pricing_threshold(&block->release[block->selector], delta);
	return NULL;
}
