/*
 * release_path.c
 *	  The release node in the planner.
 *
 * It is a leaf: the exact query rides in it as a query, of which the planner learns
 * nothing but how many rows the release is planned to have.  Cost and width are
 * constants.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "query/block/block.h"
#include "query/block/block_rewrite.h"
#include "query/exact/planning.h"
#include "query/nodes/make_nodes.h"
#include "query/nodes/plan_tree.h"
#include "query/nodes/release_query.h"
#include "query/release/release.h"

#define RELEASE_COST 1000.0
#define RELEASE_COLUMN_WIDTH 16

static Plan *plan_release(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
						  List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods path_methods = {
	.CustomName = "DpRelease",
	.PlanCustomPath = plan_release,
};

static const CustomScanMethods scan_methods = {
	.CustomName = "DpRelease",
	.CreateCustomScanState = dp_query_release_create_state,
};

/* What a release node carries, by place in its private list. */
enum
{
	CARRIES_BLOCK,
	CARRIES_NUMBER,
	CARRIES_EXACT,
	CARRIES_KEYS,
	CARRIES_ENUMS,
	CARRIES_ORIGIN
};

void
dp_query_release_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}

void
dp_query_read_release_scan(const CustomScan *scan, DpReleaseState *state)
{
	const List *private = scan->custom_private;

	state->block = (const DpBlock *)
		DatumGetPointer(list_nth_node(Const, private, CARRIES_BLOCK)->constvalue);
	state->number = intVal(list_nth(private, CARRIES_NUMBER));
	state->exact = list_nth_node(Query, private, CARRIES_EXACT);
	state->list_keys = list_nth(private, CARRIES_KEYS);
	state->enums = list_nth(private, CARRIES_ENUMS);
	state->origin = list_nth(private, CARRIES_ORIGIN);
}

/* What the node of the statement's n-th block carries, but for the origin. */
static List *
make_private(const DpRewrittenBlock *entry, int n)
{
	List	   *private = list_make5(dp_query_make_bytea(entry->block, VARSIZE(entry->block)),
									makeInteger(n), entry->exact, entry->keys, entry->enums);

	return lappend(private, NIL);
}

void
dp_query_replace_item(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *item)
{
	const DpPlanning *what = dp_query_planning();
	int			number = what->blocks == NIL ? -1 : dp_query_release_number(item);
	const DpRewrittenBlock *entry;
	CustomPath *path;

	if (number < 0)
		return;
	entry = list_nth(what->blocks, number);
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = copy_pathtarget(rel->reltarget);
	path->path.pathtarget->width = RELEASE_COLUMN_WIDTH * list_length(rel->reltarget->exprs);
	path->path.rows = entry->rows;
	path->path.startup_cost = RELEASE_COST;
	path->path.total_cost = RELEASE_COST + entry->rows * 0.01;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = make_private(entry, number);
	path->methods = &path_methods;

	rel->rows = entry->rows;
	rel->pathlist = list_make1(path);
	rel->partial_pathlist = NIL;
	rel->consider_parallel = false;
}

/* All columns of the item that the node replaces. */
static List *
columns_of(Index number, const RangeTblEntry *item)
{
	const RangeTblFunction *function = linitial_node(RangeTblFunction, item->functions);
	List	   *columns = NIL;

	for (int i = 0; i < function->funccolcount; i++)
	{
		Var		   *column = makeVar(number, i + 1, list_nth_oid(function->funccoltypes, i),
									 list_nth_int(function->funccoltypmods, i),
									 list_nth_oid(function->funccolcollations, i), 0);

		columns = lappend(columns, makeTargetEntry((Expr *) column, i + 1,
												   strVal(list_nth(function->funccolnames, i)), false));
	}
	return columns;
}

static Plan *
plan_release(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
			 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);

	/* Conditions stay above: see release_query.h. */
	if (clauses != NIL)
		elog(ERROR, "a condition has been moved into a release");
	scan->scan.plan.targetlist = tlist;
	scan->flags = path->flags;
	scan->custom_private = path->custom_private;
	scan->custom_scan_tlist = columns_of(rel->relid, planner_rt_fetch(rel->relid, root));
	scan->methods = &scan_methods;
	return (Plan *) scan;
}

/* The first release node of a plan, or NULL. */
static CustomScan *
find_release(Plan *plan)
{
	CustomScan *found = NULL;
	ListCell   *lc;

	if (IsA(plan, CustomScan) && ((CustomScan *) plan)->methods == &scan_methods)
		return (CustomScan *) plan;
	foreach(lc, dp_query_plans_below(plan))
		if (found == NULL)
			found = find_release(lfirst(lc));
	return found;
}

void
dp_query_set_origin(PlannedStmt *plan, List *origin)
{
	CustomScan *first = find_release(plan->planTree);
	ListCell   *lc;

	foreach(lc, plan->subplans)
		if (first == NULL && lfirst(lc))
			first = find_release(lfirst(lc));
	if (first)
		list_nth_cell(first->custom_private, CARRIES_ORIGIN)->ptr_value = origin;
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
