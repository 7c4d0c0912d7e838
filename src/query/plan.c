/*
 * plan.c
 *	  Planning a statement with blocks.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "tcop/tcopprot.h"

#include "accounting/subsampling.h"
#include "compat.h"
#include "query/catalog.h"
#include "query/find.h"
#include "query/foreign.h"
#include "query/plan.h"
#include "query/plan_tree.h"
#include "query/quiet.h"
#include "query/release.h"
#include "query/rewrite.h"
#include "query/tree.h"
#include "query/whole.h"
#include "query/withheld.h"
#include "units/path.h"

/* Dear enough that no custom plan costs more. */
#define WITHOUT_VALUES_COST 1e30

/* The statement being planned, for the paths hook; planning can nest. */
static DpStatement *planning = NULL;

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
	Query	   *nothing = dp_query_make_select(NIL, makeFromExpr(NIL, NULL));
	PlannedStmt *plan;

	nothing->canSetTag = query->canSetTag;
	nothing->stmt_location = query->stmt_location;
	nothing->stmt_len = query->stmt_len;
	plan = planner(nothing, source, cursor_options, NULL);
	plan->planTree->total_cost = WITHOUT_VALUES_COST;
	plan->dependsOnRole = true;
	return plan;
}

bool
dp_query_planned_without_values(PlannedStmt *plan)
{
	return plan->dependsOnRole && plan->commandType != CMD_UTILITY &&
		plan->planTree->total_cost == WITHOUT_VALUES_COST;
}

/*
 * Plan trees the server prints hold estimates from statistics, and it prints
 * them before it checks permissions: so check them first.  Looked at after
 * planning, because a function folded there may have changed the setting.
 */
static PlannedStmt *
check_printed(PlannedStmt *plan)
{
	if (Debug_print_plan)
		dp_compat_check_permissions(plan);
	return plan;
}

/* Tell each block what the whole statement asks for. */
static void
set_statement_price(DpStatement *statement)
{
	double		epsilon = 0;
	double		delta = 0;
	ListCell   *lc;

	foreach(lc, statement->blocks)
	{
		DpBlock    *block = ((DpRewrittenBlock *) lfirst(lc))->block;
		double		asked = 0;

		for (int i = 0; i < dp_query_block_lines(block); i++)
		{
			asked += dp_query_block_line(block, i).epsilon;
			delta += dp_query_block_line(block, i).delta;
		}
		epsilon += block->sample_rate < 1 ? dp_accounting_amplified(asked, block->sample_rate) : asked;
	}
	foreach(lc, statement->blocks)
	{
		DpBlock    *block = ((DpRewrittenBlock *) lfirst(lc))->block;

		block->statement_epsilon = epsilon;
		block->statement_delta = delta;
	}
}

static void
rewrite(Query *query, const char *source, DpStatement *statement)
{
	DpReason   *reason = dp_query_rewrite(query, statement);

	if (reason)
		dp_query_raise(reason, source);
	set_statement_price(statement);
}

/* Printed, an exact plan would show estimates from statistics. */
static void
refuse_printing(void)
{
	if (Debug_print_plan)
		dp_query_raise(dp_query_reason(-1, "SET debug_print_plan = off.",
									   "debug_print_plan is not allowed with a differentially private query"),
					   NULL);
}

/*
 * EXPLAIN (MEMORY), of PostgreSQL 17, prints how much memory planning took, and
 * that depends on the table's statistics.  It plans in a context of this name.
 */
static void
refuse_measuring(const char *source)
{
	for (MemoryContext context = CurrentMemoryContext; context; context = context->parent)
		if (strcmp(context->name, "explain analyze planner context") == 0)
			dp_query_raise(dp_query_reason(-1, "Leave the option MEMORY out.",
										   "EXPLAIN (MEMORY) is not allowed with a differentially private query"),
						   source);
}

/* A statement without blocks, planned while another is: no part of that one. */
static PlannedStmt *
plan_nested(planner_hook_type planner, Query *query, const char *source, int cursor_options,
			ParamListInfo params)
{
	DpStatement *outer = planning;
	PlannedStmt *volatile plan;

	planning = NULL;
	PG_TRY();
	{
		plan = planner(query, source, cursor_options, params);
	}
	PG_FINALLY();
	{
		planning = outer;
	}
	PG_END_TRY();
	return plan;
}

/*
 * A statement without blocks: planned as it is, but for what the database
 * withholds from the role, if it asks for that.
 */
static PlannedStmt *
plan_other(planner_hook_type planner, Query *query, const char *source, int cursor_options,
		   ParamListInfo params, int found)
{
	bool		counts = (found & DP_FINDS_COUNTS) != 0;
	bool		sizes = (found & DP_FINDS_SIZES) != 0;
	Query	   *shown = counts || sizes ? dp_query_withhold_unknown(query, counts, sizes) : query;
	PlannedStmt *plan = planning == NULL ? planner(shown, source, cursor_options, params) :
		plan_nested(planner, shown, source, cursor_options, params);

	if (shown != query)
		plan->dependsOnRole = true;
	return plan;
}

