/*
 * test_pld.c
 *	  Exact composition: the transform and its error bound, reference values
 *	  and convolutions term by term, properties of the result, refusals.
 */
#include <stdlib.h>
#include <string.h>

#include "accounting.h"
#include "pld_reference.h"

#include "accounting/calibrate.h"
#include "accounting/fft.h"
#include "accounting/filter.h"
#include "accounting/loss.h"
#include "accounting/pld.h"

/* How far above the truth results may be: asserted, where 1 % is promised. */
#define LOOSE 2e-3L

static int	allocated = 0;
static int	checked = 0;

static void *
count_allocate(size_t size)
{
	void	   *memory = malloc(size);

	if (memory == NULL)
		abort();
	allocated++;
	return memory;
}

static void
count_release(void *memory)
{
	allocated--;
	free(memory);
}

static void
count_check(void)
{
	checked++;
}

static const DpPldServices services = {count_allocate, count_release, count_check};

static double
epsilon_of(const DpPldRelease *releases, int n, double delta)
{
	double		epsilon = NAN;

	if (dp_accounting_pld_epsilon(releases, n, delta, &services, &epsilon) != NULL)
		return NAN;
	return epsilon;
}

static DpPldRelease
pure(double epsilon, int64_t count)
{
	return (DpPldRelease) {.mechanism = DP_PLD_PURE, .count = count, .epsilon = epsilon};
}

static DpPldRelease
range(double epsilon, int64_t count)
{
	return (DpPldRelease) {.mechanism = DP_PLD_RANGE, .count = count, .epsilon = epsilon};
}

static DpPldRelease
above_threshold(double epsilon, int64_t count)
{
	return (DpPldRelease) {.mechanism = DP_PLD_ABOVE_THRESHOLD, .count = count, .epsilon = epsilon};
}

static DpPldRelease
laplace(uint64_t num, uint64_t den, uint64_t sensitivity, int64_t count)
{
	return (DpPldRelease) {
		.mechanism = DP_PLD_DISCRETE_LAPLACE, .count = count, .sensitivity = sensitivity,
		.scale_num = num, .scale_den = den
	};
}

static DpPldRelease
gaussian(double sigma, int64_t count)
{
	return (DpPldRelease) {.mechanism = DP_PLD_GAUSSIAN, .count = count, .sigma = sigma};
}

static DpPldRelease
discrete_gaussian(double sigma, uint64_t sensitivity, int64_t count)
{
	return (DpPldRelease) {
		.mechanism = DP_PLD_DISCRETE_GAUSSIAN, .count = count, .sensitivity = sensitivity, .sigma = sigma
	};
}

static double
epsilon_of_one(DpPldRelease release, double delta)
{
	return epsilon_of(&release, 1, delta);
}

/*
 * The transform against the convolution term by term in long double, for random
 * points of widely different sizes: within its bound, which is not vacuous.
 */
static void
test_transform(void)
{
	for (int n = 2; n <= 2048; n *= 4)
	{
		DpFftPoint *roots = malloc(n * sizeof(DpFftPoint));
		DpFftPoint *z = malloc(n * sizeof(DpFftPoint));
		DpFftPoint *in = malloc(n * sizeof(DpFftPoint));
		long double sum = 0;
		long double squares = 0;
		long double error = 0;
		long double bound;

		for (int i = 0; i < n; i++)
		{
			in[i].re = uniform(-1, 1) * log_uniform(1e-9, 1);
			in[i].im = uniform(-1, 1) * log_uniform(1e-9, 1);
			sum += hypotl(in[i].re, in[i].im);
			squares += (long double) in[i].re * in[i].re + (long double) in[i].im * in[i].im;
		}
		memcpy(z, in, n * sizeof(DpFftPoint));
		dp_accounting_fft_roots(roots, n);
		dp_accounting_fft_autoconvolve(z, n, roots);
		for (int i = 0; i < n; i++)
		{
			long double re = 0;
			long double im = 0;

			for (int j = 0; j < n; j++)
			{
				DpFftPoint	a = in[j];
				DpFftPoint	b = in[(i - j + n) % n];

				re += (long double) a.re * b.re - (long double) a.im * b.im;
				im += (long double) a.re * b.im + (long double) a.im * b.re;
			}
			error += (re - z[i].re) * (re - z[i].re) + (im - z[i].im) * (im - z[i].im);
		}
		bound = dp_accounting_fft_error(n) * sum * sqrtl(squares);
		ok(sqrtl(error) <= bound && bound <= 1e-13L * sum * sqrtl(squares),
		   "transform of length %d: error %.1Lg is within its bound %.1Lg", n, sqrtl(error), bound);
		free(roots);
		free(z);
		free(in);
	}
}

