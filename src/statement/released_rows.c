/* SPDX-License-Identifier: PostgreSQL */
/*
 * released_rows.c
 *	  The rows that a release node holds.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/tuplestore.h"

#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "draw/added_up.h"
#include "pricing/block.h"
#include "pricing/selector.h"
#include "statement/released_rows.h"

bool
dp_statement_next_released(DpReleaseState *state, TupleTableSlot *slot)
{
	int			natts = slot->tts_tupleDescriptor->natts;

	if (state->kept)
		return dp_kept_next_packed(state->kept, slot->tts_values, slot->tts_isnull);
	tuplestore_select_read_pointer(state->store, state->reader);
	if (!tuplestore_gettupleslot(state->store, true, false, state->store_slot))
		return false;
	slot_getallattrs(state->store_slot);
	for (int i = 0; i < natts; i++)
	{
		int			column = state->twin ? state->twin_column[i] : i;

		slot->tts_values[i] = state->store_slot->tts_values[column];
		slot->tts_isnull[i] = state->store_slot->tts_isnull[column];
	}
	return true;
}

/* Rows that noise may feign in each release, of the noise that is in what is shown. */
static void
set_feigned(DpReleaseState *state)
{
	const DpBlock *block = dp_draw_shown_block(state);

	state->feigned = MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt,
										Max(block->nreleases, 1) * sizeof(double));
	for (int i = 0; i < block->nreleases; i++)
		state->feigned[i] = dp_pricing_feigned_rows(&block->release[i]);
}

/*
 * Show NULL in place of totals that noise alone may have made of no rows, or mark them where counts and
 * sums are made of them too, which are numbers in any case.  What is kept remains as it was drawn, so that
 * sums of it are of all totals.  What is shown lasts as long as the row.
 */
static void
hide_feigned(DpReleaseState *state, TupleTableSlot *slot)
{
	if (state->feigned == NULL)
		set_feigned(state);
	for (int i = 0; i < state->block->nreleases; i++)
	{
		const DpRelease *release = &state->block->release[i];
		Datum	   *totals = &slot->tts_values[release->column];
		bool	   *isnull = &slot->tts_isnull[release->column];
		bool		nobody = !*isnull && dp_pricing_is_feigned(release, state->feigned[i], *totals);

		if (release->answers == 0)
			*isnull |= nobody;
		else
			*totals = PointerGetDatum(dp_aggregate_mark_totals(DatumGetByteaPP(*totals), dp_pricing_totals_of(release),
															   nobody));
	}
}

void
dp_statement_hide_feigned(DpReleaseState *state, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext old;

	ResetExprContext(econtext);
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	hide_feigned(state, slot);
	MemoryContextSwitchTo(old);
}

void
dp_statement_rewind_released(DpReleaseState *state)
{
	if (state->store)
	{
		tuplestore_select_read_pointer(state->store, state->reader);
		tuplestore_rescan(state->store);
	}
	if (state->kept)
		dp_kept_rewind_packed(state->kept);
}

void
dp_statement_read_released(DpReleaseState *state, int most, void (*take) (TupleTableSlot *slot, void *arg), void *arg)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	dp_statement_rewind_released(state);
	for (int i = 0; i < most; i++)
	{
		ExecClearTuple(slot);
		if (!dp_statement_next_released(state, slot))
			break;
		dp_statement_hide_feigned(state, slot);
		ExecStoreVirtualTuple(slot);
		take(slot, arg);
	}
	ExecClearTuple(slot);

	/* A row that was read from a file is in memory of the caller's. */
	if (state->store_slot)
		ExecClearTuple(state->store_slot);
	dp_statement_rewind_released(state);
}
