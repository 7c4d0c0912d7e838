/*
 * test_document_loads.c
 *	  Tables of doc/accounting.md of how much budgets admit beside exact composition: of typical loads,
 *	  and of samples.  Each line is made here, and has to stand in the document.
 */
#include "documents.h"

#include "accounting/block_cost.h"
#include "accounting/loss.h"
#include "accounting/ranking.h"
#include "accounting/shared_noise.h"
#include "accounting/subsampling.h"
#include "accounting/variance.h"

/* Cells of the losses of one release on a sample, and of the draw that runs on it. */
#define CELLS 1024
#define DRAW_CELLS 2048
#define MOST_POINTS 8192
#define CUT 1e-15L

/* A pair of laws: the likelihood ratio of each outcome, as a logarithm, and its probability without the unit. */
typedef struct Pair
{
	int			outcomes;
	long double loss[2 * DRAW_CELLS];
	long double mass[2 * DRAW_CELLS];
} Pair;

/* Noise that moves by 1, or randomised response: the ratio is at one of two ends. */
static void
set_response(Pair *pair, long double epsilon)
{
	pair->outcomes = 2;
	pair->loss[0] = -epsilon;
	pair->loss[1] = epsilon;
	pair->mass[0] = 1 / (1 + expl(-epsilon));
	pair->mass[1] = 1 / (1 + expl(epsilon));
}

/*
 * A draw of bounded range e: the density of a ratio exp(l) without the unit is exp(-l/2) / (4 sinh(e/2)), with
 * it exp(l) times that.  What lies in a cell is put on both of its ends, so that both masses are kept.
 */
static void
set_range(Pair *pair, long double e)
{
	long double h = 2 * e / DRAW_CELLS;

	pair->outcomes = 2 * DRAW_CELLS;
	for (int i = 0; i < DRAW_CELLS; i++)
	{
		long double low = -e + i * h;
		long double q = expl(-low / 2) * -expm1l(-h / 2) / (2 * sinhl(e / 2));
		long double p = q * expl(low + h / 2);
		long double upper = (p - q * expl(low)) / (expl(low) * expm1l(h));

		pair->loss[2 * i] = low;
		pair->loss[2 * i + 1] = low + h;
		pair->mass[2 * i] = q - upper;
		pair->mass[2 * i + 1] = upper;
	}
}

/* The loss of a pair on a sample, of the sample from what is without the unit, or back, tilted on a grid. */
static DpLoss
sampled_loss(const DpLossWork *work, const Pair *pair, double rate, bool back)
{
	long double ends[2] = {
		log1pl(rate * expm1l(pair->loss[0])), log1pl(rate * expm1l(pair->loss[pair->outcomes - 1]))
	};
	long double step = (ends[1] - ends[0]) / CELLS;
	DpLoss		loss = {
		.mass = calloc(CELLS + 2, sizeof(double)), .points = CELLS + 2, .step = step,
		.top = back ? -ends[0] : ends[1], .lost = 0x1p-52L
	};
	long double total = 0;

	for (int i = 0; i < pair->outcomes; i++)
	{
		long double l = log1pl(rate * expm1l(pair->loss[i]));
		long double below = back ? l - ends[0] : ends[1] - l;
		long double p = pair->mass[i] * (back ? 1 : expl(l)) * expl(work->theta * (back ? -l : l));
		int			cell = (int) fminl(below / step, CELLS);
		long double upper;
		long double lower;

		dp_accounting_loss_split(work, step, fminl(fmaxl(below - cell * step, 0), step), &upper, &lower);
		loss.mass[CELLS + 1 - cell] += (double) (p * upper);
		loss.mass[CELLS - cell] += (double) (p * lower);
		total += p * (upper + lower);
	}
	for (int i = 0; i < loss.points; i++)
		loss.mass[i] /= (double) total;
	loss.log_scale = logl(total);
	return loss;
}

