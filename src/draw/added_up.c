/* SPDX-License-Identifier: PostgreSQL */
/*
 * added_up.c
 *	  Answers that are added up from those of finer groups that are kept.
 *
 * What is added up was released, and paid for by the same budget: nothing is learned from the sum.
 * Which answer is taken depends on noise parameters, times and what public tables hold alone.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "aggregate/exact.h"
#include "base/compat_varlena.h"
#include "base/settings.h"
#include "draw/add_noise.h"
#include "draw/added_up.h"
#include "draw/public_contents.h"
#include "draw/read_listed_keys.h"
#include "exact/exact_plan.h"
#include "kept/listed_cells.h"
#include "kept/packed_rows.h"
#include "kept/rollup.h"
#include "kept/shape.h"
#include "noise/sampler.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/kind.h"

/* Parts of a total, as many as a mean has.  (int128, unlike DpInt128, is aligned as palloc() aligns.) */
#define PARTS 2

/* How a node is answered. */
typedef struct Found
{
	DpShape    *shape;
	DpRollup   *rollup;
	DpKeys	   *keys;			/* of its groups, if tables list them */
} Found;

const DpBlock *
dp_draw_shown_block(const DpReleaseState *state)
{
	if (state->drawn)
		return state->drawn;
	return state->added_block ? state->added_block : state->block;
}

static void
end_keys(const Found *found)
{
	if (found->keys)
		dp_draw_end_keys(found->keys);
}

/* The block with the noise of what is added up for each release, as long as the statement lasts. */
static DpBlock *
added_block(const DpReleaseState *state, const Found *found)
{
	DpBlock    *copy = MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt, VARSIZE(state->block));

	memcpy(copy, state->block, VARSIZE(state->block));
	for (int i = 0; i < copy->nreleases; i++)
	{
		const DpRelease *finer = &found->shape->release[found->rollup->from[i]].release;
		DpRelease  *release = &copy->release[i];

		release->epsilon = finer->epsilon;
		release->delta = finer->delta;
		memcpy(release->noise, finer->noise, sizeof(release->noise));
		release->summed = found->rollup->most;
	}
	return copy;
}

/* Read the keys of a node's groups, as they would be answered now. */
static DpKeys *
list_groups(const DpReleaseState *state, DpBlockCells *cells)
{
	PlannedStmt *plan = dp_exact_plan_exact(state->block, state->list_keys, NULL, -1);
	DpKeys	   *keys;
	bytea	   *packed;

	plan->jitFlags = 0;
	keys = dp_draw_read_keys(plan, state->css.ss.ps.state);
	packed = dp_draw_pack_keys(keys);
	if (packed)
		cells->listed = dp_kept_read_listed(packed, cells->nkeys, cells->nkeys);
	return keys;
}

/* Read the cells of a finer answer that has them; false if it has been replaced. */
static bool
read_cells(DpShape *shape, const DpKeptFiner *finer, const DpBudgetId *budget, TimestampTz since)
{
	DpKept		kept;

	return dp_budget_kept_find(budget, finer->question, since, &kept) && kept.asked_at == finer->asked_at &&
		dp_kept_read_listed_cells(shape, kept.released);
}

/* Take a finer answer if a node is answered by it with less noise than by the best so far. */
static bool
try_finer(const DpReleaseState *state, DpBlockCells *cells, const DpBudgetId *budget, TimestampTz since,
		  const DpKeptFiner *finer, Found *found)
{
	DpShape    *shape = dp_kept_unpack_shape(finer->shape);
	DpRollup   *rollup;

	if (shape == NULL || !dp_kept_may_be_finer(state->block, cells, shape) ||
		(shape->listed && !read_cells(shape, finer, budget, since)))
		return false;
	if (state->block->listed && found->keys == NULL)
		found->keys = list_groups(state, cells);
	rollup = dp_kept_plan_rollup(state->block, cells, shape, dp_settings_kept_rollup);
	if (rollup == NULL || (found->rollup && found->rollup->ratio <= rollup->ratio) ||
		(shape->listed && !dp_draw_holds_still(state, cells, shape->contents)))
		return false;
	found->shape = shape;
	found->rollup = rollup;
	return true;
}

/* A node holds the sum of no finer answer. */
static void
forget_finer(DpReleaseState *state)
{
	state->added = 0;
	state->added_block = NULL;
	state->kept_since = 0;
}

/*
 * Find the answer by which a node is answered with the least noise.  What an earlier search found, which may be gone by now,
 * is forgotten.
 */
static bool
find(DpReleaseState *state, const DpBlockCells *cells, const DpBudgetId *budget, TimestampTz since,
	 DpKeptFiner *best, Found *found)
{
	DpBlockCells own;
	ListCell   *lc;

	*found = (Found) {0};
	forget_finer(state);
	if (cells == NULL || state->block->noise_above || !dp_form(state->block)->of_groups)
		return false;
	own = *cells;
	foreach(lc, dp_budget_kept_find_finer(budget, cells->base.bytes, since))
		if (try_finer(state, &own, budget, since, lfirst(lc), found))
			*best = *(const DpKeptFiner *) lfirst(lc);
	if (found->rollup == NULL)
	{
		end_keys(found);
		return false;
	}
	state->added = found->rollup->used;
	state->added_block = added_block(state, found);
	state->kept_since = best->asked_at;
	return true;
}

bool
dp_draw_find_finer(DpReleaseState *state, const DpBlockCells *cells, const DpBudgetId *budget,
				   TimestampTz since, DpKeptFiner *finer)
{
	Found		found;

	if (!find(state, cells, budget, since, finer, &found))
		return false;
	end_keys(&found);
	return true;
}

