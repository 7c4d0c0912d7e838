/* SPDX-License-Identifier: PostgreSQL */
/*
 * release.c
 *	  Running an exact plan that was paid for, and releasing what it returns.
 *
 * It is run once, without statistics and instrumentation; exact integer noise is added
 * to every total, private groups below the threshold are dropped, and the released rows
 * are kept.  Whatever goes wrong below is reported by fixed words.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/sinval.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "base/injection.h"
#include "draw/add_noise.h"
#include "draw/added_up.h"
#include "draw/draw_clamp.h"
#include "draw/draw_groups.h"
#include "draw/draw_levels.h"
#include "draw/exact_rows.h"
#include "draw/invalidation.h"
#include "draw/read_listed_keys.h"
#include "draw/release.h"
#include "draw/release_forms.h"
#include "draw/release_state.h"
#include "draw/run_plan.h"
#include "exact/oblivious_plan.h"
#include "expression/null_on_error.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/kind.h"
#include "pricing/shared_noise.h"
#include "sidechannel/cache_watch.h"
#include "sidechannel/enum_labels.h"
#include "sidechannel/instrumentation.h"
#include "sidechannel/warm_caches.h"

/*
 * In kilobytes: sorts and stores write what fills their memory without a look at
 * interrupts, which is not to take a tenth of a second.
 */
#define MOST_SORT_MEMORY (32 * 1024)

/* The most PostgreSQL admits. */
#define MOST_HASH_MULTIPLIER 1000.0

/*
 * Is the error being handled an interrupt of this process or its workers?
 * Another server's, passed on, has that server's words and context.
 */
static bool
is_interrupt(void)
{
	ErrorData  *error;

	if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_OPERATOR_INTERVENTION)
		return false;
	error = CopyErrorData();
	return error->funcname && strcmp(error->funcname, "ProcessInterrupts") == 0;
}

/*
 * Errors below must not carry data: keep a cancel or shutdown as it is, say
 * anything else in fixed words.  Call in PG_CATCH, in a memory context that
 * outlives the error; does not return.
 */
static void
raise_scrubbed(void)
{
	int			sqlstate = geterrcode();

	if (is_interrupt())
		PG_RE_THROW();
	FlushErrorState();
	if (ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_INSUFFICIENT_RESOURCES)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("not enough resources for the differentially private release")));
	ereport(ERROR,
			(errcode(ERRCODE_SYSTEM_ERROR),
			 errmsg("the differentially private release failed")));
}

void
dp_draw_start_worker(PlanState *plan)
{
	/* The leader's settings: no statistics are counted meanwhile. */
	if (pgstat_track_counts)
		return;
	dp_expression_release_running = true;
	dp_exact_read_whole(plan);
	dp_sidechannel_look_ahead(plan, NULL);
}

/* Start the exact plan; if the caches are filled, they hold all that its rows need. */
static QueryDesc *
start_exact(DpReleaseState *state, PlannedStmt *plan, bool filled)
{
	EState	   *estate = state->css.ss.ps.state;
	QueryDesc  *run = dp_draw_start_run(plan, estate->es_sourceText, estate->es_snapshot);

	DP_INJECTION_POINT("exact_start");
	state->child = run->planstate;
	dp_exact_read_whole(state->child);
	if (filled)
		dp_sidechannel_lock_ahead(state->child);
	else
		dp_sidechannel_look_ahead(state->child, state->exact);
	dp_sidechannel_look_up_labels(state->enums);
	dp_draw_allow_workers(run);
	return run;
}

/* Stop it. */
static void
end_exact(DpReleaseState *state, QueryDesc *run)
{
	state->child = NULL;
	dp_draw_end_run(run);
}

/* Is there an n-th group?  Moves to the n-th public key. */
static bool
next_group(DpReleaseState *state, TupleTableSlot *exact, int n)
{
	if (state->block->listed)
		return dp_draw_next_key(state->keys);
	return state->block->domain > 0 ? n <= state->block->domain : exact != NULL;
}

