/*
 * test_amplify.c
 *	  The curve charged for what runs on a sample: that of the mechanism itself at
 *	  orders of the grid that are whole, never below it at others, never above
 *	  that without sampling; below order 2 near what sums over all outcomes give.
 */
#include <math.h>
#include <stdbool.h>

#include "sampled_reference.h"
#include "tap.h"

#include "accounting/block_cost.h"
#include "accounting/calibrate.h"
#include "accounting/subsampling.h"

static const double rates[] = {1e-6, 0.01, 0.3, 0.999};
static const double selection_rates[] = {1e-3, 0.1, 0.5, 0.9};

typedef double (*Exact) (double alpha, double p, double parameter);

/* One count with this noise, on samples of all rates. */
static void
test_noise(const char *name, DpNoise noise, Exact exact, double parameter)
{
	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++)
	{
		DpCurve		whole = {.pure = 0};
		DpCurve		sampled;
		bool		never_more = true;
		bool		never_below = true;
		bool		same = true;

		dp_accounting_add_noise(&whole, &noise);
		sampled = whole;
		dp_accounting_amplify(&sampled, rates[r]);
		for (int i = 0; i < DP_ORDERS; i++)
		{
			double		alpha = dp_accounting_order[i];
			double		least = fmin(exact(alpha, rates[r], parameter), whole.rdp[i]);

			never_more &= sampled.rdp[i] <= whole.rdp[i];
			never_below &= sampled.rdp[i] >= least * (1 - 1e-12);
			/* up to here the grid has every whole order */
			if (alpha <= 11 && alpha >= 2)
				same &= sampled.rdp[i] <= least * (1 + 1e-9);
		}
		ok(never_more, "%s, rate %g: never more than without sampling", name, rates[r]);
		ok(never_below, "%s, rate %g: never below the mechanism's own curve", name, rates[r]);
		ok(same, "%s, rate %g: that curve, where the grid has every order", name, rates[r]);
		ok(sampled.delta == whole.delta, "%s, rate %g: delta stays", name, rates[r]);
		if (isfinite(whole.pure))
			ok(fabs(sampled.pure / log1p(rates[r] * expm1(whole.pure)) - 1) < 1e-12 &&
			   sampled.pure >= log1p(rates[r] * expm1(whole.pure)) * (1 - 1e-15),
			   "%s, rate %g: pure epsilon", name, rates[r]);
		else
			ok(isinf(sampled.pure), "%s, rate %g: no pure epsilon", name, rates[r]);
	}
}

/* All of what is released of one sample is amplified together, not one by one. */
static void
test_together(void)
{
	DpNoise		noise = {.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = 1, .scale_num = 1, .scale_den = 1};
	DpCurve		one = {.pure = 0};
	DpCurve		two;

	dp_accounting_add_noise(&one, &noise);
	two = one;
	dp_accounting_add_noise(&two, &noise);
	dp_accounting_amplify(&one, 0.1);
	dp_accounting_amplify(&two, 0.1);
	ok(two.rdp[6] > 2 * one.rdp[6] * 1.5, "two releases of one sample cost more than twice one");
	dp_accounting_amplify(&one, 1);
	ok(one.rdp[6] > 0, "a rate of 1 changes nothing");
}

/* What the mechanism of a row of the reference costs without sampling. */
static DpCurve
whole_curve(size_t i)
{
	DpNoise		laplace = {.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = sampled_curve[i].shift,
	.scale_num = sampled_curve[i].num, .scale_den = sampled_curve[i].den};
	DpNoise		gaussian = {.mechanism = DP_GAUSSIAN, .groups = 1, .sensitivity = 1, .sigma = sampled_curve[i].sigma};
	DpNoise		response = {.mechanism = DP_PERMUTE_AND_FLIP, .groups = 1, .sensitivity = 1,
	.scale_num = sampled_curve[i].inverse, .scale_den = 1};
	DpCurve		curve = {.pure = 0};

	if (sampled_curve[i].num > 0)
		dp_accounting_add_noise(&curve, &laplace);
	if (sampled_curve[i].sigma > 0)
		dp_accounting_add_noise(&curve, &gaussian);
	if (sampled_curve[i].inverse > 0)
		dp_accounting_add_noise(&curve, &response);
	return curve;
}

/*
 * Below order 2, the charge is never below what the divergence is, and within 25 percent of it; within
 * 5 where no outcome is more than e times as likely, up to a rate of 3/4.  The chord from order 1 to order 2 is up to
 * 1.8 times it.
 */
