/* SPDX-License-Identifier: PostgreSQL */
/*
 * matching.h
 *	  A block that is asked and a finer answer that is kept, while it is found out how the one
 *	  is made of the other; see rollup.h.
 */
#ifndef DP_KEPT_MATCHING_H
#define DP_KEPT_MATCHING_H

#include "postgres.h"

#include "kept/shape.h"

/* Use of a key of the finer answer. */
typedef struct DpMatchedKey
{
	int			asked;			/* number of the same key of the block, or -1 */
	int64		weight;			/* by which its place there counts in the number of a group */
	bool		restricted;		/* has it, by the conditions, values that have groups, and no
								 * others? */
	List	   *values;			/* read if they are needed */
	int		   *place;			/* of each value: among those of the block's key, or 0; -1: that
								 * has it not */
	bool	   *left_out;		/* of each value: by a condition? */
} DpMatchedKey;

typedef struct DpMatching
{
	const DpBlock *block;
	const DpBlockCells *asked;
	const DpShape *finer;
	DpMatchedKey *key;
	int			shorter;		/* limit on values, if the blocks have different ones; else 0 */
} DpMatching;

extern DpMatching dp_kept_begin_matching(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer);

/*
 * Conditions of a block that is asked and of a finer answer.
 */

/* Are all conditions of the finer answer the block's? */
extern bool dp_kept_has_conditions(const DpMatching *matching);

/*
 * The same, and is each other condition of the block's about one of the finer answer's keys?  Leaves out the
 * values of which those do not hold.
 */
extern bool dp_kept_match_conditions(DpMatching *matching);

/*
 * Keys of a block that is asked among those of a finer answer.
 */

/* Are the block's keys among the finer ones? */
extern bool dp_kept_has_keys(const DpMatching *matching);

/*
 * Find the block's keys among the finer ones, each once, and the place of each of their values;
 * false if one is not there, or has values that the finer one has not.
 */
extern bool dp_kept_match_keys(DpMatching *matching);

/*
 * Releases of a block that is asked among those of a finer answer.
 */

/* Does the finer answer add up what the block does? */
extern bool dp_kept_has_addends(const DpMatching *matching);

/*
 * Find the releases, of which there may be several of the same, those with the least noise where
 * so many are added up; false if any is not there.  Sets from[i] of each to the finer answer's, and *ratio to
 * the most noise that any has in terms of what would be drawn.
 */
extern bool dp_kept_match_releases(const DpMatching *matching, int most, int *from, double *ratio);

#endif							/* DP_KEPT_MATCHING_H */
