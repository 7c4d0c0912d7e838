/* SPDX-License-Identifier: PostgreSQL */
/*
 * joined.c
 *	  Subqueries in the expressions of a query over protected rows.
 *
 * A row of such a query is one unit's.  A subquery that reads rows of the same unit, by
 * equality with its column, is that unit's as well; one over public tables is everybody's.
 * Either is joined to the query (stand_in.c), wherever its value stands: in WHERE, in a select list
 * that is not aggregated, in what is aggregated and in keys.  One in ON is moved to a WHERE (on_conditions.c).
 *
 * A subquery over public tables that names nothing of the query around it is a value, and
 * left as it is, or a list of rows (row_list.c).  What cannot be joined is left, too: it is refused later.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"

#include "asking/any_public.h"
#include "asking/correlated.h"
#include "asking/joined.h"
#include "asking/on_conditions.h"
#include "asking/row_list.h"
#include "asking/select_right.h"
#include "asking/stand_in.h"
#include "base/compat_planner.h"
#include "from/lateral.h"
#include "tree/find_blocks.h"
#include "tree/given.h"

typedef struct Walk
{
	List	   *levels;			/* of Query: around what is walked, innermost first */
	bool		ours;			/* does the statement call our aggregates? */
	bool		in_block;		/* is this in a block of ours? */
} Walk;

/* Replacing the subqueries of one query. */
typedef struct Replacing
{
	DpStand		stand;
	List	   *done;			/* of List: a subquery, and its value where all is told apart or
								 * not */
	bool		exact;			/* are NULL and false told apart here? */
} Replacing;

/* May rows of a subquery reach a unit's: are they of a unit, or public? */
static bool
may_stand(Query *grouped, List *levels, void *context)
{
	DpRawRows	rows;

	levels = lcons(grouped, list_copy(levels));
	dp_asking_find_raw_rows(grouped, levels, &rows);
	return (rows.denied == NULL && rows.readable == NULL) || dp_asking_groups_by_unit(grouped, levels);
}

/* Does a subquery concern us: does it read protected rows, or name a column around it? */
static bool
is_concerned(Query *subselect, List *levels)
{
	DpRawRows	rows;

	if (!IsA(subselect, Query) || dp_tree_is_block(subselect))
		return false;
	if (dp_from_names_outside(subselect, list_length(levels)))
		return true;
	dp_asking_find_raw_rows(subselect, lcons(subselect, list_copy(levels)), &rows);
	return rows.denied || rows.readable;
}

/* The value of a subquery that was joined, or NULL. */
static Node *
known_value(SubLink *sublink, const Replacing *replacing)
{
	ListCell   *lc;

	foreach(lc, replacing->done)
	{
		List	   *done = lfirst(lc);

		if (equal(linitial(done), sublink) && intVal(lthird(done)) == replacing->exact)
			return copyObject(lsecond(done));
	}
	return NULL;
}

/* EXISTS of public rows that a comparison ties to a row, as ANY of a list; NULL for others. */
static Node *
any_public(SubLink *sublink, List *levels)
{
	SubLink    *any = dp_asking_as_any(sublink);
	SubLink    *folded;
	BooleanTest *test;

	if (any == NULL || is_concerned((Query *) any->subselect, levels))
		return NULL;
	folded = dp_asking_fold_patterns(any);
	test = makeNode(BooleanTest);
	test->arg = (Expr *) (folded ? folded : any);
	test->booltesttype = IS_TRUE;
	test->location = sublink->location;
	return (Node *) test;
}

/* The value of a subquery, joined once for all places where it stands. */
static Node *
value_of(SubLink *sublink, Replacing *replacing)
{
	const DpStand *stand = &replacing->stand;
	Node	   *value = known_value(sublink, replacing);
	Query	   *given;

	if (value)
		return value;
	given = dp_tree_given(stand->query);
	if (is_concerned((Query *) sublink->subselect, stand->levels))
	{
		value = dp_asking_stand_in(stand, sublink, replacing->exact);
		if (value == NULL)
			value = any_public(sublink, stand->levels);
	}
	else
	{
		value = (Node *) dp_asking_fold_patterns(sublink);
		if (value == NULL)
			value = dp_asking_stand_for_row_list(stand, sublink, replacing->exact);
	}
	if (value == NULL)
		dp_tree_check_unchanged(stand->query, given);
	else
		replacing->done = lappend(replacing->done, list_make3(sublink, value, makeInteger(replacing->exact)));
	return copyObject(value);
}

static Node *
replace_mutator(Node *node, Replacing *replacing)
{
	bool		exact = replacing->exact;
	Node	   *result = NULL;

	if (node == NULL)
		return NULL;
	check_stack_depth();
	if (IsA(node, SubLink))
		result = value_of((SubLink *) node, replacing);
	if (result)
		return result;
	if (IsA(node, Query))
		return node;

	/* A condition that is false chooses no more rows than one that is NULL. */
	if (IsA(node, BooleanTest) && ((BooleanTest *) node)->booltesttype == IS_TRUE)
		replacing->exact = false;
	else if (!IsA(node, List) && !is_andclause(node) && !is_orclause(node))
		replacing->exact = true;
	result = expression_tree_mutator(node, replace_mutator, replacing);
	replacing->exact = exact;
	return result;
}

