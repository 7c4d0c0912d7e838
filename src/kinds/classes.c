/* SPDX-License-Identifier: PostgreSQL */
/*
 * classes.c
 *	  Numbers of units by that of their groups, by which max_groups is chosen; see pricing/chosen_groups.h.
 */
#include "postgres.h"

#include "aggregate/exact.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"

/* It was drawn before any group. */
static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared, DpInt128 *units,
	 bool *none)
{
	DpInt128	class = release->chosen;

	return PointerGetDatum(dp_aggregate_make_totals(1, &class));
}

const DpKind dp_kinds_classes = {
	.number = DP_RELEASE_CLASSES,
	.totals = 1,
	.has_classes = true,
	.scale = dp_pricing_scale_release,
	.draw = draw,
};
