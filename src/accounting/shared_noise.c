/* SPDX-License-Identifier: PostgreSQL */
/*
 * shared_noise.c
 *	  Gaussian noise that totals of one row share in part; see shared_noise.h.
 *
 * Let p be the sum of b^2 / sigma^2 that d equal totals would cost without it, per total.  Own noise of r b, in
 * halves, and shared noise of r d^(-1/4) S cost d / r^2 + sqrt(d) / r^2, which is d p for r^2 = (1 + 1 / sqrt(d)) / p.
 * The variance of each is then (r^2 + r^2 / sqrt(d)) b^2 / 4, (1 + 1 / sqrt(d))^2 / 4 times what it was.
 */
#include "accounting/shared_noise.h"
#include "accounting/rounding.h"

/* Bits of W's sigma, and at least of what stands for a unit. */
#define SIGMA_BITS 40
#define UNIT_BITS 8
#define MOST_UNIT_BITS 62

#define MAX_SIGMA 0x1p55L		/* what the sampler draws */

/* Sigmas that differ by no more, relatively, are the same multiples but for rounding. */
#define RATIO_SLACK 0x1p-16L

static long double
ratio_of(const DpNoise *noise)
{
	return (long double) noise->sigma / noise->sensitivity;
}

static bool
can_share(const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN && noise->direction != 0 && noise->own == 0 && noise->sensitivity > 0 &&
		noise->sigma >= DP_SHARED_LEAST_SIGMA;
}

/* Can these two share? */
static bool
are_alike(const DpNoise *x, const DpNoise *y)
{
	return can_share(x) && can_share(y) && x->groups == y->groups &&
		fabsl(ratio_of(x) - ratio_of(y)) <= RATIO_SLACK * ratio_of(x);
}

/* Find the most that can share and are alike: their numbers, in order; returns how many. */
static int
find_most(DpNoise *const *noise, int count, int *number)
{
	int			first = -1;
	int			most = 0;
	int			found = 0;

	for (int i = 0; i < count; i++)
	{
		int			alike = 0;

		for (int j = 0; j < count; j++)
			alike += are_alike(noise[i], noise[j]);
		if (alike <= most)
			continue;
		most = alike;
		first = i;
	}
	for (int i = 0; i < count; i++)
		if (first >= 0 && are_alike(noise[first], noise[i]))
			number[found++] = i;
	return found;
}

/* Noise of which `ratio` is the standard deviation, a unit counting 1; false if it cannot be drawn. */
static bool
set_shared(DpNoise *shared, int groups, long double ratio)
{
	int			bits = SIGMA_BITS - ilogbl(ratio);
	long double sigma;

	bits = bits > UNIT_BITS ? bits : UNIT_BITS;
	if (bits > MOST_UNIT_BITS)
		return false;
	sigma = ceill(ldexpl(ratio, bits) * (1 + DP_PRODUCT_SLACK));
	if (sigma > MAX_SIGMA)
		return false;
	*shared = (DpNoise) {.mechanism = DP_GAUSSIAN, .groups = groups, .grid = -bits,
		.sensitivity = UINT64_C(1) << bits, .sigma = (uint64_t) sigma};
	return true;
}

/*
 * Have one total's noise be of these parts; false if it cannot be drawn, or is no less.  The shared part is
 * rounded to halves of a unit, and the sum to units: its standard deviation grows by less than a unit.
 */
static bool
set_own(DpNoise *noise, int totals, const DpNoise *shared)
{
	long double own = ceill(noise->sigma * sqrtl(1 + 1 / sqrtl(totals)) * (1 + 4 * DP_PRODUCT_SLACK));
	long double part = ratio_of(shared) * noise->sensitivity * (1 + 4 * DP_PRODUCT_SLACK);
	long double all = ceill(sqrtl(own * own + part * part) / 2 * (1 + 8 * DP_PRODUCT_SLACK)) + 1;

	if (own > MAX_SIGMA || all >= noise->sigma)
		return false;
	noise->own = (uint64_t) own;
	noise->sigma = (uint64_t) all;
	return true;
}

/* Noise that d totals share, of which the greatest multiple is as given. */
static bool
set_shared_of(DpNoise *shared, int groups, long double greatest, int totals)
{
	long double root = sqrtl(totals);

	return set_shared(shared, groups, greatest * sqrtl(1 + 1 / root) / sqrtl(root) * (1 + 8 * DP_PRODUCT_SLACK));
}

int
dp_accounting_share_noise(DpNoise *const *noise, int count, DpNoise *shared)
{
	DpNoise		before[DP_SHARED_MOST];
	int			number[DP_SHARED_MOST];
	long double greatest = 0;
	int			totals;
	int			done = 0;

	*shared = (DpNoise) {0};
	if (count > DP_SHARED_MOST)
		return 0;
	totals = find_most(noise, count, number);
	if (totals < 2)
		return 0;
	for (int i = 0; i < totals; i++)
	{
		before[i] = *noise[number[i]];
		greatest = fmaxl(greatest, ratio_of(&before[i]));
	}
	if (set_shared_of(shared, before[0].groups, greatest, totals))
		while (done < totals && set_own(noise[number[done]], totals, shared))
			done++;
	if (done == totals)
		return totals;
	for (int i = 0; i < done; i++)
		*noise[number[i]] = before[i];
	*shared = (DpNoise) {0};
	return 0;
}

/* Half of `own`, as a part of the noise. */
static long double
own_part(const DpNoise *noise)
{
	return noise->own > 0 ? noise->own / 2.0L : noise->sigma;
}

double
dp_accounting_own_stddev(const DpNoise *noise)
{
	if (noise->own == 0)
		return dp_accounting_stddev(noise);
	return dp_accounting_up(ldexpl(own_part(noise), noise->grid));
}

double
dp_accounting_shared_stddev(const DpNoise *noise)
{
	long double all = noise->sigma;
	long double own = own_part(noise);

	if (noise->own == 0)
		return 0;
	return noise->direction * dp_accounting_up(ldexpl(sqrtl((all - own) * (all + own)) * (1 + 4 * DP_PRODUCT_SLACK), noise->grid));
}

bool
dp_accounting_is_shared_sanely(const DpNoise *noise)
{
	if (noise->own == 0)
		return noise->direction >= -1 && noise->direction <= 1;
	return noise->mechanism == DP_GAUSSIAN && (noise->direction == 1 || noise->direction == -1) &&
		noise->own / 2 <= noise->sigma && noise->own % 2 + noise->own / 2 <= noise->sigma;
}
