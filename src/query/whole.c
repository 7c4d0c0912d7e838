/*
 * whole.c
 *	  Having joins below a release read both their sides, whatever the other holds.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "pgstat.h"

#include "compat.h"
#include "query/whole.h"

/* What PostgreSQL runs joins by, and any node that it has not called yet. */
static ExecProcNodeMtd run_hash_join;
static ExecProcNodeMtd run_merge_join;
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

	if (TupIsNull(slot))
	{
		run_once(outerPlanState(node));
		run_once(innerPlanState(node));
	}
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
