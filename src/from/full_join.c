/*
 * full_join.c
 *	  FULL JOIN of protected rows, as a query of its own in FROM.
 *
 *		SELECT ... FROM visits v FULL JOIN bills b ON b.person = v.person
 *
 * is
 *
 *		SELECT ... FROM (SELECT v.*, b.*, COALESCE(v.person, b.person) AS unit
 *						   FROM visits v FULL JOIN bills b ON b.person = v.person) j
 *
 * Rows that match are of one unit, since ON says that their units are equal.  A row without a
 * match is that of its own unit.  So each row is made of rows of the unit that the last column
 * names, and neighbouring databases differ in the rows of one unit after the join as before it.
 * Either side's own column of it is NULL where that side has no match.
 *
 * Each side is read by itself: what is computed there is computed before the join, and what
 * chooses its rows chooses them before the join.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "from/from_item.h"
#include "from/full_join.h"
#include "from/hidden_columns.h"
#include "from/united_subquery.h"
#include "tree/default_family.h"
#include "policy/policy.h"

bool
dp_query_is_full_join(const Query *query)
{
	const JoinExpr *join = query->jointree && list_length(query->jointree->fromlist) == 1 ?
		linitial(query->jointree->fromlist) : NULL;

	return join && IsA(join, JoinExpr) && join->jointype == JOIN_FULL && query->limitOffset;
}

Node *
dp_query_without_widening(Node *node)
{
	FuncExpr   *call = (FuncExpr *) dp_query_without_casts(node);

	while (call && IsA(call, FuncExpr) &&
		   (call->funcid == F_INT8_INT4 || call->funcid == F_INT8_INT2 || call->funcid == F_INT4_INT2))
		call = (FuncExpr *) dp_query_without_casts(linitial(call->args));
	return (Node *) call;
}

void
dp_query_drop_unread_columns(Query *query, Query *outer, Index varno)
{
	Bitmapset  *read = dp_query_columns_read(outer, varno);
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Node	   *expr = (Node *) target->expr;

		if (bms_is_member(target->resno, read) || IsA(expr, CoalesceExpr))
			continue;
		target->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
	}
}

DpReason *
dp_query_check_side(Query *query, Index varno, ParamListInfo params, int location,
					DpContribution *contribution)
{
	DpReason   *reason = NULL;
	Bitmapset  *units = dp_query_validate_part(query, params, contribution, &reason);

	if (reason)
		return reason;
	if (bms_is_empty(units))
		return dp_query_reason(location, "Select it as it is; dp_agg.protected_tables shows which column that is.",
							   "a side of FULL JOIN does not show its privacy unit");
	contribution->units = dp_query_columns_of_item(query, varno, units);
	contribution->grouped = lappend(contribution->grouped, query);
	return NULL;
}

/* Does a condition equate something of one side with something of the other, in an order? */
static bool
equates_sides(Node *condition)
{
	OpExpr	   *call = (OpExpr *) condition;
	int			sides[2];

	return IsA(call, OpExpr) && list_length(call->args) == 2 &&
		op_mergejoinable(call->opno, exprType(linitial(call->args))) &&
		bms_get_singleton_member(pull_varnos(NULL, linitial(call->args)), &sides[0]) &&
		bms_get_singleton_member(pull_varnos(NULL, lsecond(call->args)), &sides[1]) &&
		sides[0] != sides[1];
}

/* Does anything below a query read public rows, which the analyst may have chosen? */
static bool
reads_public(Node *node, void *context)
{
	RangeTblEntry *rte = (RangeTblEntry *) node;
	DpPolicy	policy;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_public, context, QTW_EXAMINE_RTES_BEFORE);
	if (!IsA(node, RangeTblEntry))
		return expression_tree_walker(node, reads_public, context);
	return rte->rtekind == RTE_FUNCTION ||
		(rte->rtekind == RTE_RELATION && rte->relkind != RELKIND_VIEW && !dp_query_policy_get(rte->relid, &policy));
}

