/* SPDX-License-Identifier: PostgreSQL */
/*
 * path.c
 *	  Planning the node.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"

#include "base/compat_varlena.h"
#include "units/ask.h"
#include "units/node.h"
#include "units/path.h"
#include "units/star_path.h"

/* Cost of a row beside reading it, in units of cpu_operator_cost. */
#define ROW_COST 4

static Plan *plan_units(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
						List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods path_methods = {
	.CustomName = "DpUnits",
	.PlanCustomPath = plan_units,
};

static const CustomScanMethods scan_methods = {
	.CustomName = "DpUnits",
	.CreateCustomScanState = dp_units_create_state,
};

void
dp_units_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}

bool
dp_units_sorts_by(const CustomScan *scan, List **operators, List **collations)
{
	if (scan->methods != &scan_methods)
		return false;
	*operators = lsecond(scan->custom_private);
	*collations = lthird(scan->custom_private);
	return true;
}

bool
dp_units_change(CustomScan *scan, int max_groups, bool classes)
{
	Const	   *carried;
	DpUnitsPlan *plan;

	if (scan->methods != &scan_methods)
		return false;
	carried = linitial_node(Const, scan->custom_private);
	plan = (DpUnitsPlan *) DatumGetPointer(carried->constvalue);
	plan->max_groups = max_groups;
	for (int i = 0; i < plan->ncolumns; i++)
	{
		DpUnitsColumn *column = &plan->column[i];

		if ((column->ask.kind == DP_UNITS_CLASSES) != classes)
			*column = (DpUnitsColumn) {.ask.kind = DP_UNITS_UNITS, .value = -1, .value_y = -1};
	}
	return true;
}

/*
 * Reading a query's aggregates over units, and what rows they need.
 */

/* The plan that is wanted. */
typedef struct Wanted
{
	PlannerInfo *root;
	RelOptInfo *output;
	double		groups;			/* estimate */
	List	   *keys;			/* expressions */
	List	   *aggregates;		/* Aggrefs, no two alike */
	List	   *child;			/* expressions: unit unless rows are units, keys, values */
	List	   *operators;		/* sort operators of the keys */
	List	   *collations;
	DpUnitsPlan *plan;
	DpStarPath *star;			/* that the rows can be joined by, or NULL */
} Wanted;

/* The n-th argument of an aggregate. */
static Node *
argument(const Aggref *aggref, int n)
{
	return (Node *) list_nth_node(TargetEntry, aggref->args, n)->expr;
}

static const DpUnitsAsk *
read_ask(const Aggref *aggref)
{
	Const	   *ask = (Const *) argument(aggref, 2);

	if (!IsA(ask, Const) || ask->constisnull || VARSIZE_ANY(DatumGetPointer(ask->constvalue)) != sizeof(DpUnitsAsk))
		elog(ERROR, "unexpected argument of an aggregate over units");
	return (const DpUnitsAsk *) DatumGetPointer(ask->constvalue);
}

/*
 * The keys, from the ORDER BY that has them all: the planner takes out of GROUP
 * BY what depends on a primary key among them.
 */
static void
add_keys(Wanted *wanted)
{
	Query	   *parse = wanted->root->parse;
	ListCell   *lc;

	foreach(lc, parse->sortClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node	   *key = get_sortgroupclause_expr(clause, wanted->root->processed_tlist);

		if (clause->nulls_first)
			elog(ERROR, "unexpected order of groups over units");
		wanted->keys = lappend(wanted->keys, key);
		wanted->operators = lappend_oid(wanted->operators, clause->sortop);
		wanted->collations = lappend_oid(wanted->collations, exprCollation(key));
		wanted->child = lappend(wanted->child, key);
	}
	wanted->plan->nkeys = list_length(wanted->keys);
}

/* Add a column to the child's; its number. */
static int
add_column(Wanted *wanted, Node *value)
{
	wanted->child = lappend(wanted->child, value);
	return list_length(wanted->child) - 1;
}

