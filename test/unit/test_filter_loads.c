/*
 * test_filter_loads.c
 *	  How much of a budget the filter lets be used: what the rule of Renyi curves
 *	  admits of a load, against what the best single order, known beforehand, or pure
 *	  composition would admit, whichever is more; and what all rules admit, against one
 *	  rule with half of delta, and exact composition with all of it.
 *
 * Amounts of a load are real numbers, since among few releases whole ones would
 * hide what is lost.
 */
#include <stdlib.h>

#include "accounting.h"

#include "accounting/filter.h"
#include "accounting/pld.h"
#include "accounting/privacy_curve.h"
#include "accounting/variance.h"

/* A release: discrete Laplace noise, Gaussian noise, or both. */
typedef struct Load
{
	double		epsilon;		/* of the Laplace noise; 0: none */
	uint64_t	shift;			/* how far its total moves, in integers */
	double		rho;			/* Gaussian noise costs rho times the order */
} Load;

static const double epsilons[] = {0.1, 0.25, 0.6, 1.5, 4, 9, 15.4, 20};
static const double deltas[] = {1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12};

/* The shares found over all budgets, and how many there were. */
typedef struct Shares
{
	double		least;
	double		least_small;	/* of those with a delta of at most 1e-5, if these are told apart */
	int			fewer;			/* loads that lose more than 3 % and more than one release */
	int			count;
	double		most_releases;
} Shares;

static double
load_rdp(const Load *load, double alpha)
{
	double		rdp = load->rho * alpha;

	if (load->epsilon > 0)
		rdp += dp_accounting_rdp_discrete_laplace(alpha, load->shift * 0x1p20 / load->epsilon,
												  1 << 20, load->shift);
	return rdp;
}

/* How much of a load the best single order would admit, or pure composition. */
static double
best_admits(const DpLimit *limit, const Load *load)
{
	double		best = load->rho > 0 ? 0 : limit->epsilon / load->epsilon;

	for (double a = 1.02; a < 1e6; a = 1 + (a - 1) * 1.04)
	{
		double		b = limit->epsilon + log(a * limit->delta_rdp) / (a - 1) - log1p(-1 / a);

		best = fmax(best, b / load_rdp(load, a));
	}
	return best;
}

/* What an amount of a load costs, without variance if that is not to be known. */
static DpCurve
load_cost(const DpLimit *limit, const Load *load, double amount, bool variance)
{
	DpCurve		cost = {.pure = load->rho == 0 ? amount * load->epsilon : INFINITY};
	DpCurve		one = {.variance = 0};

	for (int j = 0; j < limit->orders; j++)
		cost.rdp[limit->order[j]] = amount * load_rdp(load, dp_accounting_order[limit->order[j]]);
	if (load->epsilon > 0)
		dp_accounting_range_variance(&one, load->epsilon, 1);
	cost.variance = variance ? amount * (one.variance + 2 * load->rho) : INFINITY;
	cost.coarseness = one.coarseness;
	return cost;
}

/* How much of it the filter admits, at most twice that. */
static double
filter_admits(const DpLimit *limit, const Load *load, double best, bool variance)
{
	double		low = 0;
	double		high = 2 * best;

	for (int i = 0; i < 24; i++)
	{
		double		amount = (low + high) / 2;
		DpCurve		total = load_cost(limit, load, amount, variance);

		if (dp_accounting_admits(limit, &total))
			low = amount;
		else
			high = amount;
	}
	return low;
}

static void
try_load(Shares *shares, const DpLimit *limit, const Load *load)
{
	double		best = best_admits(limit, load);
	double		admitted = filter_admits(limit, load, best, false);
	double		lost = floor(best) - floor(admitted);

	shares->least = fmin(shares->least, admitted / best);
	shares->fewer += lost > fmax(1, ceil(0.03 * best));
	shares->most_releases = fmax(shares->most_releases, best);
	shares->count++;
}

static void
try_gaussian(Shares *shares, const DpLimit *limit)
{
	try_load(shares, limit, &(Load) {.rho = limit->epsilon / 100});
}

/*
 * Randomised response (a shift by 1) and nearly continuous Laplace noise, from
 * so small that 10^6 fit to nearly all of the budget at once.
 */
static void
try_laplace(Shares *shares, const DpLimit *limit)
{
	for (double part = 3e-4; part < 1; part *= 1.17)
	{
		try_load(shares, limit, &(Load) {part * limit->epsilon, 1, 0});
		try_load(shares, limit, &(Load) {part * limit->epsilon, 1 << 20, 0});
	}
}

/* Both at once, in all proportions. */
static void
try_mixed(Shares *shares, const DpLimit *limit)
{
	for (double part = 1e-3; part < 1; part *= 2.2)
		for (double gaussian = 1e-6; gaussian < 1e3; gaussian *= 7)
		{
			double		epsilon = part * limit->epsilon;

			try_load(shares, limit, &(Load) {epsilon, 1, gaussian * epsilon * epsilon});
		}
}

static Shares
over_budgets(void (*try_loads) (Shares *shares, const DpLimit *limit))
{
	Shares		shares = {.least = 9, .least_small = 9};

	for (int i = 0; i < LENGTH(epsilons); i++)
		for (int j = 0; j < LENGTH(deltas); j++)
		{
			DpLimit		limit;

			dp_accounting_limit_init(&limit, epsilons[i], deltas[j], &dp_accounting_default_shares);
			try_loads(&shares, &limit);
		}
	return shares;
}

