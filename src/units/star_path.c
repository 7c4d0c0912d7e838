/* SPDX-License-Identifier: PostgreSQL */
/*
 * star_path.c
 *	  Finding out that a join is a star.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "base/compat_planner.h"
#include "units/path.h"
#include "units/star.h"
#include "units/star_path.h"

/* Is a table of a join read by itself? */
static bool
is_plain(const RelOptInfo *rel)
{
	return rel->reloptkind == RELOPT_BASEREL && rel->rtekind == RTE_RELATION &&
		bms_is_empty(rel->lateral_relids) &&
		rel->cheapest_total_path != NULL && rel->cheapest_total_path->param_info == NULL;
}

/* Does an outer join keep the rows of one table, and fill up those of another alone? */
static bool
is_simple(const SpecialJoinInfo *join)
{
	return join->jointype == JOIN_LEFT && bms_membership(join->syn_righthand) == BMS_SINGLETON;
}

/*
 * Is anything that equals something else computed of several tables; or, which is told
 * since 16, of what an outer join has filled up?
 */
static bool
equates_several(PlannerInfo *root)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, root->eq_classes)
	{
		List	   *members = lfirst_node(EquivalenceClass, lc)->ec_members;

		foreach(lc2, members)
		{
			Relids		relids = lfirst_node(EquivalenceMember, lc2)->em_relids;

			if (bms_membership(bms_intersect(relids, root->all_baserels)) == BMS_MULTIPLE ||
				(list_length(members) > 1 && !bms_is_subset(relids, root->all_baserels)))
				return true;
		}
	}
	return false;
}

/* The tables of a join, if all are plain and so are the outer joins; else NIL. */
static List *
plain_tables(PlannerInfo *root, const RelOptInfo *joined)
{
	Relids		relids = bms_intersect(joined->relids, root->all_baserels);
	List	   *tables = NIL;
	ListCell   *lc;
	int			relid = -1;

	if (joined->reloptkind != RELOPT_JOINREL || root->placeholder_list != NIL ||
		root->hasLateralRTEs || root->hasPseudoConstantQuals || equates_several(root))
		return NIL;
	foreach(lc, root->join_info_list)
		if (!is_simple(lfirst(lc)))
			return NIL;
	while ((relid = bms_next_member(relids, relid)) >= 0)
	{
		RelOptInfo *rel = find_base_rel(root, relid);

		if (!is_plain(rel))
			return NIL;
		tables = lappend(tables, rel);
	}
	return tables;
}

/* Does an outer join fill up a table where it has no row? */
static bool
is_filled_up(PlannerInfo *root, const RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, root->join_info_list)
		if (bms_equal(((const SpecialJoinInfo *) lfirst(lc))->syn_righthand, rel->relids))
			return true;
	return false;
}

/* The equalities between two tables. */
static List *
equalities(PlannerInfo *root, RelOptInfo *one, RelOptInfo *other)
{
	return DP_JOIN_EQUALITIES(root, bms_union(one->relids, other->relids), one->relids, other);
}

/* Is this the equality of a type of which equal values have one form? */
static bool
is_exact(const OpExpr *clause)
{
	if (clause->opno == TextEqualOperator)
		return get_collation_isdeterministic(clause->inputcollid);
	return clause->opno == lookup_type_cache(UUIDOID, TYPECACHE_EQ_OPR)->eq_opr ||
		get_op_opfamily_strategy(clause->opno, INTEGER_BTREE_FAM_OID) == BTEqualStrategyNumber;
}

/* The column of a table, or of tables that are joined, that an expression has the value of, or NULL. */
static Node *
column_of(const RelOptInfo *rel, Node *expr)
{
	while (IsA(expr, RelabelType))
		expr = (Node *) ((RelabelType *) expr)->arg;
	return IsA(expr, Var) && bms_is_member(((const Var *) expr)->varno, rel->relids) ? expr : NULL;
}

/* The columns of a base and a side by whose equality these are joined. */
static bool
read_equality(const RestrictInfo *equality, const RelOptInfo *base, const RelOptInfo *side,
			  Node **base_key, Node **side_key)
{
	const OpExpr *clause = (const OpExpr *) equality->clause;

	if (!IsA(clause, OpExpr) || list_length(clause->args) != 2 || !is_exact(clause))
		return false;
	*base_key = column_of(base, linitial(clause->args));
	*side_key = column_of(side, lsecond(clause->args));
	if (*base_key == NULL)
	{
		*base_key = column_of(base, lsecond(clause->args));
		*side_key = column_of(side, linitial(clause->args));
	}
	return *base_key != NULL && *side_key != NULL;
}

