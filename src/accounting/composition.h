/* SPDX-License-Identifier: PostgreSQL */
/*
 * composition.h
 *	  Composition theorems in terms of epsilon and delta.
 *
 * Plain C: no server header.  Every result is rounded up, a delta is at most
 * 1, an epsilon is infinite if it overflows.  epsilon >= 0 and finite,
 * 0 <= delta <= 1, 0 < slack < 1.
 */
#ifndef DP_ACCOUNTING_COMPOSITION_H
#define DP_ACCOUNTING_COMPOSITION_H

#include <stddef.h>

/* More than this many mechanisms are not composed in one call. */
#define DP_MAX_COMPOSED 1000000

/* An (epsilon, delta)-differential privacy guarantee. */
typedef struct DpGuarantee
{
	double		epsilon;
	double		delta;
} DpGuarantee;

/* Sums, of any mechanisms chosen adaptively. */
extern DpGuarantee dp_accounting_basic_composition(size_t count, const double *epsilons,
												   const double *deltas);

/*
 * Advanced composition at the price of slack in delta (Steinke 2022, Theorem
 * 18 and, where a delta is not 0, Theorem 22).
 */
extern DpGuarantee dp_accounting_advanced_composition(size_t count, const double *epsilons,
													  const double *deltas, double slack);

/*
 * The least of three bounds for mechanisms that may differ (Kairouz, Oh,
 * Viswanath 2015, Theorem 3.5).
 */
extern DpGuarantee dp_accounting_kov_bound(size_t count, const double *epsilons,
										   const double *deltas, double slack);

/*
 * k >= 1 mechanisms, each epsilon-differentially private, together with delta =
 * slack: the epsilon of Dwork, Rothblum, Vadhan 2010, Theorem III.3.
 */
extern double dp_accounting_advanced_composition_drv(double epsilon, int k, double slack);

/*
 * The least epsilon at delta_total < 1 of k (1 <= k <= DP_MAX_COMPOSED)
 * mechanisms, each (epsilon, delta)-private with delta < 1, chosen adaptively;
 * infinite if delta_total is too small for any (Kairouz, Oh, Viswanath 2015,
 * Theorem 3.3: no better one holds for all such mechanisms).
 */
extern double dp_accounting_kov_optimal(double epsilon, double delta, int k, double delta_total);

/*
 * (epsilon, delta)-privacy of groups of k >= 1 units that follows from that of
 * units.
 */
extern DpGuarantee dp_accounting_group_privacy(double epsilon, double delta, int k);

#endif							/* DP_ACCOUNTING_COMPOSITION_H */
