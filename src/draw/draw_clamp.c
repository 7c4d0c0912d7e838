/* SPDX-License-Identifier: PostgreSQL */
/*
 * draw_clamp.c
 *	  Choosing the clamp of totals, and releasing totals clamped there; see
 *	  pricing/clipping.h.
 *
 * Numbers of units are read through what noise makes of them alone: the choice of a clamp follows
 * from these and from how many groups are answered.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "accounting/calibrate.h"
#include "aggregate/exact.h"
#include "aggregate/ladder_choice.h"
#include "draw/add_noise.h"
#include "draw/added_up.h"
#include "draw/draw_clamp.h"
#include "pricing/block.h"
#include "pricing/clipping.h"
#include "pricing/kind.h"

static Datum draw_clamped(const DpRelease *release, Datum value, bool isnull, const DpLadderSeen *seen);
static void dp_draw_clamp_by(const DpRelease *release, const int64 *units, int64 groups, DpLadderSeen *seen);
static void count_on_steps(const DpRelease *release, Datum value, bool isnull, int64 *units);

/*
 * How likely noise alone may make a step the first that is held, and how likely the first step above
 * one that is held; times a factor with each step.
 */
#define FIRST_ERROR 0.05
#define FIRST_FACTOR 0.45
#define ABOVE_ERROR 0.008
#define ABOVE_FACTOR 0.3

/* A group is thought to have units for so many times its noise, where groups may be empty. */
#define UNITS_PER_NOISE 32

DpInt128
dp_draw_shift(DpInt128 value, int bits)
{
	if (bits >= 0)
		return value * ((DpInt128) 1 << Min(bits, 126));
	return dp_draw_round_shift(value, Min(-bits, 126));
}

double
dp_draw_noise_per_clamp(const DpRelease *release)
{
	const DpNoise *noise = &release->noise[0];
	double		share = noise->mechanism == DP_GAUSSIAN ? sqrt(2 / M_PI) : M_SQRT1_2;

	return share * dp_accounting_stddev(noise) / ldexp((double) noise->sensitivity, noise->grid);
}

double
dp_draw_filled_groups(double each, double contributions)
{
	return contributions / (UNITS_PER_NOISE * each);
}

/*
 * Where many public groups have nobody, the others matter more: the geometric mean of the number of
 * groups and of those that so many units may fill is taken.
 */
double
dp_draw_noise_of_groups(double each, double contributions, double groups)
{
	double		filled = Max(Min(dp_draw_filled_groups(each, contributions), groups), 1);

	return each * sqrt(groups * filled);
}

void
dp_draw_draw_steps(const DpNoise *noise, int steps, const int64 *units, double *noisy)
{
	for (int i = 0; i < steps; i++)
		noisy[i] = ldexp((double) (dp_draw_shift(units[i], -noise->grid) + dp_draw_draw_noise(noise)), noise->grid);
}

void
dp_draw_set_rule(DpLadderRule *rule, const DpNoise *noise, int steps)
{
	double		first = FIRST_ERROR;
	double		above = ABOVE_ERROR;

	rule->steps = steps;
	for (int i = 0; i < rule->steps; i++)
	{
		rule->first[i] = dp_accounting_half_width(noise, 1 - 2 * first);
		rule->above[i] = i == 0 ? 0 : dp_accounting_half_width(noise, 1 - 2 * above);
		first *= FIRST_FACTOR;
		above *= i == 0 ? 1 : ABOVE_FACTOR;
	}
}

/* Choose the step whose clamp is that of all groups, which are so many, and see what it cuts. */
static void
dp_draw_clamp_by(const DpRelease *release, const int64 *units, int64 groups, DpLadderSeen *seen)
{
	int			steps = release->ladder.steps;
	double		noisy[DP_LADDER_MOST];
	double		all = 0;
	DpLadderRule rule;

	dp_draw_draw_steps(&release->choice, steps, units, noisy);
	dp_draw_set_rule(&rule, &release->choice, steps);
	for (int i = 0; i < steps; i++)
		all += noisy[i];
	rule.noise[0] = dp_draw_noise_of_groups(dp_draw_noise_per_clamp(release), all, (double) groups) *
		dp_kind(release)->noise_weight;
	for (int i = 1; i < steps; i++)
		rule.noise[i] = ldexp(rule.noise[0], i);
	dp_aggregate_ladder_see(seen, &rule, noisy, dp_aggregate_ladder_choose(&rule, noisy),
							dp_pricing_clip_firm(&release->choice), release->choice.grid);
}

/* The totals of a group's ladder: none, where it has no rows. */
static void
read_ladder(const DpRelease *release, Datum value, bool isnull, __int128 *parts)
{
	Assert(release->ladder.steps <= DP_LADDER_MOST);
	memset(parts, 0, DP_LADDER_MOST * DP_LADDER_WIDTH * sizeof(__int128));
	if (!isnull)
		dp_aggregate_read_few_totals(DatumGetByteaPP(value), dp_aggregate_ladder_parts(&release->ladder), parts);
}

/* Add a group's units to the numbers of them on each step. */
static void
count_on_steps(const DpRelease *release, Datum value, bool isnull, int64 *units)
{
	__int128	parts[DP_LADDER_MOST * DP_LADDER_WIDTH];

	read_ladder(release, value, isnull, parts);
	for (int i = 0; i < release->ladder.steps; i++)
		units[i] += (int64) dp_aggregate_ladder_units(&release->ladder, parts, i);
}

