/* SPDX-License-Identifier: PostgreSQL */
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
#include "utils/lsyscache.h"

#include "exact/planning.h"
#include "pricing/block_rewrite.h"
#include "statement/release_node.h"
#include "statement/release_path.h"
#include "tree/public_params.h"
#include "tree/release_query.h"

/*
 * Cost of a release, and the most of all in a statement: many releases alone do not reach PostgreSQL's
 * default of jit_above_cost, since generated code is no use to them and takes long to make.
 */
#define RELEASE_COST 1000.0
#define MOST_RELEASES_COST 50000.0
#define RELEASE_COLUMN_WIDTH 16

static Plan *plan_release(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path,
						  List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods path_methods = {
	.CustomName = "DpRelease",
	.PlanCustomPath = plan_release,
};

void
dp_statement_replace_item(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *item)
{
	const DpPlanning *what = dp_exact_planning();
	int			number = what->blocks == NIL ? -1 : dp_tree_release_number(item);
	const DpRewrittenBlock *entry;
	CustomPath *path;
	double		cost;

	if (number < 0)
		return;
	cost = Min(RELEASE_COST, MOST_RELEASES_COST / list_length(what->blocks));
	entry = list_nth(what->blocks, number);
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = copy_pathtarget(rel->reltarget);
	path->path.pathtarget->width = RELEASE_COLUMN_WIDTH * list_length(rel->reltarget->exprs);
	path->path.rows = entry->rows;
	path->path.startup_cost = cost;
	path->path.total_cost = cost + entry->rows * 0.01;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = dp_statement_carry_block(entry, number, what->reads_of);
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
	scan->methods = &dp_statement_release_methods;
	return (Plan *) scan;
}

/* Releases that any of these queries read. */
static Bitmapset *
releases_read_by(const List *queries)
{
	Bitmapset  *read = NULL;
	ListCell   *lc;

	foreach(lc, queries)
		read = bms_join(read, dp_tree_releases_read(lfirst_node(Query, lc)));
	return read;
}

/* A column of a node that nothing else in the plan refers to. */
static TargetEntry *
make_column(const TargetEntry *of, bool shown)
{
	Oid			type = exprType((Node *) of->expr);
	int32		typmod = exprTypmod((Node *) of->expr);
	Oid			collation = exprCollation((Node *) of->expr);
	Expr	   *expr;

	if (shown)
		expr = (Expr *) makeVar(INDEX_VAR, of->resno, type, typmod, collation, 0);
	else
		expr = (Expr *) makeConst(type, typmod, collation, get_typlen(type), (Datum) 0, true, get_typbyval(type));
	return makeTargetEntry(expr, of->resno, of->resname, false);
}

/* The node of a block that no other part of the plan reads. */
static Plan *
make_read_release(const DpRewrittenBlock *entry, int number)
{
	CustomScan *scan = makeNode(CustomScan);
	ListCell   *lc;

	foreach(lc, entry->exact->targetList)
	{
		scan->custom_scan_tlist = lappend(scan->custom_scan_tlist, make_column(lfirst(lc), false));
		scan->scan.plan.targetlist = lappend(scan->scan.plan.targetlist, make_column(lfirst(lc), true));
	}
	scan->scan.plan.plan_rows = entry->rows;
	scan->custom_private = dp_statement_carry_block(entry, number, 0);
	scan->methods = &dp_statement_release_methods;
	return (Plan *) scan;
}

void
dp_statement_add_read_releases(PlannedStmt *plan, const DpStatement *statement)
{
	Bitmapset  *there = dp_statement_releases_in(plan);
	Bitmapset  *missing = releases_read_by(statement->reads.queries);
	int			number = -1;

	/* What the planner left out altogether is never opened. */
	if (bms_is_empty(there))
		return;
	missing = bms_del_members(missing, there);
	while ((number = bms_next_member(missing, number)) >= 0)
		plan->subplans = lappend(plan->subplans, make_read_release(list_nth(statement->blocks, number), number));
}
