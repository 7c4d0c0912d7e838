/*
 * test_shared_noise.c
 *	  Noise that totals of a row share, or of all groups: what it costs, how large it is, and how far neighbours are apart
 *	  by the exact law of what is released.
 */
#include <stdlib.h>
#include <string.h>

#include "accounting.h"

#include "accounting/shared_noise.h"
#include "noise/shared.h"

#define MOST 64

/* Relative errors of a few operations on long doubles. */
#define OUTWARD 0x1p-56L

/* Totals whose sigma is `ratio` times their sensitivities, which differ. */
static void
make_totals(DpNoise *noise, DpNoise **pointer, int count, long double ratio, int groups)
{
	for (int i = 0; i < count; i++)
	{
		uint64_t	sensitivity = (UINT64_C(1) << 30) + (uint64_t) i * 12345677;

		noise[i] = (DpNoise) {.mechanism = DP_GAUSSIAN, .groups = groups, .grid = i - 30, .direction = i % 3 == 1 ? -1 : 1,
			.sensitivity = sensitivity, .sigma = (uint64_t) ceill(ratio * sensitivity)};
		pointer[i] = &noise[i];
	}
}

/* What it costs: the square of what a unit moves over that of sigma. */
static long double
load(uint64_t sensitivity, uint64_t sigma)
{
	long double ratio = (long double) sensitivity / sigma;

	return ratio * ratio;
}

/* Sharing costs no more than before, and each total has the noise that was promised. */
static void
test_scales(void)
{
	int			dearer = 0;
	int			cheaper = 0;
	int			small = 0;
	int			large = 0;
	int			not_all = 0;

	for (int count = 2; count <= MOST; count++)
		for (long double ratio = 0.05L; ratio < 1e5L; ratio *= 7)
		{
			DpNoise		noise[MOST];
			DpNoise		before[MOST];
			DpNoise    *pointer[MOST];
			DpNoise		shared;
			long double old = 0;
			long double new = 0;
			long double root = sqrtl(count);

			make_totals(noise, pointer, count, ratio, 3);
			memcpy(before, noise, sizeof(noise));
			not_all += dp_accounting_share_noise(pointer, count, 0, &shared) != count;
			new += load(shared.sensitivity, shared.sigma);
			for (int i = 0; i < count; i++)
			{
				long double part = (long double) shared.sigma / shared.sensitivity * noise[i].sensitivity;
				long double all = ((long double) noise[i].own * noise[i].own + part * part) / 4;
				long double drawn = (long double) noise[i].sigma * noise[i].sigma;
				long double promised = (root + 1) * (root + 1) / 4 / count * before[i].sigma * before[i].sigma;

				old += load(before[i].sensitivity, before[i].sigma);
				new += load(noise[i].sensitivity, noise[i].own);
				small += drawn * (1 + OUTWARD) < all;
				large += drawn > promised * (1 + 1e-6L);
				small += drawn < promised * (1 - 1e-6L);
			}
			dearer += new * (1 - OUTWARD) > old;
			cheaper += new < old * (1 - 1e-6L);
		}
	ok(not_all == 0, "all that are alike share (%d times not)", not_all);
	ok(dearer == 0, "together they cost no more than before (%d do)", dearer);
	ok(cheaper == 0, "and no less (%d do)", cheaper);
	ok(small == 0, "sigma is at least that of both parts (%d are not)", small);
	ok(large == 0, "which is (sqrt(d) + 1) / 2 times that of one at the same charge (%d are not)", large);
}