/* Splitting keeps the mass under P and under Q. */
static void
test_split(void)
{
	int			bad = 0;

	for (int i = 0; i < 20000; i++)
	{
		DpLossWork	work = {.theta = log_uniform(0.01, 100)};
		long double step = log_uniform(1e-6, 10);
		long double below = step * (i % 10 == 0 ? i % 20 / 10 : uniform(0, 1));
		long double upper;
		long double lower;

		dp_accounting_loss_split(&work, step, below, &upper, &lower);
		upper *= expl(-work.theta * below);
		lower *= expl(work.theta * (step - below));
		bad += !(upper >= 0 && lower >= 0 && fabsl(upper + lower - 1) <= 1e-16L);
		bad += fabsl((upper + lower * expl(step)) * expl(-below) - 1) > 1e-16L;
	}
	ok(bad == 0, "splitting a loss keeps both its masses");
}

/* Both ways to add losses agree within what they count as lost. */
static void
test_add(void)
{
	DpLossWork	work = {.services = &services, .theta = 5, .max_points = 1 << 20};
	DpLoss		loss = dp_accounting_loss_laplace(&work, 0.01L, 50);
	DpLoss		six;
	DpLoss		by_two;
	long double difference = 0;
	int			offset;

	dp_accounting_loss_multiply(&work, &loss, 3, 0);
	six = dp_accounting_loss_add(&work, &loss, &loss, 0);
	by_two = dp_accounting_loss_laplace(&work, 0.01L, 50);
	for (int i = 0; i < 5; i++)
	{
		DpLoss		one = dp_accounting_loss_laplace(&work, 0.01L, 50);
		DpLoss		sum = dp_accounting_loss_add(&work, &one, &by_two, 0);

		dp_accounting_loss_free(&work, &one);
		dp_accounting_loss_free(&work, &by_two);
		by_two = sum;
	}
	offset = (int) lroundl((by_two.top - six.top) / six.step);
	for (int i = 0; i < six.points; i++)
	{
		int			j = by_two.points - six.points + i - offset;

		difference += fabsl((long double) six.mass[i] -
							(j >= 0 && j < by_two.points ? by_two.mass[j] : 0));
	}
	ok(loss.points > 64 && by_two.points <= 301 && difference <= six.lost + by_two.lost,
	   "the transform and the convolution term by term differ by %.1Lg, at most %.1Lg",
	   difference, six.lost + by_two.lost);
	dp_accounting_loss_free(&work, &loss);
	dp_accounting_loss_free(&work, &six);
	dp_accounting_loss_free(&work, &by_two);
	count_release(work.roots);
}

static void
test_reference(void)
{
	long double worst = 0;
	int			low = 0;
	int			loose = 0;
	int			infinite = 0;
	int			values = 0;

	for (int i = 0; i < LENGTH(reference); i++)
		for (int j = 0; j < LENGTH(reference_delta); j++)
		{
			long double truth = reference[i].epsilon[j];
			double		value = epsilon_of(reference[i].releases, reference[i].kinds, reference_delta[j]);

			values++;
			low += !(value >= truth);
			if (truth == INFINITY)
				infinite++;
			else
			{
				loose += !(value <= truth * (1 + LOOSE));
				if (truth > 0)
					worst = fmaxl(worst, value / truth - 1);
			}
		}
	ok(low == 0, "none of %d values is below the reference", values);
	ok(loose == 0, "nor above it by more than %.1Lg relative, %.1Lg at most", LOOSE, worst);
	ok(infinite > 0 && infinite < 10, "where delta does not suffice, epsilon is infinite");
}

