/*
 * match_keys.h
 *	  Keys of a block that is asked among those of a finer answer.
 */
#ifndef DP_REUSE_MATCH_KEYS_H
#define DP_REUSE_MATCH_KEYS_H

#include "postgres.h"

#include "reuse/matching.h"

/* Are the block's keys among the finer ones? */
extern bool dp_query_has_keys(const DpMatching *matching);

/*
 * Find the block's keys among the finer ones, each once, and the place of each of their values;
 * false if one is not there, or has values that the finer one has not.
 */
extern bool dp_query_match_keys(DpMatching *matching);

#endif							/* DP_REUSE_MATCH_KEYS_H */
