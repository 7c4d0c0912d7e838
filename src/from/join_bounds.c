/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_bounds.c
 *	  How many rows and groups of a join count of one unit.
 *
 * Privacy does not rest on what is worked out here.  Neighbouring databases differ in all rows of one unit,
 * in all tables.  A join's row is made of rows of one unit (join_check.c), and which rows of an item are joined
 * to it, where that is limited, is chosen among that unit's (exact/fan_out.c).  So the rows of the join differ in
 * that unit's alone.  No more of these count than the bounds say, in each group and in so many groups (units/),
 * and noise is for as many.  So any bound is safe that depends on the text, policies and settings alone.
 *
 * The bounds below are the least that cut nothing of a unit whose tables keep to what is declared.  Say that it has
 * at most r(i) rows of item i.  Let b be the base, m(1), ..., m(k) the items that multiply its rows, and L(j) the
 * rows of m(j) that are joined to one.  Every other item has at most one row for each row of those, so that a row
 * of the join is given by those of b, m(1), ..., m(k) that it is made of.  So the unit has at most
 *
 *		r(b) min(r(m(1)), L(1)) ... min(r(m(k)), L(k))
 *
 * rows in the join.  As the product of all L(j) is at most max_join_rows, that is at most max_join_rows times the
 * largest r(i).  A factor that is public is left out: what it makes more of is declared by nobody.
 *
 * The same of groups.  Where all keys are columns of protected items that are known, a group is given by the groups of these
 * items that it is made of; the less of both counts.  An item that an outer join may replace by NULLs
 * has one group more, without it.
 *
 * Where b itself may be replaced by NULLs, rows of an item u stand without it: r(u) of them, or r(u) - 1 beside
 * those of b, each of which has a row of u.  So r(b) + r(u) - 1 takes the place of r(b).
 *
 * None of it depends on the order of FROM: the base and what multiplies it are looked for in the order of bounds.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"

#include "from/contribution.h"
#include "from/join_bounds.h"
#include "from/united_subquery.h"
#include "tree/named_columns.h"

/* Most rows to choose a clamp from, unless a table's owner declares more. */
#define MOST_CLIP_ROWS 100000

int
dp_from_multiply_bounds(int a, int b, int most)
{
	return (int) Min((int64) a * b, most);
}

/* What orders items, each. */
#define RANKS 6

/* What bounds order items by: the most important first. */
static void
rank_of(const DpFromItem *leaf, int rank[RANKS])
{
	DpPolicy	bounds = dp_from_bounds_of_part(&leaf->contribution);

	rank[0] = leaf->is_protected ? 0 : 1;
	rank[1] = leaf->is_protected ? bounds.max_rows : 0;
	rank[2] = leaf->is_protected ? bounds.max_groups : 0;
	rank[3] = leaf->is_protected ? bounds.max_values : 0;
	rank[4] = leaf->is_protected ? bounds.max_join_rows : 0;
	rank[5] = leaf->rte->rtekind == RTE_RELATION ? 1 : 0;	/* a subquery that groups has fewer */
}

static int
compare_items(const ListCell *a, const ListCell *b)
{
	const DpFromItem *left = lfirst(a);
	const DpFromItem *right = lfirst(b);
	int			ranks[2][RANKS];

	rank_of(left, ranks[0]);
	rank_of(right, ranks[1]);
	for (int i = 0; i < RANKS; i++)
		if (ranks[0][i] != ranks[1][i])
			return ranks[0][i] < ranks[1][i] ? -1 : 1;
	return strcmp(right->rte->eref->aliasname, left->rte->eref->aliasname);
}

List *
dp_from_in_order_of_bounds(List *leaves)
{
	List	   *ordered = list_copy(leaves);

	list_sort(ordered, compare_items);
	return ordered;
}

/* The item with this number, or NULL. */
static const DpFromItem *
item_of(List *leaves, Index varno)
{
	ListCell   *lc;

	foreach(lc, leaves)
		if (((DpFromItem *) lfirst(lc))->varno == varno)
			return lfirst(lc);
	return NULL;
}