/* On their own grid, losses are not rounded at all. */
static void
test_exact(void)
{
	int			bad = 0;
	int			exact = 0;

	for (int i = 0; i < LENGTH(reference); i++)
	{
		const DpPldRelease *r = reference[i].releases;

		if (reference[i].kinds > 1 || r->mechanism == DP_PLD_GAUSSIAN || r->sensitivity > 64 ||
			r->sigma > 32)
			continue;
		for (int j = 0; j < LENGTH(reference_delta); j++, exact++)
			bad += !(epsilon_of(r, 1, reference_delta[j]) <= reference[i].epsilon[j] * (1 + 1e-8L));
	}
	ok(exact > 150 && bad == 0, "%d values of randomised response and noise on few integers are exact",
	   exact);
}

static void
test_gaussian(void)
{
	int			low = 0;
	int			loose = 0;
	int			beside = 0;

	for (int i = 0; i < LENGTH(gaussian_reference); i++)
	{
		double		delta = gaussian_reference[i].delta;
		long double truth = gaussian_reference[i].epsilon;
		double		value = epsilon_of_one(gaussian(gaussian_reference[i].sigma, 1), delta);
		double		parts = epsilon_of_one(gaussian(2 * gaussian_reference[i].sigma, 4), delta);
		double		large = epsilon_of_one(discrete_gaussian(0x1p40 * gaussian_reference[i].sigma,
															 UINT64_C(1) << 40, 1), delta);
		DpPldRelease two[] = {gaussian(gaussian_reference[i].sigma, 1), pure(1e-12, 1)};
		double		grid = epsilon_of(two, 2, delta);

		low += !(value >= truth && parts >= truth && large >= truth && grid >= truth);
		loose += !(value <= truth * (1 + (delta > 0.5 ? LOOSE : 1e-12L)) + 1e-12L) ||
			!(fabs(parts - value) <= 1e-12 * value) || !(large <= value * (1 + 1e-7L) + 1e-12L);
		beside += delta <= 0.5 && !(grid <= truth * (1 + LOOSE) + 1e-11L);
	}
	ok(low == 0, "Gaussian noise is not below the reference for %d pairs",
	   LENGTH(gaussian_reference));
	ok(loose == 0, "nor above it, in one release, in four, or discrete on a fine grid");
	ok(beside == 0, "nor above it by more than %.1Lg relative beside another mechanism", LOOSE);
}

/*
 * Term by term: losses that are multiples of 1/1024, in a table from -reach to
 * reach; table = the law of its loss plus one release's.
 */
#define UNIT 1024
#define MAX_REACH 40000

static void
add_release(long double *table, int *reach, const DpPldRelease *r, int a)
{
	static long double next[2 * MAX_REACH + 1];
	long double s = (long double) a / UNIT;
	int			d = r->mechanism == DP_PLD_PURE ? 1 : (int) r->sensitivity;
	int			wider = *reach + a * d;

	memset(next, 0, (2 * wider + 1) * sizeof(long double));
	for (int z = 0; z <= d; z++)
	{
		long double p = z == 0 ? 1 / (1 + expl(-s)) : z == d ? expl(-s * d) / (1 + expl(-s)) :
			expl(-s * z) * tanhl(s / 2);

		for (int i = 0; i <= 2 * *reach; i++)
			next[i + 2 * a * (d - z)] += p * table[i];
	}
	*reach = wider;
	memcpy(table, next, (2 * wider + 1) * sizeof(long double));
}

/* The least epsilon of a table of losses. */
static long double
table_epsilon(const long double *table, int reach, double delta)
{
	long double spent = 0;
	long double weight = 0;
	long double fall = -expm1l(-1.0L / UNIT);

	for (int i = 2 * reach; i > reach; i--)
	{
		weight += table[i];
		if (spent + fall * weight > delta)
			return (long double) (i - reach) / UNIT + log1pl(-(delta - spent) / weight);
		spent += fall * weight;
		weight -= fall * weight;
	}
	return 0;
}

