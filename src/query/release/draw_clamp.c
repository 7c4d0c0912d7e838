/*
 * draw_clamp.c
 *	  Choosing the clamp of a total, and releasing the total clamped there; see
 *	  query/block/clipping.h.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/exact.h"
#include "noise/sampler.h"
#include "noise/selection.h"
#include "query/block/clipping.h"
#include "query/release/add_noise.h"
#include "query/release/draw_clamp.h"

/* More units beyond a clamp count as so many. */
#define MOST_BEYOND (INT64CONST(1) << 40)

/* A total on the exact grid, on that of the noise at a step. */
static DpInt128
to_grid_of_step(const DpRelease *release, DpInt128 total, int step)
{
	int			shift = dp_query_clip_shift(release, step);

	if (shift >= 0)
		return total * ((DpInt128) 1 << Min(shift, 126));
	return dp_query_round_shift(total, Min(-shift, 126));
}

/*
 * Choose a step.  A unit that comes takes at most one unit from scores, and adds to none: so
 * this is permute and flip as of counts.
 */
static int
choose_step(const DpRelease *release, const __int128 *parts)
{
	const DpNoise *choice = &release->choice;
	int64		score[DP_LADDER_MOST];
	bool		taken[DP_LADDER_MOST] = {false};

	for (int i = 0; i < release->ladder.steps; i++)
	{
		__int128	beyond;

		(void) dp_ladder_sum(&release->ladder, parts, i, &beyond);
		score[i] = -(int64) Min(beyond, (__int128) MOST_BEYOND) * (int64) choice->sensitivity -
			i * dp_query_clip_penalty(release);
	}
	return (int) dp_noise_permute_and_flip(score, taken, release->ladder.steps, choice->scale_num, choice->scale_den);
}

Datum
dp_query_draw_clamped(const DpRelease *release, Datum value, bool isnull, int *step)
{
	const DpLadder *ladder = &release->ladder;
	__int128	parts[DP_LADDER_MOST * DP_LADDER_WIDTH];
	__int128	beyond;
	DpInt128	totals[2];

	Assert(ladder->steps <= DP_LADDER_MOST);
	memset(parts, 0, sizeof(parts));
	if (!isnull)
		dp_aggregate_read_totals(DatumGetByteaPP(value), dp_ladder_parts(ladder), parts);
	*step = choose_step(release, parts);
	totals[0] = to_grid_of_step(release, dp_ladder_sum(ladder, parts, *step, &beyond), *step) +
		dp_query_draw_noise(&release->noise[0]);
	totals[1] = *step;
	return PointerGetDatum(dp_aggregate_make_totals(2, totals));
}

void
dp_query_note_clamp(DpReleaseState *state, int i, int step)
{
	if (state->clamps == NULL)
	{
		state->clamps = MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt,
										   state->block->nreleases * sizeof(DpClampsChosen));
		for (int j = 0; j < state->block->nreleases; j++)
			state->clamps[j] = (DpClampsChosen) {DP_LADDER_MOST, -1};
	}
	state->clamps[i].least = Min(state->clamps[i].least, step);
	state->clamps[i].most = Max(state->clamps[i].most, step);
}

void
dp_query_tell_clamps(const DpReleaseState *state, DpBlock *copy)
{
	for (int i = 0; i < copy->nreleases && state->clamps; i++)
	{
		if (state->clamps[i].most < 0)
			continue;
		copy->release[i].chosen_least = state->clamps[i].least;
		copy->release[i].chosen_most = state->clamps[i].most;
	}
}
