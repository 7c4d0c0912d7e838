/* SPDX-License-Identifier: PostgreSQL */
/*
 * plan.c
 *	  Planning a statement with blocks.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/planmain.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"

#include "asking/admission.h"
#include "asking/base_types.h"
#include "asking/denied.h"
#include "asking/existence.h"
#include "asking/expand_calls.h"
#include "asking/idle_limits.h"
#include "asking/inline_functions.h"
#include "asking/joined.h"
#include "asking/move_splits.h"
#include "asking/no_rows.h"
#include "asking/plain_blocks.h"
#include "base/compat_executor.h"
#include "base/meter.h"
#include "base/settings.h"
#include "budget/account/store.h"
#include "budget/keeper/client.h"
#include "exact/exact_plan.h"
#include "exact/planning.h"
#include "policy/citus.h"
#include "policy/policy.h"
#include "policy/row_security.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "rewrite/rewrite.h"
#include "sidechannel/alone.h"
#include "sidechannel/hide_statistics.h"
#include "sidechannel/instrumentation.h"
#include "statement/plan.h"
#include "statement/policy_warning.h"
#include "statement/release_node.h"
#include "statement/release_path.h"
#include "statement/revalidate.h"
#include "statement/running_call.h"
#include "statement/stage.h"
#include "tree/find_blocks.h"
#include "tree/given.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/* Dear enough that no custom plan costs more. */
#define WITHOUT_VALUES_COST 1e30

static bool
external_parameter_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, external_parameter_walker, context, 0);
	return expression_tree_walker(node, external_parameter_walker, context);
}

/*
 * A generic plan cannot be validated or priced: its parameters have no values.
 * The planner gets to see nothing of the statement, because it would ask for
 * rights to views that are looked through, and estimate by statistics what
 * nobody has looked at.  What it plans instead never runs, and is so dear that
 * the plan cache keeps planning for the values given.
 */
static PlannedStmt *
plan_without_values(planner_hook_type planner, Query *query, const char *source, int cursor_options)
{
	DpPlanning	what = {.location = -1};
	Query	   *nothing = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	PlannedStmt *plan;

	nothing->canSetTag = query->canSetTag;
	nothing->stmt_location = query->stmt_location;
	nothing->stmt_len = query->stmt_len;
	plan = dp_exact_plan_as(&what, planner, nothing, source, cursor_options, NULL);
	plan->planTree->total_cost = WITHOUT_VALUES_COST;
	plan->dependsOnRole = true;
	return plan;
}

bool
dp_statement_planned_without_values(PlannedStmt *plan)
{
	return plan->dependsOnRole && plan->commandType != CMD_UTILITY &&
		plan->planTree->total_cost == WITHOUT_VALUES_COST;
}

/* Raise unless the current user may do what a plan does. */
static void
check_permissions(void *plan)
{
	dp_compat_check_permissions(plan);
}

/*
 * Plan trees the server prints hold estimates from statistics, and it prints
 * them before it checks permissions: so check them first.  Looked at after
 * planning, because a function folded there may have changed the setting.  No statement
 * has started yet, so that hooks of other extensions are asked when it does.
 */
static PlannedStmt *
check_printed(PlannedStmt *plan)
{
	if (Debug_print_plan)
		dp_sidechannel_run_alone(check_permissions, plan);
	return plan;
}

/*
 * A statement without blocks: planned as it is, but for what the database
 * withholds from the role, if it asks for that.
 */
static PlannedStmt *
plan_other(planner_hook_type planner, Query *query, const char *source, int cursor_options,
		   ParamListInfo params, ExplainState *explain, int found)
{
	DpPlanning	what = {.location = -1, .explain = explain};
	bool		counts = (found & DP_FINDS_COUNTS) != 0;
	bool		sizes = (found & DP_FINDS_SIZES) != 0;
	Query	   *shown = counts || sizes ? dp_sidechannel_withhold_unknown(query, counts, sizes) : query;
	PlannedStmt *plan;

	if (found & DP_FINDS_PROTECTED)
		dp_asking_explain_denial(query);
	plan = dp_exact_plan_as(&what, planner, shown, source, cursor_options, params);
	if (shown != query || (found & DP_FINDS_PROTECTED))
		plan->dependsOnRole = true;
	return plan;
}

/*
 * Planning settles what other servers are to compute: raise what they cannot, before
 * anybody is charged.  Nothing is left of these plans, not even the memory they took,
 * which EXPLAIN (MEMORY) would show.
 */
