/*
 * test_losses.c
 *	  Losses of models: what they are, that none is beyond its bound, and what rows of a unit weigh together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#include "models/losses.h"
#include "noise/coins.h"

#define ONE (INT64_C(1) << DP_SCORE_BITS)
#define LOSS_ONE (1 << DP_LOSS_BITS)
#define MODELS 1100				/* more than two chunks */
#define TERMS 7

static const char *const names[DP_LOSSES] = {"zero_one", "logistic", "hinge", "squared", "absolute"};

static int64_t
between(int64_t low, int64_t high)
{
	return low + (int64_t) dp_noise_uniform_below((uint64_t) (high - low) + 1);
}

/* The loss as the definition has it, as a share of its bound. */
static double
expected_loss(DpLoss loss, double bound, double score, double y)
{
	double		margin = y > 0 ? score : -score;

	switch (loss)
	{
		case DP_LOSS_ZERO_ONE:
			return (score > 0) != (y > 0);
		case DP_LOSS_LOGISTIC:
			return fmin(margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin, bound) / bound;
		case DP_LOSS_HINGE:
			return fmin(fmax(0, 1 - margin), bound) / bound;
		case DP_LOSS_SQUARED:
			return fmin((y - score) * (y - score), 1);
		default:
			return fmin(fabs(y - score), 1);
	}
}

/* y of a row: a condition, or a number around what models say. */
static int64_t
draw_y(DpLoss loss)
{
	if (!dp_models_loss_is_of_number(loss))
		return between(0, 1) ? 1 : -1;
	return between(-3 * ONE, 3 * ONE);
}

/* Is the loss of each model on a row what it should be, to 2^-15 of the bound or 2^-23, times its weight? */
static bool
row_fits(const DpModels *models, double bound, const int32_t *x, int64_t y, uint32_t weight)
{
	static DpLossTotal total[MODELS];
	double		error = 0;

	memset(total, 0, sizeof(total));
	dp_models_add(models, x, y, weight, total);
	for (int i = 0; i < models->count; i++)
	{
		int64_t		score = 0;

		for (int j = 0; j < models->terms; j++)
			score += (int64_t) models->weight[j * models->count + i] * x[j];
		error = fmax(error, fabs((double) total[i] / weight / LOSS_ONE -
								 expected_loss(models->loss, bound, ldexp((double) score, -DP_SCORE_BITS),
											   dp_models_loss_is_of_number(models->loss) ? ldexp((double) y, -DP_SCORE_BITS) : (double) y)));
		if (total[i] > (DpLossTotal) weight * LOSS_ONE)
			return false;
	}
	return error <= fmax(ldexp(1, -15), ldexp(1, -23) / bound);
}

static void
test_rows(DpLoss loss, double bound)
{
	static int32_t weight[MODELS * TERMS];
	static DpModels models;
	bool		fit = true;

	for (int i = 0; i < MODELS * TERMS; i++)
		weight[i] = (int32_t) between(-(2 << DP_WEIGHT_BITS), 2 << DP_WEIGHT_BITS);
	dp_models_init(&models, loss, bound, MODELS, TERMS, weight);
	for (int row = 0; row < 200; row++)
	{
		int32_t		x[TERMS] = {1 << DP_MODEL_GRID_BITS};

		for (int j = 1; j < TERMS; j++)
			x[j] = (int32_t) between(-(1 << DP_MODEL_GRID_BITS), 1 << DP_MODEL_GRID_BITS);
		fit &= row_fits(&models, bound, x, draw_y(loss), (uint32_t) between(1, 1 << 16));
	}
	ok(fit, "loss %s, bound %g: as defined", names[loss], bound);
}

