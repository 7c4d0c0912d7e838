/* SPDX-License-Identifier: PostgreSQL */
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

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "from/dependent_columns.h"
#include "from/from_item.h"
#include "from/full_join.h"
#include "from/united_subquery.h"
#include "policy/policy.h"
#include "tree/make_nodes.h"

bool
dp_from_is_full_join(const Query *query)
{
	const JoinExpr *join = query->jointree && list_length(query->jointree->fromlist) == 1 ?
		linitial(query->jointree->fromlist) : NULL;

	return join && IsA(join, JoinExpr) && join->jointype == JOIN_FULL && query->limitOffset;
}

bool
dp_from_stands_alone(const Query *query)
{
	return query->limitOffset && query->groupClause == NIL && !query->hasWindowFuncs && query->setOperations == NULL &&
		!dp_from_is_full_join(query);
}

Node *
dp_from_without_widening(Node *node)
{
	FuncExpr   *call = (FuncExpr *) dp_tree_without_casts(node);

	while (call && IsA(call, FuncExpr) &&
		   (call->funcid == F_INT8_INT4 || call->funcid == F_INT8_INT2 || call->funcid == F_INT4_INT2))
		call = (FuncExpr *) dp_tree_without_casts(linitial(call->args));
	return (Node *) call;
}

void
dp_from_drop_unread_columns(Query *query, Query *outer, Index varno)
{
	Bitmapset  *read = dp_from_columns_read(outer, varno);
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Node	   *expr = (Node *) target->expr;

		if (bms_is_member(target->resno, read) || IsA(expr, CoalesceExpr) || expression_returns_set(expr))
			continue;
		target->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
	}
}

/* What is read by itself contributes rows of the units that these of its columns are. */
static void
show_units(Query *query, Index varno, Bitmapset *units, DpContribution *contribution)
{
	contribution->units = dp_from_columns_of_item(query, varno, units);
	contribution->grouped = lappend(contribution->grouped, query);
}

DpReason *
dp_from_check_side(Query *query, Index varno, DpStatement *statement, int location,
				   DpContribution *contribution)
{
	DpReason   *reason = NULL;
	Bitmapset  *units = dp_from_validate_part(query, statement, contribution, &reason);

	if (reason)
		return reason;
	if (bms_is_empty(units))
		return dp_tree_reason(location, "Select it as it is; dp_agg.protected_tables shows which column that is.",
							  "a side of FULL JOIN does not show its privacy unit");
	show_units(query, varno, units, contribution);
	return NULL;
}

DpReason *
dp_from_check_nullable(Query *query, Index varno, DpStatement *statement, int location,
					   DpContribution *contribution)
{
	DpReason   *reason = NULL;
	Bitmapset  *units = dp_from_validate_part(query, statement, contribution, &reason);

	if (reason)
		return reason;
	if (bms_is_empty(units))
		units = bms_make_singleton(dp_tree_add_column(query, copyObject(linitial(contribution->units)), "unit")->varattno);
	show_units(query, varno, units, contribution);
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
		(rte->rtekind == RTE_RELATION && rte->relkind != RELKIND_VIEW && !dp_policy_policy_get(rte->relid, &policy));
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
	return dp_tree_reason(location, "Join by equalities alone, and choose the rows of each side in a subquery.",
						  "conditions other than equalities are not allowed in a FULL JOIN like this");
}

/* Rows or groups of a unit in a FULL JOIN of sides that have so many, of which those matched may be so many. */
static int
bound_of_sides(int left, int right, bool by_unit, int matched)
{
	return Max(by_unit ? Max(left, right) : dp_from_add_bounds(left, right), matched);
}

DpReason *
dp_from_settle_full_join(Query *query, List *leaves, int location, DpContribution *contribution)
{
	const JoinExpr *join = linitial_node(JoinExpr, query->jointree->fromlist);
	List	   *conditions = make_ands_implicit((Expr *) join->quals);
	bool		by_unit = list_length(conditions) == 1;
	bool		few_share = by_unit;
	DpPolicy	bounds[2] = {0};
	int			number = list_length(contribution->fan_outs);
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const DpFromItem *leaf = lfirst(lc);

		number -= list_length(leaf->contribution.fan_outs);
		if (leaf->link)
			return dp_tree_reason(location, "Join it in a subquery with the table that has its privacy unit.",
								  "\"%s\" has no column with its privacy unit, and cannot be a side of FULL JOIN",
								  leaf->rte->eref->aliasname);
		bounds[foreach_current_index(lc)] = dp_from_bounds_of_part(&leaf->contribution);
		few_share = few_share && (leaf->contribution.row_is_unit || leaf->contribution.few_share);
	}

	/*
	 * By more than the unit, rows of one may find no match on either side.  What multiplies makes
	 * no less.
	 */
	contribution->policy.max_rows = bound_of_sides(bounds[0].max_rows, bounds[1].max_rows, by_unit,
												   number > 0 ? contribution->policy.max_rows : 1);
	contribution->policy.max_groups = bound_of_sides(bounds[0].max_groups, bounds[1].max_groups, by_unit,
													 number > 0 ? contribution->policy.max_groups : 1);
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
	left = dp_from_without_widening(linitial(either->args));
	right = dp_from_without_widening(lsecond(either->args));
	return dp_from_is_unit(left, contribution) && dp_from_is_unit(right, contribution) &&
		((Var *) left)->varno != ((Var *) right)->varno;
}

