/* SPDX-License-Identifier: PostgreSQL */
/*
 * release.h
 *	  Running an exact plan that was paid for: the only way exact totals leave it.
 */
#ifndef DP_DRAW_RELEASE_H
#define DP_DRAW_RELEASE_H

#include "postgres.h"

#include "draw/release_state.h"

/*
 * Run the exact plan of a node that was paid for, and keep what it releases.  `filled` is
 * the number of dp_draw_cache_changes() at which the caches held all that the plan's rows
 * need of them, or 0.  Whatever goes wrong is reported by fixed words.
 */
extern void dp_draw_read_release(DpReleaseState *state, PlannedStmt *plan, uint64 filled);

/*
 * Prepare a parallel worker's part of a plan, if it is part of an exact one,
 * as that has been, before it runs.
 */
extern void dp_draw_start_worker(PlanState *plan);

#endif							/* DP_DRAW_RELEASE_H */
