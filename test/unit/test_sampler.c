/*
 * test_sampler.c
 *	  The samplers follow the exact distributions, over all admissible scales.
 *
 * Every test fails a correct sampler with probability below 1e-9 (fit.h).
 */
#include <math.h>

#include "fit.h"
#include "tap.h"

#include "noise/sampler.h"

#define DRAWS 1000000
#define STEPS 24				/* buckets on either side of zero */
#define SMALL_SIGMA 4096		/* up to here the Gaussian is summed term by term */

/* A distribution, symmetric about zero. */
typedef struct Law
{
	bool		gaussian;
	uint64_t	num;			/* sigma, for a Gaussian */
	uint64_t	den;
} Law;

static DpInt128
draw(const Law *law)
{
	return law->gaussian ? dp_noise_discrete_gaussian(law->num) :
		dp_noise_discrete_laplace(law->num, law->den);
}

static void
describe(const Law *law, char *name, size_t size)
{
	if (law->gaussian)
		snprintf(name, size, "discrete Gaussian, sigma %llu", (unsigned long long) law->num);
	else
		snprintf(name, size, "discrete Laplace, scale %llu/%llu",
				 (unsigned long long) law->num, (unsigned long long) law->den);
}

/* P[Z >= m], m >= 1: q^m / (1 + q), q = exp(-den/num). */
static long double
laplace_tail(const Law *law, long double m)
{
	long double rate = (long double) law->den / law->num;

	return expl(-m * rate) / (1 + expl(-rate));
}

/*
 * P[Z >= m], m >= 1.  For large sigma by the midpoint rule, whose error is
 * below 1/sigma^2 of the total and so invisible to 1e6 draws.
 */
static long double
gaussian_tail(const Law *law, long double m)
{
	long double sigma = law->num;
	long double tail = 0;
	long double total = 1;

	if (law->num > SMALL_SIGMA)
		return erfcl((m - 0.5L) / (sigma * sqrtl(2))) / 2;
	for (int z = ceill(16 * sigma); z >= 1; z--)
	{
		long double weight = expl(-(z / sigma) * (z / sigma) / 2);

		total += 2 * weight;
		if (z >= m)
			tail += weight;
	}
	return tail / total;
}

static long double
tail(const Law *law, DpInt128 m)
{
	return law->gaussian ? gaussian_tail(law, m) : laplace_tail(law, m);
}

/*
 * Bucket 0 holds zero; bucket i, and STEPS + i for negative values, magnitudes
 * from edge[i - 1] up to edge[i]; the last ones all that is larger.
 */
static void
make_edges(const Law *law, DpInt128 *edge)
{
	long double reach = law->gaussian ? 4 : 8;
	long double scale = (long double) law->num / law->den;

	edge[0] = 1;
	for (int i = 1; i < STEPS; i++)
	{
		edge[i] = (DpInt128) (scale * reach * i / STEPS);
		if (edge[i] <= edge[i - 1])
			edge[i] = edge[i - 1] + 1;
	}
}

static int
bucket_of(DpInt128 z, const DpInt128 *edge)
{
	DpInt128	magnitude = z < 0 ? -z : z;
	int			i = 0;

	while (i < STEPS && magnitude >= edge[i])
		i++;
	return z < 0 ? STEPS + i : i;
}

static void
bucket_probabilities(const Law *law, const DpInt128 *edge, long double *probability)
{
	probability[0] = 1 - 2 * tail(law, 1);
	if (!law->gaussian)
		probability[0] = tanhl((long double) law->den / law->num / 2);
	for (int i = 1; i <= STEPS; i++)
	{
		probability[i] = tail(law, edge[i - 1]);
		if (i < STEPS)
			probability[i] -= tail(law, edge[i]);
		probability[STEPS + i] = probability[i];
	}
}

/* Sign and magnitude. */
static void
test_distribution(const Law *law)
{
	long		count[2 * STEPS + 1] = {0};
	long double probability[2 * STEPS + 1];
	DpInt128	edge[STEPS];
	char		name[100];

	make_edges(law, edge);
	bucket_probabilities(law, edge, probability);
	for (int i = 0; i < DRAWS; i++)
		count[bucket_of(draw(law), edge)]++;
	describe(law, name, sizeof(name));
	ok(fits(2 * STEPS + 1, count, probability), "%s", name);
}

/*
 * Residues modulo a small number: uniform to 1e-12 once the scale is 2^20,
 * for then the characteristic function has vanished at 2 pi / modulus.
 */
static void
test_residues(const Law *law, int modulus)
{
	long		count[16] = {0};
	long double probability[16];
	char		name[100];

	for (int i = 0; i < modulus; i++)
		probability[i] = 1.0L / modulus;
	for (int i = 0; i < DRAWS; i++)
		count[(int) (draw(law) % modulus + modulus) % modulus]++;
	describe(law, name, sizeof(name));
	ok(fits(modulus, count, probability), "%s, modulo %d", name, modulus);
}

static const Law laws[] = {
	{false, 1, 1}, {false, 1, 2}, {false, 3, 2}, {false, 2, 7}, {false, 7, 1},
	{false, 10 * DP_NOISE_MAX_SCALE_DEN, DP_NOISE_MAX_SCALE_DEN},
	{false, DP_NOISE_MAX_SCALE_DEN, 429496729}, {false, 1000, 3}, {false, 12345, 1},
	{false, DP_NOISE_MAX_SCALE_NUM, DP_NOISE_MAX_SCALE_DEN},
	{true, 1, 1}, {true, 2, 1}, {true, 3, 1}, {true, 10, 1}, {true, 17, 1}, {true, 1000, 1},
	{true, 12345, 1}
};

static const Law huge_laws[] = {
	{false, (UINT64_C(1) << 32) + 15, 7}, {false, UINT64_C(1) << 42, 1},
	{false, UINT64_C(3) << 60, 3}, {false, UINT64_C(3) << 60, 1},
	{false, DP_NOISE_MAX_SCALE_NUM, 1},
	{true, (UINT64_C(1) << 32) + 15, 1}, {true, UINT64_C(1) << 42, 1},
	{true, UINT64_C(3) << 53, 1}, {true, DP_NOISE_MAX_SIGMA, 1}
};

static void
test_distributions(void)
{
	for (size_t i = 0; i < sizeof(laws) / sizeof(*laws); i++)
		test_distribution(&laws[i]);
	for (size_t i = 0; i < sizeof(huge_laws) / sizeof(*huge_laws); i++)
	{
		test_distribution(&huge_laws[i]);
		test_residues(&huge_laws[i], 16);
		test_residues(&huge_laws[i], 3);
	}
}

/* P[Z != 0] = 2 exp(-2^32) / (1 + exp(-2^32)): never. */
static void
test_vanishing_scale(void)
{
	bool		zero = true;

	for (int i = 0; i < 1000; i++)
		zero &= dp_noise_discrete_laplace(1, DP_NOISE_MAX_SCALE_DEN) == 0;
	ok(zero, "discrete Laplace, scale 1/2^32, is zero");
}

int
main(void)
{
	test_distributions();
	test_vanishing_scale();
	return done_testing();
}
