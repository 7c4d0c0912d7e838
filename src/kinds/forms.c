/* SPDX-License-Identifier: PostgreSQL */
/*
 * forms.c
 *	  The forms that blocks are released in; see pricing/form_table.h.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/calibrate.h"
#include "accounting/ranking.h"
#include "draw/release_forms.h"
#include "draw/release_passes.h"
#include "draw/release_synthesis.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"
#include "pricing/half_width.h"

static int64
rows_of_domain(const DpBlock *block)
{
	return block->domain;
}

/*
 * Rankings.
 */

static double
width_of_ranking(const DpBlock *block, const DpRelease *release, double factor)
{
	return dp_accounting_ranking_width(&release->noise[0], dp_pricing_candidates(block), block->size, DP_PRICING_MISS);
}

static double
rows_asked(const DpBlock *block)
{
	return block->size;
}

/*
 * The first count to reach a level: one side of the difference from that for each count.
 */

static double
width_of_first(const DpBlock *block, const DpRelease *release, double factor)
{
	return dp_accounting_half_width(&release->noise[0], fmax(0, 1 - 2 * DP_PRICING_MISS / block->nreleases));
}

/*
 * Trees.
 */

static int64
nodes_of_tree(const DpBlock *block)
{
	int			width[DP_MAX_TREE_LEVELS];
	int64		rows = 0;

	for (int level = dp_pricing_tree_widths(block->domain, block->size, width); level-- > 0;)
		rows += width[level];
	return rows;
}

/*
 * One of few that is small.
 */

static double
width_of_least(const DpBlock *block, const DpRelease *release, double factor)
{
	return factor * dp_accounting_ranking_width(&release->noise[0], block->size, 1, DP_PRICING_MISS);
}

/*
 * Passes and synthetic rows, of which all is calibrated.
 */

static DpReason *
set_passes(DpBlockRewrite *rewrite)
{
	const DpMeasure *measure = linitial(rewrite->measures);

	rewrite->block->passes = (DpPasses) {.model = measure->model, .loss = measure->loss, .passes = measure->passes};
	return NULL;
}

static DpReason *
set_synthesis(DpBlockRewrite *rewrite)
{
	rewrite->block->synthetic = *((DpMeasure *) linitial(rewrite->measures))->synthetic;
	return NULL;
}

static int64
least_synthetic_rows(const DpBlock *block)
{
	return Max(block->size, 1);
}

const DpFormTable dp_forms[] = {
	[DP_FORM_GROUPS] = {
		.of_groups = true,
		.least_rows = rows_of_domain,
	},
	[DP_FORM_RANKING] = {
		.ranks = true,
		.calibrate = dp_pricing_set_ranking,
		.release = dp_draw_release_ranking,
		.half_width = width_of_ranking,
		.rows = rows_asked,
	},
	[DP_FORM_FIRST] = {
		.priced_once = true,
		.halves = true,
		.calibrate = dp_pricing_set_first,
		.release = dp_draw_release_first,
		.half_width = width_of_first,
	},
	[DP_FORM_TREE] = {
		.is_tree = true,
		.calibrate = dp_pricing_set_tree,
		.release = dp_draw_release_tree,
		.least_rows = nodes_of_tree,
	},
	[DP_FORM_PASSES] = {
		.calibrate = set_passes,
		.release = dp_draw_release_passes,
	},
	[DP_FORM_LEAST] = {
		.priced_once = true,
		.ranks = true,
		.calibrate = dp_pricing_set_least,
		.release = dp_draw_release_least,
		.half_width = width_of_least,
	},
	[DP_FORM_SYNTHESIS] = {
		.calibrate = set_synthesis,
		.release = dp_draw_release_synthesis,
		.least_rows = least_synthetic_rows,
		.rows = rows_asked,
	},
};
