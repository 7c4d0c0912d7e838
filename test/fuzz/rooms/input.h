/*
 * input.h
 *	  The fuzzer's bytes as numbers, and the claim that aborts.
 */
#ifndef DP_FUZZ_INPUT_H
#define DP_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is left of the input; zeros follow it. */
typedef struct Input
{
	const uint8_t *data;
	size_t		left;
} Input;

/* Abort, so that the fuzzer keeps the input, unless a claim holds. */
#define CLAIM(claim) \
	do { \
		if (!(claim)) \
		{ \
			fputs(__FILE__ ": does not hold: " #claim "\n", stderr); \
			abort(); \
		} \
	} while (0)

/* The next bytes of the input. */
static inline void
take(Input *input, void *into, size_t size)
{
	size_t		there = size < input->left ? size : input->left;

	memset(into, 0, size);
	memcpy(into, input->data, there);
	input->data += there;
	input->left -= there;
}

static inline uint64_t
take_word(Input *input)
{
	uint64_t	word;

	take(input, &word, sizeof(word));
	return word;
}

/* least ... most, both included. */
static inline int64_t
take_between(Input *input, int64_t least, int64_t most)
{
	uint64_t	range = (uint64_t) most - (uint64_t) least + 1;
	uint64_t	word = take_word(input);

	return (int64_t) ((uint64_t) least + (range == 0 ? word : word % range));
}

/* Any double at all. */
static inline double
take_double(Input *input)
{
	double		value;

	take(input, &value, sizeof(value));
	return value;
}

/* A double between two powers of two, positive and evenly over its exponents. */
static inline double
take_scaled(Input *input, int least, int most)
{
	uint64_t	word = take_word(input);
	int			exponent = least + (int) (word >> 52) % (most - least);

	return __builtin_ldexp(1.0 + (double) (word & ((UINT64_C(1) << 52) - 1)) * 0x1p-52, exponent);
}

#endif							/* DP_FUZZ_INPUT_H */
