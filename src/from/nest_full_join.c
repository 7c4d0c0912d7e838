/* SPDX-License-Identifier: PostgreSQL */
/*
 * nest_full_join.c
 *	  FULL JOIN as a query of its own in FROM; see full_join.h.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "base/compat_planner.h"
#include "expression/refusals.h"
#include "from/full_join.h"
#include "from/listed_keys.h"
#include "from/nest_full_join.h"
#include "from/nullable_columns.h"
#include "from/public_expressions.h"
#include "tree/change_exprs.h"
#include "tree/make_nodes.h"

/* A FULL JOIN that becomes a query. */
typedef struct Nesting
{
	Query	   *around;
	Query	   *full;
	Index		sides[FULL_JOIN];	/* their numbers around, by those in `full` */
	int			before[FULL_JOIN];	/* how many columns of `full` are before theirs */
	List	   *merged;			/* of DpMerged */
	int			depth;			/* of subqueries around what is walked */
	DpReason   *reason;
} Nesting;

/* The number in `full` of the side that a column of the query around is of; or 0. */
static Index
side_of(const Nesting *nesting, const Var *var)
{
	if (!IsA(var, Var) || var->varlevelsup != nesting->depth)
		return 0;
	return var->varno == nesting->sides[LEFT_SIDE] ? LEFT_SIDE : var->varno == nesting->sides[RIGHT_SIDE] ? RIGHT_SIDE : 0;
}

/* A column of the query that the join becomes, in place of another. */
static Node *
column_instead(const Nesting *nesting, int number, const Var *var)
{
	Var		   *column = makeVarFromTargetEntry(nesting->sides[LEFT_SIDE],
												list_nth_node(TargetEntry, nesting->full->targetList, number - 1));

	column->varlevelsup = nesting->depth;
	column->location = var->location;
	dp_compat_set_nulled_like(column, var);
	return (Node *) column;
}

/* The column that COALESCE of its first two columns is, or NULL. */
static Node *
merged_instead(const Nesting *nesting, const CoalesceExpr *either)
{
	const Var  *left;
	const Var  *right;
	ListCell   *lc;

	left = (const Var *) dp_from_without_widening(linitial(either->args));
	right = (const Var *) dp_from_without_widening(lsecond(either->args));
	if (side_of(nesting, left) == RIGHT_SIDE)
	{
		const Var  *first = left;

		left = right;
		right = first;
	}
	if (side_of(nesting, left) != LEFT_SIDE || side_of(nesting, right) != RIGHT_SIDE)
		return NULL;
	foreach(lc, nesting->merged)
	{
		const DpMerged *merged = lfirst(lc);

		if (merged->left->varattno == left->varattno && merged->right->varattno == right->varattno &&
			exprType((Node *) list_nth_node(TargetEntry, nesting->full->targetList, merged->number - 1)->expr) == either->coalescetype)
			return column_instead(nesting, merged->number, left);
	}
	return NULL;
}

static Node *replace(Node *node, Nesting *nesting);

/* COALESCE of columns that ON equates and more is that of their column and more. */
static Node *
replace_merged(CoalesceExpr *either, Nesting *nesting)
{
	Node	   *column = list_length(either->args) < 2 ? NULL : merged_instead(nesting, either);

	if (column == NULL)
		return expression_tree_mutator((Node *) either, replace, nesting);
	if (list_length(either->args) == 2)
		return column;
	either = copyObject(either);
	either->args = lcons(column, (List *) replace((Node *) list_copy_tail(either->args, 2), nesting));
	return (Node *) either;
}

/* The same expression over columns of the query that the join becomes. */
static Node *
replace(Node *node, Nesting *nesting)
{
	const Var  *var = (const Var *) node;
	Index		side;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		Query	   *query;

		nesting->depth++;
		query = query_tree_mutator((Query *) node, replace, nesting, 0);
		nesting->depth--;
		return (Node *) query;
	}
	if (IsA(node, CoalesceExpr))
		return replace_merged((CoalesceExpr *) node, nesting);
	side = side_of(nesting, var);
	if (side == 0)
		return expression_tree_mutator(node, replace, nesting);
	if (var->varattno > 0)
		return column_instead(nesting, nesting->before[side] + var->varattno, var);
	if (nesting->reason == NULL)
		nesting->reason = dp_expression_check_column((Var *) node);
	return node;
}

/* Change whatever refers to items of FROM in the query around. */
static void
change_around(Nesting *nesting, Node *(*change) (Node *node, Nesting *nesting))
{
	dp_tree_change_exprs(nesting->around, (DpChangeExpr) change, nesting);
	dp_tree_change_aliases(nesting->around, (DpChangeExpr) change, nesting);
}

/* The same expression without references to outputs of joins. */
static Node *
flatten(Node *node, Nesting *nesting)
{
	return dp_compat_flatten_joins(nesting->around, node);
}

/* Move a side into the range table of the query that the join becomes. */
static void
move_side(Nesting *nesting, Index side)
{
	RangeTblEntry *rte = rt_fetch(nesting->sides[side], nesting->around->rtable);

	if (DP_HAS_PERMISSIONS(rte))
		rte = dp_compat_copy_entry(nesting->full, nesting->around, rte);
	else
		nesting->full->rtable = lappend(nesting->full->rtable, copyObject(rte));

	/* What is around both is a level further away. */
	if (rte->rtekind == RTE_SUBQUERY)
		IncrementVarSublevelsUp((Node *) llast_node(RangeTblEntry, nesting->full->rtable)->subquery, 1, 1);
}

