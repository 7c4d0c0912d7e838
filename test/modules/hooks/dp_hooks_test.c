/*
 * dp_hooks_test.c
 *	  Hooks of every kind of the planner and the executor, which count their calls, and those
 *	  that are shown a certain table.
 *
 * Like other extensions they rely on one another: what is planned came by the planner's hook,
 * every subquery in it can be walked, whose rights are looked at has been started, and a plan
 * can be printed when it has been.  What is not so is counted by a name of its own.  What a
 * parallel worker is shown goes to the log.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/objectaccess.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "base/compat_planner.h"

PG_MODULE_MAGIC;

extern void _PG_init(void);

PG_FUNCTION_INFO_V1(dp_hooks_seen);
PG_FUNCTION_INFO_V1(dp_hooks_printed);

/* What is counted. */
enum
{
	PLANNER,
	UPPER_PATHS,
	REL_PATHS,
	JOIN_PATHS,
	JOIN_SEARCH,
	RELATION,
	RELATION_STATS,
	INDEX_STATS,
	WIDTH,
	START,
	RUN,
	FINISH,
	END,
	RIGHTS,
	OBJECT,
	NEEDS_CALL,
	UNPLANNED,
	UNWALKABLE,
	UNSTARTED,
	KINDS
};

static const char *const names[KINDS] = {
	"planner", "upper paths", "paths", "join paths", "join search", "relation", "statistics", "index statistics",
	"width", "start", "run", "finish", "end", "rights", "object", "function",
	"upper paths that no planner hook has seen", "subqueries that cannot be walked", "rights of what has not started"
};

static int	calls[KINDS];
static int	shown[KINDS];
static bool watching = false;
static char *table_name = NULL;
static int	planners = 0;
static int	statements = 0;		/* that have been started, and have not ended */
static char printed[4096];

static planner_hook_type before_planner;
static create_upper_paths_hook_type before_upper_paths;
static set_rel_pathlist_hook_type before_rel_paths;
static set_join_pathlist_hook_type before_join_paths;
static join_search_hook_type before_join_search;
static get_relation_stats_hook_type before_relation_stats;
static get_index_stats_hook_type before_index_stats;
static get_attavgwidth_hook_type before_width;
static ExecutorStart_hook_type before_start;
static ExecutorRun_hook_type before_run;
static ExecutorFinish_hook_type before_finish;
static ExecutorEnd_hook_type before_end;
static ExecutorCheckPerms_hook_type before_rights;
static object_access_hook_type before_object;
static needs_fmgr_hook_type before_needs_call;

/* Is it the table that is looked out for? */
static bool
is_table(Oid relid)
{
	char	   *name = watching && OidIsValid(relid) ? get_rel_name(relid) : NULL;

	return name && strcmp(name, table_name) == 0;
}

/* Count a call of a hook, which was shown the table or not. */
static void
count(int kind, bool with_table)
{
	if (!watching)
		return;
	calls[kind]++;
	shown[kind] += with_table ? 1 : 0;
	if (with_table && IsParallelWorker())
		ereport(LOG, (errmsg("dp_hooks_test: a parallel worker shows the table to \"%s\"", names[kind])));
}

/* Do entries of a range table have the table? */
static bool
have_table(List *entries)
{
	ListCell   *lc;

	foreach(lc, entries)
		if (lfirst(lc) && is_table(lfirst_node(RangeTblEntry, lc)->relid))
			return true;
	return false;
}

static bool
table_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (const RangeTblEntry *) node;

		if (rte->rtekind == RTE_SUBQUERY && rte->subquery == NULL)
			count(UNWALKABLE, false);
		return is_table(rte->relid);
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, table_walker, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, table_walker, context);
}