/*
 * Number of the child's column with this value, added if it is new; -1 for a
 * constant, which is the same in every row.
 */
static int
value_column(Wanted *wanted, Node *value)
{
	ListCell   *lc;

	if (IsA(value, Const) && !((Const *) value)->constisnull)
		return -1;

	for_each_from(lc, wanted->child, dp_units_first_key(wanted->plan) + wanted->plan->nkeys)
		if (equal(lfirst(lc), value))
			return foreach_current_index(lc);
	return add_column(wanted, value);
}

/* The same, but a constant is a column too. */
static int
place_column(Wanted *wanted, Node *value)
{
	int			number = value_column(wanted, value);

	return number >= 0 ? number : add_column(wanted, value);
}

/* A number without its cast to double precision, if that keeps it as it is. */
static Node *
without_exact_cast(Node *value)
{
	const FuncExpr *cast = (const FuncExpr *) value;

	if (IsA(value, FuncExpr) &&
		(cast->funcid == F_FLOAT8_INT2 || cast->funcid == F_FLOAT8_INT4 ||
		 cast->funcid == F_FLOAT8_FLOAT4))
		return linitial(cast->args);
	return value;
}

/*
 * Is this place_pair(y, x, spec), as written by the rewriter, with bounds it does not
 * refuse?  Then a row's places are read from both, and the scan below has nothing to
 * compute.
 */
static bool
is_pair(const Node *value)
{
	const FuncExpr *call = (const FuncExpr *) value;
	const Const *spec;

	if (!IsA(value, FuncExpr) || list_length(call->args) != 3)
		return false;
	spec = lthird(call->args);
	return IsA(spec, Const) && spec->consttype == BYTEAOID && !spec->constisnull &&
		VARSIZE_ANY(DatumGetPointer(spec->constvalue)) == sizeof(DpMomentsSpec) &&
		dp_aggregate_moments_spec_is_sane((const DpMomentsSpec *) DatumGetPointer(spec->constvalue));
}

/* Source of the aggregate's value. */
static void
add_value(Wanted *wanted, DpUnitsColumn *column, Node *value)
{
	const FuncExpr *call = (const FuncExpr *) value;

	column->value = column->value_y = -1;
	if (column->ask.kind == DP_UNITS_UNITS || column->ask.kind == DP_UNITS_CLASSES)
		return;
	if (column->ask.kind == DP_UNITS_ROWS)
		column->value = value_column(wanted, value);
	else if (column->ask.kind != DP_UNITS_MOMENTS || column->ask.shape == DP_MOMENTS_VARIANCE ||
			 !is_pair(value))
		column->value = place_column(wanted, value);
	else
	{
		column->value_y = place_column(wanted, without_exact_cast(linitial(call->args)));
		column->value = place_column(wanted, without_exact_cast(lsecond(call->args)));
		memcpy(&column->pair, DatumGetPointer(lthird_node(Const, call->args)->constvalue),
			   sizeof(DpMomentsSpec));
	}
}

/* Set the aggregates; false if these are not over_units.  The planner has numbered them, the same where they are alike. */
static bool
collect_aggregates(Wanted *wanted, Oid over_units)
{
	List	   *found = pull_var_clause((Node *) wanted->root->processed_tlist,
										PVC_INCLUDE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);
	Bitmapset  *numbers = NULL;
	ListCell   *lc;

	foreach(lc, found)
	{
		Aggref	   *aggref = lfirst(lc);

		if (!IsA(aggref, Aggref) || bms_is_member(aggref->aggno, numbers))
			continue;
		numbers = bms_add_member(numbers, aggref->aggno);
		wanted->aggregates = lappend(wanted->aggregates, aggref);
	}
	return wanted->aggregates != NIL &&
		linitial_node(Aggref, wanted->aggregates)->aggfnoid == over_units;
}

