/* SPDX-License-Identifier: PostgreSQL */
/*
 * grouping_sets.c
 *	  GROUPING SETS, ROLLUP, CUBE and GROUPING() of blocks.
 *
 *		SELECT e(a, b, sum, GROUPING(a)) FROM t GROUP BY ROLLUP (a, b) HAVING h
 *
 * becomes
 *
 *		SELECT e(a, b, sum, grouping) FROM (SELECT a, b, sum, 0 AS grouping FROM t GROUP BY a, b
 *				  UNION ALL SELECT a, NULL, sum, 0 FROM t GROUP BY a
 *				  UNION ALL SELECT NULL, NULL, sum, 1 FROM t) WHERE h
 *
 * So each set is a block like any other: a release of its own, with groups, bounds and
 * a price of its own.  The outer query reads them like any release.  Only keys,
 * aggregates of ours and GROUPING come out of the blocks; everything else of the select
 * list, with window functions and DISTINCT, stays above all sets together.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_agg.h"
#include "rewrite/rewriteManip.h"

#include "asking/plain_aggregate.h"
#include "base/compat_planner.h"
#include "pricing/release.h"
#include "rewrite/above_release.h"
#include "rewrite/grouping_sets.h"
#include "tree/find_blocks.h"
#include "tree/given.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/* A block that is taken apart. */
typedef struct Expansion
{
	Query	   *query;			/* the block; in the end what is above its sets */
	List	   *keys;			/* expressions, in the order of groupClause */
	List	   *leaves;			/* what comes out of each set beyond these: aggregates, GROUPING */
	List	   *sets;			/* of integer lists: the keys of each, by their sortgroupref */
	int			depth;			/* subquery nesting below the block's level */
	DpReason   *reason;
} Expansion;

/* A reference, from so many levels further in, to a column of what the sets release. */
static Node *
released_column(int number, Node *expr, int depth)
{
	return (Node *) makeVar(1, number, exprType(expr), exprTypmod(expr), exprCollation(expr), depth);
}

/* The key that this node is, at the present depth; or NULL. */
static Node *
find_key(const Expansion *expansion, Node *node)
{
	ListCell   *lc;

	if (IsA(node, Const))
		return NULL;
	foreach(lc, expansion->keys)
	{
		Node	   *key = lfirst(lc);

		if (expansion->depth > 0)
		{
			key = copyObject(key);
			IncrementVarSublevelsUp(key, expansion->depth, 0);
		}
		if (equal(node, key))
			return released_column(foreach_current_index(lc) + 1, lfirst(lc), expansion->depth);
	}
	return NULL;
}

/* Is this node one that every set computes: an aggregate of ours, its interval, GROUPING? */
static bool
is_leaf(Node *node, int depth)
{
	if (IsA(node, GroupingFunc))
		return ((GroupingFunc *) node)->agglevelsup == depth;
	if (depth > 0)
		return false;
	if (IsA(node, FuncExpr))
		return dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_INTERVAL ||
			dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_TERM ||
			dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_NOTED_TERM;
	return IsA(node, Aggref) && dp_tree_is_ours(node);
}

/* The column that holds a leaf; added if new. */
static Node *
leaf_column(Expansion *expansion, Node *leaf)
{
	int			number = list_length(expansion->keys);
	ListCell   *lc;

	leaf = copyObject(leaf);
	if (IsA(leaf, GroupingFunc))
		((GroupingFunc *) leaf)->agglevelsup = 0;
	foreach(lc, expansion->leaves)
		if (equal(lfirst(lc), leaf))
			return released_column(number + foreach_current_index(lc) + 1, leaf, expansion->depth);
	expansion->leaves = lappend(expansion->leaves, leaf);
	return released_column(number + list_length(expansion->leaves), leaf, expansion->depth);
}

/* The key that an entry of the block's select list is, constant or not; or NULL. */
static Node *
key_of_target(const Expansion *expansion, const TargetEntry *target)
{
	ListCell   *lc;

	foreach(lc, target->ressortgroupref > 0 ? expansion->query->groupClause : NIL)
		if (lfirst_node(SortGroupClause, lc)->tleSortGroupRef == target->ressortgroupref)
			return released_column(foreach_current_index(lc) + 1, (Node *) target->expr, 0);
	return NULL;
}

