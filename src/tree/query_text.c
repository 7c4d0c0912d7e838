/* SPDX-License-Identifier: PostgreSQL */
/*
 * query_text.c
 *	  Queries as text.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/ruleutils.h"

#include "tree/make_nodes.h"
#include "tree/query_text.h"

/* Is it what the parser makes of "a = ANY (SELECT b)"?  PostgreSQL has text for nothing else there. */
static bool
is_comparison(const Node *node)
{
	return IsA(node, OpExpr) && list_length(((const OpExpr *) node)->args) == 2;
}

static Node *
as_comparison(Node *node)
{
	return is_comparison(node) ? node :
		(Node *) make_opclause(BooleanEqualOperator, BOOLOID, false, (Expr *) node,
							   (Expr *) makeBoolConst(true, false), InvalidOid, InvalidOid);
}

/*
 * The comparison of a subquery as the parser would have made it.  One with NULL or with a boolean constant, or by a
 * function that is inlined, was another expression once it was folded.
 */
static Node *
spellable_test(Node *test)
{
	BoolExpr   *parts;
	ListCell   *lc;

	if (test == NULL || IsA(test, RowCompareExpr))
		return test;
	if (!IsA(test, BoolExpr) || ((BoolExpr *) test)->boolop == NOT_EXPR)
		return as_comparison(test);
	parts = castNode(BoolExpr, test);
	foreach(lc, parts->args)
		lfirst(lc) = as_comparison(lfirst(lc));
	return test;
}

/* Add the columns of one side of a join to those of the join, and their numbers there to a list; dropped ones have no name. */
static List *
add_columns(const Query *query, Node *side, RangeTblEntry *join)
{
	int			varno = IsA(side, JoinExpr) ? ((JoinExpr *) side)->rtindex : castNode(RangeTblRef, side)->rtindex;
	List	   *numbers = NIL;
	ListCell   *lc;

	foreach(lc, rt_fetch(varno, query->rtable)->eref->colnames)
	{
		if (*strVal(lfirst(lc)) == '\0')
			continue;
		numbers = lappend_int(numbers, foreach_current_index(lc) + 1);
		join->eref->colnames = lappend(join->eref->colnames, copyObject(lfirst(lc)));
		join->joinaliasvars = lappend(join->joinaliasvars,
									  makeVar(varno, foreach_current_index(lc) + 1, InvalidOid, -1, InvalidOid, 0));
	}
	return numbers;
}

/* Have the range table hold a join no more: PostgreSQL looks for the sides of each that is there. */
static void
forget_join(Query *query, const JoinExpr *join)
{
	if (join->rtindex > 0)
		rt_fetch(join->rtindex, query->rtable)->rtekind = RTE_RESULT;
}

/*
 * A join with its columns, if it was made: then it names none, as nothing names one of its.  It goes to the end of the
 * range table, since a join comes after its sides there.
 */
static Node *
complete_join(Query *query, JoinExpr *join)
{
	RangeTblEntry *entry;

	if (join->rtindex > 0 && rt_fetch(join->rtindex, query->rtable)->eref->colnames != NIL)
		return (Node *) join;
	forget_join(query, join);
	entry = dp_tree_make_join_entry(join->jointype);
	entry->joinleftcols = add_columns(query, join->larg, entry);
	entry->joinrightcols = add_columns(query, join->rarg, entry);
	query->rtable = lappend(query->rtable, entry);
	join->rtindex = list_length(query->rtable);
	return (Node *) join;
}

/*
 * A node of FROM as PostgreSQL has text for it: the sides of a join are items, not lists of them.  Lists become cross
 * joins, and what they demand is left to WHERE.  NULL if nothing is named.
 */
static Node *
spellable_item(Query *query, Node *node)
{
	JoinExpr   *join = IsA(node, JoinExpr) ? (JoinExpr *) node : NULL;
	Node	   *item = NULL;
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
		return node;
	if (join)
	{
		join->larg = spellable_item(query, join->larg);
		join->rarg = spellable_item(query, join->rarg);
		if (join->larg && join->rarg)
			return complete_join(query, join);
		forget_join(query, join);
		query->jointree->quals = make_and_qual(query->jointree->quals, join->quals);
		return join->larg ? join->larg : join->rarg;
	}
	query->jointree->quals = make_and_qual(query->jointree->quals, castNode(FromExpr, node)->quals);
	foreach(lc, ((FromExpr *) node)->fromlist)
	{
		Node	   *next = spellable_item(query, lfirst(lc));

		if (item && next)
		{
			join = makeNode(JoinExpr);
			join->larg = item;
			join->rarg = next;
			next = complete_join(query, join);
		}
		item = next ? next : item;
	}
	return item;
}

/* The same for all that FROM lists. */
static void
make_from_spellable(Query *query)
{
	List	   *items = NIL;
	ListCell   *lc;

	foreach(lc, query->jointree->fromlist)
	{
		Node	   *item = spellable_item(query, lfirst(lc));

		if (item)
			items = lappend(items, item);
	}
	query->jointree->fromlist = items;
}

static Node *
spellable_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		node = (Node *) query_tree_mutator((Query *) node, spellable_mutator, context, 0);
		if (((Query *) node)->jointree)
			make_from_spellable((Query *) node);
		return node;
	}
	node = expression_tree_mutator(node, spellable_mutator, context);
	if (IsA(node, SubLink))
		((SubLink *) node)->testexpr = spellable_test(((SubLink *) node)->testexpr);
	return node;
}

char *
dp_tree_as_text(Query *query, bool pretty)
{
	return pg_get_querydef((Query *) spellable_mutator((Node *) query, NULL), pretty);
}

/* How many levels an expression's node is of queries around the one it stands in; 0 if of none. */
static int
levels_up(Node *node)
{
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup;
	if (IsA(node, Aggref))
		return ((Aggref *) node)->agglevelsup;
	if (IsA(node, GroupingFunc))
		return ((GroupingFunc *) node)->agglevelsup;
	return 0;
}

/* Does an expression, nested so deep below a block, name what is outside of the block? */
static bool
names_outer(Node *node, int *depth)
{
	bool		found;

	if (node == NULL)
		return false;
	if (levels_up(node) > Max(*depth, 0))
		return true;
	if (!IsA(node, Query))
		return expression_tree_walker(node, names_outer, depth);
	(*depth)++;
	found = query_tree_walker((Query *) node, names_outer, depth, 0);
	(*depth)--;
	return found;
}

/* Have a parameter stand for each of those names. */
static Node *
hide_outer(Node *node, int *depth)
{
	Param	   *param;

	if (node == NULL)
		return NULL;
	if (levels_up(node) > Max(*depth, 0))
	{
		param = makeNode(Param);
		param->paramkind = PARAM_EXTERN;
		param->paramid = levels_up(node);
		param->paramtype = exprType(node);
		param->paramtypmod = exprTypmod(node);
		param->paramcollid = exprCollation(node);
		return (Node *) param;
	}
	if (!IsA(node, Query))
		return expression_tree_mutator(node, hide_outer, depth);
	(*depth)++;
	node = (Node *) query_tree_mutator((Query *) node, hide_outer, depth, 0);
	(*depth)--;
	return node;
}

bool
dp_tree_names_outer(Node *node, int depth)
{
	return names_outer(node, &depth);
}

Node *
dp_tree_hide_outer(Node *node, int depth)
{
	return hide_outer(node, &depth);
}
