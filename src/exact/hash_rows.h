/*
 * hash_rows.h
 *	  May a hash table be made of rows that the analyst has chosen?
 */
#ifndef DP_EXACT_HASH_ROWS_H
#define DP_EXACT_HASH_ROWS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

/*
 * Are those of these relations that are public items (public_rows.h) either short or joined
 * by one column alone, whose values are well spread over a hash table?
 */
extern bool dp_query_may_hash_rows(PlannerInfo *root, List *rels);

/*
 * Below a release, have the planner take the values of a public item's columns for different, as those
 * are that it is joined by; false of anything else.
 */
extern bool dp_query_guess_rows(const RangeTblEntry *rte, VariableStatData *statistics);

#endif							/* DP_EXACT_HASH_ROWS_H */
