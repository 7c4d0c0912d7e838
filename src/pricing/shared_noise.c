/* SPDX-License-Identifier: PostgreSQL */
/*
 * shared_noise.c
 *	  Which releases of a block share a part of their noise; see shared_noise.h.
 *
 * All of them are of one row: they are computed from the same rows of the same units, of which each keeps the
 * same groups.  So a unit counts in no more rows than one release's noise is for, and in these alone it moves any of them.
 * How many groups are answered is known beforehand if keys are numbers.  Keys that tables list are counted when they are read.
 */
#include "postgres.h"

#include "accounting/shared_noise.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/kind.h"
#include "pricing/shared_noise.h"

int
dp_pricing_direction(int64 lower, int64 upper)
{
	if (lower >= 0)
		return 1;
	return upper <= 0 ? -1 : 0;
}

/* Can a release share its noise? */
static bool
can_share(const DpBlock *block, int i)
{
	const DpRelease *release = &block->release[i];

	return i != block->selector && release->nnoise == 1 && release->noise[0].direction != 0 &&
		release->answers == 0 && release->split.sharers == 0 && !dp_pricing_has_choice(release);
}

void
dp_pricing_share_noise(DpBlock *block)
{
	DpNoise   **noise = palloc(block->nreleases * sizeof(DpNoise *));
	int			count = 0;

	memset(&block->shared, 0, sizeof(block->shared));
	if (!dp_form(block)->of_groups || block->sample_rate < 1 || dp_pricing_chooses_groups(block))
		return;
	for (int i = 0; i < block->nreleases; i++)
		if (can_share(block, i))
			noise[count++] = &block->release[i].noise[0];
	(void) dp_accounting_share_noise(noise, count, block->added_up ? 0 : block->domain, &block->shared);
	pfree(noise);
}