static PlannedStmt *
plan(Query *query, const char *source, int options, ParamListInfo params DP_PLANNER_EXPLAIN)
{
	PlannedStmt *volatile result = NULL;

	count(PLANNER, table_walker((Node *) query, NULL));
	planners++;
	PG_TRY();
	{
		result = DP_CALL_PLANNER(before_planner ? before_planner : standard_planner, query, source, options, params,
								 DP_EXPLAIN_OF_PLANNER);
	}
	PG_FINALLY();
	{
		planners--;
	}
	PG_END_TRY();
	return result;
}

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	count(UPPER_PATHS, have_table(root->parse->rtable));
	if (planners == 0)
		count(UNPLANNED, false);
	if (before_upper_paths)
		before_upper_paths(root, stage, input, output, extra);
}

static void
rel_paths(PlannerInfo *root, RelOptInfo *rel, Index number, RangeTblEntry *rte)
{
	count(REL_PATHS, is_table(rte->relid));
	if (before_rel_paths)
		before_rel_paths(root, rel, number, rte);
}

static void
join_paths(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
		   JoinPathExtraData *extra)
{
	count(JOIN_PATHS, have_table(root->parse->rtable));
	if (before_join_paths)
		before_join_paths(root, join, outer, inner, type, extra);
}

static RelOptInfo *
search_joins(PlannerInfo *root, int levels, List *rels)
{
	count(JOIN_SEARCH, have_table(root->parse->rtable));
	return before_join_search ? before_join_search(root, levels, rels) : standard_join_search(root, levels, rels);
}

static bool
relation_stats(PlannerInfo *root, RangeTblEntry *rte, AttrNumber column, VariableStatData *statistics)
{
	count(RELATION_STATS, is_table(rte->relid));
	return before_relation_stats && before_relation_stats(root, rte, column, statistics);
}

static bool
index_stats(PlannerInfo *root, Oid index, AttrNumber column, VariableStatData *statistics)
{
	count(INDEX_STATS, false);
	return before_index_stats && before_index_stats(root, index, column, statistics);
}

static int32
width(Oid relid, AttrNumber column)
{
	count(WIDTH, is_table(relid));
	return before_width ? before_width(relid, column) : 0;
}

/* Print a plan as it is, its last part if it is long. */
static void
print_plan(QueryDesc *query_desc)
{
	ExplainState *es = NewExplainState();

	es->costs = false;
	ExplainBeginOutput(es);
	ExplainPrintPlan(es, query_desc);
	ExplainEndOutput(es);
	strlcpy(printed, es->str->data, sizeof(printed));
}

/* Statements end with their memory, by an error too. */
static void
forget_statement(void *arg)
{
	statements--;
}

static void
note_end(MemoryContext context)
{
	MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof(MemoryContextCallback));

	callback->func = forget_statement;
	MemoryContextRegisterResetCallback(context, callback);
}

static void
start(QueryDesc *query_desc, int eflags)
{
	count(START, have_table(query_desc->plannedstmt->rtable));
	statements++;
	PG_TRY();
	{
		if (before_start)
			before_start(query_desc, eflags);
		else
			standard_ExecutorStart(query_desc, eflags);
	}
	PG_CATCH();
	{
		statements--;
		PG_RE_THROW();
	}
	PG_END_TRY();
	note_end(query_desc->estate->es_query_cxt);
	if (watching)
		print_plan(query_desc);
}

#if PG_VERSION_NUM >= 180000
static void
run(QueryDesc *query_desc, ScanDirection direction, uint64 rows)
{
	count(RUN, have_table(query_desc->plannedstmt->rtable));
	if (before_run)
		before_run(query_desc, direction, rows);
	else
		standard_ExecutorRun(query_desc, direction, rows);
}
#else
static void
run(QueryDesc *query_desc, ScanDirection direction, uint64 rows, bool once)
{
	count(RUN, have_table(query_desc->plannedstmt->rtable));
	if (before_run)
		before_run(query_desc, direction, rows, once);
	else
		standard_ExecutorRun(query_desc, direction, rows, once);
}
#endif

static void
finish(QueryDesc *query_desc)
{
	count(FINISH, have_table(query_desc->plannedstmt->rtable));
	if (before_finish)
		before_finish(query_desc);
	else
		standard_ExecutorFinish(query_desc);
}

