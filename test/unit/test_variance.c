/*
 * test_variance.c
 *	  What releases cost in variance: against reference values, and by what it means, that a
 *	  release and some log-normal noise cost no more than more of that noise.
 */
#include "accounting.h"
#include "variance_reference.h"

#include "accounting/block_cost.h"
#include "accounting/calibrate.h"
#include "accounting/filter.h"
#include "accounting/subsampling.h"
#include "accounting/variance.h"

#define ROUNDS 4000

static void
test_reference(void)
{
	int			bad = 0;
	DpCurve		cost;

	for (int i = 0; i < LENGTH(worth); i++)
	{
		dp_accounting_range_variance(&cost, worth[i].half, 1);
		bad += !outward(cost.variance, worth[i].variance) ||
			!near(cost.coarseness, worth[i].coarseness, 1e-12L);
		dp_accounting_range_variance(&cost, worth[i].half, 7);
		bad += !outward(cost.variance, 7 * worth[i].variance) ||
			!near(cost.coarseness, worth[i].coarseness, 1e-12L);
	}
	ok(bad == 0, "%d ranges are worth what they are, rounded up", LENGTH(worth));
	bad = 0;
	for (int i = 0; i < LENGTH(gaussian_worth); i++)
	{
		dp_accounting_gaussian_variance(&cost, gaussian_worth[i].sigma, gaussian_worth[i].shift, 3);
		bad += !outward(cost.variance, 3 * gaussian_worth[i].variance) ||
			!outward(cost.coarseness, gaussian_worth[i].coarseness);
	}
	ok(bad == 0, "so are %d of Gaussian noise", LENGTH(gaussian_worth));
	bad = 0;
	for (int i = 0; i < LENGTH(sampled); i++)
		bad += !outward(dp_accounting_sampled_range(sampled[i].epsilon, sampled[i].rate), sampled[i].half);
	ok(bad == 0, "so are %d ranges on a sample", LENGTH(sampled));
	bad = 0;
	for (int i = 0; i < LENGTH(spent); i++)
	{
		DpCurve		total = {.variance = spent[i].variance, .coarseness = spent[i].coarseness};

		bad += !outward(dp_accounting_variance_needed(&total), spent[i].needed);
		bad += !outward(dp_accounting_variance_epsilon(&total, spent[i].delta), spent[i].epsilon) &&
			spent[i].epsilon > 0;
		bad += spent[i].epsilon == 0 && dp_accounting_variance_epsilon(&total, spent[i].delta) > 0;
	}
	ok(bad == 0, "and what is spent by %d histories", LENGTH(spent));
}

/* m follows from c as it is rounded up: m c is never below x^4 / 6, nor m below c / 6. */
static void
test_rounding(void)
{
	int			bad = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		x = log_uniform(1e-9, 50);
		DpCurve		cost;

		dp_accounting_range_variance(&cost, x, 1);
		bad += !((long double) cost.coarseness * cost.variance >= (long double) x * x * x * x / 6);
		bad += !(6 * (long double) cost.coarseness >= cost.variance);
	}
	ok(bad == 0, "c <= 6 m and m c >= x^4 / 6 for %d epsilons", ROUNDS);
}

static void
test_closed(void)
{
	static const double none[] = {0, -1, NAN, INFINITY};
	DpCurve		total = {.variance = 0.01, .coarseness = 0.001};
	DpCurve		cost = {.variance = 1, .coarseness = 1};
	int			bad = 0;

	for (int i = 0; i < LENGTH(none); i++)
	{
		dp_accounting_range_variance(&cost, none[i], 1);
		bad += !isinf(cost.variance);
	}
	dp_accounting_gaussian_variance(&cost, 1, 1, 1);
	bad += !isinf(cost.variance);
	ok(bad == 0, "what has no range, or sigma = 1, is worth an infinite variance");
	ok(dp_accounting_variance_epsilon(&total, 1e-6) < 1, "a small variance comes to a small epsilon");
	ok(isinf(dp_accounting_variance_epsilon(&total, 0)) && isinf(dp_accounting_variance_epsilon(&total, -1)) &&
	   isinf(dp_accounting_variance_epsilon(&total, NAN)), "without delta, to an infinite one");
	ok(dp_accounting_variance_epsilon(&(DpCurve) {.pure = 0}, 0) == 0, "unless it is nothing");
	for (int i = 1; i < LENGTH(none); i++)
	{
		DpCurve		broken = total;

		broken.variance = none[i];
		bad += !isinf(dp_accounting_variance_epsilon(&broken, 1e-6));
		broken = total;
		broken.coarseness = none[i];
		bad += !isinf(dp_accounting_variance_epsilon(&broken, 1e-6));
	}
	ok(bad == 0, "what is negative, infinite or no number admits nothing");
	total.rdp[6] = 0.01;
	ok(dp_accounting_order[6] == 2 && dp_accounting_variance_epsilon(&total, 1e-6) < 1, "a divergence of order 2 is at most the variance");
	total.rdp[6] = 0.0101;
	ok(isinf(dp_accounting_variance_epsilon(&total, 1e-6)), "or the variance is not believed");
	total = (DpCurve) {.coarseness = NAN};
	dp_accounting_compose(&total, &(DpCurve) {.coarseness = 1});
	ok(isinf(dp_accounting_variance_epsilon(&total, 1e-6)), "what is no number stays none in a sum");
	total = (DpCurve) {.coarseness = 1};
	dp_accounting_compose(&total, &(DpCurve) {.coarseness = NAN});
	ok(isinf(dp_accounting_variance_epsilon(&total, 1e-6)), "nor is it lost");
}