/* The epsilon of n releases on samples of their own, a list fixed in advance, by their exact losses. */
static double
sampled_epsilon(const Pair *pair, double rate, double n, double delta, long double theta)
{
	double		greatest = 0;

	for (int back = 0; back < 2; back++)
	{
		DpLossWork	work = {.services = &services, .theta = theta, .max_points = MOST_POINTS};
		DpLoss		loss = sampled_loss(&work, pair, rate, back);

		dp_accounting_loss_multiply(&work, &loss, (int64_t) n, CUT);
		greatest = fmax(greatest, (double) dp_accounting_loss_epsilon(&work, &loss, delta));
		free(loss.mass);
		free(work.roots);
	}
	return greatest;
}

/* The order, less 1, at which a cost so many times converts best. */
static long double
best_tilt(const DpCurve *cost, double n, double delta)
{
	double		least = INFINITY;
	double		tilt = 1;

	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		a = dp_accounting_order[i] - 1;
		double		epsilon = n * cost->rdp[i] - log(delta * (a + 1)) / a;

		if (epsilon < least)
		{
			least = epsilon;
			tilt = a;
		}
	}
	return tilt;
}

/* How many of these, no fewer than so many, a fixed list may have, with this delta, of epsilon. */
static double
exact_of_sample(const Pair *pair, const DpCurve *cost, double rate, double epsilon, double delta, double low)
{
	double		high = ceil(low * 1.3) + 2;

	for (; sampled_epsilon(pair, rate, high, delta, best_tilt(cost, high, delta)) <= epsilon; high = 2 * high)
		low = high;
	while (high - low > 1)
	{
		double		middle = floor((low + high) / 2);

		if (sampled_epsilon(pair, rate, middle, delta, best_tilt(cost, middle, delta)) <= epsilon)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A count of this epsilon with Laplace noise on a sample. */
static DpCurve
sampled_count(double epsilon, double rate)
{
	DpCurve		cost = {.pure = 0};
	DpNoise		noise;

	dp_accounting_calibrate(&noise, DP_LAPLACE, epsilon, 0, 1, 1, 1, 0);
	dp_accounting_add_noise(&cost, &noise);
	dp_accounting_amplify(&cost, rate);
	return cost;
}

static void
test_samples(void)
{
	static const struct
	{
		double		budget;
		double		epsilon;
		double		rate;
	}			line[] = {
		{0.1, 0.5, 0.01}, {1, 0.1, 0.1}, {1, 0.5, 0.01}, {1, 0.5, 0.05}, {1, 1, 0.001}, {1, 1, 0.01}, {1, 2, 0.02},
		{5, 1, 0.1}, {5, 2, 0.05}, {10, 2, 0.1}
	};
	static Pair pair;

	for (int i = 0; i < LENGTH(line); i++)
	{
		DpCurve		cost = sampled_count(line[i].epsilon, line[i].rate);
		DpCurve		before = cost;
		double		most;
		double		exact;
		DpLimit		limit;

		set_response(&pair, line[i].epsilon);
		dp_accounting_range_variance(&before, dp_accounting_sampled_range(line[i].epsilon, line[i].rate), 1);
		dp_accounting_limit_init(&limit, line[i].budget, 1e-6, &dp_accounting_default_shares);
		most = admitted(&limit, &cost, false);
		exact = exact_of_sample(&pair, &cost, line[i].rate, line[i].budget, 1e-6, most);
		says(ACCOUNTING, "| %g | %g, %g | %s | %s | %s |", line[i].budget, line[i].epsilon, line[i].rate,
			 grouped(admitted(&limit, &before, false), ','), grouped(most, ','), grouped(exact, ','));
		if (line[i].budget == 1 && line[i].rate == 0.01 && line[i].epsilon == 1)
			says(ACCOUNTING, "one that lost nothing would admit %.0f of the %.0f:",
				 exact_of_sample(&pair, &cost, line[i].rate, 1, 0.45e-6, most), exact);
	}
}

/* A statement, as it was charged by orders alone, and as it is. */
#define MOST_NOISES 24

typedef struct Load
{
	const char *name;
	double		epsilon;		/* of the budget */
	double		delta;
	double		rate;			/* of the units that are asked */
	double		private_delta;
	const char *unit;			/* of an answer's noise */
	double		noise[2];		/* before, and now */
	int			noises[2];
	DpNoise		term[2][MOST_NOISES];
} Load;

/* A load of a budget of epsilon 2 and delta 1e-6, unless said otherwise. */
static Load
load_of(const char *name, const char *unit)
{
	return (Load) {.name = name, .epsilon = 2, .delta = 1e-6, .rate = 1, .unit = unit};
}

static void
limits_of(const Load *load, DpLimit *before, DpLimit *now)
{
	static const DpShares halves = {.partition = 0.5, .rdp = 0.5};

	dp_accounting_limit_init(before, load->epsilon, load->delta, &halves);
	dp_accounting_limit_init(now, load->epsilon, load->delta, &dp_accounting_default_shares);
}

/* The delta of a statement, as it is chosen where nobody says it. */
static double
chosen_delta(const Load *load)
{
	DpLimit		limits[2];

	limits_of(load, &limits[0], &limits[1]);
	return dp_accounting_chosen_delta(&limits[1]);
}

static DpNoise *
add_term(Load *load, bool now, DpNoise noise)
{
	load->term[now][load->noises[now]] = noise;
	return &load->term[now][load->noises[now]++];
}

/* Noise for a total that a unit moves by this bound, one of so many parts, in so many groups. */
static DpNoise
total_of(const Load *load, DpMechanism mechanism, double epsilon, double bound, int groups, int parts)
{
	double		delta = mechanism == DP_GAUSSIAN ? chosen_delta(load) : 0;
	int			grid = dp_accounting_grid(mechanism, epsilon, delta, groups, parts, bound, true);
	DpNoise		noise;

	dp_accounting_calibrate(&noise, mechanism, epsilon, delta, groups, parts, (uint64_t) ceil(ldexp(bound, -grid)), grid);
	return noise;
}

/* Totals of one row under Gaussian noise, of a bound of 1 each, but the first: apart, and sharing noise. */
static void
add_row(Load *load, double epsilon, double first, int totals, int groups)
{
	DpNoise    *share[MOST_NOISES];
	DpNoise		shared;

	for (int i = 0; i < totals; i++)
	{
		DpNoise		noise = total_of(load, DP_GAUSSIAN, epsilon, i == 0 ? first : 1, groups, 1);

		add_term(load, false, noise);
		noise.direction = 1;
		share[i] = add_term(load, true, noise);
	}
	load->noise[0] = dp_accounting_stddev(&load->term[0][load->noises[0] - 1]);
	if (dp_accounting_share_noise(share, totals, 0, &shared) > 0)
		add_term(load, true, shared);
	load->noise[1] = dp_accounting_stddev(share[totals - 1]);
}

/* The mean of values from 0 to a width: two totals, whose noise moves the mean of 1,000 such in the middle by that of the sum. */
static void
add_mean(Load *load, double epsilon, double width)
{
	for (int now = 0; now < 2; now++)
	{
		DpNoise    *sum = add_term(load, now, total_of(load, DP_GAUSSIAN, epsilon, width / 2, 1, 2));

		load->noise[now] = dp_accounting_stddev(sum) / 1000;
		add_term(load, now, total_of(load, DP_GAUSSIAN, epsilon, 1, 1, 2));
	}
}

/* A draw that is charged, of samples, as randomised response was. */
static DpNoise
as_response(DpNoise noise)
{
	noise.mechanism = DP_PERMUTE_AND_FLIP;
	noise.sensitivity *= 2;
	return noise;
}

/* The median of 1,001 points: how many rows off it is with 95 %. */
static void
add_median(Load *load, double epsilon)
{
	DpNoise		noise;

	dp_accounting_calibrate(&noise, DP_EXPONENTIAL, epsilon, 0, 1, 1, UINT64_C(1) << 29, -30);
	add_term(load, false, load->rate < 1 ? as_response(noise) : noise);
	add_term(load, true, noise);
	load->noise[0] = load->noise[1] = dp_accounting_choice_width(&noise, 1001, 0.95);
}

/* The greatest of 40 counts: by the exponential mechanism before, in the way that is chosen now. */
static void
add_greatest(Load *load, double epsilon)
{
	DpRankingChoice choice = {.candidates = 40, .draws = 1, .sample_rate = load->rate, .beside_gaussian = true, .limits = 1};
	DpNoise		way[3];
	int			best;

	choice.limit[0] = (DpLimit) {0};
	dp_accounting_limit_init(&choice.limit[0], load->epsilon, load->delta, &dp_accounting_default_shares);
	dp_accounting_calibrate(&way[0], DP_PERMUTE_AND_FLIP, epsilon, 0, 1, 1, 1, 0);
	dp_accounting_calibrate(&way[1], DP_EXPONENTIAL, epsilon, 0, 1, 1, 1, -1);
	way[2] = total_of(load, DP_GAUSSIAN, epsilon, 1, 1, 1);
	best = dp_accounting_best_ranking(&choice, way, LENGTH(way));
	add_term(load, false, way[1]);
	add_term(load, true, way[best]);
	load->noise[0] = dp_accounting_ranking_width(&way[1], 40, 1, 0.05);
	load->noise[1] = dp_accounting_ranking_width(&way[best], 40, 1, 0.05);
}

/* What one statement costs. */
static DpCurve
cost_of(const Load *load, bool now)
{
	DpCurve		cost = {.pure = 0};

	for (int i = 0; i < load->noises[now]; i++)
		dp_accounting_add_noise(&cost, &load->term[now][i]);
	dp_accounting_complete_block(&cost, load->rate, load->private_delta);
	return cost;
}

/* Releases of one noise in so many statements, as a fixed list has them. */
static DpPldRelease
listed(const DpNoise *noise, double times)
{
	DpPldRelease release = {
		.count = (int64_t) times * noise->groups, .sensitivity = noise->sensitivity, .scale_num = noise->scale_num,
		.scale_den = noise->scale_den, .sigma = (double) (noise->own > 0 ? noise->own : noise->sigma)
	};

	if (noise->mechanism == DP_GAUSSIAN)
		release.mechanism = DP_PLD_DISCRETE_GAUSSIAN;
	else if (noise->mechanism == DP_LAPLACE)
		release.mechanism = DP_PLD_DISCRETE_LAPLACE;
	else
	{
		release.mechanism = noise->mechanism == DP_EXPONENTIAL ? DP_PLD_RANGE : DP_PLD_PURE;
		release.epsilon = dp_accounting_draw_epsilon(noise);
	}
	return release;
}

static double
exact_epsilon(const Load *load, double times)
{
	DpPldRelease release[MOST_NOISES + 1];
	int			n = 0;
	double		epsilon;

	for (int i = 0; i < load->noises[true]; i++)
		release[n++] = listed(&load->term[true][i], times);
	if (load->private_delta > 0)
		release[n++] = (DpPldRelease) {.mechanism = DP_PLD_PURE, .count = (int64_t) times, .delta = load->private_delta};
	return dp_accounting_pld_epsilon(release, n, load->delta, &services, &epsilon) == NULL ? epsilon : INFINITY;
}

/* How many statements a fixed list may have, by their losses, with the noise there is now. */
static double
exact_of_load(const Load *load, double low)
{
	static Pair pair;
	const DpNoise *noise = &load->term[true][0];
	DpCurve		cost = cost_of(load, true);
	double		high = ceil(low * 1.3) + 2;

	if (load->rate < 1)
	{
		if (noise->mechanism == DP_EXPONENTIAL)
			set_range(&pair, dp_accounting_draw_epsilon(noise));
		else
			set_response(&pair, dp_accounting_draw_epsilon(noise));
		return exact_of_sample(&pair, &cost, load->rate, load->epsilon, load->delta, low);
	}
	for (; exact_epsilon(load, high) <= load->epsilon; high = 2 * high)
		low = high;
	while (high - low > 1)
	{
		double		middle = floor((low + high) / 2);

		if (exact_epsilon(load, middle) <= load->epsilon)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* What noise is, with three digits or all before the point. */
static const char *
noise_said(double noise)
{
	static char text[2][32];
	static int	next = 0;
	char	   *to = text[next++ % 2];

	snprintf(to, sizeof(text[0]), "%.3g", noise);
	return noise < 1000 ? to : grouped(noise, ',');
}

static void
compare(const Load *load)
{
	DpCurve		before = cost_of(load, false);
	DpCurve		now = cost_of(load, true);
	DpLimit		limits[2];
	double		most;

	limits_of(load, &limits[0], &limits[1]);
	most = admitted(&limits[1], &now, false);
	says(ACCOUNTING, "| %s | %s | %s | %s | %s | %s | %s |", load->name, noise_said(load->noise[0]), noise_said(load->noise[1]), load->unit,
		 grouped(admitted(&limits[0], &before, false), ','), grouped(most, ','), grouped(exact_of_load(load, most), ','));
}

/* Totals of one row, and in groups. */
static void
test_rows(void)
{
	Load		one = load_of("a count at 0.5", "rows");
	Load		three = load_of("three counts of one row, with FILTER, at 0.5 each", "rows");
	Load		ten = load_of("ten of these, at 0.2 each", "rows");
	Load		found = load_of("counts at 0.5 by a private key, of whose groups a unit is in 3", "rows");
	Load		public = load_of("sums from 0 to 100 and counts at 0.5 by a listed key, a unit in 4 groups", "rows");

	add_row(&one, 0.5, 1, 1, 1);
	add_row(&three, 0.5, 1, 3, 1);
	add_row(&ten, 0.2, 1, 10, 1);
	add_row(&found, 0.5, 1, 1, 3);
	found.private_delta = chosen_delta(&found);
	add_row(&public, 0.5, 100, 2, 4);
	compare(&one);
	compare(&three);
	compare(&ten);
	compare(&found);
	compare(&public);
}

/* What is asked alone. */
static void
test_others(void)
{
	Load		sum = load_of("a sum from 0 to 100 at 0.1, Laplace noise", "of the sum");
	Load		mean = load_of("a mean of 1,000 values from 0 to 100 at 0.5", "of the mean");
	Load		median = load_of("a median of 1,001 points at 0.1", "ranks, 95 %");
	Load		greatest = load_of("the greatest of 40 counts at 0.5", "rows, 95 %");

	for (int now = 0; now < 2; now++)
		sum.noise[now] = dp_accounting_stddev(add_term(&sum, now, total_of(&sum, DP_LAPLACE, 0.1, 100, 1, 1)));
	add_mean(&mean, 0.5, 100);
	add_median(&median, 0.1);
	add_greatest(&greatest, 0.5);
	compare(&sum);
	compare(&mean);
	compare(&median);
	compare(&greatest);
}

/* Of samples; of several kinds at once; of one of many roles. */
static void
test_mixed(void)
{
	Load		count = load_of("a count at 1, Laplace noise, asked of one unit in a hundred", "rows");
	Load		median = load_of("a median at 1, asked of one unit in ten", "ranks, 95 %");
	Load		board = load_of("a dashboard, at 0.2 each", "rows");
	Load		role = load_of("a count at 0.1, for a role with a twentieth of (10, 1e-6)", "rows");

	count.rate = 0.01;
	for (int now = 0; now < 2; now++)
		count.noise[now] = dp_accounting_stddev(add_term(&count, now, total_of(&count, DP_LAPLACE, 1, 1, 1, 1)));
	median.rate = 0.1;
	add_median(&median, 1);
	add_mean(&board, 0.2, 100);
	add_median(&board, 0.2);
	add_row(&board, 0.2, 1, 1, 3);
	board.private_delta = chosen_delta(&board);
	add_row(&board, 0.2, 100, 2, 1);
	add_row(&board, 0.2, 1, 4, 1);
	role.epsilon = 0.5;
	role.delta = 5e-8;
	add_row(&role, 0.1, 1, 1, 1);
	compare(&count);
	compare(&median);
	compare(&board);
	compare(&role);
}

int
main(void)
{
	ok(strlen(document(ACCOUNTING)) > 10000, "the document is there");
	test_samples();
	test_rows();
	test_others();
	test_mixed();
	return done_testing();
}
