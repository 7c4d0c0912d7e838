/*
 * match_conditions.h
 *	  Conditions of a block that is asked and of a finer answer.
 */
#ifndef DP_REUSE_MATCH_CONDITIONS_H
#define DP_REUSE_MATCH_CONDITIONS_H

#include "postgres.h"

#include "reuse/matching.h"

/* Are all conditions of the finer answer the block's? */
extern bool dp_query_has_conditions(const DpMatching *matching);

/*
 * The same, and is each other condition of the block's about one of the finer answer's keys?  Leaves out the
 * values of which those do not hold.
 */
extern bool dp_query_match_conditions(DpMatching *matching);

#endif							/* DP_REUSE_MATCH_CONDITIONS_H */
