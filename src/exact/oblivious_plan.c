/* SPDX-License-Identifier: PostgreSQL */
/*
 * oblivious_plan.c
 *	  Exact plans that read all they scan, even where another relation holds no rows.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "base/compat_executor.h"
#include "base/compat_planner.h"
#include "exact/oblivious_plan.h"
#include "exact/planning.h"
#include "policy/children.h"
#include "tree/make_nodes.h"

/* Rows an index is asked for, but for intersections: of these the first part, the best. */
static Path *
without_intersections(PlannerInfo *root, RelOptInfo *rel, Path *rows)
{
	List	   *parts = NIL;
	ListCell   *lc;

	if (IsA(rows, BitmapAndPath))
		return without_intersections(root, rel, linitial(((BitmapAndPath *) rows)->bitmapquals));
	if (!IsA(rows, BitmapOrPath))
		return rows;
	foreach(lc, ((BitmapOrPath *) rows)->bitmapquals)
		parts = lappend(parts, without_intersections(root, rel, lfirst(lc)));
	return (Path *) create_bitmap_or_path(root, rel, parts);
}

/* The conditions that are left out here are looked at for each row instead. */
static void
read_one_index(PlannerInfo *root, RelOptInfo *rel, List *paths)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		BitmapHeapPath *path = lfirst(lc);

		if (IsA(path, BitmapHeapPath))
			lfirst(lc) = create_bitmap_heap_path(root, rel,
												 without_intersections(root, rel, path->bitmapqual),
												 PATH_REQ_OUTER(&path->path), 1.0,
												 path->path.parallel_workers);
	}
}

void
dp_exact_read_one_index(PlannerInfo *root, RelOptInfo *rel)
{
	if (!dp_exact_is_below_release())
		return;
	read_one_index(root, rel, rel->pathlist);
	read_one_index(root, rel, rel->partial_pathlist);
}

/* The value of a column, detoasted. */
static Expr *
fetched(Expr *column)
{
	static const Oid types[] = {ANYELEMENTOID};
	FuncExpr   *call = dp_tree_make_call("detoasted", types, lengthof(types), list_make1(column),
										 exprType((Node *) column));

	call->funccollid = exprCollation((Node *) column);
	return (Expr *) call;
}

/*
 * The columns of a table that the statement names, of which a scan may return others
 * along with them; NULL if a plan does not say, as for parts of a table since 16.
 */
static const Bitmapset *
columns_named(PlannedStmt *plan, RangeTblEntry *rte)
{
	return DP_HAS_PERMISSIONS(rte) ? DP_PLAN_PERMISSIONS(plan, rte)->selectedCols : NULL;
}

static bool
is_named(int column, const Bitmapset *named)
{
	return named == NULL ||
		bms_is_member(column - FirstLowInvalidHeapAttributeNumber, named) ||
		bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber, named);
}

/* Can a value that a scan returns here be TOASTed, and be looked at? */
static bool
may_be_fetched(const Expr *output, TupleDesc desc, const Bitmapset *named)
{
	int			column = IsA(output, Var) ? ((const Var *) output)->varattno : 0;

	if (column > 0)
		return TupleDescAttr(desc, column - 1)->attlen == -1 && is_named(column, named);
	return get_typlen(exprType((const Node *) output)) == -1;
}

#ifdef USE_ASSERT_CHECKING
/* Has a table protected rows, or is the item none? */
static bool
may_have_children(const RangeTblEntry *rte)
{
	Relation	relation;
	bool		may;

	if (rte->rtekind != RTE_RELATION)
		return true;
	relation = table_open(rte->relid, NoLock);
	may = dp_policy_has_protected_rows(relation);
	table_close(relation, NoLock);
	return may;
}
#endif

/*
 * Items of the range table that are children of tables: of protected ones, and protected with them.  A public table with
 * children is not in such a plan: it is read beforehand (from/table_trust.c).
 */
static Bitmapset *
protected_children(const PlannedStmt *plan)
{
	Bitmapset  *found = NULL;
	ListCell   *lc;

	foreach(lc, plan->appendRelations)
	{
		const AppendRelInfo *link = lfirst_node(AppendRelInfo, lc);
		const RangeTblEntry *parent = rt_fetch(link->parent_relid, plan->rtable);

		Assert(may_have_children(parent));
		if (parent->rtekind == RTE_RELATION)
			found = bms_add_member(found, link->child_relid);
	}
	return found;
}

