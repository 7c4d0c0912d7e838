/*
 * matching.h
 *	  A block that is asked and a finer answer that is kept, while it is found out how the one
 *	  is made of the other; see rollup.h.
 */
#ifndef DP_REUSE_MATCHING_H
#define DP_REUSE_MATCHING_H

#include "postgres.h"

#include "pricing/block.h"
#include "reuse/cells.h"
#include "reuse/shape.h"

/* What becomes of a key of the finer answer. */
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

extern DpMatching dp_query_begin_matching(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer);

/* The values of a key, of which somebody knows the type. */
extern List *dp_query_matching_values(DpMatching *matching, int k, Oid type);

/* Is a key the number of a bucket? */
extern bool dp_query_is_bucket(const DpMatching *matching, int k);

/*
 * May a key of these values be used as it is, or in a condition, which depends on the length of values or
 * not, as far as the blocks limit that?
 */
extern bool dp_query_is_alike(const DpMatching *matching, int k, List *values, bool by_size);

#endif							/* DP_REUSE_MATCHING_H */
