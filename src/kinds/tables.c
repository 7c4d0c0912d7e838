/*
 * tables.c
 *	  Tables of pairs of columns, of which synthetic rows are made.
 */
#include "postgres.h"

#include "accounting/tree_tables.h"
#include "exact/pair_tables.h"
#include "kinds/kinds.h"
#include "pricing/kind.h"

/* Of the groups and sensitivity that one-way tables have. */
static bool
scale(DpRelease *release, double times)
{
	DpNoise    *margins = &release->noise[1];
	DpTreeNoise noise;

	if (dp_accounting_calibrate_tree(&noise, release->epsilon * times, release->delta, margins->groups,
									 margins->sensitivity, margins->grid) != NULL)
		return false;
	release->noise[0] = noise.pairs;
	release->noise[1] = noise.margins;
	release->choice = noise.tree;
	return true;
}

const DpKind dp_kinds_tables = {
	.number = DP_RELEASE_TABLES,
	.choice = "tree",
	.scale = scale,
	.suits_aggregates = true,
	.takes_null = true,
	.weighed_values = dp_exact_cells_of,
	.weighed_total = dp_exact_exact_pair_tables,
};
