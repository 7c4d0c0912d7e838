/*
 * test_documents.c
 *	  Figures of doc/accounting.md and doc/accuracy.md that follow from the accounting: each is made
 *	  here, and has to stand in the document.  What fails is printed as it should be.
 *
 * Tables of loads and samples are those of test_document_loads.c.  Figures of admitted counts, of theorems
 * side by side and of what_if are those of test/t/docs/sql_examples.pl, which asks a server; measured ones
 * are printed by the programs that the documents name.
 */
#include "documents.h"

#include "accounting/block_cost.h"
#include "accounting/composition.h"
#include "accounting/mechanisms.h"
#include "accounting/privacy_curve.h"
#include "accounting/ranking.h"
#include "accounting/shared_noise.h"
#include "accounting/subsampling.h"

/* Noise of a count at an epsilon, or of a draw of counts. */
static DpNoise
noise_of(DpMechanism mechanism, double epsilon)
{
	DpNoise		noise;

	dp_accounting_calibrate(&noise, mechanism, epsilon, 0, 1, 1, 1, mechanism == DP_EXPONENTIAL ? -1 : 0);
	return noise;
}

static DpNoise
gaussian_of(uint64_t sigma)
{
	return (DpNoise) {.mechanism = DP_GAUSSIAN, .groups = 1, .sensitivity = 1, .sigma = sigma};
}

static double
admitted_of(const DpLimit *limit, DpNoise noise, bool beside_gaussian)
{
	DpCurve		cost = {.pure = 0};

	dp_accounting_add_noise(&cost, &noise);
	return admitted(limit, &cost, beside_gaussian);
}

/* How many a fixed list may have by its privacy losses, between bounds that hold. */
static double
exact_of(const DpLimit *limit, DpNoise noise, double low)
{
	double		high = low * 1.5 + 2;

	while (high - low > 1)
	{
		DpPldRelease release = {
			.mechanism = noise.mechanism == DP_GAUSSIAN ? DP_PLD_GAUSSIAN : DP_PLD_DISCRETE_LAPLACE,
			.count = (int64_t) ((low + high) / 2), .sensitivity = 1, .scale_num = noise.scale_num,
			.scale_den = noise.scale_den, .sigma = (double) noise.sigma
		};
		double		epsilon;

		if (dp_accounting_pld_epsilon(&release, 1, limit->delta, &services, &epsilon) == NULL && epsilon <= limit->epsilon)
			low = (double) release.count;
		else
			high = (double) release.count;
	}
	return low;
}

/* What shares of delta cost, line by line. */
static void
test_shares(void)
{
	static const DpShares halves = {.partition = 0.5, .rdp = 0.5};
	static const struct
	{
		double		epsilon;
		double		delta;
		double		size[4];	/* of a release: epsilon, or sigma */
		const char *load;
	}			line[] = {
		{0.1, 1e-6, {0.02, 0.001}, "(0.1, 1e-6), Laplace 0.02 / 0.001"},
		{0.1, 1e-6, {200, 2000}, "(0.1, 1e-6), Gaussian, sigma 200 / 2000"},
		{1, 1e-6, {0.2, 0.05, 0.01, 0.001}, "(1, 1e-6), Laplace 0.2 / 0.05 / 0.01 / 0.001"},
		{1, 1e-6, {20, 100, 1000}, "(1, 1e-6), Gaussian, sigma 20 / 100 / 1000"},
		{5, 1e-6, {1, 0.1, 0.05, 0.01}, "(5, 1e-6), Laplace 1 / 0.1 / 0.05 / 0.01"},
		{5, 1e-6, {5, 20, 100}, "(5, 1e-6), Gaussian, sigma 5 / 20 / 100"},
		{10, 1e-9, {2, 0.1, 0.01}, "(10, 1e-9), Laplace 2 / 0.1 / 0.01"},
		{10, 1e-9, {5, 20, 100}, "(10, 1e-9), Gaussian, sigma 5 / 20 / 100"},
	};

	for (int i = 0; i < LENGTH(line); i++)
	{
		bool		laplace = strstr(line[i].load, "Laplace") != NULL;
		char		column[3][200] = {"", "", ""};
		DpLimit		half;
		DpLimit		limit;

		dp_accounting_limit_init(&half, line[i].epsilon, line[i].delta, &halves);
		dp_accounting_limit_init(&limit, line[i].epsilon, line[i].delta, &dp_accounting_default_shares);
		for (int j = 0; j < 4 && line[i].size[j] > 0; j++)
		{
			DpNoise		noise = laplace ? noise_of(DP_LAPLACE, line[i].size[j]) :
				gaussian_of((uint64_t) line[i].size[j]);
			double		number[3] = {admitted_of(&half, noise, false), admitted_of(&limit, noise, false), 0};

			number[2] = exact_of(&limit, noise, number[1]);
			for (int k = 0; k < 3; k++)
				snprintf(column[k] + strlen(column[k]), sizeof(column[k]) - strlen(column[k]), "%s%s", j > 0 ? " / " : "",
						 grouped(number[k], ','));
		}
		says(ACCOUNTING, "| %s | %s | %s | %s |", line[i].load, column[0], column[1], column[2]);
	}
}

