/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact_plan.c
 *	  Planning an exact query.
 *
 * It is planned after everything it reads has been locked and validated, by PostgreSQL's own
 * planner, without the statement's text and without the hooks of other extensions.  What it
 * calls is built in or the extension's, so that nobody else's code runs meanwhile.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"

#include "exact/exact_plan.h"
#include "exact/foreign_table.h"
#include "exact/join_search.h"
#include "exact/oblivious_plan.h"
#include "exact/planning.h"
#include "pricing/block.h"
#include "sidechannel/alone.h"
#include "sidechannel/instrumentation.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"
#include "units/node.h"
#include "units/path.h"

/* A query to be planned. */
typedef struct Work
{
	DpPlanning	what;
	Query	   *query;
	PlannedStmt *plan;			/* once it is planned */
} Work;

/* Make the plan, with all rows read whatever others hold, and none sent by another server. */
static void
plan_whole(void *arg)
{
	Work	   *work = arg;
	Query	   *query = copyObject(work->query);

	dp_tree_make_walkable(query);
	work->plan = dp_exact_plan_as(&work->what, standard_planner, query, "", CURSOR_OPT_PARALLEL_OK, NULL);
	dp_tree_read_once(work->plan->planTree);
	if (dp_exact_fetches_rows(work->plan->planTree))
		dp_tree_raise(dp_exact_fetching(work->what.location), work->what.source);
	dp_exact_fetch_whole(work->plan);
}

PlannedStmt *
dp_exact_plan_exact(const DpBlock *block, Query *query, const char *source, int location)
{
	Work		work = {.what = {.exact = block, .source = source, .location = location}, .query = query};
	DpQuiet		quiet;

	dp_sidechannel_quiet_begin(&quiet);
	/* Partitions that are queried one by one are left out by their bounds only if asked for. */
	if (block->by_parts)
		dp_sidechannel_quiet_set("constraint_exclusion", "on");
	PG_TRY();
	{
		dp_sidechannel_run_alone(plan_whole, &work);
	}
	PG_CATCH();
	{
		dp_sidechannel_quiet_fail(&quiet);
		PG_RE_THROW();
	}
	PG_END_TRY();
	dp_sidechannel_quiet_end(&quiet);
	return work.plan;
}

/* Change the nodes over units of a plan; false if there are none. */
static bool
change_units(Plan *plan, int max_groups, bool classes)
{
	bool		changed = IsA(plan, CustomScan) && dp_units_change((CustomScan *) plan, max_groups, classes);
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, dp_tree_plans_below(plan))
		changed |= change_units(lfirst(lc), max_groups, classes);
	return changed;
}

PlannedStmt *
dp_exact_limit_groups(const PlannedStmt *plan, int max_groups, bool classes)
{
	PlannedStmt *copy = copyObject(unconstify(PlannedStmt *, plan));

	if (!change_units(copy->planTree, max_groups, classes))
		elog(ERROR, "a plan does not add up units");
	return copy;
}

void
dp_exact_add_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
				   RelOptInfo *output_rel, void *extra)
{
	Oid			types[] = {ANYOID, ANYOID, BYTEAOID};
	const DpPlanning *what = dp_exact_planning();
	Oid			over_units;

	if (what->exact == NULL || (stage != UPPERREL_FINAL && stage != UPPERREL_GROUP_AGG))
		return;
	if (stage == UPPERREL_GROUP_AGG &&
		!dp_exact_group_remotely(root, input_rel, output_rel, extra))
		dp_tree_raise(dp_exact_fetching(what->location), what->source);
	if (!dp_exact_is_exact(root))
		return;
	over_units = dp_tree_internal_function("over_units", lengthof(types), types);
	if (stage == UPPERREL_FINAL)
		dp_units_check_paths(root, output_rel, over_units);
	else
	{
		dp_units_add_paths(root, input_rel, output_rel, over_units);
		dp_exact_add_hashed_paths(root, input_rel, output_rel, what->exact->domain);
	}
}
