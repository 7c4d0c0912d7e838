/*
 * hooks.c
 *	  Planner, executor, utility, object access and log hooks: the only file that touches hook globals
 *	  outside shared-memory set-up.  Each hook hands over to the query room and
 *	  calls what was there before.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "executor/executor.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "tcop/utility.h"

#include "access/parallel.h"
#include "compat.h"
#include "hooks.h"
#include "query/block/running_call.h"
#include "query/exact/exact_plan.h"
#include "query/exact/hash_rows.h"
#include "query/exact/join_search.h"
#include "query/exact/oblivious_plan.h"
#include "query/plan/plan.h"
#include "query/plan/release_path.h"
#include "query/policy/lost_protection.h"
#include "query/release/opening.h"
#include "query/release/refresh.h"
#include "query/release/release.h"
#include "query/release/release_node.h"
#include "query/release/statement_text.h"
#include "query/sidechannel/instrumentation.h"
#include "query/sidechannel/lock_privileges.h"

static planner_hook_type prev_planner = NULL;
static create_upper_paths_hook_type prev_create_upper_paths = NULL;
static join_search_hook_type prev_join_search = NULL;
static DpSetUpJoin prev_set_up_join = NULL;
static set_rel_pathlist_hook_type prev_set_rel_pathlist = NULL;
static get_relation_stats_hook_type prev_get_relation_stats = NULL;
static ExecutorStart_hook_type prev_executor_start = NULL;
static ProcessUtility_hook_type prev_process_utility = NULL;
static object_access_hook_type prev_object_access = NULL;
static emit_log_hook_type prev_emit_log = NULL;
static fmgr_hook_type prev_fmgr = NULL;

static PlannedStmt *
plan_statement(Query *query, const char *source, int cursor_options, ParamListInfo params DP_PLANNER_EXPLAIN)
{
	return dp_query_plan(prev_planner ? prev_planner : standard_planner,
						 query, source, cursor_options, params, DP_EXPLAIN_OF_PLANNER);
}

static void
create_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
				   RelOptInfo *output_rel, void *extra)
{
	if (prev_create_upper_paths)
		prev_create_upper_paths(root, stage, input_rel, output_rel, extra);
	dp_query_add_paths(root, stage, input_rel, output_rel, extra);
}

static void
set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index number, RangeTblEntry *rte)
{
	if (prev_set_rel_pathlist)
		prev_set_rel_pathlist(root, rel, number, rte);
	dp_query_read_one_index(root, rel);
	dp_query_replace_item(root, rel, rte);
}

static bool
get_relation_stats(PlannerInfo *root, RangeTblEntry *rte, AttrNumber column, VariableStatData *statistics)
{
	return dp_query_guess_rows(rte, statistics) ||
		(prev_get_relation_stats && prev_get_relation_stats(root, rte, column, statistics));
}

static RelOptInfo *
search_joins(PlannerInfo *root, int levels_needed, List *initial_rels)
{
	return dp_query_search_joins(root, levels_needed, initial_rels, prev_join_search);
}

/* What two relations may be joined by; whatever was there before comes first, and settles less. */
static void
set_up_join(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
			JoinPathExtraData *extra)
{
	if (prev_set_up_join)
		prev_set_up_join(root, join, outer, inner, type, extra);
	dp_query_limit_join(extra);
}

/*
 * Start the statement as usual, permission checks included, and check those of its
 * releases.  Plans without a role dependency hold no release.
 */
static void
start_executor(QueryDesc *query_desc, int eflags)
{
	if (dp_query_planned_without_values(query_desc->plannedstmt))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a differentially private query needs the values of its parameters when it is planned"),
				 errhint("SET plan_cache_mode = auto; in place of an SQL function with arguments write a PL/pgSQL function.")));
	if (IsParallelWorker())
		dp_query_quiet_worker();
	if (prev_executor_start)
		prev_executor_start(query_desc, eflags);
	else
		standard_ExecutorStart(query_desc, eflags);
	if (IsParallelWorker())
		dp_query_start_worker(query_desc->planstate);
	else if (query_desc->plannedstmt->dependsOnRole)
		dp_query_start_releases(query_desc, dp_query_release_nodes(query_desc), eflags);
}