Datum
dp_draw_clamped_total(const DpRelease *release, const __int128 *parts, const DpLadderSeen *seen)
{
	int			bits = release->ladder_grid - release->noise[0].grid + dp_pricing_clip_bits(release, seen->step);
	DpInt128	totals[1 + DP_LADDER_SEEN_TOTALS];

	totals[0] = dp_draw_shift(dp_aggregate_ladder_sum(&release->ladder, parts, seen->step), bits) +
		dp_draw_draw_noise(&release->noise[0]);
	dp_aggregate_ladder_put_seen(seen, totals + 1);
	return PointerGetDatum(dp_aggregate_make_totals(lengthof(totals), totals));
}

/*
 * Draw the total of one group, clamped at a step: a DpTotals of the noisy total on the grid of
 * the noise at that step, and what is seen of the clamp, the step first.  For a mean, its two
 * noisy totals on such grids.
 */
static Datum
draw_clamped(const DpRelease *release, Datum value, bool isnull, const DpLadderSeen *seen)
{
	__int128	parts[DP_LADDER_MOST * DP_LADDER_WIDTH];

	read_ladder(release, value, isnull, parts);
	return dp_kind(release)->draw_clamped(release, parts, seen);
}

/*
 * Groups that wait for their totals' clamp to be chosen.
 *
 * One clamp is chosen for all groups that are answered, so that none is released before all are
 * known.  They wait in a store of work_mem.  Which groups are answered is decided before, by public
 * keys or by their noisy counts of units, and is part of the answer: a choice may depend on it.
 */

struct DpClampedGroups
{
	const DpBlock *block;
	Tuplestorestate *rows;
	TupleTableSlot *slot;
	int64		groups;
	int64		(*units)[DP_LADDER_MOST];	/* of each release, on each step, in these groups */
};

/* Does it have totals whose clamp is chosen? */
static bool
has_clamps(const DpBlock *block)
{
	for (int i = 0; i < block->nreleases; i++)
		if (dp_pricing_is_clipped(&block->release[i]))
			return true;
	return false;
}

DpClampedGroups *
dp_draw_begin_clamped(const DpReleaseState *state)
{
	const DpBlock *block = dp_draw_shown_block(state);
	DpClampedGroups *groups;

	if (!has_clamps(block))
		return NULL;
	groups = palloc(sizeof(DpClampedGroups));
	groups->block = block;
	groups->rows = tuplestore_begin_heap(false, false, work_mem);
	groups->slot = MakeSingleTupleTableSlot(state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	groups->groups = 0;
	groups->units = palloc0(block->nreleases * sizeof(*groups->units));
	return groups;
}

void
dp_draw_keep_clamped(DpClampedGroups *groups, TupleTableSlot *result)
{
	for (int i = 0; i < groups->block->nreleases; i++)
	{
		const DpRelease *release = &groups->block->release[i];

		if (dp_pricing_is_clipped(release))
			count_on_steps(release, result->tts_values[release->column], result->tts_isnull[release->column],
						   groups->units[i]);
	}
	groups->groups++;
	tuplestore_puttupleslot(groups->rows, result);
}

/* Choose a step for each release that has any, for as long as the statement runs. */
static void
choose(const DpClampedGroups *groups, DpReleaseState *state)
{
	int			count = groups->block->nreleases;
	MemoryContext context = state->css.ss.ps.state->es_query_cxt;
	DpLadderSeen *seen = MemoryContextAllocZero(context, count * sizeof(DpLadderSeen));

	state->clamps = MemoryContextAlloc(context, count * sizeof(int));
	for (int i = 0; i < count; i++)
	{
		state->clamps[i] = -1;
		if (!dp_pricing_is_clipped(&groups->block->release[i]))
			continue;
		dp_draw_clamp_by(&groups->block->release[i], groups->units[i], groups->groups, &seen[i]);
		seen[i].beyond = state->beyond;
		state->clamps[i] = seen[i].step;
	}
	state->seen = seen;
}

/* Release a group as it was kept, with totals clamped as was chosen. */
static void
release_group(const DpClampedGroups *groups, const DpReleaseState *state, TupleTableSlot *result)
{
	int			natts = result->tts_tupleDescriptor->natts;

	ExecClearTuple(result);
	slot_getallattrs(groups->slot);
	memcpy(result->tts_values, groups->slot->tts_values, natts * sizeof(Datum));
	memcpy(result->tts_isnull, groups->slot->tts_isnull, natts * sizeof(bool));
	for (int i = 0; i < groups->block->nreleases; i++)
	{
		const DpRelease *release = &groups->block->release[i];
		int			column = release->column;

		if (state->clamps[i] < 0)
			continue;
		result->tts_values[column] = draw_clamped(release, result->tts_values[column],
												  result->tts_isnull[column], &state->seen[i]);
		result->tts_isnull[column] = false;
	}
	ExecStoreVirtualTuple(result);
}

void
dp_draw_release_clamped(DpClampedGroups *groups, DpReleaseState *state, TupleTableSlot *result)
{
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg clamped release", ALLOCSET_DEFAULT_SIZES);

	if (groups->groups > 0)
		choose(groups, state);
	while (tuplestore_gettupleslot(groups->rows, true, false, groups->slot))
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		CHECK_FOR_INTERRUPTS();
		release_group(groups, state, result);
		tuplestore_puttupleslot(state->store, result);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	ExecClearTuple(result);
	ExecDropSingleTupleTableSlot(groups->slot);
	tuplestore_end(groups->rows);
	MemoryContextDelete(row);
}
