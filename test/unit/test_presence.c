/*
 * test_presence.c
 *	  Where noise alone may have made totals of no rows, they are of none; and intervals hold
 *	  the truth as often as they say among those that are of some.
 *
 * Shares are tested at 6 standard deviations of the binomial: a chance of 1e-9 each that a
 * true one fails.
 */
#include <stdio.h>
#include <time.h>

#include "moments.h"
#include "tap.h"

#include "accounting/sum_of_noise.h"

/* Answers that are looked at, and draws in which they have to be found. */
#define ANSWERS 3000
#define DRAWS 300000

static const DpStatistic sample_statistics[] = {
	DP_STATISTIC_VARIANCE, DP_STATISTIC_STDDEV, DP_STATISTIC_COVAR_SAMP
};

static bool
is_of_sample(DpStatistic statistic)
{
	for (size_t i = 0; i < sizeof(sample_statistics) / sizeof(sample_statistics[0]); i++)
		if (statistic == sample_statistics[i])
			return true;
	return false;
}

/* The estimate of totals with noise of so many rows, as the product makes it. */
static DpEstimate
make_noisy(DpStatistic statistic, double rows, bool gaussian)
{
	DpEstimate	estimate = make_estimate(statistic, rows, gaussian);
	uint64_t	scale = (uint64_t) estimate.noise;
	DpNoise		noise = {
		.mechanism = gaussian ? DP_GAUSSIAN : DP_LAPLACE, .scale_num = scale, .scale_den = 1, .sigma = scale
	};

	estimate.feigned = dp_accounting_sum_half_width(&noise, dp_aggregate_estimate_parts(&estimate), false, 0.98);
	return estimate;
}

/* Totals with noise that are said to be of rows: false if in `left` draws there are none. */
static bool
draw_answered(const DpEstimate *estimate, const double *exact, double *totals, int *left)
{
	for (; *left > 0; (*left)--)
	{
		for (int i = 0; i < dp_aggregate_estimate_parts(estimate); i++)
			totals[i] = exact[i] + draw(estimate->noise, estimate->gaussian);
		if (dp_aggregate_estimate_has_rows(estimate, totals))
		{
			(*left)--;
			return true;
		}
	}
	return false;
}

/*
 * Of groups of too few rows one of a hundred is answered at most, and hardly fewer; of those of many
 * more all are: noise of eleven times what it exceeds once in fifty has a chance below 1e-18 in each draw.
 */
static void
check_share(DpStatistic statistic, bool gaussian)
{
	DpEstimate	estimate = make_noisy(statistic, 3, gaussian);
	double		totals[DP_MOMENTS_MOST];
	double		exact[DP_MOMENTS_MOST];
	int			left = DRAWS;
	int			few = 0;
	double		slack = 6 * sqrt(0.01 * 0.99 * DRAWS);
	int			enough = 2 + (int) (12 * estimate.feigned / UNIT);
	Data		data;

	make_data(&data, is_of_sample(statistic) ? 1 : 0);
	exact_totals(&data, &estimate, exact);
	while (draw_answered(&estimate, exact, totals, &left))
		few++;
	make_data(&data, enough);
	exact_totals(&data, &estimate, exact);
	for (left = 1000; draw_answered(&estimate, exact, totals, &left);)
		enough++;
	ok(few <= 0.01 * DRAWS + slack && few >= 0.005 * DRAWS && enough == data.rows + 1000,
	   "%s, %s noise: %.3f %% of groups of too few rows are answered, and all of %d", names[statistic],
	   gaussian ? "normal" : "Laplace", 100.0 * few / DRAWS, data.rows);
}

/* Intervals of those that are answered, of so many rows for each that noise may feign. */
static void
check_coverage(DpStatistic statistic, bool gaussian, double share, double level)
{
	DpEstimate	estimate = make_noisy(statistic, 3, gaussian);
	int			rows = 2 + (int) (share * estimate.feigned / UNIT);
	double		exact[DP_MOMENTS_MOST];
	double		totals[DP_MOMENTS_MOST];
	double		truth;
	int			answered = 0;
	int			held = 0;
	int			left = DRAWS;
	Data		data;

	make_data(&data, rows);
	exact_totals(&data, &estimate, exact);
	truth = textbook(&data, statistic);
	for (; answered < ANSWERS && draw_answered(&estimate, exact, totals, &left); answered++)
	{
		double		low;
		double		high;

		dp_aggregate_estimate_interval(&estimate, totals, level, &low, &high);
		held += low <= truth && truth <= high;
	}
	ok(answered >= 1000 && held >= level * answered - 6 * sqrt(level * (1 - level) * answered),
	   "%s of %d rows, %.1f times what %s noise feigns: %.3f of %d answered hold the truth, of %g", names[statistic], rows,
	   share, gaussian ? "normal" : "Laplace", (double) held / answered, answered, level);
}

/* Where rows add nothing to totals, noise says nothing of their number, and the answer is certain. */
static void
check_no_width(void)
{
	DpEstimate	estimate = make_noisy(DP_STATISTIC_MEAN, 3, false);
	double		totals[] = {-1e30, -1e30};

	estimate.upper_x = estimate.lower_x;
	estimate.unit = 0;
	ok(dp_aggregate_estimate_has_rows(&estimate, totals) && dp_aggregate_estimate_value(&estimate, totals) == estimate.lower_x,
	   "between bounds without width the answer is known");
}

/* Either noise, and some numbers of rows. */
static void
check_statistic(DpStatistic statistic)
{
	static const double shares[] = {0.1, 0.6, 1, 1.5, 2.5, 5};

	for (int gaussian = 0; gaussian <= 1; gaussian++)
	{
		check_share(statistic, gaussian);
		for (size_t j = 0; j < sizeof(shares) / sizeof(shares[0]); j++)
			check_coverage(statistic, gaussian, shares[j], j % 2 ? 0.9 : 0.95);
	}
}

int
main(void)
{
	random_state = (uint64_t) time(NULL) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	for (int i = 0; i < DP_STATISTICS; i++)
		check_statistic((DpStatistic) i);
	means_with_variance = true;
	check_statistic(DP_STATISTIC_MEAN);
	means_with_variance = false;
	check_no_width();
	return done_testing();
}
