/*
 * node.c
 *	  The node in the executor.
 *
 * All rows are read before the first group is returned.  While the table of
 * units fits its memory (hash_mem) there is one pass.  When it does not, units
 * go to temporary files by partitions of a hash of the unit, with what their
 * rows add up to so far, as often as the table fills up; then each partition is
 * put together by itself, divided again where that is not enough.  All rows of
 * a unit meet in one table in the end, which is where its groups are limited
 * and its totals clamped.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "port/atomics.h"
#include "storage/barrier.h"
#include "storage/sharedfileset.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "aggregate/exact.h"
#include "noise/random.h"
#include "units/heap.h"
#include "units/merge.h"
#include "units/node.h"
#include "units/rows.h"
#include "units/spill.h"

/* Partitions of partitions: each level has at least eight. */
#define MOST_LEVELS 12

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

/*
 * What the processes of a parallel plan share.  Each adds up what it reads, and
 * writes it to files by partitions of the unit; when all have, which is what
 * the barrier is for, each puts together the partitions it gets hold of.  Nobody
 * returns a row before, so nobody waits for a process that waits for it.
 */
typedef struct UnitsShared
{
	Barrier		read;			/* phase 0: rows are being read */
	pg_atomic_uint32 writers;	/* processes that read rows */
	pg_atomic_uint32 next;		/* partition to be put together */
	DpUnitsSecret secret;		/* one for all, or they could not be */
	SharedFileSet files;		/* goes with the leader's segment */
} UnitsShared;

typedef struct UnitsState
{
	CustomScanState css;		/* first */
	const DpUnitsPlan *plan;
	MemoryContext context;		/* of the table */
	MemoryContext row_context;	/* reset after every batch */
	DpUnitsSpec spec;
	int			acc_size;
	int			parts;
	DpUnits    *units;
	DpUnitsRows *rows;
	DpMerge    *merge;			/* NULL until everything has been read */
	UnitsShared *shared;		/* in a parallel plan */
} UnitsState;

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

/* Where in the child's rows unit, keys and values are. */
static List *
columns_of(UnitsState *state)
{
	return lfourth(((CustomScan *) state->css.ss.ps.plan)->custom_private);
}

static void
begin_units(CustomScanState *node, EState *estate, int eflags)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	node->custom_ps = list_make1(ExecInitNode(linitial(scan->custom_plans), estate, eflags));
}

/* Fresh secrets: nobody knows them, nothing keeps them. */
static void
draw_secret(DpUnitsSecret *secret)
{
	uint64	   *word = (uint64 *) secret;

	for (int i = 0; i < sizeof(DpUnitsSecret) / sizeof(uint64); i++)
		word[i] = dp_noise_random64();
}

/* Describe the table; in a final node just its totals. */
static void
describe_table(UnitsState *state)
{
	const DpUnitsPlan *plan = state->plan;
	DpUnitsSpec *spec = &state->spec;
	TupleDesc	desc = plan->mode == DP_UNITS_FINAL ? NULL
		: ExecGetResultType(child_of(state));

	spec->measures = plan->ncolumns;
	spec->measure = dp_units_measures(plan, desc, columns_of(state));
	state->parts = dp_units_lay_out(spec, &state->acc_size);
	if (desc == NULL)
		return;
	spec->grouped = plan->nkeys > 0;
	spec->max_groups = spec->grouped ? plan->max_groups : 1;
	spec->id_words = dp_units_form(TupleDescAttr(desc, linitial_int(columns_of(state)))) == DP_UNIT_WORD ? 1 : 2;
	spec->limit = get_hash_memory_limit();
	if (state->shared)
		spec->secret = state->shared->secret;
	else
		draw_secret(&spec->secret);
}

