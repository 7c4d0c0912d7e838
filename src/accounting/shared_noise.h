/* SPDX-License-Identifier: PostgreSQL */
/*
 * shared_noise.h
 *	  Gaussian noise that totals of one row share in part.
 *
 * Plain C: no server header.
 *
 * A unit moves d totals x_i of a row in known directions s_i, each by a whole number from 0 to b_i of
 * its grid units.  In place of noise for each, W is drawn once a row, Z_i for each total, and
 *
 *		x_i + (Z_i + s_i b_i W / S) / 2
 *
 * is released, S = 2^k being the grid units of W that stand for one unit.  With n the number of units of
 * the row, that is computed from 2 x_i - s_i b_i n + Z_i and S n + W, which a unit moves by b_i at most and by S:
 * so the row costs what these d + 1 noises cost.  The number n itself is never computed.
 * The proof is in doc/accounting.md, "Noise that totals share".
 */
#ifndef DP_ACCOUNTING_SHARED_NOISE_H
#define DP_ACCOUNTING_SHARED_NOISE_H

#include "accounting/calibrate.h"

/* Least sigma, in grid units, of noise that is shared: so halves of a unit do not matter. */
#define DP_SHARED_LEAST_SIGMA (UINT64_C(1) << 20)

/* At most so many totals of a row share noise. */
#define DP_SHARED_MOST 1000

/*
 * Have totals share noise: those of so many with known directions whose sigmas are the same multiples of
 * their sensitivities, if there are two of them or more.  All are Gaussian and of as many groups.
 * Those that share have `own` set, and their sigma to that of all their noise, rounded up, which
 * is below what it was; *shared is the noise W.  Together that costs no more than before, but for rounding charges up.
 * Returns how many share; with 0 nothing is changed but *shared, whose sigma is 0.
 */
extern int	dp_accounting_share_noise(DpNoise *const *noise, int count, DpNoise *shared);

/*
 * The standard deviations of both parts of a total's noise, in the value's unit: its own, and what is
 * shared, with the sign of its direction.  Neither is below the true one in size; without a shared part that is 0.
 */
extern double dp_accounting_own_stddev(const DpNoise *noise);
extern double dp_accounting_shared_stddev(const DpNoise *noise);

/* Can there be such noise? */
extern bool dp_accounting_is_shared_sanely(const DpNoise *noise);

#endif							/* DP_ACCOUNTING_SHARED_NOISE_H */