/* Add what was released of a group to the totals of the one that it is in. */
static void
add_group(const DpReleaseState *state, const Found *found, const Datum *values, int128 *totals)
{
	int			keys = dp_kept_shape_key_columns(found->shape);

	for (int i = 0; i < state->block->nreleases; i++)
	{
		int			from = found->rollup->from[i];
		const DpShapeRelease *finer = &found->shape->release[from];
		DpInt128	parts[PARTS] = {0};

		if (finer->count)
			parts[0] = DatumGetInt64(values[keys + from]);
		else
			dp_aggregate_read_totals(DatumGetByteaPP(values[keys + from]), finer->release.nnoise, parts);
		for (int j = 0; j < finer->release.nnoise; j++)
			totals[i * PARTS + j] += parts[j];
	}
}

/* Add up all groups; false if they are not those that there must be. */
static bool
add_groups(const DpReleaseState *state, const Found *found, bytea *released, int128 *totals)
{
	int			keys = dp_kept_shape_key_columns(found->shape);
	TupleDesc	desc = dp_kept_shape_columns(found->shape);
	Datum	   *values = palloc(desc->natts * sizeof(Datum));
	bool	   *nulls = palloc(desc->natts * sizeof(bool));
	List	   *order = NIL;
	DpPackedRows *rows;
	int			cell = 0;

	for (int i = 0; i < desc->natts; i++)
		order = lappend_int(order, i);
	rows = dp_kept_open_packed(released, desc, order);
	for (; dp_kept_next_packed(rows, values, nulls); cell++)
	{
		CHECK_FOR_INTERRUPTS();
		if (cell >= found->rollup->rows ||
			(!found->shape->listed && (nulls[0] || DatumGetInt32(values[0]) != cell + 1)))
			return false;
		for (int i = keys; i < desc->natts; i++)
			if (nulls[i])
				return false;
		if (found->rollup->group[cell] >= 0)
			add_group(state, found, values,
					  totals + (Size) found->rollup->group[cell] * state->block->nreleases * PARTS);
	}
	return cell == found->rollup->rows;
}

/* The total of a release, as the node releases it. */
static Datum
total(const DpReleaseState *state, const Found *found, int i, Oid type, const int128 *totals)
{
	DpInt128	parts[PARTS] = {totals[0], totals[1]};
	const DpRelease *asked = &state->block->release[i];
	const DpRelease *finer = &found->shape->release[found->rollup->from[i]].release;

	return dp_kind(asked)->added_up(asked, finer, type, parts);
}

/* The keys of a group, in the order of groups. */
static void
set_keys(const DpReleaseState *state, const Found *found, int group, Datum *values, bool *nulls)
{
	const TupleTableSlot *key;

	if (found->keys == NULL)
	{
		if (state->block->nkeys > 0)
			values[0] = Int32GetDatum(group + 1);
		return;
	}
	if (!dp_draw_next_key(found->keys))
		elog(ERROR, "a group has no key");
	key = dp_draw_current_key(found->keys);
	memcpy(values, key->tts_values, state->block->nkeys * sizeof(Datum));
	memcpy(nulls, key->tts_isnull, state->block->nkeys * sizeof(bool));
}

/* Rows of the sums, packed, as long as the statement lasts. */
static bytea *
pack_sums(const DpReleaseState *state, const Found *found, int128 *totals, const List *order)
{
	TupleDesc	desc = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	Tuplestorestate *store = tuplestore_begin_heap(false, false, work_mem);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	Datum	   *values = palloc(desc->natts * sizeof(Datum));
	bool	   *nulls = palloc0(desc->natts * sizeof(bool));
	const DpBlock *block = state->block;
	MemoryContext old;
	bytea	   *packed;
	int			rows;

	for (int group = 0; group < found->rollup->groups; group++)
	{
		CHECK_FOR_INTERRUPTS();
		set_keys(state, found, group, values, nulls);
		for (int i = 0; i < block->nreleases; i++)
		{
			int			column = block->release[i].column;

			values[column] = total(state, found, i, TupleDescAttr(desc, column)->atttypid,
								   totals + ((Size) group * block->nreleases + i) * PARTS);
		}
		tuplestore_putvalues(store, desc, values, nulls);
	}
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	packed = dp_kept_pack_rows(store, slot, order, &rows);
	MemoryContextSwitchTo(old);
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(store);
	return packed;
}

/* Have a node hold the sums of what was released; false if that is not what it must be. */
static bool
hold_sums(DpReleaseState *state, const Found *found, bytea *released)
{
	Size		count = (Size) found->rollup->groups * state->block->nreleases * PARTS;
	int128	   *totals = MemoryContextAllocExtended(CurrentMemoryContext, count * sizeof(int128),
													MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	List	   *order = NIL;
	bytea	   *packed = NULL;
	MemoryContext old;

	for (int i = 0; i < state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor->natts; i++)
		order = lappend_int(order, i);
	if (add_groups(state, found, released, totals))
		packed = pack_sums(state, found, totals, order);
	if (packed == NULL)
		return false;
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	state->kept = dp_kept_open_packed(packed, state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor, order);
	MemoryContextSwitchTo(old);
	return true;
}

bool
dp_draw_add_up(DpReleaseState *state, const DpBlockCells *cells, const DpBudgetId *budget, TimestampTz since,
			   DpKeptFiner *finer)
{
	Found		found;
	DpKept		kept;
	bool		held;

	if (!find(state, cells, budget, since, finer, &found))
		return false;
	held = dp_budget_kept_find(budget, finer->question, since, &kept) && kept.asked_at == finer->asked_at &&
		hold_sums(state, &found, kept.released);
	end_keys(&found);
	if (!held)
		forget_finer(state);
	return held;
}