DpReason *
dp_from_check_full_join(Query *query, Index varno, DpStatement *statement, int location,
						DpContribution *contribution)
{
	List	   *units = NIL;
	DpReason   *reason = NULL;
	ListCell   *lc;

	foreach(lc, query->targetList)
		if (is_unit((Node *) lfirst_node(TargetEntry, lc)->expr, contribution))
			units = lappend(units, makeVarFromTargetEntry(varno, lfirst(lc)));
	if (units == NIL)
		return dp_tree_reason(location, "Use INNER JOIN or LEFT JOIN, or ask about each side by itself.",
							  "the sides of FULL JOIN have privacy units of different types");
	(void) dp_from_validate_part(query, statement, contribution, &reason);
	contribution->units = units;
	contribution->grouped = lappend(contribution->grouped, query);
	return reason;
}

/*
 * Columns of a FULL JOIN, and those that are the one of two which is there.
 */

Node *
dp_from_column_of_item(const RangeTblEntry *rte, Index varno, AttrNumber number)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	if (rte->rtekind == RTE_SUBQUERY)
		return (Node *) makeVarFromTargetEntry(varno, get_tle_by_resno(rte->subquery->targetList, number));
	get_atttypetypmodcoll(rte->relid, number, &type, &typmod, &collation);
	if (!OidIsValid(type))
		return (Node *) makeNullConst(INT4OID, -1, InvalidOid);
	return (Node *) makeVar(varno, number, type, typmod, collation, 0);
}

Node *
dp_from_column_of_side(const RangeTblEntry *rte, Index side, AttrNumber number)
{
	Node	   *column = dp_from_column_of_item(rte, side, number);

	if (IsA(column, Var))
		dp_compat_set_nulled_by((Var *) column, FULL_JOIN);
	return column;
}

/* The columns of both sides that a condition equates, that of the left side first; false if it does not. */
static bool
equates_columns(Node *condition, Var **left, Var **right)
{
	OpExpr	   *call = (OpExpr *) condition;

	if (!IsA(call, OpExpr) || list_length(call->args) != 2 || get_mergejoin_opfamilies(call->opno) == NIL)
		return false;
	*left = (Var *) dp_from_without_widening(linitial(call->args));
	*right = (Var *) dp_from_without_widening(lsecond(call->args));
	if (!IsA(*left, Var) || !IsA(*right, Var) || (*left)->varlevelsup > 0 || (*right)->varlevelsup > 0 ||
		(*left)->varattno <= 0 || (*right)->varattno <= 0)
		return false;
	if ((*left)->varno == RIGHT_SIDE)
	{
		Var		   *first = *left;

		*left = *right;
		*right = first;
	}
	return (*left)->varno == LEFT_SIDE && (*right)->varno == RIGHT_SIDE;
}

/* Have the query show the one of two columns that is there; false if they have no common type. */
static bool
show_merged(Query *query, DpMerged *merged)
{
	Node	   *args[] = {
		dp_from_column_of_side(rt_fetch(LEFT_SIDE, query->rtable), LEFT_SIDE, merged->left->varattno),
	dp_from_column_of_side(rt_fetch(RIGHT_SIDE, query->rtable), RIGHT_SIDE, merged->right->varattno)};
	Oid			type = select_common_type(NULL, list_make2(args[0], args[1]), NULL, NULL);
	CoalesceExpr *either = makeNode(CoalesceExpr);

	if (!OidIsValid(type))
		return false;
	for (int i = 0; i < lengthof(args); i++)
	{
		args[i] = coerce_to_target_type(NULL, args[i], exprType(args[i]), type, -1, COERCION_IMPLICIT,
										COERCE_IMPLICIT_CAST, -1);
		if (args[i] == NULL)
			return false;
	}
	either->coalescetype = type;
	either->coalescecollid = exprCollation(args[0]);
	either->args = list_make2(args[0], args[1]);
	either->location = -1;
	dp_tree_add_column(query, (Node *) either,
					   get_rte_attribute_name(rt_fetch(LEFT_SIDE, query->rtable), merged->left->varattno));
	merged->number = list_length(query->targetList);
	return true;
}

List *
dp_from_show_merged(Query *query, Node *quals)
{
	List	   *shown = NIL;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) quals))
	{
		DpMerged   *merged = palloc0(sizeof(DpMerged));

		if (equates_columns(lfirst(lc), &merged->left, &merged->right) && show_merged(query, merged))
			shown = lappend(shown, merged);
	}
	return shown;
}
