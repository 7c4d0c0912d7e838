/* SPDX-License-Identifier: PostgreSQL */
/*
 * lookup.h
 *	  Rows in memory, of one size, each found by its key in few bytes.
 *
 * Plain C: no server header.  No two rows have the same key.  All rows are added before
 * the first is looked up.  They are numbered from 1 in the order they are added, and an
 * index of 32 bits a place leads from a key to a number, 0 being none.  Keys of one word
 * that are close together each have a place of their own, so that keys that come in order
 * read the index in order.  Others are hashed: then a place holds, beside the number, as
 * many bits of the hash as it has left, and rows of other keys are hardly ever looked at.
 * The hash is keyed, so that nobody can fill an index with keys of one hash.
 *
 * Looking up has three steps, each of which asks for memory that the next one reads.  So
 * each step is best done for some rows before the next.
 */
#ifndef DP_UNITS_LOOKUP_H
#define DP_UNITS_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "units/probe.h"
#include "units/record.h"

/* Rows that memory is taken for at once, a power of two. */
#define DP_LOOKUP_CHUNK 1024

/* Places of the index for each row, if each possible key has one. */
#define DP_LOOKUP_SPARSE 8

typedef struct DpKeyedRows
{
	DpMemory	memory;
	const DpUnitsSecret *secret;	/* the caller's */
	uint32_t	key_size;		/* at a row's beginning: 4 or 8 bytes of one word, or 16 of two */
	uint32_t	row_size;
	uint32_t	count;			/* rows */
	uint32_t	chunks;			/* room for so many */
	char	  **chunk;			/* of rows, all full but the last */
	uint32_t   *place;
	bool		direct;			/* has each possible key a place of its own? */
	int64_t		least;			/* the least key, of those of one word; and */
	int64_t		most;			/* the greatest */
	uint64_t	last;			/* place: hashed, a power of two minus one; else always empty */
	int			shift;			/* from a hash to a place */
	uint32_t	numbers;		/* bits of a place that hold the number */
} DpKeyedRows;

/* Start without rows, which have this size, a multiple of 4, with the key. */
extern void dp_units_lookup_create(DpKeyedRows *lookup, const DpMemory *memory, const DpUnitsSecret *secret,
								   uint32_t key_size, uint32_t row_size);

/* Add a row that has this key, and zeros behind it.  NULL if there are too many rows for numbers. */
extern char *dp_units_lookup_add(DpKeyedRows *lookup, const DpUnitId *key);

/* Make the index; false if it takes more than these bytes.  What it takes depends on the keys alone. */
extern bool dp_units_lookup_index(DpKeyedRows *lookup, size_t limit);

/* Bytes of the index. */
extern size_t dp_units_lookup_index_size(const DpKeyedRows *lookup);

/* First step: what leads to the key's place, given to the next steps. */
static DP_ALWAYS_INLINE uint64_t
dp_units_lookup_hash(const DpKeyedRows *lookup, const DpUnitId *key)
{
	uint64_t	hash;

	if (lookup->direct)
	{
		hash = key->word[0] - (uint64_t) lookup->least;
		hash = hash < lookup->last ? hash : lookup->last;
		__builtin_prefetch(&lookup->place[hash]);
	}
	else
	{
		hash = dp_units_hash(lookup->secret, key);
		__builtin_prefetch(&lookup->place[hash >> lookup->shift]);
	}
	return hash;
}

/* The row with a number, which is not 0. */
static inline char *
dp_units_lookup_row(const DpKeyedRows *lookup, uint32_t number)
{
	return lookup->chunk[(number - 1) / DP_LOOKUP_CHUNK] + (size_t) ((number - 1) % DP_LOOKUP_CHUNK) * lookup->row_size;
}

/* Second step: have the row asked for that is likely the key's. */
static inline void
dp_units_lookup_fetch(const DpKeyedRows *lookup, uint64_t hash)
{
	uint32_t	place = lookup->place[lookup->direct ? hash : hash >> lookup->shift];

	if (place != 0)
		__builtin_prefetch(dp_units_lookup_row(lookup, place & lookup->numbers));
}

/* Has a row this key? */
static inline bool
dp_units_lookup_is(const DpKeyedRows *lookup, const char *row, const DpUnitId *key)
{
	int32_t		word;

	if (lookup->key_size != sizeof(word))
		return memcmp(row, key, lookup->key_size) == 0;
	memcpy(&word, row, sizeof(word));
	return (uint64_t) (int64_t) word == key->word[0];
}

/* Third step: the row with this key, or NULL. */
static inline const char *
dp_units_lookup_find(const DpKeyedRows *lookup, const DpUnitId *key, uint64_t hash)
{
	if (lookup->direct)
		return lookup->place[hash] == 0 ? NULL : dp_units_lookup_row(lookup, lookup->place[hash]);
	DP_PROBE(i, hash >> lookup->shift, lookup->last)
	{
		uint32_t	place = lookup->place[i];
		const char *row;

		if (place == 0)
			return NULL;
		/* Bits beside the number that a row of this hash would not have there? */
		if (((place ^ (uint32_t) hash) & ~lookup->numbers) != 0)
			continue;
		row = dp_units_lookup_row(lookup, place & lookup->numbers);
		if (dp_units_lookup_is(lookup, row, key))
			return row;
	}
}

#endif							/* DP_UNITS_LOOKUP_H */