/* Name the sides in a condition, which stands one level farther down, as in the query that the join becomes. */
static Node *
renumber(Node *node, Nesting *nesting)
{
	Index		side;

	if (node == NULL)
		return NULL;
	side = side_of(nesting, (const Var *) node);
	if (side > 0)
	{
		Var		   *var = copyObject((Var *) node);

		var->varno = side;
		var->varnosyn = 0;
		var->varattnosyn = 0;
		var->varlevelsup = 0;
		return (Node *) var;
	}
	return expression_tree_mutator(node, renumber, nesting);
}

/* Have the query show all columns of a side, in their order. */
static void
show_side(Nesting *nesting, Index side)
{
	const RangeTblEntry *rte = rt_fetch(side, nesting->full->rtable);

	nesting->before[side] = list_length(nesting->full->targetList);
	for (int number = 1; number <= list_length(rte->eref->colnames); number++)
		dp_tree_add_column(nesting->full, dp_from_column_of_side(rte, side, number),
						   strVal(list_nth(rte->eref->colnames, number - 1)));
}

RangeTblEntry *
dp_from_make_unused(void)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->rtekind = RTE_RESULT;
	rte->eref = makeAlias("*RESULT*", NIL);
	return rte;
}

/* Put the query in the place of the join and of its left side; nothing refers to the right one any more. */
static Node *
put_instead(Nesting *nesting, Index join)
{
	Query	   *around = nesting->around;
	const char *name = psprintf("%s FULL JOIN %s", rt_fetch(LEFT_SIDE, nesting->full->rtable)->eref->aliasname,
								rt_fetch(RIGHT_SIDE, nesting->full->rtable)->eref->aliasname);
	RangeTblRef *item = makeNode(RangeTblRef);

	lfirst(list_nth_cell(around->rtable, nesting->sides[LEFT_SIDE] - 1)) = dp_tree_make_open_item(nesting->full, name);
	lfirst(list_nth_cell(around->rtable, nesting->sides[RIGHT_SIDE] - 1)) = dp_from_make_unused();
	if (join > 0)
		lfirst(list_nth_cell(around->rtable, join - 1)) = dp_from_make_unused();
	item->rtindex = nesting->sides[LEFT_SIDE];
	return (Node *) item;
}

/* Make the query that the join becomes. */
static void
make_full(Nesting *nesting, JoinExpr *join)
{
	RangeTblRef *sides[] = {makeNode(RangeTblRef), makeNode(RangeTblRef)};
	JoinExpr   *own = makeNode(JoinExpr);

	nesting->full = dp_tree_make_select(NIL, makeFromExpr(list_make1(own), NULL));
	move_side(nesting, LEFT_SIDE);
	move_side(nesting, RIGHT_SIDE);
	nesting->full->rtable = lappend(nesting->full->rtable, dp_tree_make_join_entry(JOIN_FULL));
	sides[0]->rtindex = LEFT_SIDE;
	sides[1]->rtindex = RIGHT_SIDE;
	own->jointype = JOIN_FULL;
	own->larg = (Node *) sides[0];
	own->rarg = (Node *) sides[1];
	own->rtindex = FULL_JOIN;
	own->quals = copyObject(join->quals);
	IncrementVarSublevelsUp(own->quals, 1, 0);
	nesting->depth++;
	own->quals = renumber(own->quals, nesting);
	nesting->depth--;

	/* Nothing merges it, nor moves conditions into it. */
	nesting->full->limitOffset = (Node *) dp_tree_make_int8(0);
	nesting->full->hasRowSecurity = nesting->around->hasRowSecurity;
	nesting->full->hasSubLinks = checkExprHasSubLink(own->quals);
	show_side(nesting, LEFT_SIDE);
	show_side(nesting, RIGHT_SIDE);
	nesting->merged = dp_from_show_merged(nesting->full, own->quals);
}

/* Reason why the join's own structure is refused. */
static DpReason *
check_sides(Query *query, const JoinExpr *join, int location)
{
	if (!IsA(join->larg, RangeTblRef) || !IsA(join->rarg, RangeTblRef))
		return dp_tree_reason(location, "Write that join in a subquery, as one item of FROM.",
							  "a join as one side of FULL JOIN is not allowed in a differentially private query");
	if (!dp_from_reads_protected(query, join->larg) || !dp_from_reads_protected(query, join->rarg))
		return dp_tree_reason(location, "Use LEFT JOIN: rows of public tables that no protected row matches are nobody's.",
							  "FULL JOIN with public rows is not allowed in a differentially private query");
	return NULL;
}

DpReason *
dp_from_nest_full_join(Query *query, Node **place, List *levels, DpStatement *statement, int location)
{
	JoinExpr   *join = castNode(JoinExpr, *place);
	Nesting		nesting = {.around = query};
	DpReason   *reason = check_sides(query, join, location);

	if (reason)
		return reason;
	nesting.sides[LEFT_SIDE] = ((RangeTblRef *) join->larg)->rtindex;
	nesting.sides[RIGHT_SIDE] = ((RangeTblRef *) join->rarg)->rtindex;
	change_around(&nesting, flatten);
	dp_from_forget_nulls_of(query, bms_make_singleton(join->rtindex));
	make_full(&nesting, join);
	dp_from_lift_expressions(nesting.full, lcons(nesting.full, list_copy(levels)), statement);
	*place = put_instead(&nesting, join->rtindex);
	change_around(&nesting, replace);
	return nesting.reason;
}
