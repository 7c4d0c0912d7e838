/*
 * test_selection.c
 *	  Selections follow their exact laws, and these keep what is charged.
 *
 * Every test of draws fails a correct sampler with probability below 1e-9
 * (fit.h).  The laws themselves are held against the loss they are charged, over
 * all neighbours of small counts: sums, no draws.
 */
#include <math.h>
#include <string.h>

#include "fit.h"
#include "tap.h"

#include "accounting/calibrate.h"
#include "accounting/curve.h"
#include "accounting/mechanisms.h"
#include "noise/selection.h"

#define DRAWS 400000
#define MAX_COUNTS 5

/* Room for rounding in sums of a few hundred terms. */
#define SLACK 1e-12L

/* Counts, those that are out, and a scale num/den of counts times 2^shift. */
typedef struct Counts
{
	int			n;
	int64_t		count[MAX_COUNTS];
	bool		taken[MAX_COUNTS];
	uint64_t	num;
	uint64_t	den;
	int			shift;
	int64_t		threshold;
} Counts;

/* Geometric noise: cells of equal width, the last of all that is larger. */
static void
test_geometric(uint64_t num, uint64_t den)
{
	long		count[20] = {0};
	long double probability[20];
	long double scale = (long double) num / den;
	DpInt128	width = (DpInt128) ceill(scale / 4);

	for (int i = 0; i < 20; i++)
		probability[i] = expl(-i * (long double) width / scale) -
			(i < 19 ? expl(-(i + 1) * (long double) width / scale) : 0);
	for (int i = 0; i < DRAWS; i++)
	{
		DpInt128	cell = dp_noise_geometric(num, den) / width;

		count[cell < 19 ? (int) cell : 19]++;
	}
	ok(fits(20, count, probability), "geometric noise of scale %llu/%llu",
	   (unsigned long long) num, (unsigned long long) den);
}

/*
 * The law of permute and flip: for each candidate, over how many of the others
 * are heads.
 */
static void
flip_law(const Counts *c, long double *probability)
{
	int64_t		greatest = INT64_MIN;
	long double heads[MAX_COUNTS];

	for (int i = 0; i < c->n; i++)
		if (!c->taken[i] && c->count[i] > greatest)
			greatest = c->count[i];
	for (int i = 0; i < c->n; i++)
		heads[i] = c->taken[i] ? 0 :
			expl(-((long double) greatest - c->count[i]) * c->den / c->num);
	for (int i = 0; i < c->n; i++)
	{
		long double others[MAX_COUNTS + 1] = {1};

		for (int j = 0; j < c->n; j++)
			for (int k = MAX_COUNTS; j != i && k >= 0; k--)
				others[k] = others[k] * (1 - heads[j]) + (k > 0 ? others[k - 1] * heads[j] : 0);
		probability[i] = 0;
		for (int k = 0; k <= MAX_COUNTS; k++)
			probability[i] += heads[i] * others[k] / (k + 1);
	}
}

/* The law of Gumbel noise: weights. */
static void
gumbel_law(const Counts *c, long double *probability)
{
	long double total = 0;
	int64_t		greatest = INT64_MIN;

	for (int i = 0; i < c->n; i++)
		if (!c->taken[i] && c->count[i] > greatest)
			greatest = c->count[i];
	for (int i = 0; i < c->n; i++)
	{
		probability[i] = c->taken[i] ? 0 :
			expl(-ldexpl((long double) greatest - c->count[i], c->shift) * c->den / c->num);
		total += probability[i];
	}
	for (int i = 0; i < c->n; i++)
		probability[i] /= total;
}

/* P[geometric noise >= m]. */
static long double
geometric_tail(const Counts *c, int64_t m)
{
	return m <= 0 ? 1 : expl(-(long double) m * c->den / c->num);
}

/* The law of the first above: for each outcome, over the threshold's noise. */
static void
first_law(const Counts *c, long double *probability)
{
	memset(probability, 0, (c->n + 1) * sizeof(*probability));
	for (int64_t y = 0; y < 60 * (int64_t) (c->num / c->den + 1); y++)
	{
		long double reached = geometric_tail(c, y) - geometric_tail(c, y + 1);

		for (int i = 0; i < c->n; i++)
		{
			long double above = geometric_tail(c, c->threshold + y - c->count[i]);

			probability[i] += reached * above;
			reached *= 1 - above;
		}
		probability[c->n] += reached;
	}
}

