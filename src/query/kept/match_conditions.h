/*
 * match_conditions.h
 *	  Conditions of a block that is asked and of a finer answer.
 */
#ifndef DP_QUERY_KEPT_MATCH_CONDITIONS_H
#define DP_QUERY_KEPT_MATCH_CONDITIONS_H

#include "postgres.h"

#include "query/kept/matching.h"

/*
 * Are all conditions of the finer answer the block's, and those that are left about one of its keys
 * each?  Leaves out the values of which they do not hold.
 */
extern bool dp_query_match_conditions(DpMatching *matching);

#endif							/* DP_QUERY_KEPT_MATCH_CONDITIONS_H */
