/* SPDX-License-Identifier: PostgreSQL */
/*
 * compat_planner.h
 *	  Versions of PostgreSQL: parse trees, hooks and the planner.
 *
 * Only this and its like beside it know version numbers: PostgreSQL 15 to 19.  Code elsewhere uses
 * the names defined here.  Each is a thin inline function that says what it guarantees on every version.
 */
#ifndef DP_BASE_COMPAT_PLANNER_H
#define DP_BASE_COMPAT_PLANNER_H

#include "postgres.h"

#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"

#include "base/compat_varlena.h"
#endif

/*
 * What EXPLAIN asks of a plan before it is made: a further parameter of planners since 19,
 * which is handed on from a hook to the next one.  Before there is nothing to hand on.
 */
#if PG_VERSION_NUM >= 190000
#define DP_PLANNER_EXPLAIN , ExplainState *explain
#define DP_EXPLAIN_OF_PLANNER explain
#define DP_CALL_PLANNER(planner, query, source, options, params, explain) \
	(planner) (query, source, options, params, explain)
#else
#define DP_PLANNER_EXPLAIN
#define DP_EXPLAIN_OF_PLANNER NULL
#define DP_CALL_PLANNER(planner, query, source, options, params, explain) \
	(planner) (query, source, options, params)
#endif

/* A reference to a column, which what replaces it may not change since 19. */
#if PG_VERSION_NUM >= 190000
typedef const Var DpReplacedVar;
#else
typedef Var DpReplacedVar;
#endif

/*
 * Have a function settle by what means two relations may be joined, where there is a hook for
 * that (19): there settings count when planning begins, and no more when the search for an
 * order of joins does.  Returns what was in its place before.
 */
typedef void (*DpSetUpJoin) (PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner,
							 JoinType type, JoinPathExtraData *extra);

static inline DpSetUpJoin
dp_compat_hook_joins(DpSetUpJoin set_up)
{
	DpSetUpJoin before = NULL;

#if PG_VERSION_NUM >= 190000
	before = join_path_setup_hook;
	join_path_setup_hook = set_up;
#endif
	return before;
}

/* Have what is in the place of a hook and what is kept change places. */
#define DP_EXCHANGE(hook, kept) \
	do { \
		__typeof__(hook) was = (hook); \
		(hook) = (kept); \
		(kept) = was; \
	} while (0)

/* Hooks of the planner that not every version has: the first until 18, the others since 19. */
typedef struct DpVersionHooks
{
#if PG_VERSION_NUM >= 190000
	planner_setup_hook_type set_up;
	planner_shutdown_hook_type shut_down;
	build_simple_rel_hook_type build_rel;
	joinrel_setup_hook_type set_up_joinrel;
	join_path_setup_hook_type set_up_join;
#else
	get_relation_info_hook_type get_relation_info;
#endif
} DpVersionHooks;

static inline void
dp_compat_exchange_hooks(DpVersionHooks *kept)
{
#if PG_VERSION_NUM >= 190000
	DP_EXCHANGE(planner_setup_hook, kept->set_up);
	DP_EXCHANGE(planner_shutdown_hook, kept->shut_down);
	DP_EXCHANGE(build_simple_rel_hook, kept->build_rel);
	DP_EXCHANGE(joinrel_setup_hook, kept->set_up_joinrel);
	DP_EXCHANGE(join_path_setup_hook, kept->set_up_join);
#else
	DP_EXCHANGE(get_relation_info_hook, kept->get_relation_info);
#endif
}

/* Hooks of the planner that not every version has, with this one where dp_compat_hook_joins() puts it. */
static inline DpVersionHooks
dp_compat_own_hooks(DpSetUpJoin set_up)
{
	DpVersionHooks own = {0};

#if PG_VERSION_NUM >= 190000
	own.set_up_join = set_up;
#endif
	return own;
}

/* Have relations be joined by merging, or also by hashing where that is on, and by nothing else. */
static inline void
dp_compat_limit_join(JoinPathExtraData *extra)
{
#if PG_VERSION_NUM >= 190000
	extra->pgs_mask &= ~(PGS_NESTLOOP_ANY | PGS_HASHJOIN);
	extra->pgs_mask |= PGS_MERGEJOIN_PLAIN | PGS_CONSIDER_NONPARTIAL | (enable_hashjoin ? PGS_HASHJOIN : 0);
#endif
}

/* The equalities that join two sets of tables, where there are no outer joins. */
#if PG_VERSION_NUM >= 160000
#define DP_JOIN_EQUALITIES(root, joined, outer, inner) \
	generate_join_implied_equalities(root, joined, outer, inner, NULL)
#else
#define DP_JOIN_EQUALITIES(root, joined, outer, inner) \
	generate_join_implied_equalities(root, joined, outer, inner)
#endif

/* An expression as below all outer joins. */
#if PG_VERSION_NUM >= 160000
#define DP_WITHOUT_NULLS(root, expr) \
	remove_nulling_relids((Node *) (expr), (root)->outer_join_rels, NULL)
#else
#define DP_WITHOUT_NULLS(root, expr) ((Node *) (expr))
#endif

