/* SPDX-License-Identifier: PostgreSQL */
/*
 * released_value.h
 *	  Expression for an aggregate in the outer query: a conversion of its noisy totals.
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

/* Expression for it in the outer query. */
extern Node *dp_rewrite_released_value(DpBlockRewrite *rewrite, Aggref *aggref);

/*
 * Expressions that kinds make of their totals.
 */

/* The release's column. */
extern Node *dp_rewrite_totals(const DpBlockRewrite *rewrite, int number);

/* A noisy total in units of 2^grid as the type that the aggregate returns. */
extern Node *dp_rewrite_convert_total(const Aggref *aggref, Node *totals, int grid);

/* The same of a release whose clamp was chosen. */
extern Node *dp_rewrite_clamped_value(const DpBlockRewrite *rewrite, const DpMeasure *measure, int number);

/* A count is a bigint already, or the noisy total of contributions. */
extern Node *dp_rewrite_count_value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number);

/* A count or sum that another release answers too. */
extern Node *dp_rewrite_part_value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number);

#endif							/* DP_REWRITE_RELEASED_VALUE_H */