/* A cost is that of the own part, whatever sigma says. */
static void
test_charge(void)
{
	DpNoise		own = {.mechanism = DP_GAUSSIAN, .groups = 2, .sensitivity = 100, .sigma = 1 << 22};
	DpNoise		noise = {.mechanism = DP_GAUSSIAN, .groups = 2, .sensitivity = 100, .sigma = UINT64_C(1) << 50, .own = 1 << 22,
	.own_bits = 1, .part = 1, .direction = 1};
	DpCurve		one = {.pure = 0};
	DpCurve		other = {.pure = 0};
	int			differ = 0;

	dp_accounting_add_noise(&one, &noise);
	dp_accounting_add_noise(&other, &own);
	for (int i = 0; i < DP_ORDERS; i++)
		differ += one.rdp[i] != other.rdp[i];
	ok(differ == 0 && one.variance == other.variance && one.coarseness == other.coarseness,
	   "shared noise is charged by what a total has for itself");
	ok(dp_accounting_rescale(&noise, 2) != NULL, "and is not rescaled");
}

/* The parts' standard deviations make up that of the whole. */
static void
test_parts(void)
{
	DpNoise		noise[3];
	DpNoise    *pointer[3];
	DpNoise		shared;
	int			wrong = 0;

	make_totals(noise, pointer, 3, 12.5L, 1);
	(void) dp_accounting_share_noise(pointer, 3, 0, &shared);
	for (int i = 0; i < 3; i++)
	{
		double		own = dp_accounting_own_stddev(&noise[i]);
		double		part = dp_accounting_shared_stddev(&noise[i]);
		double		drawn = ldexp((double) shared.sigma / (double) shared.sensitivity * (double) noise[i].sensitivity / 2, noise[i].grid);

		wrong += own < ldexp((double) noise[i].own / 2, noise[i].grid) || fabs(part) < drawn * (1 - 1e-15);
		wrong += fabs(hypot(own, part) / dp_accounting_stddev(&noise[i]) - 1) > 1e-9 || fabs(fabs(part) / drawn - 1) > 1e-9;
		wrong += (part > 0) != (i != 1);
	}
	ok(wrong == 0, "the own and the shared standard deviation are those that are drawn (%d are not)", wrong);
}

static bool
is_sane(DpNoise noise)
{
	return dp_accounting_is_shared_sanely(&noise);
}

/* Which totals share. */
static void
test_choice(void)
{
	DpNoise		noise[5];
	DpNoise    *pointer[5];
	DpNoise		shared;
	DpNoise		before;

	make_totals(noise, pointer, 5, 10, 1);
	ok(dp_accounting_share_noise(pointer, 1, 0, &shared) == 0 && noise[0].own == 0 && shared.sigma == 0, "one does not share");
	noise[1].direction = 0;
	noise[2].sigma = (uint64_t) (noise[2].sigma * 1.001);
	noise[4].mechanism = DP_LAPLACE;
	before = noise[2];
	ok(dp_accounting_share_noise(pointer, 5, 0, &shared) == 2 && noise[0].own > 0 && noise[3].own > 0,
	   "those share whose noise is alike");
	ok(noise[1].own == 0 && noise[2].own == 0 && noise[4].own == 0 && memcmp(&before, &noise[2], sizeof(before)) == 0,
	   "what moves either way, has another price or Laplace noise does not, and is left as it is");
	ok(dp_accounting_share_noise(pointer, 5, 0, &shared) == 0, "and nothing shares twice");
	make_totals(noise, pointer, 2, 10, 1);
	noise[1].groups = 2;
	ok(dp_accounting_share_noise(pointer, 2, 0, &shared) == 0, "nor do totals of other numbers of groups");
	make_totals(noise, pointer, 2, 0x1.ap24L, 1);
	ok(dp_accounting_share_noise(pointer, 2, 0, &shared) == 0 && noise[0].own == 0 && noise[1].own == 0 && shared.sigma == 0,
	   "where noise cannot be drawn, all is as it was");
	ok(is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 20, .direction = -1, .own_bits = 1, .part = 1}) &&
	   is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 640, .direction = 1, .own_bits = 6, .part = 32, .across = true}) &&
	   !is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 21, .direction = 1, .own_bits = 1, .part = 1}) &&
	   !is_sane((DpNoise) {.mechanism = DP_LAPLACE, .sigma = 10, .own = 2, .direction = 1, .own_bits = 1, .part = 1}) &&
	   !is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 2, .direction = 2, .own_bits = 1, .part = 1}) &&
	   !is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 2, .own_bits = 1, .part = 1}) &&
	   !is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 2, .direction = 1, .part = 1}) &&
	   !is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 2, .direction = 1, .own_bits = 1}) &&
	   !is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 2, .direction = 1, .own_bits = 1, .part = 2}) &&
	   !is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .own = 2, .direction = 1, .own_bits = 1, .part = 1, .others = 1}) &&
	   !is_sane((DpNoise) {.mechanism = DP_GAUSSIAN, .sigma = 10, .direction = 1, .across = true}),
	   "parts that are more than the whole, or none, are known as such");
}

