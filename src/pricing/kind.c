/* SPDX-License-Identifier: PostgreSQL */
/*
 * kind.c
 *	  What a kind of release differs in from the others; see kind.h.
 */
#include "postgres.h"

#include "pricing/kind.h"

const DpKind *
dp_pricing_kind_of_function(DpFunction function)
{
	for (int i = 0; i < DP_KINDS; i++)
		for (const DpFunction *one = dp_kinds[i]->functions; one && *one != DP_FUNCTION_OTHER; one++)
			if (*one == function)
				return dp_kinds[i];
	return NULL;
}

void
dp_pricing_init_release(const DpPricing *pricing, DpRelease *release, const DpKind *kind, double epsilon)
{
	memset(release, 0, sizeof(*release));
	release->kind = kind->number;
	release->rounded = kind->whole;
	release->epsilon = epsilon;
	release->delta = pricing->mechanism == DP_GAUSSIAN ? pricing->delta : 0;
}
