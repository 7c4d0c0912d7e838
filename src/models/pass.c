/* SPDX-License-Identifier: PostgreSQL */
/*
 * pass.c
 *	  One pass over rows: gradient and curvature at public weights; see pass.h.
 *
 * How anything rounds is of no concern to privacy: bounds hold for whatever the table gives.  A score is at
 * most 65 * 2^39 in size.
 */
#include <string.h>

#include "models/fixed.h"
#include "models/pass.h"

/* Scores are counted in units of so many bits. */
#define SCORE_BITS (DP_MODEL_GRID_BITS + DP_PASS_WEIGHT_BITS)
#define SCORE_ONE (INT64_C(1) << SCORE_BITS)

/* The table ends at 2^4, and has steps of 2^-7. */
#define REACH_BITS 4
#define STEP_BITS 7
#define REACH (INT64_C(1) << (SCORE_BITS + REACH_BITS))
#define STEP_SHIFT (SCORE_BITS - STEP_BITS)

/* Blocks with coordinates, without the last. */
static int
count_blocks(const DpModelSpec *spec)
{
	int			count = 0;

	for (int b = 0; b < spec->blocks - 1; b++)
		count += spec->block[b].coordinates > 0;
	return count;
}

int
dp_models_pass_totals(const DpModelSpec *spec)
{
	return dp_models_model_coordinates(spec) + 2;
}

int
dp_models_pass_four_squares(const DpModelSpec *spec, DpPassLoss loss)
{
	return 4 * (1 + count_blocks(spec)) + (loss == DP_PASS_HINGE);
}

int
dp_models_pass_two_magnitudes(const DpModelSpec *spec, DpPassLoss loss)
{
	return 2 * (1 + count_blocks(spec)) + (loss == DP_PASS_HINGE);
}

/* The logistic function of steps from -middle to middle, in units of 1 / G, to the nearest. */
static void
set_logistic(int32_t *point)
{
	const int	middle = (DP_LOGISTIC_POINTS - 1) / 2;
	int64_t		factor = dp_models_fixed_exp_of_step(STEP_BITS);
	int64_t		power = DP_FIXED_ONE;

	for (int i = 0; i <= middle; i++)
	{
		int64_t		less = dp_models_fixed_quotient(power, DP_FIXED_ONE + power);
		int64_t		half = INT64_C(1) << (DP_FIXED_BITS - DP_MODEL_GRID_BITS - 1);

		point[middle - i] = (int32_t) ((less + half) >> (DP_FIXED_BITS - DP_MODEL_GRID_BITS));
		point[middle + i] = DP_MODEL_GRID - point[middle - i];
		power = dp_models_fixed_product(power, factor);
	}
}

void
dp_models_pass_init(DpPass *pass, const DpModelSpec *spec, DpPassLoss loss)
{
	memset(pass, 0, sizeof(*pass));
	pass->loss = loss;
	pass->terms = 1;
	pass->blocks = spec->blocks - 1;
	for (int b = 0; b < pass->blocks; b++)
	{
		pass->first[b] = (int16_t) pass->terms;
		pass->keys[b] = spec->block[b].kind == DP_MODEL_KEYS;
		pass->terms += spec->block[b].coordinates;
	}
	set_logistic(pass->logistic);
}

void
dp_models_pass_begin(DpPass *pass, const int32_t *weight)
{
	memcpy(pass->weight, weight, sizeof(int32_t) * (size_t) pass->terms);
	memset(pass->sum, 0, sizeof(pass->sum));
	memset(pass->total, 0, sizeof(pass->total));
	pass->pending = 0;
}

/* The logistic function of a score, from 0 to G: between the points of the table, linear. */
static inline int32_t
probability(const DpPass *pass, int64_t score)
{
	int64_t		place = score + REACH;
	int64_t		step = place >> STEP_SHIFT;
	int64_t		part = place & ((INT64_C(1) << STEP_SHIFT) - 1);
	int64_t		rise;

	if (place <= 0)
		return pass->logistic[0];
	if (step >= DP_LOGISTIC_POINTS - 1)
		return pass->logistic[DP_LOGISTIC_POINTS - 1];
	rise = pass->logistic[step + 1] - pass->logistic[step];
	return pass->logistic[step] + (int32_t) ((rise * part + (INT64_C(1) << (STEP_SHIFT - 1))) >> STEP_SHIFT);
}