static void
check_remote(const DpStatement *statement)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "dp_agg remote plans",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	ListCell   *lc;

	foreach(lc, statement->blocks)
	{
		const DpRewrittenBlock *entry = lfirst(lc);

		if (entry->block->by_parts)
			(void) dp_exact_plan_exact(entry->block, entry->exact, statement->source, entry->location);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

/*
 * What reads releases is run after the charge: plan it now, so that what is wrong with it by itself, such as
 * constants that a function fails on, is raised before.  Nothing is left of these plans.
 */
static void
check_readers(planner_hook_type planner, const DpStatement *statement)
{
	DpPlanning	what = {.location = -1, .blocks = statement->blocks};
	ListCell   *lc;

	foreach(lc, statement->reads.queries)
	{
		Query	   *query = lfirst_node(Query, lc);

		if (dp_tree_releases_read(query) == NULL)
			continue;
		(void) dp_statement_plan_above(&what, planner, copyObject(query), statement->source, 0, statement->params);
	}
}

/*
 * Raise an error if a statement with releases in their places reads or changes a table of
 * Citus, which would take it apart and send the releases to other servers.
 */
static void
check_citus(Query *query, const DpStatement *statement)
{
	DpReason   *reason = dp_policy_check_citus(list_make1(query), statement->location);

	if (reason == NULL)
		return;
	reason->hint = "Store the answer in a table that Citus does not know, and read that by another statement.";
	dp_tree_raise(reason, statement->source);
}

/* A statement over protected tables, for a role that has neither budget nor the right to read them. */
static PlannedStmt *
plan_to_deny(planner_hook_type planner, Query *query, const char *source, int cursor_options,
			 ParamListInfo params, ExplainState *explain, int found)
{
	PlannedStmt *plan = plan_other(planner, query, source, cursor_options, params, explain,
								   found & ~DP_FINDS_PROTECTED);

	plan->dependsOnRole = true;
	return check_printed(plan);
}

/* Have a plan be made anew when anything changes that a query reads. */
static void
depend_on(PlannedStmt *plan, Query *query)
{
	List	   *relations;
	List	   *items;
	bool		row_security;

	extract_query_dependencies((Node *) query, &relations, &items, &row_security);
	plan->relationOids = list_concat(plan->relationOids, relations);
	plan->invalItems = list_concat(plan->invalItems, items);
}

/* A statement with its calls expanded: raises the reason if one is not allowed.  Code of others may run. */
static Query *
expand(const Query *query, DpStatement *statement)
{
	Query	   *given = dp_tree_given(query);
	DpReason   *reason;
	Query	   *expanded = dp_asking_expand_calls(query, statement, &reason);

	dp_tree_check_unchanged(query, given);
	if (reason)
		dp_tree_raise(reason, statement->source);
	return dp_asking_read_base_types(expanded, statement->params);
}

/*
 * Validate a statement whose calls are expanded, and rewrite it: raises the reason if it is not allowed.  Sets
 * the statement as it was before.  No code of others runs.
 */
static Query *
validate(Query *query, DpStatement *statement, bool plain, List *policies, List **origin)
{
	Query	   *given = dp_tree_given(query);
	DpReason   *reason;
	Query	   *rewritten;

	/* Her code, which ran until now, may have dropped a table. */
	dp_statement_lock_relations((Node *) query);
	if (!(dp_tree_find(query, dp_policy_is_protected) & DP_FINDS_PROTECTED))
		dp_asking_admit_no_table(query);
	*origin = dp_statement_make_origin(query, &statement->pricing, plain, policies);
	rewritten = dp_rewrite_rewrite(query, statement, &reason);
	dp_tree_check_unchanged(query, given);
	if (reason)
		dp_tree_raise(dp_statement_name_policy(reason, policies), statement->source);
	*origin = lappend(lappend(*origin, statement->reads.queries), statement->new_keys);
	dp_asking_explain_denial(rewritten);
	return rewritten;
}

/*
 * How a statement may be planned whose blocks read this of public rows and code.  They are read when the first
 * release is fetched, which in a parallel plan is while workers run.
 */
static int
options_beside(List *reads, int cursor_options)
{
	ListCell   *lc;

	foreach(lc, reads)
		if (max_parallel_hazard(lfirst_node(Query, lc)) == PROPARALLEL_UNSAFE || dp_tree_releases_read(lfirst(lc)))
			return cursor_options & ~CURSOR_OPT_PARALLEL_OK;
	return cursor_options;
}

/*
 * A statement whose calls are expanded, read under the policies of what they name, too.  Raises the reason if a
 * policy may not stand in a block.
 */
static Query *
read_policies(Query *query, const char *source, List **policies)
{
	int			known = list_length(*policies);
	const DpReason *reason;

	query = dp_policy_read_row_security(query, policies);
	if (list_length(*policies) > known)
		query = dp_asking_join_subselects(query, true);
	reason = dp_statement_check_policies(*policies);
	if (reason)
		dp_tree_raise(reason, source);
	return query;
}

/*
 * A statement with blocks: validated, and planned with the releases in their places.
 * The planner, and whatever code it runs, gets to see nothing of the exact queries.
 */
static PlannedStmt *
plan_blocks(planner_hook_type planner, Query *query, const char *source, int cursor_options,
			ParamListInfo params, ExplainState *explain, bool plain, List *policies)
{
	DpStatement statement = {
		.params = params,
		.source = source,
		.pricing = dp_settings_pricing(),
		.call = dp_statement_running_call(),
		.location = dp_tree_first_mention(query)
	};
	DpPlanning	what = {.location = -1, .explain = explain};
	List	   *origin;
	PlannedStmt *plan;
	ListCell   *lc;

	query = read_policies(expand(query, &statement), source, &policies);
	query = validate(query, &statement, plain, policies, &origin);
	check_citus(query, &statement);
	check_remote(&statement);
	check_readers(planner, &statement);
	what.blocks = statement.blocks;
	cursor_options = options_beside(statement.reads.queries, cursor_options);
	plan = dp_statement_plan_above(&what, planner, query, source, cursor_options, params);
	dp_statement_add_read_releases(plan, &statement);
	dp_statement_set_origin(plan, origin);
	foreach(lc, statement.blocks)
	{
		const DpRewrittenBlock *entry = lfirst(lc);

		depend_on(plan, entry->exact);
		if (entry->keys)
			depend_on(plan, entry->keys);
	}
	foreach(lc, statement.reads.queries)
		depend_on(plan, lfirst(lc));
	if (dp_budget_is_chosen_from(&statement.pricing) && OidIsValid(dp_budget_store_budget()))
		plan->relationOids = lappend_oid(plan->relationOids, dp_budget_store_budget());
	plan->dependsOnRole = true;
	return plan;
}

/*
 * Read plain SQL over protected rows that the role may not read as what it stands for.  *found tells whether
 * there were plain blocks.
 */
static Query *
read_plain(Query *query, const char *source, ParamListInfo params, bool *found)
{
	Query	   *given;
	Query	   *replaced;
	DpReason   *reason = NULL;

	query = dp_asking_empty_if_unseen(query, params);
	if (dp_settings_plain_aggregates)
		dp_asking_test_rows(query, params);
	reason = dp_asking_empty_raw_read(query);
	if (reason)
		dp_tree_raise(reason, source);
	if (!dp_settings_plain_aggregates)
		return query;
	query = dp_asking_count_existing(query, params);
	given = dp_tree_given(query);
	replaced = dp_asking_replace_plain(query, params, found, &reason);
	dp_tree_check_unchanged(query, given);
	if (reason)
		dp_tree_raise(reason, source);
	return replaced;
}

/*
 * Plan a statement that mentions our functions or protected tables, in bounded memory, which
 * lasts as long as the plan.  Returns NULL if it has no block after all: then it is planned as any other, as
 * it was read so far; or as it was, if nothing but row security and calls and types of others were read.
 */
static PlannedStmt *
plan_mentioning(planner_hook_type planner, Query **query, const char *source, int cursor_options,
				ParamListInfo params, ExplainState *explain, int found)
{
	MemoryContext metered = dp_meter_start("dp_agg planning", source);
	MemoryContext old = MemoryContextSwitchTo(metered);
	PlannedStmt *plan = NULL;
	List	   *policies = NIL;
	Query	   *given = *query;
	Query	   *joined = NULL;
	bool		plain = false;
	bool		restores = false;

	if (found & DP_FINDS_PROTECTED)
	{
		Query	   *before;

		*query = dp_policy_read_row_security(*query, &policies);
		*query = dp_asking_drop_idle_limits(*query, params);
		*query = dp_asking_move_splits(*query);
		before = *query;
		*query = dp_asking_read_base_types(before, params);
		restores = policies != NIL || *query != before;
		*query = dp_asking_join_subselects(*query, (found & DP_FINDS_OURS) != 0);
		joined = *query;
		*query = read_plain(joined, source, params, &plain);
	}
	if ((found & DP_FINDS_OURS) || plain)
		plan = plan_blocks(planner, *query, source, cursor_options, params, explain, plain, policies);
	if (plan == NULL && restores && equal(*query, joined))
		*query = given;
	dp_meter_stop(metered);
	MemoryContextSwitchTo(old);
	return plan;
}

PlannedStmt *
dp_statement_plan(planner_hook_type planner, Query *query, const char *source,
				  int cursor_options, ParamListInfo params, ExplainState *explain)
{
	List	   *dependencies = NIL;
	PlannedStmt *plan = dp_statement_plan_reader(planner, query, source, cursor_options, params);
	int			found;
	bool		admitted;

	if (plan)
		return plan;
	found = dp_tree_find(query, dp_policy_is_protected);
	dp_sidechannel_quiet_session();
	admitted = dp_asking_admit(query, found);
	if (admitted && (found & DP_FINDS_USER_FUNCTION))
	{
		query = dp_asking_expand_functions(query, params, &dependencies);
		found = dp_tree_find(query, dp_policy_is_protected);
		admitted = dp_asking_admit(query, found);
	}
	if (!admitted)
		return plan_to_deny(planner, query, source, cursor_options, params, explain, found);
	if ((found & (DP_FINDS_OURS | DP_FINDS_PROTECTED)) && params == NULL &&
		external_parameter_walker((Node *) query, NULL) &&
		((found & DP_FINDS_OURS) || dp_asking_needs_values(query)))
		return plan_without_values(planner, query, source, cursor_options);
	if (found & (DP_FINDS_OURS | DP_FINDS_PROTECTED))
		plan = plan_mentioning(planner, &query, source, cursor_options, params, explain, found);
	if (plan == NULL)
		return check_printed(plan_other(planner, query, source, cursor_options, params, explain, found));
	plan->invalItems = list_concat(plan->invalItems, dependencies);
	return plan;
}