static Node *above_mutator(Node *node, Expansion *expansion);

static Node *
target_above(const TargetEntry *target, Expansion *expansion)
{
	TargetEntry *copy = flatCopyTargetEntry(unconstify(TargetEntry *, target));
	Node	   *key = expansion->depth == 0 ? key_of_target(expansion, target) : NULL;

	copy->expr = (Expr *) (key ? key : above_mutator((Node *) target->expr, expansion));
	return (Node *) copy;
}

/* Have what is above the sets read their columns. */
static Node *
above_mutator(Node *node, Expansion *expansion)
{
	Node	   *key;
	DpReason   *reason;

	if (node == NULL || expansion->reason)
		return node;
	if (IsA(node, Query))
	{
		expansion->depth++;
		node = (Node *) query_tree_mutator((Query *) node, above_mutator, expansion, 0);
		expansion->depth--;
		return node;
	}
	if (IsA(node, TargetEntry))
		return target_above((TargetEntry *) node, expansion);
	key = find_key(expansion, node);
	if (key)
		return key;
	if (is_leaf(node, expansion->depth))
		return leaf_column(expansion, node);
	if (dp_tree_is_keys_alone(node) && expansion->depth == 0)
		return makeBoolConst(true, false);
	reason = dp_rewrite_check_above(node, expansion->depth);
	if (reason)
		expansion->reason = reason;
	return reason ? node : expression_tree_mutator(node, above_mutator, expansion);
}

/*
 * Value of GROUPING in a set: a bit for each argument, 1 where it is not a key of
 * the set.
 */
static Const *
grouping_value(const GroupingFunc *grouping, const List *set)
{
	int			value = 0;
	ListCell   *lc;

	foreach(lc, grouping->refs)
		value = (value << 1) | (list_member_int(set, lfirst_int(lc)) ? 0 : 1);
	return dp_tree_make_int4(value);
}

/* A set, and the block that is made for it. */
typedef struct Arm
{
	const Expansion *expansion;
	const List *set;			/* the keys that it has */
} Arm;

/* Keys are NULL where a set does not have them, in what is computed beside aggregates. */
static Node *
arm_mutator(Node *node, Arm *arm)
{
	ListCell   *lc;
	ListCell   *lc2;

	if (node == NULL || (IsA(node, Aggref) && dp_tree_is_ours(node)))
		return node;
	if (IsA(node, GroupingFunc))
		return (Node *) grouping_value((GroupingFunc *) node, arm->set);
	if (!IsA(node, Const))
		forboth(lc, arm->expansion->keys, lc2, arm->expansion->query->groupClause)
			if (equal(node, lfirst(lc)))
				return list_member_int(arm->set, lfirst_node(SortGroupClause, lc2)->tleSortGroupRef) ? node
					: (Node *) makeNullConst(exprType(node), exprTypmod(node), exprCollation(node));
	return expression_tree_mutator(node, arm_mutator, arm);
}

/* References to WITH queries of the block's level. */
typedef struct WithReferences
{
	List	   *with;			/* of CommonTableExpr: the level's */
	int			depth;			/* subquery nesting below it */
	int			further;		/* levels that come in between */
	bool		count;			/* one more for each */
} WithReferences;

/* WITH stays above, as many levels further away as all else that is around. */
static bool
with_walker(Node *node, WithReferences *references)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		bool		found;

		references->depth++;
		found = query_tree_walker((Query *) node, with_walker, references, QTW_EXAMINE_RTES_BEFORE);
		references->depth--;
		return found;
	}
	if (!IsA(node, RangeTblEntry))
		return expression_tree_walker(node, with_walker, references);
	if (((RangeTblEntry *) node)->rtekind != RTE_CTE ||
		((RangeTblEntry *) node)->ctelevelsup + 1 != references->depth)
		return false;
	foreach(lc, references->with)
		if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, ((RangeTblEntry *) node)->ctename) == 0)
			lfirst_node(CommonTableExpr, lc)->cterefcount += references->count ? 1 : 0;
	((RangeTblEntry *) node)->ctelevelsup += references->further;
	return false;
}