/*
 * Whether PostgreSQL can compute the join: by merging, if ON has nothing but equalities of both
 * sides; or else by hashing, where the analyst had no hand in what is hashed.
 */
static DpReason *
check_conditions(Query *query, List *conditions, int location)
{
	bool		merges = true;
	bool		hashes = false;
	ListCell   *lc;

	foreach(lc, conditions)
	{
		OpExpr	   *call = lfirst(lc);

		if (IsA(call, Const))
			continue;
		merges &= equates_sides((Node *) call);
		hashes |= equates_sides((Node *) call) && op_hashjoinable(call->opno, exprType(linitial(call->args)));
	}
	if (merges || (hashes && !reads_public((Node *) query, NULL)))
		return NULL;
	return dp_query_reason(location, "Join by equalities alone, and choose the rows of each side in a sub-select.",
						   "conditions other than equalities are not allowed in a FULL JOIN like this");
}

DpReason *
dp_query_settle_full_join(Query *query, List *leaves, int location, DpContribution *contribution)
{
	const JoinExpr *join = linitial_node(JoinExpr, query->jointree->fromlist);
	List	   *conditions = make_ands_implicit((Expr *) join->quals);
	bool		by_unit = list_length(conditions) == 1;
	bool		few_share = by_unit;
	DpPolicy	bounds[2] = {0};
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const DpFromItem *leaf = lfirst(lc);

		if (leaf->link)
			return dp_query_reason(location, "Join it in a sub-select with the table that has its privacy unit.",
								   "\"%s\" has no column with its privacy unit, and cannot be a side of FULL JOIN",
								   leaf->rte->eref->aliasname);
		bounds[foreach_current_index(lc)] = dp_query_bounds_of_part(&leaf->contribution);
		few_share = few_share && (leaf->contribution.row_is_unit || leaf->contribution.few_share);
	}

	/* By more than the unit, rows of one may find no match on either side. */
	contribution->policy.max_rows = by_unit ? Max(bounds[0].max_rows, bounds[1].max_rows)
		: dp_query_add_bounds(bounds[0].max_rows, bounds[1].max_rows);
	contribution->policy.max_groups = by_unit ? Max(bounds[0].max_groups, bounds[1].max_groups)
		: dp_query_add_bounds(bounds[0].max_groups, bounds[1].max_groups);
	contribution->unit_not_null = false;
	contribution->row_is_unit = false;	/* too long ones are not compared everywhere */
	contribution->few_share = few_share;
	contribution->listing = NULL;
	contribution->listed = NULL;
	return check_conditions(query, conditions, location);
}

/* Is a column that of the unit of whichever side is there? */
static bool
is_unit(const Node *expr, const DpContribution *contribution)
{
	const CoalesceExpr *either = (const CoalesceExpr *) expr;
	Node	   *left;
	Node	   *right;

	if (!IsA(either, CoalesceExpr))
		return false;
	left = dp_query_without_widening(linitial(either->args));
	right = dp_query_without_widening(lsecond(either->args));
	return dp_query_is_unit(left, contribution) && dp_query_is_unit(right, contribution) &&
		((Var *) left)->varno != ((Var *) right)->varno;
}

DpReason *
dp_query_check_full_join(Query *query, Index varno, ParamListInfo params, int location,
						 DpContribution *contribution)
{
	List	   *units = NIL;
	DpReason   *reason = NULL;
	ListCell   *lc;

	foreach(lc, query->targetList)
		if (is_unit((Node *) lfirst_node(TargetEntry, lc)->expr, contribution))
			units = lappend(units, makeVarFromTargetEntry(varno, lfirst(lc)));
	if (units == NIL)
		return dp_query_reason(location, "Use INNER JOIN or LEFT JOIN, or ask about each side by itself.",
							   "the sides of FULL JOIN have privacy units of different types");
	(void) dp_query_validate_part(query, params, contribution, &reason);
	contribution->units = units;
	contribution->grouped = lappend(contribution->grouped, query);
	return reason;
}
