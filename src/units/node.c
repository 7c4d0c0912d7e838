/* SPDX-License-Identifier: PostgreSQL */
/*
 * node.c
 *	  The node in the executor.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "utils/memutils.h"

#include "aggregate/exact.h"
#include "base/server_files.h"
#include "noise/random.h"
#include "units/merge.h"
#include "units/node.h"
#include "units/rows.h"
#include "units/share.h"
#include "units/source.h"
#include "units/star.h"

typedef struct UnitsState
{
	CustomScanState css;		/* first */
	const DpUnitsPlan *plan;
	DpUnitsSpec spec;
	DpMerge    *merge;			/* where groups go; NULL until everything has been read */
	DpUnitsShared *shared;		/* in a parallel plan; and */
	ParallelContext *context;	/* in its leader */
	MemoryContext row_context;	/* reset after every batch */
	DpUnitsRows *rows;
	Datum	   *values;			/* scratch: a group's key */
	bool	   *isnull;
} UnitsState;

/*
 * Adding up the rows of all units, or in each of several processes those of some.
 *
 * All rows are read before the first group is passed on.
 */

void
dp_units_adding_draw_secret(DpUnitsSecret *secret)
{
	uint64	   *word = (uint64 *) secret;

	for (int i = 0; i < sizeof(DpUnitsSecret) / sizeof(uint64); i++)
		word[i] = dp_noise_random64();
	secret->factor[0] |= 1;
	secret->factor[1] |= 1;
}

/*
 * Describe what is added up, all but the secret; without a source, as a final node has none, just the
 * totals of a group.
 */
static void
describe(UnitsState *state, const DpSource *source)
{
	const DpUnitsPlan *plan = state->plan;
	DpUnitsSpec *spec = &state->spec;

	spec->measures = plan->ncolumns;
	spec->measure = dp_units_measures(plan, source);
	dp_units_lay_out(spec);
	spec->single = plan->rows_are_units;
	spec->by_parts = plan->by_parts;
	spec->grouped = plan->nkeys > 0;
	spec->max_groups = spec->grouped ? plan->max_groups : 1;
	spec->id_words = 1;
	spec->processes = 1;
	spec->limit = get_hash_memory_limit();
	if (source == NULL)
		return;
	spec->limit -= dp_units_star_used(source);
	if (plan->rows_are_units)
		return;
	if (dp_units_form(source->column[0].type) != DP_UNIT_WORD)
		spec->id_words = 2;
	else
		spec->small_ids = source->column[0].type->attlen <= (int) sizeof(uint32);
}

/* Pass on a group some unit counts in. */
static void
emit_group(void *context, const uint8_t *key, uint32_t length, const DpGroupTotals *totals)
{
	UnitsState *state = context;
	MemoryContext old = MemoryContextSwitchTo(state->row_context);

	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < state->spec.measures && state->spec.single; i++)
		dp_units_acc_finish_singles(&state->spec.measure[i], totals->totals);
	dp_units_read_key(state->rows, key, state->values, state->isnull);
	dp_units_merge_put(state->merge, state->values, state->isnull, totals);
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->row_context);
}

/* Collect all rows that this process reads. */
static void
read_all(UnitsState *state, DpCollect *collect)
{
	while (dp_units_read_rows(state->rows))
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(state->row_context);
		if (!collect->wide && dp_units_collect_is_full(collect))
			dp_units_collect_widen(collect);
	}
}

/*
 * Add up all rows of the source, and pass on the groups; in a parallel plan, all rows of the
 * units that this process comes to.
 */
