/*
 * test_sampler_script.c
 *	  The samplers' arithmetic, word by word: extreme magnitudes, acceptance,
 *	  the sign of zero, and what happens when words run out.
 */
#include "sampler_script.h"
#include "tap.h"

/* A Laplace draw of scale num/den from u and v, accepted at once. */
static bool
laplace_gives(uint64_t num, uint64_t den, uint64_t u, int v, bool negative, DpInt128 value)
{
	add_fraction(u, num, negative);
	add(TAILS);
	add_whole_part(v);
	return gives(num, den, value);
}

/* A Gaussian draw from u and v, accepted at once. */
static bool
gaussian_gives(uint64_t sigma, uint64_t u, int v, bool negative, DpInt128 value)
{
	add_whole_part(v);
	add_times(v * (v - 1) / 2, HEADS);
	add_fraction(u, sigma, negative);
	add_times(1 + v, TAILS);
	return gives(sigma, GAUSSIAN, value);
}

static void
test_magnitudes(void)
{
	uint64_t	num = DP_NOISE_MAX_SCALE_NUM;
	uint64_t	den = DP_NOISE_MAX_SCALE_DEN;
	uint64_t	sigma = DP_NOISE_MAX_SIGMA;
	DpInt128	x = (DpInt128) num * 401 - 1;

	ok(laplace_gives(1, 1, 0, 0, false, 0), "zero is accepted");
	ok(laplace_gives(10, 1, 3, 2, false, 23) && laplace_gives(10, 1, 3, 2, true, -23),
	   "Laplace: u + num v, either sign");
	ok(laplace_gives(10, 4, 3, 2, false, 5) && laplace_gives(10, 4, 3, 2, true, -5),
	   "Laplace: magnitudes are divided by den, rounding towards zero");
	ok(laplace_gives(num, 1, num - 1, 400, false, x) && laplace_gives(num, 1, num - 1, 400, true, -x),
	   "Laplace: magnitudes beyond 64 bits");
	ok(laplace_gives(num, den - 1, num - 1, 400, true, -(x / (den - 1))) &&
	   laplace_gives(num, den, num - 1, 3, false, 4 * ((DpInt128) 1 << 30) - 1),
	   "Laplace: division of short and long magnitudes");
	ok(gaussian_gives(10, 3, 2, false, 23) && gaussian_gives(10, 3, 2, true, -23),
	   "Gaussian: u + sigma v, either sign");
	x = (DpInt128) sigma * 601 - 1;
	ok(gaussian_gives(sigma, sigma - 1, 600, false, x) &&
	   gaussian_gives(sigma, sigma - 1, 600, true, -x),
	   "Gaussian: magnitudes beyond 64 bits");
}

static void
test_minus_zero(void)
{
	add_fraction(0, 7, true);
	add(TAILS);
	add_whole_part(0);
	ok(laplace_gives(7, 1, 5, 1, true, -12), "Laplace: minus zero is drawn again");
	add_fraction(6, 7, true);
	add(TAILS);
	add_whole_part(0);
	ok(laplace_gives(7, 7, 0, 2, false, 2), "Laplace: so is what den makes minus zero");
	add_whole_part(0);
	add_fraction(0, 7, true);
	add(TAILS);
	ok(gaussian_gives(7, 5, 1, true, -12), "Gaussian: minus zero is drawn again");
}

/* After this many successes, is the fraction of a Laplace draw accepted? */
static bool
laplace_accepts(uint64_t num, uint64_t u, int words_of_heads)
{
	add_fraction(u, num, false);
	add_times(words_of_heads, HEADS);
	add(TAILS);
	add_whole_part(0);
	return gives(num, 1, u);
}

static bool
gaussian_accepts(uint64_t sigma, uint64_t u, int v, int half_square_heads, int linear_heads)
{
	add_whole_part(v);
	add_times(v * (v - 1) / 2, HEADS);
	add_fraction(u, sigma, false);
	add_times(half_square_heads, HEADS);
	add(TAILS);
	for (int i = 1; i < v; i++)
		add(TAILS);
	if (v > 0)
	{
		add_times(linear_heads, HEADS);
		add(TAILS);
	}
	return gives(sigma, GAUSSIAN, u + (DpInt128) sigma * v);
}