/* Random lists of up to six kinds. */
static void
test_term_by_term(void)
{
	static long double table[2 * MAX_REACH + 1];
	long double worst = 0;
	int			low = 0;
	int			positive = 0;

	for (int round = 0; round < 60; round++)
	{
		int			kinds = 1 + bits64() % 6;
		double		delta = log_uniform(1e-15, 1e-3);
		DpPldRelease r[6];
		int			reach = 0;
		long double truth;
		double		value;

		table[0] = 1;
		for (int i = 0; i < kinds; i++)
		{
			int			a = (int) log_uniform_integer(bits64() % 4 == 0 ? 1000 : 30);
			int			count = a > 30 ? 1 : (int) log_uniform_integer(40);

			r[i] = bits64() % 2 ? pure((double) a / UNIT, count) :
				laplace(UNIT, a, log_uniform_integer(a > 30 ? 3 : 6), count);
			for (int j = 0; j < count; j++)
				add_release(table, &reach, &r[i], a);
		}
		truth = table_epsilon(table, reach, delta);
		value = epsilon_of(r, kinds, delta);
		low += !(value >= truth * (1 - 1e-14L));
		if (truth > 1e-3)
		{
			positive++;
			worst = fmaxl(worst, value / truth - 1);
		}
	}
	ok(low == 0 && positive > 40, "random lists are not below their convolution term by term");
	ok(worst <= LOOSE, "nor above it by more than %.1Lg, %.1Lg at most", LOOSE, worst);
}

/* What must hold between results. */
static void
test_properties(void)
{
	DpPldRelease apart[] = {pure(0.03, 70), laplace(40, 3, 2, 9), pure(0.03, 55), laplace(40, 3, 2, 1)};
	DpPldRelease together[] = {laplace(40, 3, 2, 10), pure(0.03, 125)};
	DpPldRelease none[] = {pure(0, 1000)};
	double		last = INFINITY;
	bool		falls = true;

	ok(epsilon_of(apart, 4, 1e-9) == epsilon_of(together, 2, 1e-9),
	   "neither order matters nor how equal releases are listed");
	for (double delta = 1e-300; delta < 1; delta *= 1e3)
	{
		double		epsilon = epsilon_of(apart, 4, delta);

		falls &= epsilon <= last * (1 + LOOSE);
		last = epsilon;
	}
	ok(falls && epsilon_of(apart, 4, 1e-300) <= (125 * 0.03 + 1.5) * (1 + 1e-12),
	   "epsilon falls with delta, from the sum of pure epsilons");
	ok(epsilon_of(none, 1, 1e-9) == 0 && epsilon_of(none, 0, 1e-9) == 0,
	   "nothing released costs nothing");
	ok(near(epsilon_of_one(laplace(1000, 1, 1, 5000), 1e-9), epsilon_of_one(pure(0.001, 5000), 1e-9), 1e-12L),
	   "Laplace noise with sensitivity 1 is randomised response");
}

/*
 * The two totals of an average, of which a unit moves one by x and the other by
 * W - x, cost no more than one moved by W; nor does any smaller shift.
 */
static void
test_average(void)
{
	int			bad = 0;

	for (int round = 0; round < 200; round++)
	{
		uint64_t	width = 2 + bits64() % 60;
		uint64_t	x = 1 + bits64() % (width - 1);
		uint64_t	scale = log_uniform_integer(100);
		double		delta = log_uniform(1e-15, 0.1);
		DpPldRelease two[] = {laplace(scale, 1, x, 1), laplace(scale, 1, width - x, 1)};
		double		whole = epsilon_of_one(laplace(scale, 1, width, 1), delta);

		bad += !(epsilon_of(two, 2, delta) <= whole * (1 + LOOSE) + 1e-9);
		bad += !(epsilon_of(two, 1, delta) <= whole * (1 + 1e-9) + 1e-12);
	}
	ok(bad == 0, "two shifts that add up to one cost no more than it");
}

/*
 * A law of a draw of bounded range e: the likelihood ratio is exp(t) with probability p where the unit
 * is not there, and else exp(t - e).
 */
typedef struct TwoRatios
{
	long double ratio[2];
	long double p[2];
} TwoRatios;

static TwoRatios
two_ratios(long double e, long double t)
{
	long double p = -expm1l(t - e) / (expl(t) - expl(t - e));

	return (TwoRatios) {{expl(t), expl(t - e)}, {p, 1 - p}};
}