/* The same of what is aggregated alone, and of keys that were replaced. */
static Node *
replace_aggregated_mutator(Node *node, Replacing *replacing)
{
	Node	   *value;

	if (node == NULL || IsA(node, Query))
		return node;
	if (IsA(node, SubLink) && (value = known_value((SubLink *) node, replacing)) != NULL)
		return value;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
		return expression_tree_mutator(node, replace_mutator, replacing);
	return expression_tree_mutator(node, replace_aggregated_mutator, replacing);
}

static bool
is_key(const TargetEntry *target, const Query *query)
{
	return target->ressortgroupref > 0 &&
		(get_sortgroupref_clause_noerr(target->ressortgroupref, query->groupClause) ||
		 get_sortgroupref_clause_noerr(target->ressortgroupref, query->distinctClause));
}

/*
 * What the keys of a query stand for, where an entry of its range table holds that: those of grouping sets
 * are there since 18.  NIL where they are in the select list.
 */
static List *
keys_held_apart(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
		if (dp_compat_grouped_exprs(lfirst(lc)) != NIL)
			return dp_compat_grouped_exprs(lfirst(lc));
	return NIL;
}

/* Is there a subquery in an expression that is joined: one that concerns us, or a list that rows are looked up in? */
static bool
joined_walker(Node *node, List *levels)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, SubLink) && (is_concerned((Query *) ((SubLink *) node)->subselect, levels) ||
							   (((SubLink *) node)->testexpr && IsA(((SubLink *) node)->testexpr, BoolExpr))))
		return true;
	return expression_tree_walker(node, joined_walker, levels);
}

/* Replace the subqueries of a query that reads protected rows. */
static void
replace_subselects(Query *query, List *levels)
{
	Replacing	replacing = {.stand = {.query = query, .levels = levels, .may_stand = may_stand}};
	bool		aggregates = dp_asking_aggregates_rows(query);
	ListCell   *lc;

	query->jointree->quals = replace_mutator(query->jointree->quals, &replacing);
	replacing.exact = true;
	foreach(lc, keys_held_apart(query))
		lfirst(lc) = replace_mutator(lfirst(lc), &replacing);
	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (!aggregates || is_key(target, query))
			target->expr = (Expr *) replace_mutator((Node *) target->expr, &replacing);
	}
	if (aggregates)
		query->targetList = (List *) replace_aggregated_mutator((Node *) query->targetList, &replacing);
	query->havingQual = replace_aggregated_mutator(query->havingQual, &replacing);
	query->hasSubLinks = checkExprHasSubLink((Node *) query);
}

/* Are rows of this query protected, for the role that asks? */
static bool
reads_protected(Query *query, List *levels, bool in_block)
{
	DpRawRows	rows;

	dp_asking_find_raw_rows(query, levels, &rows);
	return rows.denied || (in_block && rows.readable);
}

static bool visit_walker(Node *node, Walk *walk);

/* Visit what a query has below it, and then its own subqueries. */
static void
visit_query(Query *query, const Walk *around)
{
	Walk		walk = *around;
	bool		concerned;
	ListCell   *lc;

	walk.levels = lcons(query, list_copy(around->levels));
	walk.in_block = around->in_block || dp_tree_is_block(query);
	foreach(lc, query->cteList)
	{
		Walk		with = walk;

		with.in_block = walk.ours;
		(void) visit_walker(lfirst_node(CommonTableExpr, lc)->ctequery, &with);
	}
	concerned = query->hasSubLinks && query->commandType == CMD_SELECT &&
		reads_protected(query, walk.levels, walk.in_block);
	if (concerned)
		dp_asking_move_conditions(query, walk.levels, joined_walker);
	(void) query_tree_walker(query, visit_walker, &walk, QTW_IGNORE_JOINALIASES | QTW_IGNORE_CTE_SUBQUERIES);
	if (concerned)
		replace_subselects(query, walk.levels);
}

static bool
visit_walker(Node *node, Walk *walk)
{
	if (node == NULL)
		return false;
	check_stack_depth();
	if (!IsA(node, Query))
		return expression_tree_walker(node, visit_walker, walk);
	visit_query((Query *) node, walk);
	return false;
}

static bool
has_sublink_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return ((Query *) node)->hasSubLinks ||
			query_tree_walker((Query *) node, has_sublink_walker, context, QTW_IGNORE_JOINALIASES);
	return IsA(node, SubLink) || expression_tree_walker(node, has_sublink_walker, context);
}

Query *
dp_asking_join_subselects(Query *query, bool ours)
{
	Walk		walk = {.ours = ours};

	if (!has_sublink_walker((Node *) query, NULL))
		return query;
	query = copyObject(query);
	dp_compat_flatten_groups(query);
	visit_query(query, &walk);
	return query;
}