/*
 * Where a relation in FROM says whose privileges it is read with and which of
 * its columns; whether it does, which since 16 children in a plan do not; and
 * the check of a function's privilege.
 */
#if PG_VERSION_NUM >= 160000
#define DP_HAS_PERMISSIONS(rte) ((rte)->perminfoindex != 0)
#define DP_PERMISSIONS(query, rte) getRTEPermissionInfo((query)->rteperminfos, rte)
#define DP_PLAN_PERMISSIONS(plan, rte) getRTEPermissionInfo((plan)->permInfos, rte)
#define DP_MAY_EXECUTE(function, role) \
	(object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK)
#else
#define DP_HAS_PERMISSIONS(rte) true
#define DP_PERMISSIONS(query, rte) (rte)
#define DP_PLAN_PERMISSIONS(plan, rte) (rte)
#define DP_MAY_EXECUTE(function, role) \
	(pg_proc_aclcheck(function, role, ACL_EXECUTE) == ACLCHECK_OK)
#endif

/* Append what a query itself, but not its subqueries, needs rights to. */
static inline void
dp_compat_add_rights(const Query *query, List **entries, List **permissions)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (!OidIsValid(entry->relid) || !DP_HAS_PERMISSIONS(entry) || DP_PERMISSIONS(query, entry)->requiredPerms == 0)
			continue;
#if PG_VERSION_NUM >= 160000
		*permissions = lappend(*permissions, getRTEPermissionInfo(query->rteperminfos, entry));
		entry = copyObject(entry);
		entry->perminfoindex = list_length(*permissions);
#endif
		*entries = lappend(*entries, entry);
	}
}

/*
 * Permissions of a query's range table: a list beside it since 16.  Code that takes the
 * range table of another query takes this, too.
 */
static inline void
dp_compat_take_permissions(Query *query, const Query *from)
{
#if PG_VERSION_NUM >= 160000
	query->rteperminfos = from->rteperminfos;
#endif
}

/* Does a sort operator put the greatest value first?  Strategies have had names of their own since 18. */
static inline bool
dp_compat_sorts_down(Oid operator)
{
	Oid			family;
	Oid			type;
#if PG_VERSION_NUM >= 180000
	CompareType strategy;

	return get_ordering_op_properties(operator, &family, &type, &strategy) && strategy == COMPARE_GT;
#else
	int16		strategy;

	return get_ordering_op_properties(operator, &family, &type, &strategy) &&
		strategy == BTGreaterStrategyNumber;
#endif
}

/* The names and columns of an entry that has this number, dropped ones among them. */
#if PG_VERSION_NUM >= 180000
#define DP_EXPAND_ENTRY(rte, number, names, columns) \
	expandRTE(rte, number, 0, VAR_RETURNING_DEFAULT, -1, true, names, columns)
#else
#define DP_EXPAND_ENTRY(rte, number, names, columns) expandRTE(rte, number, 0, -1, true, names, columns)
#endif

/* Append an entry of a query's range table to that of another, permissions and all. */
static inline RangeTblEntry *
dp_compat_copy_entry(Query *to, const Query *from, const RangeTblEntry *entry)
{
	RangeTblEntry *copy = copyObject(unconstify(RangeTblEntry *, entry));

#if PG_VERSION_NUM >= 160000
	to->rteperminfos = lappend(to->rteperminfos,
							   copyObject(getRTEPermissionInfo(from->rteperminfos,
															   unconstify(RangeTblEntry *, entry))));
	copy->perminfoindex = list_length(to->rteperminfos);
#endif
	to->rtable = lappend(to->rtable, copy);
	return copy;
}

/*
 * Enter a relation that is open, and locked for reading, in a query's range table, with
 * its partitions if it has any; returns its number there.  Other children are left out:
 * whoever owns a table may give it some at any time, with code in their indexes.
 */
static inline Index
dp_compat_add_relation(Query *query, Relation relation)
{
	ParseState *pstate = make_parsestate(NULL);

	pstate->p_rtable = query->rtable;
#if PG_VERSION_NUM >= 160000
	pstate->p_rteperminfos = query->rteperminfos;
#endif
	(void) addRangeTableEntryForRelation(pstate, relation, AccessShareLock, NULL,
										 relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE, true);
	query->rtable = pstate->p_rtable;
#if PG_VERSION_NUM >= 160000
	query->rteperminfos = pstate->p_rteperminfos;
#endif
	return list_length(query->rtable);
}

/*
 * The view that this entry of a range table stands for, of those that
 * pull_up_subqueries merged into a query that had `own` entries before: or
 * InvalidOid.  Until 15 that is an entry of its own, which came with the view's
 * query; since 16 the one whose query was merged.
 */
static inline Oid
dp_compat_merged_view(const RangeTblEntry *entry, int position, int own)
{
#if PG_VERSION_NUM >= 160000
	/* Subqueries that were not merged are read by themselves, and validated as such. */
	bool		merged = entry->rtekind == RTE_SUBQUERY;
#else
	bool		merged = entry->rtekind == RTE_RELATION && position >= own;
#endif

	return merged && entry->relkind == RELKIND_VIEW ? entry->relid : InvalidOid;
}