/* The block of one set, over the rows of the block that is taken apart. */
static Query *
make_arm(const Expansion *expansion, const List *set, bool first)
{
	Query	   *query = expansion->query;
	Arm			arm = {expansion, set};
	int			further = list_length(expansion->sets) > 1 ? 2 : 1;
	WithReferences references = {.with = query->cteList, .further = further, .count = !first};
	Query	   *block = dp_tree_make_select(copyObject(query->rtable), copyObject(query->jointree));
	ListCell   *lc;
	ListCell   *lc2;

	dp_compat_take_permissions(block, copyObject(query));
	forboth(lc, expansion->keys, lc2, query->groupClause)
	{
		SortGroupClause *clause = copyObject(lfirst_node(SortGroupClause, lc2));
		Node	   *key = copyObject(lfirst(lc));
		bool		grouped = list_member_int(set, clause->tleSortGroupRef);

		(void) dp_tree_add_column(block, grouped ? key
								  : (Node *) makeNullConst(exprType(key), exprTypmod(key), exprCollation(key)),
								  psprintf("key%d", foreach_current_index(lc) + 1));
		if (!grouped)
			continue;
		clause->tleSortGroupRef = list_length(block->targetList);
		llast_node(TargetEntry, block->targetList)->ressortgroupref = clause->tleSortGroupRef;
		block->groupClause = lappend(block->groupClause, clause);
	}
	foreach(lc, expansion->leaves)
		(void) dp_tree_add_column(block, arm_mutator(copyObject(lfirst(lc)), &arm),
								  psprintf("value%d", foreach_current_index(lc) + 1));
	block->hasAggs = true;
	block->hasSubLinks = query->hasSubLinks;
	block->hasRowSecurity = query->hasRowSecurity;

	IncrementVarSublevelsUp((Node *) block, further, 1);
	(void) with_walker((Node *) block, &references);
	return block;
}

/*
 * The row of a set without keys where nothing but keys is asked for: it is there whatever
 * rows there are, so that none is read.
 */
static void
read_no_rows(Query *block)
{
	block->rtable = NIL;
	dp_compat_take_permissions(block, makeNode(Query));
	block->jointree = makeFromExpr(NIL, NULL);
	block->hasAggs = false;
	block->hasSubLinks = false;
	block->hasRowSecurity = false;
}

/* Every block aggregates: one that shows keys alone has a condition that is such an aggregate. */
static void
have_aggregates(Query *block, int location)
{
	if (dp_tree_first_aggregate(block))
		return;
	if (block->groupClause == NIL)
		read_no_rows(block);
	else
		block->havingQual = dp_asking_make_keys_alone(location);
}

/* A reference to a query in the range table of another, which it is entered in. */
static Node *
enter_arm(Query *query, Query *arm)
{
	Query	   *from = dp_tree_make_select_from(arm, psprintf("set %d", list_length(query->rtable) + 1));
	RangeTblRef *ref = makeNode(RangeTblRef);

	query->rtable = lappend(query->rtable, linitial(from->rtable));
	ref->rtindex = list_length(query->rtable);
	return (Node *) ref;
}

/* left UNION ALL right, of the columns of this query. */
static SetOperationStmt *
union_all(Node *left, Node *right, const Query *columns)
{
	SetOperationStmt *operation = makeNode(SetOperationStmt);
	ListCell   *lc;

	operation->op = SETOP_UNION;
	operation->all = true;
	operation->larg = left;
	operation->rarg = right;
	foreach(lc, columns->targetList)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		operation->colTypes = lappend_oid(operation->colTypes, exprType(expr));
		operation->colTypmods = lappend_int(operation->colTypmods, exprTypmod(expr));
		operation->colCollations = lappend_oid(operation->colCollations, exprCollation(expr));
	}
	return operation;
}

/* The blocks of all sets, one after the other. */
static Query *
unite(List *arms)
{
	Query	   *first = linitial(arms);
	Query	   *query;
	Node	   *all;
	ListCell   *lc;

	if (list_length(arms) == 1)
		return first;
	query = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	all = enter_arm(query, first);
	foreach(lc, first->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		(void) dp_tree_add_column(query, (Node *) makeVarFromTargetEntry(1, target), target->resname);
	}
	for_each_from(lc, arms, 1)
		all = (Node *) union_all(all, enter_arm(query, lfirst(lc)), first);
	query->setOperations = all;
	return query;
}