/* Noise of all groups: by many numbers of totals, of groups, and of those that a unit is in. */
static void
test_across(void)
{
	static const int answered[] = {1, 2, 3, 5, 10, 20, 64, 365, 10000};
	int			dearer = 0;
	int			cheaper = 0;
	int			wrong = 0;
	int			worse = 0;
	int			all = 0;

	for (int count = 1; count <= 5; count++)
		for (int i = 0; i < (int) (sizeof(answered) / sizeof(answered[0])); i++)
			for (int groups = 1; groups <= answered[i]; groups += 1 + groups / 3)
			{
				DpNoise		noise[5];
				DpNoise		before[5];
				DpNoise    *pointer[5];
				DpNoise		shared;
				long double old = 0;
				long double new;

				make_totals(noise, pointer, count, 25.5L, groups);
				memcpy(before, noise, sizeof(noise));
				if (dp_accounting_share_noise(pointer, count, answered[i], &shared) == 0 || !shared.across)
				{
					wrong += noise[0].across;
					continue;
				}
				all++;
				new = load(shared.sensitivity, shared.sigma);
				wrong += shared.groups != 1;
				for (int j = 0; j < count; j++)
				{
					long double q = 1 << noise[j].own_bits;
					long double part = (long double) shared.sigma / shared.sensitivity * noise[j].sensitivity * noise[j].part;
					long double drawn = sqrtl((long double) noise[j].own * noise[j].own + part * part) / q;

					old += groups * load(before[j].sensitivity, before[j].sigma);
					new += groups * load(noise[j].sensitivity * ((uint64_t) q - noise[j].part), noise[j].own);
					new += (answered[i] - groups) * load(noise[j].sensitivity * noise[j].part, noise[j].own);
					wrong += noise[j].sigma < drawn * (1 - OUTWARD) || noise[j].sigma > drawn * (1 + 1e-6L) + 2;
					wrong += !noise[j].across || noise[j].others != answered[i] - groups || !is_sane(noise[j]);
					worse += noise[j].sigma > 0.86L * before[j].sigma * (count > 1 ? (1 + 1 / sqrtl(count)) / 2 : 1) * (1 + 1e-6L);
				}
				dearer += new * (1 - OUTWARD) > old;
				cheaper += new < old * (1 - 1e-6L);
			}
	ok(all > 60 && wrong == 0, "noise is shared by all groups, of the size that is said (%d of %d are not)", wrong, all);
	ok(dearer == 0 && cheaper == 0, "that costs no more than before, and no less (%d, %d do)", dearer, cheaper);
	ok(worse == 0, "and is done where it leaves 0.86 of the noise, or less (%d are more)", worse);
}

/* What it leaves of noise: as is promised in doc/accuracy.md. */
static void
test_promised(void)
{
	static const struct
	{
		int			groups;
		int			answered;
		double		left;
	}			promised[] = {{2, 2, 0.854}, {4, 4, 0.750}, {12, 12, 0.644}, {365, 365, 0.526}, {6, 12, 1}, {7, 12, 0.839}, {9, 12, 0.744}, {10, 20, 0.847}, {15, 20, 0.706}};
	int			wrong = 0;

	for (int i = 0; i < (int) (sizeof(promised) / sizeof(promised[0])); i++)
	{
		DpNoise		noise[1];
		DpNoise    *pointer[1];
		DpNoise		shared;
		long double before;

		make_totals(noise, pointer, 1, 25.5L, promised[i].groups);
		before = noise[0].sigma;
		(void) dp_accounting_share_noise(pointer, 1, promised[i].answered, &shared);
		printf("# in %d of %d groups: %.4Lf, %d/64\n", promised[i].groups, promised[i].answered, noise[0].sigma / before, noise[0].part);
		wrong += fabs((double) (noise[0].sigma / before) - promised[i].left) > 0.0006;
	}
	ok(wrong == 0, "it leaves as much as is promised (%d do not)", wrong);
}