/* What the filter had when half of delta was for private groups. */
static const DpShares halves = {.partition = 0.5, .rdp = 0.5};

/* Of a load of which one release at least was admitted by that. */
static void
compare_with_halves(Shares *shares, const DpLimit *limit, const Load *load)
{
	double	   *least = limit->delta <= 1e-5 ? &shares->least_small : &shares->least;

	DpLimit		before;
	double		best;
	double		were;

	dp_accounting_limit_init(&before, limit->epsilon, limit->delta, &halves);
	best = best_admits(&before, load);
	were = filter_admits(&before, load, best, false);
	if (were < 1)
		return;
	*least = fmin(*least, filter_admits(limit, load, best, true) / were);
	shares->count++;
}

static void
compare_loads(Shares *shares, const DpLimit *limit)
{
	compare_with_halves(shares, limit, &(Load) {.rho = limit->epsilon / 100});
	for (double part = 3e-4; part < 1; part *= 1.6)
	{
		compare_with_halves(shares, limit, &(Load) {part * limit->epsilon, 1, 0});
		compare_with_halves(shares, limit, &(Load) {part * limit->epsilon, 1 << 20, 0});
		for (double gaussian = 1e-6; gaussian < 1e3; gaussian *= 30)
			compare_with_halves(shares, limit, &(Load) {part * limit->epsilon, 1,
								gaussian * pow(part * limit->epsilon, 2)});
	}
}

static void
check_nothing(void)
{
}

/* The part that an amount of small Laplace releases is of how many exact composition admits. */
static double
part_of_exact(const DpLimit *limit, const Load *load, double amount)
{
	static const DpPldServices services = {malloc, free, check_nothing};
	double		least = 0.5;
	double		most = 1;

	for (int i = 0; i < 12; i++)
	{
		double		part = (least + most) / 2;
		DpPldRelease release = {
			.mechanism = DP_PLD_DISCRETE_LAPLACE, .count = ceil(amount / part), .sensitivity = load->shift,
			.scale_num = 0x1p30 / load->epsilon, .scale_den = 1 << 30
		};
		double		epsilon;

		dp_accounting_pld_epsilon(&release, 1, limit->delta, &services, &epsilon);
		if (epsilon > limit->epsilon)
			least = part;
		else
			most = part;
	}
	return least;
}

/*
 * With shares of 0.45, what variances admit of a Gaussian load is that part of what delta admits which
 * the privacy curve says, and hardly depends on the load.
 */
static void
test_exact(void)
{
	static const struct
	{
		double		epsilon;
		double		delta;
		double		least;
	}			budget[] = {{0.1, 1e-6, 0.9}, {1, 1e-6, 0.91}, {5, 1e-6, 0.91}, {10, 1e-9, 0.91}, {0.1, 1e-4, 0.83}};

	for (int i = 0; i < LENGTH(budget); i++)
	{
		double		epsilon = budget[i].epsilon;
		double		ratio = dp_accounting_gaussian_sigma(epsilon, budget[i].delta, 1);
		Load		gaussian = {.rho = epsilon / 1000};
		Load		laplace = {0.0025 * fmin(epsilon, 2), 1, 0};
		DpLimit		limit;
		double		one;
		double		other;

		dp_accounting_limit_init(&limit, epsilon, budget[i].delta, &dp_accounting_default_shares);
		one = filter_admits(&limit, &gaussian, 1 / (2 * gaussian.rho * ratio * ratio), true) *
			2 * gaussian.rho * ratio * ratio;
		other = filter_admits(&limit, &laplace, best_admits(&limit, &laplace), true);
		other = part_of_exact(&limit, &laplace, other);
		ok(one >= budget[i].least && other >= budget[i].least && one < 1 && other < 1,
		   "(%g, %g): %.4f of what exact composition admits of Gaussian noise, %.4f of Laplace noise", epsilon,
		   budget[i].delta, one, other);
	}
}

int
main(void)
{
	Shares		compared = over_budgets(compare_loads);

	Shares		gaussian = over_budgets(try_gaussian);
	Shares		laplace = over_budgets(try_laplace);
	Shares		mixed = over_budgets(try_mixed);

	ok(gaussian.least >= 0.97, "Gaussian loads: at least %.4f of what the best single order admits",
	   gaussian.least);
	ok(laplace.least >= 0.97, "%d Laplace loads: at least %.4f", laplace.count, laplace.least);
	ok(laplace.most_releases > 1e6 && laplace.fewer == 0,
	   "of 1 to %.1g releases, no more than 3 %% or one are lost", laplace.most_releases);
	ok(mixed.least >= 0.9, "%d mixed loads: at least %.4f", mixed.count, mixed.least);
	ok(compared.least_small >= 0.985 && compared.least >= 0.983 && compared.count > 4000,
	   "of %d loads, at least %.4f of what half of delta for one rule admitted, %.4f with a delta of 1e-4",
	   compared.count, compared.least_small, compared.least);
	test_exact();
	return done_testing();
}