/* The groups of a unit by the keys of a query, as those of the items that have them; or `most`. */
static int
groups_by_keys(const Query *query, List *leaves, int most)
{
	List	   *columns = dp_tree_named_columns((Node *) get_sortgrouplist_exprs(query->groupClause, query->targetList));
	Relids		seen = NULL;
	int			groups = 1;
	ListCell   *lc;

	if (query->groupClause == NIL)
		return most;
	foreach(lc, columns)
	{
		Index		varno = lfirst_node(Var, lc)->varno;
		const DpFromItem *leaf = item_of(leaves, varno);

		if (bms_is_member(varno, seen))
			continue;
		if (leaf == NULL || !leaf->is_protected)
			return most;
		seen = bms_add_member(seen, varno);
		groups = dp_from_multiply_bounds(groups, dp_from_bounds_of_part(&leaf->contribution).max_groups + (leaf->nullable ? 1 : 0),
										 DP_MAX_MAX_GROUPS);
	}
	return Min(groups, most);
}

/* Distinct values that a unit may have: as declared, or as it has rows. */
static int
values_of(const DpPolicy *policy)
{
	return policy->max_values > 0 ? policy->max_values : policy->max_rows;
}

/* The rows of an item that stand without the base. */
static void
add_unmatched(DpJoinBounds *bounds, const DpFromItem *unmatched)
{
	DpPolicy	more = dp_from_bounds_of_part(&unmatched->contribution);

	bounds->rows = Min(bounds->rows + more.max_rows - 1, DP_MAX_MAX_ROWS);
	bounds->groups = Min(bounds->groups + more.max_groups - 1, DP_MAX_MAX_GROUPS);
	bounds->values = Min(bounds->values + values_of(&more) - 1, DP_MAX_MAX_ROWS);
}

/* An item that makes so many rows of one at most. */
static void
multiply(DpJoinBounds *bounds, const DpPolicy *factor, int limit)
{
	int			clip_rows = Max(bounds->clip_rows, factor->clip_max_rows);

	bounds->cut |= factor->max_rows > limit;
	bounds->rows = dp_from_multiply_bounds(bounds->rows, Min(factor->max_rows, limit), DP_MAX_MAX_ROWS);
	bounds->groups = dp_from_multiply_bounds(bounds->groups, Min(factor->max_groups, limit), DP_MAX_MAX_GROUPS);
	bounds->values = dp_from_multiply_bounds(bounds->values, Min(values_of(factor), limit), DP_MAX_MAX_ROWS);
	bounds->clip_rows = dp_from_multiply_bounds(bounds->clip_rows, Min(factor->clip_max_rows, limit),
												Max(clip_rows, MOST_CLIP_ROWS));
}

/* Does anybody declare how many values a unit of these protected items has? */
static bool
declares_values(List *leaves)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const DpFromItem *leaf = lfirst(lc);

		if (leaf->is_protected && leaf->contribution.policy.max_values > 0)
			return true;
	}
	return false;
}

DpJoinBounds
dp_from_bounds_of_join(const DpFromItem *base, const DpFromItem *unmatched, List *fan_outs, List *leaves)
{
	const DpPolicy *policy = &base->contribution.policy;
	DpJoinBounds bounds = {.rows = policy->max_rows, .groups = policy->max_groups, .values = values_of(policy),
	.clip_rows = policy->clip_max_rows};
	bool		multiplied = false;
	ListCell   *lc;

	if (unmatched)
		add_unmatched(&bounds, unmatched);
	foreach(lc, fan_outs)
	{
		const DpFanOut *fan_out = lfirst(lc);
		const DpFromItem *leaf = item_of(leaves, fan_out->varno);
		DpPolicy	factor = dp_from_bounds_of_part(&leaf->contribution);
		int			limit = dp_from_share_of_join_rows(&base->contribution, list_length(fan_outs));

		if (fan_out->is_protected)
			multiply(&bounds, &factor, limit);
		else
			bounds.cut = true;
		multiplied |= fan_out->is_protected;
	}
	if (multiplied)
		bounds.groups = groups_by_keys(base->query, leaves, bounds.groups);
	if (!declares_values(leaves))
		bounds.values = 0;
	return bounds;
}