/* How the n-th group's key compares with that of an exact row. */
static int
compare_group(DpReleaseState *state, TupleTableSlot *exact, int n)
{
	if (state->block->listed)
		return dp_draw_compare_key(state->keys, exact);
	if (state->block->domain == 0)
		return 0;
	if (exact->tts_isnull[0])
		return -1;
	return n - DatumGetInt32(exact->tts_values[0]);
}

/*
 * Release the n-th group, given its exact row (NULL: a public key without rows), or have it wait
 * for the clamps of its totals.  Noise of all others is drawn before the threshold is looked at, but for what all groups
 * share, which is given.
 */
static void
release_group(DpReleaseState *state, DpClampedGroups *clamped, const DpSharedDraw *across, TupleTableSlot *exact,
			  TupleTableSlot *result, int n)
{
	TupleTableSlot *key = state->block->listed ? dp_draw_current_key(state->keys) : exact;
	const DpBlock *block = dp_draw_shown_block(state);
	TupleDesc	desc = result->tts_tupleDescriptor;
	const uint64 *place;
	DpSharedDraw shared;
	bool		keep = true;

	DP_INJECTION_POINT("noise");
	place = dp_draw_draw_levels(block, exact);
	shared = dp_pricing_shares_across(block) ? *across : dp_draw_shared_noise(block);
	ExecClearTuple(result);
	memset(result->tts_isnull, true, desc->natts * sizeof(bool));
	dp_draw_release_keys(block, key, n, result);
	for (int i = 0; i < block->nreleases; i++)
	{
		const DpRelease *release = &block->release[i];
		int			column = release->column;
		Datum		value = exact ? exact->tts_values[column] : (Datum) 0;
		bool		isnull = exact ? exact->tts_isnull[column] : true;
		DpInt128	units = 0;

		result->tts_values[column] = value;
		result->tts_isnull[column] = isnull;
		if (release->split.sharers > 0)
			result->tts_values[column] = dp_draw_point_datum(release, place[i], &result->tts_isnull[column]);
		else if (!dp_pricing_is_clipped(release))
			result->tts_values[column] = dp_draw_noisy_value(release, TupleDescAttr(desc, column)->atttypid,
															 value, isnull, &shared, &units,
															 &result->tts_isnull[column]);
		if (i == block->selector &&
			(units < block->threshold || block->threshold == PG_INT64_MAX))
			keep = false;
	}
	ExecStoreVirtualTuple(result);
	if (!keep)
		return;
	if (clamped)
		dp_draw_keep_clamped(clamped, result);
	else
		tuplestore_puttupleslot(state->store, result);
}

/*
 * Release every group.  The exact plan delivers them in the order of their keys, NULL
 * last.  Public keys are 1 .. domain, or listed in the same order.  Missing ones are
 * filled in, and rows of other keys are ignored.
 */
static void
release_groups(DpReleaseState *state, TupleTableSlot *result)
{
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg release",
											  ALLOCSET_DEFAULT_SIZES);
	DpClampedGroups *clamped = dp_draw_begin_clamped(state);
	TupleTableSlot *exact = dp_draw_next_exact(state);
	DpSharedDraw across = {0};

	if (dp_pricing_shares_across(dp_draw_shown_block(state)))
		across = dp_draw_shared_noise(dp_draw_shown_block(state));
	for (int n = 1; next_group(state, exact, n); n++)
	{
		MemoryContext old;
		bool		here;

		CHECK_FOR_INTERRUPTS();
		while (exact && compare_group(state, exact, n) > 0)
			exact = dp_draw_next_exact(state);
		here = exact && compare_group(state, exact, n) == 0;
		old = MemoryContextSwitchTo(row);
		release_group(state, clamped, &across, here ? exact : NULL, result, n);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
		if (here)
			exact = dp_draw_next_exact(state);
	}
	while (exact)
		exact = dp_draw_next_exact(state);
	if (clamped)
		dp_draw_release_clamped(clamped, state, result);
	MemoryContextDelete(row);
}