/* The part of a load of infinitely small releases that 0.45 of delta admits. */
static double
part_of_delta(double epsilon, double delta)
{
	double		all = dp_accounting_gaussian_sigma(epsilon, delta, 1);
	double		share = dp_accounting_gaussian_sigma(epsilon, 0.45 * delta, 1);

	return 100 * all * all / (share * share);
}

static void
test_parts(void)
{
	says(ACCOUNTING, "For many small releases that is %.1f %% of exact composition at (1, 1e-6), and more at greater epsilon. It is %.1f %% at "
		 "(0.1, 1e-6), and less where epsilon is small and delta large, %.1f %% at (0.1, 1e-4).", part_of_delta(1, 1e-6),
		 part_of_delta(0.1, 1e-6), part_of_delta(0.1, 1e-4));
}

/* What a draw of counts is behind the greatest, by the exact laws, where the r-th of 40 is 400 / r. */
#define CANDIDATES 40

static double
behind(double rate, bool flip)
{
	double		weight[CANDIDATES];
	double		total = 0;
	double		mean = 0;

	for (int i = 0; i < CANDIDATES; i++)
		total += weight[i] = exp(-rate * (400 - floor(400.0 / (i + 1))));
	for (int i = 0; i < CANDIDATES; i++)
	{
		double		heads[CANDIDATES + 1] = {1};
		double		wins = 0;

		for (int j = 0, n = 0; j < CANDIDATES; j++)
			if (j != i)
			{
				for (int k = ++n; k >= 0; k--)
					heads[k] = heads[k] * (1 - weight[j]) + (k > 0 ? heads[k - 1] * weight[j] : 0);
			}
		for (int k = 0; k < CANDIDATES; k++)
			wins += heads[k] / (k + 1);
		mean += (400 - floor(400.0 / (i + 1))) * weight[i] * (flip ? wins : 1 / total);
	}
	return mean;
}

static void
test_naming(void)
{
	static const struct
	{
		double		budget;
		double		epsilon;
	}			line[] = {{1, 0.5}, {1, 0.1}, {1, 0.02}, {5, 0.1}, {5, 0.02}};
	DpLimit		limit;
	double		few[2];
	double		many[2];

	for (int i = 0; i < 3; i++)
	{
		double		epsilon = 0.005 * (1 << i);

		says(ACCURACY, "| %g | %.1f | %.1f | %.1f |", epsilon, behind(epsilon, true), behind(epsilon, false), behind(1.9 * epsilon, false));
	}
	for (int i = 0; i < LENGTH(line); i++)
	{
		dp_accounting_limit_init(&limit, line[i].budget, 1e-6, &dp_accounting_default_shares);
		says(ACCURACY, "| %g | %g | %s | %s | %s |", line[i].budget, line[i].epsilon,
			 grouped(admitted_of(&limit, noise_of(DP_PERMUTE_AND_FLIP, line[i].epsilon), true), ' '),
			 grouped(admitted_of(&limit, noise_of(DP_EXPONENTIAL, line[i].epsilon), true), ' '),
			 grouped(admitted_of(&limit, noise_of(DP_EXPONENTIAL, 1.9 * line[i].epsilon), true), ' '));
	}
	dp_accounting_limit_init(&limit, 1, 1e-6, &dp_accounting_default_shares);
	for (int i = 0; i < 2; i++)
	{
		few[i] = admitted_of(&limit, noise_of(i ? DP_EXPONENTIAL : DP_PERMUTE_AND_FLIP, 0.1), true);
		many[i] = admitted_of(&limit, noise_of(i ? DP_EXPONENTIAL : DP_PERMUTE_AND_FLIP, 0.02), true);
	}
	says(ACCOUNTING, "by the one or the other, %.0f or %.0f at epsilon 0.1, and %.0f or %.0f at 0.02.", few[0], few[1], many[0], many[1]);
}

