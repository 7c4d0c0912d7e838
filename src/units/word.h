/*
 * word.h
 *	  One form for equal values that are passed by value, and where keys are
 *	  remembered.
 */
#ifndef DP_UNITS_WORD_H
#define DP_UNITS_WORD_H

#include "postgres.h"

/*
 * The value with the bits its type, of so many bytes, does not use as its sign says:
 * so most come from a tuple.  Those of calls and constants may have other upper bits,
 * as unsigned numbers have (oid, enums), and so do negative numbers that compiled
 * code has taken from a tuple, in older minor releases.
 */
static inline Datum
dp_units_word(Datum value, int length)
{
	int			unused = (sizeof(Datum) - length) * BITS_PER_BYTE;

	return (Datum) ((int64) ((uint64) value << unused) >> unused);
}

/* So many keys are remembered with their groups. */
#define DP_KEY_CACHE_BITS 11
#define DP_KEY_CACHE (1 << DP_KEY_CACHE_BITS)

/* Where the key with this word is: keys that share a place only take longer. */
static inline uint32
dp_units_cache_place(uint64 word)
{
	return (uint32) (word * UINT64CONST(0x9E3779B97F4A7C15) >> (64 - DP_KEY_CACHE_BITS));
}

#endif							/* DP_UNITS_WORD_H */
