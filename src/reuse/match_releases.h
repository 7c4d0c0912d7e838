/*
 * match_releases.h
 *	  Releases of a block that is asked among those of a finer answer.
 */
#ifndef DP_REUSE_MATCH_RELEASES_H
#define DP_REUSE_MATCH_RELEASES_H

#include "postgres.h"

#include "reuse/matching.h"

/* Does the finer answer add up what the block does? */
extern bool dp_query_has_addends(const DpMatching *matching);

/*
 * Find the releases, of which there may be several of the same, those with the least noise where
 * so many are added up; false if any is not there.  Sets from[i] of each to the finer answer's, and *ratio to
 * the most noise that any has in terms of what would be drawn.
 */
extern bool dp_query_match_releases(const DpMatching *matching, int most, int *from, double *ratio);

#endif							/* DP_REUSE_MATCH_RELEASES_H */
