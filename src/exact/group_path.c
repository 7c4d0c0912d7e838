/*
 * group_path.c
 *	  Grouping by public numbers in the planner.
 *
 * How many groups there are is known, and the planner is not good at guessing it:
 * it takes a function of a column to have as many values as the column, and
 * would rather sort all rows than keep that many groups in memory.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/prep.h"

#include "exact/group_path.h"

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
dp_query_add_hashed_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, int groups)
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

	/* One more than there are is nobody's: NULL. */
	parallel = make_parallel(root, input, output, groups + 1.0);
	add_path(output, make_hashed(root, output, input->cheapest_total_path, AGGSPLIT_SIMPLE,
								 groups + 1.0));
	if (parallel)
		add_path(output, parallel);
}