static void
create_table(UnitsState *state)
{
	DpUnitsMemory memory;

	state->context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg units",
										   ALLOCSET_DEFAULT_SIZES);
	state->row_context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg rows of units",
											   ALLOCSET_DEFAULT_SIZES);
	dp_units_use_context(&memory, state->context);
	state->units = dp_units_create(&state->spec, &memory);
	state->rows = dp_units_start_rows(state->plan, child_of(state), columns_of(state),
									  &state->spec.secret.unit, state->row_context);
}

/* The table is not needed any more. */
static void
drop_table(UnitsState *state)
{
	state->units = NULL;
	MemoryContextDelete(state->context);
	MemoryContextDelete(state->row_context);
}

/* Pass on the totals of all groups some unit counts in, and forget the groups. */
static void
emit_groups(UnitsState *state)
{
	DpUnitsGroups *groups = dp_units_groups(state->units);
	Datum	   *values = palloc((state->plan->nkeys + 1) * sizeof(Datum));
	bool	   *isnull = palloc((state->plan->nkeys + 1) * sizeof(bool));
	MemoryContext old = MemoryContextSwitchTo(state->row_context);

	for (uint32 i = 0; i < groups->count; i++)
	{
		const __int128 *totals = dp_units_totals(groups, i);

		if (totals[0] == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		dp_units_read_key(state->rows, &groups->group[i], values, isnull);
		dp_merge_put(state->merge, values, isnull, totals);
		MemoryContextReset(state->row_context);
	}
	MemoryContextSwitchTo(old);
	dp_units_reset_groups(groups);
	dp_units_forget_groups(state->rows);
}

/* Take all units out of the table. */
static void
dump(UnitsState *state, DpSpill **spill)
{
	if (*spill == NULL)
		*spill = dp_spill_create(&state->spec, state->acc_size);
	dp_units_dump(state->units, &(*spill)->sink);
	dp_units_forget_groups(state->rows);
}

/* Work off the rows the table holds back, and make room if it is full. */
static void
work_off(UnitsState *state, DpSpill **spill)
{
	CHECK_FOR_INTERRUPTS();
	MemoryContextReset(state->row_context);
	dp_units_flush(state->units);
	if (dp_units_is_full(state->units))
		dump(state, spill);
}

/*
 * Read all rows.  Units of which not all are in the table are in the spill,
 * which is returned, if need be made.
 */
static DpSpill *
read_rows(UnitsState *state, DpSpill *spill)
{
	while (dp_units_read_row(state->rows, state->units))
		if (unlikely(dp_units_must_flush(state->units)))
			work_off(state, &spill);
	if (spill != NULL)
		dump(state, &spill);
	return spill;
}

static void finish_spill(UnitsState *state, DpSpill *spill, int level);

/* Put a file of one partition into the table, or else a deeper spill. */
static void
load_partition(UnitsState *state, DpSpill *spill, int partition, int level, DpSpill **deeper)
{
	while (dp_spill_read(spill, partition, state->units))
	{
		/* What cannot be divided has to fit: a unit's groups are limited. */
		if (dp_units_count(state->units) > 1 && level < MOST_LEVELS)
			dump(state, deeper);
	}
	dp_spill_close(spill, partition);
}

/* All of a partition has been loaded. */
static void
finish_loaded(UnitsState *state, int level, DpSpill *deeper)
{
	if (deeper)
	{
		dump(state, &deeper);
		finish_spill(state, deeper, level + 1);
		return;
	}
	dp_units_finish(state->units);
	emit_groups(state);
}

/* Put the units of one partition together. */
static void
finish_partition(UnitsState *state, DpSpill *spill, int partition, int level)
{
	DpSpill    *deeper = NULL;

	dp_units_set_level(state->units, level);
	dp_spill_rewind(spill, partition);
	load_partition(state, spill, partition, level, &deeper);
	finish_loaded(state, level, deeper);
}

static void
finish_spill(UnitsState *state, DpSpill *spill, int level)
{
	for (int i = 0; i < spill->partitions; i++)
		if (spill->file[i])
			finish_partition(state, spill, i, level);
}

/* Add up the rows of all units. */
static void
add_up_units(UnitsState *state)
{
	DpSpill    *spill;

	create_table(state);
	spill = read_rows(state, NULL);
	if (spill)
		finish_spill(state, spill, 1);
	else
	{
		dp_units_finish(state->units);
		emit_groups(state);
	}
	drop_table(state);
}

/* The same as one of several processes. */
static void
add_up_units_together(UnitsState *state)
{
	UnitsShared *shared = state->shared;
	DpSpill    *spill;

	create_table(state);
	spill = dp_spill_create(&state->spec, state->acc_size);

	/* Whoever comes when others have read everything finds no rows. */
	if (BarrierAttach(&shared->read) == 0)
	{
		dp_spill_share(spill, &shared->files.fs, pg_atomic_fetch_add_u32(&shared->writers, 1));
		spill = read_rows(state, spill);
		dp_spill_export(spill);
		BarrierArriveAndWait(&shared->read, PG_WAIT_EXTENSION);
	}
	else
		dp_spill_share(spill, &shared->files.fs, -1);
	BarrierDetach(&shared->read);

	for (;;)
	{
		int			partition = pg_atomic_fetch_add_u32(&shared->next, 1);
		DpSpill    *deeper = NULL;

		if (partition >= spill->partitions)
			break;
		dp_units_set_level(state->units, 1);
		for (int i = 0; i < pg_atomic_read_u32(&shared->writers); i++)
		{
			dp_spill_import(spill, partition, i);
			load_partition(state, spill, partition, 1, &deeper);
		}
		finish_loaded(state, 1, deeper);
	}
	drop_table(state);
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	return sizeof(UnitsShared);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *place)
{
	UnitsShared *shared = place;

	BarrierInit(&shared->read, 0);
	pg_atomic_init_u32(&shared->writers, 0);
	pg_atomic_init_u32(&shared->next, 0);
	draw_secret(&shared->secret);
	SharedFileSetInit(&shared->files, context->seg);
	((UnitsState *) node)->shared = shared;
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
}

/* Add up what partial nodes return. */
static void
add_up_parts(UnitsState *state)
{
	PlanState  *child = child_of(state);
	int			nkeys = state->plan->nkeys;
	__int128   *totals = dp_merge_make_totals(state->parts);
	TupleTableSlot *slot;

	while (slot = ExecProcNode(child), !TupIsNull(slot))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		dp_aggregate_read_totals(DatumGetByteaPP(slot->tts_values[nkeys]), state->parts, totals);
		dp_merge_put(state->merge, slot->tts_values, slot->tts_isnull, totals);
	}
}