static void
test_low_orders(void)
{
	bool		never_below = true;
	bool		near = true;
	bool		gentle_near = true;
	double		greatest = 0;

	for (size_t i = 0; i < sizeof(sampled_curve) / sizeof(*sampled_curve); i++)
	{
		DpCurve		curve = whole_curve(i);
		bool		gentle = curve.pure <= 1 + 1e-9 && sampled_curve[i].p <= 0.75;
		int			order = 0;
		long double ratio;

		while (dp_accounting_order[order] != sampled_curve[i].alpha)
			order++;
		dp_accounting_amplify(&curve, sampled_curve[i].p);
		ratio = curve.rdp[order] / sampled_curve[i].value;
		never_below &= ratio >= 1;
		near &= ratio < 1.25;
		gentle_near &= !gentle || ratio < 1.05;
		greatest = fmax(greatest, ratio);
	}
	ok(never_below, "below order 2: never below the divergence");
	ok(near, "below order 2: at most %g of it", greatest);
	ok(gentle_near, "below order 2: within 5 percent where the pure epsilon is 1 at most, and the rate 3/4");
}

/* The next of a fixed series of numbers from 0 to 1. */
static double
next_number(void)
{
	static uint64_t state = 20;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double) (state >> 11) * 0x1p-53;
}

/*
 * In a sample a selection costs what its own curve does there, which is never more than randomised
 * response of its pure epsilon, and mostly far less.
 */
static void
test_own_curve(DpMechanism mechanism, double rate, double part)
{
	DpNoise		noise = {.mechanism = mechanism, .groups = 3, .sensitivity = 1, .scale_num = 70, .scale_den = 2};
	DpNoise		response = {.mechanism = DP_PERMUTE_AND_FLIP, .groups = 3, .sensitivity = 1, .scale_num = 70, .scale_den = 2};
	DpCurve		own = {.pure = 0};
	DpCurve		other = {.pure = 0};
	bool		less = true;

	response.sensitivity = mechanism == DP_EXPONENTIAL ? 2 : 1;
	dp_accounting_add_release(&own, &noise, 1);
	dp_accounting_add_release(&other, &response, 1);
	dp_accounting_complete_block(&own, rate, 0);
	dp_accounting_complete_block(&other, rate, 0);
	for (int i = 0; i < DP_ORDERS; i++)
		less &= own.rdp[i] <= other.rdp[i] && (own.rdp[i] < part * other.rdp[i] || dp_accounting_order[i] > 3);
	ok(less && fabs(own.pure / other.pure - 1) < 1e-12 && own.variance <= other.variance * (1 + 1e-12),
	   "mechanism %d, rate %g: less than %g of randomised response", (int) mechanism, rate, part);
}

/* exp((a - 1) RDP(a)) - 1 of what is drawn on a sample against what is without the unit, or back. */
static long double
sampled_gain(int outcomes, const long double *with, const long double *without, double rate, bool back, long double a)
{
	long double sum = 0;

	for (int i = 0; i < outcomes; i++)
	{
		long double change = rate * (with[i] / without[i] - 1);
		long double log_ratio = log1pl(change);

		sum += back ? without[i] * (expm1l((1 - a) * log_ratio) - (1 - a) * change) :
			without[i] * (expm1l(a * log_ratio) - a * change);
	}
	return sum;
}

/* What is charged of one draw on samples of this rate, and how near the exact laws come to it. */
typedef struct Charge
{
	double		rate;
	DpCurve		cost;
	bool		bounded;
	long double nearest;		/* at orders up to 11 */
} Charge;

static Charge
charge_of(const DpNoise *noise, double rate)
{
	Charge		charge = {.rate = rate, .bounded = true};

	dp_accounting_add_release(&charge.cost, noise, 1);
	dp_accounting_complete_block(&charge.cost, rate, 0);
	return charge;
}

/* The unit comes, or goes: both laws may be the one without it. */
static void
compare_laws(Charge *charge, int outcomes, const long double *one, const long double *other)
{
	for (int i = 0; i < DP_ORDERS && dp_accounting_order[i] <= 100; i++)
	{
		long double a = dp_accounting_order[i];
		long double charged = expm1l((a - 1) * charge->cost.rdp[i]);

		for (int direction = 0; direction < 4; direction++)
		{
			long double gain = sampled_gain(outcomes, direction & 1 ? one : other, direction & 1 ? other : one, charge->rate, direction & 2, a);

			charge->bounded &= gain <= charged * (1 + 1e-10L);
			if (a <= 11)
				charge->nearest = fmaxl(charge->nearest, gain / charged);
		}
	}
}

#define MOST_ALTERNATIVES 60