/* The loss of k draws by the composition of bounded ranges (Dong, Durfee, Rogers 2020), at delta 1e-6. */
static double
ranges_epsilon(double each, int k)
{
	return fmin(k * each, k * each * each / 8 + each * sqrt(k * log(1e6) / 2));
}

/* The same of each way to draw and to count. */
typedef enum Way
{
	PERMUTE_AND_FLIP,
	EXPONENTIAL,
	EXPONENTIAL_FIXED,
	EXPONENTIAL_KNOWN,
	WAYS
} Way;

static double
ranking_epsilon(Way way, double each, int k, const DpLimit *limit)
{
	DpNoise		noise = noise_of(way == PERMUTE_AND_FLIP ? DP_PERMUTE_AND_FLIP : DP_EXPONENTIAL, each);
	DpCurve		cost = {.pure = 0};
	DpPldRelease release = {.mechanism = DP_PLD_RANGE, .count = k, .epsilon = each};
	double		epsilon;

	noise.groups = k;
	dp_accounting_add_noise(&cost, &noise);
	if (way == EXPONENTIAL_KNOWN)
		return ranges_epsilon(each, k);
	if (way != EXPONENTIAL_FIXED)
		return dp_accounting_epsilon_spent(limit, &cost);
	dp_accounting_pld_epsilon(&release, 1, limit->delta, &services, &epsilon);
	return fmin(epsilon, dp_accounting_fixed_epsilon(&cost, limit->delta));
}

/* The least scale, for counts of D = 1, with which a budget of (1, 1e-6) has a ranking of k. */
static double
ranking_scale(Way way, int k, const DpLimit *limit)
{
	double		low = 1.0 / k;
	double		high = 1;

	if (ranking_epsilon(way, high, k, limit) <= 1)
		return 1 / high;
	for (int i = 0; i < 40; i++)
	{
		double		middle = (low + high) / 2;

		if (ranking_epsilon(way, middle, k, limit) <= 1)
			low = middle;
		else
			high = middle;
	}
	return 1 / low;
}

static void
test_rankings(void)
{
	static const int ranks[] = {1, 3, 10, 30, 100};
	DpLimit		limit;

	dp_accounting_limit_init(&limit, 1, 1e-6, &dp_accounting_default_shares);
	for (int i = 0; i < LENGTH(ranks); i++)
		says(ACCURACY, "| %d | %.1f | %.1f | %.1f | %.1f |", ranks[i], ranking_scale(PERMUTE_AND_FLIP, ranks[i], &limit),
			 ranking_scale(EXPONENTIAL, ranks[i], &limit), ranking_scale(EXPONENTIAL_FIXED, ranks[i], &limit), ranking_scale(EXPONENTIAL_KNOWN, ranks[i], &limit));
}