static void
test_acceptance(void)
{
	uint64_t	num = DP_NOISE_MAX_SCALE_NUM - 1;
	uint64_t	u = num / 1000;

	ok(laplace_accepts(1000, 137, 0) && !laplace_accepts(1000, 137, 1) &&
	   laplace_accepts(1000, 137, 2) && !laplace_accepts(1000, 137, 3),
	   "Laplace: an even number of successes accepts");
	/* From k = 5 on num k exceeds 64 bits and a success takes two words. */
	ok(!laplace_accepts(num, u, 3) && laplace_accepts(num, u, 4) &&
	   laplace_accepts(num, u, 4 + 1) && !laplace_accepts(num, u, 4 + 2) &&
	   laplace_accepts(num, u, 4 + 2 + 2),
	   "Laplace: also where coins are thrown in two parts");
	ok(gaussian_accepts(1000, 137, 0, 0, 0) && gaussian_accepts(1000, 137, 0, 1, 0) &&
	   !gaussian_accepts(1000, 137, 0, 2, 0) && !gaussian_accepts(1000, 137, 0, 3, 0) &&
	   gaussian_accepts(1000, 137, 0, 4, 0),
	   "Gaussian: an even number of successful pairs accepts");
	ok(gaussian_accepts(1000, 137, 3, 0, 0) && !gaussian_accepts(1000, 137, 3, 0, 1) &&
	   gaussian_accepts(1000, 137, 3, 0, 2),
	   "Gaussian: each of the v coins must accept");
}

/* 2^64 is 4 modulo 6: words 0, 2^64/6, ... are one too many for six results. */
static void
test_rejected_words(void)
{
	add(0);
	ok(laplace_gives(3, 1, 2, 1, true, -5), "a word that would bias a draw is thrown away");
}

/* Out of words in the middle of a draw, at every depth. */
static void
test_failure(void)
{
	static const uint64_t den[] = {1, 3, GAUSSIAN};
	bool		kept = true;
	int			drawn = 0;

	for (int i = 0; i < 3 * 1000; i++)
	{
		int			words = i / 3 % 25;
		int			before = failures;
		DpInt128	z;

		dp_noise_buffer->left = 0;
		RAND_set_rand_method(NULL);
		for (int j = 0; j < words; j++)
			add(dp_noise_random64());
		RAND_set_rand_method(&script_method);
		z = play(1000, den[i % 3]);
		kept &= (failures > before) == (z == OUT_OF_WORDS);
		kept &= z != OUT_OF_WORDS ? words > 0 : dp_noise_buffer->left == 0;
		drawn += z != OUT_OF_WORDS;
	}
	ok(kept && drawn > 0, "a draw that runs out of words returns nothing");
}

static bool
refused(uint64_t num, uint64_t den)
{
	add_times(400, HEADS);
	return play(num, den) == OUT_OF_WORDS && dp_noise_buffer->left == 400;
}

static void
test_arguments(void)
{
	ok(refused(0, 1) && refused(DP_NOISE_MAX_SCALE_NUM + 1, 1) && refused(UINT64_MAX, 1) &&
	   refused(1, 0) && refused(1, DP_NOISE_MAX_SCALE_DEN + 1),
	   "Laplace: a scale out of range gives no value");
	ok(refused(0, GAUSSIAN) && refused(DP_NOISE_MAX_SIGMA + 1, GAUSSIAN) &&
	   refused(UINT64_MAX, GAUSSIAN),
	   "Gaussian: a sigma out of range gives no value");
}

int
main(void)
{
	start_scripts();
	test_magnitudes();
	test_minus_zero();
	test_acceptance();
	test_rejected_words();
	test_arguments();
	test_failure();
	return done_testing();
}
