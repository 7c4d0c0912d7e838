/*
 * draw_quantile.h
 *	  Drawing a quantile; see quantile.h.
 */
#ifndef DP_DRAW_DRAW_QUANTILE_H
#define DP_DRAW_DRAW_QUANTILE_H

#include "postgres.h"

#include "pricing/block.h"

/*
 * Draw the number of a point, given the exact summary of a group, or that of points, one beyond
 * the last, for "none".  Errors: 22023 for a malformed summary.
 */
extern int64 dp_query_draw_quantile(const DpRelease *release, Datum summary, bool isnull);

/* What scores of points are raised by, so that "none" may be better, whose score is of so much weight. */
extern uint128 dp_query_raised_by(const DpQuantileRank *rank);
extern uint128 dp_query_score_of_none(const DpQuantileRank *rank, uint128 total);

#endif							/* DP_DRAW_DRAW_QUANTILE_H */