static void
test_flip(const Counts *c, const char *name)
{
	long		count[MAX_COUNTS] = {0};
	long double probability[MAX_COUNTS];

	flip_law(c, probability);
	for (int i = 0; i < DRAWS; i++)
		count[dp_noise_permute_and_flip(c->count, c->taken, c->n, c->num, c->den)]++;
	ok(fits(c->n, count, probability), "permute and flip, %s", name);
}

static void
test_gumbel(const Counts *c, const char *name)
{
	long		count[MAX_COUNTS] = {0};
	long double probability[MAX_COUNTS];

	gumbel_law(c, probability);
	for (int i = 0; i < DRAWS; i++)
		count[dp_noise_gumbel_greatest(c->count, c->taken, c->n, c->shift, c->num, c->den)]++;
	ok(fits(c->n, count, probability), "Gumbel noise, %s", name);
}

/*
 * Two draws, the second without the first: the pair follows the order of counts with Gumbel
 * noise, of which the second is the greatest of the others whatever the first is.
 */
static void
test_gumbel_ranks(void)
{
	Counts		c = {.n = 4, .count = {5, 3, 4, 1}, .num = 3, .den = 1, .shift = 1};
	long		count[16] = {0};
	long		seen[12];
	long double probability[12];
	long double first[MAX_COUNTS];
	int			pairs = 0;

	for (int i = 0; i < DRAWS; i++)
	{
		Counts		rest = c;
		size_t		winner = dp_noise_gumbel_greatest(c.count, c.taken, c.n, c.shift, c.num, c.den);

		rest.taken[winner] = true;
		count[4 * winner + dp_noise_gumbel_greatest(rest.count, rest.taken, rest.n, rest.shift, rest.num, rest.den)]++;
	}
	gumbel_law(&c, first);
	for (int i = 0; i < 4; i++)
	{
		Counts		rest = c;
		long double second[MAX_COUNTS];

		rest.taken[i] = true;
		gumbel_law(&rest, second);
		for (int j = 0; j < 4; j++)
			if (j != i)
			{
				seen[pairs] = count[4 * i + j];
				probability[pairs++] = first[i] * second[j];
			}
	}
	ok(fits(pairs, seen, probability), "Gumbel noise, two ranks");
}

typedef unsigned __int128 Wide;

/* The law of what is drawn by losses: weights. */
static void
least_law(int n, const Wide *loss, int shift, uint64_t num, uint64_t den, long double *probability)
{
	long double total = 0;
	Wide		least = loss[0];

	for (int i = 1; i < n; i++)
		if (loss[i] < least)
			least = loss[i];
	for (int i = 0; i < n; i++)
	{
		probability[i] = expl(-ldexpl((long double) (loss[i] - least), shift) * den / num);
		total += probability[i];
	}
	for (int i = 0; i < n; i++)
		probability[i] /= total;
}

static void
test_least(int n, const Wide *loss, int shift, uint64_t num, uint64_t den, const char *name)
{
	long		count[MAX_COUNTS] = {0};
	long double probability[MAX_COUNTS];

	least_law(n, loss, shift, num, den, probability);
	for (int i = 0; i < DRAWS; i++)
		count[dp_noise_least(loss, n, shift, num, den)]++;
	ok(fits(n, count, probability), "by losses, %s", name);
}

/*
 * What dp_select_model draws with, of units of three rows on the grid of losses: over many losses, and all that a
 * unit may add to each of them, no outcome's log-probability moves by more than epsilon, and some by nearly that.
 */
static void
test_least_neighbours(void)
{
	const double epsilon = 0.9;
	const int	bits = 32;		/* of a row that weighs and loses most */
	const Wide	row = (Wide) 1 << bits;
	DpNoise		noise;
	DpCurve		cost = {.pure = 0};
	long double worst = 0;

	(void) dp_accounting_calibrate(&noise, DP_EXPONENTIAL, epsilon, 0, 1, 1, UINT64_C(3) << bits, -bits - 1);
	dp_accounting_add_noise(&cost, &noise);
	for (int code = 0; code < 5 * 5 * 5 * 4 * 4 * 4; code++)
	{
		Wide		without[3];
		Wide		with[3];
		long double p[3];
		long double q[3];

		for (int i = 0, rest = code; i < 3; i++)
		{
			without[i] = row * 2 * (rest % 5);
			rest /= 5;
			with[i] = without[i] + row * (rest % 4);
			rest /= 4;
		}
		least_law(3, without, 1, noise.scale_num, noise.scale_den, p);
		least_law(3, with, 1, noise.scale_num, noise.scale_den, q);
		for (int i = 0; i < 3; i++)
			worst = fmaxl(worst, fabsl(logl(p[i] / q[i])));
	}
	ok(worst <= cost.pure + SLACK && cost.pure <= epsilon + 1e-9, "by losses: a loss of %.4Lf, charged %.4f", worst, cost.pure);
	ok(worst >= 0.8 * epsilon, "by losses: not much less than what is charged");
}