/* Noise as statements have it, with an epsilon of 0.003 to 8. */
static DpNoise
random_noise(DpMechanism mechanism)
{
	DpNoise		noise = {.mechanism = mechanism, .groups = 1 + bits64() % 5};

	noise.sensitivity = log_uniform_integer(1e6);
	noise.scale_num = noise.sensitivity * log_uniform_integer(300) + bits64() % 1000 + 1;
	noise.scale_den = 1 + bits64() % 8;
	noise.sigma = 2 + noise.sensitivity * log_uniform_integer(300) / 4;
	return noise;
}

/*
 * Of every release that there is, on samples too, the divergence of order 2 that is charged is
 * at most the variance: without that, the rule would be closed to it.
 */
static void
test_mechanisms(void)
{
	int			bad = 0;
	int			dearer = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		DpNoise		noise = random_noise(i % DP_MECHANISMS);
		double		p = i % 3 ? 1 : log_uniform(1e-6, 1);
		DpCurve		cost = {.pure = 0};
		DpCurve		whole = {.pure = 0};

		dp_accounting_add_release(&whole, &noise, 1);
		dp_accounting_add_release(&cost, &noise, 1);
		dp_accounting_complete_block(&cost, p, 0);
		bad += !(dp_accounting_variance_needed(&cost) < INFINITY);
		if (noise.mechanism == DP_LAPLACE || noise.mechanism == DP_GAUSSIAN)
			dearer += cost.variance > whole.variance;
	}
	ok(bad == 0, "the rule is open to %d releases", ROUNDS);
	ok(dearer == 0, "none costs more on a sample");
}

/* P[N(0,1) >= x] and E (x exp(N(-v/2, v)) - 1)_+, the price of x where log-variance v is left. */
static long double
tail(long double x)
{
	return erfcl(x * 0.7071067811865475244008443621048490L) / 2;
}

static long double
price(long double x, long double v)
{
	long double s = sqrtl(v);
	long double u = -logl(x) / s;

	return x * tail(u - s / 2) - tail(u + s / 2);
}

/* The price of two outcomes, exp(t + a) and exp(t - a) times x, of mean 1. */
static long double
price_of_range(long double x, long double t, long double a, long double v)
{
	long double up = expl(t + a);
	long double down = expl(t - a);
	long double q = -expm1l(t - a) / (up - down);

	return q * price(x * up, v) + (1 - q) * price(x * down, v);
}

/* How many prices of ranges exceed that of U(v), and where m is a part of what it is. */
static int
count_dearer(double part)
{
	int			dearer = 0;

	argument_state = 7;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		a = log_uniform(0.02, 6);
		long double t = a * uniform(-1, 1);
		DpCurve		cost;
		long double m;
		long double v;
		long double x;

		dp_accounting_range_variance(&cost, a, 1);
		m = cost.coarseness * part;
		v = 7 * cost.coarseness * (i % 2 ? 1 : log_uniform(1, 100));
		x = expl(uniform(-3, 3) * sqrtl(v));
		if (i % 4 == 0)
			x = 1, t = 0;
		dearer += price_of_range(x, t, a, v) >
			price(x, v + cost.variance + m * cost.variance / v) * (1 + 1e-13L);
	}
	return dearer;
}

static void
test_meaning_of_ranges(void)
{
	int			dearer = count_dearer(1);
	int			without = count_dearer(0);

	ok(dearer == 0, "%d two-point laws and noise cost no more than noise of their variance more", ROUNDS);
	ok(without > 0, "without coarseness, %d of them do", without);
}