#define RATIO_STEPS 400

/*
 * The greatest delta at k = exp(epsilon) of `draws` draws of bounded range e, each of whose laws is chosen
 * among many after seeing the ratio so far: by going through all of them, up to three draws.
 */
static long double
adaptive_delta(long double e, int draws, long double k)
{
	long double greatest = 0;
	int			steps = draws > 1 ? RATIO_STEPS >> draws : RATIO_STEPS;

	for (int i = 0; i <= steps; i++)
	{
		TwoRatios	law = two_ratios(e, e * i / steps);
		long double sum = 0;

		for (int j = 0; j < 2; j++)
			if (law.p[j] > 0)
				sum += law.p[j] * (draws > 1 ? law.ratio[j] * adaptive_delta(e, draws - 1, k / law.ratio[j]) :
								   fmaxl(law.ratio[j] - k, 0));
		greatest = fmaxl(greatest, sum);
	}
	return greatest;
}

/*
 * The epsilon of draws of bounded range covers whoever chooses their laws adaptively; that of 5 % less
 * range mostly does not.
 */
static void
test_range(void)
{
	int			low = 0;
	int			planted = 0;
	int			rounds = 0;
	long double worst = 0;

	for (int draws = 1; draws <= 3; draws++)
		for (double e = 0.1; e < 4; e *= 2.5)
			for (double part = 0.1; part < 0.9; part += 0.2)
			{
				double		delta = adaptive_delta(e, draws, expl(part * draws * e));
				double		epsilon = epsilon_of_one(range(e, draws), delta);
				double		less = epsilon_of_one(range(0.95 * e, draws), delta);

				rounds++;
				low += !(epsilon >= part * draws * e * (1 - 1e-12));
				planted += less < part * draws * e * (1 - 1e-12);
				if (draws == 1)
					worst = fmaxl(worst, epsilon / (part * e) - 1);
			}
	ok(low == 0, "none of %d epsilons of draws of bounded range is below what an adaptive choice of laws reaches", rounds);
	ok(planted > 0.6 * rounds, "that of 5 %% less range is, in %d of them", planted);
	ok(worst < LOOSE, "that of one draw is exact, but for %.1Lg", worst);
	ok(epsilon_of_one(range(0.1, 100), 1e-6) < 0.62 * epsilon_of_one(pure(0.1, 100), 1e-6) &&
	   epsilon_of_one(range(1, 1), 1e-12) <= 1 + 1e-9, "it is below that of randomised response of its range");
}

/* Above threshold: the greater delta of two laws, once and twice, each way. */
static void
test_above_threshold(void)
{
	int			low = 0;
	int			loose = 0;

	for (double x = 0.1; x < 5; x *= 1.7)
		for (double part = 0.05; part < 1; part += 0.1)
		{
			TwoRatios	law[] = {two_ratios(1.5L * x, x), two_ratios(1.5L * x, x / 2)};
			long double delta = 0;
			long double twice = 0;
			double		epsilon = part * x;

			for (int i = 0; i < 2; i++)
			{
				delta = fmaxl(delta, law[i].p[0] * fmaxl(law[i].ratio[0] - expl(epsilon), 0));
				for (int j = 0; j < 2; j++)
				{
					long double sum = 0;

					for (int k = 0; k < 4; k++)
						sum += law[i].p[k / 2] * law[j].p[k % 2] *
							fmaxl(law[i].ratio[k / 2] * law[j].ratio[k % 2] - expl(2 * epsilon), 0);
					twice = fmaxl(twice, sum);
				}
			}
			low += !(epsilon_of_one(above_threshold(x, 1), delta) >= epsilon * (1 - 1e-9));
			loose += !(epsilon_of_one(above_threshold(x, 1), delta) <= epsilon * (1 + LOOSE));
			low += !(epsilon_of_one(above_threshold(x, 2), twice) >= 2 * epsilon * (1 - 1e-9));
		}
	ok(low == 0 && loose == 0, "above threshold is the worse of its two laws, and no less");
}

/*
 * What curves prove of a fixed list is no more than any budget says, and for selections less than
 * their losses do.
 */
