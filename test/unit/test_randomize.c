/*
 * test_randomize.c
 *	  Randomised response tells each value with its exact probability, for all
 *	  numbers of values and all sizes of epsilon.
 *
 * Every test fails a correct sampler with probability below 1e-9 (fit.h).
 */
#include <math.h>

#include "fit.h"
#include "tap.h"

#include "noise/randomize.h"

#define DRAWS 1000000
#define BUCKETS 20

/* The truth by itself, the other values by their residue. */
static void
test_law(uint32_t k, uint64_t whole, uint64_t part)
{
	int			others = k - 1 < BUCKETS - 1 ? k - 1 : BUCKETS - 1;
	long		count[BUCKETS] = {0};
	long double probability[BUCKETS];
	long double lie = expl(-(whole + (long double) part / DP_NOISE_EPSILON_UNIT));
	long double total = 1 + (k - 1) * lie;

	probability[0] = 1 / total;
	for (int i = 0; i < others; i++)
		probability[1 + i] = ((k - 1) / others + (i < (int) (k - 1) % others)) * lie / total;
	for (int i = 0; i < DRAWS; i++)
	{
		uint32_t	choice = dp_noise_randomized_response(k, whole, part);

		count[choice == 0 ? 0 : 1 + (choice - 1) % others]++;
	}
	ok(fits(1 + others, count, probability), "%u values, epsilon %llu + %llu / 2^62",
	   k, (unsigned long long) whole, (unsigned long long) part);
}

/* Does every value come, and none beyond? */
static void
test_range(uint32_t k)
{
	bool		seen[DP_NOISE_MAX_CHOICES] = {false};
	uint32_t	kinds = 0;

	for (int i = 0; i < DRAWS; i++)
	{
		uint32_t	choice = dp_noise_randomized_response(k, 0, 1);

		if (choice >= k)
			break;
		kinds += !seen[choice];
		seen[choice] = true;
	}
	/* one of 10,000 is missed with probability (1 - 1/10,000)^1,000,000 */
	ok(kinds == k, "all of %u values, and no others", k);
}

int
main(void)
{
	const uint32_t counts[] = {2, 3, 17, 100};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
	{
		test_law(counts[i], 0, 0);
		test_law(counts[i], 0, DP_NOISE_EPSILON_UNIT / 10);
		test_law(counts[i], 0, DP_NOISE_EPSILON_UNIT - 1);
		test_law(counts[i], 1, 0);
		test_law(counts[i], 2, DP_NOISE_EPSILON_UNIT / 3);
		test_law(counts[i], 6, DP_NOISE_EPSILON_UNIT / 2);
	}
	test_range(DP_NOISE_MAX_CHOICES);
	return done_testing();
}
