/*
 * kinds.c
 *	  All kinds of release; see pricing/kind.h.
 */
#include "postgres.h"

#include "kinds/kinds.h"
#include "pricing/kind.h"

const DpKind *const dp_kinds[DP_KINDS] = {
	[DP_RELEASE_COUNT] = &dp_kinds_count,
	[DP_RELEASE_SUM] = &dp_kinds_sum,
	[DP_RELEASE_AVG] = &dp_kinds_mean,
	[DP_RELEASE_QUANTILE] = &dp_kinds_quantile,
	[DP_RELEASE_MOMENTS] = &dp_kinds_moments,
	[DP_RELEASE_MODEL] = &dp_kinds_model,
	[DP_RELEASE_PASSES] = &dp_kinds_passes,
	[DP_RELEASE_LOSSES] = &dp_kinds_losses,
	[DP_RELEASE_CLASSES] = &dp_kinds_classes,
	[DP_RELEASE_TABLES] = &dp_kinds_tables,
};
