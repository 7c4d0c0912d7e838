/* SPDX-License-Identifier: PostgreSQL */
/*
 * cut.h
 *	  How conditions and coarser buckets cut the buckets of a column's values.
 */
#ifndef DP_KEPT_CUT_H
#define DP_KEPT_CUT_H

#include "postgres.h"

#include "asking/buckets.h"

/* Buckets of which a condition holds. */
typedef struct DpCut
{
	int			first;
	int			last;			/* less than the first: of none */
	bool		all;			/* does it hold of no value that is in no bucket? */
} DpCut;

/*
 * The buckets of which a condition holds, where one constant in it stands for the column.
 * False if it is no comparison with a constant, or holds of a part of a bucket.
 */
extern bool dp_kept_cut_buckets(const DpBuckets *buckets, Node *condition, const Const *column, DpCut *cut);

/*
 * For each bucket, from 0, the coarser one that its values are in, from 0; NULL if a bucket has
 * values in two of those, or one of those has no value, or finding that out takes too long.
 */
extern int *dp_kept_coarser_buckets(const DpBuckets *buckets, const DpBuckets *coarser);

#endif							/* DP_KEPT_CUT_H */
