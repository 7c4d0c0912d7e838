/* SPDX-License-Identifier: PostgreSQL */
/*
 * shared_noise.c
 *	  Gaussian noise that totals share in part; see shared_noise.h.
 *
 * Let all totals have noise of standard deviation s, and a unit move M of D of them, by 1 each, so that they cost M / s^2.  With
 * r = part / 2^own_bits, own noise of variance a and shared noise of r^2 w^2 cost A / a + 1 / w^2, A = (1 - 2 r) M + r^2 D.
 * By Cauchy's inequality that is no less than (sqrt(A) + r)^2 / (a + r^2 w^2).  It is M / s^2 and equal to that for
 *		a = sqrt(A) (sqrt(A) + r) s^2 / M,		w^2 = (sqrt(A) + r) / r s^2 / M
 * and the noise of each then has (sqrt(A) + r)^2 / M times the variance that it had.
 */
#include <stdlib.h>

#include "accounting/shared_noise.h"
#include "accounting/rounding.h"

/* Bits of W's sigma, and at least of what stands for a unit. */
#define SIGMA_BITS 40
#define UNIT_BITS 8
#define MOST_UNIT_BITS 62

#define MAX_SIGMA 0x1p55L		/* what the sampler draws */

/* Sigmas that differ by no more, relatively, are the same multiples but for rounding. */
#define RATIO_SLACK 0x1p-16L

/* r is a multiple of 2^-6 where all groups share. */
#define ACROSS_BITS 6

/* That is done where it leaves no more of the standard deviation: totals of many groups are farther off for it. */
#define ACROSS_MOST 0.86L

/* How noise is shared. */
typedef struct Plan
{
	int			across;
	int			own_bits;
	int			part;
	int			others;			/* groups of each total */
	int			groups;			/* of W */
	long double own;			/* sigma in 2^-own_bits, in terms of what it was */
	long double shared;			/* and that of W, where a unit counts 1 */
	long double variance;		/* of all noise of a total, likewise */
} Plan;

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

/* One that can share, in the order of groups and of multiples. */
typedef struct Candidate
{
	int			groups;
	int			number;
	long double ratio;
} Candidate;