/* How many rankings of k among 40, with this noise scaled to err as one by permute and flip at an epsilon, the limit admits. */
static double
rankings_of(const DpLimit *limit, DpMechanism mechanism, double epsilon, int k, int groups)
{
	DpRankingChoice choice = {.candidates = 40, .draws = k, .sample_rate = 1, .beside_gaussian = true, .limits = 1, .limit = {*limit}};
	DpNoise		flip;
	DpNoise		noise;
	int			grid = mechanism == DP_GAUSSIAN ? -40 : -20;

	dp_accounting_calibrate(&flip, DP_PERMUTE_AND_FLIP, epsilon, 0, k, 1, UINT64_C(1) << 20, -20);
	dp_accounting_calibrate(&noise, mechanism, epsilon, 1e-9, mechanism == DP_GAUSSIAN ? groups : k, 1,
							UINT64_C(1) << (mechanism == DP_EXPONENTIAL ? -grid - 1 : -grid), grid);
	dp_accounting_rescale(&noise, dp_accounting_ranking_width(&flip, 40, k, 0.05) / dp_accounting_ranking_width(&noise, 40, k, 0.05));
	return dp_accounting_rankings_admitted(&choice, &noise);
}

static void
test_ways(void)
{
	static const double limits[] = {1, 5};
	static const double epsilons[] = {0.05, 0.1, 0.2, 0.5, 1};
	static const int ranks[][2] = {{1, 1}, {3, 1}, {3, 3}, {10, 5}, {10, 10}};

	for (int l = 0; l < LENGTH(limits); l++)
		for (int r = 0; r < LENGTH(ranks); r++)
		{
			char		line[3][200] = {"", "", ""};
			DpLimit		limit;

			dp_accounting_limit_init(&limit, limits[l], 1e-6, &dp_accounting_default_shares);
			for (int e = 0; e < LENGTH(epsilons); e++)
				for (int i = 0; i < 3; i++)
					snprintf(line[i] + strlen(line[i]), sizeof(line[i]) - strlen(line[i]), " %.1f |",
							 rankings_of(&limit, i == 0 ? DP_PERMUTE_AND_FLIP : i == 1 ? DP_EXPONENTIAL : DP_GAUSSIAN, epsilons[e], ranks[r][0], ranks[r][1]));
			says(ACCURACY, "| %g | %d | %d | permute and flip |%s", limits[l], ranks[r][0], ranks[r][1], line[0]);
			says(ACCURACY, "| | | | exponential |%s", line[1]);
			says(ACCURACY, "| | | | noisy counts |%s", line[2]);
		}
}

/*
 * A count and a mean, apart and together: of both totals of the mean the count is made, rounded, with no
 * greater standard deviation than its own at the epsilon asked.
 */