/* Losses at the ends: the greatest models, the farthest numbers. */
static void
test_ends(DpLoss loss, double bound)
{
	static DpModels models;
	int32_t		weight[2 * (DP_MODEL_MOST_COORDINATES + 1)];
	int32_t		x[DP_MODEL_MOST_COORDINATES + 1];
	int64_t		far = dp_models_loss_is_of_number(loss) ? DP_MOST_TARGET : 1;
	DpLossTotal total[2] = {0};
	DpLossTotal most = (DpLossTotal) LOSS_ONE << 16;

	for (int j = 0; j <= DP_MODEL_MOST_COORDINATES; j++)
	{
		weight[2 * j] = DP_MOST_WEIGHT << DP_WEIGHT_BITS;
		weight[2 * j + 1] = -(DP_MOST_WEIGHT << DP_WEIGHT_BITS);
		x[j] = 1 << DP_MODEL_GRID_BITS;
	}
	dp_models_init(&models, loss, bound, 2, DP_MODEL_MOST_COORDINATES + 1, weight);
	dp_models_add(&models, x, -far, 1 << 16, total);
	ok(total[0] <= most && total[0] >= most - (most >> 14) && (total[1] == 0 || loss > DP_LOSS_HINGE),
	   "loss %s, bound %g: at its bound at the ends, and no further", names[loss], bound);
	dp_models_add(&models, x, far, 1 << 16, total);
	ok(total[0] <= 2 * most && total[1] <= 2 * most, "loss %s, bound %g: on the other side", names[loss], bound);
}

/* A row that weighs nothing adds nothing. */
static void
test_no_weight(void)
{
	static DpModels models;
	int32_t		weight[2] = {5 << DP_WEIGHT_BITS, -(5 << DP_WEIGHT_BITS)};
	int32_t		x[1] = {1 << DP_MODEL_GRID_BITS};
	DpLossTotal total[2] = {7, 8};

	dp_models_init(&models, DP_LOSS_HINGE, 4, 2, 1, weight);
	dp_models_add(&models, x, 1, 0, total);
	ok(total[0] == 7 && total[1] == 8, "a row of no weight adds nothing");
}

/* The table: log(1 + exp(-x)) to half a unit, and a little of the reference. */
static void
test_softplus(void)
{
	static DpModels models;
	int32_t		none = 0;
	double		worst = 0;

	dp_models_init(&models, DP_LOSS_LOGISTIC, 4, 1, 1, &none);
	for (int i = 0; i < DP_SOFTPLUS_POINTS; i++)
		worst = fmax(worst, fabs(models.softplus[i] - ldexp(log1p(exp(-i / 256.0)), 24)));
	ok(worst <= 0.5 + 1e-6, "the table of log(1 + exp(-x)) is right in its last digit (%g units off)", worst);
}

/* All rows of a unit weigh no more than is allowed, and as much where they divide. */
static void
test_row_weights(void)
{
	DpModelSpec spec = {.weight_bits = DP_MODEL_WEIGHT_BITS};
	bool		bounded = true;
	bool		reached = true;

	for (spec.max_rows = 1; spec.max_rows <= 300; spec.max_rows++)
		for (int64_t rows = 1; rows <= 2000; rows++)
		{
			int64_t		all = rows * dp_models_model_weight(&spec, rows);
			int64_t		most = (int64_t) spec.max_rows << spec.weight_bits;

			bounded &= all <= most && dp_models_model_weight(&spec, rows) <= 1 << 16;
			reached &= rows < spec.max_rows || all + rows > most;
		}
	ok(bounded, "rows of a unit weigh no more than max_rows");
	ok(reached, "and no less than rounding takes");
}

int
main(void)
{
	const double bounds[] = {DP_LEAST_LOSS_BOUND, 0.3, 1, 4, 100, DP_MOST_LOSS_BOUND};

	for (int loss = 0; loss < DP_LOSSES; loss++)
		for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++)
			if (loss == DP_LOSS_LOGISTIC || loss == DP_LOSS_HINGE || i == 0)
			{
				test_rows((DpLoss) loss, bounds[i]);
				test_ends((DpLoss) loss, bounds[i]);
			}
	test_no_weight();
	test_softplus();
	test_row_weights();
	return done_testing();
}
