/* SPDX-License-Identifier: PostgreSQL */
/*
 * siphash.h
 *	  SipHash-2-4 (Aumasson and Bernstein, 2012), a pseudo-random function keyed
 *	  by 128 bits, with results of 64 and of 128 bits.
 *
 * Plain C: no server header.  The unit test compares it with OpenSSL's.
 */
#ifndef DP_BASE_SIPHASH_H
#define DP_BASE_SIPHASH_H

#include <stdint.h>
#include <string.h>

typedef struct DpSipKey
{
	uint64_t	word[2];
} DpSipKey;

typedef struct DpSipState
{
	uint64_t	v0;
	uint64_t	v1;
	uint64_t	v2;
	uint64_t	v3;
} DpSipState;

static inline uint64_t
dp_siphash_rotate(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static inline void
dp_siphash_round(DpSipState *s)
{
	s->v0 += s->v1;
	s->v1 = dp_siphash_rotate(s->v1, 13) ^ s->v0;
	s->v0 = dp_siphash_rotate(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = dp_siphash_rotate(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = dp_siphash_rotate(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = dp_siphash_rotate(s->v1, 17) ^ s->v2;
	s->v2 = dp_siphash_rotate(s->v2, 32);
}

static inline DpSipState
dp_siphash_begin(const DpSipKey *key)
{
	DpSipState	s = {
		key->word[0] ^ UINT64_C(0x736f6d6570736575),
		key->word[1] ^ UINT64_C(0x646f72616e646f6d),
		key->word[0] ^ UINT64_C(0x6c7967656e657261),
		key->word[1] ^ UINT64_C(0x7465646279746573)
	};

	return s;
}

/* Eight bytes of the message, least first. */
static inline void
dp_siphash_word(DpSipState *s, uint64_t word)
{
	s->v3 ^= word;
	dp_siphash_round(s);
	dp_siphash_round(s);
	s->v0 ^= word;
}

static inline uint64_t
dp_siphash_end(DpSipState *s, uint64_t mark)
{
	s->v2 ^= mark;
	for (int i = 0; i < 4; i++)
		dp_siphash_round(s);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/* Eight bytes as a word, the first of them lowest. */
static inline uint64_t
dp_siphash_load(const uint8_t *bytes, size_t length)
{
	uint64_t	word = 0;

	for (size_t i = 0; i < length; i++)
		word |= (uint64_t) bytes[i] << (8 * i);
	return word;
}

/* The message, and its length in the last word's highest byte. */
static inline void
dp_siphash_message(DpSipState *s, const void *message, size_t length)
{
	const uint8_t *bytes = message;
	size_t		i;

	for (i = 0; i + 8 <= length; i += 8)
		dp_siphash_word(s, dp_siphash_load(bytes + i, 8));
	dp_siphash_word(s, dp_siphash_load(bytes + i, length - i) | (uint64_t) (length & 0xff) << 56);
}

/* Sixty-four bits. */
static inline uint64_t
dp_siphash_64(const DpSipKey *key, const void *message, size_t length)
{
	DpSipState	s = dp_siphash_begin(key);

	dp_siphash_message(&s, message, length);
	return dp_siphash_end(&s, 0xff);
}

/* One hundred and twenty-eight bits: a function apart from the one above. */
static inline void
dp_siphash_128(const DpSipKey *key, const void *message, size_t length, uint64_t result[2])
{
	DpSipState	s = dp_siphash_begin(key);

	s.v1 ^= 0xee;
	dp_siphash_message(&s, message, length);
	result[0] = dp_siphash_end(&s, 0xee);
	s.v1 ^= 0xdd;
	result[1] = dp_siphash_end(&s, 0);
}

#endif							/* DP_BASE_SIPHASH_H */