static double
epsilon_together(double epsilon)
{
	double		low = epsilon;
	double		high = 2 * epsilon;
	double		least = dp_accounting_discrete_laplace_variance(1 / epsilon);

	for (int i = 0; i < 100; i++)
	{
		double		middle = (low + high) / 2;

		if (4 / (middle * middle) + 1.0 / 12 > least)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Noise of this pure epsilon on a fine grid. */
static DpNoise
fine(double epsilon)
{
	return (DpNoise) {.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = 1 << 20, .scale_num = (uint64_t) ceil(0x1p40 / epsilon), .scale_den = 1 << 20};
}

static double
pairs(double epsilon, bool together)
{
	DpNoise		count = noise_of(DP_LAPLACE, epsilon);
	DpNoise		mean = fine(together ? epsilon_together(epsilon) : epsilon);
	DpCurve		cost = {.pure = 0};
	DpLimit		limit;

	dp_accounting_limit_init(&limit, 1, 1e-6, &dp_accounting_default_shares);
	dp_accounting_add_noise(&cost, &mean);
	if (!together)
		dp_accounting_add_noise(&cost, &count);
	return admitted(&limit, &cost, false);
}

static void
test_pairs(void)
{
	says(ACCOUNTING, "a budget of (1, 1e-6) admits %.0f pairs of count and mean together for %.0f apart at epsilon 0.1, and %.0f for %.0f at 0.05. "
		 "It admits %.0f for %.0f at 0.02, and %s for %s at 0.001.", pairs(0.1, true), pairs(0.1, false), pairs(0.05, true), pairs(0.05, false),
		 pairs(0.02, true), pairs(0.02, false), grouped(pairs(0.001, true), ','), grouped(pairs(0.001, false), ','));
}

/* Renyi divergence of randomised response of this epsilon in a sample: the truth. */
static long double
sampled_response(long double alpha, long double p, long double epsilon)
{
	long double heads = 1 / (1 + expl(epsilon));

	return logl(heads * powl(1 - p + p * expl(epsilon), alpha) + (1 - heads) * powl(1 - p + p * expl(-epsilon), alpha)) / (alpha - 1);
}

/* The most that the charge of a sample at orders below 2 is above the truth. */
static double
above_truth(double least, double most)
{
	double		greatest = 0;

	for (double epsilon = least; epsilon <= most * (1 + 1e-9); epsilon *= pow(2, 0.125))
		for (double p = 1e-3; p < 1; p *= 1.25)
			for (int i = 0; dp_accounting_order[i] < 2; i++)
			{
				double		alpha = dp_accounting_order[i];

				greatest = fmax(greatest, dp_accounting_rdp_subsampled_laplace(alpha, p, 1 / epsilon) /
								(double) sampled_response(alpha, p, epsilon));
			}
	return greatest;
}

/* How many counts at epsilon 1 on samples of one in a hundred (1, 1e-6) admits. */
static double
sampled_counts(bool renyi_alone)
{
	DpNoise		noise = {.mechanism = DP_LAPLACE, .groups = 1, .sensitivity = 1, .scale_num = 1, .scale_den = 1};
	DpCurve		cost = {.pure = 0};
	DpLimit		limit;

	dp_accounting_limit_init(&limit, 1, 1e-6, &dp_accounting_default_shares);
	dp_accounting_add_noise(&cost, &noise);
	dp_accounting_amplify(&cost, 0.01);
	if (renyi_alone)
		limit.delta_variance = 0;
	return admitted(&limit, &cost, false);
}

static void
test_samples(void)
{
	says(ACCOUNTING, "Laplace noise of scale 1 at p = 0.3 and order 1.1 costs %.4f, and is charged %.4f; interpolation says %.4f.",
		 (double) sampled_response(1.1L, 0.3L, 1), dp_accounting_rdp_subsampled_laplace(1.1, 0.3, 1), dp_accounting_rdp_subsampled_laplace(2, 0.3, 1));
	says(ACCOUNTING, "At (1, 1e-6) a count at epsilon 1, Laplace, on samples of one in a hundred is admitted %.0f times (%.0f by (*) alone)",
		 sampled_counts(false), sampled_counts(true));
	says(ACCOUNTING, "It is at most %.2f times the truth of randomised response up to a pure epsilon of 1, %.2f times up to 4, and %.2f up to 16.",
		 above_truth(0x1p-6, 1), above_truth(1, 4), above_truth(4, 16));
}

/* Delta of k releases of randomised response at this epsilon, by bisection. */
static double
response_delta(double each, int k, double epsilon)
{
	double		low = -300 * M_LN10;
	double		high = 0;

	for (int i = 0; i < 100; i++)
	{
		double		middle = (low + high) / 2;

		if (dp_accounting_kov_optimal(each, 0, k, exp(middle)) > epsilon)
			low = middle;
		else
			high = middle;
	}
	return exp(high);
}

static void
test_circulated(void)
{
	double		e = 0.1;
	double		printed = 100 * e * expm1(e) / (exp(e) + 1) + sqrt(100 * e * e * log(1e6));
	double		right = 100 * e * expm1(e) / (exp(e) + 1) + sqrt(2 * 100 * e * e * log(1e6));
	double		delta = (exp(1.00001) - exp(1)) / (1 + exp(1.00001));

	says(ACCOUNTING, "At order 1.01 and scale 0.45 it costs %.2f, the continuous curve says %.2f;", dp_accounting_rdp_laplace_integer(1.01, 0.45, 1), dp_accounting_rdp_laplace(1.01, 0.45, 1));
	says(ACCOUNTING, "With b = D = 1 and epsilon 0.5 it gives %.3f, while integer noise has %.3f", dp_accounting_laplace_delta(1, 0.5, 1),
		 dp_accounting_discrete_laplace_delta(1, 0.5, 1));
	says(ACCOUNTING, "For e = 0.1, k = 100, d = 1e-6 the printed one says %.3f, the right one %.3f. The truth, which no bound may fall below, is "
		 "%.3f (`kov_optimal`). At epsilon %.3f the exact delta is %.1fe-5.", printed, right, dp_accounting_kov_optimal(e, 0, 100, 1e-6), printed,
		 1e5 * response_delta(e, 100, printed));
	says(ACCOUNTING, "Randomised response of epsilon 1.00001 is (1, %.2fe-6)-private, and its posterior is above that of epsilon 1 in %.0f %% of its "
		 "answers", ceil(delta * 1e8) / 100, 100 / (1 + exp(-1.00001)));
}

/* Thresholds of private groups. */
static void
test_thresholds(void)
{
	DpNoise		half = noise_of(DP_LAPLACE, 0.5);
	DpNoise		tenth = noise_of(DP_LAPLACE, 0.1);

	says(ACCOUNTING, "At epsilon 0.5 and delta 1e-9 the threshold is %d units, at epsilon 0.1 it is %d.", (int) dp_accounting_threshold(&half, 1e-9),
		 (int) dp_accounting_threshold(&tenth, 1e-9));
}

/* Noise that d totals of one row share, beside noise of each by itself: of one, and of what is put together. */
static void
test_shared(void)
{
	static const int totals[] = {2, 3, 4, 10, 64};

	for (int i = 0; i < LENGTH(totals); i++)
	{
		int			d = totals[i];
		DpNoise		noise[64];
		DpNoise    *share[64];
		DpNoise		row;
		double		apart;
		double		own;
		double		shared;

		for (int j = 0; j < d; j++)
		{
			dp_accounting_calibrate(&noise[j], DP_GAUSSIAN, 0.5, 1e-9, 1, 1, UINT64_C(1) << 40, -40);
			noise[j].direction = 1;
			share[j] = &noise[j];
		}
		apart = dp_accounting_stddev(&noise[0]);
		dp_accounting_share_noise(share, d, 0, &row);
		own = dp_accounting_own_stddev(&noise[0]) / apart;
		shared = dp_accounting_shared_stddev(&noise[0]) / apart;
		says(ACCURACY, "| %d | %.3f | %.3f | %.3f | %.3f |", d, hypot(own, shared), own, sqrt(own * own + 2 * shared * shared),
			 sqrt(own * own + d * shared * shared));
	}
}

/* What Gaussian noise is beside Laplace noise at one epsilon, and integer noise beside continuous. */
static void
test_beside(void)
{
	DpNoise		laplace = noise_of(DP_LAPLACE, 0.1);
	DpNoise		gaussian;
	double		greatest = 0;

	dp_accounting_calibrate(&gaussian, DP_GAUSSIAN, 0.1, 1e-9, 1, 1, UINT64_C(1) << 40, -40);
	says(ACCOUNTING, "A Gaussian count at epsilon 0.1 has %.1f times the standard deviation of a Laplace one.",
		 dp_accounting_stddev(&gaussian) / dp_accounting_stddev(&laplace));
	for (double scale = 0.01; scale < 100; scale *= 1.01)
		greatest = fmax(greatest, dp_accounting_rdp_laplace_integer(1.01, scale, 1) / dp_accounting_rdp_laplace(1.01, scale, 1));
	says(ACCOUNTING, "near order 1 the true cost is up to %.0f %% larger.", 100 * (greatest - 1));
	says(ACCOUNTING, "In each case the mean's noise is divided by %.2f.", epsilon_together(0.001) / 0.001);
}

int
main(void)
{
	ok(strlen(document(ACCOUNTING)) > 10000 && strlen(document(ACCURACY)) > 10000, "the documents are there");
	test_shares();
	test_parts();
	test_naming();
	test_rankings();
	test_ways();
	test_pairs();
	test_samples();
	test_circulated();
	test_thresholds();
	test_shared();
	test_beside();
	return done_testing();
}