/* Then set the rest, but for the star: what rows are needed, and the plan. */
static void
describe(Wanted *wanted, Oid over_units)
{
	int			ncolumns = list_length(wanted->aggregates);
	Node	   *unit = argument(linitial_node(Aggref, wanted->aggregates), 0);
	ListCell   *lc;

	wanted->plan = palloc0(DpUnitsPlanSize(ncolumns));
	SET_VARSIZE(wanted->plan, DpUnitsPlanSize(ncolumns));
	wanted->plan->ncolumns = ncolumns;
	wanted->plan->rows_are_units = read_ask(linitial(wanted->aggregates))->rows_are_units;
	wanted->plan->by_parts = read_ask(linitial(wanted->aggregates))->by_parts;
	if (!wanted->plan->rows_are_units)
		wanted->child = list_make1(unit);
	add_keys(wanted);
	foreach(lc, wanted->aggregates)
	{
		const Aggref *aggref = lfirst_node(Aggref, lc);
		const DpUnitsAsk *ask = read_ask(aggref);
		DpUnitsColumn *column = &wanted->plan->column[foreach_current_index(lc)];

		if (aggref->aggfnoid != over_units || !equal(argument(aggref, 0), unit) ||
			wanted->plan->rows_are_units != ask->rows_are_units ||
			wanted->plan->by_parts != ask->by_parts ||
			(wanted->plan->max_groups != 0 && wanted->plan->max_groups != ask->max_groups))
			elog(ERROR, "unexpected aggregate over units");
		if (ask->rows_are_units && (ask->kind == DP_UNITS_CELLS || ask->kind >= DP_UNITS_VALUES))
			elog(ERROR, "unexpected aggregate over rows that are units");
		if (ask->by_parts && (ask->rows_are_units || (ask->kind > DP_UNITS_MEAN && ask->kind != DP_UNITS_CELLS)))
			elog(ERROR, "unexpected aggregate over parts of units");
		if (ask->ladder.steps > 0 && (ask->by_parts || ask->rows_are_units ||
									  ((ask->kind < DP_UNITS_ROWS || ask->kind > DP_UNITS_MEAN) &&
									   ask->kind != DP_UNITS_CLASSES)))
			elog(ERROR, "unexpected ladder of an aggregate over units");
		wanted->plan->max_groups = ask->max_groups;
		column->ask = *ask;
		add_value(wanted, column, argument(aggref, 1));
	}
}

/*
 * Paths of the node.
 */

/* A path of the node above another. */
static CustomPath *
make_path(Wanted *wanted, Path *child, DpUnitsMode mode, PathTarget *target, double rows)
{
	CustomPath *path = makeNode(CustomPath);
	DpUnitsPlan *plan = palloc(VARSIZE(wanted->plan));
	Cost		cost = child->rows * cpu_operator_cost *
		(mode == DP_UNITS_FINAL ? 1 : ROW_COST + wanted->plan->ncolumns);
	List	   *columns = mode != DP_UNITS_PARTIAL ? wanted->aggregates
		: list_make1(linitial(wanted->aggregates)); /* stands for all totals */

	memcpy(plan, wanted->plan, VARSIZE(wanted->plan));
	plan->mode = mode;
	path->path.pathtype = T_CustomScan;
	path->path.parent = wanted->output;
	path->path.pathtarget = target;
	path->path.rows = rows;
	path->path.startup_cost = child->total_cost + cost;
	path->path.total_cost = path->path.startup_cost + rows * cpu_tuple_cost;
	path->path.parallel_safe = mode == DP_UNITS_PARTIAL;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(child);
	path->custom_private = list_make5(makeConst(BYTEAOID, -1, InvalidOid, -1, PointerGetDatum(plan),
												false, false),
									  wanted->operators, wanted->collations,
									  list_concat_copy(wanted->keys, columns),
									  mode == DP_UNITS_FINAL ? NIL : wanted->child);
	path->methods = &path_methods;
	return path;
}