/* Slope and curvature of a row's loss, in units of 1 / G; a logistic one from 0 to 1/2 with the p of the slope. */
static inline int32_t
slope_of(const DpPass *pass, int64_t score, int32_t y, int32_t *curvature)
{
	int64_t		margin = y > 0 ? score : -score;
	int64_t		inside = SCORE_ONE + SCORE_ONE / 2 - margin;
	int32_t		p;

	if (pass->loss == DP_PASS_LOGISTIC)
	{
		p = probability(pass, score);
		*curvature = 2 * p * (DP_MODEL_GRID - p) / DP_MODEL_GRID;
		return y > 0 ? p - DP_MODEL_GRID : p;
	}
	*curvature = inside > 0 && inside < SCORE_ONE ? DP_MODEL_GRID / 2 : 0;
	inside = inside > 0 ? inside : 0;
	inside = inside < SCORE_ONE ? inside : SCORE_ONE;
	p = (int32_t) ((inside + (INT64_C(1) << (DP_PASS_WEIGHT_BITS - 1))) >> DP_PASS_WEIGHT_BITS);
	return y > 0 ? -p : p;
}

/* Add what rows came to since the last time to the totals. */
static void
settle(DpPass *pass)
{
	for (int i = 0; i <= pass->terms; i++)
		pass->total[i] += pass->sum[i];
	memset(pass->sum, 0, sizeof(pass->sum));
	pass->pending = 0;
}

/*
 * Score of a row by the weights; its coordinates of keys are 0 but for one that is
 * 1, or all.
 */
static inline int64_t
score_of(const DpPass *pass, const int16_t *number)
{
	int64_t		score = (int64_t) pass->weight[0] * DP_MODEL_GRID;

	for (int b = 0; b < pass->blocks; b++)
	{
		if (!pass->keys[b])
			score += (int64_t) pass->weight[pass->first[b]] * number[b];
		else if (number[b] > 1)
			score += (int64_t) pass->weight[pass->first[b] + number[b] - 2] * DP_MODEL_GRID;
	}
	return score;
}

void
dp_models_pass_add(DpPass *pass, const char *record)
{
	int16_t		number[DP_MODEL_MOST_BLOCKS];
	uint32_t	row_weight;
	int64_t		slope;
	int32_t		curvature;

	memcpy(&row_weight, record, sizeof(row_weight));
	memcpy(number, record + sizeof(row_weight), (size_t) (pass->blocks + 1) * sizeof(int16_t));
	slope = slope_of(pass, score_of(pass, number), number[pass->blocks], &curvature) * (int64_t) row_weight;
	pass->sum[0] += slope * DP_MODEL_GRID;
	for (int b = 0; b < pass->blocks; b++)
	{
		if (!pass->keys[b])
			pass->sum[pass->first[b]] += slope * number[b];
		else if (number[b] > 1)
			pass->sum[pass->first[b] + number[b] - 2] += slope * DP_MODEL_GRID;
	}
	pass->sum[pass->terms] += (int64_t) row_weight * curvature * DP_MODEL_GRID;
	if (++pass->pending == DP_MODEL_ROWS_THAT_FIT)
		settle(pass);
}

void
dp_models_pass_end(DpPass *pass)
{
	settle(pass);
}

size_t
dp_models_pass_record_size(const DpModelSpec *spec)
{
	return sizeof(uint32_t) + (size_t) spec->blocks * sizeof(int16_t);
}

void
dp_models_pass_write_record(const DpModelSpec *spec, const int32_t *value, int64_t row_weight, char *record)
{
	uint32_t	weighs = (uint32_t) row_weight;

	memcpy(record, &weighs, sizeof(weighs));
	record += sizeof(weighs);
	for (int b = 0; b < spec->blocks; b++)
	{
		int32_t		within = value[b] < DP_MODEL_GRID ? value[b] : DP_MODEL_GRID;
		int16_t		number;

		within = within > -DP_MODEL_GRID ? within : -DP_MODEL_GRID;
		if (spec->block[b].kind == DP_MODEL_BOOLEAN)
			within = within > 0 ? DP_MODEL_GRID : -DP_MODEL_GRID;
		number = (int16_t) within;
		memcpy(record, &number, sizeof(number));
		record += sizeof(number);
	}
}

int64_t
dp_models_pass_read_record(const DpModelSpec *spec, const char *record, int32_t *value)
{
	uint32_t	weighs;
	int16_t		number[DP_MODEL_MOST_BLOCKS];

	memcpy(&weighs, record, sizeof(weighs));
	memcpy(number, record + sizeof(weighs), (size_t) spec->blocks * sizeof(int16_t));
	for (int b = 0; b < spec->blocks; b++)
		value[b] = number[b];
	return weighs;
}
