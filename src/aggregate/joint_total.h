/*
 * joint_total.h
 *	  Counts and sums as combinations of the noisy totals of a mean or variance.
 *
 * Totals that answer several aggregates are marked where they may be of nobody
 * (pricing/presence.h): a mean is NULL then, a count or sum is not.
 */
#ifndef DP_AGGREGATE_JOINT_TOTAL_H
#define DP_AGGREGATE_JOINT_TOTAL_H

#include "postgres.h"

/* Most totals that are combined. */
#define DP_JOINT_TOTALS 3

/* What totals are multiplied by, as a bytea constant in plans. */
typedef struct DpJointWeights
{
	int32_t		vl_len_;		/* varlena header */
	int32_t		totals;			/* 1 ... DP_JOINT_TOTALS */
	double		weight[DP_JOINT_TOTALS];
} DpJointWeights;

/* `count` totals, at most DP_JOINT_TOTALS, with their mark as one more, in the current memory context. */
extern bytea *dp_aggregate_mark_totals(const bytea *totals, int count, bool nobody);

#endif							/* DP_AGGREGATE_JOINT_TOTAL_H */
