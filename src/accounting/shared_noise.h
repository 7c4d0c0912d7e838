/* SPDX-License-Identifier: PostgreSQL */
/*
 * shared_noise.h
 *	  Gaussian noise that totals share in part: those of one row, or of all groups.
 *
 * Plain C: no server header.
 *
 * A unit moves totals x_i in known directions s_i, each by a whole number from 0 to b_i of its grid
 * units.  In place of noise for each, W is drawn once for all, Z_i for each total, and
 *
 *		x_i + (Z_i + s_i p b_i W / S) / q
 *
 * is released, q = 2^own_bits, 1 <= p <= q / 2, and S = 2^k being the grid units of W that stand for one unit.  With n the number
 * of units, that is computed from q x_i - s_i p b_i n + Z_i and S n + W.  A unit moves these by (q - p) b_i at most where it
 * counts, by p b_i where it does not, and by S.  So all costs what these noises cost.  The number n itself is never computed.
 *
 * Totals of a row: W is drawn once a row, and n is the number of units that count in it.  No total is one in which they do
 * not, and q = 2, p = 1 is best.  Totals of all groups of a block: W is drawn once, and n is the number of units that count
 * anywhere.  The proof is in doc/accounting.md, "Noise that totals share".
 */
#ifndef DP_ACCOUNTING_SHARED_NOISE_H
#define DP_ACCOUNTING_SHARED_NOISE_H

#include "accounting/calibrate.h"

/* Least sigma, in grid units, of noise that is shared: so halves of a unit do not matter. */
#define DP_SHARED_LEAST_SIGMA (UINT64_C(1) << 20)

/* At most so many totals of a row share noise. */
#define DP_SHARED_MOST 1000

/* own_bits of what totals of a row share; `part` is 1. */
#define DP_SHARED_ROW_BITS 1

/*
 * Have totals share noise: those of so many of a row with known directions whose sigmas are the same multiples of
 * their sensitivities.  All are Gaussian and of as many groups.  If all groups are answered, and so many (else 0), those of all
 * share where that leaves noticeably less noise; else those of a row do, if there are two of them or more.
 * Those that share have `own` set, and their sigma to that of all their noise, rounded up, which
 * is below what it was; *shared is the noise W.  Together that costs no more than before, but for rounding charges up.
 * Returns how many of a row share; with 0 nothing is changed but *shared, whose sigma is 0.
 */
extern int	dp_accounting_share_noise(DpNoise *const *noise, int count, int answered, DpNoise *shared);

/*
 * The standard deviations of both parts of a total's noise, in the value's unit: its own, and what is
 * shared, with the sign of its direction.  Neither is below the true one in size; without a shared part that is 0.
 */
extern double dp_accounting_own_stddev(const DpNoise *noise);
extern double dp_accounting_shared_stddev(const DpNoise *noise);

/*
 * What a draw of W is multiplied by for this total, beside 2^-grid of W (noise/shared.h): p times the most that a unit moves
 * the total by, with the sign of its direction.
 */
extern __int128 dp_accounting_shared_multiple(const DpNoise *noise);

/* Can there be such noise? */
extern bool dp_accounting_is_shared_sanely(const DpNoise *noise);

#endif							/* DP_ACCOUNTING_SHARED_NOISE_H */
