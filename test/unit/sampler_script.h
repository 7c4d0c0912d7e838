/*
 * sampler_script.h
 *	  Draws from scripted words, for tests of the samplers' arithmetic.
 *
 * A script holds words in the order in which the samplers read them:
 *
 *	 Laplace:  sign and u;  coins of exp(-u/num);  coins of exp(-1) up to the
 *			   first failure, counting v
 *	 Gaussian: coins of exp(-1/2) up to the first failure, counting v, and
 *			   v (v - 1) / 2 coins of exp(-1);  sign and u;  coins of
 *			   exp(-(u/sigma)^2 / 2);  v times the coins of exp(-u/sigma)
 */
#ifndef DP_SAMPLER_SCRIPT_H
#define DP_SAMPLER_SCRIPT_H

#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/rand.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include "noise/random.h"
#include "noise/sampler.h"

/* Words that make any coin succeed or fail, save a coin of probability 0 or 1. */
#define HEADS UINT64_C(0x10000012345)
#define TAILS UINT64_MAX

/* What a draw gives when it wants more words than the script has. */
#define OUT_OF_WORDS ((DpInt128) 1 << 126)

#define SCRIPT_MAX (1 << 18)

static jmp_buf out_of_words;
static int	failures = 0;
static uint64_t script[SCRIPT_MAX];
static int	script_length = 0;	/* while writing it */
static int	script_played = 0;	/* while playing it: words buffered so far */
static int	script_end = 0;

/* Put the script's next words where the buffer hands them out in order. */
static inline void
script_to(uint64_t *word, int count)
{
	for (int i = 0; i < count; i++)
		word[count - 1 - i] = script[script_played++];
}

/* A CSPRNG that delivers the script by the buffer, then fails. */
static inline int
script_bytes(unsigned char *out, int size)
{
	memset(out, 0x55, size);
	if (script_played == script_end)
		return 0;
	script_to((uint64_t *) out, DP_NOISE_BUFFER_WORDS);
	return 1;
}

static const RAND_METHOD script_method = {.bytes = script_bytes};

static inline void
leave_by_longjmp(void)
{
	failures++;
	longjmp(out_of_words, 1);
}

static inline void
add(uint64_t word)
{
	script[script_length++] = word;
}

static inline void
add_times(int times, uint64_t word)
{
	while (times-- > 0)
		add(word);
}

/* The word in the middle of those that a uniform draw below n turns into r. */
static inline uint64_t
word_for(uint64_t r, uint64_t n)
{
	return (uint64_t) ((((unsigned __int128) 2 * r + 1) << 63) / n);
}

/* Sign and u of scale t in one word. */
static inline void
add_fraction(uint64_t u, uint64_t t, bool negative)
{
	add(word_for(2 * u + negative, 2 * t));
}

/* v heads, then tails. */
static inline void
add_whole_part(int v)
{
	add_times(v, HEADS);
	add(TAILS);
}

/* Stands in place of den for a draw of the Gaussian with sigma num. */
#define GAUSSIAN UINT64_MAX

/* Draw from the script: what does not fill a buffer first, then the rest. */
static inline DpInt128
play(uint64_t num, uint64_t den)
{
	script_played = 0;
	script_end = script_length;
	script_length = 0;
	memset(dp_noise_buffer, 0, sizeof(*dp_noise_buffer));
	dp_noise_buffer->left = script_end % DP_NOISE_BUFFER_WORDS;
	script_to(dp_noise_buffer->word, dp_noise_buffer->left);
	if (setjmp(out_of_words) != 0)
		return OUT_OF_WORDS;
	return den == GAUSSIAN ? dp_noise_discrete_gaussian(num) : dp_noise_discrete_laplace(num, den);
}

/* Does the script give this value, using all its words? */
static inline bool
gives(uint64_t num, uint64_t den, DpInt128 value)
{
	return play(num, den) == value && dp_noise_buffer->left == 0 && script_played == script_end;
}

/* From here on, scripts are all the randomness there is. */
static inline void
start_scripts(void)
{
	(void) dp_noise_random64();
	dp_noise_failure = leave_by_longjmp;
	RAND_set_rand_method(&script_method);
}

#endif							/* DP_SAMPLER_SCRIPT_H */
