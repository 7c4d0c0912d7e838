/* SPDX-License-Identifier: PostgreSQL */
/*
 * variance.h
 *	  What releases cost in variance, for the second rule of the privacy filter.
 *
 * Plain C: no server header.  Costs are rounded up, budgets down.
 *
 * A release is worth a variance c with a coarseness m, 0 <= c <= 6 m, if its likelihood
 * ratio L, multiplied by an independent log-normal variable of mean 1 and log-variance
 * v >= 7 m, is dominated in convex order by one of log-variance v + c + m c / v.  The
 * proofs are in doc/accounting.md, "The second rule".  Where releases are chosen one
 * after the other, variances add up, and the greatest coarseness counts.
 */
#ifndef DP_ACCOUNTING_VARIANCE_H
#define DP_ACCOUNTING_VARIANCE_H

#include "accounting/curve.h"

/*
 * Set the variance and coarseness of a cost to those of `groups` releases, in each of which the
 * likelihood ratio of any two outcomes changes by a factor exp(2 half) at most; so does that of
 * pure epsilon = half.  Infinite unless 0 < half < 1e100.
 */
extern void dp_accounting_range_variance(DpCurve *cost, double half, int groups);

/*
 * The same for discrete Gaussian noise on `groups` totals, each of which moves by at most
 * `sensitivity`; infinite for sigma = 1.
 */
extern void dp_accounting_gaussian_variance(DpCurve *cost, uint64_t sigma, uint64_t sensitivity,
											int groups);

/*
 * Half the range of the likelihood ratio of releases on a Poisson sample of rate p < 1,
 * rounded up. `epsilon` is their pure epsilon together, without the sample; infinite if
 * it is.
 */
extern double dp_accounting_sampled_range(double epsilon, double p);

/*
 * Set the variance and coarseness of `bound` to those of anything that has a pure epsilon and of which
 * Renyi divergences, in both directions of neighbours, are at most those of a cost: by its pure epsilon
 * and orders from 2 on.  Infinite if either is, or if that of order 2 is large.
 */
extern void dp_accounting_curve_variance(DpCurve *bound, const DpCurve *cost);

/*
 * Lower the variance of a cost to that of what runs on a Poisson sample of rate p < 1: the cost's curve
 * and pure epsilon are the sample's, and its variance and `whole`, a pure epsilon, are without it.
 */
extern void dp_accounting_sample_variance(DpCurve *cost, double whole, double p);

/*
 * The log-variance that a history with this total needs at its beginning, rounded up: the left
 * side of the rule.  Infinite for a total that is negative or no number, or which cannot be one:
 * every release's Renyi divergence of order 2 is at most its variance.
 */
extern double dp_accounting_variance_needed(const DpCurve *total);

/*
 * The least epsilon, rounded up, for which a budget with this share of delta admits such a
 * history by the second rule; infinite if none does.
 */
extern double dp_accounting_variance_epsilon(const DpCurve *total, double delta);

#endif							/* DP_ACCOUNTING_VARIANCE_H */
