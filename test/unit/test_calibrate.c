/*
 * test_calibrate.c
 *	  From (epsilon, delta) to integers and back to cost and accuracy.
 */
#include "accounting.h"

#include "accounting/calibrate.h"
#include "accounting/filter.h"

#define ROUNDS 20000
#define MAX_SCALE_NUM (UINT64_C(1) << 62)
#define MAX_SCALE_DEN (UINT64_C(1) << 32)
#define MAX_SIGMA (UINT64_C(1) << 55)

/* Parameters of a release, over all that is admissible. */
typedef struct Release
{
	DpMechanism mechanism;
	double		epsilon;
	double		delta;
	int			groups;
	int			parts;
} Release;

static Release
any_release(void)
{
	return (Release) {
		.mechanism = bits64() % 2 ? DP_LAPLACE : DP_GAUSSIAN,
		.epsilon = fmin(fmax(log_uniform(1e-9, 0x1p20), DP_MIN_EPSILON), DP_MAX_EPSILON),
		.delta = fmin(bits64() % 2 ? log_uniform(1e-30, 0.5) : log_uniform(1e-300, 0.5), 0.5),
		.groups = bits64() % 2 ? 1 : (int) log_uniform_integer(1e6),
		.parts = 1 + bits64() % 2
	};
}

static const char *
calibrate(DpNoise *noise, const Release *r, uint64_t sensitivity, int grid)
{
	return dp_accounting_calibrate(noise, r->mechanism, r->epsilon, r->delta, r->groups,
								   r->parts, sensitivity, grid);
}

static long double
noise_scale(const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN ? noise->sigma :
		(long double) noise->scale_num / noise->scale_den;
}

/* The grid keeps what its contract says, for all arguments. */
static void
test_grid(void)
{
	int			large = 0;
	int			fine = 0;
	int			whole = 0;
	int			refused = 0;
	int			coarse = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		Release		r = any_release();
		bool		integral = bits64() % 2;
		double		bound = integral ? log_uniform(1, 9.2e18) : log_uniform(1e-300, 1e300);
		int			k = dp_accounting_grid(r.mechanism, r.epsilon, r.delta, r.groups, r.parts,
										   bound, integral);
		long double units = ldexpl(bound, -k);
		DpNoise		noise;

		large += units >= 0x1p61L;
		if (calibrate(&noise, &r, (uint64_t) ceill(units), k) != NULL)
		{
			refused++;
			continue;
		}
		if (integral && r.mechanism == DP_LAPLACE)
		{
			whole += k < 0;
			coarse += k > 0 && noise_scale(&noise) < 0x1p59L && units < 0x1p60L;
		}
		else
			fine += units < 0x1p8L || noise_scale(&noise) < 0x1p40L;
	}
	ok(large == 0, "bounds stay below 2^61 grid units");
	ok(refused == 0, "there is noise for every bound on its grid");
	ok(fine == 0, "bounds are 2^8 grid units or more, noise is 2^40 or more");
	ok(whole == 0, "whole numbers are never split under Laplace noise");
	ok(coarse == 0, "whole numbers are rounded only where they must be");
	ok(dp_accounting_grid(DP_LAPLACE, 0.1, 0, 1, 1, 1, true) == 0 &&
	   dp_accounting_grid(DP_LAPLACE, 0.1, 0, 10, 1, 1e15, true) == 0,
	   "usual counts and sums are not rounded");
	ok(dp_accounting_grid(DP_LAPLACE, 0, 0, 1, 1, 1, false) == 0 &&
	   dp_accounting_grid(DP_LAPLACE, 1, 0, 1, 1, INFINITY, false) == 0 &&
	   dp_accounting_grid(DP_LAPLACE, 1, 0, 1, 1, NAN, false) == 0,
	   "the grid of what is refused is 0");
}

