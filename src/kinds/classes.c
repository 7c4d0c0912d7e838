/*
 * classes.c
 *	  Numbers of units by that of their groups, by which max_groups is chosen; see pricing/chosen_groups.h.
 */
#include "postgres.h"

#include "pricing/kind.h"
#include "pricing/total_cost.h"

const DpKind dp_kinds_classes = {
	.number = DP_RELEASE_CLASSES,
	.totals = 1,
	.has_classes = true,
	.scale = dp_pricing_scale_release,
};
