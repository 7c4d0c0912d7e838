/*
 * block_cost.h
 *	  What releases of one block cost together: for those who charge it, and for
 *	  those who work it out anew from the ledger.
 *
 * Plain C: no server header.
 */
#ifndef DP_ACCOUNTING_BLOCK_COST_H
#define DP_ACCOUNTING_BLOCK_COST_H

#include "accounting/calibrate.h"

#define DP_MECHANISMS (DP_ABOVE_THRESHOLD + 1)

/* Names of mechanisms, as people and the ledger are told. */
extern const char *const dp_accounting_mechanism_name[DP_MECHANISMS];

/* How many of a release's noise terms are charged. */
extern int	dp_accounting_charged_terms(DpMechanism mechanism, int terms);

/*
 * cost += one noise term, where each unit is asked with this probability.  The theorem that
 * amplifies the sum (subsampling.h) holds both ways for mechanisms that treat neighbours alike; of a
 * sample, what does not is charged as what does, and has the same pure epsilon.
 */
extern void dp_accounting_add_term(DpCurve *cost, const DpNoise *noise, double sample_rate);

/* cost += one release with these noise terms, all of one mechanism. */
extern void dp_accounting_add_release(DpCurve *cost, const DpNoise *noise, int terms, double sample_rate);

/*
 * Complete the cost of all releases of a block: each unit is asked with this
 * probability, and groups are thresholded at this delta, or 0.
 */
extern void dp_accounting_complete_block(DpCurve *cost, double sample_rate,
										 double threshold_delta);

#endif							/* DP_ACCOUNTING_BLOCK_COST_H */
