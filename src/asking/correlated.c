/* SPDX-License-Identifier: PostgreSQL */
/*
 * correlated.c
 *	  What ties a subquery of an expression to the query around it.
 *
 *		EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id AND v.cost > 10)
 *
 * is tied by its equality with p.id.  Without that it is a query of its own, which says for
 * every person at once what the subquery says for one.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "asking/correlated.h"
#include "base/compat_planner.h"
#include "from/lateral.h"
#include "tree/make_nodes.h"

static DpTie *make_tie(OpExpr *operator, Node *own, Node *outer, bool own_first);
static bool is_equality(const OpExpr *operator);

/* Does an expression of a subquery name columns of queries around it, farther than the next? */
static bool
names_farther(Node *node, int depth)
{
	for (int level = 2; level <= depth; level++)
		if (contain_vars_of_level(node, level))
			return true;
	return false;
}

/*
 * Is it an equality that joins can be made by, in which one value equals one group at most?  A moment
 * equals two local times in a gap of the session's zone.
 */
static bool
is_equality(const OpExpr *operator)
{
	return list_length(operator->args) == 2 && get_mergejoin_opfamilies(operator->opno) != NIL &&
		op_volatile(operator->opno) == PROVOLATILE_IMMUTABLE;
}

/* The comparison op(outer, own) as a tie, each in terms of its own query. */
static DpTie *
make_tie(OpExpr *operator, Node *own, Node *outer, bool own_first)
{
	DpTie	   *tie = palloc(sizeof(DpTie));

	tie->operator = operator;
	tie->own_first = own_first;
	tie->own = own;
	tie->outer = outer;
	return tie;
}

Node *
dp_asking_tie_with(const DpTie *tie, Node *own)
{
	OpExpr	   *comparison = copyObject(tie->operator);
	Node	   *outer = copyObject(tie->outer);

	comparison->args = tie->own_first ? list_make2(own, outer) : list_make2(outer, own);
	return (Node *) comparison;
}

/* The same of a subquery's expression that names columns of the next query around it alone. */
static Node *
lowered(Node *node)
{
	node = copyObject(node);
	IncrementVarSublevelsUp(node, -1, 1);
	return node;
}

/* Take one side of a comparison as the subquery's own, and the other as the query's around it. */
static DpTie *
read_tie(OpExpr *operator, bool own_first)
{
	Node	   *own = own_first ? linitial(operator->args) : lsecond(operator->args);
	Node	   *outer = own_first ? lsecond(operator->args) : linitial(operator->args);

	if (contain_vars_of_level(own, 1) || contain_vars_of_level(outer, 0) ||
		!contain_vars_of_level(own, 0))
		return NULL;
	return make_tie(operator, copyObject(own), lowered(outer), own_first);
}

/* Take a condition that names columns of the query around it; false if it is no tie. */
static bool
take_condition(Node *condition, DpCorrelated *correlated)
{
	OpExpr	   *operator = (OpExpr *) condition;
	DpTie	   *tie;

	if (!contain_vars_of_level(condition, 0))
	{
		correlated->outside = make_and_qual(correlated->outside, lowered(condition));
		return true;
	}
	if (!IsA(condition, OpExpr) || list_length(operator->args) != 2)
		return false;
	tie = read_tie(operator, true);
	if (tie == NULL)
		tie = read_tie(operator, false);
	if (tie == NULL)
		return false;
	if (is_equality(operator))
		correlated->keys = lappend(correlated->keys, tie);
	else if (correlated->bound == NULL)
		correlated->bound = tie;
	else
		return false;
	return true;
}

bool
dp_asking_take_ties(Query *subselect, int depth, DpCorrelated *correlated)
{
	List	   *conditions;
	Node	   *own = NULL;
	ListCell   *lc;

	memset(correlated, 0, sizeof(DpCorrelated));
	correlated->query = copyObject(subselect);
	conditions = make_ands_implicit((Expr *) correlated->query->jointree->quals);
	foreach(lc, conditions)
	{
		Node	   *condition = lfirst(lc);

		if (!contain_vars_of_level(condition, 1))
			own = make_and_qual(own, condition);
		else if (names_farther(condition, depth) || checkExprHasSubLink(condition) ||
				 !take_condition(condition, correlated))
			return false;
	}
	correlated->query->jointree->quals = own;
	return !dp_from_names_outside(correlated->query, depth);
}

