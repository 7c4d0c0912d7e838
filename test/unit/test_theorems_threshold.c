/*
 * test_theorems_threshold.c
 *	  Thresholds and partition selection: reference values, minimality, and
 *	  the privacy they promise.
 */
#include "theorems.h"
#include "theorems_reference.h"

#include "accounting/calibrate.h"
#include "accounting/discrete_gaussian.h"
#include "accounting/threshold.h"

#define ROUNDS 20000
#define SLOW_ROUNDS 300

#define same(value, truth) ((value) == (truth))

static void
test_reference(void)
{
	EVERY(laplace_cut, same,
		  dp_accounting_discrete_laplace_threshold(row->scale, row->delta, row->groups));
	EVERY(gaussian_cut, same,
		  dp_accounting_discrete_gaussian_threshold(row->sigma2, row->delta, row->groups));
	EVERY(selection, nearly, dp_accounting_partition_select(row->n, row->epsilon, row->delta));
}

/* P[Z >= m] for discrete Laplace noise. */
static long double
laplace_tail(long double scale, long double m)
{
	return expl(-m / scale) / (1 + expl(-1 / scale));
}

/* The probability that any of the groups is released, each with p. */
static long double
any(long double p, int groups)
{
	return -expm1l(groups * log1pl(-p));
}

/* What is promised holds, and one less would not do. */
static void
test_minimal(void)
{
	int			bad[2] = {0};

	for (int i = 0; i < SLOW_ROUNDS; i++)
	{
		double		noise = log_uniform(0.1, 1e7);
		double		delta = log_uniform(1e-15, 0.4);
		int			groups = (int) log_uniform_integer(1000);
		long double m = dp_accounting_discrete_laplace_threshold(noise, delta, groups) - 1;
		long double sigma2 = (long double) noise * noise;

		bad[0] += any(laplace_tail(noise, m), groups) > delta * (1 + 1e-15L) ||
			(m > 1 && any(laplace_tail(noise, m - 1), groups) < delta * (1 - 1e-12L));
		m = dp_accounting_discrete_gaussian_threshold((double) sigma2, delta, groups) - 1;
		sigma2 = (double) sigma2;
		bad[1] += any(dp_accounting_gaussian_integer_tail(sigma2, m), groups) > delta * (1 + 1e-15L) ||
			(m > 1 && any(dp_accounting_gaussian_integer_tail(sigma2, m - 1), groups) <
			 delta * (1 - 1e-12L));
	}
	ok(bad[0] == 0, "discrete Laplace threshold is the least");
	ok(bad[1] == 0, "discrete Gaussian threshold is the least");
}

/* Where one more changes the tail by hardly more than its rounding. */
static void
test_minimal_far(void)
{
	int			bad = 0;

	for (int i = 0; i < SLOW_ROUNDS; i++)
	{
		double		sigma2 = log_uniform(1e28, 1e30);
		double		delta = log_uniform(1e-15, 1e-3);
		long double m = dp_accounting_discrete_gaussian_threshold(sigma2, delta, 1) - 1;

		bad += dp_accounting_gaussian_integer_tail(sigma2, m) > delta ||
			dp_accounting_gaussian_integer_tail(sigma2, m - 1) < delta * (1 - 1e-14L);
	}
	ok(bad == 0, "discrete Gaussian threshold at great sigma");
}

/* What releases are cut at is never below, and at most one above. */
static void
test_against_releases(void)
{
	int			bad[2] = {0};

	for (int i = 0; i < SLOW_ROUNDS; i++)
	{
		DpNoise		noise = {
			.mechanism = DP_GAUSSIAN, .groups = (int) log_uniform_integer(1000),
			.sensitivity = 1, .sigma = log_uniform_integer(1e12)
		};
		double		delta = log_uniform(1e-15, 0.4);
		double		sigma2 = (double) noise.sigma * noise.sigma;
		double		over = dp_accounting_threshold(&noise, delta) -
			dp_accounting_discrete_gaussian_threshold(sigma2, delta, noise.groups);

		bad[0] += noise.sigma <= 64 ? over != 0 : over < 0 || over > 1 + noise.sigma * 1e-14;
		noise.mechanism = DP_LAPLACE;
		noise.scale_num = log_uniform_integer(1e15);
		noise.scale_den = 1024;
		bad[1] += dp_accounting_threshold(&noise, delta) !=
			dp_accounting_discrete_laplace_threshold(noise.scale_num / 1024.0, delta, noise.groups);
	}
	ok(bad[0] == 0, "discrete Gaussian threshold of releases");
	ok(bad[1] == 0, "discrete Laplace threshold of releases");
}

static void
test_ends(void)
{
	ok(dp_accounting_discrete_laplace_threshold(1e-3, 0.999, 1) == 2 &&
	   dp_accounting_discrete_gaussian_threshold(1e-6, 0.999, 1) == 2, "a single unit is never enough");
	ok(dp_accounting_discrete_laplace_threshold(1e18, 1e-15, 1) == INFINITY, "no threshold below 2^63");
	ok(near(dp_accounting_discrete_gaussian_threshold(1e30, 0.5 * erfc(5 / sqrt(2)), 1), 5e15, 1e-12L),
	   "the greatest sigma");
	ok(dp_accounting_discrete_gaussian_threshold(1, 1e-300, 1000000000) < 40, "the least delta");
}

/*
 * Selection is (epsilon, delta)-private for neighbouring sizes in both
 * directions, and nothing greater would be.
 */
static void
test_selection(void)
{
	int			bad[2] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = log_uniform(1e-3, 50);
		double		delta = log_uniform(1e-15, 0.5);
		int64_t		n = (int64_t) log_uniform_integer(100 / epsilon + 2);
		long double less = dp_accounting_partition_select(n - 1, epsilon, delta);
		long double more = dp_accounting_partition_select(n, epsilon, delta);
		long double most = fminl(fminl(expl(epsilon) * less + delta,
									   1 - expl(-epsilon) * (1 - less - delta)), 1);

		bad[0] += !near(more, most, 1e-12L);
		bad[1] += more < less;
	}
	ok(bad[0] == 0, "selection is as great as privacy allows");
	ok(bad[1] == 0, "selection rises with the size");
	ok(dp_accounting_partition_select(0, 1, 0.5) == 0 &&
	   dp_accounting_partition_select(INT64_MAX, 1e-6, 1e-300) == 1 &&
	   dp_accounting_partition_select(1, 1e6, 1e-9) == 1e-9, "no units, many, one");
}

int
main(void)
{
	test_reference();
	test_minimal();
	test_minimal_far();
	test_against_releases();
	test_ends();
	test_selection();
	return done_testing();
}
