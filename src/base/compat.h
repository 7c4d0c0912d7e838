/*
 * compat.h
 *	  The one place that knows PostgreSQL version numbers.
 *
 * PostgreSQL 15 to 19.  Code elsewhere uses the names defined here
 * and never tests PG_VERSION_NUM itself.  Each is a thin inline function that
 * says what it guarantees on every version.
 */
#ifndef DP_BASE_COMPAT_H
#define DP_BASE_COMPAT_H

#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/nbtree.h"
#include "access/stratnum.h"
#include "access/tupdesc.h"
#include "access/visibilitymap.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "executor/hashjoin.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "storage/lock.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "dp_agg supports PostgreSQL 15 to 19"
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
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

/* What a memory context's function to allocate is called with. */
#if PG_VERSION_NUM >= 170000
#define DP_ALLOCATE_PARAMETERS MemoryContext context, Size size, int flags
#define DP_ALLOCATE_ARGUMENTS context, size, flags
#else
#define DP_ALLOCATE_PARAMETERS MemoryContext context, Size size
#define DP_ALLOCATE_ARGUMENTS context, size
#endif

/* What a handler of signals hands on to another. */
#if PG_VERSION_NUM >= 190000
#define DP_HAND_ON_SIGNAL postgres_signal_arg, pg_siginfo
#else
#define DP_HAND_ON_SIGNAL postgres_signal_arg
#endif

/* A reference to a column, which what replaces it may not change since 19. */
#if PG_VERSION_NUM >= 190000
typedef const Var DpReplacedVar;
#else
typedef Var DpReplacedVar;
#endif

/* The product of two numerics. */
#if PG_VERSION_NUM >= 190000
#define DP_NUMERIC_MUL(left, right) numeric_mul_safe(left, right, NULL)
#else
#define DP_NUMERIC_MUL(left, right) numeric_mul_opt_error(left, right, NULL)
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

/* What a semantic action of the JSON parser is, and how it ends. */
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

/* A range of these bounds, not empty. */
#if PG_VERSION_NUM >= 160000
#define DP_MAKE_RANGE(cache, lower, upper) make_range(cache, lower, upper, false, NULL)
#else
#define DP_MAKE_RANGE(cache, lower, upper) make_range(cache, lower, upper, false)
#endif

/* Does the role own the relation? */
static inline bool
dp_compat_owns_relation(Oid relid, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, relid, role);
#else
	return pg_class_ownercheck(relid, role);
#endif
}

/* May the role refresh the materialized view, or put the table in order?  Since 17 there is a privilege for it. */
static inline bool
dp_compat_may_maintain(Oid relid, Oid role)
{
#if PG_VERSION_NUM >= 170000
	return pg_class_aclcheck(relid, role, ACL_MAINTAIN) == ACLCHECK_OK;
#else
	return dp_compat_owns_relation(relid, role);
#endif
}

/* Does the role own the database? */
static inline bool
dp_compat_owns_database(Oid database, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(DatabaseRelationId, database, role);
#else
	return pg_database_ownercheck(database, role);
#endif
}

/* Does the role own the extension? */
static inline bool
dp_compat_owns_extension(Oid extension, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(ExtensionRelationId, extension, role);
#else
	return pg_extension_ownercheck(extension, role);
#endif
}

/* Does the role own the type? */
static inline bool
dp_compat_owns_type(Oid type, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(TypeRelationId, type, role);
#else
	return pg_type_ownercheck(type, role);
#endif
}

/* Does the role own the schema? */
static inline bool
dp_compat_owns_schema(Oid schema, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(NamespaceRelationId, schema, role);
#else
	return pg_namespace_ownercheck(schema, role);
#endif
}

/*
 * May the role make itself a member of the other?  Before 16 CREATEROLE was enough for
 * all roles but superusers.
 */
static inline bool
dp_compat_may_grant(Oid member, Oid role)
{
#if PG_VERSION_NUM < 160000
	if (has_createrole_privilege(member) && !superuser_arg(role))
		return true;
#endif
	return is_admin_of_role(member, role);
}

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

/* Raise unless the current user may do what a query itself, but not its sub-queries, does. */
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

/* Append what a query itself, but not its sub-queries, needs rights to. */
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

/*
 * Permissions of a query's range table: a list beside it since 16.  Whoever
 * takes the range table of another query takes this too.
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
 * Is a foreign key validated, enforced (18), and about rows, not periods (18)?
 */
