/*
 * clamped_groups.c
 *	  Groups that wait for their totals' clamp to be chosen.
 *
 * One clamp is chosen for all groups that are answered, so that none is released before all are
 * known.  They wait in a store of work_mem.  Which groups are answered is decided before, by public
 * keys or by their noisy counts of units, and is part of the answer: a choice may depend on it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "pricing/block.h"
#include "draw/added_up.h"
#include "draw/clamped_groups.h"
#include "draw/draw_clamp.h"

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
		if (dp_query_is_clipped(&block->release[i]))
			return true;
	return false;
}

DpClampedGroups *
dp_query_begin_clamped(const DpReleaseState *state)
{
	const DpBlock *block = dp_query_shown_block(state);
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
dp_query_keep_clamped(DpClampedGroups *groups, TupleTableSlot *result)
{
	for (int i = 0; i < groups->block->nreleases; i++)
	{
		const DpRelease *release = &groups->block->release[i];

		if (dp_query_is_clipped(release))
			dp_query_count_on_steps(release, result->tts_values[release->column], result->tts_isnull[release->column],
									groups->units[i]);
	}
	groups->groups++;
	tuplestore_puttupleslot(groups->rows, result);
}

/* Choose a step for each release that has any, for as long as the statement runs. */
static void
choose(const DpClampedGroups *groups, DpReleaseState *state)
{
	state->clamps = MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt, groups->block->nreleases * sizeof(int));
	for (int i = 0; i < groups->block->nreleases; i++)
		state->clamps[i] = dp_query_is_clipped(&groups->block->release[i]) ?
			dp_query_draw_clamp(&groups->block->release[i], groups->units[i], groups->groups) : -1;
}

/* Release a group as it was kept, with totals clamped as was chosen. */
static void
release_group(const DpClampedGroups *groups, const int *step, TupleTableSlot *result)
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

		if (step[i] < 0)
			continue;
		result->tts_values[column] = dp_query_draw_clamped(release, result->tts_values[column],
														   result->tts_isnull[column], step[i]);
		result->tts_isnull[column] = false;
	}
	ExecStoreVirtualTuple(result);
}

void
dp_query_release_clamped(DpClampedGroups *groups, DpReleaseState *state, TupleTableSlot *result)
{
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg clamped release", ALLOCSET_DEFAULT_SIZES);

	if (groups->groups > 0)
		choose(groups, state);
	while (tuplestore_gettupleslot(groups->rows, true, false, groups->slot))
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		CHECK_FOR_INTERRUPTS();
		release_group(groups, state->clamps, result);
		tuplestore_puttupleslot(state->store, result);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	ExecClearTuple(result);
	ExecDropSingleTupleTableSlot(groups->slot);
	tuplestore_end(groups->rows);
	MemoryContextDelete(row);
}
