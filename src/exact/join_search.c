/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_search.c
 *	  The search for the best order of joins in an exact query.
 *
 * The analyst may not make the work of a join large.  A nested loop's work is the
 * product of what it joins.  The search for one row's match in a hash table is long
 * where a table's keys are chosen so that all have one hash.  Tables the analyst may
 * have filled are joined by merging, whose time is that of sorting.  One row may not
 * decide, either, whether a side of a join is read at all: see oblivious_plan.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/geqo.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/prep.h"
#include "parser/parsetree.h"

#include "base/compat_planner.h"
#include "exact/join_search.h"
#include "exact/planning.h"
#include "from/public_rows.h"
#include "from/table_trust.h"

static bool may_hash_rows(PlannerInfo *root, List *rels);

/*
 * Grouping by public numbers in the planner.
 *
 * The number of groups is known here, and the planner is not good at guessing it.  It
 * takes a function of a column to have as many values as the column, and would rather
 * sort all rows than keep that many groups in memory.
 */

/* Group rows, or what workers made of theirs, in a hash table of so many groups. */
static Path *
make_hashed(PlannerInfo *root, RelOptInfo *rel, Path *path, AggSplit split, double groups)
{
	AggClauseCosts costs = {0};

	get_agg_clause_costs(root, split, &costs);
	return (Path *) create_agg_path(root, rel, path, rel->reltarget, AGG_HASHED, split,
									root->parse->groupClause, NIL, &costs,
									clamp_row_est(Min(groups, path->rows)));
}

/* The same with workers that group their rows first; NULL if there are none. */
static Path *
make_parallel(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, double groups)
{
	RelOptInfo *partial = fetch_upper_rel(root, UPPERREL_PARTIAL_GROUP_AGG, output->relids);
	Path	   *path;
	double		rows;

	if (input->partial_pathlist == NIL || partial->reltarget->exprs == NIL)
		return NULL;
	path = make_hashed(root, partial, linitial(input->partial_pathlist),
					   AGGSPLIT_INITIAL_SERIAL, groups);
	rows = path->rows * path->parallel_workers;
	path = (Path *) create_gather_path(root, partial, path, partial->reltarget, NULL, &rows);
	return make_hashed(root, output, path, AGGSPLIT_FINAL_DESERIAL, groups);
}

void
dp_exact_add_hashed_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, int groups)
{
	Path	   *parallel;

	/*
	 * Aggregates with DISTINCT want their group's rows one after the other; and these paths have
	 * no HAVING.
	 */
	if (groups == 0 || root->numOrderedAggs > 0 || root->parse->groupClause == NIL || root->parse->havingQual ||
		output->pathlist == NIL || !IsA(linitial(output->pathlist), AggPath) ||
		IS_OTHER_REL(output))
		return;

	/* One more than there are: the group of NULL. */
	parallel = make_parallel(root, input, output, groups + 1.0);
	add_path(output, make_hashed(root, output, input->cheapest_total_path, AGGSPLIT_SIMPLE,
								 groups + 1.0));
	if (parallel)
		add_path(output, parallel);
}

/*
 * May a hash table be made of rows that the analyst has chosen?
 *
 * The contents of a table are not known when the exact query is planned.  Rows of
 * public items are constants by then, and what they are joined by can be looked at.
 */

/* Add an expression over these relations to those that a hash table could be made by. */
static List *
add_key(List *keys, Node *expr, Relids relids, const RelOptInfo *rel)
{
	return bms_overlap(relids, rel->relids) ? list_append_unique(keys, expr) : keys;
}

/* The expressions over a relation by which it can be joined. */
static List *
keys_of(PlannerInfo *root, const RelOptInfo *rel)
{
	List	   *keys = NIL;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, root->eq_classes)
	{
		const EquivalenceClass *equal = lfirst_node(EquivalenceClass, lc);

		/* What is grouped by is equal to itself alone. */
		foreach(lc2, list_length(equal->ec_members) > 1 ? equal->ec_members : NIL)
		{
			EquivalenceMember *member = lfirst_node(EquivalenceMember, lc2);

			keys = add_key(keys, (Node *) member->em_expr, member->em_relids, rel);
		}
	}
	foreach(lc, rel->joininfo)
	{
		RestrictInfo *info = lfirst_node(RestrictInfo, lc);

		if (!OidIsValid(info->hashjoinoperator))
			continue;
		keys = add_key(keys, get_leftop(info->clause), info->left_relids, rel);
		keys = add_key(keys, get_rightop(info->clause), info->right_relids, rel);
	}
	return keys;
}