static inline bool
dp_compat_constraint_holds(Form_pg_constraint constraint)
{
#if PG_VERSION_NUM >= 180000
	return constraint->convalidated && constraint->conenforced && !constraint->conperiod;
#else
	return constraint->convalidated;
#endif
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
	/* What was not merged is read by itself, and validated as such. */
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

/* What a grouping column stands for, which has an entry of its own in the range table since 18; else NULL. */
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

/* Is the column computed whenever it is read? */
static inline bool
dp_compat_is_virtual(Form_pg_attribute column)
{
#if PG_VERSION_NUM >= 180000
	return column->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL;
#else
	return false;
#endif
}

/* Is the column known to be not null in every row?  18 has unproven constraints. */
static inline bool
dp_compat_is_not_null(TupleDesc desc, AttrNumber number)
{
#if PG_VERSION_NUM >= 180000
	return TupleDescCompactAttr(desc, number - 1)->attnullability == ATTNULLABLE_VALID;
#else
	return TupleDescAttr(desc, number - 1)->attnotnull;
#endif
}

/* A description of rows whose columns have all been entered, fit for use. */
static inline TupleDesc
dp_compat_described(TupleDesc desc)
{
#if PG_VERSION_NUM >= 190000
	TupleDescFinalize(desc);
#endif
	return desc;
}

static inline Oid
dp_compat_primary_key(Relation relation)
{
#if PG_VERSION_NUM >= 180000
	return RelationGetPrimaryKeyIndex(relation, false);
#else
	return RelationGetPrimaryKeyIndex(relation);
#endif
}

/* Look up how a scan skips over values of a B-tree's column that no key names (18). */
static inline void
dp_compat_look_up_skips(Relation index, int column)
{
#if PG_VERSION_NUM >= 180000
	Oid			family = index->rd_opfamily[column];
	Oid			type = index->rd_opcintype[column];

	(void) get_opfamily_member(family, type, type, BTEqualStrategyNumber);
	(void) get_opfamily_proc(family, type, type, BTSKIPSUPPORT_PROC);
#endif
}

/* Begin to scan an index with so many keys. */
static inline IndexScanDesc
dp_compat_begin_index_scan(Relation table, Relation index, Snapshot snapshot, int keys)
{
#if PG_VERSION_NUM >= 190000
	return index_beginscan(table, index, snapshot, NULL, keys, 0, 0);
#elif PG_VERSION_NUM >= 180000
	return index_beginscan(table, index, snapshot, NULL, keys, 0);
#else
	return index_beginscan(table, index, snapshot, keys, 0);
#endif
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

/*
 * Prune a page, if it looks worth it.  Nothing need be known of the visibility map (19).
 */
static inline void
dp_compat_prune(Relation relation, Buffer buffer)
{
#if PG_VERSION_NUM >= 190000
	Buffer		map = InvalidBuffer;

	heap_page_prune_opt(relation, buffer, &map, false);
	if (BufferIsValid(map))
		ReleaseBuffer(map);
#else
	heap_page_prune_opt(relation, buffer);
#endif
}

/* May a scan make the visibility map of a table longer (19)? */
static inline bool
dp_compat_scans_extend_maps(void)
{
	return PG_VERSION_NUM >= 190000;
}

/* Make the visibility map of a table as long as a scan may. */
static inline void
dp_compat_extend_map(Relation relation)
{
#if PG_VERSION_NUM >= 190000
	Buffer		map = InvalidBuffer;

	if (relation->rd_rel->relam != HEAP_TABLE_AM_OID)
		return;
	visibilitymap_pin(relation, RelationGetNumberOfBlocks(relation), &map);
	ReleaseBuffer(map);
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

/*
 * The statement that rewrites a table in the order of an index, CLUSTER or REPACK (19): the
 * table and the index that it names, or NULL.
 */
#if PG_VERSION_NUM >= 190000
#define DP_ORDERING_STATEMENT T_RepackStmt
#else
#define DP_ORDERING_STATEMENT T_ClusterStmt
#endif

/* The statement that waits for a position of the write-ahead log (19); before there is none. */
#if PG_VERSION_NUM >= 190000
#define DP_WAITING_STATEMENT T_WaitStmt
#else
#define DP_WAITING_STATEMENT T_Invalid
#endif

static inline RangeVar *
dp_compat_ordered_table(const Node *statement)
{
#if PG_VERSION_NUM >= 190000
	const VacuumRelation *table = castNode(RepackStmt, unconstify(Node *, statement))->relation;

	return table ? table->relation : NULL;
#else
	return castNode(ClusterStmt, unconstify(Node *, statement))->relation;
#endif
}

static inline const char *
dp_compat_ordering_index(const Node *statement)
{
#if PG_VERSION_NUM >= 190000
	return castNode(RepackStmt, unconstify(Node *, statement))->indexname;
#else
	return castNode(ClusterStmt, unconstify(Node *, statement))->indexname;
#endif
}

/* Plan a query that no EXPLAIN asks about, by whatever hooks there are. */
static inline PlannedStmt *
dp_compat_plan(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	return DP_CALL_PLANNER(pg_plan_query, query, source, cursor_options, params, NULL);
}

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

/* Statistics from inside, for who asks: their header brings much along. */
#ifdef DP_COMPAT_COUNTERS
#include "utils/pgstat_internal.h"
#if PG_VERSION_NUM >= 180000
#include "storage/aio_internal.h"

/* Wait for the oldest of this process's reads that are under way. */
static inline void
dp_compat_await_read(void)
{
	PgAioHandle *read = dclist_head_element(PgAioHandle, node, &pgaio_my_backend->in_flight_ios);
	PgAioWaitRef reference = {
		.aio_index = read - pgaio_ctl->io_handles,
		.generation_upper = (uint32) (read->generation >> 32),
		.generation_lower = (uint32) read->generation,
	};

	pgaio_wref_wait(&reference);
}

/*
 * Step over the numbers that reads by a handle may have taken since the last call: a
 * count of its reads, which may only grow.  It lasts for 2^36 calls.
 */
static inline void
dp_compat_number_on(PgAioHandle *handle)
{
	const uint64 step = UINT64CONST(1) << 28;

	handle->generation = (handle->generation / step + 1) * step;
}
#endif

/*
 * End this process's reads, and put the handles for coming ones in order: since
 * 18 debugging messages show their numbers, which tell of the reads before, in
 * sessions that have the process's slot later too; and with io_uring how often
 * each was used.
 */
static inline void
dp_compat_settle_reads(void)
{
#if PG_VERSION_NUM >= 180000
	PgAioBackend *own = pgaio_my_backend;

	if (own == NULL)
		return;
	HOLD_INTERRUPTS();
	if (pgaio_have_staged())
		pgaio_submit_staged();
	while (!dclist_is_empty(&own->in_flight_ios))
		dp_compat_await_read();
	for (int i = io_max_concurrency - 1; i >= 0; i--)
	{
		PgAioHandle *handle = &pgaio_ctl->io_handles[own->io_handle_off + i];

		if (handle->state != PGAIO_HS_IDLE)
			continue;
		dp_compat_number_on(handle);
		dclist_delete_from(&own->idle_ios, &handle->node);
		dclist_push_head(&own->idle_ios, &handle->node);
	}
	RESUME_INTERRUPTS();
#endif
}

/* Add what is counted whatever track_counts says to the shared statistics. */
static inline void
dp_compat_flush_counters(void)
{
#if PG_VERSION_NUM >= 190000
	(void) pgstat_lock_flush_cb(false);
#endif
#if PG_VERSION_NUM >= 180000
	(void) pgstat_slru_flush_cb(false);
	(void) pgstat_flush_backend(false, PGSTAT_BACKEND_FLUSH_IO);
#else
	(void) pgstat_slru_flush(false);
#endif
#if PG_VERSION_NUM >= 160000
	(void) pgstat_flush_io(false);
#endif
}

/* The locks of the shared statistics that flushing takes. */
static inline void
dp_compat_init_counters(PgStat_ShmemControl *shared)
{
	LWLockInitialize(&shared->slru.lock, LWTRANCHE_PGSTATS_DATA);
#if PG_VERSION_NUM >= 190000
	LWLockInitialize(&shared->lock.lock, LWTRANCHE_PGSTATS_DATA);
#endif
#if PG_VERSION_NUM >= 160000
	LWLockInitialize(&shared->io.locks[MyBackendType], LWTRANCHE_PGSTATS_DATA);
#endif
}

/* This process's own entry among the shared statistics (18), or NULL. */
static inline PgStat_EntryRef *
dp_compat_own_counters(void)
{
#if PG_VERSION_NUM >= 180000
	return pgstat_get_entry_ref(PGSTAT_KIND_BACKEND, InvalidOid, MyProcNumber, false, NULL);
#else
	return NULL;
#endif
}

/* Room for what dp_compat_own_counters() points to. */
#if PG_VERSION_NUM >= 180000
typedef PgStatShared_Backend DpOwnCounters;
#else
typedef PgStatShared_Database DpOwnCounters;
#endif

#endif							/* DP_COMPAT_COUNTERS */

/*
 * Take a lock for the session, outside any transaction, without waiting and without an error;
 * false if somebody else has it or waits for it, or if there is no room for it.
 */
static inline bool
dp_compat_try_lock(const LOCKTAG *tag, LOCKMODE mode)
{
#if PG_VERSION_NUM >= 180000
	return LockAcquireExtended(tag, mode, true, true, false, NULL, false) != LOCKACQUIRE_NOT_AVAIL;
#else
	return LockAcquireExtended(tag, mode, true, true, false, NULL) != LOCKACQUIRE_NOT_AVAIL;
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

#endif							/* DP_BASE_COMPAT_H */
