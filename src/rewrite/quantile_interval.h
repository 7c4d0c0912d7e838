/* SPDX-License-Identifier: PostgreSQL */
/*
 * quantile_interval.h
 *	  dp_interval of a quantile: between other quantiles of the same values.
 */
#ifndef DP_REWRITE_QUANTILE_INTERVAL_H
#define DP_REWRITE_QUANTILE_INTERVAL_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * The interval of the block's n-th measure, a quantile; NULL with a reason set if nothing is asked
 * beside it that tells of one.
 */
extern Node *dp_rewrite_quantile_interval(DpBlockRewrite *rewrite, int n, Node *level, DpReason **reason);

/* The aggregate of the block that counts the rows of a quantile, or NULL. */
extern Aggref *dp_rewrite_rows_of_quantile(const DpBlockRewrite *rewrite, const DpMeasure *measure);

/* The fraction that a quantile was asked for. */
extern double dp_rewrite_asked_fraction(const DpRelease *release);

#endif							/* DP_REWRITE_QUANTILE_INTERVAL_H */
