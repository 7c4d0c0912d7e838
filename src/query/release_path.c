/*
 * release_path.c
 *	  The release node in the planner.
 *
 * Whatever the planner knows of the exact plan below (cost, rows, width) stays
 * below: the node shows constants, so that no estimate above it, and nothing
 * EXPLAIN prints, depends on the protected table's statistics.  Nor does what
 * the exact plan leaves behind in the planner: it takes a constant number of
 * executor parameters, by whose numbers EXPLAIN calls those above, and workers
 * of its own are not the statement's, whose functions could tell.
 */
#include "postgres.h"

#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"

#include "query/foreign.h"
#include "query/plan.h"
#include "query/plan_tree.h"
#include "query/release.h"
#include "query/rewrite.h"
#include "query/tree.h"

#define RELEASE_COST 1000.0
#define RELEASE_ROWS 100.0
#define RELEASE_COLUMN_WIDTH 16

/*
 * Executor parameters set aside for an exact plan, and how many it can have for each
 * table, partition and sub-select: one for each Gather, above its scan, a join and two
 * steps of grouping.  Which of these there are depends on the tables' sizes.
 */
#define EXACT_PARAMS 100
#define EXACT_PARAMS_PER_ENTRY 4

static Plan *plan_release(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
						  List *tlist, List *clauses, List *custom_plans);
static Plan *plan_mark(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
					   List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods path_methods = {
	.CustomName = "DpRelease",
	.PlanCustomPath = plan_release,
};

static const CustomPathMethods mark_methods = {
	.CustomName = "DpReleaseMark",
	.PlanCustomPath = plan_mark,
};

static const CustomScanMethods scan_methods = {
	.CustomName = "DpRelease",
	.CreateCustomScanState = dp_query_release_create_state,
};

void
dp_query_release_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}

/* The cheapest of a finished relation's paths. */
static Path *
cheapest_path(RelOptInfo *rel)
{
	Path	   *best = NULL;
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		Path	   *path = lfirst(lc);

		if (best == NULL || compare_path_costs(path, best, TOTAL_COST) < 0)
			best = path;
	}
	if (best == NULL || best->param_info)
		elog(ERROR, "exact query has no usable path");
	return best;
}

/* Is path's output what the release node expects: withheld columns first? */
static void
check_target(PathTarget *target, const DpBlock *block)
{
	ListCell   *lc;
	int			expected = block->nkeys + block->nreleases;

	foreach(lc, target->exprs)
		if (foreach_current_index(lc) < expected && !IsA(lfirst(lc), FuncExpr))
			elog(ERROR, "exact query has an unexpected output");
	if (list_length(target->exprs) < expected)
		elog(ERROR, "exact query has too few columns");
}

/* Count the tables of a query, each with its partitions, and its sub-selects. */
static bool
count_entries(Node *node, int *count)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *entry = (RangeTblEntry *) node;

		*count += entry->rtekind != RTE_RELATION ? 1
			: list_length(find_all_inheritors(entry->relid, NoLock, NULL));
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, count_entries, count, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, count_entries, count);
}

/* Executor parameters to be set aside for a query's plan, whatever plan that is. */
static int
params_for(Query *query)
{
	int			entries = 1;

	(void) count_entries((Node *) query, &entries);
	return Max(EXACT_PARAMS, entries * EXACT_PARAMS_PER_ENTRY);
}

/*
 * A path whose plan is thrown away: made just before the exact path's, it notes
 * what the planner had at that moment.
 */
static Path *
make_mark(RelOptInfo *rel, PathTarget *target)
{
	CustomPath *mark = makeNode(CustomPath);

	mark->path.pathtype = T_CustomScan;
	mark->path.parent = rel;
	mark->path.pathtarget = target;
	mark->methods = &mark_methods;
	return (Path *) mark;
}

static Plan *
plan_mark(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
		  List *tlist, List *clauses, List *custom_plans)
{
	path->custom_private = list_make2_int(list_length(root->glob->paramExecTypes) + params_for(root->parse),
										  root->glob->parallelModeNeeded);
	return (Plan *) makeNode(CustomScan);
}

/*
 * Make the planner forget what it learnt while the exact plan was made, and
 * tell whether that plan wants workers.
 */
static bool
forget_exact(PlannerGlobal *glob, CustomPath *mark)
{
	int			params = linitial_int(mark->custom_private);
	bool		parallel = glob->parallelModeNeeded;

	glob->parallelModeNeeded = lsecond_int(mark->custom_private);
	if (list_length(glob->paramExecTypes) > params)
		elog(ERROR, "exact query has too many parameters");
	while (list_length(glob->paramExecTypes) < params)
		glob->paramExecTypes = lappend_oid(glob->paramExecTypes, InvalidOid);
	return parallel;
}