static void
add_up(UnitsState *state, DpSource *source, DpUnitsShared *shared)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg units", ALLOCSET_DEFAULT_SIZES);
	DpMemory	memory;
	DpServerFiles files;
	DpShare		share;
	DpCollect	collect;

	dp_memory_use_context(&memory, context);
	dp_files_use(&files, context, NULL, 0);
	if (shared)
		dp_units_share_join(&share, shared, context, &state->spec);
	else
		dp_units_adding_draw_secret(&state->spec.secret);
	dp_units_collect_create(&collect, &memory, shared ? &share.files.files : &files.files, &state->spec,
							shared ? share.process : 0, shared ? &share.segments.segments : NULL);
	state->rows = dp_units_start_rows(state->plan, source, &collect, state->row_context);
	if (!shared || !share.late)
		read_all(state, &collect);
	if (shared)
		dp_units_share_finish(&share, &collect, emit_group, state);
	else
		dp_units_collect_finish(&collect, emit_group, state);
	dp_units_collect_destroy(&collect);
	MemoryContextDelete(context);
	explicit_bzero(&state->spec.secret, sizeof(DpUnitsSecret));
}

static void begin_units(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *exec_units(CustomScanState *node);
static void end_units(CustomScanState *node);
static void rescan_units(CustomScanState *node);
static Size estimate_shared(CustomScanState *node, ParallelContext *context);
static void initialize_shared(CustomScanState *node, ParallelContext *context, void *place);
static void reinitialize_shared(CustomScanState *node, ParallelContext *context, void *place);
static void attach_shared(CustomScanState *node, shm_toc *toc, void *place);

static const CustomExecMethods exec_methods = {
	.CustomName = "DpUnits",
	.BeginCustomScan = begin_units,
	.ExecCustomScan = exec_units,
	.EndCustomScan = end_units,
	.ReScanCustomScan = rescan_units,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = attach_shared,
};

Node *
dp_units_create_state(CustomScan *scan)
{
	UnitsState *state = palloc0(sizeof(UnitsState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &exec_methods;
	state->plan = (const DpUnitsPlan *)
		DatumGetPointer(linitial_node(Const, scan->custom_private)->constvalue);
	return (Node *) state;
}

static PlanState *
child_of(UnitsState *state)
{
	return linitial(state->css.custom_ps);
}

static void
begin_units(CustomScanState *node, EState *estate, int eflags)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	ListCell   *lc;

	foreach(lc, scan->custom_plans)
		node->custom_ps = lappend(node->custom_ps, ExecInitNode(lfirst(lc), estate, eflags));
	describe((UnitsState *) node, NULL);
}

/*
 * The rows: of a star, if the plan has one and its sides fit half the memory, else of
 * the first child.  What the sides hold decides, so all processes decide alike.
 */
static DpSource *
open_source(UnitsState *state)
{
	List	   *private = ((CustomScan *) state->css.ss.ps.plan)->custom_private;
	DpSource   *source = NULL;

	if (list_length(private) > 4)
		source = dp_units_star_start(list_copy_tail(state->css.custom_ps, 1), list_nth(private, 4),
									 get_hash_memory_limit() / 2);
	return source ? source : dp_units_source_start(child_of(state), lfourth(private));
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	return dp_units_shared_size(context->nworkers, ((UnitsState *) node)->spec.values);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *place)
{
	UnitsState *state = (UnitsState *) node;

	/* Without shared memory there are no workers. */
	if (context->seg == NULL)
		return;
	dp_units_adding_draw_secret(&state->spec.secret);
	dp_units_share(place, context, &state->spec);
	explicit_bzero(&state->spec.secret, sizeof(DpUnitsSecret));
	state->shared = place;
	state->context = context;
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *context, void *place)
{
	elog(ERROR, "units cannot be added up twice");
}

static void
attach_shared(CustomScanState *node, shm_toc *toc, void *place)
{
	((UnitsState *) node)->shared = place;
	dp_units_attach(place);
}

/* Add up what partial nodes return. */
static void
add_up_parts(UnitsState *state)
{
	PlanState  *child = child_of(state);
	int			nkeys = state->plan->nkeys;
	TupleTableSlot *slot;

	while (slot = ExecProcNode(child), !TupIsNull(slot))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		dp_units_merge_put_bytes(state->merge, slot->tts_values, slot->tts_isnull,
								 (bytea *) DatumGetPointer(slot->tts_values[nkeys]));
	}
}

/* Read everything. */
static void
run(UnitsState *state)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	int			nkeys = state->plan->nkeys;
	bool		final = state->plan->mode == DP_UNITS_FINAL;
	bool		alone = state->plan->rows_are_units || (state->context && state->context->nworkers_launched == 0);
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	DpSource   *source = final ? NULL : open_source(state);

	if (!final)
		describe(state, source);
	state->merge = dp_units_merge_begin(state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor, nkeys,
										lsecond(scan->custom_private), lthird(scan->custom_private), &state->spec);
	state->row_context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg rows of units", ALLOCSET_DEFAULT_SIZES);
	state->values = palloc((nkeys + 1) * sizeof(Datum));
	state->isnull = palloc((nkeys + 1) * sizeof(bool));
	if (final)
		add_up_parts(state);
	else
		add_up(state, source, alone ? NULL : state->shared);
	MemoryContextDelete(state->row_context);
	MemoryContextSwitchTo(old);
}