/*
 * Have the node join the rows it reads by itself, with the path of the join to fall
 * back on.
 */
static void
join_rows(Wanted *wanted, CustomPath *path, const Path *joined, bool parallel)
{
	const DpStarPath *star = wanted->star;
	Cost		cost;

	path->custom_paths = list_concat(path->custom_paths,
									 dp_units_star_paths(wanted->root, star, parallel, &cost));
	path->path.startup_cost += cost - joined->total_cost;
	path->path.total_cost += cost - joined->total_cost;
	path->custom_private = lappend(path->custom_private,
								   list_make3(star->columns, star->places, star->optional));
}

Path *
dp_units_yield(PlannerInfo *root, RelOptInfo *rel, Path *path, List *columns)
{
	PathTarget *target = create_empty_pathtarget();

	if (list_difference(columns, path->pathtarget->exprs) == NIL)
		return path;
	add_new_columns_to_pathtarget(target, columns);
	set_pathtarget_cost_width(root, target);
	return (Path *) create_projection_path(root, rel, path, target);
}

/* The node over the cheapest plan of the rows. */
static Path *
serial_path(Wanted *wanted, RelOptInfo *input)
{
	Path	   *child = dp_units_yield(wanted->root, input, input->cheapest_total_path,
									   wanted->child);
	CustomPath *path = make_path(wanted, child, DP_UNITS_WHOLE, wanted->output->reltarget,
								 wanted->groups);

	if (wanted->star)
		join_rows(wanted, path, child, false);
	path->path.pathkeys = wanted->root->sort_pathkeys;
	return (Path *) path;
}

/*
 * The same in parallel: every process adds up the rows of some units, whoever reads
 * them; the groups' totals are put together above Gather.
 * NULL if the rows cannot be read in parallel.
 */
static Path *
parallel_path(Wanted *wanted, RelOptInfo *input)
{
	PlannerInfo *root = wanted->root;
	PathTarget *target = create_empty_pathtarget();
	Path	   *child;
	CustomPath *partial;
	CustomPath *final;
	Path	   *gather;
	double		rows;
	ListCell   *lc;

	if (!input->consider_parallel || input->partial_pathlist == NIL ||
		!is_parallel_safe(root, (Node *) wanted->child))
		return NULL;
	foreach(lc, wanted->keys)
		add_column_to_pathtarget(target, lfirst(lc), 0);
	add_column_to_pathtarget(target, linitial(wanted->aggregates), 0);
	set_pathtarget_cost_width(root, target);

	child = dp_units_yield(root, input, linitial(input->partial_pathlist), wanted->child);
	partial = make_path(wanted, child, DP_UNITS_PARTIAL, target, wanted->groups);
	if (wanted->star && dp_units_star_is_parallel(wanted->star))
		join_rows(wanted, partial, child, true);
	partial->path.parallel_aware = true;
	partial->path.parallel_workers = child->parallel_workers;
	rows = wanted->groups * (child->parallel_workers + 1);
	gather = (Path *) create_gather_path(root, wanted->output, &partial->path, target, NULL, &rows);
	final = make_path(wanted, gather, DP_UNITS_FINAL, wanted->output->reltarget, wanted->groups);
	final->path.pathkeys = root->sort_pathkeys;
	return (Path *) final;
}

void
dp_units_add_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, Oid over_units)
{
	Wanted		wanted = {.root = root, .output = output};
	Path	   *best;
	Path	   *parallel;

	if (!collect_aggregates(&wanted, over_units))
		return;

	/*
	 * The units of a partition are not units: its groups are left with plans that nothing will
	 * use.
	 */
	if (IS_OTHER_REL(output))
		return;
	wanted.groups = output->pathlist ? ((Path *) linitial(output->pathlist))->rows : input->rows;
	describe(&wanted, over_units);
	wanted.star = dp_units_star_find(root, input, wanted.child, get_hash_memory_limit() / 2);
	best = serial_path(&wanted, input);
	parallel = parallel_path(&wanted, input);
	if (parallel && parallel->total_cost < best->total_cost)
		best = parallel;
	output->pathlist = list_make1(best);
	output->partial_pathlist = NIL;
}

