/*
 * join_search.c
 *	  The search for the best order of joins below a release.
 *
 * The analyst may not make the work of a join large: the product of what it joins
 * where a nested loop does it, or the search for one row's match, since a table's
 * keys can be chosen so that all have one hash.  Tables the analyst may have
 * filled are joined by merging, whose time is that of sorting.  Nor may one row
 * decide whether a side of a join is read at all, see oblivious_plan.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/geqo.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"

#include "base/compat.h"
#include "exact/hash_rows.h"
#include "exact/join_search.h"
#include "exact/planning.h"
#include "from/table_trust.h"

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
dp_query_limit_join(JoinPathExtraData *extra)
{
	if (dp_query_is_below_release())
		dp_compat_limit_join(extra);
}

RelOptInfo *
dp_query_search_joins(PlannerInfo *root, int levels_needed, List *initial_rels,
					  RelOptInfo *(*search) (PlannerInfo *, int, List *))
{
	bool		nestloop = enable_nestloop;
	bool		hashjoin = enable_hashjoin;
	bool		parallel_hash = enable_parallel_hash;
	bool		mergejoin = enable_mergejoin;
	bool		sort = enable_sort;
	ListCell   *lc;
	RelOptInfo *volatile result = NULL;

	if (dp_query_is_below_release())
	{
		enable_nestloop = false;
		enable_hashjoin = !dp_query_has_untrusted(root->parse) && dp_query_may_hash_rows(root, initial_rels);
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