/*
 * An expression over columns that joins do not put NULLs in the place of, which columns
 * tell since 16.
 */
static inline Node *
dp_compat_without_nulls(Node *expr, Relids joins)
{
#if PG_VERSION_NUM >= 160000
	return remove_nulling_relids(expr, joins, NULL);
#else
	return expr;
#endif
}

/* Tell of a column that an outer join may put NULL in its place, which it tells itself since 16. */
static inline void
dp_compat_set_nulled_by(Var *column, Index join)
{
#if PG_VERSION_NUM >= 160000
	column->varnullingrels = bms_add_member(column->varnullingrels, join);
#endif
}

/* Tell of a column that the same outer joins may put NULL in its place as in that of another. */
static inline void
dp_compat_set_nulled_like(Var *column, const Var *other)
{
#if PG_VERSION_NUM >= 160000
	column->varnullingrels = bms_copy(other->varnullingrels);
#endif
}

/* Replace references to outputs of joins by what they stand for. */
static inline Node *
dp_compat_flatten_joins(Query *query, Node *node)
{
#if PG_VERSION_NUM >= 160000
	return flatten_join_alias_vars(NULL, query, node);
#else
	return flatten_join_alias_vars(query, node);
#endif
}

#if PG_VERSION_NUM >= 180000
/* Give references to grouping columns the places of what they stand for. */
static inline void
dp_compat_locate_groups(Query *query)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		Var		   *var = (Var *) lfirst_node(TargetEntry, lc)->expr;
		RangeTblEntry *entry = IsA(var, Var) && var->varlevelsup == 0 ?
			rt_fetch(var->varno, query->rtable) : NULL;

		if (entry && entry->rtekind == RTE_GROUP && var->location < 0)
			var->location = exprLocation(list_nth(entry->groupexprs, var->varattno - 1));
	}
}

/* Replace references to grouping columns at one level, if there are any, by their expressions. */
static inline void
dp_compat_flatten_group(Query *query)
{
	ListCell   *lc;

	if (!query->hasGroupRTE)
		return;
	query->targetList = (List *) flatten_group_exprs(NULL, query, (Node *) query->targetList);
	query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
	query->hasGroupRTE = false;
	foreach(lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_GROUP)
		{
			entry->rtekind = RTE_RESULT;
			entry->groupexprs = NIL;
		}
	}
}

static inline bool
dp_compat_flatten_groups_walker(Node *node, void *context)
{
	Query	   *query = (Query *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, dp_compat_flatten_groups_walker, context);
	if (query->hasGroupRTE)
		dp_compat_locate_groups(query);
	if (!query->groupingSets)
		dp_compat_flatten_group(query);
	return query_tree_walker(query, dp_compat_flatten_groups_walker, context, 0);
}
#else
static inline void
dp_compat_flatten_group(Query *query)
{
}
#endif

/*
 * Expression of a grouping column, which has an entry of its own in the range table
 * since 18; else NULL.
 */
static inline Node *
dp_compat_grouped(const RangeTblEntry *rte, AttrNumber column)
{
#if PG_VERSION_NUM >= 180000
	if (rte->rtekind == RTE_GROUP)
		return list_nth(rte->groupexprs, column - 1);
#endif
	return NULL;
}

/* All that the columns of such an entry stand for, where it is one. */
static inline List *
dp_compat_grouped_exprs(const RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 180000
	if (rte->rtekind == RTE_GROUP)
		return rte->groupexprs;
#endif
	return NIL;
}

/*
 * Replace references to grouping columns by their expressions, as all versions
 * had them before 18, at every level.  Levels with grouping sets stay as they
 * are.
 */
static inline void
dp_compat_flatten_groups(Query *query)
{
#if PG_VERSION_NUM >= 180000
	dp_compat_flatten_groups_walker((Node *) query, NULL);
#endif
}

/*
 * Replace virtual generated columns (18) by their expressions, in place, so
 * that these are validated like any other.
 */
static inline void
dp_compat_expand_generated(PlannerInfo *root)
{
#if PG_VERSION_NUM >= 180000
#if PG_VERSION_NUM >= 190000
	/* Which columns are not null is noted in passing, for this planning only. */
	Query	   *expanded = preprocess_relation_rtes(root);
#else
	Query	   *expanded = expand_virtual_generated_columns(root);
#endif

	if (expanded != root->parse)
		*root->parse = *expanded;
#endif
}

/* Is it a part of a JSON expression (16) that has no value, and so no type? */
static inline bool
dp_compat_is_json_part(const Node *node)
{
#if PG_VERSION_NUM >= 160000
	return IsA(node, JsonReturning) || IsA(node, JsonFormat);
#else
	return false;
#endif
}

/* Does a call of a window function say whether NULLs count (19)? */
static inline bool
dp_compat_treats_nulls(const WindowFunc *call)
{
#if PG_VERSION_NUM >= 190000
	return call->ignore_nulls != NO_NULLTREATMENT;
#else
	return false;
#endif
}

#endif							/* DP_BASE_COMPAT_PLANNER_H */
