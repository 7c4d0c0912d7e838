/* SPDX-License-Identifier: PostgreSQL */
/*
 * hooks.c
 *	  Planner, executor, utility, object access and log hooks: the only file that touches hook globals
 *	  outside shared-memory set-up.  Each hook hands over to the query room and
 *	  calls what was there before.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/objectaccess.h"
#include "executor/executor.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "tcop/utility.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "asking/denied.h"
#include "base/compat_executor.h"
#include "base/compat_planner.h"
#include "budget/account/role.h"
#include "budget/guard.h"
#include "budget/limit_warning.h"
#include "draw/release.h"
#include "exact/exact_plan.h"
#include "exact/join_search.h"
#include "exact/oblivious_plan.h"
#include "hooks.h"
#include "policy/asking_role.h"
#include "policy/attach.h"
#include "policy/granted_reads.h"
#include "policy/lost_protection.h"
#include "policy/near_names.h"
#include "policy/policy.h"
#include "policy/row_security.h"
#include "sidechannel/alone.h"
#include "sidechannel/harden.h"
#include "sidechannel/instrumentation.h"
#include "sidechannel/lock_privileges.h"
#include "statement/noise_notice.h"
#include "statement/opening.h"
#include "statement/plan.h"
#include "statement/policy_warning.h"
#include "statement/refresh.h"
#include "statement/release_node.h"
#include "statement/release_path.h"
#include "statement/running_call.h"
#include "statement/statement_text.h"

static planner_hook_type prev_planner = NULL;
static create_upper_paths_hook_type prev_create_upper_paths = NULL;
static join_search_hook_type prev_join_search = NULL;
static DpSetUpJoin prev_set_up_join = NULL;
static set_rel_pathlist_hook_type prev_set_rel_pathlist = NULL;
static get_relation_stats_hook_type prev_get_relation_stats = NULL;
static ExecutorStart_hook_type prev_executor_start = NULL;
static ExecutorRun_hook_type prev_executor_run = NULL;
static ProcessUtility_hook_type prev_process_utility = NULL;
static object_access_hook_type prev_object_access = NULL;
static emit_log_hook_type prev_emit_log = NULL;
static fmgr_hook_type prev_fmgr = NULL;

/* How many runs without the hooks of others are under way, one within another. */
static int	alone = 0;

/* What was there before, if it is to be called. */
#define BEFORE(hook) (alone == 0 ? (hook) : NULL)

static PlannedStmt *
plan_statement(Query *query, const char *source, int cursor_options, ParamListInfo params DP_PLANNER_EXPLAIN)
{
	PlannedStmt *volatile plan;

	dp_policy_read_once(true);
	PG_TRY();
	{
		plan = dp_statement_plan(BEFORE(prev_planner) ? prev_planner : standard_planner,
								 query, source, cursor_options, params, DP_EXPLAIN_OF_PLANNER);
	}
	PG_FINALLY();
	{
		dp_policy_read_once(false);
	}
	PG_END_TRY();
	return plan;
}

static void
create_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
				   RelOptInfo *output_rel, void *extra)
{
	if (BEFORE(prev_create_upper_paths))
		prev_create_upper_paths(root, stage, input_rel, output_rel, extra);
	dp_exact_add_paths(root, stage, input_rel, output_rel, extra);
}

static void
set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index number, RangeTblEntry *rte)
{
	if (BEFORE(prev_set_rel_pathlist))
		prev_set_rel_pathlist(root, rel, number, rte);
	dp_exact_read_one_index(root, rel);
	dp_statement_replace_item(root, rel, rte);
}

static bool
get_relation_stats(PlannerInfo *root, RangeTblEntry *rte, AttrNumber column, VariableStatData *statistics)
{
	return dp_exact_guess_rows(rte, statistics) ||
		(BEFORE(prev_get_relation_stats) && prev_get_relation_stats(root, rte, column, statistics));
}

static RelOptInfo *
search_joins(PlannerInfo *root, int levels_needed, List *initial_rels)
{
	return dp_exact_search_joins(root, levels_needed, initial_rels, BEFORE(prev_join_search));
}