/* Read everything. */
static void
run(UnitsState *state)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	bool		final = state->plan->mode == DP_UNITS_FINAL;
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	describe_table(state);
	state->merge = dp_merge_begin(state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor,
								  state->plan->nkeys, lsecond(scan->custom_private),
								  lthird(scan->custom_private), state->parts);
	if (final)
		add_up_parts(state);
	else if (state->shared)
		add_up_units_together(state);
	else
		add_up_units(state);
	explicit_bzero(&state->spec.secret, sizeof(state->spec.secret));
	MemoryContextSwitchTo(old);
}

/* What an aggregate comes to, from the totals of a group. */
static Datum
column_value(const DpUnitsMeasure *measure, const __int128 *totals)
{
	if (measure->kind == DP_UNITS_UNITS)
		return PointerGetDatum(dp_aggregate_make_totals(1, totals));
	return PointerGetDatum(dp_aggregate_make_totals(dp_acc_parts(measure), totals + measure->part));
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
			PointerGetDatum(dp_aggregate_make_totals(state->parts, merge->totals));
	else
		for (int i = 0; i < state->plan->ncolumns; i++)
			slot->tts_values[nkeys + i] = column_value(&state->spec.measure[i], merge->totals);
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
	if (!dp_merge_next(state->merge))
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

	if (state->merge)
		dp_merge_end(state->merge);
	ExecEndNode(child_of(state));
}
