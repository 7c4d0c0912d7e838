/* SPDX-License-Identifier: PostgreSQL */
/*
 * lookup.c
 *	  Adding rows to a table in memory, and making its index.
 *
 * Plain C: no server header.
 */
#include "units/lookup.h"

/* Rows at most: their numbers take 31 bits, and one bit of a hash is left. */
#define MOST_ROWS (UINT32_C(1) << 30)

/* Rows whose places are asked for before they are written. */
#define BATCH 64

void
dp_units_lookup_create(DpKeyedRows *lookup, const DpMemory *memory, const DpUnitsSecret *secret,
					   uint32_t key_size, uint32_t row_size)
{
	*lookup = (DpKeyedRows)
	{
		.memory = *memory, .secret = secret, .key_size = key_size, .row_size = row_size,
			.least = INT64_MAX, .most = INT64_MIN
	};
}

/* Room for another chunk, and the chunk. */
static void
add_chunk(DpKeyedRows *lookup)
{
	DpMemory   *memory = &lookup->memory;
	uint32_t	used = lookup->count / DP_LOOKUP_CHUNK;

	if (used == lookup->chunks)
	{
		uint32_t	chunks = 2 * used + 8;
		char	  **chunk = memory->allocate(memory->context, chunks * sizeof(char *));

		if (used > 0)
		{
			dp_memory_copy(memory, chunk, lookup->chunk, used * sizeof(char *));
			memory->release(memory->context, lookup->chunk, used * sizeof(char *));
		}
		lookup->chunk = chunk;
		lookup->chunks = chunks;
	}
	lookup->chunk[used] = memory->allocate(memory->context, (size_t) DP_LOOKUP_CHUNK * lookup->row_size);
}

char *
dp_units_lookup_add(DpKeyedRows *lookup, const DpUnitId *key)
{
	int64_t		word = (int64_t) key->word[0];
	int32_t		half = (int32_t) word;
	char	   *row;

	if (lookup->count == MOST_ROWS)
		return NULL;
	if (lookup->count % DP_LOOKUP_CHUNK == 0)
		add_chunk(lookup);
	row = dp_units_lookup_row(lookup, ++lookup->count);
	if (lookup->key_size == sizeof(half))
		memcpy(row, &half, sizeof(half));
	else
		memcpy(row, key, lookup->key_size);
	lookup->least = word < lookup->least ? word : lookup->least;
	lookup->most = word > lookup->most ? word : lookup->most;
	return row;
}

/* The key of a row. */
static DpUnitId
key_of(const DpKeyedRows *lookup, const char *row)
{
	DpUnitId	key = {{0, 0}};
	int32_t		half;

	if (lookup->key_size != sizeof(half))
		memcpy(&key, row, lookup->key_size);
	else
	{
		memcpy(&half, row, sizeof(half));
		key.word[0] = (uint64_t) (int64_t) half;
	}
	return key;
}

/* The least power of two that is greater than a number, minus one. */
static uint64_t
ones(uint64_t number)
{
	return number == 0 ? 0 : UINT64_MAX >> __builtin_clzll(number);
}

/* Give each possible key a place; false if there are too many or they do not fit. */
static bool
lay_out_direct(DpKeyedRows *lookup, size_t limit)
{
	uint64_t	range = (uint64_t) lookup->most - (uint64_t) lookup->least;

	if (lookup->count == 0 || lookup->key_size > sizeof(uint64_t) ||
		range >= (uint64_t) lookup->count * DP_LOOKUP_SPARSE)
		return false;
	lookup->direct = true;
	lookup->last = range + 1;
	lookup->numbers = UINT32_MAX;
	return dp_units_lookup_index_size(lookup) <= limit;
}

/* Have places for hashes, of which at most two thirds are taken. */
static void
lay_out_hashed(DpKeyedRows *lookup)
{
	lookup->direct = false;
	lookup->last = ones((uint64_t) lookup->count * 3 / 2 + 1);
	lookup->shift = __builtin_clzll(lookup->last);
	lookup->numbers = (uint32_t) ones(lookup->count);
}

/* Put numbers from one on into their places. */
static void
put_rows(DpKeyedRows *lookup, uint32_t first, uint32_t rows)
{
	uint64_t	hash[BATCH];

	for (uint32_t i = 0; i < rows; i++)
	{
		DpUnitId	key = key_of(lookup, dp_units_lookup_row(lookup, first + i));

		hash[i] = dp_units_lookup_hash(lookup, &key);
	}
	for (uint32_t i = 0; i < rows; i++)
	{
		uint64_t	place = hash[i];

		if (!lookup->direct)
			for (place >>= lookup->shift; lookup->place[place] != 0;)
				place = (place + 1) & lookup->last;
		lookup->place[place] = ((uint32_t) hash[i] & ~lookup->numbers) | (first + i);
	}
}

bool
dp_units_lookup_index(DpKeyedRows *lookup, size_t limit)
{
	uint32_t	rows;

	if (!lay_out_direct(lookup, limit))
		lay_out_hashed(lookup);
	if (dp_units_lookup_index_size(lookup) > limit)
		return false;
	lookup->place = lookup->memory.allocate(lookup->memory.context, dp_units_lookup_index_size(lookup));
	for (uint32_t first = 1; first <= lookup->count; first += rows)
	{
		rows = lookup->count - first + 1;
		rows = rows < BATCH ? rows : BATCH;
		put_rows(lookup, first, rows);
		lookup->memory.breathe();
	}
	return true;
}

size_t
dp_units_lookup_index_size(const DpKeyedRows *lookup)
{
	return ((size_t) lookup->last + 1) * sizeof(uint32_t);
}
