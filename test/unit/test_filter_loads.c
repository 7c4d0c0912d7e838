/*
 * test_filter_loads.c
 *	  How much of a budget the filter lets be used: what it admits of a load,
 *	  against what the best single order, known beforehand, or pure composition
 *	  would admit, whichever is more.
 *
 * Amounts of a load are real numbers, since among few releases whole ones would
 * hide what is lost.
 */
#include "accounting.h"

#include "accounting/filter.h"

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

/* How much of it the filter admits, at most twice that. */
static double
filter_admits(const DpLimit *limit, const Load *load, double best)
{
	DpCurve		total = {.pure = INFINITY};
	double		low = 0;
	double		high = 2 * best;

	for (int i = 0; i < 24; i++)
	{
		double		amount = (low + high) / 2;

		for (int j = 0; j < limit->orders; j++)
			total.rdp[limit->order[j]] = amount * load_rdp(load, dp_accounting_order[limit->order[j]]);
		if (load->rho == 0)
			total.pure = amount * load->epsilon;
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
	double		admitted = filter_admits(limit, load, best);
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
	Shares		shares = {.least = 9};

	for (int i = 0; i < LENGTH(epsilons); i++)
		for (int j = 0; j < LENGTH(deltas); j++)
		{
			DpLimit		limit;

			dp_accounting_limit_init(&limit, epsilons[i], deltas[j], &dp_accounting_default_shares);
			try_loads(&shares, &limit);
		}
	return shares;
}

int
main(void)
{
	Shares		gaussian = over_budgets(try_gaussian);
	Shares		laplace = over_budgets(try_laplace);
	Shares		mixed = over_budgets(try_mixed);

	ok(gaussian.least >= 0.97, "Gaussian loads: at least %.4f of what the best single order admits",
	   gaussian.least);
	ok(laplace.least >= 0.97, "%d Laplace loads: at least %.4f", laplace.count, laplace.least);
	ok(laplace.most_releases > 1e6 && laplace.fewer == 0,
	   "of 1 to %.1g releases, no more than 3 %% or one are lost", laplace.most_releases);
	ok(mixed.least >= 0.9, "%d mixed loads: at least %.4f", mixed.count, mixed.least);
	return done_testing();
}
