/*
 * samplers.c
 *	  The samplers on every scale, with the input for random words.
 *
 * However the words fall, a draw ends in a number or in the report that there
 * are no more of them; it stays below what as many words can reach; and the
 * same words give the same draw.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <setjmp.h>

#include <openssl/rand.h>

#include "input.h"

#include "noise/random.h"
#include "noise/sampler.h"

static jmp_buf no_words;
static Input words;
static size_t refills;

/* A CSPRNG that has the input's words, then constant ones, then fails. */
static int
scripted_bytes(unsigned char *out, int size)
{
	if (refills++ == 8)
		return 0;
	take(&words, out, size);
	return 1;
}

static const RAND_METHOD scripted = {.bytes = scripted_bytes};

static void
leave(void)
{
	longjmp(no_words, 1);
}

/* One draw from the words at hand; false if they do not suffice. */
static bool
draw(Input input, bool gaussian, uint64_t num, uint64_t den, DpInt128 *result)
{
	words = input;
	refills = 0;
	dp_noise_buffer->left = 0;
	if (setjmp(no_words) != 0)
		return false;
	*result = gaussian ? dp_noise_discrete_gaussian(num) : dp_noise_discrete_laplace(num, den);
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	bool		gaussian = take_word(&input) & 1;
	uint64_t	num = take_word(&input) >> take_between(&input, 0, 63);
	uint64_t	den = take_word(&input) >> take_between(&input, 31, 63);
	uint64_t	most = gaussian ? DP_NOISE_MAX_SIGMA : DP_NOISE_MAX_SCALE_NUM;
	volatile DpInt128 first = 0;
	DpInt128	result = 0;
	volatile bool drawn;

	num = num < 1 ? 1 : num > most ? most : num;
	den = den < 1 ? 1 : den > DP_NOISE_MAX_SCALE_DEN ? DP_NOISE_MAX_SCALE_DEN : den;
	if (dp_noise_failure == NULL)
	{
		RAND_set_rand_method(&scripted);
		dp_noise_failure = leave;
		refills = 0;
		words = input;
		if (setjmp(no_words) == 0)
			(void) dp_noise_random64();
	}
	drawn = draw(input, gaussian, num, den, &result);
	first = result;
	CLAIM(draw(input, gaussian, num, den, &result) == drawn);
	if (!drawn)
		return 0;
	CLAIM(first == result);

	/* Each word is at most one step of the whole part, of num each. */
	CLAIM(result < (DpInt128) num * DP_NOISE_BUFFER_WORDS * 9 + 1);
	CLAIM(result > -(DpInt128) num * DP_NOISE_BUFFER_WORDS * 9 - 1);
	return 0;
}