/* The price of integer Gaussian noise moved by `shift`, times noise of log-variance v. */
static long double
price_of_gaussian(long double x, int sigma, int shift, long double v)
{
	long double norm = 0;
	long double sum = 0;

	for (int z = -60 * sigma; z <= 60 * sigma; z++)
	{
		long double mass = expl(-(long double) z * z / 2 / sigma / sigma);

		norm += mass;
		sum += mass * price(x * expl((2.0L * shift * z - shift * shift) / 2 / sigma / sigma), v);
	}
	return sum / norm;
}

static int
count_dearer_gaussian(double part)
{
	int			dearer = 0;

	argument_state = 8;
	for (int i = 0; i < 400; i++)
	{
		int			sigma = 2 + bits64() % 4;
		int			shift = 1 + bits64() % 3;
		DpCurve		cost;
		long double v;
		long double x;

		dp_accounting_gaussian_variance(&cost, sigma, shift, 1);
		v = 7 * cost.coarseness * part;
		x = expl(uniform(-2, 2) * sqrtl(v + cost.variance));
		dearer += price_of_gaussian(x, sigma, shift, v) > price(x, v + cost.variance) * (1 + 1e-13L);
	}
	return dearer;
}

static void
test_meaning_of_gaussian(void)
{
	int			dearer = count_dearer_gaussian(1);
	int			without = count_dearer_gaussian(0.02);

	ok(dearer == 0, "integer Gaussian noise costs no more than continuous noise, where 7 m is left");
	ok(without > 0, "where less is left, it does in %d of 400 cases", without);
}

/*
 * A law of at most this many likelihood ratios, what it is on a sample, and its cost as that of one.
 */
#define MOST_OUTCOMES 40

typedef struct Law
{
	int			outcomes;
	long double mass[MOST_OUTCOMES];
	long double ratio[MOST_OUTCOMES];
	DpCurve		cost;
} Law;

/* A total that Laplace noise was added to, moved by so many units that it is about exp(epsilon). */
static void
laplace_law(Law *law, int shift, long double epsilon)
{
	long double s = epsilon / shift;

	law->outcomes = shift + 1;
	for (int z = 0; z <= shift; z++)
	{
		law->mass[z] = z == 0 ? 1 / (1 + expl(-s)) : z == shift ? expl(-s * z) / (1 + expl(-s)) : expl(-s * z) * tanhl(s / 2);
		law->ratio[z] = expl(s * (2 * z - shift));
	}
}

/* Renyi divergences in both directions, the greater of them. */
static double
divergence(const Law *law, long double a)
{
	long double to = 0;
	long double from = 0;

	for (int z = 0; z < law->outcomes; z++)
	{
		to += law->mass[z] * (powl(law->ratio[z], a) - 1 - a * (law->ratio[z] - 1));
		from += law->mass[z] * (powl(law->ratio[z], 1 - a) - 1 - (1 - a) * (law->ratio[z] - 1));
	}
	return (double) (log1pl(fmaxl(to, from)) / (a - 1) * (1 + 1e-13L));
}

static void
random_law(Law *law, int i)
{
	double		epsilon = log_uniform(0.1, 3);
	double		p = log_uniform(0.003, 0.9);

	laplace_law(law, i % 2 ? 1 : 1 + (int) (bits64() % (MOST_OUTCOMES - 1)), epsilon);
	law->cost = (DpCurve) {.pure = log1p(p * expm1(epsilon)) * (1 + 1e-15)};
	for (int z = 0; z < law->outcomes; z++)
		law->ratio[z] = 1 - p + p * law->ratio[z];
	for (int k = 0; k < DP_ORDERS; k++)
		law->cost.rdp[k] = divergence(law, dp_accounting_order[k]);
}

/*
 * Does the price of a law at some strike exceed that of a part of the charged variance and coarseness?
 * Strikes lie where single orders decide, far out too.  Above 1 what x exceeds 1 by, which is the same on
 * both sides, is left out.
 */
static bool
is_dearer(const Law *law, const DpCurve *cost, int i, double part, double part_of_m)
{
	long double v = 7 * cost->coarseness * (i % 3 ? 1 : log_uniform(1, 100));
	long double x = expl((i % 4 < 2 ? 1 : -1) * fminl(log_uniform(1, 500) * v, 9 * sqrtl(v)));
	long double sum = 0;

	for (int z = 0; z < law->outcomes; z++)
		sum += law->mass[z] * (x < 1 ? price(x * law->ratio[z], v) : price(1 / (x * law->ratio[z]), v) * x * law->ratio[z]);
	v += part * cost->variance + part_of_m * cost->coarseness * cost->variance / v;
	return sum > (x < 1 ? price(x, v) : price(1 / x, v) * x) * (1 + 1e-11L);
}