static void
test_fixed(void)
{
	int			above = 0;
	int			low = 0;

	for (int round = 0; round < 200; round++)
	{
		double		delta = log_uniform(1e-12, 1e-3);
		DpCurve		cost = {.delta = round % 3 ? 0 : delta * uniform(0, 0.1)};
		DpNoise		noise = {.mechanism = bits64() % 5, .sensitivity = 1, .scale_num = log_uniform_integer(1000),
			.scale_den = 1 + bits64() % 4, .groups = log_uniform_integer(1000)};
		DpLimit		limit;
		double		epsilon;

		noise.sigma = noise.scale_num + 1;
		dp_accounting_add_noise(&cost, &noise);
		epsilon = dp_accounting_fixed_epsilon(&cost, delta);
		for (double e = 0.01; e < 100; e *= 1.7)
		{
			dp_accounting_limit_init(&limit, e, delta, &dp_accounting_default_shares);
			above += !(epsilon <= dp_accounting_epsilon_spent(&limit, &cost));
		}
		if (noise.mechanism == DP_GAUSSIAN && cost.delta == 0)
			low += !(epsilon >= epsilon_of_one(discrete_gaussian(noise.sigma, 1, noise.groups), delta) * (1 - LOOSE));
		if (noise.mechanism == DP_LAPLACE && cost.delta == 0)
			low += !(epsilon >= epsilon_of_one(laplace(noise.scale_num, noise.scale_den, 1, noise.groups), delta) * (1 - LOOSE));
	}
	ok(above == 0, "what curves prove of a fixed list is no more than any budget with that delta says");
	ok(low == 0, "nor less than the truth");
	ok(dp_accounting_fixed_epsilon(&(DpCurve) {.pure = 1, .delta = 2e-9}, 1e-9) == INFINITY &&
	   dp_accounting_fixed_epsilon(&(DpCurve) {.pure = 1, .delta = 1e-9}, 1e-9) == 1,
	   "private groups have their delta first");
}

/* Never above what the charge's Renyi curve proves, which is not exact. */
static void
test_renyi(void)
{
	int			above = 0;
	double		gain = 0;

	for (int round = 0; round < 40; round++)
	{
		double		delta = log_uniform(1e-12, 1e-4);
		DpNoise		noise = {.mechanism = round % 2 ? DP_GAUSSIAN : DP_LAPLACE, .groups = 1 + bits64() % 40};
		DpPldRelease release;
		DpCurve		cost = {.pure = 0};
		DpLimit		limit;
		double		epsilon;

		noise.sensitivity = log_uniform_integer(1e9);
		noise.scale_num = noise.sensitivity * (10 + bits64() % 100);
		noise.scale_den = 1;
		noise.sigma = noise.scale_num;
		release = noise.mechanism == DP_GAUSSIAN ?
			discrete_gaussian(noise.sigma, noise.sensitivity, noise.groups) :
			laplace(noise.scale_num, 1, noise.sensitivity, noise.groups);
		dp_accounting_add_noise(&cost, &noise);
		dp_accounting_limit_init(&limit, 1, delta, &dp_accounting_default_shares);
		epsilon = epsilon_of_one(release, delta);
		above += !(epsilon <= dp_accounting_epsilon_spent(&limit, &cost));
		gain += 1 - epsilon / dp_accounting_epsilon_spent(&limit, &cost);
	}
	ok(above == 0, "never above what the filter says was spent, %.0f %% below on average",
	   gain / 40 * 100);
}

