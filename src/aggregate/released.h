/* SPDX-License-Identifier: PostgreSQL */
/*
 * released.h
 *	  Counts and sums as combinations of the noisy totals of a mean or variance.
 *
 * Totals that answer several aggregates are marked where they may be of nobody
 * (pricing/selector.h): a mean is NULL then, a count or sum is not.
 */
#ifndef DP_AGGREGATE_RELEASED_H
#define DP_AGGREGATE_RELEASED_H

#include "postgres.h"

#include "aggregate/estimate.h"

/* Most totals that are combined. */
#define DP_JOINT_TOTALS 3

/* Factors of totals, as a bytea constant in plans. */
typedef struct DpJointWeights
{
	int32_t		vl_len_;		/* varlena header */
	int32_t		totals;			/* 1 ... DP_JOINT_TOTALS */
	double		weight[DP_JOINT_TOTALS];
} DpJointWeights;

/* `count` totals, at most DP_JOINT_TOTALS, with their mark as one more, in the current memory context. */
extern bytea *dp_aggregate_mark_totals(const bytea *totals, int count, bool nobody);

/* Raise 22023: bytes that a plan holds, or somebody called a function with, describe no released totals. */
extern _Noreturn void dp_aggregate_refuse_description(void);

/*
 * Noisy totals of moments and how they became public, read from SQL values.
 */

/*
 * A DpEstimate and the totals it is of, as doubles.  Errors: 22023 for bytes that
 * hold no such thing.
 */
extern void dp_aggregate_read_estimate(const bytea *value, const bytea *totals,
									   DpEstimate *estimate, double *numbers);

#endif							/* DP_AGGREGATE_RELEASED_H */
