/*
 * join_search.h
 *	  The search for the best order of joins below a release.
 */
#ifndef DP_EXACT_JOIN_SEARCH_H
#define DP_EXACT_JOIN_SEARCH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Search for the best order of joins below a release: without nested
 * loops, whose work is the product of what they join, and without hash tables of what
 * the analyst may have chosen to be alike.
 */
extern RelOptInfo *dp_query_search_joins(PlannerInfo *root, int levels_needed, List *initial_rels,
										 RelOptInfo *(*search) (PlannerInfo *, int, List *));

/*
 * Limit what two relations may be joined by below a release to what the search allows, whatever
 * advice there is.  Called for every pair during the search, where the server has a hook for that.
 */
extern void dp_query_limit_join(JoinPathExtraData *extra);

#endif							/* DP_EXACT_JOIN_SEARCH_H */