/* What two relations may be joined by; whatever was there before comes first, and settles less. */
static void
set_up_join(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
			JoinPathExtraData *extra)
{
	if (BEFORE(prev_set_up_join))
		prev_set_up_join(root, join, outer, inner, type, extra);
	dp_exact_limit_join(extra);
}

/* A statement with releases that is being started, of which another extension is asked whether it may. */
typedef struct Asking
{
	const PlannedStmt *plan;
	ExecutorCheckPerms_hook_type asked;
	struct Asking *outer;
} Asking;

static Asking *asking = NULL;

/*
 * Ask the hook that there is once about all that the statement reads, below its releases too: one
 * that notes what is read expects a statement to be asked about once.  What it is asked about lasts as
 * long as the statement.
 */
static bool
ask_of_rights(DP_RIGHTS_PARAMS, bool raise)
{
	Asking	   *now = asking;
	bool		granted;

	if (entries == now->plan->rtable)
	{
		DP_RIGHTS_COPY;
		dp_statement_add_rights(now->plan, DP_RIGHTS_REFS);
	}
	asking = now->outer;
	granted = now->asked(DP_RIGHTS_ARGS, raise);
	asking = now;
	return granted;
}

/* Start a statement as whoever was before us does. */
static void
start_as_before(QueryDesc *query_desc, int eflags)
{
	if (BEFORE(prev_executor_start))
		prev_executor_start(query_desc, eflags);
	else
		standard_ExecutorStart(query_desc, eflags);
}

/* The same with a hook of others being asked about releases, too. */
static void
start_asking(QueryDesc *query_desc, int eflags)
{
	Asking		now = {query_desc->plannedstmt, ExecutorCheckPerms_hook, asking};

	asking = &now;
	ExecutorCheckPerms_hook = ask_of_rights;
	PG_TRY();
	{
		start_as_before(query_desc, eflags);
	}
	PG_FINALLY();
	{
		ExecutorCheckPerms_hook = now.asked;
		asking = now.outer;
	}
	PG_END_TRY();
}

/*
 * Start the statement as usual, permission checks included, and check those of its
 * releases.  Plans without a role dependency hold no release.
 */
static void
start_executor(QueryDesc *query_desc, int eflags)
{
	bool		has_releases = query_desc->plannedstmt->dependsOnRole && !IsParallelWorker();

	if (dp_statement_planned_without_values(query_desc->plannedstmt))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a differentially private query needs the values of its parameters when it is planned"),
				 errhint("SET plan_cache_mode = auto; in place of an SQL function with arguments write a PL/pgSQL function.")));
	if (IsParallelWorker())
		dp_sidechannel_quiet_worker();
	if (has_releases && ExecutorCheckPerms_hook)
		start_asking(query_desc, eflags);
	else
		start_as_before(query_desc, eflags);
	if (IsParallelWorker())
		dp_draw_start_worker(query_desc->planstate);
	else if (has_releases)
		dp_statement_start_releases(query_desc, dp_statement_release_nodes(query_desc), eflags);
}

/* Run a statement, or fetch some of its rows, as usual, and say how much of what was shown is noise. */
static void
run_executor(QueryDesc *query_desc, ScanDirection direction, uint64 count DP_RUN_PARAMS)
{
	if (BEFORE(prev_executor_run))
		prev_executor_run(query_desc, direction, count DP_RUN_ARGS);
	else
		standard_ExecutorRun(query_desc, direction, count DP_RUN_ARGS);
	dp_statement_tell_of_shown(query_desc->estate->es_query_cxt);
}