/* Have a scan fetch what it returns, if it is of a public table. */
static void
fetch_output(Scan *scan, PlannedStmt *plan)
{
	RangeTblEntry *rte = rt_fetch(scan->scanrelid, plan->rtable);
	Relation	relation = table_open(rte->relid, NoLock);
	const Bitmapset *named = columns_named(plan, rte);
	ListCell   *lc;

	if (!dp_policy_has_protected_rows(relation))
		foreach(lc, scan->plan.targetlist)
		{
			TargetEntry *target = lfirst_node(TargetEntry, lc);

			if (may_be_fetched(target->expr, RelationGetDescr(relation), named))
				target->expr = fetched(target->expr);
		}
	table_close(relation, NoLock);
}

/* The same for a plan, but for scans of protected items: what an index returns lies in the index. */
static void
fetch_whole(Plan *plan, PlannedStmt *statement, const Bitmapset *protected)
{
	ListCell   *lc;

	check_stack_depth();
	if ((IsA(plan, SeqScan) || IsA(plan, IndexScan) || IsA(plan, BitmapHeapScan)) &&
		!bms_is_member(((Scan *) plan)->scanrelid, protected))
		fetch_output((Scan *) plan, statement);
	foreach(lc, dp_tree_plans_below(plan))
		fetch_whole(lfirst(lc), statement, protected);
}

void
dp_exact_fetch_whole(PlannedStmt *plan)
{
	Bitmapset  *protected = protected_children(plan);
	ListCell   *lc;

	fetch_whole(plan->planTree, plan, protected);
	foreach(lc, plan->subplans)
		if (lfirst(lc))
			fetch_whole(lfirst(lc), plan, protected);
	bms_free(protected);
}

/* Functions that PostgreSQL runs joins by, and any node that it has not called yet. */
static ExecProcNodeMtd run_hash_join;
static ExecProcNodeMtd run_merge_join;
static ExecProcNodeMtd run_loop;
static ExecProcNodeMtd run_first;

/* Build the table first: the join then looks for rows of the other side at once. */
static TupleTableSlot *
hash_join(PlanState *node)
{
	HashJoinState *join = castNode(HashJoinState, node);

	if (join->hj_HashTable == NULL)
		dp_compat_build_hash_table(join);
	return run_hash_join(node);
}

/* Call a node that was not called: a sort does all its work then. */
static void
run_once(PlanState *node)
{
	if (node->ExecProcNode == run_first)
		(void) ExecProcNode(node);
}

static TupleTableSlot *
merge_join(PlanState *node)
{
	TupleTableSlot *slot = run_merge_join(node);

	/* It calls its outer side first. */
	if (TupIsNull(slot))
		run_once(innerPlanState(node));
	return slot;
}

/*
 * Read what the loop has left of its inner side, all if it had no row outside: it is
 * materialized (plan_tree.c), which can be asked on when it is at its end.
 */
static TupleTableSlot *
loop(PlanState *node)
{
	TupleTableSlot *slot = run_loop(node);
	PlanState  *inner = innerPlanState(node);
	TupleTableSlot *rest;

	if (TupIsNull(slot) && IsA(inner, MaterialState))
		do
			rest = ExecProcNode(inner);
		while (!TupIsNull(rest));
	return slot;
}

static bool
replace_joins(PlanState *node, void *context)
{
	if (IsA(node, HashJoinState) && node->ExecProcNodeReal != hash_join)
	{
		Assert(!innerPlan(node->plan)->parallel_aware);
		run_hash_join = node->ExecProcNodeReal;
		ExecSetExecProcNode(node, hash_join);
	}
	else if (IsA(node, MergeJoinState) && node->ExecProcNodeReal != merge_join)
	{
		run_merge_join = node->ExecProcNodeReal;
		ExecSetExecProcNode(node, merge_join);
	}
	else if (IsA(node, NestLoopState) && node->ExecProcNodeReal != loop)
	{
		run_loop = node->ExecProcNodeReal;
		ExecSetExecProcNode(node, loop);
	}
	return planstate_tree_walker(node, replace_joins, context);
}

void
dp_exact_read_whole(PlanState *plan)
{
	run_first = plan->ExecProcNode;
	(void) replace_joins(plan, NULL);
}
