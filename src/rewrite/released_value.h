/*
 * released_value.h
 *	  What stands above a release for an aggregate: a conversion of its noisy totals.
 */
#ifndef DP_REWRITE_RELEASED_VALUE_H
#define DP_REWRITE_RELEASED_VALUE_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "pricing/block_rewrite.h"

/* The measure of one of the block's aggregates, and the number of the release that answers it. */
extern const DpMeasure *dp_rewrite_measure_of(const DpBlockRewrite *rewrite, Aggref *aggref, int *number);

/*
 * The totals of a mean or moments, by the number of the release: NULL where they may be of nobody.  The
 * release node has seen to that, but for totals that counts and sums are made of too.
 */
extern Node *dp_rewrite_totals_of_rows(const DpBlockRewrite *rewrite, int number);

/* What stands above the release for it. */
extern Node *dp_rewrite_released_value(DpBlockRewrite *rewrite, Aggref *aggref);

#endif							/* DP_REWRITE_RELEASED_VALUE_H */
