/* SPDX-License-Identifier: PostgreSQL */
/*
 * compat_executor.h
 *	  Versions of PostgreSQL: rights of a query, the executor, values, signals and memory.
 *
 * Only this and its like beside it know version numbers: PostgreSQL 15 to 19.  Code elsewhere uses
 * the names defined here.  Each is a thin inline function that says what it guarantees on every version.
 */
#ifndef DP_BASE_COMPAT_EXECUTOR_H
#define DP_BASE_COMPAT_EXECUTOR_H

#include "postgres.h"

#include "executor/executor.h"
#include "executor/hashjoin.h"
#include "executor/nodeHash.h"

#include "base/compat_planner.h"
#include "base/compat_varlena.h"

/* Arguments of a memory context's function to allocate. */
#if PG_VERSION_NUM >= 170000
#define DP_ALLOCATE_PARAMETERS MemoryContext context, Size size, int flags
#define DP_ALLOCATE_ARGUMENTS context, size, flags
#else
#define DP_ALLOCATE_PARAMETERS MemoryContext context, Size size
#define DP_ALLOCATE_ARGUMENTS context, size
#endif

/* Arguments that a handler of signals hands on to another. */
#if PG_VERSION_NUM >= 190000
#define DP_HAND_ON_SIGNAL postgres_signal_arg, pg_siginfo
#else
#define DP_HAND_ON_SIGNAL postgres_signal_arg
#endif

/* The product of two numerics. */
#if PG_VERSION_NUM >= 190000
#define DP_NUMERIC_MUL(left, right) numeric_mul_safe(left, right, NULL)
#else
#define DP_NUMERIC_MUL(left, right) numeric_mul_opt_error(left, right, NULL)
#endif

/* Result type of a semantic action of the JSON parser, and how it ends. */
#if PG_VERSION_NUM >= 160000
#define DP_JSON_RESULT JsonParseErrorType
#define DP_JSON_GO_ON return JSON_SUCCESS
#else
#define DP_JSON_RESULT void
#define DP_JSON_GO_ON return
#endif

/* An iterator over the elements of an array, which is told of their type when it begins (19) or for each of them. */
#if PG_VERSION_NUM >= 190000
#define DP_BEGIN_ELEMENTS(iter, array, length, byval, align) array_iter_setup(iter, array, length, byval, align)
#define DP_NEXT_ELEMENT(iter, isnull, i, length, byval, align) array_iter_next(iter, isnull, i)
#else
#define DP_BEGIN_ELEMENTS(iter, array, length, byval, align) array_iter_setup(iter, array)
#define DP_NEXT_ELEMENT(iter, isnull, i, length, byval, align) array_iter_next(iter, isnull, i, length, byval, align)
#endif

/* A lexer of JSON text that makes strings of what it reads. */
#if PG_VERSION_NUM >= 170000
#define DP_JSON_LEXER(json) makeJsonLexContext(NULL, json, true)
#else
#define DP_JSON_LEXER(json) makeJsonLexContext(json, true)
#endif

/* A range of these bounds, not empty. */
#if PG_VERSION_NUM >= 160000
#define DP_MAKE_RANGE(cache, lower, upper) make_range(cache, lower, upper, false, NULL)
#else
#define DP_MAKE_RANGE(cache, lower, upper) make_range(cache, lower, upper, false)
#endif

/* Raise unless the current user may do what a plan does. */
static inline void
dp_compat_check_permissions(PlannedStmt *plan)
{
#if PG_VERSION_NUM >= 160000
	(void) ExecCheckPermissions(plan->rtable, plan->permInfos, true);
#else
	(void) ExecCheckRTPerms(plan->rtable, true);
#endif
}

/* Raise unless the current user may do what a query itself, but not its subqueries, does. */
static inline void
dp_compat_check_query(const Query *query)
{
#if PG_VERSION_NUM >= 160000
	List	   *entries = NIL;
	List	   *permissions = NIL;
	ListCell   *lc;

	/* Entries and permissions that belong together, and no others. */
	foreach(lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (!DP_HAS_PERMISSIONS(entry))
			continue;
		permissions = lappend(permissions, getRTEPermissionInfo(query->rteperminfos, entry));
		entry = copyObject(entry);
		entry->perminfoindex = list_length(permissions);
		entries = lappend(entries, entry);
	}
	(void) ExecCheckPermissions(entries, permissions, true);
#else
	(void) ExecCheckRTPerms(query->rtable, true);
#endif
}