/* The left side of IN, in place of the subquery's column. */
static Node *
value_mutator(Node *node, List *values)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK)
		return copyObject(list_nth(values, ((Param *) node)->paramid - 1));
	return expression_tree_mutator(node, value_mutator, values);
}

List *
dp_asking_ties_of_in(SubLink *sublink, List *values)
{
	List	   *ties = NIL;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) sublink->testexpr))
	{
		OpExpr	   *test = lfirst(lc);

		if (!IsA(test, OpExpr) || !is_equality(test) || checkExprHasSubLink(linitial(test->args)))
			return NIL;
		ties = lappend(ties, make_tie(test, value_mutator(lsecond(test->args), values),
									  linitial(test->args), false));
	}
	return ties;
}

List *
dp_asking_shown_values(const Query *query)
{
	List	   *values = NIL;
	ListCell   *lc;

	foreach(lc, query->targetList)
		if (!lfirst_node(TargetEntry, lc)->resjunk)
			values = lappend(values, lfirst_node(TargetEntry, lc)->expr);
	return values;
}

/*
 * Subqueries that are made to be left-joined to a query.
 */

Var *
dp_asking_joined_column(const DpJoined *joined, int number, bool above)
{
	TargetEntry *target = list_nth_node(TargetEntry, joined->query->targetList, number - 1);
	Var		   *column = makeVarFromTargetEntry(joined->varno, target);

	if (above)
		dp_compat_set_nulled_by(column, joined->join);
	return column;
}

Node *
dp_asking_was_joined(const DpJoined *joined)
{
	return dp_tree_make_not_null((Node *) dp_asking_joined_column(joined, 1, true));
}

/* Name of a subquery in messages: that of the first thing it reads. */
static const char *
name_of(const Query *subselect)
{
	return linitial_node(RangeTblEntry, subselect->rtable)->eref->aliasname;
}

DpJoined *
dp_asking_enter_joined(Query *query, Query *subselect)
{
	DpJoined   *joined = palloc0(sizeof(DpJoined));

	query->rtable = lappend(query->rtable, dp_tree_make_open_item(subselect, name_of(subselect)));
	query->rtable = lappend(query->rtable, dp_tree_make_join_entry(JOIN_LEFT));
	joined->query = subselect;
	joined->varno = list_length(query->rtable) - 1;
	joined->join = joined->varno + 1;
	return joined;
}

void
dp_asking_join_entered(Query *query, const DpJoined *joined)
{
	List	   *from = query->jointree->fromlist;
	JoinExpr   *join = makeNode(JoinExpr);
	RangeTblRef *item = makeNode(RangeTblRef);

	item->rtindex = joined->varno;
	join->jointype = JOIN_LEFT;
	join->larg = list_length(from) == 1 ? linitial(from) : (Node *) makeFromExpr(from, NULL);
	join->rarg = (Node *) item;
	join->quals = joined->condition;
	join->rtindex = joined->join;
	query->jointree->fromlist = list_make1(join);
}

Node *
dp_asking_by_ties(const DpJoined *joined, List *ties)
{
	Node	   *condition = NULL;
	ListCell   *lc;

	foreach(lc, ties)
		condition = make_and_qual(condition, dp_asking_tie_with(lfirst(lc), (Node *)
																dp_asking_joined_column(joined, foreach_current_index(lc) + 1, false)));
	return condition;
}

bool
dp_asking_group_by_ties(Query *query, List *ties)
{
	ListCell   *lc;

	foreach(lc, ties)
	{
		const DpTie *tie = lfirst(lc);

		if (!OidIsValid(lookup_type_cache(exprType(tie->own), TYPECACHE_LT_OPR)->lt_opr))
			return false;
		dp_tree_add_group(query, copyObject(tie->own), psprintf("k%d", foreach_current_index(lc) + 1), false);
	}
	return true;
}
