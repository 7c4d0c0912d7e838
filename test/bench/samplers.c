/*
 * samplers.c
 *	  Speed of the noise: draws per second of processor time, and how many raw
 *	  CSPRNG words one could have had instead.
 */
#include <stdio.h>
#include <time.h>

#include "noise/random.h"
#include "noise/sampler.h"

#define DRAWS 500000
#define ROUNDS 5

/* Keeps the compiler from dropping draws. */
static volatile uint64_t sink;

static double raw_seconds;

static double
processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

/* The best of some rounds of an expression, in seconds for each draw. */
#define MEASURE(seconds, expression) \
	do { \
		seconds = 1; \
		for (int round = 0; round < ROUNDS; round++) \
		{ \
			double		start = processor_seconds(); \
			double		each; \
			for (int i = 0; i < DRAWS; i++) \
				sink = (uint64_t) (expression); \
			each = (processor_seconds() - start) / DRAWS; \
			if (each < seconds) \
				seconds = each; \
		} \
	} while (0)

static void
report(const char *what, double seconds)
{
	printf("%-44s %8.2f M/s %7.1f ns %6.1f words\n",
		   what, 1e-6 / seconds, seconds * 1e9, seconds / raw_seconds);
}

static void
bench_laplace(const char *what, uint64_t num, uint64_t den)
{
	double		seconds;

	MEASURE(seconds, dp_noise_discrete_laplace(num, den));
	report(what, seconds);
}

static void
bench_gaussian(const char *what, uint64_t sigma)
{
	double		seconds;

	MEASURE(seconds, dp_noise_discrete_gaussian(sigma));
	report(what, seconds);
}

int
main(void)
{
	MEASURE(raw_seconds, dp_noise_random64());
	report("raw words of the CSPRNG", raw_seconds);
	bench_laplace("discrete Laplace, scale 1", 1, 1);
	bench_laplace("discrete Laplace, scale 10", 10, 1);
	bench_laplace("discrete Laplace, scale 10 * 2^32 / 2^32",
				  10 * DP_NOISE_MAX_SCALE_DEN, DP_NOISE_MAX_SCALE_DEN);
	bench_laplace("discrete Laplace, scale 2^32 / 429496729", DP_NOISE_MAX_SCALE_DEN, 429496729);
	bench_laplace("discrete Laplace, scale 1000", 1000, 1);
	bench_laplace("discrete Laplace, scale 2^42", UINT64_C(1) << 42, 1);
	bench_laplace("discrete Laplace, scale (10^6 2^42 + 1) / 10^6",
				  1000000 * (UINT64_C(1) << 42) + 1, 1000000);
	bench_laplace("discrete Laplace, scale 2^62", DP_NOISE_MAX_SCALE_NUM, 1);
	bench_gaussian("discrete Gaussian, sigma 1", 1);
	bench_gaussian("discrete Gaussian, sigma 10", 10);
	bench_gaussian("discrete Gaussian, sigma 1000", 1000);
	bench_gaussian("discrete Gaussian, sigma 2^42 + 1", (UINT64_C(1) << 42) + 1);
	bench_gaussian("discrete Gaussian, sigma 2^55", DP_NOISE_MAX_SIGMA);
	return 0;
}