/* Extreme arguments give a bound, quickly, and no undefined behaviour. */
static void
test_extremes(void)
{
	int			bad = 0;

	for (int round = 0; round < 150; round++)
	{
		DpPldRelease r[4];
		int			n = 1 + bits64() % 4;
		long double sum = 0;
		double		delta = bits64() % 2 ? log_uniform(1e-300, 0.999) : uniform(1e-300, 1);
		double		epsilon;

		for (int i = 0; i < n; i++)
		{
			int64_t		count = log_uniform_integer(2147483647);

			switch (bits64() % 6)
			{
				case 4:
				case 5:
					r[i] = bits64() % 2 ? range(log_uniform(1e-300, 1e300), count) :
						above_threshold(log_uniform(1e-300, 1e300), count);
					sum += (long double) r[i].epsilon * count;
					break;
				case 0:
					r[i] = pure(log_uniform(1e-300, 1e300), count);
					sum += (long double) r[i].epsilon * count;
					break;
				case 1:
					r[i] = laplace(bits64() | 1, log_uniform_integer(1.8e19), log_uniform_integer(0x1p62), count);
					sum += (long double) r[i].sensitivity * r[i].scale_den / r[i].scale_num * count;
					break;
				case 2:
					r[i] = discrete_gaussian(log_uniform(1e-300, 1e300), log_uniform_integer(0x1p62), count);
					sum = INFINITY;
					break;
				default:
					r[i] = gaussian(log_uniform(1e-300, 1e300), count);
					sum = INFINITY;
			}
		}
		epsilon = epsilon_of(r, n, delta);
		bad += !(epsilon >= 0 && epsilon <= sum * (1 + 1e-12L));
	}
	ok(bad == 0, "extreme arguments give a bound too");
}

static void
test_refused(void)
{
	DpPldRelease good = laplace(10, 1, 1, 1);
	double		epsilon;

#define REFUSED(release, delta) \
	(dp_accounting_pld_epsilon(&(DpPldRelease[]) {good, release}[0], 2, delta, &services, &epsilon) != NULL)
	ok(!REFUSED(good, 1e-9), "what is admissible is not refused");
	ok(REFUSED(good, 0) && REFUSED(good, 1) && REFUSED(good, NAN) && REFUSED(good, -1) && REFUSED(good, 1e-301),
	   "deltas out of range are");
	ok(REFUSED(pure(1, 0), 1e-9) && REFUSED(pure(1, DP_PLD_MAX_COUNT + 1), 1e-9) && REFUSED(pure(-1, 1), 1e-9) &&
	   REFUSED(pure(NAN, 1), 1e-9) && REFUSED(pure(INFINITY, 1), 1e-9) && REFUSED(range(0, 1), 1e-9) &&
	   REFUSED(range(NAN, 1), 1e-9) && REFUSED(above_threshold(INFINITY, 1), 1e-9), "counts and epsilons too");
	ok(REFUSED(laplace(0, 1, 1, 1), 1e-9) && REFUSED(laplace(1, 0, 1, 1), 1e-9) &&
	   REFUSED(laplace(1, 1, 0, 1), 1e-9) && REFUSED(laplace(1, 1, (UINT64_C(1) << 62) + 1, 1), 1e-9),
	   "scales and sensitivities too");
	ok(REFUSED(gaussian(0, 1), 1e-9) && REFUSED(gaussian(NAN, 1), 1e-9) && REFUSED(gaussian(INFINITY, 1), 1e-9) &&
	   REFUSED(discrete_gaussian(1, 0, 1), 1e-9), "sigmas too");
#undef REFUSED
}

/* Doubles as fractions: exact or just below. */
static void
test_scale(void)
{
	uint64_t	num;
	uint64_t	den;
	int			bad = 0;

	for (int i = 0; i < 20000; i++)
	{
		double		scale = log_uniform(1e-6, 0x1p62);
		long double quotient;

		bad += !dp_accounting_pld_scale(scale, &num, &den) || num < 1 || den < 1;
		quotient = (long double) num / den;
		bad += quotient > scale || quotient < scale * (1 - 0x1p-40L);
		bad += scale >= 0x1p-11 && quotient != scale;
	}
	ok(bad == 0, "scales become fractions");
	ok(!dp_accounting_pld_scale(0, &num, &den) && !dp_accounting_pld_scale(NAN, &num, &den) &&
	   !dp_accounting_pld_scale(INFINITY, &num, &den) && !dp_accounting_pld_scale(-1, &num, &den),
	   "what is no scale does not");
}

int
main(void)
{
	test_transform();
	test_split();
	test_add();
	test_reference();
	test_exact();
	test_gaussian();
	test_term_by_term();
	test_properties();
	test_average();
	test_range();
	test_above_threshold();
	test_renyi();
	test_fixed();
	test_extremes();
	test_refused();
	test_scale();
	ok(allocated == 0 && checked > 1000, "memory is given back, interrupts are looked for");
	return done_testing();
}
