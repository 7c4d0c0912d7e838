/* SPDX-License-Identifier: PostgreSQL */
/*
 * buckets.h
 *	  Buckets of a column's values, which dp_histogram and dp_cumulative count by.
 */
#ifndef DP_ASKING_BUCKETS_H
#define DP_ASKING_BUCKETS_H

#include "postgres.h"

#include "nodes/primnodes.h"

/*
 * Buckets 1 to bins of the values of a type that can be numbered in their order: whole
 * numbers, double precision, dates and times.  A value's position is its number.
 */
typedef struct DpBuckets
{
	Oid			type;			/* of the values; 0 if there are no buckets */
	int32		bins;
	int64		lower;			/* bounds: the bits of a double, or days or microseconds */
	int64		upper;
} DpBuckets;

/* The buckets that a group key numbers; false if it is no such call, or values have no positions. */
extern bool dp_asking_read_buckets(Node *key, DpBuckets *buckets);

/* The position of a constant among the values; false if it has none there. */
extern bool dp_asking_bucket_position(const DpBuckets *buckets, const Const *value, int64 *position);

/* The number of the bucket that the value at a position is in. */
extern int	dp_asking_bucket_at(const DpBuckets *buckets, int64 position);

/* Does a bucket begin with the value at a position? */
extern bool dp_asking_bucket_begins(const DpBuckets *buckets, int64 position);

/* The position of the first value that is in a bucket from 2 on, or in a later one. */
extern int64 dp_asking_bucket_start(const DpBuckets *buckets, int bucket);

#endif							/* DP_ASKING_BUCKETS_H */
