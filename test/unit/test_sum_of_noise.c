/*
 * test_sum_of_noise.c
 *	  How far sums of noise reach, beside the exact distributions of small ones.
 */
#include <stdlib.h>
#include <string.h>

#include "accounting.h"

#include "accounting/sum_of_noise.h"

/* Probabilities are looked at from -REACH to REACH. */
#define REACH 3000

/* The distribution of the sum of one more. */
static void
add_one(const double *before, double *after, const double *one, int width)
{
	memset(after, 0, (2 * REACH + 1) * sizeof(double));
	for (int x = width; x <= 2 * REACH - width; x++)
		if (before[x] > 0)
			for (int y = -width; y <= width; y++)
				after[x + y] += before[x] * one[abs(y)];
}

static double
within(const double *probability, int width)
{
	double		sum = 0;

	for (int x = -width; x <= width; x++)
		sum += probability[REACH + x];
	return sum;
}

static double
stddev(const double *probability)
{
	double		sum = 0;

	for (int x = -REACH; x <= REACH; x++)
		sum += probability[REACH + x] * x * x;
	return sqrt(sum);
}

/* Half widths of so many noises, of which one has these probabilities, are wide enough and no wider. */
static void
check_sum(const DpNoise *noise, const double *one, int width, int most)
{
	double	   *sum = calloc(2 * REACH + 1, sizeof(double));
	double	   *next = calloc(2 * REACH + 1, sizeof(double));
	int			narrow = 0;
	int			wide = 0;
	int			off = 0;

	sum[REACH] = 1;
	for (int n = 1; n <= most; n++)
	{
		double		half_width = dp_accounting_sum_half_width(noise, n, false, 0.95);
		double	   *last = sum;

		add_one(sum, next, one, width);
		sum = next;
		next = last;
		narrow += within(sum, (int) floor(half_width + 0.5)) < 0.95;
		wide += within(sum, (int) floor(half_width) - 2) > 0.97;
		off += fabs(dp_accounting_sum_stddev(noise, n, false) / stddev(sum) - 1) > 1e-6;
	}
	ok(narrow == 0, "%d sums: 95 %% are within the half width (%d are not)", most, narrow);
	ok(wide == 0, "which is not much more than it must be (%d are)", wide);
	ok(off == 0, "and the standard deviation is theirs (%d are not)", off);
	free(sum);
	free(next);
}

static void
test_laplace(double scale)
{
	DpNoise		noise = {.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = 1,
	.scale_num = (uint64_t) (scale * 4), .scale_den = 4};
	int			width = (int) (scale * 40) + 2;
	double	   *one = calloc(width + 1, sizeof(double));

	for (int x = 0; x <= width; x++)
		one[x] = -expm1(-1 / scale) / (1 + exp(-1 / scale)) * exp(-x / scale);
	check_sum(&noise, one, width, 30);
	free(one);
}

static void
test_gaussian(int sigma)
{
	DpNoise		noise = {.mechanism = DP_GAUSSIAN, .groups = 1, .sensitivity = 1, .sigma = sigma};
	int			width = sigma * 9;
	double	   *one = calloc(width + 1, sizeof(double));
	double		total = 0;

	for (int x = -width; x <= width; x++)
		total += exp(-(double) x * x / 2 / sigma / sigma);
	for (int x = 0; x <= width; x++)
		one[x] = exp(-(double) x * x / 2 / sigma / sigma) / total;
	check_sum(&noise, one, width, 30);
	free(one);
}

/* Noise that is rounded with each count, by the variance of rounded normal noise. */
static void
test_rounded(double sigma)
{
	DpNoise		noise = {.mechanism = DP_GAUSSIAN, .groups = 1, .grid = -40, .sensitivity = 1,
	.sigma = (uint64_t) ldexp(sigma, 40)};
	double		variance = 0;
	double		claimed = dp_accounting_sum_stddev(&noise, 7, true);

	for (int x = 1; x < 100; x++)
		variance += (double) x * x * (erf((x + 0.5) / sigma / sqrt(2)) - erf((x - 0.5) / sigma / sqrt(2)));
	ok(claimed * claimed >= 7 * variance * (1 - 1e-9), "sigma %g: what rounding adds is counted", sigma);
	ok(claimed * claimed <= 7 * (sigma * sigma + 0.0834), "and no more");
	ok(dp_accounting_sum_half_width(&noise, 7, true, 0.95) >= 1.9599 * claimed, "in the half width too");
}

/* Tens of thousands are as normal noise is. */
static void
test_many(void)
{
	DpNoise		noise = {.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = 1, .scale_num = 1000, .scale_den = 1};

	for (int n = 100; n <= 10000; n *= 10)
		ok(fabs(dp_accounting_sum_half_width(&noise, n, false, 0.95) / (1.959964 * dp_accounting_sum_stddev(&noise, n, false)) - 1) < 0.3 / n + 1e-5,
		   "%d noises reach as far as normal noise", n);
	ok(dp_accounting_sum_half_width(&noise, 5, false, 0) == 0, "nothing is within nothing");
	ok(isinf(dp_accounting_sum_half_width(&noise, 5, false, 1)), "and all within infinity");
}

/* Whatever was asked before, in any order, more is within a larger probability and fewer noises reach less far. */
static void
test_asked_before(void)
{
	DpNoise		noise = {.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = 1, .scale_num = 1000, .scale_den = 1};
	const double probability[] = {0.5, 0.9, 0.95, 0.99};
	int			off = 0;

	for (int round = 0; round < 3; round++)
		for (int n = 2; n < 8; n++)
			for (int i = 1; i < 4; i++)
			{
				double		less = dp_accounting_sum_half_width(&noise, n, false, probability[i - 1]);
				double		more = dp_accounting_sum_half_width(&noise, n, false, probability[i]);
				double		fewer = dp_accounting_sum_half_width(&noise, n - 1, false, probability[i]);

				off += !(less < more && fewer < more);
				off += more != dp_accounting_sum_half_width(&noise, n, false, probability[i]);
			}
	ok(off == 0, "what was asked before makes no difference");
}

int
main(void)
{
	test_asked_before();
	test_laplace(0.25);
	test_laplace(1);
	test_laplace(3);
	test_laplace(10);
	test_gaussian(1);
	test_gaussian(20);
	test_rounded(0.01);
	test_rounded(0.3);
	test_rounded(0.5);
	test_rounded(2);
	test_many();
	return done_testing();
}