/* The law of the exponential mechanism: probabilities go as exp(-score / scale). */
static void
exponential_law(int n, const long double *score, long double scale, long double *law)
{
	long double sum = 0;

	for (int i = 0; i < n; i++)
		sum += law[i] = expl(-score[i] / scale);
	for (int i = 0; i < n; i++)
		law[i] /= sum;
}

/*
 * The exponential mechanism itself, on a sample.  The others are whoever else was drawn; a unit moves
 * each score up or down, by D at most.  What comes nearest moves some up and all others down.
 */
static void
test_exponential_mechanism(double rate, uint64_t inverse)
{
	DpNoise		noise = {.mechanism = DP_EXPONENTIAL, .groups = 1, .sensitivity = 1, .scale_num = inverse, .scale_den = 3};
	long double scale = inverse / 3.0L;
	Charge		charge = charge_of(&noise, rate);
	long double score[MOST_ALTERNATIVES];
	long double law[2][MOST_ALTERNATIVES];

	for (int round = 0; round < 200; round++)
	{
		int			n = round < MOST_ALTERNATIVES ? MOST_ALTERNATIVES : 2 + round % 5;

		for (int i = 0; i < n; i++)
			score[i] = round < MOST_ALTERNATIVES ? 0 : 6 * next_number();
		exponential_law(n, score, scale, law[0]);
		for (int i = 0; i < n; i++)
			score[i] += round < MOST_ALTERNATIVES ? (i < round ? 1 : -1) : round % 2 ? 2 * next_number() - 1 : next_number() < 0.5 ? 1 : -1;
		exponential_law(n, score, scale, law[1]);
		compare_laws(&charge, n, law[0], law[1]);
	}
	ok(charge.bounded, "the exponential mechanism at %.2Lf, rate %g: within its charge", 2 / scale, rate);
	ok(charge.nearest > 0.97L, "and %.3Lf of it", charge.nearest);
}

#define MOST_COUNTS 6

/* The law of the first of these counts with noise that reaches a threshold with noise, or none: geometric noise. */
static void
threshold_law(int n, const int *count, int threshold, long double s, long double *law)
{
	long double q = expl(-s);

	for (int i = 0; i <= n; i++)
		law[i] = 0;
	for (int y = 0; y < 100 / s; y++)
	{
		long double left = (1 - q) * powl(q, y);

		for (int i = 0; i < n; i++)
		{
			long double reaches = powl(q, fmaxl(threshold + y - count[i], 0));

			law[i] += left * reaches;
			left *= 1 - reaches;
		}
		law[n] += left;
	}
}

/* Above threshold itself: a unit adds to counts, by D at most; here D = 1, and the noise 1 / s = 2 / epsilon. */
static void
test_above_threshold(double rate, uint64_t inverse)
{
	DpNoise		noise = {.mechanism = DP_ABOVE_THRESHOLD, .groups = 1, .sensitivity = 2, .scale_num = 2 * inverse, .scale_den = 1};
	long double s = dp_accounting_draw_epsilon(&noise) / 2;
	Charge		charge = charge_of(&noise, rate);
	long double law[2][MOST_COUNTS + 1];

	for (int round = 0; round < 120; round++)
	{
		int			n = 1 + round % MOST_COUNTS;
		int			count[MOST_COUNTS];

		for (int i = 0; i < n; i++)
			count[i] = (int) (40 * next_number());
		threshold_law(n, count, 20, s, law[0]);
		for (int i = 0; i < n; i++)
			count[i] += next_number() < 0.5;
		threshold_law(n, count, 20, s, law[1]);
		compare_laws(&charge, n + 1, law[0], law[1]);
	}
	ok(charge.bounded, "above threshold at %.2Lf, rate %g: within its charge", 2 * s, rate);
	ok(charge.nearest > 0.1L, "and %.3Lf of it", charge.nearest);
}

/*
 * Of all pairs of laws whose log-ratio has range epsilon those are the worst where it has two values, t and t - epsilon,
 * since what is expected is convex in the ratio; of above threshold the ends are -epsilon and epsilon / 2, or the other way
 * round.
 */
static void
test_extremes(DpMechanism mechanism, double rate)
{
	DpNoise		noise = {.mechanism = mechanism, .groups = 1, .sensitivity = 1, .scale_num = 1, .scale_den = 1};
	long double epsilon = dp_accounting_draw_epsilon(&noise);
	long double range = mechanism == DP_EXPONENTIAL ? epsilon : 1.5L * epsilon;
	Charge		charge = charge_of(&noise, rate);

	for (int step = 1; step < 60; step++)
	{
		long double high = expl(range * step / 60);
		long double low = high * expl(-range);
		long double share = (1 - low) / (high - low);
		long double without[2] = {share, 1 - share};
		long double with[2] = {share * high, (1 - share) * low};

		if (mechanism == DP_EXPONENTIAL || step == 20 || step == 40)
			compare_laws(&charge, 2, with, without);
	}
	ok(charge.bounded, "mechanism %d, rate %g: the worst laws are within the charge", (int) mechanism, rate);
	ok(charge.nearest > 0.97L, "and come to %.3Lf of it", charge.nearest);
}