/* Laplace integers: within the sampler's range, tight, and charged within epsilon. */
static void
test_laplace(void)
{
	int			range = 0;
	int			low = 0;
	int			loose = 0;
	int			charge = 0;
	int			drawn = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		Release		r = any_release();
		uint64_t	sensitivity = log_uniform_integer(0x1p62);
		DpNoise		noise;
		DpCurve		cost = {.pure = 0};
		long double scale;

		r.mechanism = DP_LAPLACE;
		scale = (long double) r.groups * r.parts * sensitivity / r.epsilon;
		if (calibrate(&noise, &r, sensitivity, 0) != NULL)
		{
			range += scale < 0x1p61L;
			continue;
		}
		drawn++;
		range += noise.scale_num < 1 || noise.scale_num > MAX_SCALE_NUM ||
			noise.scale_den < 1 || noise.scale_den > MAX_SCALE_DEN;
		low += noise_scale(&noise) < scale * (1 + 0x1p-42L);
		loose += noise_scale(&noise) > scale * (1 + 1e-9L);
		dp_accounting_add_noise(&cost, &noise);
		charge += cost.pure * r.parts > r.epsilon || cost.pure * r.parts < r.epsilon * (1 - 1e-9);
		charge += (long double) cost.pure * noise.scale_num * (1 + 0x1p-62L) <
			(long double) r.groups * sensitivity * noise.scale_den;
	}
	ok(drawn > ROUNDS / 3 && range == 0, "Laplace noise is within the sampler's range");
	ok(low == 0, "Laplace scales leave headroom");
	ok(loose == 0, "Laplace scales exceed the least by less than 1e-9");
	ok(charge == 0, "the charged pure epsilon is at most epsilon, and not below the true one");
}

/* Nominal epsilons add up: n releases at epsilon / n fit a budget of epsilon. */
static void
test_nominal_sums(void)
{
	static const int counts[] = {1, 3, 10, 100, 1000};

	for (int i = 0; i < LENGTH(counts); i++)
	{
		DpCurve		total = {.pure = 0};
		DpCurve		cost = {.pure = 0};
		DpLimit		limit;
		DpNoise		noise;

		dp_accounting_limit_init(&limit, 1, 0, &dp_accounting_default_shares);
		dp_accounting_calibrate(&noise, DP_LAPLACE, 1.0 / counts[i], 0, 1, 1, 1, 0);
		dp_accounting_add_noise(&cost, &noise);
		for (int j = 0; j < counts[i]; j++)
			dp_accounting_compose(&total, &cost);
		ok(dp_accounting_admits(&limit, &total), "%d releases at epsilon 1/%d fit a budget of 1",
		   counts[i], counts[i]);
		dp_accounting_compose(&total, &cost);
		ok(!dp_accounting_admits(&limit, &total), "one more does not");
	}
}

static void
test_gaussian(void)
{
	int			low = 0;
	int			loose = 0;

	for (int i = 0; i < LENGTH(gaussian_ratio); i++)
	{
		/* About 2^45 grid units of noise, over four groups in one part. */
		uint64_t	sensitivity = fmaxl(1, floorl(0x1p44L / gaussian_ratio[i].value));
		long double least = 2 * gaussian_ratio[i].value * sensitivity;
		DpNoise		noise;

		low += dp_accounting_calibrate(&noise, DP_GAUSSIAN, gaussian_ratio[i].epsilon,
									   gaussian_ratio[i].delta, 4, 1, sensitivity, 0) != NULL;
		low += noise.sigma < least || noise.sigma > MAX_SIGMA;
		loose += noise.sigma > least * (1 + 1e-12L) + 1;
	}
	ok(low == 0, "sigma is not below the analytic one for %d reference values",
	   LENGTH(gaussian_ratio));
	ok(loose == 0, "nor above it by more than 1e-12 and rounding up");
}

static void
test_monotone(void)
{
	int			bad = 0;
	int			drawn = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		Release		r = any_release();
		uint64_t	sensitivity = log_uniform_integer(0x1p40);
		DpNoise		noise;
		DpNoise		less;

		if (calibrate(&noise, &r, 2 * sensitivity, 0) != NULL)
			continue;
		drawn++;
		bad += calibrate(&less, &r, sensitivity, 0) != NULL ||
			noise_scale(&less) > noise_scale(&noise);
		r.epsilon = fmin(r.epsilon * 1.01, DP_MAX_EPSILON);
		bad += calibrate(&less, &r, 2 * sensitivity, 0) != NULL ||
			noise_scale(&less) > noise_scale(&noise);
		r.delta = fmin(r.delta * 1.01, 0.5);
		bad += calibrate(&less, &r, 2 * sensitivity, 0) != NULL ||
			noise_scale(&less) > noise_scale(&noise);
	}
	ok(drawn > ROUNDS / 3 && bad == 0,
	   "less sensitivity, more epsilon or more delta never need more noise");
}