/*
 * What a statement may do is asked about by its range table and, since 16, the permissions beside
 * it: both as parameters and arguments of whom is asked.
 */
#if PG_VERSION_NUM >= 160000
#define DP_RIGHTS_PARAMS List *entries, List *permissions
#define DP_RIGHTS_ARGS entries, permissions
#define DP_RIGHTS_COPY entries = list_copy(entries), permissions = list_copy(permissions)
#define DP_RIGHTS_REFS &entries, &permissions
#else
#define DP_RIGHTS_PARAMS List *entries
#define DP_RIGHTS_ARGS entries
#define DP_RIGHTS_COPY entries = list_copy(entries)
#define DP_RIGHTS_REFS &entries, NULL
#endif

/* Have a plan read what it reads without asking again whether its user may. */
static inline void
dp_compat_grant_all(PlannedStmt *plan)
{
	ListCell   *lc;

#if PG_VERSION_NUM >= 160000
	foreach(lc, plan->permInfos)
		lfirst_node(RTEPermissionInfo, lc)->requiredPerms = 0;
#else
	foreach(lc, plan->rtable)
		lfirst_node(RangeTblEntry, lc)->requiredPerms = 0;
#endif
}

/* Have a query that reads this entry of its range table do so as a role. */
static inline void
dp_compat_read_as(Query *query, RangeTblEntry *rte, Oid role)
{
#if PG_VERSION_NUM >= 160000
	(void) addRTEPermissionInfo(&query->rteperminfos, rte);
#endif
	DP_PERMISSIONS(query, rte)->requiredPerms = ACL_SELECT;
	DP_PERMISSIONS(query, rte)->checkAsUser = role;
}

/* Enter a new row into all indexes of its table. */
static inline void
dp_compat_insert_index_entries(ResultRelInfo *table, TupleTableSlot *slot, EState *estate)
{
#if PG_VERSION_NUM >= 190000
	(void) ExecInsertIndexTuples(table, estate, 0, slot, NIL, NULL);
#elif PG_VERSION_NUM >= 160000
	(void) ExecInsertIndexTuples(table, slot, estate, false, false, NULL, NIL, false);
#else
	(void) ExecInsertIndexTuples(table, slot, estate, false, false, NULL, NIL);
#endif
}

/* Plan a query that no EXPLAIN asks about, by whatever hooks there are. */
static inline PlannedStmt *
dp_compat_plan(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	return DP_CALL_PLANNER(pg_plan_query, query, source, cursor_options, params, NULL);
}

/* What ExecutorRun_hook takes after the number of rows: whether it is called once, before 18. */
#if PG_VERSION_NUM >= 180000
#define DP_RUN_PARAMS
#define DP_RUN_ARGS
#else
#define DP_RUN_PARAMS , bool execute_once
#define DP_RUN_ARGS , execute_once
#endif

/* Run a started statement to its end. */
static inline void
dp_compat_run(QueryDesc *query_desc)
{
#if PG_VERSION_NUM >= 180000
	ExecutorRun(query_desc, ForwardScanDirection, 0);
#else
	ExecutorRun(query_desc, ForwardScanDirection, 0, true);
#endif
}

/* Report no parallel workers of a query in pg_stat_database (18). */
static inline void
dp_compat_forget_workers(EState *estate)
{
#if PG_VERSION_NUM >= 180000
	estate->es_parallel_workers_to_launch = 0;
	estate->es_parallel_workers_launched = 0;
#endif
}

/*
 * Build the table of a hash join that has not run, and have the join go on with the
 * other side, as if that were not empty; not for tables shared by processes.  The
 * state it goes on in is 2, HJ_NEED_NEW_OUTER of nodeHashjoin.c, on every version.
 */
static inline void
dp_compat_build_hash_table(HashJoinState *join)
{
	HashState  *hash = castNode(HashState, innerPlanState(join));

#if PG_VERSION_NUM >= 180000
	hash->hashtable = ExecHashTableCreate(hash);
#else
	hash->hashtable = ExecHashTableCreate(hash, join->hj_HashOperators, join->hj_Collations,
										  join->hj_NullOuterTupleSlot != NULL);
#endif
	join->hj_HashTable = hash->hashtable;
	(void) MultiExecProcNode((PlanState *) hash);
	hash->hashtable->nbatch_outstart = hash->hashtable->nbatch;
	join->hj_FirstOuterTupleSlot = NULL;
	join->hj_OuterNotEmpty = false;
	join->hj_JoinState = 2;
}

#endif							/* DP_BASE_COMPAT_EXECUTOR_H */