/* Is a path the node, with nothing above it but what leaves its rows alone? */
static bool
is_node(const Path *path)
{
	for (;;)
	{
		if (IsA(path, CustomPath))
			return ((const CustomPath *) path)->methods == &path_methods;
		if (IsA(path, ProjectionPath))
			path = ((const ProjectionPath *) path)->subpath;
		else if (IsA(path, SortPath))
			path = ((const SortPath *) path)->subpath;
		else if (IsA(path, LimitPath))
			path = ((const LimitPath *) path)->subpath;
		else
			return false;
	}
}

void
dp_units_check_paths(PlannerInfo *root, RelOptInfo *output, Oid over_units)
{
	Wanted		wanted = {.root = root};
	ListCell   *lc;

	if (!collect_aggregates(&wanted, over_units))
		return;
	foreach(lc, output->pathlist)
		if (!is_node(lfirst(lc)))
			output->pathlist = foreach_delete_current(output->pathlist, lc);
	if (output->pathlist == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("another extension has replaced the plan of a differentially private query"),
				 errhint("Turn off what that extension does with aggregates, for this session at least.")));
}

/*
 * Have a scan of a table return rows as they lie there, which saves copying
 * columns: if its columns are plain ones, and none was dropped.
 */
static void
scan_in_place(PlannerInfo *root, Plan *plan)
{
	Index		varno;
	List	   *physical;
	ListCell   *lc;

	if (!IsA(plan, SeqScan) && !IsA(plan, BitmapHeapScan) && !IsA(plan, IndexScan))
		return;
	varno = ((Scan *) plan)->scanrelid;
	foreach(lc, plan->targetlist)
	{
		Var		   *var = (Var *) lfirst_node(TargetEntry, lc)->expr;

		if (!IsA(var, Var) || var->varno != varno || var->varattno <= 0)
			return;
	}
	physical = build_physical_tlist(root, root->simple_rel_array[varno]);
	if (physical)
		plan->targetlist = physical;
}

/* Where in a plan's rows these expressions are. */
static List *
find_columns(Plan *plan, List *exprs)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		TargetEntry *target = tlist_member(lfirst(lc), plan->targetlist);

		if (target == NULL)
			elog(ERROR, "plan below units lacks a column");
		columns = lappend_int(columns, target->resno - 1);
	}
	return columns;
}

/* The plan's description of a star, see star.h. */
static List *
plan_star(List *plans, List *star)
{
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, linitial_node(List, star))
	{
		Plan	   *plan = list_nth(plans, foreach_current_index(lc) + 1);

		found = lappend(found, find_columns(plan, lfirst(lc)));
	}
	return list_make3(found, lsecond(star), lthird(star));
}

static Plan *
plan_units(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
		   List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	List	   *exprs = list_nth(path->custom_private, 4);
	ListCell   *lc;

	Assert(clauses == NIL);
	scan->scan.plan.targetlist = tlist;
	scan->flags = path->flags;
	scan->custom_plans = custom_plans;
	foreach(lc, custom_plans)
		scan_in_place(root, lfirst(lc));
	scan->custom_private = lappend(list_copy_head(path->custom_private, 3),
								   find_columns(linitial(custom_plans), exprs));
	if (list_length(path->custom_private) > 5)
		scan->custom_private = lappend(scan->custom_private,
									   plan_star(custom_plans, list_nth(path->custom_private, 5)));
	foreach(lc, lfourth_node(List, path->custom_private))
		scan->custom_scan_tlist =
			lappend(scan->custom_scan_tlist,
					makeTargetEntry(copyObject(lfirst(lc)), foreach_current_index(lc) + 1, NULL, false));
	scan->methods = &scan_methods;
	return (Plan *) scan;
}
