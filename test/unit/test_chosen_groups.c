/*
 * test_chosen_groups.c
 *	  Noise for a max_groups that is chosen: for any of them it costs no more than for the most, but for
 *	  coarseness, what is drawn is no less than that asks for, and the choice costs its part.
 */
#include <stdio.h>
#include <stdlib.h>

#include "accounting.h"
#include "tap.h"

#include "accounting/block_cost.h"

/* What is drawn costs at most so much more than the most: a moment of integers is a little more than of many. */
#define LITTLE (1 + 1e-9)

/* Stop: the test itself is wrong. */
static void
bail(const char *problem)
{
	printf("Bail out! %s\n", problem);
	exit(1);
}

static DpNoise
calibrated(DpMechanism mechanism, double epsilon, int groups, uint64_t sensitivity, int grid)
{
	DpNoise		noise;

	if (dp_accounting_calibrate(&noise, mechanism, epsilon, mechanism == DP_GAUSSIAN ? 1e-9 : 0, groups, 1, sensitivity, grid))
		bail("noise cannot be calibrated");
	return noise;
}

static DpCurve
cost_of(const DpNoise *noise)
{
	DpCurve		cost = {.pure = 0};

	dp_accounting_add_noise(&cost, noise);
	return cost;
}

/* Does one, of so many groups, cost no more than the other, but for coarseness?  Beyond 4 in a group variances are bounded otherwise. */
static bool
no_dearer(const DpCurve *one, int groups, const DpCurve *other)
{
	for (int i = 0; i < DP_ORDERS; i++)
		if (one->rdp[i] > other->rdp[i] * LITTLE)
			return false;
	return (one->pure <= other->pure * LITTLE || isinf(other->pure)) &&
		(one->variance <= other->variance * LITTLE || (one->pure > 4 * groups && !isinf(one->pure)));
}

static void
classes(void)
{
	bool		right = true;

	ok(dp_accounting_classes(1) == 1 && dp_accounting_classes(4) == 3 && dp_accounting_classes(5) == 4 && dp_accounting_classes(64) == 7,
	   "numbers of classes");
	for (int most = 1; most < 3000; most++)
	{
		int			n = dp_accounting_classes(most);

		right = right && dp_accounting_groups_of_class(most, n - 1) == most && (n == 1 || dp_accounting_groups_of_class(most, n - 2) < most);
		for (int i = 0; i < n - 1; i++)
			right = right && dp_accounting_groups_of_class(most, i) == 1 << i;
	}
	ok(right && dp_accounting_groups_of_class(1000000, dp_accounting_classes(1000000) - 1) == 1000000, "end at the most, and are powers of two before");
}

/* At random scales, sensitivities and numbers of groups. */
static void
costs(DpMechanism mechanism, const char *name)
{
	bool		cheap = true;
	bool		needed = true;
	bool		grows = true;

	for (int n = 0; n < 300; n++)
	{
		int			most = 2 + (int) (bits64() % 1000);
		DpNoise		noise = calibrated(mechanism, log_uniform(0.01, 50), most,
									   mechanism == DP_GAUSSIAN ? UINT64_C(1) << 40 : log_uniform_integer(1e6), mechanism == DP_GAUSSIAN ? -40 : 0);
		DpCurve		at_most = cost_of(&noise);

		for (int class = 0; class < dp_accounting_classes(most); class++)
		{
			int			groups = dp_accounting_groups_of_class(most, class);
			DpNoise		fewer = noise;
			DpNoise		less;
			DpCurve		cost;

			if (dp_accounting_noise_of_groups(&fewer, most, groups))
				bail("noise for fewer groups cannot be calibrated");
			cost = cost_of(&fewer);
			cheap = cheap && fewer.groups == groups && no_dearer(&cost, groups, &at_most);
			grows = grows && dp_accounting_stddev(&fewer) <= dp_accounting_stddev(&noise) * LITTLE;
			if (groups == most)
				continue;
			less = noise;
			less.groups = groups;
			(void) dp_accounting_rescale(&less, sqrtl((long double) groups / most) * 0.98L);
			cost = cost_of(&less);

			/* At the least order the square of epsilon is what counts, if that is small. */
			if (at_most.pure < 0.5 || mechanism == DP_GAUSSIAN)
				needed = needed && !no_dearer(&cost, groups, &at_most);
		}
	}
	ok(cheap, "%s: noise for fewer groups costs no more", name);
	ok(needed, "%s: with 2 %% less it would cost more, where epsilon is small", name);
	ok(grows, "%s: it is no more than for the most", name);
}