/* Two laws of some outcomes, some of them far more likely under one. */
static void
make_laws(int outcomes, long double *p, long double *q)
{
	double		apart = 12 * next_number();
	long double all_p = 0;
	long double all_q = 0;

	for (int i = 0; i < outcomes; i++)
	{
		q[i] = expl(-8 * next_number());
		p[i] = q[i] * expl(apart * (next_number() - 0.5));
		all_p += p[i];
		all_q += q[i];
	}
	for (int i = 0; i < outcomes; i++)
	{
		p[i] /= all_p;
		q[i] /= all_q;
	}
}

/* exp((a - 1) RDP(a)) of (1 - rate) q + rate p against q, or of q against that. */
static long double
moment(int outcomes, const long double *p, const long double *q, double rate, bool back, long double a)
{
	long double sum = 0;

	for (int i = 0; i < outcomes; i++)
	{
		long double mixed = (1 - rate) * q[i] + rate * p[i];

		sum += back ? mixed * powl(q[i] / mixed, a) : q[i] * powl(mixed / q[i], a);
	}
	return sum;
}

/*
 * Laws of which neither may stand for the other: what is charged for a curve of both directions
 * bounds both directions of the sample.
 */
static void
test_both_directions(void)
{
	static const double several[] = {1e-4, 0.01, 0.1, 0.4, 0.6, 0.75, 0.8, 0.9, 0.999};
	bool		bounded = true;
	long double nearest = 0;

	for (int round = 0; round < 500; round++)
	{
		int			outcomes = 2 + round % 3;
		double		rate = several[round % 9];
		long double p[4];
		long double q[4];
		DpCurve		curve = {.pure = INFINITY, .variance = INFINITY, .coarseness = INFINITY};

		make_laws(outcomes, p, q);
		for (int i = 0; i < DP_ORDERS; i++)
		{
			long double a = dp_accounting_order[i];
			long double greatest = fmaxl(moment(outcomes, p, q, 1, false, a), moment(outcomes, q, p, 1, false, a));

			curve.rdp[i] = (double) (logl(greatest) / (a - 1) * (1 + 1e-12L));
		}
		dp_accounting_amplify(&curve, rate);
		for (int i = 0; i < DP_ORDERS && dp_accounting_order[i] <= 64; i++)
		{
			long double a = dp_accounting_order[i];
			long double charged = expl((a - 1) * curve.rdp[i]) - 1;

			for (int direction = 0; direction < 4; direction++)
			{
				long double gain = moment(outcomes, direction & 1 ? p : q, direction & 1 ? q : p, rate, direction & 2, a) - 1;

				bounded &= gain <= charged * (1 + 1e-9L) + 1e-15L;
				if (charged > 1e-9L && (direction & 2))
					nearest = fmaxl(nearest, gain / charged);
			}
		}
	}
	ok(bounded, "both directions of any two laws are within what is charged");
	ok(nearest > 0.98L, "some come to %Lg of it", nearest);
}

int
main(void)
{
	DpNoise		laplace = {.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = 1, .scale_num = 2, .scale_den = 1};
	DpNoise		gaussian = {.mechanism = DP_GAUSSIAN, .groups = 1, .sensitivity = 1, .sigma = 5};

	test_noise("Laplace", laplace, dp_accounting_rdp_subsampled_laplace, 2);
	test_noise("Gaussian", gaussian, dp_accounting_rdp_subsampled_gaussian, 5);
	test_together();
	test_low_orders();
	test_both_directions();
	for (size_t r = 0; r < sizeof(selection_rates) / sizeof(*selection_rates); r++)
	{
		double		rate = selection_rates[r];

		test_own_curve(DP_EXPONENTIAL, rate, 0.3);
		test_own_curve(DP_ABOVE_THRESHOLD, rate, 0.6);
		test_extremes(DP_EXPONENTIAL, rate);
		test_extremes(DP_ABOVE_THRESHOLD, rate);
		test_exponential_mechanism(rate, 2);
		test_exponential_mechanism(rate, 20);
		test_above_threshold(rate, 1);
		test_above_threshold(rate, 10);
	}
	return done_testing();
}