/* Value of an aggregate in the current group; a quantile has none without rows. */
static Datum
column_value(const DpMerge *merge, int i, bool *isnull)
{
	const DpUnitsMeasure *measure = &merge->spec->measure[i];
	const __int128 *totals = merge->totals;

	if (measure->kind == DP_UNITS_CELLS)
	{
		merge->cells[i]->rows = (uint64) totals[measure->part];
		*isnull = totals[measure->part] == 0;
		return *isnull ? (Datum) 0 : PointerGetDatum(dp_aggregate_summary(merge->cells[i]));
	}
	if (measure->kind == DP_UNITS_UNITS)
		return PointerGetDatum(dp_aggregate_make_totals(1, totals));
	if (measure->ladder.steps > 0)
		return PointerGetDatum(dp_aggregate_make_few_totals(dp_units_acc_parts(measure), totals + measure->part));
	return PointerGetDatum(dp_aggregate_make_totals(dp_units_acc_parts(measure), totals + measure->part));
}

/* The current group as the node returns it. */
static void
store_group(UnitsState *state, TupleTableSlot *slot)
{
	const DpMerge *merge = state->merge;
	int			nkeys = state->plan->nkeys;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, false, slot->tts_tupleDescriptor->natts * sizeof(bool));
	if (nkeys > 0)
	{
		memcpy(slot->tts_values, merge->current->tts_values, nkeys * sizeof(Datum));
		memcpy(slot->tts_isnull, merge->current->tts_isnull, nkeys * sizeof(bool));
	}
	if (state->plan->mode == DP_UNITS_PARTIAL)
		slot->tts_values[nkeys] =
			PointerGetDatum(dp_units_merge_bytes(merge));
	else
		for (int i = 0; i < state->plan->ncolumns; i++)
			slot->tts_values[nkeys + i] = column_value(merge, i, &slot->tts_isnull[nkeys + i]);
	ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
exec_units(CustomScanState *node)
{
	UnitsState *state = (UnitsState *) node;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	MemoryContext old;

	if (state->merge == NULL)
		run(state);
	ResetExprContext(econtext);
	if (!dp_units_merge_next(state->merge))
		return ExecClearTuple(slot);
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	store_group(state, slot);
	MemoryContextSwitchTo(old);
	if (node->ss.ps.ps_ProjInfo == NULL)
		return slot;
	econtext->ecxt_scantuple = slot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

static void
rescan_units(CustomScanState *node)
{
	elog(ERROR, "units cannot be added up twice");
}

static void
end_units(CustomScanState *node)
{
	UnitsState *state = (UnitsState *) node;
	ListCell   *lc;

	if (state->merge)
		dp_units_merge_end(state->merge);
	foreach(lc, node->custom_ps)
		ExecEndNode(lfirst(lc));
}