/*
 * The sets of a block, or NIL if they are too many: each is at least one of what a
 * statement may release.  GROUPING without sets is about the one of all keys.
 */
static List *
sets_of(const Query *query)
{
	List	   *all = NIL;
	ListCell   *lc;

	if (query->groupingSets)
		return expand_grouping_sets(query->groupingSets, query->groupDistinct, DP_MOST_RELEASES);
	foreach(lc, query->groupClause)
		all = lappend_int(all, lfirst_node(SortGroupClause, lc)->tleSortGroupRef);
	return list_make1(all);
}

static DpReason *
take_apart(Expansion *expansion)
{
	Query	   *query = expansion->query;
	ListCell   *lc;

	expansion->sets = sets_of(query);
	if (expansion->sets == NIL)
		return dp_tree_reason_as(ERRCODE_PROGRAM_LIMIT_EXCEEDED, -1,
								 psprintf("Each is a release of its own, of which a statement may have %d.", DP_MOST_RELEASES),
								 "too many grouping sets in a differentially private query");
	foreach(lc, query->groupClause)
		expansion->keys = lappend(expansion->keys,
								  copyObject(get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc),
																	  query->targetList)));
	query->targetList = (List *) above_mutator((Node *) query->targetList, expansion);
	query->havingQual = above_mutator(query->havingQual, expansion);
	return expansion->reason;
}

/*
 * The query over the sets of a block, which reads a block for each; NULL, and why
 * not, if that cannot be.
 */
static Query *
expand_block(const Query *block, DpReason **reason)
{
	Query	   *query = copyObject(unconstify(Query *, block));
	Expansion	expansion = {.query = query};
	int			location = dp_tree_first_aggregate(query)->location;
	List	   *arms = NIL;
	ListCell   *lc;

	dp_compat_flatten_group(query);
	*reason = take_apart(&expansion);
	if (*reason)
	{
		if ((*reason)->location < 0)
			(*reason)->location = location;
		return NULL;
	}
	foreach(lc, expansion.sets)
	{
		arms = lappend(arms, make_arm(&expansion, lfirst(lc), arms == NIL));
		have_aggregates(llast_node(Query, arms), location);
	}
	Assert(arms != NIL);
	dp_tree_read_grouped(query, dp_tree_make_select_from(unite(arms), "sets"));
	query->groupingSets = NIL;
	query->groupDistinct = false;
	query->hasRowSecurity = false;
	query->constraintDeps = NIL;
	return query;
}

/* Does this level call GROUPING, or a level inside about this one? */
static bool
grouping_walker(Node *node, int *depth)
{
	bool		found;

	if (node == NULL)
		return false;
	if (IsA(node, GroupingFunc))
		return ((GroupingFunc *) node)->agglevelsup == *depth;
	if (!IsA(node, Query))
		return expression_tree_walker(node, grouping_walker, depth);
	(*depth)++;
	found = query_tree_walker((Query *) node, grouping_walker, depth, 0);
	(*depth)--;
	return found;
}

static bool
has_sets(Query *query)
{
	int			depth = 0;

	return dp_tree_is_block(query) &&
		(query->groupingSets || grouping_walker((Node *) query->targetList, &depth) ||
		 grouping_walker(query->havingQual, &depth));
}

static bool
expand_walker(Node *node, DpReason **reason)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, expand_walker, reason);
	if (has_sets((Query *) node))
	{
		Query	   *given = dp_tree_given((Query *) node);
		Query	   *expanded = expand_block((Query *) node, reason);

		dp_tree_check_unchanged((Query *) node, given);
		if (expanded)
			*(Query *) node = *expanded;
	}
	return *reason || query_tree_walker((Query *) node, expand_walker, reason, 0);
}

DpReason *
dp_rewrite_expand_grouping_sets(Query *query)
{
	DpReason   *reason = NULL;

	(void) expand_walker((Node *) query, &reason);
	return reason;
}