static void
test_refused(void)
{
	DpNoise		noise;

#define REFUSED(mechanism, epsilon, delta, groups, parts, sensitivity) \
	(dp_accounting_calibrate(&noise, mechanism, epsilon, delta, groups, parts, sensitivity, 0) != NULL)

	ok(REFUSED(DP_LAPLACE, 0.99e-9, 0, 1, 1, 1) && REFUSED(DP_LAPLACE, 1048577, 0, 1, 1, 1) &&
	   REFUSED(DP_LAPLACE, -1, 0, 1, 1, 1) && REFUSED(DP_LAPLACE, NAN, 0, 1, 1, 1),
	   "epsilon out of range is refused");
	ok(REFUSED(DP_GAUSSIAN, 1, 0, 1, 1, 1) && REFUSED(DP_GAUSSIAN, 1, 0.51, 1, 1, 1) &&
	   REFUSED(DP_GAUSSIAN, 1, NAN, 1, 1, 1) && !REFUSED(DP_LAPLACE, 1, 0, 1, 1, 1),
	   "delta out of range is refused where it matters");
	ok(REFUSED(DP_LAPLACE, 1, 0, 0, 1, 1) && REFUSED(DP_LAPLACE, 1, 0, 1, 0, 1),
	   "no groups or no parts are refused");
	ok(REFUSED(DP_LAPLACE, 1, 0, 1, 1, 0) &&
	   REFUSED(DP_LAPLACE, 1000, 0, 1, 1, DP_MAX_SENSITIVITY + 1) &&
	   !REFUSED(DP_LAPLACE, 1000, 0, 1, 1, DP_MAX_SENSITIVITY),
	   "sensitivity out of range is refused");
	ok(REFUSED(DP_LAPLACE, 1e-9, 0, 1, 1, UINT64_C(1) << 40) &&
	   REFUSED(DP_GAUSSIAN, 1e-9, 1e-9, 1, 1, UINT64_C(1) << 40),
	   "more noise than can be drawn is refused");
	ok(!REFUSED(DP_LAPLACE, DP_MAX_EPSILON, 0, 1, 1, 1) && noise.scale_num == 4096,
	   "the least scale can be drawn");
}

/* Renyi divergence of one draw, as the curves have it. */
static long double
divergence(double alpha, const DpNoise *noise)
{
	switch (noise->mechanism)
	{
		case DP_LAPLACE:
			return dp_accounting_rdp_discrete_laplace(alpha, noise->scale_num, noise->scale_den,
													  noise->sensitivity);
		case DP_GAUSSIAN:
			return dp_accounting_rdp_discrete_gaussian(alpha, noise->sigma, noise->sensitivity);
		default:
			return dp_accounting_rdp_pure(alpha, dp_accounting_draw_epsilon(noise));
	}
}

/* The number of orders at which a cost is not that of the curves, over all groups, rounded up. */
static int
miscounted(const DpCurve *cost, const DpNoise *noise)
{
	int			bad = 0;

	for (int j = 0; j < DP_ORDERS; j++)
	{
		long double all = divergence(dp_accounting_order[j], noise) * noise->groups;

		bad += cost->rdp[j] < all || cost->rdp[j] > all * (1 + 1e-13L);
	}
	return bad;
}

static void
test_charge(void)
{
	int			bad = 0;

	for (int i = 0; i < 500; i++)
	{
		Release		r = any_release();
		DpCurve		cost = {.pure = 0.25};
		DpNoise		noise;

		if (calibrate(&noise, &r, log_uniform_integer(0x1p40), 0) != NULL)
			continue;
		dp_accounting_add_noise(&cost, &noise);
		bad += miscounted(&cost, &noise);
		bad += r.mechanism == DP_LAPLACE ? cost.pure <= 0.25 : !isinf(cost.pure);
	}
	ok(bad == 0, "a release is charged for every group; Gaussian noise has no pure epsilon");
}

/* Costs are kept: no noise is charged as another that differs from it in one number. */
static void
test_kept_costs(void)
{
	DpNoise		noise[30];
	int			bad = 0;

	for (int i = 0; i < 30; i++)
	{
		noise[i] = (DpNoise) {
			.mechanism = i / 6 % 2 ? DP_GAUSSIAN : DP_LAPLACE,
			.groups = 3, .sensitivity = 5 + i / 12, .scale_num = 100, .scale_den = 7, .sigma = 90
		};
		switch (i % 6)
		{
			case 1:
				noise[i].groups++;
				break;
			case 2:
				noise[i].sensitivity += 7;
				break;
			case 3:
				noise[i].scale_num++;
				break;
			case 4:
				noise[i].scale_den++;
				break;
			case 5:
				noise[i].sigma++;
				if (noise[i].mechanism == DP_LAPLACE)
					noise[i].mechanism = DP_PERMUTE_AND_FLIP;
				break;
		}
	}
	for (int i = 0; i < 3000; i++)
	{
		const DpNoise *asked = &noise[i < 1000 ? (unsigned) i / 2 % 30 :
									  bits64() % (i < 2000 ? 12 : 30)];
		DpCurve		cost = {.pure = 0};

		dp_accounting_add_noise(&cost, asked);
		bad += miscounted(&cost, asked);
	}
	ok(bad == 0, "every noise is charged for itself, however lately another was");
}