/* Run a utility statement, noting its place in the source for statements that it runs. */
static void
run_utility(PlannedStmt *statement, const char *source, bool read_only,
			ProcessUtilityContext context, ParamListInfo params,
			QueryEnvironment *environment, DestReceiver *destination,
			QueryCompletion *completion)
{
	DpSourcePart now = {source, statement->stmt_location, statement->stmt_len};
	DpSourcePart outer = dp_query_note_utility(now);

	PG_TRY();
	{
		if (prev_process_utility)
			prev_process_utility(statement, source, read_only, context, params, environment,
								 destination, completion);
		else
			standard_ProcessUtility(statement, source, read_only, context, params, environment,
									destination, completion);
	}
	PG_FINALLY();
	{
		(void) dp_query_note_utility(outer);
	}
	PG_END_TRY();
}

/* What a utility hook is called with. */
typedef struct Utility
{
	PlannedStmt *statement;
	const char *source;
	bool		read_only;
	ProcessUtilityContext context;
	ParamListInfo params;
	QueryEnvironment *environment;
	DestReceiver *destination;
	QueryCompletion *completion;
} Utility;

static void
run_this(void *argument)
{
	const Utility *utility = argument;

	run_utility(utility->statement, utility->source, utility->read_only, utility->context, utility->params,
				utility->environment, utility->destination, utility->completion);
}

static void
process_utility(PlannedStmt *statement, const char *source, bool read_only,
				ProcessUtilityContext context, ParamListInfo params,
				QueryEnvironment *environment, DestReceiver *destination,
				QueryCompletion *completion)
{
	bool		discards_all = IsA(statement->utilityStmt, DiscardStmt) &&
		((DiscardStmt *) statement->utilityStmt)->target == DISCARD_ALL;

	if (dp_query_needs_rights(statement->utilityStmt))
	{
		if (read_only)
			statement = copyObject(statement);
		read_only = false;
		dp_query_check_rights(statement->utilityStmt);
	}
	dp_query_note_renaming(statement->utilityStmt);
	if (IsA(statement->utilityStmt, RefreshMatViewStmt))
	{
		Utility		refresh = {statement, source, read_only, context, params, environment, destination, completion};

		dp_query_refresh((RefreshMatViewStmt *) statement->utilityStmt, run_this, &refresh);
	}
	else
		run_utility(statement, source, read_only, context, params, environment, destination, completion);
	if (!IsA(statement->utilityStmt, TransactionStmt))
		dp_query_warn_of_successors();
	if (discards_all)
		dp_query_discard_session();
}

/* Whatever is dropped, by whatever command, comes along here first. */
static void
access_object(ObjectAccessType access, Oid classid, Oid objectid, int column, void *details)
{
	if (prev_object_access)
		prev_object_access(access, classid, objectid, column, details);
	if (access == OAT_DROP)
		dp_query_note_drop(classid, objectid, column, details);
}

/* Whatever goes to the server's log comes along here before it goes to the client. */
static void
emit_log(ErrorData *message)
{
	dp_query_quiet_message(message);
	if (prev_emit_log)
		prev_emit_log(message);
}

/* Functions with settings of their own, such as some of ours, begin and end. */
static void
call_function(FmgrHookEventType event, FmgrInfo *function, Datum *private)
{
	if (prev_fmgr)
		prev_fmgr(event, function, private);
	dp_query_note_call(event, function);
}

void
dp_hooks_init(void)
{
	prev_planner = planner_hook;
	planner_hook = plan_statement;
	dp_query_set_planner(prev_planner ? prev_planner : standard_planner);
	prev_create_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = create_upper_paths;
	prev_set_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = set_rel_pathlist;
	prev_get_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = get_relation_stats;
	prev_join_search = join_search_hook;
	join_search_hook = search_joins;
	prev_set_up_join = dp_compat_hook_joins(set_up_join);
	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = start_executor;
	prev_process_utility = ProcessUtility_hook;
	ProcessUtility_hook = process_utility;
	prev_object_access = object_access_hook;
	object_access_hook = access_object;
	prev_emit_log = emit_log_hook;
	emit_log_hook = emit_log;
	prev_fmgr = fmgr_hook;
	fmgr_hook = call_function;
}
