/* SPDX-License-Identifier: PostgreSQL */
/*
 * membership.h
 *	  What (epsilon, delta)-differential privacy leaves to somebody who guesses
 *	  whether a unit is in the data.
 *
 * Plain C: no server header.  The guesser knows all other rows, and believes
 * beforehand with probability `prior` that the unit's rows are there.  Both
 * results are rounded up, and are the least that holds of all mechanisms: some
 * mechanism comes as near as one likes.  0 <= prior <= 1, epsilon >= 0 and
 * finite, 0 <= delta <= 1, 0 < risk <= 0.5.  Proofs: doc/accounting.md.
 */
#ifndef DP_ACCOUNTING_MEMBERSHIP_H
#define DP_ACCOUNTING_MEMBERSHIP_H

/*
 * The probability that the unit is there, given everything that was answered,
 * is above the result with probability at most `risk`, whether the unit is
 * there or not; if delta is 0, never.
 */
extern double dp_accounting_max_posterior(double prior, double epsilon, double delta, double risk);

/* The greatest probability of a right guess, made from everything that was answered. */
extern double dp_accounting_max_guess(double prior, double epsilon, double delta);

#endif							/* DP_ACCOUNTING_MEMBERSHIP_H */