/* The number of the plan that lists the block's keys, among the statement's; or 0. */
static int
listing_plan(PlannerInfo *root, const DpBlock *block)
{
	if (!block->listed)
		return 0;
	if (list_length(root->cte_plan_ids) != 1 || linitial_int(root->cte_plan_ids) <= 0)
		elog(ERROR, "exact query has no plan for its keys");
	return linitial_int(root->cte_plan_ids);
}

void
dp_query_make_release_path(PlannerInfo *root, RelOptInfo *rel, const DpRewrittenBlock *entry)
{
	DpBlock    *block = entry->block;
	CustomPath *release = makeNode(CustomPath);
	Path	   *exact = cheapest_path(rel);

	check_target(exact->pathtarget, block);
	release->path.pathtype = T_CustomScan;
	release->path.parent = rel;
	release->path.pathtarget = copy_pathtarget(exact->pathtarget);
	release->path.pathtarget->width = RELEASE_COLUMN_WIDTH * list_length(exact->pathtarget->exprs);
	release->path.rows = block->nkeys == 0 ? 1 : block->form == DP_FORM_RANKING ? block->size :
		block->domain > 0 ? block->domain : RELEASE_ROWS;
	release->path.startup_cost = RELEASE_COST;
	release->path.total_cost = RELEASE_COST + release->path.rows * 0.01;
	release->custom_paths = list_make2(make_mark(rel, release->path.pathtarget), exact);
	release->custom_private = list_make3(dp_query_make_bytea(block, VARSIZE(block)),
										 makeInteger(listing_plan(root, block)), entry->enums);
	release->methods = &path_methods;

	rel->pathlist = list_make1(release);
	rel->partial_pathlist = NIL;
	rel->consider_parallel = false;
}

static Plan *
plan_release(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
			 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan	   *exact = lsecond(custom_plans);
	bool		parallel = forget_exact(root->glob, linitial(path->custom_paths));

	Assert(clauses == NIL);
	dp_query_read_once(exact);
	if (dp_query_fetches_rows(exact))
		dp_query_raise(dp_query_fetching(-1), NULL);
	scan->scan.plan.targetlist = tlist;
	scan->flags = path->flags;
	scan->custom_plans = list_make1(exact);
	scan->custom_private = list_make4(linitial(path->custom_private), makeInteger(parallel),
									  lsecond(path->custom_private), lthird(path->custom_private));
	scan->custom_scan_tlist = copyObject(exact->targetlist);
	scan->methods = &scan_methods;
	dp_query_note_release(scan);
	return (Plan *) scan;
}

/*
 * What EXPLAIN VERBOSE prints of an output column: the exact aggregate without
 * its wrapping and its internal constants.
 */
static Expr *
shown_output(Expr *expr)
{
	if (IsA(expr, FuncExpr))
		expr = linitial(((FuncExpr *) expr)->args);
	if (IsA(expr, Aggref))
	{
		Aggref	   *aggref = (Aggref *) expr;
		ListCell   *lc;

		foreach(lc, aggref->args)
		{
			Expr	   *arg = lfirst_node(TargetEntry, lc)->expr;

			if (IsA(arg, Const) && ((Const *) arg)->consttype == BYTEAOID)
				aggref->args = foreach_delete_current(aggref->args, lc);
		}
	}
	return expr;
}

/*
 * Sub-selects of the exact query belong to its plan, out of EXPLAIN's sight:
 * whether they ran tells whether there were rows.
 */
static void
hide_subselects(CustomScan *scan)
{
	Plan	   *exact = linitial(scan->custom_plans);
	ListCell   *lc;

	foreach(lc, scan->scan.plan.initPlan)
	{
		SubPlan    *subselect = lfirst_node(SubPlan, lc);

		if (subselect->subLinkType == CTE_SUBLINK)
			continue;
		exact->initPlan = lappend(exact->initPlan, subselect);
		scan->scan.plan.initPlan = foreach_delete_current(scan->scan.plan.initPlan, lc);
	}
}

void
dp_query_tidy_release(CustomScan *scan)
{
	const DpBlock *block = (const DpBlock *)
		DatumGetPointer(linitial_node(Const, scan->custom_private)->constvalue);

	for (int i = 0; i < block->nkeys + block->nreleases; i++)
	{
		TargetEntry *target = list_nth_node(TargetEntry, scan->custom_scan_tlist, i);

		target->expr = shown_output(target->expr);
	}
	hide_subselects(scan);
}

static bool
release_nodes_walker(PlanState *node, List **nodes)
{
	if (IsA(node, CustomScanState) &&
		((CustomScan *) node->plan)->methods == &scan_methods)
		*nodes = list_append_unique_ptr(*nodes, node);
	return planstate_tree_walker(node, release_nodes_walker, nodes);
}

List *
dp_query_release_nodes(QueryDesc *query_desc)
{
	List	   *nodes = NIL;
	ListCell   *lc;

	release_nodes_walker(query_desc->planstate, &nodes);
	foreach(lc, query_desc->estate->es_subplanstates)
		if (lfirst(lc))
			release_nodes_walker(lfirst(lc), &nodes);
	return nodes;
}
