/* SPDX-License-Identifier: PostgreSQL */
/*
 * curve.h
 *	  Privacy cost as a Renyi curve on a fixed grid of orders, and the curves
 *	  of the mechanisms.
 *
 * Plain C: no server header.  Every function that charges rounds outward: a
 * result is never below the true value, and within 1e-12 relative of it.
 */
#ifndef DP_ACCOUNTING_CURVE_H
#define DP_ACCOUNTING_CURVE_H

#include <stdint.h>

#define DP_ORDERS 64

/* The grid: DP_ORDERS Renyi orders, ascending, from 1.1 to 4096. */
extern const double dp_accounting_order[DP_ORDERS];

/*
 * Cost of a release, a statement or a whole history.
 */
typedef struct DpCurve
{
	double		rdp[DP_ORDERS]; /* Renyi divergence bound at each order */
	double		pure;			/* pure epsilon; infinite if there is none */
	double		delta;			/* partition-selection delta */
	double		variance;		/* see variance.h; infinite if only the curve is known */
	double		coarseness;		/* of a history, the greatest of its releases' */
} DpCurve;

/* total += cost, each component rounded up; of coarseness, the greater. */
extern void dp_accounting_compose(DpCurve *total, const DpCurve *cost);

/*
 * Raise each component of a cost to that of another where this is more.  What costs one of them or the
 * other, whichever turns out, costs no more than that.
 */
extern void dp_accounting_raise(DpCurve *cost, const DpCurve *other);

/*
 * Renyi divergence of order alpha >= 1.01 of the discrete Laplace mechanism
 * with scale num/den, when one total moves by `sensitivity` >= 1 grid units.
 */
extern double dp_accounting_rdp_discrete_laplace(double alpha, uint64_t num, uint64_t den,
												 uint64_t sensitivity);

/*
 * The same for the discrete Gaussian with integer sigma:
 * alpha * sensitivity^2 / (2 sigma^2).
 */
extern double dp_accounting_rdp_discrete_gaussian(double alpha, uint64_t sigma,
												  uint64_t sensitivity);

/*
 * Renyi divergence of order alpha >= 1.01 of randomised response, the worst
 * epsilon-DP mechanism; infinite if epsilon is infinite, negative or NaN.
 */
extern double dp_accounting_rdp_pure(double alpha, double epsilon);

/*
 * Renyi divergence of order alpha >= 1.01 of the worst pair of laws whose likelihood ratio
 * lies between exp(-down) and exp(up), up, down > 0; infinite if either is.
 */
extern double dp_accounting_rdp_between(double alpha, double up, double down);

#endif							/* DP_ACCOUNTING_CURVE_H */
