/*
 * accounting.c
 *	  Calibration, curves and the filter on any parameters at all.
 *
 * What calibration admits is noise the samplers can draw, no weaker than the
 * loss asked for; costs are never negative or no number; what the filter
 * refuses stays refused with more charged; and the loss it shows is one at
 * which it admits.
 */
#include <math.h>

#include "input.h"

#include "accounting/calibrate.h"
#include "accounting/composition.h"
#include "accounting/conversion.h"
#include "accounting/filter.h"
#include "accounting/mechanisms.h"
#include "accounting/threshold.h"
#include "noise/sampler.h"

/* Mostly in range, sometimes anything. */
static double
take_parameter(Input *input, int least, int most)
{
	return take_word(input) % 8 == 0 ? take_double(input) : take_scaled(input, least, most);
}

/* Noise that was admitted is drawable and strong enough. */
static void
check_noise(const DpNoise *noise, double epsilon, int groups)
{
	CLAIM(noise->groups == groups && noise->sensitivity >= 1);
	/* In the value's unit it may be less than the least double. */
	CLAIM(dp_accounting_stddev(noise) > 0 || noise->grid < -900);
	if (noise->mechanism == DP_GAUSSIAN)
	{
		CLAIM(noise->sigma >= 1 && noise->sigma <= DP_NOISE_MAX_SIGMA);
		return;
	}
	CLAIM(noise->scale_num >= 1 && noise->scale_num <= DP_NOISE_MAX_SCALE_NUM);
	CLAIM(noise->scale_den >= 1 && noise->scale_den <= DP_NOISE_MAX_SCALE_DEN);

	/* num / den >= sensitivity * groups / epsilon, as exactly as long doubles tell */
	CLAIM((long double) noise->scale_num * epsilon * (1 + 0x1p-60L) >=
		  (long double) noise->scale_den * noise->sensitivity * groups);
}

/* No component of a cost is negative or no number. */
static void
check_cost(const DpCurve *cost)
{
	for (int i = 0; i < DP_ORDERS; i++)
		CLAIM(cost->rdp[i] >= 0);
	CLAIM(cost->pure >= 0 && cost->delta >= 0);
	CLAIM(cost->variance >= 0 && cost->coarseness >= 0 && cost->coarseness < INFINITY);
}

/* One release with these parameters; adds its cost. */
static void
release(Input *input, DpCurve *total)
{
	DpMechanism mechanism = take_word(input) & 1 ? DP_GAUSSIAN : DP_LAPLACE;
	double		epsilon = take_parameter(input, -30, 21);
	double		delta = take_parameter(input, -100, 0);
	int			groups = (int) take_between(input, -1, 1000000);
	int			parts = (int) take_between(input, 1, 2);
	double		bound = take_parameter(input, -1070, 1023);
	int			grid = dp_accounting_grid(mechanism, epsilon, delta, groups, parts, bound, take_word(input) & 1);
	uint64_t	sensitivity = take_word(input) >> take_between(input, 1, 63);
	DpNoise		noise = {0};
	DpCurve		cost = {{0}};

	CLAIM(grid > -3000 && grid < 3000);
	if (dp_accounting_calibrate(&noise, mechanism, epsilon, delta, groups, parts, sensitivity, grid) != NULL)
		return;
	check_noise(&noise, epsilon, groups);
	dp_accounting_add_noise(&cost, &noise);
	if (delta > 0 && delta < 1)
	{
		CLAIM(dp_accounting_threshold(&noise, delta) >= 1);
		dp_accounting_add_delta(&cost, delta);
	}
	check_cost(&cost);
	dp_accounting_compose(total, &cost);
	check_cost(total);
}

/* Curves that are functions of their own: no number only for what is none. */
static void
check_curves(Input *input)
{
	double		alpha = take_scaled(input, 0, 29) + 0.01;
	double		epsilon = take_parameter(input, -60, 20);
	double		delta = take_parameter(input, -300, 0);
	double		scale = take_scaled(input, -9, 59);
	double		rdp = take_scaled(input, -60, 20);
	int			k = (int) take_between(input, 1, 1000);

	CLAIM(dp_accounting_rdp_pure(alpha, fabs(take_scaled(input, -60, 20))) >= 0);
	CLAIM(dp_accounting_rdp_laplace(alpha, scale, 1) >= 0);
	CLAIM(dp_accounting_rdp_gaussian(alpha, scale, 1) >= 0);
	(void) dp_accounting_rdp_to_epsilon(alpha, rdp, delta);
	(void) dp_accounting_rdp_to_delta(alpha, rdp, epsilon);
	(void) dp_accounting_zcdp_to_epsilon(rdp, delta);
	(void) dp_accounting_zcdp_to_delta(rdp, epsilon);
	(void) dp_accounting_advanced_composition_drv(epsilon, k, delta);
	(void) dp_accounting_kov_optimal(epsilon, delta, k, take_scaled(input, -100, 0));
	(void) dp_accounting_group_privacy(epsilon, delta, k);
	(void) dp_accounting_discrete_laplace_threshold(scale, delta, k);
	(void) dp_accounting_partition_select(take_between(input, 0, 100000), epsilon, delta);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	DpLimit		limit;
	DpCurve		total = {{0}};
	bool		admitted = true;

	if (take_word(&input) % 4 == 0)
		check_curves(&input);
	if (dp_accounting_limit_init(&limit, take_parameter(&input, -20, 20),
								 take_parameter(&input, -100, 0), &dp_accounting_default_shares) != NULL)
		return 0;
	CLAIM(dp_accounting_admits(&limit, &total));
	for (int i = 0; i < 8 && input.left > 0; i++)
	{
		bool		now;
		double		spent;

		release(&input, &total);
		now = dp_accounting_admits(&limit, &total);
		spent = dp_accounting_epsilon_spent(&limit, &total);
		CLAIM(admitted || !now);
		CLAIM(spent >= 0);
		CLAIM(now == (spent <= limit.epsilon) || fabs(spent / limit.epsilon - 1) < 1e-6);
		admitted = now;
	}
	return 0;
}