/*
 * Two totals, of which a unit moves the one by 0 to 2 and the other by 0 to 3 down, with noise so small that the
 * law of what is released is added up whole.
 */
#define REACH 80
#define BITS 2
#define VALUES (4 * REACH + 1)

static const int most[2] = {2, -3};
static const uint64_t own[2] = {4, 6};
static const uint64_t sigma = 7;

static double law[VALUES][VALUES];

static double
density(int z, uint64_t scale)
{
	return exp(-(double) z * z / 2 / (double) (scale * scale));
}

static double
whole(uint64_t scale)
{
	double		sum = 0;

	for (int z = -REACH; z <= REACH; z++)
		sum += density(z, scale);
	return sum;
}

/* The exact law of the noise of both. */
static void
add_up_law(void)
{
	double		all = whole(own[0]) * whole(own[1]) * whole(sigma);

	for (int w = -REACH; w <= REACH; w++)
		for (int x = -REACH; x <= REACH; x++)
			for (int y = -REACH; y <= REACH; y++)
				law[2 * REACH + (int) dp_noise_beside_shared(x, w, most[0], BITS, 1)]
					[2 * REACH + (int) dp_noise_beside_shared(y, w, most[1], BITS, 1)] +=
					density(w, sigma) * density(x, own[0]) * density(y, own[1]) / all;
}

/* The Renyi divergence of what is released from that of a neighbour whose totals are so much more. */
static double
divergence(double alpha, int x, int y)
{
	double		sum = 0;

	for (int i = 0; i < VALUES; i++)
		for (int j = 0; j < VALUES; j++)
			if (law[i][j] > 1e-200 && i + x >= 0 && i + x < VALUES && j + y >= 0 && j + y < VALUES && law[i + x][j + y] > 1e-200)
				sum += exp(alpha * log(law[i][j]) - (alpha - 1) * log(law[i + x][j + y]));
	return log(sum) / (alpha - 1);
}

/* No neighbour is farther away than is charged; one that is charged for less is. */
static void
test_neighbours(void)
{
	static const double orders[] = {1.1, 2, 4, 8};
	int			beyond = 0;
	double		tightest = 0;
	double		outside = 0;

	add_up_law();
	for (int i = 0; i < (int) (sizeof(orders) / sizeof(orders[0])); i++)
	{
		double		alpha = orders[i];
		double		charge = dp_accounting_rdp_discrete_gaussian(alpha, own[0], 2) +
			dp_accounting_rdp_discrete_gaussian(alpha, own[1], 3) + dp_accounting_rdp_discrete_gaussian(alpha, sigma, 1 << BITS);

		for (int x = 0; x <= 2; x++)
			for (int y = 0; y <= 3; y++)
			{
				beyond += divergence(alpha, x, -y) > charge * (1 + 1e-9) || divergence(alpha, -x, y) > charge * (1 + 1e-9);
				tightest = fmax(tightest, divergence(alpha, x, -y) / charge);
			}
		outside = fmax(outside, divergence(alpha, 2, 3) / charge);
	}
	ok(beyond == 0, "no neighbour is farther away than is charged (%d are)", beyond);
	ok(tightest > 0.9, "and some are %.0f %% as far", 100 * tightest);
	ok(outside > 1.2, "a unit that moved totals against their directions would be farther (%.2f times)", outside);
}

