/*
 * word.h
 *	  One form for equal values that are passed by value.
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

#endif							/* DP_UNITS_WORD_H */