static int
compare_candidates(const void *x, const void *y)
{
	const Candidate *a = x;
	const Candidate *b = y;

	if (a->groups != b->groups)
		return a->groups < b->groups ? -1 : 1;
	if (a->ratio != b->ratio)
		return a->ratio < b->ratio ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

/*
 * One that most others are alike to, the first of these; -1 if there is none.  In their order those alike
 * to one are a run, whose ends never move back.
 */
static int
find_first(DpNoise *const *noise, int count)
{
	Candidate	sorted[DP_SHARED_MOST];
	int			n = 0;
	int			low = 0;
	int			high = 0;		/* behind the last */
	int			most = 0;
	int			first = -1;

	for (int i = 0; i < count; i++)
		if (can_share(noise[i]))
			sorted[n++] = (Candidate) {noise[i]->groups, i, ratio_of(noise[i])};
	qsort(sorted, n, sizeof(Candidate), compare_candidates);
	for (int i = 0; i < n; i++)
	{
		const DpNoise *own = noise[sorted[i].number];

		while (!are_alike(own, noise[sorted[low].number]))
			low++;
		high = high > i ? high : i;
		while (high < n && are_alike(own, noise[sorted[high].number]))
			high++;
		if (high - low < most || (high - low == most && sorted[i].number > first))
			continue;
		most = high - low;
		first = sorted[i].number;
	}
	return first;
}

/* Find the most that can share and are alike: their numbers, in order; returns how many. */
static int
find_most(DpNoise *const *noise, int count, int *number)
{
	int			first = find_first(noise, count);
	int			found = 0;

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

/* Totals of which a unit moves so many of so many share by this part. */
static Plan
make_plan(long double moved, long double totals, int own_bits, int part)
{
	long double whole = 1 << own_bits;
	long double root = sqrtl(moved * whole * (whole - 2 * part) + totals * part * part);
	long double sum = root + part;

	return (Plan) {.own_bits = own_bits, .part = part, .own = sqrtl(root * sum / moved),
		.shared = sqrtl(sum / (part * moved)), .variance = sum * sum / (whole * whole * moved)};
}

/* Totals of a row, of which a unit may move all, share. */
static Plan
plan_row(int totals, int groups)
{
	Plan		plan = make_plan(totals, totals, DP_SHARED_ROW_BITS, 1);

	plan.groups = groups;
	return plan;
}

/* Totals of all groups that are answered share, by the part that leaves the least noise. */
static Plan
plan_across(int totals, int groups, int answered)
{
	int			all = answered > groups ? answered : groups;
	Plan		best = {.variance = INFINITY};

	for (int part = 1; part <= 1 << (ACROSS_BITS - 1); part++)
	{
		Plan		plan = make_plan((long double) totals * groups, (long double) totals * all, ACROSS_BITS, part);

		if (plan.variance < best.variance)
			best = plan;
	}
	best.across = 1;
	best.others = all - groups;
	best.groups = 1;
	return best;
}

/*
 * Have one total's noise be of these parts; false if it cannot be drawn, or is no less.  The shared part is
 * rounded to 2^-own_bits of a unit, and the sum to units: its standard deviation grows by less than a unit.
 */
static bool
set_own(DpNoise *noise, const Plan *plan, const DpNoise *shared)
{
	long double own = ceill(noise->sigma * plan->own * (1 + 8 * DP_PRODUCT_SLACK));
	long double part = ratio_of(shared) * noise->sensitivity * plan->part * (1 + 4 * DP_PRODUCT_SLACK);
	long double all = ceill(ldexpl(sqrtl(own * own + part * part) * (1 + 8 * DP_PRODUCT_SLACK), -plan->own_bits)) + 1;

	if (own > MAX_SIGMA || all >= noise->sigma || noise->sensitivity > DP_MAX_SENSITIVITY >> plan->own_bits)
		return false;
	noise->own = (uint64_t) own;
	noise->own_bits = plan->own_bits;
	noise->part = plan->part;
	noise->across = plan->across;
	noise->others = plan->others;
	noise->sigma = (uint64_t) all;
	return true;
}

/* Have these share as planned; false, and all as it was, if they cannot. */
static bool
follow_plan(const Plan *plan, DpNoise *const *noise, const int *number, int totals, DpNoise *shared)
{
	DpNoise		before[DP_SHARED_MOST];
	long double greatest = 0;
	int			done = 0;

	for (int i = 0; i < totals; i++)
	{
		before[i] = *noise[number[i]];
		greatest = fmaxl(greatest, ratio_of(&before[i]));
	}
	if (plan->variance < 1 && set_shared(shared, plan->groups, greatest * plan->shared * (1 + 8 * DP_PRODUCT_SLACK)))
		while (done < totals && set_own(noise[number[done]], plan, shared))
			done++;
	shared->across = plan->across;
	if (done == totals)
		return true;
	for (int i = 0; i < done; i++)
		*noise[number[i]] = before[i];
	*shared = (DpNoise) {0};
	return false;
}

int
dp_accounting_share_noise(DpNoise *const *noise, int count, int answered, DpNoise *shared)
{
	int			number[DP_SHARED_MOST];
	int			totals;
	Plan		plan;

	*shared = (DpNoise) {0};
	if (count > DP_SHARED_MOST)
		return 0;
	totals = find_most(noise, count, number);
	if (totals == 0)
		return 0;
	plan = plan_row(totals, noise[number[0]]->groups);
	if (answered > 0)
	{
		Plan		across = plan_across(totals, noise[number[0]]->groups, answered);

		if (across.variance <= ACROSS_MOST * ACROSS_MOST * plan.variance && follow_plan(&across, noise, number, totals, shared))
			return totals;
	}
	return totals > 1 && follow_plan(&plan, noise, number, totals, shared) ? totals : 0;
}

/* `own`, as a part of the noise. */
static long double
own_part(const DpNoise *noise)
{
	return noise->own > 0 ? ldexpl(noise->own, -noise->own_bits) : noise->sigma;
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
		return noise->direction >= -1 && noise->direction <= 1 && !noise->across;
	return noise->mechanism == DP_GAUSSIAN && (noise->direction == 1 || noise->direction == -1) &&
		noise->own_bits >= 1 && noise->own_bits <= ACROSS_BITS && noise->part >= 1 && noise->part <= 1 << (noise->own_bits - 1) &&
		(noise->across || noise->others == 0) && noise->others >= 0 && own_part(noise) <= noise->sigma;
}

__int128
dp_accounting_shared_multiple(const DpNoise *noise)
{
	return noise->direction * (__int128) noise->sensitivity * noise->part;
}
