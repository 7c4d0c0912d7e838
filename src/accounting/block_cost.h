/* SPDX-License-Identifier: PostgreSQL */
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

/* cost += one release with these noise terms, all of one mechanism. */
extern void dp_accounting_add_release(DpCurve *cost, const DpNoise *noise, int terms);

/*
 * Complete the cost of all releases of a block, whose curves bound both directions of neighbours: each
 * unit is asked with this probability, and groups are thresholded at this delta, or 0.
 */
extern void dp_accounting_complete_block(DpCurve *cost, double sample_rate,
										 double threshold_delta);

/*
 * Noise of releases whose max_groups is chosen among powers of two up to a most, and of the
 * numbers of units by which it is chosen.
 *
 * Plain C: no server header.
 *
 * A unit is in one of several classes by its number of groups: 1, 2, 3 to 4, 5 to 8, ... up to
 * the most.  Noisy numbers of units in each are released first, and a unit moves one of these by
 * 1.  The groups chosen by them are m, the upper end of a class.  All other noise has such a scale
 * for m groups that it costs about what it does for the most: doc/accounting.md.
 */

/* Number of classes of units in up to so many groups, and the upper end of one, from 0. */
extern int	dp_accounting_classes(int most);
extern int	dp_accounting_groups_of_class(int most, int class);

/* Noise that a block asks for, over all its releases. */
typedef struct DpAskedNoise
{
	DpMechanism mechanism;		/* DP_LAPLACE or DP_GAUSSIAN */
	double		epsilon;		/* the sum of releases' epsilons, */
	double		squares;		/* and of their squares */
	double		precision;		/* Gaussian: dp_accounting_precision() of all that is charged */
} DpAskedNoise;

/* What noise costs, if it is Gaussian: the square of what a unit moves, over that of sigma. */
extern double dp_accounting_precision(const DpNoise *noise);

/*
 * Set apart what the choice costs: calibrate the noise of the classes' numbers, and tell the part of
 * each release's epsilon that it takes, and by what factor their noise grows so that all costs as
 * much as asked.  NULL, or what is wrong.
 */
extern const char *dp_accounting_calibrate_classes(DpNoise *classes, double *share, long double *factor,
												   const DpAskedNoise *asked, int most);

/*
 * Make noise for `most` groups noise for fewer: its scale goes with the root of their number.  Noise
 * that is drawn once for all of a unit's groups, of which each moves the total, has a sensitivity that
 * goes with their number, and its scale does too.  NULL, or what is wrong.
 */
extern const char *dp_accounting_noise_of_groups(DpNoise *noise, int most, int groups);
extern const char *dp_accounting_joint_noise_of_groups(DpNoise *noise, int most, int groups);

#endif							/* DP_ACCOUNTING_BLOCK_COST_H */
