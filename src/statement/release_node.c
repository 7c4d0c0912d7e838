/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_node.c
 *	  The release node in the executor.
 *
 * It is opened at its first fetch, with all others of its statement (opening.c), and returns
 * what it was left to release.  However often it is read again, it replays the same rows: one
 * charge, one draw.  A node that is neither paid nor holds an answer that was is an error.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "utils/tuplestore.h"

#include "base/compat_planner.h"
#include "base/settings.h"
#include "draw/release_state.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "statement/explain.h"
#include "statement/notices.h"
#include "statement/opening.h"
#include "statement/release_node.h"
#include "statement/released_rows.h"
#include "statement/revalidate.h"
#include "tree/make_nodes.h"

static Node *create_state(CustomScan *scan);
static void begin_release(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *exec_release(CustomScanState *node);
static void end_release(CustomScanState *node);
static void rescan_release(CustomScanState *node);

static const CustomExecMethods exec_methods = {
	.CustomName = "DpRelease",
	.BeginCustomScan = begin_release,
	.ExecCustomScan = exec_release,
	.EndCustomScan = end_release,
	.ReScanCustomScan = rescan_release,
	.ExplainCustomScan = dp_statement_release_explain,
};

const CustomScanMethods dp_statement_release_methods = {
	.CustomName = "DpRelease",
	.CreateCustomScanState = create_state,
};

/* State of a release node, by index in its private list. */
enum
{
	CARRIES_BLOCK,
	CARRIES_NUMBER,
	CARRIES_EXACT,
	CARRIES_KEYS,
	CARRIES_ENUMS,
	CARRIES_ASKED,
	CARRIES_CELLS,
	CARRIES_CHECKS,
	CARRIES_ORIGIN,
	CARRIES_READS,
	CARRIES_READS_OF,
	CARRIES_JOIN,
	CARRIES_UNKNOWN_KEYS,
	CARRIES_SHOWN
};

void
dp_statement_release_init(void)
{
	RegisterCustomScanMethods(&dp_statement_release_methods);
}

void
dp_statement_read_release_scan(const CustomScan *scan, DpReleaseState *state)
{
	const List *private = scan->custom_private;

	state->block = (const DpBlock *)
		DatumGetPointer(list_nth_node(Const, private, CARRIES_BLOCK)->constvalue);
	state->number = intVal(list_nth(private, CARRIES_NUMBER));
	state->exact = list_nth_node(Query, private, CARRIES_EXACT);
	state->list_keys = list_nth(private, CARRIES_KEYS);
	state->enums = list_nth(private, CARRIES_ENUMS);
	state->asked = list_nth_node(List, private, CARRIES_ASKED);
	state->cells = list_nth(private, CARRIES_CELLS);
	state->checks = list_nth(private, CARRIES_CHECKS);
	state->origin = list_nth(private, CARRIES_ORIGIN);
	state->reads = intVal(list_nth(private, CARRIES_READS));
	state->join = list_nth(private, CARRIES_JOIN);
	state->unknown_keys = list_nth(private, CARRIES_UNKNOWN_KEYS);
	state->shown = list_nth(private, CARRIES_SHOWN);
	state->reads_of = DatumGetInt64(list_nth_node(Const, private, CARRIES_READS_OF)->constvalue);
}

List *
dp_statement_carry_block(const DpRewrittenBlock *entry, int n, int64 reads_of)
{
	List	   *private = list_make5(dp_tree_make_bytea(entry->block, VARSIZE(entry->block)),
									 makeInteger(n), entry->exact, entry->keys, entry->enums);

	private = list_concat(private, list_make4(entry->asked, entry->cells, entry->checks, NIL));
	return list_concat(private, list_make5(makeInteger(entry->reads), dp_tree_make_int8(reads_of), entry->join, entry->unknown_keys,
										   entry->shown));
}

static Node *
create_state(CustomScan *scan)
{
	DpReleaseState *state = palloc0(sizeof(DpReleaseState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &exec_methods;
	dp_statement_read_release_scan(scan, state);
	return (Node *) state;
}

static void
begin_release(CustomScanState *node, EState *estate, int eflags)
{
	if (IsParallelWorker())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("differentially private queries cannot run in a parallel worker"),
				 errhint("Mark the function that runs the query PARALLEL UNSAFE.")));
}

/* Was what a node holds paid for, by itself or its twin, or is it what another node of its statement holds? */
static bool
is_paid(const DpReleaseState *state)
{
	if (state->source)
		return state->source->kept || is_paid(state->source);
	return state->twin ? state->twin->paid : state->paid;
}

/* Have a node hold the rows that another one of its statement holds. */
static void
copy_source(DpReleaseState *state)
{
	TupleDesc	desc = state->source->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);

	state->drawn = state->source->drawn;
	state->store = tuplestore_begin_heap(false, false, work_mem);
	tuplestore_set_eflags(state->store, EXEC_FLAG_REWIND);
	state->store_slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
	dp_statement_rewind_released(state->source);
	while (dp_statement_next_released(state->source, slot))
	{
		ExecStoreVirtualTuple(slot);
		tuplestore_puttupleslot(state->store, slot);
		ExecClearTuple(slot);
	}
	dp_statement_rewind_released(state->source);
	ExecDropSingleTupleTableSlot(slot);
}