/* What one unit in all groups together moves at once. */
static void
joint(DpMechanism mechanism, const char *name)
{
	bool		alike = true;

	for (int n = 0; n < 200; n++)
	{
		int			most = 2 + (int) (bits64() % 1000);
		int			grid = mechanism == DP_GAUSSIAN ? -30 : 0;
		DpNoise		noise = calibrated(mechanism, log_uniform(0.01, 5), 1, (uint64_t) most << -grid, grid);
		DpCurve		at_most = cost_of(&noise);

		for (int class = 0; class < dp_accounting_classes(most); class++)
		{
			int			groups = dp_accounting_groups_of_class(most, class);
			DpNoise		fewer = noise;
			DpCurve		cost;

			if (dp_accounting_joint_noise_of_groups(&fewer, most, groups))
				bail("noise for fewer groups cannot be calibrated");
			cost = cost_of(&fewer);
			alike = alike && fewer.sensitivity == (uint64_t) groups << -grid && fewer.groups == 1 &&
				(isinf(at_most.pure) || (cost.pure <= at_most.pure * LITTLE && cost.pure >= at_most.pure * (1 - 1e-6))) &&
				cost.variance <= at_most.variance * LITTLE;
		}
	}
	ok(alike, "%s: what all groups move at once has noise that goes with their number", name);
}

/* All that a block asks costs what it did, or less: the classes have their part. */
static void
shares(void)
{
	bool		pure = true;
	bool		squares = true;
	bool		part = true;

	for (int n = 0; n < 200; n++)
	{
		int			most = 4 + (int) (bits64() % 1000);
		double		epsilon[2] = {log_uniform(0.01, 2), log_uniform(0.01, 2)};
		DpAskedNoise laplace = {.mechanism = DP_LAPLACE};
		DpAskedNoise gaussian = {.mechanism = DP_GAUSSIAN};
		DpNoise		classes;
		double		share;
		long double factor;
		double		together;
		DpNoise		asked[2];

		for (int i = 0; i < 2; i++)
		{
			asked[i] = calibrated(DP_GAUSSIAN, epsilon[i], most, UINT64_C(1) << 40, -40);
			laplace.epsilon += epsilon[i];
			laplace.squares += epsilon[i] * epsilon[i];
			gaussian.precision += dp_accounting_precision(&asked[i]);
		}
		gaussian.epsilon = laplace.epsilon;
		if (dp_accounting_calibrate_classes(&classes, &share, &factor, &laplace, most))
			bail("classes cannot be calibrated");
		together = cost_of(&classes).pure;
		for (int i = 0; i < 2; i++)
		{
			DpNoise		noise = calibrated(DP_LAPLACE, epsilon[i], most, 1000, 0);

			(void) dp_accounting_rescale(&noise, factor);
			together += cost_of(&noise).pure;
		}
		pure = pure && together <= laplace.epsilon && together >= laplace.epsilon * (1 - 1e-6);
		part = part && share <= 0.05 && share > 0;
		if (dp_accounting_calibrate_classes(&classes, &share, &factor, &gaussian, most))
			bail("classes cannot be calibrated");
		together = dp_accounting_precision(&classes);
		for (int i = 0; i < 2; i++)
		{
			(void) dp_accounting_rescale(&asked[i], factor);
			together += dp_accounting_precision(&asked[i]);
		}
		squares = squares && together <= gaussian.precision && together >= gaussian.precision * (1 - 1e-6);
	}
	ok(pure, "Laplace: classes and releases have the epsilons that were asked, and no less");
	ok(part, "Laplace: the classes have a twentieth at most");
	ok(squares, "Gaussian: classes and releases have the squares that were asked, and no less");
}

static void
raised(void)
{
	DpNoise		one = calibrated(DP_LAPLACE, 1, 1, 1, 0);
	DpNoise		many = calibrated(DP_LAPLACE, 1.5, 100, 1, 0);
	DpCurve		both = cost_of(&one);
	const DpCurve first = both;
	const DpCurve second = cost_of(&many);
	bool		greatest = true;
	bool		either = false;

	dp_accounting_add_delta(&both, 1e-9);
	dp_accounting_raise(&both, &second);
	for (int i = 0; i < DP_ORDERS; i++)
	{
		greatest = greatest && both.rdp[i] == fmax(first.rdp[i], second.rdp[i]);
		either = either || first.rdp[i] > second.rdp[i];
	}
	ok(greatest && either, "at each order the greater");
	ok(both.pure == second.pure && both.variance == fmax(first.variance, second.variance) && both.delta == 1e-9 &&
	   both.coarseness == first.coarseness && first.coarseness > second.coarseness, "and of all else");
}

int
main(void)
{
	classes();
	costs(DP_LAPLACE, "Laplace");
	costs(DP_GAUSSIAN, "Gaussian");
	joint(DP_LAPLACE, "Laplace");
	joint(DP_GAUSSIAN, "Gaussian");
	shares();
	raised();
	return done_testing();
}
