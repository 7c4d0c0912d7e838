/*
 * whole.c
 *	  Reading below a release what is to be read, whatever else holds no rows.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "pgstat.h"

#include "compat.h"
#include "query/plan.h"
#include "query/whole.h"

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
dp_query_read_one_index(PlannerInfo *root, RelOptInfo *rel)
{
	if (!dp_query_is_below_release(root))
		return;
	read_one_index(root, rel, rel->pathlist);
	read_one_index(root, rel, rel->partial_pathlist);
}

/* What PostgreSQL runs joins by, and any node that it has not called yet. */
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
dp_query_read_whole(PlanState *plan)
{
	run_first = plan->ExecProcNode;
	(void) replace_joins(plan, NULL);
}

void
dp_query_read_whole_worker(PlanState *plan)
{
	/* The leader's settings: statistics are not counted in a quiet time. */
	if (!pgstat_track_counts)
		dp_query_read_whole(plan);
}
