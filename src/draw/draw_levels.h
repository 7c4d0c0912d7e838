/* SPDX-License-Identifier: PostgreSQL */
/*
 * draw_levels.h
 *	  Drawing quantiles one inside the other; see quantile_levels.h.
 */
#ifndef DP_DRAW_DRAW_LEVELS_H
#define DP_DRAW_DRAW_LEVELS_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "pricing/release.h"

/*
 * Draw the places of all quantiles of the block that share levels, by number of the release,
 * given the exact row of a group, or NULL.  Errors: 22023 for a malformed summary.
 */
extern uint64 *dp_draw_draw_levels(const DpBlock *block, TupleTableSlot *exact);

/* The point of a place, as a release's column holds it; or is it that of none, which is NULL? */
extern Datum dp_draw_point_datum(const DpRelease *release, uint64 place, bool *none);

/*
 * Drawing a quantile; see quantile.h.
 */

/*
 * Draw the number of a point, given the exact summary of a group, or that of points, one beyond
 * the last, for "none".  Errors: 22023 for a malformed summary.
 */
extern int64 dp_draw_draw_quantile(const DpRelease *release, Datum summary, bool isnull);

#endif							/* DP_DRAW_DRAW_LEVELS_H */