/* Run a utility statement, noting its place in the source for statements that it runs. */
static void
run_utility(PlannedStmt *statement, const char *source, bool read_only,
			ProcessUtilityContext context, ParamListInfo params,
			QueryEnvironment *environment, DestReceiver *destination,
			QueryCompletion *completion)
{
	DpSourcePart now = {source, statement->stmt_location, statement->stmt_len};
	DpSourcePart outer = dp_statement_note_utility(now);
	bool		outer_command = dp_policy_begin_command(statement->utilityStmt);

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
		(void) dp_statement_note_utility(outer);
		dp_policy_end_command(outer_command);
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
	Utility		utility;
	bool		discards_all = IsA(statement->utilityStmt, DiscardStmt) &&
		((DiscardStmt *) statement->utilityStmt)->target == DISCARD_ALL;

	if (dp_sidechannel_needs_rights(statement->utilityStmt))
	{
		if (read_only)
			statement = copyObject(statement);
		read_only = false;
		dp_sidechannel_check_rights(statement->utilityStmt);
	}
	if (IsA(statement->utilityStmt, AlterDomainStmt))
		dp_policy_check_domain((AlterDomainStmt *) statement->utilityStmt);
	if (IsA(statement->utilityStmt, CopyStmt))
		dp_asking_explain_copy((CopyStmt *) statement->utilityStmt);
	dp_policy_note_renaming(statement->utilityStmt);
	utility = (Utility) {statement, source, read_only, context, params, environment, destination, completion};
	if (IsA(statement->utilityStmt, RefreshMatViewStmt))
		dp_statement_refresh((RefreshMatViewStmt *) statement->utilityStmt, run_this, &utility);
	else if (IsA(statement->utilityStmt, DropRoleStmt))
		dp_budget_role_drop((DropRoleStmt *) statement->utilityStmt, run_this, &utility);
	else
		dp_sidechannel_keep_hardened(statement->utilityStmt, run_this, &utility);
	if (!IsA(statement->utilityStmt, TransactionStmt))
	{
		dp_policy_warn_of_successors();
		dp_statement_warn_of_policies_by(statement->utilityStmt);
		dp_policy_warn_of_grant(statement->utilityStmt);
	}
	if (discards_all)
		dp_statement_discard_session();
}

/* Whatever is dropped comes along here first, and whatever is made or altered last, by whatever command. */
static void
access_object(ObjectAccessType access, Oid classid, Oid objectid, int column, void *details)
{
	if (BEFORE(prev_object_access))
		prev_object_access(access, classid, objectid, column, details);
	if (access == OAT_FUNCTION_EXECUTE)
		dp_policy_note_caller(objectid);
	else if (access == OAT_DROP)
		dp_policy_note_drop(classid, objectid, column, details);
	else
	{
		dp_policy_check_attached(access, classid, objectid, column, details);
		dp_budget_guard_attachment(access, classid, objectid);
	}
}

/* Whatever goes to the server's log comes along here before it goes to the client. */
static void
emit_log(ErrorData *message)
{
	dp_sidechannel_quiet_message(message);
	if (prev_emit_log)
		prev_emit_log(message);
}

/* Functions with settings of their own, such as some of ours, begin and end. */
static void
call_function(FmgrHookEventType event, FmgrInfo *function, Datum *private)
{
	if (BEFORE(prev_fmgr))
		prev_fmgr(event, function, private);
	dp_statement_note_call(event, function);
	dp_policy_note_definer(event, function);
}

/* What stands in the places of hooks. */
typedef struct Hooks
{
	planner_hook_type planner;
	create_upper_paths_hook_type create_upper_paths;
	set_rel_pathlist_hook_type set_rel_pathlist;
	set_join_pathlist_hook_type set_join_pathlist;
	join_search_hook_type join_search;
	get_relation_stats_hook_type get_relation_stats;
	get_index_stats_hook_type get_index_stats;
	get_attavgwidth_hook_type get_attavgwidth;
	ExecutorStart_hook_type executor_start;
	ExecutorRun_hook_type executor_run;
	ExecutorFinish_hook_type executor_finish;
	ExecutorEnd_hook_type executor_end;
	ExecutorCheckPerms_hook_type check_permissions;
	object_access_hook_type object_access;
	object_access_hook_type_str object_access_str;
	needs_fmgr_hook_type needs_fmgr;
	fmgr_hook_type fmgr;
	DpVersionHooks others;
} Hooks;