/* A statement with blocks: planned with its blocks rewritten. */
static PlannedStmt *
plan_blocks(planner_hook_type planner, Query *query, const char *source, int cursor_options,
			ParamListInfo params)
{
	DpStatement statement = {.params = params, .source = source};
	DpStatement *outer = planning;
	PlannedStmt *volatile plan;
	DpQuiet		quiet;
	ListCell   *lc;

	refuse_measuring(source);
	rewrite(query, source, &statement);
	dp_query_quiet_begin(&quiet);
	/* Partitions that are queried one by one are left out by their bounds only if asked for. */
	if (statement.by_parts)
		dp_query_quiet_set("constraint_exclusion", "on");
	planning = &statement;
	PG_TRY();
	{
		plan = planner(query, source, cursor_options, params);
		dp_query_fetch_whole(statement.releases, plan);
	}
	PG_CATCH();
	{
		planning = outer;
		dp_query_quiet_fail(&quiet);
		PG_RE_THROW();
	}
	PG_END_TRY();
	planning = outer;
	dp_query_quiet_end(&quiet);
	refuse_printing();
	foreach(lc, statement.releases)
		dp_query_tidy_release(lfirst(lc));
	dp_query_number_nodes(plan, statement.releases);
	plan->dependsOnRole = true;
	return plan;
}

PlannedStmt *
dp_query_plan(planner_hook_type planner, Query *query, const char *source,
			  int cursor_options, ParamListInfo params)
{
	List	   *dependencies = NIL;
	PlannedStmt *plan;
	int			found = dp_query_find(query);

	dp_query_quiet_session();
	if (found & DP_FINDS_USER_FUNCTION)
	{
		query = dp_query_expand_functions(query, params, &dependencies);
		found = dp_query_find(query);
	}
	if (!(found & DP_FINDS_OURS))
		return check_printed(plan_other(planner, query, source, cursor_options, params, found));
	if (params == NULL && external_parameter_walker((Node *) query, NULL))
	{
		refuse_printing();
		return plan_without_values(planner, query, source, cursor_options);
	}
	plan = plan_blocks(planner, query, source, cursor_options, params);
	plan->invalItems = list_concat(plan->invalItems, dependencies);
	return plan;
}

void
dp_query_note_release(CustomScan *scan)
{
	planning->releases = lappend(planning->releases, scan);
}

/* The tag in an output column, if it is a call of withhold(). */
static bool
withheld_tag(Node *expr, int64 *tag)
{
	FuncExpr   *call = (FuncExpr *) expr;
	Const	   *constant;

	if (!IsA(expr, FuncExpr) || list_length(call->args) != 2)
		return false;
	constant = lsecond(call->args);
	if (!IsA(constant, Const) || constant->consttype != INT8OID || constant->constisnull)
		return false;
	*tag = DatumGetInt64(constant->constvalue);
	return true;
}

/* The block of the statement being planned whose exact query this is, or NULL. */
static const DpRewrittenBlock *
rewritten_block_of(PlannerInfo *root)
{
	TargetEntry *target;
	ListCell   *lc;
	int64		tag;

	if (planning == NULL || root->processed_tlist == NIL)
		return NULL;
	target = linitial_node(TargetEntry, root->processed_tlist);
	if (!withheld_tag((Node *) target->expr, &tag))
		return NULL;
	foreach(lc, planning->blocks)
	{
		DpRewrittenBlock *entry = lfirst(lc);

		if (entry->tag == tag)
			return entry;
	}
	return NULL;
}

bool
dp_query_is_below_release(PlannerInfo *root)
{
	for (; root; root = root->parent_root)
		if (rewritten_block_of(root))
			return true;
	return false;
}

/* Refuse a block, for which another server would have to send rows. */
static void
refuse_fetching(PlannerInfo *root)
{
	while (rewritten_block_of(root) == NULL)
		root = root->parent_root;
	dp_query_raise(dp_query_fetching(rewritten_block_of(root)->location), planning->source);
}

void
dp_query_add_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
				   RelOptInfo *output_rel, void *extra)
{
	Oid			types[] = {ANYOID, ANYOID, BYTEAOID};
	const DpRewrittenBlock *entry;
	Oid			over_units;

	if (stage != UPPERREL_FINAL && stage != UPPERREL_GROUP_AGG)
		return;
	if (stage == UPPERREL_GROUP_AGG && dp_query_is_below_release(root) &&
		!dp_query_group_remotely(root, input_rel, output_rel, extra))
		refuse_fetching(root);
	entry = rewritten_block_of(root);
	if (entry == NULL)
		return;
	over_units = dp_query_internal_function("over_units", lengthof(types), types);
	if (stage == UPPERREL_GROUP_AGG)
	{
		dp_units_add_paths(root, input_rel, output_rel, over_units);
		dp_query_add_hashed_paths(root, input_rel, output_rel, entry->block->domain);
	}
	else
	{
		dp_units_check_paths(root, output_rel, over_units);
		dp_query_make_release_path(root, output_rel, entry);
	}
}