static void
test_first(const Counts *c, const char *name)
{
	long		count[MAX_COUNTS + 1] = {0};
	long double probability[MAX_COUNTS + 1];

	first_law(c, probability);
	for (int i = 0; i < DRAWS; i++)
		count[dp_noise_first_above(c->count, c->n, c->threshold, c->num, c->den)]++;
	ok(fits(c->n + 1, count, probability), "first above, %s", name);
}

/* What was found between a law and those with up to `move` added to each count. */
typedef struct Losses
{
	long double gain;			/* greatest ratio of a probability with them to that without */
	long double loss;			/* the other way round */
	long double range;			/* greatest ratio of two such ratios */
	long double rdp[DP_ORDERS]; /* greatest divergence, either way */
} Losses;

/* Renyi divergence of a law from another. */
static long double
law_divergence(long double order, int outcomes, const long double *p, const long double *q)
{
	long double moment = 0;

	for (int i = 0; i < outcomes; i++)
		moment += q[i] * powl(p[i] / q[i], order);
	return logl(moment) / (order - 1);
}

/* Enter what is found about one pair of neighbours. */
static void
compare_laws(int outcomes, const long double *without, const long double *with, Losses *losses)
{
	long double gain = with[0] / without[0];
	long double loss = 1 / gain;

	for (int i = 1; i < outcomes; i++)
	{
		gain = fmaxl(gain, with[i] / without[i]);
		loss = fmaxl(loss, without[i] / with[i]);
	}
	losses->gain = fmaxl(losses->gain, gain);
	losses->loss = fmaxl(losses->loss, loss);
	losses->range = fmaxl(losses->range, gain * loss);
	for (int j = 0; j < DP_ORDERS; j += 9)
		losses->rdp[j] = fmaxl(losses->rdp[j], fmaxl(law_divergence(dp_accounting_order[j], outcomes, with, without),
													 law_divergence(dp_accounting_order[j], outcomes, without, with)));
}

/* Compare a law of these counts with those with up to `move` added to each. */
static void
compare_neighbours(const Counts *c, int outcomes, int move, void (*law) (const Counts *, long double *),
				   Losses *losses)
{
	long double p[MAX_COUNTS + 1];
	long double q[MAX_COUNTS + 1];
	int			neighbours = (int) pow(move + 1, c->n);

	law(c, p);
	for (int code = 0; code < neighbours; code++)
	{
		Counts		with = *c;

		for (int i = 0, rest = code; i < c->n; i++, rest /= move + 1)
			with.count[i] += rest % (move + 1);
		law(&with, q);
		compare_laws(outcomes, p, q, losses);
	}
}

/* Over many counts: never above what is charged, and near it for some. */
static void
test_loss(const char *name, DpMechanism mechanism, void (*law) (const Counts *, long double *))
{
	const int	move = 2;
	const double epsilon = 1.5;
	bool		above = mechanism == DP_ABOVE_THRESHOLD;
	DpNoise		noise;
	DpCurve		cost = {.pure = 0};
	Counts		c = {.n = 3, .threshold = 3};
	bool		weighed = mechanism == DP_EXPONENTIAL;
	Losses		found = {.gain = 1, .loss = 1, .range = 1};
	long double worst;
	long double nearest = 0;
	int			beyond = 0;

	(void) dp_accounting_calibrate(&noise, mechanism, epsilon, 0, 1, 1, above ? 2 * move : move, weighed ? -1 : 0);
	dp_accounting_add_noise(&cost, &noise);
	c.shift = -noise.grid;
	c.num = noise.scale_num;
	c.den = noise.scale_den;
	for (int code = 0; code < 9 * 9 * 9; code++)
	{
		c.count[0] = code % 9 - 2;
		c.count[1] = code / 9 % 9 - 2;
		c.count[2] = code / 81 - 2;
		compare_neighbours(&c, above ? 4 : 3, move, law, &found);
	}
	for (int j = 0; j < DP_ORDERS; j++)
	{
		beyond += found.rdp[j] > cost.rdp[j] + SLACK;
		nearest = fmaxl(nearest, found.rdp[j] / cost.rdp[j]);
	}
	worst = fmaxl(found.gain, found.loss);
	ok(beyond == 0, "%s: the curve is above every divergence found, which reach %.2Lf of it", name, nearest);
	ok(!above || logl(found.gain) <= epsilon / 2 + SLACK, "%s: who comes adds %.4Lf to a loss, and takes %.4Lf", name,
	   logl(found.gain), logl(found.loss));
	if (weighed)
		ok(logl(found.range) <= cost.pure + SLACK && logl(found.range) >= 0.99L * epsilon && nearest > 0.95L,
		   "%s: losses are in a range of %.4Lf, which is charged", name, logl(found.range));
	ok(logl(worst) <= cost.pure + SLACK && cost.pure <= epsilon + 1e-9,
	   "%s: a loss of %.4Lf, charged %.4f", name, logl(worst), cost.pure);
	ok(logl(worst) >= 0.8 * epsilon, "%s: not much less than what is charged", name);
}

