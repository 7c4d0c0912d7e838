/* SPDX-License-Identifier: PostgreSQL */
/*
 * add_noise.h
 *	  Exact values of a release, and what noise makes of them.
 */
#ifndef DP_DRAW_ADD_NOISE_H
#define DP_DRAW_ADD_NOISE_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "noise/sampler.h"
#include "pricing/kind.h"
#include "pricing/release.h"

/* Draw noise that is added, none of which is shared. */
extern DpInt128 dp_draw_draw_noise(const DpNoise *noise);

/* Draw what totals of a row share, or of all groups: once for each row, or once. */
extern DpSharedDraw dp_draw_shared_noise(const DpBlock *block);

/* Draw noise that is added, beside what was drawn for all of its row if it shares that. */
extern DpInt128 dp_draw_noise_beside(const DpNoise *noise, const DpSharedDraw *shared);

/* value / 2^shift to the nearest integer, halves up; 0 < shift < 127. */
extern DpInt128 dp_draw_round_shift(DpInt128 value, int shift);

/* The exact value of a release, from its column: DP_MOMENTS_MOST totals at most. */
extern void dp_draw_read_exact(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *totals);

/* Add noise to totals, in units of 2^shift of them. */
extern void dp_draw_add_to_each(const DpRelease *release, DpInt128 *totals);

/* A count in grid units. */
extern DpInt128 dp_draw_to_grid(DpInt128 count, int grid);

/* The count in an exact row. */
extern int64 dp_draw_exact_count(const DpRelease *release, TupleTableSlot *exact);

/* A count with noise, in grid units; and back, saturating at the ends of bigint. */
extern DpInt128 dp_draw_noisy_count(const DpRelease *release, DpInt128 count);
extern int64 dp_draw_from_grid(DpInt128 units, const DpRelease *release);

/* A count as the release's column holds it. */
extern Datum dp_draw_count_datum(Oid type, int64 count);

/*
 * Add noise to one release of one group, given its column in the exact row.
 * Returns that column, or sets *none where a quantile is of no rows; *units are the noisy
 * rows as the threshold is compared with them (selector.h), or 0 where it tells none.
 */
extern Datum dp_draw_noisy_value(const DpRelease *release, Oid type, Datum value,
								 bool isnull, const DpSharedDraw *shared, DpInt128 *units, bool *none);

#endif							/* DP_DRAW_ADD_NOISE_H */
