/* SPDX-License-Identifier: PostgreSQL */
/*
 * losses.c
 *	  Losses of many linear models on a row, in integers.
 *
 * Which integer a loss becomes is a function of row and model alone, from 0 to 2^16: how it
 * rounds is of no concern to privacy.  A score is at most 65 * 2^44 in size.
 */
#include <math.h>
#include <stddef.h>

#include "models/fixed.h"
#include "models/losses.h"

/* Logistic and hinge losses are in units of 2^-24. */
#define UNIT_BITS 24

/* Steps of the table are 2^-8. */
#define STEP_BITS 8
#define STEP_SHIFT (DP_SCORE_BITS - STEP_BITS)

/* Models whose scores are held at a time. */
#define CHUNK 512

/* log(1 + x), 0 <= x <= 1: twice the inverse hyperbolic tangent of x / (2 + x). */
static int64_t
fixed_log1p(int64_t x)
{
	int64_t		s = (int64_t) (((__int128) x << DP_FIXED_BITS) / (2 * (__int128) DP_FIXED_ONE + x));
	int64_t		square = dp_models_fixed_product(s, s);
	int64_t		sum = 0;

	for (int k = 1; s > 0; k += 2)
	{
		sum += s / k;
		s = dp_models_fixed_product(s, square);
	}
	return 2 * sum;
}

static void
set_softplus(int32_t *point)
{
	int64_t		factor = dp_models_fixed_exp_of_step(STEP_BITS);
	int64_t		power = DP_FIXED_ONE;

	for (int i = 0; i < DP_SOFTPLUS_POINTS; i++)
	{
		int64_t		half = INT64_C(1) << (DP_FIXED_BITS - UNIT_BITS - 1);

		point[i] = (int32_t) ((fixed_log1p(power) + half) >> (DP_FIXED_BITS - UNIT_BITS));
		power = dp_models_fixed_product(power, factor);
	}
}

void
dp_models_init(DpModels *models, DpLoss loss, double bound, int count, int terms,
			   const int32_t *weight)
{
	models->loss = loss;
	models->count = count;
	models->terms = terms;
	models->weight = weight;
	models->bound = 1;
	models->factor = 0;
	if (loss != DP_LOSS_LOGISTIC && loss != DP_LOSS_HINGE)
		return;
	models->bound = (uint64_t) rint(ldexp(bound, UNIT_BITS));
	models->factor = (UINT64_C(1) << 62) / models->bound;
	set_softplus(models->softplus);
}

/* A loss in units of 2^-24, cut at its bound, which becomes 2^16 or a little less. */
static inline uint64_t
cut(const DpModels *models, uint64_t loss)
{
	loss = loss < models->bound ? loss : models->bound;
	return (loss * models->factor) >> (62 - DP_LOSS_BITS);
}

/* log(1 + exp(-margin)): between the points of the table, linear. */
static inline uint64_t
logistic(const DpModels *models, int64_t margin)
{
	uint64_t	size = (uint64_t) (margin < 0 ? -margin : margin);
	uint64_t	step = size >> STEP_SHIFT;
	uint64_t	part = size & ((UINT64_C(1) << STEP_SHIFT) - 1);
	uint64_t	loss = margin < 0 ? size >> (DP_SCORE_BITS - UNIT_BITS) : 0;

	if (step < DP_SOFTPLUS_POINTS - 1)
	{
		uint64_t	fall = (uint64_t) (models->softplus[step] - models->softplus[step + 1]);

		loss += (uint64_t) models->softplus[step] - (fall * part >> STEP_SHIFT);
	}
	return cut(models, loss);
}

static inline uint64_t
hinge(const DpModels *models, int64_t margin)
{
	int64_t		loss = (INT64_C(1) << DP_SCORE_BITS) - margin;

	return loss > 0 ? cut(models, (uint64_t) loss >> (DP_SCORE_BITS - UNIT_BITS)) : 0;
}

/* How far a number is from what was said of it, or the square of that, in units in which the bound is 1. */
static inline uint64_t
distance(int64_t off, bool squared)
{
	uint64_t	size = (uint64_t) (off < 0 ? -off : off);
	uint64_t	part;

	if (size >= UINT64_C(1) << DP_SCORE_BITS)
		return UINT64_C(1) << DP_LOSS_BITS;
	if (!squared)
		return size >> (DP_SCORE_BITS - DP_LOSS_BITS);
	part = size >> 3;
	return part * part >> (2 * (DP_SCORE_BITS - 3) - DP_LOSS_BITS);
}

/* The loss of a model that says this of a row. */
static inline __attribute__((always_inline)) uint64_t
loss_of(const DpModels *models, DpLoss loss, int64_t score, int64_t y)
{
	int64_t		margin = y > 0 ? score : -score;

	switch (loss)
	{
		case DP_LOSS_ZERO_ONE:
			return (uint64_t) ((score > 0) != (y > 0)) << DP_LOSS_BITS;
		case DP_LOSS_LOGISTIC:
			return logistic(models, margin);
		case DP_LOSS_HINGE:
			return hinge(models, margin);
		case DP_LOSS_SQUARED:
			return distance(y - score, true);
		case DP_LOSS_ABSOLUTE:
			return distance(y - score, false);
	}
	return 0;
}

/* Scores of a row by models from `first` on. */
static void
set_scores(const DpModels *models, int first, int count, const int32_t *x, int64_t *score)
{
	for (int i = 0; i < count; i++)
		score[i] = 0;
	for (int term = 0; term < models->terms; term++)
	{
		const int32_t *weight = models->weight + (size_t) term * models->count + first;
		int64_t		coordinate = x[term];

		for (int i = 0; i < count; i++)
			score[i] += weight[i] * coordinate;
	}
}

static inline __attribute__((always_inline)) void
add(const DpModels *models, DpLoss loss, const int32_t *x, int64_t y, uint32_t weight, DpLossTotal *total)
{
	int64_t		score[CHUNK];

	for (int first = 0; first < models->count; first += CHUNK)
	{
		int			left = models->count - first;
		int			count = left < CHUNK ? left : CHUNK;

		set_scores(models, first, count, x, score);
		for (int i = 0; i < count; i++)
			total[first + i] += loss_of(models, loss, score[i], y) * weight;
	}
}

void
dp_models_add(const DpModels *models, const int32_t *x, int64_t y, uint32_t weight,
			  DpLossTotal *total)
{
	switch (models->loss)
	{
		case DP_LOSS_ZERO_ONE:
			add(models, DP_LOSS_ZERO_ONE, x, y, weight, total);
			break;
		case DP_LOSS_LOGISTIC:
			add(models, DP_LOSS_LOGISTIC, x, y, weight, total);
			break;
		case DP_LOSS_HINGE:
			add(models, DP_LOSS_HINGE, x, y, weight, total);
			break;
		case DP_LOSS_SQUARED:
			add(models, DP_LOSS_SQUARED, x, y, weight, total);
			break;
		case DP_LOSS_ABSOLUTE:
			add(models, DP_LOSS_ABSOLUTE, x, y, weight, total);
			break;
	}
}
