/*
 * selector.c
 *	  Thresholds of private groups; see selector.h.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/sum_of_noise.h"
#include "pricing/block.h"
#include "pricing/selector.h"

/* Do two totals of a mean tell its rows together? */
static bool
is_pair(const DpRelease *selector)
{
	return selector->kind == DP_RELEASE_AVG && selector->noise[0].mechanism == DP_LAPLACE;
}

/* The noise of the rows, or of each of the pair. */
static const DpNoise *
noise_of_rows(const DpRelease *selector)
{
	return &selector->noise[selector->kind == DP_RELEASE_AVG ? 1 : 0];
}

int64
dp_query_threshold(const DpRelease *selector, double delta)
{
	const DpNoise *noise = noise_of_rows(selector);

	return is_pair(selector) ? dp_accounting_pair_threshold(noise, delta) : dp_accounting_threshold(noise, delta);
}

double
dp_query_threshold_unit(const DpRelease *selector)
{
	return is_pair(selector) ? (double) selector->width : ldexp(1, -noise_of_rows(selector)->grid);
}

void
dp_query_threshold_noise(const DpRelease *selector, double *stddev, double *half_width)
{
	const DpNoise *noise = noise_of_rows(selector);
	int			noises = is_pair(selector) ? 2 : 1;
	double		row = ldexp(dp_query_threshold_unit(selector), noise->grid);

	*stddev = dp_accounting_sum_stddev(noise, noises, false) / row;
	*half_width = dp_accounting_sum_half_width(noise, noises, false, 0.95) / row;
}
