/* SPDX-License-Identifier: PostgreSQL */
/*
 * draw_groups.c
 *	  Choosing max_groups of a block; see draw_groups.h.
 *
 * Numbers of units are read through what noise makes of them alone: the choice follows from these and
 * from public numbers.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "aggregate/exact.h"
#include "draw/draw_clamp.h"
#include "draw/draw_groups.h"
#include "draw/exact_rows.h"
#include "exact/exact_plan.h"
#include "pricing/block.h"
#include "pricing/chosen_groups.h"
#include "pricing/kind.h"

/* In how many groups a unit of a class is expected to be, of the class's most. */
#define MIDDLE 0.75

PlannedStmt *
dp_draw_plan_of_classes(const PlannedStmt *plan)
{
	return dp_exact_limit_groups(plan, 1, true);
}

PlannedStmt *
dp_draw_plan_of_choice(const DpReleaseState *state, const PlannedStmt *plan)
{
	return dp_exact_limit_groups(plan, state->drawn->max_groups, false);
}

/* Add the units of one group to those of their classes. */
static void
add_units(const DpRelease *chooser, const TupleTableSlot *exact, int64 *units)
{
	__int128	parts[DP_LADDER_MOST];

	if (exact->tts_isnull[chooser->column])
		return;
	dp_aggregate_read_few_totals(DatumGetByteaPP(exact->tts_values[chooser->column]), chooser->ladder.steps, parts);
	for (int i = 0; i < chooser->ladder.steps; i++)
		units[i] += (int64) parts[i];
}

/* The numbers of units in each class. */
static void
count_units(DpReleaseState *state, int64 *units)
{
	const DpRelease *chooser = &state->block->release[state->block->chooser];
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg classes", ALLOCSET_SMALL_SIZES);
	TupleTableSlot *exact;

	memset(units, 0, DP_LADDER_MOST * sizeof(int64));
	while ((exact = dp_draw_next_exact(state)) != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		CHECK_FOR_INTERRUPTS();
		add_units(chooser, exact, units);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	MemoryContextDelete(row);
}

/*
 * The noise of all groups together.  If groups are private, there are at least as many
 * as units of the last class held are in, and no more than can be told from noise, each
 * with one unit at least.
 */
static double
noise_of_all(const DpReleaseState *state, const DpLadderRule *rule, const double *units, double each,
			 double contributions)
{
	double		least = 1;
	double		most = Min(dp_draw_filled_groups(each, contributions), contributions);

	if (state->keys)
		return dp_draw_noise_of_groups(each, contributions, Max((double) dp_draw_count_keys(state->keys), 1));
	if (state->block->domain > 0)
		return dp_draw_noise_of_groups(each, contributions, state->block->domain);
	for (int i = 1; i < rule->steps; i++)
		if (units[i] > rule->first[i])
			least = dp_pricing_groups_of_class(state->block, i - 1) + 1;
	return each * sqrt(least * Max(most, least));
}

/* The mean absolute noise of an answer for the greatest class, over its clamp, and weighed. */
static double
mean_noise(const DpBlock *block)
{
	double		noise = 0;

	for (int i = 0; i < block->nreleases; i++)
		if (i != block->chooser)
			noise += dp_draw_noise_per_clamp(&block->release[i]) * dp_kind(&block->release[i])->noise_weight;
	return noise / (block->nreleases - 1);
}

/*
 * The class for which what is cut and noise are least together.  A unit that is cut from a group is
 * lacking by as much as it may count.
 */
static int
choose(const DpReleaseState *state, const double *units)
{
	const DpBlock *block = state->block;
	const DpRelease *chooser = &block->release[block->chooser];
	int			classes = chooser->ladder.steps;
	double		contributions = 0;
	double		each = mean_noise(block);
	double		noise;
	DpLadderRule rule;

	dp_draw_set_rule(&rule, &chooser->noise[0], classes);
	for (int i = 0; i < classes; i++)
		contributions += units[i] * MIDDLE * dp_pricing_groups_of_class(block, i);
	noise = noise_of_all(state, &rule, units, each, contributions);
	for (int i = 0; i < classes; i++)
		rule.noise[i] = noise * sqrt((double) dp_pricing_groups_of_class(block, i) / block->max_groups);
	return dp_aggregate_ladder_choose(&rule, units);
}

void
dp_draw_draw_groups(DpReleaseState *state)
{
	const DpRelease *chooser = &state->block->release[state->block->chooser];
	int64		units[DP_LADDER_MOST];
	double		noisy[DP_LADDER_MOST];
	double		beyond = 0;
	int			class;

	count_units(state, units);
	dp_draw_draw_steps(&chooser->noise[0], chooser->ladder.steps, units, noisy);
	class = choose(state, noisy);
	for (int i = class + 1; i < chooser->ladder.steps; i++)
		beyond += noisy[i];
	state->beyond = (int64) Max(Min(ldexp(beyond, -chooser->noise[0].grid), 0x1p62), -0x1p62);
	dp_draw_set_chosen(state, class);
}

void
dp_draw_set_chosen(DpReleaseState *state, int class)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	state->drawn = dp_pricing_block_of_class(state->block, class);
	MemoryContextSwitchTo(old);
}

int
dp_draw_chosen_class(const DpBlock *block, const Datum *values, const bool *isnull)
{
	const DpRelease *chooser = &block->release[block->chooser];
	__int128	class;

	if (isnull[chooser->column])
		return -1;
	dp_aggregate_read_totals(DatumGetByteaPP(values[chooser->column]), 1, &class);
	return class >= 0 && class < chooser->ladder.steps ? (int) class : -1;
}
