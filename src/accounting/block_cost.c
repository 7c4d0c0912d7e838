/* SPDX-License-Identifier: PostgreSQL */
/*
 * block_cost.c
 *	  What releases of one block cost together.
 */
#include <math.h>
#include <stddef.h>

#include "accounting/block_cost.h"
#include "accounting/rounding.h"
#include "accounting/subsampling.h"

/* The choice's part of what a block costs by its curve, where it is small: of the squares of epsilons. */
#define CHOICE_PART 0.0625

/* And at most of epsilon, with Laplace noise. */
#define MOST_SHARE 0.05

/* The factor on the standard deviation of Gaussian noise that leaves the choice its part, rounded up. */
#define PARTED_SIGMA 1.0327955589886446L

/* Bits of Gaussian noise in grid units, and of what a unit moves. */
#define SIGMA_BITS 40
#define UNIT_BITS 8

int
dp_accounting_classes(int most)
{
	int			classes = 1;

	while (dp_accounting_groups_of_class(most, classes - 1) < most)
		classes++;
	return classes;
}

int
dp_accounting_groups_of_class(int most, int class)
{
	return class < 31 && (1 << class) < most ? 1 << class : most;
}

double
dp_accounting_precision(const DpNoise *noise)
{
	double		precision = 0;
	DpNoise		charged[DP_CHARGED_MOST];
	int			count = dp_accounting_charged(noise, charged);

	for (int i = 0; i < count; i++)
	{
		double		ratio = (double) charged[i].sensitivity / (double) charged[i].sigma;

		precision += charged[i].groups * ratio * ratio;
	}
	return precision;
}

/* Gaussian noise of this standard deviation, for numbers that a unit moves by 1. */
static const char *
set_gaussian(DpNoise *noise, double sigma)
{
	int			bits = SIGMA_BITS - ilogb(sigma);

	bits = bits > UNIT_BITS ? bits : UNIT_BITS;
	if (bits > 62)
		return "noise scale is too small";
	*noise = (DpNoise) {.mechanism = DP_GAUSSIAN, .groups = 1, .grid = -bits,
		.sensitivity = UINT64_C(1) << bits, .sigma = UINT64_C(1) << bits};
	return dp_accounting_rescale(noise, sigma);
}

/*
 * Epsilons e(i) with Laplace noise cost about the sum of e(i)^2 / most, and the numbers of units
 * about the square of what they have, twice the order times either: see doc/accounting.md.
 */
const char *
dp_accounting_calibrate_classes(DpNoise *classes, double *share, long double *factor,
								const DpAskedNoise *asked, int most)
{
	double		epsilon;
	int			grid;

	if (asked->mechanism == DP_GAUSSIAN)
	{
		*share = 1 - sqrt(1 - CHOICE_PART);
		*factor = PARTED_SIGMA;
		return set_gaussian(classes, 1 / sqrt(CHOICE_PART * asked->precision));
	}
	epsilon = fmin(sqrt(CHOICE_PART * asked->squares / most), MOST_SHARE * asked->epsilon);
	*share = epsilon / asked->epsilon;
	*factor = 1 / (1 - (long double) *share);
	grid = dp_accounting_grid(DP_LAPLACE, epsilon, 0, 1, 1, 1, true);
	return dp_accounting_calibrate(classes, DP_LAPLACE, epsilon, 0, 1, 1, (uint64_t) ceil(ldexp(1, -grid)), grid);
}

const char *
dp_accounting_noise_of_groups(DpNoise *noise, int most, int groups)
{
	noise->groups = groups;
	return groups == most ? NULL : dp_accounting_rescale(noise, sqrtl((long double) groups / most));
}

const char *
dp_accounting_joint_noise_of_groups(DpNoise *noise, int most, int groups)
{
	uint64_t	before = noise->sensitivity;
	unsigned __int128 moved = (unsigned __int128) before * groups;

	if (groups == most)
		return NULL;
	noise->sensitivity = (uint64_t) ((moved + most - 1) / most);
	return dp_accounting_rescale(noise, (long double) noise->sensitivity / before);
}

const char *const dp_accounting_mechanism_name[DP_MECHANISMS] = {
	[DP_LAPLACE] = "laplace",
	[DP_GAUSSIAN] = "gaussian",
	[DP_EXPONENTIAL] = "exponential",
	[DP_PERMUTE_AND_FLIP] = "permute_and_flip",
	[DP_ABOVE_THRESHOLD] = "above_threshold"
};

/*
 * The Laplace average releases two complementary totals: a unit that moves one
 * by x moves the other by width - x, so the pair costs what one of them costs
 * at full width.  Gaussian noise terms are charged each.
 */
int
dp_accounting_charged_terms(DpMechanism mechanism, int terms)
{
	return mechanism == DP_LAPLACE ? 1 : terms;
}

void
dp_accounting_add_release(DpCurve *cost, const DpNoise *noise, int terms)
{
	int			charged = dp_accounting_charged_terms(noise[0].mechanism, terms);

	for (int i = 0; i < charged; i++)
		dp_accounting_add_noise(cost, &noise[i]);
}

void
dp_accounting_complete_block(DpCurve *cost, double sample_rate, double threshold_delta)
{
	dp_accounting_amplify(cost, sample_rate);
	if (threshold_delta > 0)
		dp_accounting_add_delta(cost, threshold_delta);
}