static void
test_delta(void)
{
	DpCurve		cost = {.delta = 1e-9};

	dp_accounting_add_delta(&cost, 1e-30);
	ok(cost.delta == nextafter(1e-9, 1), "deltas add up, rounded up");
}

static DpNoise
laplace_noise(uint64_t num, uint64_t den)
{
	return (DpNoise) {
		.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = 1, .scale_num = num, .scale_den = den
	};
}

static DpNoise
gaussian_noise(uint64_t sigma)
{
	return (DpNoise) {.mechanism = DP_GAUSSIAN, .groups = 1, .sensitivity = 1, .sigma = sigma};
}

static void
test_stddev(void)
{
	DpNoise		noise = laplace_noise(10, 1);
	double		plain = dp_accounting_stddev(&noise);

	for (int i = 0; i < LENGTH(laplace_stddev); i++)
	{
		noise = laplace_noise(laplace_stddev[i].num, laplace_stddev[i].den);
		ok(near(dp_accounting_stddev(&noise), laplace_stddev[i].value, 1e-15L),
		   "standard deviation of discrete Laplace noise %d", i);
	}
	for (int i = 0; i < LENGTH(gaussian_stddev); i++)
	{
		noise = gaussian_noise(gaussian_stddev[i].sigma);
		ok(near(dp_accounting_stddev(&noise), gaussian_stddev[i].value, 1e-15L),
		   "standard deviation of discrete Gaussian noise %d", i);
	}
	noise = laplace_noise(10, 1);
	noise.grid = -40;
	ok(dp_accounting_stddev(&noise) == ldexp(plain, -40), "the grid scales the standard deviation");
}

/* Check reach - that is threshold and half width - of one noise against a reference. */
static bool
reaches(const DpNoise *noise, double tail, int64_t reach, int allowance)
{
	DpNoise		shifted = *noise;
	int64_t		threshold;
	double		half_width;

	shifted.sensitivity = 5;
	threshold = dp_accounting_threshold(&shifted, tail);
	half_width = dp_accounting_half_width(noise, 1 - 2 * tail);
	return threshold >= 5 + reach && threshold <= 5 + reach + allowance &&
		(tail < 0.01 || (half_width >= reach - 1 && half_width <= reach - 1 + allowance));
}

static void
test_reach(void)
{
	int			bad = 0;
	DpNoise		noise;

	for (int i = 0; i < LENGTH(laplace_reach); i++)
	{
		noise = laplace_noise(laplace_reach[i].num, laplace_reach[i].den);
		bad += !reaches(&noise, laplace_reach[i].tail, laplace_reach[i].value, 0);
	}
	ok(bad == 0, "Laplace tails end where %d reference values say", LENGTH(laplace_reach));

	bad = 0;
	for (int i = 0; i < LENGTH(gaussian_reach); i++)
	{
		noise = gaussian_noise(gaussian_reach[i].sigma);
		bad += !reaches(&noise, gaussian_reach[i].tail, gaussian_reach[i].value,
						gaussian_reach[i].sigma > 64);
	}
	ok(bad == 0, "Gaussian tails end where %d reference values say", LENGTH(gaussian_reach));
}

static void
test_half_width(void)
{
	DpNoise		noise = gaussian_noise(MAX_SIGMA);

	ok(near(dp_accounting_half_width(&noise, 0.95), 1.959963984540054235524595L * MAX_SIGMA, 1e-14L),
	   "half width of the widest Gaussian noise");
	noise = laplace_noise(MAX_SCALE_NUM, 1);
	ok(near(dp_accounting_half_width(&noise, 0.95), 2.995732273553990993435224L * MAX_SCALE_NUM, 1e-14L),
	   "half width of the widest Laplace noise");
	noise.grid = -62;
	ok(near(dp_accounting_half_width(&noise, 0.95), 2.995732273553990993435224L, 1e-14L),
	   "the grid scales the half width");
	ok(dp_accounting_half_width(&noise, 0) == 0 && isinf(dp_accounting_half_width(&noise, 1)),
	   "half widths of certain and of impossible events");
}

/* Log of the probability that none of the groups of a lone unit is released. */
static long double
log_none_released(const DpNoise *noise, int64_t threshold)
{
	long double s = (long double) noise->scale_den / noise->scale_num;
	long double m = (long double) threshold - noise->sensitivity;

	return noise->groups * log1pl(-expl(-s * m) / (1 + expl(-s)));
}

