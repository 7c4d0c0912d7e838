/* SPDX-License-Identifier: PostgreSQL */
/*
 * loss.h
 *	  Privacy-loss distributions, tilted, on a grid: what pld.c composes; for
 *	  this room only.
 *
 * Plain C: no server header.
 *
 * The privacy loss of a pair of distributions (P, Q) is L = log dP/dQ, drawn
 * from P.  Losses of independent releases add up, so their distributions are
 * convolved, and
 *
 *	 delta(epsilon) = sum over l > epsilon of (1 - exp(epsilon - l)) P[L = l].
 *
 * Two things make that a certified bound in doubles.
 *
 * Grid.  A loss l between two points of a grid of width h is split onto both so
 * that its mass under P and its mass under Q are kept.  That is a coarser pair
 * turned into a finer one of which it is a function, so delta never falls; the
 * mean loss rises by about h^2/12 only (Doroshenko, Ghazi, Kamath, Kumar,
 * Manurangsi 2022, "Connect the dots").
 *
 * Tilt.  Masses are multiplied by exp(theta l) and scaled to 1, which commutes
 * with convolution.  With theta near the best Renyi order less 1, the
 * losses around epsilon carry most of the mass, and rounding errors, which are
 * small against the largest masses, are small against delta, however small.
 */
#ifndef DP_ACCOUNTING_LOSS_H
#define DP_ACCOUNTING_LOSS_H

#include "accounting/fft.h"
#include "accounting/pld.h"

/*
 * A distribution of losses.  Point i = 0 .. points - 1 lies at
 * l = top - (points - 1 - i) step.  There is a distribution of losses P' with
 * delta' >= delta, when its losses are raised by `raise`, and
 *
 *	 P'(l) <= exp(log_scale - theta l) (mass(l) + m(l)),
 *
 * where m, the mass that was cut off or rounded away, has a total of at most
 * `lost` and may be at any loss.  The masses add up to about 1.
 */
typedef struct DpLoss
{
	double	   *mass;
	int			points;
	long double top;
	long double step;
	long double log_scale;
	long double lost;
	long double raise;
} DpLoss;

/* Parameters that all distributions of one computation share. */
typedef struct DpLossWork
{
	const DpPldServices *services;
	long double theta;			/* the tilt, > 0 */
	int			max_points;		/* more are thinned out; at most 2^20 */
	DpFftPoint *roots;			/* of transforms up to this length */
	int			roots_length;
} DpLossWork;

/*
 * Split a unit of tilted mass with a loss `below` a grid point, which is
 * 0 .. step, onto that point and the next one below.
 */
extern void dp_accounting_loss_split(const DpLossWork *work, long double step, long double below,
									 long double *upper, long double *lower);

extern void dp_accounting_loss_free(DpLossWork *work, DpLoss *loss);

/*
 * The sum of two independent losses on grids of the same step; tails of mass
 * up to `cut` are cut off.
 */
extern DpLoss dp_accounting_loss_add(DpLossWork *work, const DpLoss *a, const DpLoss *b,
									 long double cut);

/* *loss = the sum of `count` independent ones; tails up to about `cut` are cut off. */
extern void dp_accounting_loss_multiply(DpLossWork *work, DpLoss *loss, int64_t count,
										long double cut);

/* Put a distribution onto a grid of another step, with the same top. */
extern void dp_accounting_loss_regrid(DpLossWork *work, DpLoss *loss, long double step);

/*
 * The least epsilon >= 0, rounded up, with delta(epsilon) <= delta.
 */
extern long double dp_accounting_loss_epsilon(const DpLossWork *work, const DpLoss *loss,
											  long double delta);

/*
 * The losses of single releases, from loss_mechanism.c: discrete Laplace noise
 * with scale 1/s (for randomised response s = epsilon, sensitivity 1); draws of bounded
 * range; above threshold, of this pure epsilon; discrete Gaussian noise; Gaussian noise
 * with mu = sensitivity / sigma, all probabilities times exp(excess).
 */
extern DpLoss dp_accounting_loss_laplace(DpLossWork *work, long double s, uint64_t sensitivity);
extern DpLoss dp_accounting_loss_range(DpLossWork *work, long double range);
extern DpLoss dp_accounting_loss_above_threshold(DpLossWork *work, long double epsilon);
extern DpLoss dp_accounting_loss_discrete_gaussian(DpLossWork *work, long double sigma,
												   uint64_t sensitivity);
extern DpLoss dp_accounting_loss_gaussian(DpLossWork *work, long double mu, long double excess);

#endif							/* DP_ACCOUNTING_LOSS_H */