static void
end(QueryDesc *query_desc)
{
	count(END, have_table(query_desc->plannedstmt->rtable));
	if (before_end)
		before_end(query_desc);
	else
		standard_ExecutorEnd(query_desc);
}

#if PG_VERSION_NUM >= 160000
static bool
rights(List *entries, List *permissions, bool raise)
{
	count(RIGHTS, have_table(entries));
	if (statements == 0)
		count(UNSTARTED, false);
	return before_rights == NULL || before_rights(entries, permissions, raise);
}
#else
static bool
rights(List *entries, bool raise)
{
	count(RIGHTS, have_table(entries));
	if (statements == 0)
		count(UNSTARTED, false);
	return before_rights == NULL || before_rights(entries, raise);
}
#endif

static void
object(ObjectAccessType access, Oid class, Oid oid, int column, void *details)
{
	count(OBJECT, false);
	if (before_object)
		before_object(access, class, oid, column, details);
}

static bool
needs_call(Oid function)
{
	count(NEEDS_CALL, false);
	return before_needs_call && before_needs_call(function);
}

#if PG_VERSION_NUM >= 190000
static build_simple_rel_hook_type before_relation;

static void
relation(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	count(RELATION, is_table(rte->relid));
	if (before_relation)
		before_relation(root, rel, rte);
}
#else
static get_relation_info_hook_type before_relation;

static void
relation(PlannerInfo *root, Oid relid, bool inherits, RelOptInfo *rel)
{
	count(RELATION, is_table(relid));
	if (before_relation)
		before_relation(root, relid, inherits, rel);
}
#endif

/* The kinds of hooks that were called since this was asked last, and how often each was shown the table. */
Datum
dp_hooks_seen(PG_FUNCTION_ARGS)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < KINDS; i++)
		if (calls[i] > 0)
			appendStringInfo(&text, "%s%s: %d of %d", text.len > 0 ? ", " : "", names[i], shown[i], calls[i]);
	memset(calls, 0, sizeof(calls));
	memset(shown, 0, sizeof(shown));
	PG_RETURN_TEXT_P(cstring_to_text(text.data));
}

/* The plan that was printed last when it was started. */
Datum
dp_hooks_printed(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(printed));
}

void
_PG_init(void)
{
	DefineCustomBoolVariable("dp_hooks_test.watching", "Whether calls of hooks are counted.", NULL, &watching, false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dp_hooks_test.relation", "What table is looked out for.", NULL, &table_name, "people",
							   PGC_USERSET, 0, NULL, NULL, NULL);
	before_planner = planner_hook;
	planner_hook = plan;
	before_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = upper_paths;
	before_rel_paths = set_rel_pathlist_hook;
	set_rel_pathlist_hook = rel_paths;
	before_join_paths = set_join_pathlist_hook;
	set_join_pathlist_hook = join_paths;
	before_join_search = join_search_hook;
	join_search_hook = search_joins;
	before_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = relation_stats;
	before_index_stats = get_index_stats_hook;
	get_index_stats_hook = index_stats;
	before_width = get_attavgwidth_hook;
	get_attavgwidth_hook = width;
	before_start = ExecutorStart_hook;
	ExecutorStart_hook = start;
	before_run = ExecutorRun_hook;
	ExecutorRun_hook = run;
	before_finish = ExecutorFinish_hook;
	ExecutorFinish_hook = finish;
	before_end = ExecutorEnd_hook;
	ExecutorEnd_hook = end;
	before_rights = ExecutorCheckPerms_hook;
	ExecutorCheckPerms_hook = rights;
	before_object = object_access_hook;
	object_access_hook = object;
	before_needs_call = needs_fmgr_hook;
	needs_fmgr_hook = needs_call;
#if PG_VERSION_NUM >= 190000
	before_relation = build_simple_rel_hook;
	build_simple_rel_hook = relation;
#else
	before_relation = get_relation_info_hook;
	get_relation_info_hook = relation;
#endif
}
