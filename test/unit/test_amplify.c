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

/* What is not symmetric costs, in a sample, what randomised response of its pure epsilon does. */
static void
test_symmetric(DpMechanism mechanism)
{
	DpNoise		noise = {.mechanism = mechanism, .groups = 3, .sensitivity = 5, .scale_num = 7, .scale_den = 2};
	DpCurve		whole = {.pure = 0};
	DpCurve		sampled = {.pure = 0};
	bool		same = true;

	dp_accounting_add_term(&whole, &noise, 1);
	dp_accounting_add_term(&sampled, &noise, 0.5);
	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		rdp = 3 * dp_accounting_rdp_pure(dp_accounting_order[i], dp_accounting_draw_epsilon(&noise));

		same &= fabs(sampled.rdp[i] / rdp - 1) < 1e-12 && whole.rdp[i] < sampled.rdp[i];
	}
	ok(same && sampled.pure == whole.pure, "mechanism %d of a sample: randomised response", (int) mechanism);
}

/*
 * The exponential mechanism is not symmetric; its own curve would do, as far as computing
 * both directions tells.  Of all pairs of outputs P, Q whose log-ratio has range epsilon, those where it
 * has two values, t and t - epsilon, are the worst, since what is expected under
 * Q is convex in the ratio: neither the sample's P against Q nor Q against it
 * diverges by more.
 */
static void
test_bounded_range(double p)
{
	DpNoise		noise = {.mechanism = DP_EXPONENTIAL, .groups = 1, .sensitivity = 1, .scale_num = 1, .scale_den = 1};
	long double epsilon = dp_accounting_draw_epsilon(&noise);
	DpCurve		sampled = {.pure = 0};
	bool		bounded = true;

	dp_accounting_add_noise(&sampled, &noise);
	dp_accounting_amplify(&sampled, p);
	for (int i = 0; i < DP_ORDERS && dp_accounting_order[i] <= 100; i++)
	{
		long double alpha = dp_accounting_order[i];

		for (int step = 1; step < 200; step++)
		{
			long double high = expl(epsilon * step / 200);
			long double low = high * expl(-epsilon);
			long double share = (1 - low) / (high - low);
			long double a = 1 - p + p * high;
			long double b = 1 - p + p * low;
			long double to = share * powl(a, alpha) + (1 - share) * powl(b, alpha);
			long double from = share * powl(a, 1 - alpha) + (1 - share) * powl(b, 1 - alpha);
			long double charged = expl((alpha - 1) * sampled.rdp[i]) * (1 + 1e-12L);

			bounded &= to <= charged && from <= charged;
		}
	}
	ok(bounded, "rate %g: bounded range, both directions", p);
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
	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++)
		test_bounded_range(rates[r]);
	test_both_directions();
	test_symmetric(DP_EXPONENTIAL);
	test_symmetric(DP_ABOVE_THRESHOLD);
	return done_testing();
}
