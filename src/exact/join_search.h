/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_search.h
 *	  The search for the best order of joins in an exact query.
 */
#ifndef DP_EXACT_JOIN_SEARCH_H
#define DP_EXACT_JOIN_SEARCH_H

#include "postgres.h"

#include "utils/selfuncs.h"

/*
 * Search for the best order of joins in an exact query: without nested loops, whose
 * work is the product of what they join, and without hash tables of what the analyst
 * may have chosen to be alike.
 */
extern RelOptInfo *dp_exact_search_joins(PlannerInfo *root, int levels_needed, List *initial_rels,
										 RelOptInfo *(*search) (PlannerInfo *, int, List *));

/*
 * Limit the ways to join two relations in an exact query to those that the search
 * allows, whatever advice there is.  Called for every pair during the search, where the
 * server has a hook for that.
 */
extern void dp_exact_limit_join(JoinPathExtraData *extra);

/*
 * Grouping by public numbers in the planner.
 */

/*
 * Paths that group the exact query by public numbers, of which there
 * are so many; 0: not by such.
 */
extern void dp_exact_add_hashed_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
									  int groups);

/*
 * May a hash table be made of rows that the analyst has chosen?
 */

/*
 * In an exact query, have the planner take the values of a public item's columns for
 * distinct, as those that it is joined by are; false for anything else.
 */
extern bool dp_exact_guess_rows(const RangeTblEntry *rte, VariableStatData *statistics);

#endif							/* DP_EXACT_JOIN_SEARCH_H */