static TupleTableSlot *
exec_release(CustomScanState *node)
{
	DpReleaseState *state = (DpReleaseState *) node;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;

	if (state->store == NULL && state->source)
		copy_source(state);
	if (state->store == NULL && state->kept == NULL && state->opening)
		dp_statement_open(state->opening);
	if (state->kept == NULL && (!is_paid(state) || state->store == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("differentially private release was not paid for")));

	ExecClearTuple(slot);
	if (!dp_statement_next_released(state, slot))
		return NULL;
	dp_statement_hide_feigned(state, slot);
	ExecStoreVirtualTuple(slot);
	if (dp_settings_noise_notice && state->opening && !state->opening->told_withheld)
		state->opening->told_withheld = dp_statement_tell_of_withheld(state, slot);
	if (node->ss.ps.ps_ProjInfo == NULL)
		return slot;
	econtext->ecxt_scantuple = slot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

static void
rescan_release(CustomScanState *node)
{
	dp_statement_rewind_released((DpReleaseState *) node);
}

static void
end_release(CustomScanState *node)
{
	DpReleaseState *state = (DpReleaseState *) node;

	if (state->store_slot)
		ExecDropSingleTupleTableSlot(state->store_slot);
	if (state->store && state->twin == NULL)
		tuplestore_end(state->store);
}

/* Append the release nodes of a plan. */
static void
find_releases(Plan *plan, List **releases)
{
	ListCell   *lc;

	if (IsA(plan, CustomScan) && ((CustomScan *) plan)->methods == &dp_statement_release_methods)
		*releases = lappend(*releases, plan);
	foreach(lc, dp_tree_plans_below(plan))
		find_releases(lfirst(lc), releases);
}

/* The release nodes of a statement. */
static List *
release_scans(const PlannedStmt *plan)
{
	List	   *releases = NIL;
	ListCell   *lc;

	find_releases(plan->planTree, &releases);
	foreach(lc, plan->subplans)
		if (lfirst(lc))
			find_releases(lfirst(lc), &releases);
	return releases;
}

void
dp_statement_set_origin(PlannedStmt *plan, List *origin)
{
	List	   *releases = release_scans(plan);

	if (releases != NIL)
		list_nth_cell(linitial_node(CustomScan, releases)->custom_private, CARRIES_ORIGIN)->ptr_value = origin;
}

Bitmapset *
dp_statement_releases_in(const PlannedStmt *plan)
{
	Bitmapset  *numbers = NULL;
	ListCell   *lc;

	foreach(lc, release_scans(plan))
		numbers = bms_add_member(numbers, intVal(list_nth(lfirst_node(CustomScan, lc)->custom_private, CARRIES_NUMBER)));
	return numbers;
}

/* Rights that the levels of a query need. */
typedef struct Rights
{
	List	  **entries;
	List	  **permissions;
} Rights;

static bool
add_rights_walker(Node *node, Rights *rights)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, add_rights_walker, rights);
	dp_compat_add_rights((Query *) node, rights->entries, rights->permissions);
	return query_tree_walker((Query *) node, add_rights_walker, rights, 0);
}

void
dp_statement_add_rights(const PlannedStmt *plan, List **entries, List **permissions)
{
	Rights		rights = {entries, permissions};
	ListCell   *lc;

	foreach(lc, release_scans(plan))
	{
		DpReleaseState state = {0};

		dp_statement_read_release_scan(lfirst(lc), &state);

		/* What shows rows that were drawn reads none. */
		if (state.reads_of == 0)
			(void) add_rights_walker((Node *) dp_draw_release_queries(&state), &rights);
	}
}

static bool
release_nodes_walker(PlanState *node, List **nodes)
{
	if (IsA(node, CustomScanState) &&
		((CustomScan *) node->plan)->methods == &dp_statement_release_methods)
		*nodes = list_append_unique_ptr(*nodes, node);
	return planstate_tree_walker(node, release_nodes_walker, nodes);
}

List *
dp_statement_release_nodes(QueryDesc *query_desc)
{
	List	   *nodes = NIL;
	List	   *read_first = NIL;
	ListCell   *lc;

	release_nodes_walker(query_desc->planstate, &nodes);
	foreach(lc, query_desc->estate->es_subplanstates)
		if (lfirst(lc))
			release_nodes_walker(lfirst(lc), &read_first);
	read_first = list_difference_ptr(read_first, nodes);
	foreach(lc, read_first)
		((DpReleaseState *) lfirst(lc))->read_by_others = true;
	return list_concat(read_first, nodes);
}
