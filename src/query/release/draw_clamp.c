/*
 * draw_clamp.c
 *	  Choosing the clamp of a total, and releasing the total clamped there; see
 *	  query/block/clipping.h.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/exact.h"
#include "noise/choice.h"
#include "noise/sampler.h"
#include "noise/selection.h"
#include "query/block/clipping.h"
#include "query/release/add_noise.h"
#include "query/release/draw_clamp.h"

/* More units beyond a clamp count as so many. */
#define MOST_BEYOND (INT64CONST(1) << 40)

/* value * 2^bits, to the nearest integer. */
static DpInt128
shift(DpInt128 value, int bits)
{
	if (bits >= 0)
		return value * ((DpInt128) 1 << Min(bits, 126));
	return dp_query_round_shift(value, Min(-bits, 126));
}

/* The steps, as alternatives of the exponential mechanism. */
typedef struct Steps
{
	DpChoices	choices;		/* first */
	int64	   *score;
	int			steps;
	int			next;
} Steps;

static void
rewind_steps(DpChoices *choices)
{
	((Steps *) choices)->next = 0;
}

/* The more is beyond a step, the more its score there exceeds the least; and none is below 0. */
static bool
next_step(DpChoices *choices, DpChoice *choice)
{
	Steps	   *steps = (Steps *) choices;

	if (steps->next == steps->steps)
		return false;
	choice->score = (uint128) -steps->score[steps->next++];
	choice->count = 1;
	return true;
}

/*
 * Choose a step.  A unit that comes takes at most one unit from scores, and adds to none: so
 * this is permute and flip as of counts, or the exponential mechanism of this range.
 */
static int
choose_step(const DpRelease *release, const __int128 *parts)
{
	const DpNoise *choice = &release->choice;
	int64		one = INT64CONST(1) << -choice->grid;
	int64		score[DP_LADDER_MOST];
	bool		taken[DP_LADDER_MOST] = {false};
	Steps		steps = {{rewind_steps, next_step}, score, release->ladder.steps, 0};

	for (int i = 0; i < release->ladder.steps; i++)
		score[i] = -(int64) Min(dp_ladder_beyond(&release->ladder, parts, i), (__int128) MOST_BEYOND) *
			one - i * dp_query_clip_penalty(release);
	if (choice->mechanism == DP_EXPONENTIAL)
		return (int) dp_noise_exponential(&steps.choices, choice->scale_num, choice->scale_den);
	return (int) dp_noise_permute_and_flip(score, taken, release->ladder.steps, choice->scale_num, choice->scale_den);
}

/* The noisy total clamped at a step, on the grid of its noise; and the step. */
static Datum
release_total(const DpRelease *release, const __int128 *parts, int step)
{
	int			bits = release->ladder_grid - release->noise[0].grid + dp_query_clip_bits(release, step);
	DpInt128	totals[2] = {0, step};

	totals[0] = shift(dp_ladder_sum(&release->ladder, parts, step), bits) + dp_query_draw_noise(&release->noise[0]);
	return PointerGetDatum(dp_aggregate_make_totals(2, totals));
}

/*
 * The noisy totals of a mean, as of one whose clamp is given, on grids that are finer by the clamp:
 * their ratio is the same.
 */
static Datum
release_mean(const DpRelease *release, const __int128 *parts, int step)
{
	int			bits = dp_query_clip_bits(release, step);
	DpInt128	rows;
	DpInt128	sum = dp_ladder_mean(&release->ladder, parts, step, &rows);
	DpInt128	totals[2];

	if (release->noise[0].mechanism == DP_LAPLACE)
	{
		totals[0] = shift(sum, bits);
		totals[1] = shift(rows * release->width - sum, bits);
	}
	else
	{
		totals[0] = shift(2 * sum - rows * release->width, bits);
		totals[1] = shift(rows, bits - release->noise[1].grid);
	}
	totals[0] += dp_query_draw_noise(&release->noise[0]);
	totals[1] += dp_query_draw_noise(&release->noise[1]);
	return PointerGetDatum(dp_aggregate_make_totals(2, totals));
}

Datum
dp_query_draw_clamped(const DpRelease *release, Datum value, bool isnull, int *step)
{
	__int128	parts[DP_LADDER_MOST * DP_LADDER_WIDTH];

	Assert(release->ladder.steps <= DP_LADDER_MOST);
	memset(parts, 0, sizeof(parts));
	if (!isnull)
		dp_aggregate_read_totals(DatumGetByteaPP(value), dp_ladder_parts(&release->ladder), parts);
	*step = choose_step(release, parts);
	return release->kind == DP_RELEASE_AVG ? release_mean(release, parts, *step)
		: release_total(release, parts, *step);
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
