/* SPDX-License-Identifier: PostgreSQL */
/*
 * select_right.c
 *	  Protected rows in a FROM, and the right to read them.
 *
 * Rights checked: on a view, the current user's; inside it, the view owner's, unless it
 * is a security_invoker view.  They are checked here only to choose between two ways of
 * answering: PostgreSQL's own check comes for all that is read in either of them.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_agg.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/acl.h"

#include "asking/select_right.h"
#include "base/compat_planner.h"
#include "expression/read_as.h"
#include "from/full_join.h"
#include "from/key_closure.h"
#include "policy/policy.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"

/* Most grouping sets of which it is asked what all of them have. */
#define MOST_SETS 1000

/* May a role read these columns of a relation, or any column if there are none? */
static bool
may_read_columns(Oid relid, Oid role, const Bitmapset *columns)
{
	int			column = -1;

	if (bms_is_empty(columns))
		return pg_attribute_aclcheck_all(relid, role, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		AttrNumber	number = column + FirstLowInvalidHeapAttributeNumber;
		AclResult	result = number == InvalidAttrNumber
			? pg_attribute_aclcheck_all(relid, role, ACL_SELECT, ACLMASK_ALL)
			: pg_attribute_aclcheck(relid, number, role, ACL_SELECT);

		if (result != ACLCHECK_OK)
			return false;
	}
	return true;
}

bool
dp_asking_may_select(Query *query, RangeTblEntry *rte)
{
	Oid			role;

	if (!DP_HAS_PERMISSIONS(rte) || !(DP_PERMISSIONS(query, rte)->requiredPerms & ACL_SELECT))
		return true;
	role = DP_PERMISSIONS(query, rte)->checkAsUser;
	if (!OidIsValid(role))
		role = GetUserId();
	return pg_class_aclcheck(rte->relid, role, ACL_SELECT) == ACLCHECK_OK ||
		may_read_columns(rte->relid, role, DP_PERMISSIONS(query, rte)->selectedCols);
}

bool
dp_asking_aggregates_rows(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL ||
		query->havingQual != NULL ||
		(query->distinctClause != NIL && !query->hasDistinctOn && !query->hasWindowFuncs &&
		 !query->hasTargetSRFs);
}

bool
dp_asking_is_protected_item(const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_RELATION && rte->relkind != RELKIND_VIEW && dp_policy_is_protected(rte->relid);
}

bool
dp_asking_is_denied_view(Query *query, RangeTblEntry *rte)
{
	return OidIsValid(rte->relid) && rte->relkind == RELKIND_VIEW && !dp_asking_may_select(query, rte);
}

RangeTblEntry *
dp_asking_denied_view_of(Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION && dp_asking_is_denied_view(query, rte))
			return rte;
	}
	return NULL;
}

/*
 * Has this query, the one of a WITH query, been looked at already, as what is read or in a view that is denied?
 * Else it is from now on.  Each is looked at twice at most, however often it is referred to.
 */
static bool
seen_before(DpRawRows *rows, Query *with, bool in_view)
{
	List	  **seen = in_view ? &rows->seen_in_view : &rows->seen;

	if (list_member_ptr(*seen, with))
		return true;
	*seen = lappend(*seen, with);
	return false;
}

static void find_below(Query *query, List *levels, RangeTblEntry *view, DpRawRows *rows);

/* Look at one item of a range table, inside of a view that is denied or not. */
static void
find_in_item(Query *query, RangeTblEntry *rte, List *levels, RangeTblEntry *view, DpRawRows *rows)
{
	List	   *inner_levels;
	Query	   *inner;

	if (dp_asking_is_protected_item(rte))
	{
		if (view == NULL && !dp_asking_may_select(query, rte))
			view = rte;
		if (view == NULL)
			rows->readable = rte;
		else if (rows->denied == NULL)
		{
			rows->denied = view;
			rows->relid = rte->relid;
		}
		return;
	}
	inner = dp_from_subquery_of(rte, levels, &inner_levels);
	if (inner == NULL || dp_tree_is_block(inner))
		return;
	if (dp_asking_aggregates_rows(inner) && !dp_asking_groups_by_unit(inner, inner_levels))
		return;

	if (view == NULL && dp_asking_is_denied_view(query, rte))
		view = rte;
	if (rte->rtekind != RTE_CTE || !seen_before(rows, inner, view != NULL))
		find_below(inner, inner_levels, view, rows);
}

static void
find_below(Query *query, List *levels, RangeTblEntry *view, DpRawRows *rows)
{
	ListCell   *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (view == NULL)
		view = dp_asking_denied_view_of(query);
	foreach(lc, query->rtable)
		find_in_item(query, lfirst(lc), levels, view, rows);
}

void
dp_asking_find_raw_rows(Query *query, List *levels, DpRawRows *rows)
{
	memset(rows, 0, sizeof(DpRawRows));
	find_below(query, levels, NULL, rows);
}

