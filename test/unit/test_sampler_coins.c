/*
 * test_sampler_coins.c
 *	  The probability of every coin the samplers throw, to the last bits,
 *	  which no number of random draws would tell.
 */
#include <math.h>

#include "sampler_script.h"
#include "tap.h"

/*
 * Coins: each plays a draw of scale 1000 and u = 137 in which the k-th coin
 * of a kind is thrown with this word, and tells from the outcome whether it
 * was heads.
 */
typedef bool (*Coin) (int k, uint64_t word);

/* exp(-u/num): probability 0.137 / k. */
static bool
laplace_fraction(int k, uint64_t word)
{
	add_fraction(137, 1000, false);
	add_times(k - 1, HEADS);
	add(word);
	add_times(2, TAILS);
	return (play(1000, 1) == 137) == (k % 2 == 0);
}

/* v of a Laplace draw: probability exp(-1). */
static bool
laplace_whole(int k, uint64_t word)
{
	add_fraction(137, 1000, false);
	add(TAILS);
	add_times(k - 1, HEADS);
	add(word);
	add_times(2, TAILS);
	return play(1000, 1) == 137 + 1000 * k;
}

/* v of a Gaussian draw, proposed: probability exp(-1/2). */
static bool
gaussian_whole(int k, uint64_t word)
{
	add_times(k - 1, HEADS);
	add(word);
	add(TAILS);
	add_times(k * (k - 1) / 2, HEADS);
	add_fraction(137, 1000, false);
	add_times(1 + k, TAILS);
	return play(1000, GAUSSIAN) == 137 + 1000 * k;
}

/* v of a Gaussian draw, accepted: probability exp(-1). */
static bool
gaussian_whole_accepted(int k, uint64_t word)
{
	add_whole_part(4);
	add_times(k - 1, HEADS);
	add(word);
	add_times(4 * 3 / 2 - k, HEADS);
	add_fraction(137, 1000, false);
	add_times(1 + 4, TAILS);
	return play(1000, GAUSSIAN) == 4137;
}

/* exp(-(u/sigma)^2 / 2), the first half of a coin: probability 0.137 / (2k). */
static bool
gaussian_square(int k, uint64_t word)
{
	add(TAILS);
	add_fraction(137, 1000, false);
	add_times(2 * (k - 1), HEADS);
	add(word);
	add(HEADS);
	add(TAILS);
	return (play(1000, GAUSSIAN) == 137) == (k % 2 == 0);
}

/* The second half: probability 0.137. */
static bool
gaussian_square_again(int k, uint64_t word)
{
	add(TAILS);
	add_fraction(137, 1000, false);
	add_times(2 * (k - 1) + 1, HEADS);
	add(word);
	add(TAILS);
	return (play(1000, GAUSSIAN) == 137) == (k % 2 == 0);
}

/* exp(-u/sigma): probability 0.137 / k. */
static bool
gaussian_linear(int k, uint64_t word)
{
	add_whole_part(1);
	add_fraction(137, 1000, false);
	add(TAILS);
	add_times(k - 1, HEADS);
	add(word);
	add(TAILS);
	return (play(1000, GAUSSIAN) == 1137) == (k % 2 == 0);
}

/* A word for which the first 16 coins of Algorithm 1 leave exp(-1/q) open. */
static uint64_t
undecided_word(int q)
{
	long double total = 20922789888000.0L * powl(q, 16);

	return (uint64_t) ldexpl(expl(-1.0L / q) - 0.4L / total, 64);
}

/* The coins that then decide about exp(-1): probability 1 / (16 + k). */
static bool
laplace_tail(int k, uint64_t word)
{
	add_fraction(137, 1000, false);
	add(TAILS);
	add(undecided_word(1));
	add_times(k - 1, HEADS);
	add(word);
	add_times(2, TAILS);
	return (play(1000, 1) == 1137) == (k % 2 == 0);
}

/* The first of them about exp(-1/2): probability 1 / 34. */
static bool
gaussian_tail(int k, uint64_t word)
{
	add(undecided_word(2));
	add(word);
	add(TAILS);
	add_fraction(137, 1000, false);
	add_times(2, TAILS);
	return play(1000, GAUSSIAN) == 137 * k;
}

/*
 * A coin is heads for the words below its probability: exactly, but for the
 * few words at the border that rounding or the undecided outcome takes.
 */
static void
test_coin(const char *name, Coin coin, int k, long double p, uint64_t border)
{
	uint64_t	word = (uint64_t) ldexpl(p, 64);

	ok(coin(k, HEADS) && coin(k, word - border) && !coin(k, word + border) && !coin(k, TAILS),
	   "%s, coin %d: probability %.6Lf", name, k, p);
}

static void
test_coins(void)
{
	uint64_t	decided = UINT64_C(1) << 20;	/* 2^64 / 16!, rounded up */

	for (int k = 1; k <= 4; k++)
	{
		test_coin("Laplace exp(-x)", laplace_fraction, k, 0.137L / k, 4);
		test_coin("Laplace exp(-1)", laplace_whole, k, expl(-1), decided);
		test_coin("Laplace exp(-1), undecided", laplace_tail, k, 1.0L / (16 + k), 4);
		test_coin("Gaussian exp(-1/2)", gaussian_whole, k, expl(-0.5L), 32);
		test_coin("Gaussian exp(-1)", gaussian_whole_accepted, k, expl(-1), decided);
		test_coin("Gaussian exp(-x^2/2)", gaussian_square, k, 0.137L / (2 * k), 4);
		test_coin("Gaussian exp(-x^2/2), again", gaussian_square_again, k, 0.137L, 4);
		test_coin("Gaussian exp(-x)", gaussian_linear, k, 0.137L / k, 4);
	}
	test_coin("Gaussian exp(-1/2), undecided", gaussian_tail, 1, 1.0L / 34, 4);
}

int
main(void)
{
	start_scripts();
	test_coins();
	return done_testing();
}
