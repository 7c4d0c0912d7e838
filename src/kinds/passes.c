/* SPDX-License-Identifier: PostgreSQL */
/*
 * passes.c
 *	  Models that noisy passes through rows make.
 */
#include "postgres.h"

#include "accounting/calibrate.h"
#include "exact/weighted_rows.h"
#include "kinds/kinds.h"
#include "kinds/model.h"
#include "pricing/kind.h"

static double
factor(const DpRelease *release)
{
	return release->factor;
}

/* What comes before passes and what all of them have are a part each. */
static bool
scale(DpRelease *release, double times)
{
	DpNoise    *const noises[] = {&release->noise[0], &release->choice};

	for (int i = 0; i < lengthof(noises); i++)
	{
		const DpNoise asked = *noises[i];

		if (dp_accounting_calibrate(noises[i], asked.mechanism, release->epsilon * times, release->delta,
									asked.groups, DP_PASS_PARTS, asked.sensitivity, asked.grid) != NULL)
			return false;
	}
	return true;
}

const DpKind dp_kinds_passes = {
	.number = DP_RELEASE_PASSES,
	.over_rows = true,
	.choice_is_part = true,
	.choice = "passes",
	.factor = factor,
	.scale = scale,
	.suits_aggregates = true,
	.weighed_values = dp_kinds_coordinates,
	.weighed_total = dp_exact_exact_model_row,
	.reads_rows = true,
	.of_call = true,
	.value = dp_kinds_released_model,
};