/* Noise commutes with what it is added to, whatever is rounded. */
static void
test_commutes(void)
{
	int			wrong = 0;

	for (int i = 0; i < 200000; i++)
	{
		DpInt128	z = rand() % 4001 - 2000;
		DpInt128	w = rand() % 4001 - 2000;
		DpInt128	b = rand() % 201 - 100;
		DpInt128	x = rand() % 2001 - 1000;
		DpInt128	n = rand() % 2001 - 1000;
		int			bits = 1 + rand() % 12;

		int			own_bits = 1 + rand() % 6;

		wrong += dp_noise_beside_shared(x * (1 << own_bits) - b * n + z, w + n * (1 << bits), b, bits, own_bits) !=
			x + dp_noise_beside_shared(z, w, b, bits, own_bits);
	}
	ok(wrong == 0, "what is released follows from d + 1 noisy totals (%d do not)", wrong);
}

/*
 * What is drawn is what is charged: noise of a total that a unit moves by x, of -b to b, and of W, which it moves by
 * its sensitivity, is that of neighbours whose own draws are moved by what `charged` says at most, exactly.
 */
static int
count_uncharged(const DpNoise *noise, const DpNoise *shared)
{
	DpNoise		charged[2];
	int			parts = dp_accounting_charged(noise, charged);
	__int128	b = noise->direction * (__int128) noise->sensitivity;
	__int128	q = (__int128) 1 << noise->own_bits;
	__int128	elsewhere = dp_accounting_shared_multiple(noise) * noise->direction;
	int			wrong = charged[0].sensitivity != q * noise->sensitivity - elsewhere;

	wrong += parts != (noise->others > 0 ? 2 : 1) || charged[0].sigma != noise->own;
	wrong += parts == 2 && (charged[1].sensitivity != elsewhere || charged[1].sigma != noise->own);
	wrong += shared->sensitivity != UINT64_C(1) << -shared->grid;
	for (int i = 0; i < 50; i++)
	{
		__int128	z = rand() % 200001 - 100000;
		__int128	w = rand() % 200001 - 100000;
		__int128	n = rand() % 3 - 1;
		__int128	x = n == 0 ? 0 : i % 2 ? b * n : b / 3 * n;
		__int128	still = dp_noise_beside_shared(z, w, dp_accounting_shared_multiple(noise), -shared->grid, noise->own_bits);

		wrong += dp_noise_beside_shared(z + q * x - noise->direction * elsewhere * n, w + (__int128) shared->sensitivity * n,
										dp_accounting_shared_multiple(noise), -shared->grid, noise->own_bits) != x + still;
	}
	return wrong;
}

static void
test_drawn_as_charged(void)
{
	static const int answered[] = {0, 2, 12, 365};
	int			wrong = 0;
	int			seen = 0;

	for (int count = 1; count <= 4; count++)
		for (int i = 0; i < 4; i++)
			for (int groups = answered[i] / 4 * 3 + 1; groups <= answered[i] + 1; groups += 1 + groups / 8)
			{
				DpNoise		noise[4];
				DpNoise    *pointer[4];
				DpNoise		shared;

				make_totals(noise, pointer, count, 25.5L, groups);
				if (dp_accounting_share_noise(pointer, count, answered[i], &shared) == 0 && !shared.across)
					continue;
				for (int j = 0; j < count; j++, seen++)
					wrong += count_uncharged(&noise[j], &shared);
			}
	ok(seen > 40 && wrong == 0, "of %d noises what is drawn is what is charged (%d are not)", seen, wrong);
}

/*
 * Three groups, in two of which a unit counts: it moves each of these by 0 or 1.  What stands for it in what they share is
 * 3/8 of that.
 */
#define GROUPS 3
#define SIDE 24
#define PLACES (2 * SIDE + 1)
#define GROUP_SIGMA 8

static const DpNoise of_groups = {.mechanism = DP_GAUSSIAN, .groups = 2, .sensitivity = 1, .sigma = 2, .own = 9, .own_bits = 3,
.part = 3, .across = true, .others = 1, .direction = 1};
static const DpNoise all_share = {.mechanism = DP_GAUSSIAN, .groups = 1, .sensitivity = 1 << BITS, .sigma = GROUP_SIGMA};

