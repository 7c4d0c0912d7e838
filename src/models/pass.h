/* SPDX-License-Identifier: PostgreSQL */
/*
 * pass.h
 *	  One pass over rows towards a logistic regression or a linear support vector machine: the
 *	  gradient of the loss at public weights, and its curvature.
 *
 * Plain C: no server header.  Integers alone, from a row to the totals: the same on every server, in any order
 * of rows.
 *
 * Rows are those of a model (layout.h) whose last block is a boolean, y.  With v the constant and the
 * coordinates of the other blocks, and z = w v, a row has the slope s of its loss in z, and half or twice its
 * second derivative, c:
 *
 *		logistic	s = p - [y], p = 1 / (1 + exp(-z))		c = 2 p (1 - p)
 *		hinge		s = -y clamp(1.5 - y z, 0, 1), y = -1, 1	c = 1/2 where that is inside
 *
 * the latter of a hinge whose corner is rounded.  Totals are those of s v_i and of c, in units of 1 / G^2.
 * With B >= 1 blocks that have coordinates, y not among them, a row's have
 *
 *		sum of squares     at most  S = 1 + B, of hinge 1/4 more
 *		sum of magnitudes  at most  L = 1 + B, of hinge 1/2 more
 *
 * and some row has both.  Proof: doc/accounting.md.
 */
#ifndef DP_MODELS_PASS_H
#define DP_MODELS_PASS_H

#include <stddef.h>

#include "models/layout.h"

#define DP_MOST_PASSES 8

/* Weights are counted in 2^-20, and are 20 at most. */
#define DP_PASS_WEIGHT_BITS 20
#define DP_PASS_MOST_WEIGHT 20

#define DP_PASS_MOST_TERMS (DP_MODEL_MOST_COORDINATES + 1)
#define DP_PASS_MOST_TOTALS (DP_PASS_MOST_TERMS + 1)

/* The logistic function between -16 and 16, in steps of 2^-7. */
#define DP_LOGISTIC_POINTS 4097

typedef enum DpPassLoss
{
	DP_PASS_LOGISTIC,
	DP_PASS_HINGE
} DpPassLoss;

#define DP_PASS_LOSSES (DP_PASS_HINGE + 1)

/* Number of totals: of terms, which are the intercept and the coordinates, and of curvature. */
extern int	dp_models_pass_totals(const DpModelSpec *spec);

/* 4 S and 2 L, see above: whole numbers. */
extern int	dp_models_pass_four_squares(const DpModelSpec *spec, DpPassLoss loss);
extern int	dp_models_pass_two_magnitudes(const DpModelSpec *spec, DpPassLoss loss);

/* A pass and what rows came to in it. */
typedef struct DpPass
{
	DpPassLoss	loss;
	int			terms;
	int			blocks;			/* without that of y */
	int16_t		first[DP_MODEL_MOST_BLOCKS];	/* term of each */
	bool		keys[DP_MODEL_MOST_BLOCKS]; /* is it one of keys? */
	int64_t		pending;		/* rows that are in `sum`, not yet in `total` */
	int32_t		weight[DP_PASS_MOST_TERMS];
	int64_t		sum[DP_PASS_MOST_TOTALS];
	DpModelTotal total[DP_PASS_MOST_TOTALS];
	int32_t		logistic[DP_LOGISTIC_POINTS];	/* of 0 to G */
} DpPass;

/* Ready for passes of a loss; and for one at these weights, without rows. */
extern void dp_models_pass_init(DpPass *pass, const DpModelSpec *spec, DpPassLoss loss);
extern void dp_models_pass_begin(DpPass *pass, const int32_t *weight);

/*
 * Rows as they are kept between passes: what each weighs, 2^16 at most, and a number for each block.  These are what
 * dp_models_model_vector takes, and was found to make a vector of; reading them back makes the same one.
 */
#define DP_PASS_MOST_RECORD (sizeof(uint32_t) + DP_MODEL_MOST_BLOCKS * sizeof(int16_t))

extern size_t dp_models_pass_record_size(const DpModelSpec *spec);
extern void dp_models_pass_write_record(const DpModelSpec *spec, const int32_t *value, int64_t row_weight, char *record);
extern int64_t dp_models_pass_read_record(const DpModelSpec *spec, const char *record, int32_t *value);

/* Add the row of a record. */
extern void dp_models_pass_add(DpPass *pass, const char *record);

/* Complete the totals, after the last row. */
extern void dp_models_pass_end(DpPass *pass);

#endif							/* DP_MODELS_PASS_H */