/* Noise on each side of the charge: what a curve must have at every order. */
static void
test_curve(DpMechanism mechanism, int draws)
{
	DpNoise		noise;
	DpCurve		cost = {.pure = 0};
	double		epsilon = 0.7;
	bool		right = true;

	(void) dp_accounting_calibrate(&noise, mechanism, epsilon, 0, draws, 1, 6, mechanism == DP_EXPONENTIAL ? -1 : 0);
	dp_accounting_add_noise(&cost, &noise);
	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		order = dp_accounting_order[i];
		double		rdp = mechanism == DP_PERMUTE_AND_FLIP ? draws * dp_accounting_rdp_pure(order, epsilon / draws)
			: mechanism == DP_EXPONENTIAL ? draws * dp_accounting_rdp_exponential(order, epsilon / draws)
			: fmax(dp_accounting_rdp_between(order, epsilon, epsilon / 2), dp_accounting_rdp_between(order, epsilon / 2, epsilon));

		right &= cost.rdp[i] <= rdp * (1 + 1e-9) && cost.rdp[i] >= rdp * (1 - 1e-9);
	}
	ok(right && fabs(cost.pure - epsilon) < 1e-9 && cost.delta == 0,
	   "the curve of mechanism %d with %d draws is that of its worst case", mechanism, draws);
}

/*
 * "None of these": with one candidate of the unit alone, at the greatest count
 * it can have, beside "none" and another at any distance, and twice: no more
 * than delta, and no outcome of the others loses more than that share.
 */
static void
test_none_score(DpMechanism mechanism, void (*law) (const Counts *, long double *), int draws, double delta)
{
	const int64_t sensitivity = 3;
	DpNoise		noise;
	bool		private = true;
	long double most = 0;

	(void) dp_accounting_calibrate(&noise, mechanism, 2, 0, draws, 1, sensitivity, mechanism == DP_EXPONENTIAL ? -1 : 0);
	for (int candidates = 1; candidates <= 3; candidates++)
	{
		int64_t		none = dp_accounting_none_score(&noise, candidates, delta) >> -noise.grid;

		for (int64_t other = none - 20; other < none + 20; other++)
		{
			Counts		c = {.n = 2 + candidates, .count = {other, none, sensitivity, sensitivity, sensitivity},
			.num = noise.scale_num, .den = noise.scale_den, .shift = -noise.grid};
			Counts		without = c;
			long double p[MAX_COUNTS];
			long double q[MAX_COUNTS];
			long double named = 0;

			without.n = 2;
			law(&c, p);
			law(&without, q);
			for (int i = 2; i < c.n; i++)
				named += p[i];
			private &= draws * named <= delta && p[0] >= (1 - delta / draws) * q[0] * (1 - SLACK) &&
				p[1] >= (1 - delta / draws) * q[1] * (1 - SLACK);
			most = fmaxl(most, draws * named);
		}
	}
	ok(private && most > delta * 0.3, "mechanism %d, private candidates in %d draws: %.2Le of delta %g", mechanism,
	   draws, most, delta);
}