static double of_three[PLACES][PLACES][PLACES];

/* The law of one group's noise, given what all share. */
static void
law_of_group(double *one, int w)
{
	double		all = 0;

	memset(one, 0, PLACES * sizeof(double));
	for (int z = -2 * REACH; z <= 2 * REACH; z++)
		all += density(z, of_groups.own);
	for (int z = -2 * REACH; z <= 2 * REACH; z++)
	{
		int			y = SIDE + (int) dp_noise_beside_shared(z, w, of_groups.part, BITS, of_groups.own_bits);

		if (y >= 0 && y < PLACES)
			one[y] += density(z, of_groups.own) / all;
	}
}

static void
add_up_groups(void)
{
	double		all = whole(GROUP_SIGMA);
	double		one[PLACES];

	for (int w = -REACH; w <= REACH; w++)
	{
		law_of_group(one, w);
		for (int x = 0; x < PLACES; x++)
			for (int y = 0; y < PLACES; y++)
				for (int z = 0; z < PLACES; z++)
					of_three[x][y][z] += density(w, GROUP_SIGMA) / all * one[x] * one[y] * one[z];
	}
}

/* The Renyi divergence of what is released from that of a neighbour whose totals are so much more. */
static double
divergence_of_groups(double alpha, const int *more)
{
	double		sum = 0;

	for (int x = 0; x < PLACES; x++)
		for (int y = 0; y < PLACES; y++)
			for (int z = 0; z < PLACES; z++)
			{
				int			i = x + more[0];
				int			j = y + more[1];
				int			k = z + more[2];

				if (i < 0 || i >= PLACES || j < 0 || j >= PLACES || k < 0 || k >= PLACES || of_three[i][j][k] < 1e-200 || of_three[x][y][z] < 1e-200)
					continue;
				sum += exp(alpha * log(of_three[x][y][z]) - (alpha - 1) * log(of_three[i][j][k]));
			}
	return log(sum) / (alpha - 1);
}

/* No neighbour that counts in two of three groups is farther away than is charged; one in all three is, and one that goes both ways. */
static void
test_groups(void)
{
	DpCurve		charge = {.pure = 0};
	int			beyond = 0;
	int			orders = 0;
	double		tightest = 0;
	double		outside[2] = {0, 0};

	dp_accounting_add_noise(&charge, &of_groups);
	dp_accounting_add_noise(&charge, &all_share);
	add_up_groups();
	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		alpha = dp_accounting_order[i];

		if (alpha > 3 || i % 4 != 0)
			continue;
		orders++;
		for (int mask = 1; mask < 1 << GROUPS; mask++)
		{
			int			comes[GROUPS] = {mask & 1, mask >> 1 & 1, mask >> 2};
			int			goes[GROUPS] = {-comes[0], -comes[1], -comes[2]};
			double		farther = fmax(divergence_of_groups(alpha, comes), divergence_of_groups(alpha, goes)) / charge.rdp[i];

			if (mask == 7)
				outside[0] = fmax(outside[0], farther);
			else
			{
				beyond += farther > 1 + 1e-9;
				tightest = fmax(tightest, farther);
			}
		}
		outside[1] = fmax(outside[1], divergence_of_groups(alpha, (const int[]) {1, -1, 0}) / charge.rdp[i]);
	}
	ok(orders > 2 && beyond == 0, "no neighbour in two of three groups is farther away than is charged (%d are)", beyond);
	ok(tightest > 0.93, "and some are %.0f %% as far", 100 * tightest);
	ok(outside[0] > 1 && outside[1] > 1, "one in all three (%.3f times), or that moves two against each other (%.3f), would be", outside[0], outside[1]);
}

int
main(void)
{
	test_scales();
	test_charge();
	test_parts();
	test_choice();
	test_across();
	test_promised();
	test_commutes();
	test_drawn_as_charged();
	test_neighbours();
	test_groups();
	return done_testing();
}