/*
 * What joins a side to the base: equalities, or what an outer join says; NIL if there
 * is more to it, such as an equality that WHERE asks for of what an outer join has filled up.
 */
static List *
joining(PlannerInfo *root, RelOptInfo *base, RelOptInfo *side, bool optional)
{
	if (optional)
		return equalities(root, base, side) == NIL ? side->joininfo : NIL;
	return side->joininfo == NIL ? equalities(root, base, side) : NIL;
}

/* Join a side to the base of a star; false if that cannot be done. */
static bool
add_side(PlannerInfo *root, DpStarPath *star, RelOptInfo *side)
{
	bool		optional = is_filled_up(root, side);
	List	   *clauses = joining(root, star->base, side, optional);
	Node	   *base_key;
	Node	   *side_key;

	if (list_length(clauses) != 1 ||
		!read_equality(linitial(clauses), star->base, side, &base_key, &side_key) ||
		!innerrel_is_unique(root, bms_union(star->base->relids, side->relids), star->base->relids,
							side, optional ? JOIN_LEFT : JOIN_INNER, clauses, true))
		return false;
	linitial(star->columns) = lappend(linitial(star->columns), base_key);
	star->sides = lappend(star->sides, side);
	star->optional = lappend_int(star->optional, optional);
	star->columns = lappend(star->columns, list_make1(side_key));
	return true;
}

/*
 * Are two sides joined with each other only by what joins them to the base?  Their
 * keys may equal the same column of it.
 */
static bool
are_apart(PlannerInfo *root, const DpStarPath *star, int one, int other)
{
	RelOptInfo *side = list_nth(star->sides, one);
	List	   *clauses = equalities(root, side, list_nth(star->sides, other));
	List	   *base_keys = linitial(star->columns);
	Node	   *key;
	Node	   *other_key;

	if (clauses == NIL)
		return true;
	return list_length(clauses) == 1 && equal(list_nth(base_keys, one), list_nth(base_keys, other)) &&
		read_equality(linitial(clauses), side, list_nth(star->sides, other), &key, &other_key) &&
		equal(key, linitial(list_nth_node(List, star->columns, one + 1))) &&
		equal(other_key, linitial(list_nth_node(List, star->columns, other + 1)));
}

/* Join all tables to one of them. */
static bool
add_sides(PlannerInfo *root, DpStarPath *star, List *tables)
{
	ListCell   *lc;

	foreach(lc, tables)
		if (lfirst(lc) != star->base && !add_side(root, star, lfirst(lc)))
			return false;
	for (int i = 0; i < list_length(star->sides); i++)
		for (int j = 0; j < i; j++)
			if (!are_apart(root, star, i, j))
				return false;
	return true;
}

/* A star with the base of most rows; NULL if there is none. */
static DpStarPath *
largest_star(PlannerInfo *root, List *tables)
{
	DpStarPath *largest = NULL;
	ListCell   *lc;

	foreach(lc, tables)
	{
		DpStarPath *star = palloc0(sizeof(DpStarPath));

		star->base = lfirst(lc);
		star->columns = list_make1(NIL);
		if ((largest == NULL || star->base->rows > largest->base->rows) &&
			add_sides(root, star, tables))
			largest = star;
	}
	return largest;
}

/* The one table an expression is about, of a star: 0 its base; -1 if there are several. */
static int
child_of(PlannerInfo *root, const DpStarPath *star, Node *expr)
{
	Relids		relids = pull_varnos(root, expr);
	ListCell   *lc;

	if (bms_is_subset(relids, star->base->relids))
		return 0;
	foreach(lc, star->sides)
		if (bms_is_subset(relids, lfirst_node(RelOptInfo, lc)->relids))
			return foreach_current_index(lc) + 1;
	return -1;
}

/*
 * Have the tables yield what is wanted; false if something is about several of them,
 * or computed of one that may have no row.
 */
static bool
add_columns(PlannerInfo *root, DpStarPath *star, List *wanted)
{
	ListCell   *lc;

	foreach(lc, wanted)
	{
		Node	   *expr = DP_WITHOUT_NULLS(root, lfirst(lc));
		int			child = child_of(root, star, expr);
		List	   *columns;

		if (child < 0 ||
			(child > 0 && list_nth_int(star->optional, child - 1) && !IsA(expr, Var)))
			return false;
		columns = lappend(list_nth(star->columns, child), expr);
		lfirst(list_nth_cell(star->columns, child)) = columns;
		star->places = lappend_int(star->places, child);
		star->places = lappend_int(star->places, list_length(columns) - 1);
	}
	return true;
}