int
main(void)
{
	const uint64_t scales[][2] = {{1, 1}, {7, 1}, {2, 7}, {1000, 3}, {UINT64_C(1) << 62, 1},
	{UINT64_C(1) << 62, UINT64_C(1) << 32}, {UINT64_C(10) << 32, UINT64_C(1) << 32}};

	const Wide	few[] = {3, 1, 4, 1, 5};
	const Wide	many[] = {UINT64_C(3) << 40, UINT64_C(2) << 40, UINT64_C(1) << 42, 0};
	const Wide	most[] = {(Wide) 3 << 80, ((Wide) 3 << 80) + (UINT64_C(1) << 61), (Wide) 1 << 93};

	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++)
		test_geometric(scales[i][0], scales[i][1]);
	test_flip(&(Counts) {.n = 5, .count = {3, 1, 4, 1, 5}, .num = 2, .den = 1}, "scale 2");
	test_flip(&(Counts) {.n = 5, .count = {3, 1, 4, 1, 5}, .num = 7, .den = 4, .taken = {0, 0, 0, 0, 1}}, "the greatest out");
	test_flip(&(Counts) {.n = 4, .count = {0, 0, 0, 0}, .num = 1, .den = 1}, "all alike");
	test_flip(&(Counts) {.n = 2, .count = {INT64_MIN, 0}, .num = 1, .den = 1, .taken = {0, 1}}, "one left");
	test_flip(&(Counts) {.n = 3, .count = {INT64_MIN, INT64_MAX, INT64_MAX - 1}, .num = 3, .den = 1}, "at the ends");
	test_flip(&(Counts) {.n = 3, .count = {0, INT64_C(1) << 61, INT64_C(1) << 62}, .num = UINT64_C(1) << 62, .den = 1}, "of the largest scale");
	test_first(&(Counts) {.n = 4, .count = {3, 5, 4, 9}, .num = 2, .den = 1, .threshold = 6}, "scale 2");
	test_first(&(Counts) {.n = 5, .count = {0, 0, 0, 0, 0}, .num = 5, .den = 2, .threshold = 0}, "all at the threshold");
	test_first(&(Counts) {.n = 1, .count = {-7}, .num = 3, .den = 1, .threshold = -3}, "one below");
	test_gumbel(&(Counts) {.n = 5, .count = {3, 1, 4, 1, 5}, .num = 2, .den = 1}, "scale 2");
	test_gumbel(&(Counts) {.n = 5, .count = {3, 1, 4, 1, 5}, .num = 7, .den = 2, .shift = 1, .taken = {0, 0, 0, 0, 1}}, "the greatest out, in halves");
	test_gumbel(&(Counts) {.n = 5, .count = {3, 1, 4, 1, 5}, .num = 7, .den = 4, .taken = {1, 0, 1, 0, 0}}, "others out");
	test_gumbel(&(Counts) {.n = 4, .count = {0, 0, 0, 0}, .num = 1, .den = 1}, "all alike");
	test_gumbel(&(Counts) {.n = 2, .count = {INT64_MIN, 0}, .num = 1, .den = 1, .taken = {0, 1}}, "one left");
	test_gumbel(&(Counts) {.n = 3, .count = {INT64_MIN, INT64_MAX, INT64_MAX - 1}, .num = 3, .den = 1, .shift = 1}, "at the ends");
	test_gumbel(&(Counts) {.n = 3, .count = {0, INT64_C(1) << 61, INT64_C(1) << 62}, .num = UINT64_C(1) << 62, .den = 1, .shift = 1}, "of the largest scale");
	test_gumbel_ranks();
	test_least(5, few, 0, 2, 1, "scale 2");
	test_least(5, few, 1, 7, 1, "in halves");
	ok(dp_noise_least(few, 1, 1, 1, 1) == 0, "by losses, of one");
	test_least(4, many, 1, UINT64_C(1) << 42, 1, "of many rows");
	test_least(3, most, 1, UINT64_C(1) << 62, 1, "of the largest scale");
	test_least_neighbours();
	test_loss("permute and flip", DP_PERMUTE_AND_FLIP, flip_law);
	test_loss("Gumbel noise", DP_EXPONENTIAL, gumbel_law);
	test_loss("above threshold", DP_ABOVE_THRESHOLD, first_law);
	test_curve(DP_PERMUTE_AND_FLIP, 1);
	test_curve(DP_PERMUTE_AND_FLIP, 10);
	test_curve(DP_EXPONENTIAL, 1);
	test_curve(DP_EXPONENTIAL, 10);
	test_curve(DP_ABOVE_THRESHOLD, 1);
	test_none_score(DP_PERMUTE_AND_FLIP, flip_law, 1, 1e-3);
	test_none_score(DP_PERMUTE_AND_FLIP, flip_law, 4, 1e-6);
	test_none_score(DP_PERMUTE_AND_FLIP, flip_law, 1, 0.3);
	test_none_score(DP_EXPONENTIAL, gumbel_law, 1, 1e-3);
	test_none_score(DP_EXPONENTIAL, gumbel_law, 4, 1e-6);
	test_none_score(DP_EXPONENTIAL, gumbel_law, 1, 0.3);
	return done_testing();
}