static void
test_threshold(void)
{
	int			high = 0;
	int			loose = 0;
	DpNoise		noise;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		delta = log_uniform(1e-30, 0.4);
		int64_t		threshold;

		noise = laplace_noise(log_uniform_integer(0x1p40), log_uniform_integer(0x1p32));
		noise.groups = log_uniform_integer(1e6);
		noise.sensitivity = log_uniform_integer(1e6);
		threshold = dp_accounting_threshold(&noise, delta);
		high += log_none_released(&noise, threshold) < log1pl(-delta);
		loose += threshold > (int64_t) noise.sensitivity + 1 &&
			log_none_released(&noise, threshold - 1) * (1 + 1e-14L) > log1pl(-delta);
	}
	ok(high == 0, "a lone unit is released with probability at most delta");
	ok(loose == 0, "the threshold is the least for that");

	noise = gaussian_noise(10);
	ok(dp_accounting_threshold(&noise, 1e-15) == 81, "one group, sigma 10, delta 1e-15: 81");
	noise.groups = 10;
	ok(dp_accounting_threshold(&noise, 1e-6) == 54, "ten groups, sigma 10, delta 1e-6: 54");
	noise = laplace_noise(10, 1);
	ok(dp_accounting_threshold(&noise, 1e-3) == 64, "one group, scale 10, delta 1e-3: 64");
	ok(dp_accounting_threshold(&noise, 1e-15) == 340, "one group, scale 10, delta 1e-15: 340");
	noise.groups = 1000000;
	ok(dp_accounting_threshold(&noise, 5e-324) > 7500, "the least delta is not lost");
	noise.groups = 1;
	ok(dp_accounting_threshold(&noise, 0.9) == 2, "one unit's worth of count never suffices");
	noise = laplace_noise(MAX_SCALE_NUM, 1);
	ok(dp_accounting_threshold(&noise, 1e-9) == INT64_MAX, "a threshold out of range is INT64_MAX");
}

/* P[Z + Z' >= m] by adding up the law of the pair, term by term, from far out. */
static long double
pair_tail_by_terms(const DpNoise *noise, int64_t m)
{
	long double s = (long double) noise->scale_den / noise->scale_num;
	long double each = -expm1l(-s) / (1 + expl(-s));
	int			far = (int) (60 / s) + 1;
	long double sum = 0;

	for (int z = -far; z <= far; z++)
	{
		int64_t		rest = m - z;
		long double beyond = expl(-s * fabsl((long double) rest)) / (1 + expl(-s));

		/* P[Z' >= rest] */
		sum += each * expl(-s * fabsl((long double) z)) * (rest >= 1 ? beyond : 1 - beyond * expl(-s));
	}
	return sum;
}

static void
test_pair_threshold(void)
{
	int			high = 0;
	int			loose = 0;
	DpNoise		noise;

	for (int i = 0; i < 500; i++)
	{
		double		delta = log_uniform(1e-12, 0.4);
		long double p;
		int64_t		m;

		noise = laplace_noise(log_uniform_integer(200), log_uniform_integer(4));
		noise.groups = log_uniform_integer(100);
		noise.sensitivity = log_uniform_integer(1e6);
		p = -expm1l(log1pl(-(long double) delta) / noise.groups);
		m = dp_accounting_pair_threshold(&noise, delta) - noise.sensitivity;
		high += m < 1 || pair_tail_by_terms(&noise, m) > p * (1 + 1e-14L);
		loose += m > 1 && pair_tail_by_terms(&noise, m - 1) <= p * (1 - 1e-12L);
	}
	ok(high == 0, "a lone unit's pair of totals is released with probability at most delta");
	ok(loose == 0, "the threshold of a pair is the least for that");

	/* On a fine grid the continuous law: exp(-t) (2 + t) / 4 = 1e-9 at t = 22.537160. */
	noise = laplace_noise(UINT64_C(1) << 40, 1);
	ok(fabs(ldexp((double) dp_accounting_pair_threshold(&noise, 1e-9), -40) - 22.537160) < 1e-5,
	   "a pair of scale 1, delta 1e-9: 22.54");
	noise = laplace_noise(MAX_SCALE_NUM, 1);
	ok(dp_accounting_pair_threshold(&noise, 1e-9) == INT64_MAX, "a pair's threshold out of range is INT64_MAX");
}

int
main(void)
{
	test_grid();
	test_laplace();
	test_nominal_sums();
	test_gaussian();
	test_monotone();
	test_refused();
	test_charge();
	test_kept_costs();
	test_delta();
	test_stddev();
	test_reach();
	test_half_width();
	test_threshold();
	test_pair_threshold();
	return done_testing();
}