/* Bytes that the sides are expected to take. */
static double
expected_size(const DpStarPath *star)
{
	double		size = 0;
	ListCell   *lc;

	foreach(lc, star->sides)
	{
		const RelOptInfo *side = lfirst(lc);

		size += side->rows * (DP_STAR_ROW_SIZE + side->reltarget->width);
	}
	return size;
}

/* Does a star fit, and yield what is wanted?  Then it knows the columns. */
static bool
is_possible(PlannerInfo *root, DpStarPath *star, List *wanted, Size limit)
{
	return star != NULL && expected_size(star) <= limit && add_columns(root, star, wanted);
}

/* Rows of the base for each that is joined, up to which hardly any is without a match. */
#define MATCHING 1.1

/*
 * A star of one side, whose base is the join of all other tables; NULL if there is none.  A side that leaves
 * many rows without a match is better joined before others.
 */
static DpStarPath *
split_off(PlannerInfo *root, const RelOptInfo *joined, RelOptInfo *side)
{
	DpStarPath *star = palloc0(sizeof(DpStarPath));

	star->base = find_join_rel(root, bms_difference(joined->relids, side->relids));
	star->columns = list_make1(NIL);
	if (star->base == NULL || star->base->cheapest_total_path == NULL ||
		star->base->cheapest_total_path->param_info != NULL ||
		star->base->rows > joined->rows * MATCHING || !add_side(root, star, side))
		return NULL;
	return star;
}

/*
 * The cheapest star of one side, if it is cheaper than the join, without outer joins.  So a table that
 * tells whose the rows are needs no join where conditions or what is computed are about several others.
 */
static DpStarPath *
cheapest_split(PlannerInfo *root, RelOptInfo *joined, List *tables, List *wanted, Size limit)
{
	DpStarPath *cheapest = NULL;
	Cost		least = joined->cheapest_total_path->total_cost;
	ListCell   *lc;

	if (root->join_info_list != NIL)
		return NULL;
	foreach(lc, tables)
	{
		DpStarPath *star = split_off(root, joined, lfirst(lc));
		Cost		cost;

		if (!is_possible(root, star, wanted, limit))
			continue;
		(void) dp_units_star_paths(root, star, false, &cost);
		if (cost < least)
		{
			cheapest = star;
			least = cost;
		}
	}
	return cheapest;
}

DpStarPath *
dp_units_star_find(PlannerInfo *root, RelOptInfo *joined, List *wanted, Size limit)
{
	List	   *tables = enable_hashjoin ? plain_tables(root, joined) : NIL;
	DpStarPath *star = tables ? largest_star(root, tables) : NULL;

	return is_possible(root, star, wanted, limit) ? star : cheapest_split(root, joined, tables, wanted, limit);
}

/* How to read a side, in one of several processes or alone; NULL if it cannot be. */
static Path *
side_path(const RelOptInfo *side, bool parallel)
{
	return parallel ? get_cheapest_parallel_safe_total_inner(side->pathlist)
		: side->cheapest_total_path;
}

List *
dp_units_star_paths(PlannerInfo *root, const DpStarPath *star, bool parallel, Cost *cost)
{
	Path	   *base = parallel ? linitial(star->base->partial_pathlist) : star->base->cheapest_total_path;
	List	   *paths = list_make1(dp_units_yield(root, star->base, base, linitial(star->columns)));
	ListCell   *lc;

	*cost = base->total_cost + base->rows * list_length(star->sides) * cpu_operator_cost;
	foreach(lc, star->sides)
	{
		RelOptInfo *side = lfirst(lc);
		Path	   *path = side_path(side, parallel);
		List	   *columns = list_nth(star->columns, foreach_current_index(lc) + 1);

		paths = lappend(paths, dp_units_yield(root, side, path, columns));
		*cost += path->total_cost + path->rows * cpu_tuple_cost;
	}
	return paths;
}

bool
dp_units_star_is_parallel(const DpStarPath *star)
{
	ListCell   *lc;

	foreach(lc, star->sides)
		if (side_path(lfirst(lc), true) == NULL)
			return false;
	return star->base->partial_pathlist != NIL;
}