/* How many prices on samples exceed those of the curve's variance and coarseness, if parts of these are charged. */
static int
count_dearer_samples(double part, double part_of_m)
{
	int			dearer = 0;
	Law			law;

	argument_state = 9;
	for (int i = 0; i < 2000; i++)
	{
		DpCurve		cost;

		random_law(&law, i);
		dp_accounting_curve_variance(&cost, &law.cost);
		if (cost.variance < INFINITY)
			dearer += is_dearer(&law, &cost, i, part, part_of_m);
	}
	return dearer;
}

/*
 * The same of draws of bounded range e on samples, whose ratios are exp(t) and exp(t - e), by what is charged
 * of them.
 */
static int
count_dearer_draws(double part, double part_of_m)
{
	int			dearer = 0;
	Law			law = {.outcomes = 2};

	argument_state = 10;
	for (int i = 0; i < 600; i++)
	{
		DpNoise		noise = {.mechanism = DP_EXPONENTIAL, .groups = 1, .sensitivity = 1, .scale_num = 2000, .scale_den = log_uniform_integer(3000)};
		long double e = dp_accounting_draw_epsilon(&noise);
		long double p = i % 2 ? log_uniform(0.3, 0.9) : log_uniform(0.003, 0.9);
		long double t = e * (i % 3 ? 0.5L : uniform(0.01, 0.99));
		DpCurve		cost = {.pure = 0};

		law.mass[0] = expm1l(t - e) / (expl(t) * expm1l(-e));
		law.mass[1] = 1 - law.mass[0];
		for (int z = 0; z < 2; z++)
			law.ratio[z] = 1 + p * expm1l(t - z * e);
		dp_accounting_add_release(&cost, &noise, 1);
		dp_accounting_complete_block(&cost, (double) p, 0);
		if (cost.variance < INFINITY)
			dearer += is_dearer(&law, &cost, i, part, part_of_m);
	}
	return dearer;
}

static void
test_meaning_of_curves(void)
{
	int			dearer = count_dearer_samples(1, 1);
	int			less = count_dearer_samples(0.95, 1);
	int			without = count_dearer_samples(1, 0);

	ok(dearer == 0, "samples of Laplace noise cost no more than their curves' variance");
	ok(less > 0, "with 95 percent of it, %d of 2000 do", less);
	ok(without > 0, "without coarseness, %d do", without);
	ok(count_dearer_draws(1, 1) == 0, "samples of draws of bounded range cost no more than is charged");
	less = count_dearer_draws(0.95, 1);
	without = count_dearer_draws(1, 0);
	ok(less > 0, "with 95 percent of it, %d of 600 do", less);
	ok(without > 0, "without coarseness, %d do", without);
}

/* What is no curve, or one of much, has no variance; and m is at least c / 6. */
static void
test_curves_closed(void)
{
	DpCurve		cost = {.pure = 1};
	DpCurve		bound;
	int			bad = 0;

	for (int i = 0; i < DP_ORDERS; i++)
		cost.rdp[i] = 0.005 * dp_accounting_order[i];
	dp_accounting_curve_variance(&bound, &cost);
	ok(bound.variance >= 0.01 && bound.variance < 0.0102 && bound.coarseness >= bound.variance / 6 && bound.coarseness < bound.variance * 8 / 7 * 1.001,
	   "a curve of a variance of 0.01 has about that");
	for (int i = 6; i < DP_ORDERS; i++)
	{
		DpCurve		broken = cost;

		broken.rdp[i] = i % 2 ? NAN : INFINITY;
		dp_accounting_curve_variance(&bound, &broken);
		bad += !isinf(bound.variance);
		broken.rdp[i] = cost.rdp[i] * 1.5;
		dp_accounting_curve_variance(&bound, &broken);
		bad += !(bound.variance >= 0.015);
	}
	cost.pure = INFINITY;
	dp_accounting_curve_variance(&bound, &cost);
	ok(bad == 0 && isinf(bound.variance), "no order is left out, nor the pure epsilon");
}

int
main(void)
{
	test_reference();
	test_rounding();
	test_closed();
	test_mechanisms();
	test_meaning_of_ranges();
	test_meaning_of_gaussian();
	test_curves_closed();
	test_meaning_of_curves();
	return done_testing();
}