/*
 * Limit work_mem until statistics are counted again.  Hash tables have as much memory
 * as they had.
 */
static void
limit_sorts(void)
{
	double		multiplier = hash_mem_multiplier * work_mem / MOST_SORT_MEMORY;

	if (work_mem <= MOST_SORT_MEMORY)
		return;
	dp_sidechannel_quiet_set("hash_mem_multiplier", psprintf("%.17g", Min(multiplier, MOST_HASH_MULTIPLIER)));
	dp_sidechannel_quiet_set("work_mem", psprintf("%d", MOST_SORT_MEMORY));
}

/* Have a store for what is released, as long as the statement runs. */
static void
make_store(DpReleaseState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	state->store = tuplestore_begin_heap(false, false, work_mem);
	tuplestore_set_eflags(state->store, EXEC_FLAG_REWIND);
	state->store_slot = MakeSingleTupleTableSlot(state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor,
												 &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
}

/* Release what the running exact plan returns. */
static void
release_rows(DpReleaseState *state)
{
	TupleTableSlot *result = MakeSingleTupleTableSlot(state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor,
													  &TTSOpsVirtual);

	make_store(state);
	if (dp_form(state->block)->of_groups)
		release_groups(state, result);
	else
		dp_draw_release_form(state, result);
	ExecDropSingleTupleTableSlot(result);
}

/*
 * Run the exact plan and have it read.  What the rows need of the catalogs has
 * been looked up before the first of them.  If other sessions made this one forget any of
 * it meanwhile, be it on purpose, so that rows had it look up again, it forgets everything
 * in the end, whatever rows there were.  What came before, while the charge was waited for or another
 * block was read, is heard first: how long that took is no reason to forget.
 */
static void
run_exact(DpReleaseState *state, PlannedStmt *plan, uint64 filled, void (*read) (DpReleaseState *state))
{
	uint64		messages;
	QueryDesc  *run;
	Size		cached;

	dp_sidechannel_extend_maps(plan);
	AcceptInvalidationMessages();
	messages = SharedInvalidMessageCounter;
	run = start_exact(state, plan, filled != 0 && filled == dp_draw_cache_changes());
	cached = dp_sidechannel_cached();
	read(state);
	if (messages == SharedInvalidMessageCounter && cached != dp_sidechannel_cached())
	{
		elog(LOG, "rows had the session look something up: %zu bytes", dp_sidechannel_cached() - cached);
		elog(ERROR, "what rows need was not looked up ahead");
	}
	end_exact(state, run);
	if (messages != SharedInvalidMessageCounter)
		InvalidateSystemCaches();
}

/* Run it, twice where max_groups is chosen, and keep what it releases. */
static void
fill_store(DpReleaseState *state, PlannedStmt *plan, uint64 filled)
{
	if (dp_pricing_chooses_groups(state->block))
	{
		run_exact(state, dp_draw_plan_of_classes(plan), filled, dp_draw_draw_groups);
		plan = dp_draw_plan_of_choice(state, plan);
	}
	run_exact(state, plan, filled, release_rows);
}

void
dp_draw_read_release(DpReleaseState *state, PlannedStmt *plan, uint64 filled)
{
	MemoryContext context = CurrentMemoryContext;
	bool		was_running = dp_expression_release_running;
	DpQuiet		quiet;

	if (!state->paid)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("differentially private release was not paid for")));
	dp_sidechannel_quiet_begin(&quiet);
	limit_sorts();
	PG_TRY();
	{
		dp_expression_release_running = true;
		fill_store(state, plan, filled);
	}
	PG_CATCH();
	{
		state->paid = false;
		dp_expression_release_running = was_running;
		MemoryContextSwitchTo(context);
		dp_sidechannel_quiet_fail(&quiet);
		raise_scrubbed();
	}
	PG_END_TRY();
	dp_expression_release_running = was_running;
	dp_sidechannel_quiet_end(&quiet);
	MemoryContextSwitchTo(context);
	if (state->keys)
		dp_draw_end_keys(state->keys);
	state->keys = NULL;
}