typedef struct Visits
{
	List	   *levels;			/* around what is looked at, innermost first */
	bool		skip_unused;
	DpVisitLevel visit;
	void	   *context;
} Visits;

static bool
visit_walker(Node *node, Visits *visits)
{
	Visits		below = *visits;

	if (node == NULL || (visits->skip_unused && IsA(node, CommonTableExpr) &&
						 ((CommonTableExpr *) node)->cterefcount == 0))
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, visit_walker, visits);
	below.levels = lcons(node, list_copy(visits->levels));
	return visits->visit((Query *) node, below.levels, visits->context) ||
		query_tree_walker((Query *) node, visit_walker, &below, QTW_IGNORE_JOINALIASES);
}

bool
dp_asking_visit_levels(Query *query, bool skip_unused, DpVisitLevel visit, void *context)
{
	Visits		visits = {NIL, skip_unused, visit, context};

	return visit_walker((Node *) query, &visits);
}

static bool is_unit_column(Query *query, List *levels, Node *expr, bool lowered);

/* Is there a FULL JOIN below this node of FROM? */
static bool
has_full_join(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return (IsA(node, JoinExpr) && ((JoinExpr *) node)->jointype == JOIN_FULL) ||
		expression_tree_walker(node, has_full_join, context);
}

/* Is this the unit of whichever side of a FULL JOIN is there? */
static bool
is_unit_of_either(Query *query, List *levels, const CoalesceExpr *either)
{
	ListCell   *lc;

	if (!has_full_join((Node *) query->jointree->fromlist, NULL))
		return false;
	foreach(lc, either->args)
		if (!is_unit_column(query, levels, dp_from_without_widening(lfirst(lc)), false))
			return false;
	return true;
}

/* Is this expression the unit's own column of a protected table, whatever it is called, or of citext in lower case? */
static bool
is_unit_column(Query *query, List *levels, Node *expr, bool lowered)
{
	Var		   *var;
	RangeTblEntry *rte;
	Query	   *inner;
	TargetEntry *target;
	DpPolicy	policy;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	expr = dp_tree_without_casts(expr);
	while (lowered && IsA(expr, RelabelType))
		expr = (Node *) ((RelabelType *) expr)->arg;
	if (expr && dp_expression_without_lower(expr) != expr)
		return is_unit_column(query, levels, dp_expression_without_lower(expr), true);
	var = (Var *) expr;
	if (expr && IsA(expr, CoalesceExpr))
		return is_unit_of_either(query, levels, (CoalesceExpr *) expr);
	if (expr == NULL || !IsA(var, Var) || var->varlevelsup > 0 || var->varattno <= 0)
		return false;
	rte = rt_fetch(var->varno, query->rtable);
	if (rte->rtekind == RTE_RELATION)
		return dp_policy_is_protected(rte->relid) && dp_policy_policy_get(rte->relid, &policy) &&
			!policy.linked && policy.unit == var->varattno &&
			(!lowered || dp_policy_lowers_unit(var->vartype));
	if (dp_compat_grouped(rte, var->varattno))
		return is_unit_column(query, levels, dp_compat_grouped(rte, var->varattno), lowered);
	if (rte->rtekind == RTE_JOIN)
		return is_unit_column(query, levels, list_nth(rte->joinaliasvars, var->varattno - 1), lowered);
	inner = dp_from_subquery_of(rte, levels, &levels);
	if (inner == NULL)
		return false;
	target = get_tle_by_resno(inner->targetList, var->varattno);
	return target && is_unit_column(inner, levels, (Node *) target->expr, lowered);
}

bool
dp_asking_is_unit(Query *query, List *levels, Node *expr)
{
	return is_unit_column(query, levels, expr, false);
}

/* The keys that all grouping sets of a query have; NIL where there are too many sets to tell. */
static List *
keys_of_all_sets(const Query *query)
{
	List	   *sets = expand_grouping_sets(copyObject(query->groupingSets), query->groupDistinct, MOST_SETS);
	List	   *references = sets ? list_copy(linitial(sets)) : NIL;
	List	   *keys = NIL;
	ListCell   *lc;

	foreach(lc, sets)
		references = list_intersection_int(references, lfirst(lc));
	foreach(lc, references)
		keys = lappend(keys, get_sortgroupref_tle(lfirst_int(lc), query->targetList)->expr);
	return keys;
}

bool
dp_asking_groups_by_unit(Query *query, List *levels)
{
	List	   *keys = get_sortgrouplist_exprs(query->groupClause ? query->groupClause : query->distinctClause,
											   query->targetList);
	ListCell   *lc;

	foreach(lc, keys)
		if (is_unit_column(query, levels, lfirst(lc), false))
			return true;
	return dp_from_names_record(query, levels, query->groupingSets ? keys_of_all_sets(query) : keys);
}
