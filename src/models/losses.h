/* SPDX-License-Identifier: PostgreSQL */
/*
 * losses.h
 *	  Losses of many linear models on a row, in integers.
 *
 * Plain C: no server header.  A row has coordinates from -1 to 1, a model a weight for each and
 * one before them, the intercept.  What the model says of the row is the sum of the products, exact on
 * a grid of 2^-34.  A loss of 0 to its bound becomes an integer from 0 to 2^16.  Nothing here
 * depends on a math library: every server has the same losses.
 */
#ifndef DP_MODELS_LOSSES_H
#define DP_MODELS_LOSSES_H

#include "models/layout.h"

/* Models, and weights of all of them together. */
#define DP_MOST_MODELS 65536
#define DP_MOST_WEIGHTS 400000

/* Greatest time for a row, in nanoseconds, for each model and each of its weights. */
#define DP_NANOSECONDS_OF_MODEL 4.0
#define DP_NANOSECONDS_OF_WEIGHT 1.5

/* Weights are in units of 2^-20, and what a model says of 2^-34. */
#define DP_WEIGHT_BITS 20
#define DP_SCORE_BITS (DP_MODEL_GRID_BITS + DP_WEIGHT_BITS)

/* A loss at its bound, and the greatest weight. */
#define DP_LOSS_BITS 16
#define DP_MOST_WEIGHT 1024

/* Bounds of losses that have one. */
#define DP_LEAST_LOSS_BOUND 0x1p-10
#define DP_MOST_LOSS_BOUND 0x1p+16

typedef enum DpLoss
{
	DP_LOSS_ZERO_ONE,			/* the model is wrong about a condition */
	DP_LOSS_LOGISTIC,
	DP_LOSS_HINGE,
	DP_LOSS_SQUARED,			/* of a number, in units in which the bound is 1 */
	DP_LOSS_ABSOLUTE
} DpLoss;

#define DP_LOSSES (DP_LOSS_ABSOLUTE + 1)

/* Is it about a number?  Else about a condition. */
static inline bool
dp_models_loss_is_of_number(DpLoss loss)
{
	return loss == DP_LOSS_SQUARED || loss == DP_LOSS_ABSOLUTE;
}

/* Points of log(1 + exp(-x)), x = 0, 1/256 ... 16. */
#define DP_SOFTPLUS_POINTS 4097

/* Models, ready to be held against rows. */
typedef struct DpModels
{
	DpLoss		loss;
	int			count;
	int			terms;			/* coordinates, and one */
	const int32_t *weight;		/* the first of each model, the second of each, ... */
	uint64_t	bound;			/* logistic, hinge: in units of 2^-24 */
	uint64_t	factor;			/* 2^62 / bound */
	int32_t		softplus[DP_SOFTPLUS_POINTS];	/* in units of 2^-24 */
} DpModels;

/* Sums of losses, each times a row's weight, of up to 2^32. */
typedef unsigned __int128 DpLossTotal;

/*
 * Get ready.  A bound of logistic or hinge loss is from DP_LEAST_LOSS_BOUND to
 * DP_MOST_LOSS_BOUND; of others it does not matter.  `weight` is kept.
 */
extern void dp_models_init(DpModels *models, DpLoss loss, double bound, int count, int terms,
						   const int32_t *weight);

/* A number beyond that, in units of 2^-34, is as far from all that models say as one there. */
#define DP_MOST_TARGET (INT64_C(1) << (DP_SCORE_BITS + 17))

/*
 * total[i] += weight times the loss of model i on a row, weight <= 2^16.  x[0] is 2^14, the others are
 * coordinates.  y is more than 0 or not, or of a number itself, in units of 2^-34, at most DP_MOST_TARGET in size.
 */
extern void dp_models_add(const DpModels *models, const int32_t *x, int64_t y, uint32_t weight,
						  DpLossTotal *total);

#endif							/* DP_MODELS_LOSSES_H */