/* Ours, and nobody else's. */
static Hooks
own_hooks(void)
{
	return (Hooks) {
		.planner = plan_statement,
		.create_upper_paths = create_upper_paths,
		.set_rel_pathlist = set_rel_pathlist,
		.join_search = search_joins,
		.get_relation_stats = get_relation_stats,
		.executor_start = start_executor,
		.executor_run = run_executor,
		.object_access = access_object,
		.fmgr = call_function,
		.others = dp_compat_own_hooks(set_up_join),
	};
}

/* Have these and what stands in the places of hooks change places. */
static void
exchange(Hooks *hooks)
{
	DP_EXCHANGE(planner_hook, hooks->planner);
	DP_EXCHANGE(create_upper_paths_hook, hooks->create_upper_paths);
	DP_EXCHANGE(set_rel_pathlist_hook, hooks->set_rel_pathlist);
	DP_EXCHANGE(set_join_pathlist_hook, hooks->set_join_pathlist);
	DP_EXCHANGE(join_search_hook, hooks->join_search);
	DP_EXCHANGE(get_relation_stats_hook, hooks->get_relation_stats);
	DP_EXCHANGE(get_index_stats_hook, hooks->get_index_stats);
	DP_EXCHANGE(get_attavgwidth_hook, hooks->get_attavgwidth);
	DP_EXCHANGE(ExecutorStart_hook, hooks->executor_start);
	DP_EXCHANGE(ExecutorRun_hook, hooks->executor_run);
	DP_EXCHANGE(ExecutorFinish_hook, hooks->executor_finish);
	DP_EXCHANGE(ExecutorEnd_hook, hooks->executor_end);
	DP_EXCHANGE(ExecutorCheckPerms_hook, hooks->check_permissions);
	DP_EXCHANGE(object_access_hook, hooks->object_access);
	DP_EXCHANGE(object_access_hook_str, hooks->object_access_str);
	DP_EXCHANGE(needs_fmgr_hook, hooks->needs_fmgr);
	DP_EXCHANGE(fmgr_hook, hooks->fmgr);
	dp_compat_exchange_hooks(&hooks->others);
}

/* Run something with no hooks but ours. */
static void
run_alone(void (*run) (void *arg), void *arg)
{
	Hooks		hooks = own_hooks();

	exchange(&hooks);
	alone++;
	PG_TRY();
	{
		run(arg);
	}
	PG_FINALLY();
	{
		alone--;
		exchange(&hooks);
	}
	PG_END_TRY();
}

/* Whom a parallel worker would have started its part of a plan by. */
static ExecutorStart_hook_type worker_start = NULL;

/* Start a parallel worker's part of a plan: if its leader runs alone, it does so until it leaves. */
static void
start_worker(QueryDesc *query_desc, int eflags)
{
	Hooks		hooks = own_hooks();

	ExecutorStart_hook = worker_start;
	if (!dp_sidechannel_is_quiet_worker())
	{
		worker_start(query_desc, eflags);
		return;
	}
	exchange(&hooks);
	alone++;
	start_executor(query_desc, eflags);
}

/*
 * Be the first to start what a parallel worker runs.  PostgreSQL invalidates its caches before
 * that, in some versions before it has the leader's settings.
 */
static void
begin_worker(Datum arg, int cache, uint32 hash)
{
	if (!IsParallelWorker() || worker_start != NULL)
		return;
	worker_start = ExecutorStart_hook;
	ExecutorStart_hook = start_worker;
}

void
dp_hooks_init(void)
{
	prev_planner = planner_hook;
	planner_hook = plan_statement;
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
	prev_executor_run = ExecutorRun_hook;
	ExecutorRun_hook = run_executor;
	prev_process_utility = ProcessUtility_hook;
	ProcessUtility_hook = process_utility;
	prev_object_access = object_access_hook;
	object_access_hook = access_object;
	prev_emit_log = emit_log_hook;
	emit_log_hook = emit_log;
	prev_fmgr = fmgr_hook;
	fmgr_hook = call_function;
	CacheRegisterSyscacheCallback(PROCOID, begin_worker, (Datum) 0);
	dp_sidechannel_set_run_alone(run_alone);
	dp_policy_set_warn_of_policies(dp_statement_warn_of_policies);
	dp_budget_set_warn_of_dataset(dp_policy_warn_of_dataset);
}