/* Is a public item joined by nothing but one column, and that spread? */
static bool
is_joined_by_spread(PlannerInfo *root, const RelOptInfo *rel, const RangeTblEntry *rte)
{
	List	   *keys = keys_of(root, rel);
	Node	   *key = list_length(keys) == 1 ? linitial(keys) : NULL;

	while (key && IsA(key, RelabelType))
		key = (Node *) ((RelabelType *) key)->arg;
	return key && IsA(key, Var) && ((Var *) key)->varno == rel->relid &&
		dp_from_column_is_spread(rte, ((Var *) key)->varattno);
}

/*
 * Are those of these relations that are public items (public_rows.h) either short or joined
 * by one column alone, whose values are well spread over a hash table?
 */
static bool
may_hash_rows(PlannerInfo *root, List *rels)
{
	ListCell   *lc;

	foreach(lc, rels)
	{
		const RelOptInfo *rel = lfirst_node(RelOptInfo, lc);
		const RangeTblEntry *rte = rel->reloptkind == RELOPT_BASEREL ? planner_rt_fetch(rel->relid, root) : NULL;

		if (rte && rte->rtekind == RTE_FUNCTION && !dp_from_has_few_rows(rte) &&
			!is_joined_by_spread(root, rel, rte))
			return false;
	}
	return true;
}

bool
dp_exact_guess_rows(const RangeTblEntry *rte, VariableStatData *statistics)
{
	if (rte->rtekind != RTE_FUNCTION || !dp_exact_is_below_release())
		return false;
	statistics->isunique = true;
	return true;
}

/*
 * Forget the order rows come in: a merge join would stop reading them where its
 * other side ends.  Paths that depend on their order are left out.
 */
static List *
forget_order(List *paths)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		Path	   *path = lfirst(lc);

		if (path->pathtype == T_Sort || path->pathtype == T_IncrementalSort ||
			path->pathtype == T_MergeAppend || path->pathtype == T_GatherMerge)
		{
			if (list_length(paths) > 1)
				paths = foreach_delete_current(paths, lc);
		}
		else
			path->pathkeys = NIL;
	}
	return paths;
}

/*
 * Forget how single rows of a table could be looked up, so that no loop over those
 * of another gains by it; sorting it is never dearer than a loop that is off.  And
 * forget orders.
 */
static void
forget_ways(RelOptInfo *rel)
{
	ListCell   *lc;

	if (rel->pathlist == NIL)
		return;
	foreach(lc, rel->pathlist)
		if (((Path *) lfirst(lc))->param_info)
			rel->pathlist = foreach_delete_current(rel->pathlist, lc);
	rel->pathlist = forget_order(rel->pathlist);
	rel->partial_pathlist = forget_order(rel->partial_pathlist);
	set_cheapest(rel);
	for (int i = 0; i < rel->nparts; i++)
		if (rel->part_rels[i])
			forget_ways(rel->part_rels[i]);
}

void
dp_exact_limit_join(JoinPathExtraData *extra)
{
	if (dp_exact_is_below_release())
		dp_compat_limit_join(extra);
}

RelOptInfo *
dp_exact_search_joins(PlannerInfo *root, int levels_needed, List *initial_rels,
					  RelOptInfo *(*search) (PlannerInfo *, int, List *))
{
	bool		nestloop = enable_nestloop;
	bool		hashjoin = enable_hashjoin;
	bool		parallel_hash = enable_parallel_hash;
	bool		mergejoin = enable_mergejoin;
	bool		sort = enable_sort;
	ListCell   *lc;
	RelOptInfo *volatile result = NULL;

	if (dp_exact_is_below_release())
	{
		enable_nestloop = false;
		enable_hashjoin = !dp_from_has_untrusted(root->parse) && may_hash_rows(root, initial_rels);
		enable_parallel_hash = false;
		enable_mergejoin = true;
		enable_sort = true;
		foreach(lc, initial_rels)
			forget_ways(lfirst(lc));
	}
	PG_TRY();
	{
		if (search)
			result = search(root, levels_needed, initial_rels);
		else if (enable_geqo && levels_needed >= geqo_threshold)
			result = geqo(root, levels_needed, initial_rels);
		else
			result = standard_join_search(root, levels_needed, initial_rels);
	}
	PG_FINALLY();
	{
		enable_nestloop = nestloop;
		enable_hashjoin = hashjoin;
		enable_parallel_hash = parallel_hash;
		enable_mergejoin = mergejoin;
		enable_sort = sort;
	}
	PG_END_TRY();
	return result;
}
