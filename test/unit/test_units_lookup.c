/*
 * test_units_lookup.c
 *	  Rows looked up by keys, beside a search of all that were added.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#include "units/lookup.h"

/* More than a chunk, and enough for its list to grow. */
#define MOST (20 * DP_LOOKUP_CHUNK + 3)

/* Rows that are looked up together. */
#define TOGETHER 64

static DpUnitsSecret secret = {.offset = 77, .factor = {UINT64_C(0x9E3779B97F4A7C15), UINT64_C(0xD6E8FEB86659FD93)},
.second = {3, 5, 7, 11}};

static void *blocks[1024];
static int	nblocks;

/* Memory that is given back at once, as a memory context gives it. */
static void *
allocate(void *context, size_t size)
{
	void	   *block = aligned_alloc(64, (size + 63) / 64 * 64);

	(void) context;
	if (nblocks == (int) (sizeof(blocks) / sizeof(blocks[0])))
		abort();
	blocks[nblocks++] = block;
	return memset(block, 0, size);
}

static void
release(void *context, void *block, size_t size)
{
	(void) context;
	(void) size;
	for (int i = 0; i < nblocks; i++)
		if (blocks[i] == block)
			blocks[i] = NULL;
	free(block);
}

static void
breathe(void)
{
}

static void
free_blocks(void)
{
	while (nblocks > 0)
		free(blocks[--nblocks]);
}

/* How the n-th key is made. */
typedef enum Keys
{
	DENSE,						/* one after the other, from below 0 */
	SPARSE,						/* the even ones are as far apart as gives each a place of its
								 * own; */
	SPARSER,					/* a little more */
	SCATTERED,
	EXTREME,					/* the least and greatest of all, and those beside */
	PAIRS						/* of two words, which share one of them with others */
} Keys;

static DpUnitId
make_key(Keys keys, uint64_t n)
{
	switch (keys)
	{
		case DENSE:
			return (DpUnitId) {{n - 1000, 0}};
		case SPARSE:
			return (DpUnitId) {{n / 2 * DP_LOOKUP_SPARSE + n % 2, 0}};
		case SPARSER:
			return (DpUnitId) {{n / 2 * (DP_LOOKUP_SPARSE + 1) + n % 2, 0}};
		case SCATTERED:
			return (DpUnitId) {{(uint64_t) (int64_t) (int32_t) ((uint32_t) n * UINT32_C(2654435761)), 0}};
		case EXTREME:
			return (DpUnitId) {{n & 2 ? (uint64_t) INT64_MAX - n : (uint64_t) INT64_MIN + n, 0}};
		case PAIRS:
			return (DpUnitId) {{n / 7, n % 7 + 1}};
	}
	abort();
}

/* The number that stands behind the key of a row, or UINT32_MAX if there is no row. */
static uint32_t
number_in(const DpKeyedRows *lookup, const char *row)
{
	uint32_t	number;

	if (row == NULL)
		return UINT32_MAX;
	memcpy(&number, row + lookup->key_size, sizeof(number));
	return number;
}

/* Add the even ones of the first keys. */
static void
add_even(DpKeyedRows *lookup, Keys keys, uint32_t most)
{
	for (uint32_t n = 0; n < most; n += 2)
	{
		DpUnitId	key = make_key(keys, n);

		memcpy(dp_units_lookup_add(lookup, &key) + lookup->key_size, &n, sizeof(n));
	}
}

/* Is each key found that is there, and no other? */
static bool
finds_even(const DpKeyedRows *lookup, Keys keys, uint32_t most)
{
	DpUnitId	key[TOGETHER];
	uint64_t	hash[TOGETHER];

	for (uint32_t first = 0; first < most + TOGETHER; first += TOGETHER)
	{
		for (uint32_t i = 0; i < TOGETHER; i++)
		{
			key[i] = make_key(keys, first + i);
			hash[i] = dp_units_lookup_hash(lookup, &key[i]);
		}
		for (uint32_t i = 0; i < TOGETHER; i++)
			dp_units_lookup_fetch(lookup, hash[i]);
		for (uint32_t i = 0; i < TOGETHER; i++)
		{
			uint32_t	n = first + i;
			uint32_t	expected = n < most && n % 2 == 0 ? n : UINT32_MAX;

			if (number_in(lookup, dp_units_lookup_find(lookup, &key[i], hash[i])) != expected)
				return false;
		}
	}
	return true;
}

/* Are keys that differ from one that is there in upper bits not found? */
static bool
tells_widths_apart(const DpKeyedRows *lookup, Keys keys)
{
	for (uint32_t n = 0; n < 100; n += 2)
	{
		DpUnitId	key = make_key(keys, n);

		key.word[0] ^= UINT64_C(1) << 40;
		if (dp_units_lookup_find(lookup, &key, dp_units_lookup_hash(lookup, &key)) != NULL)
			return false;
	}
	return true;
}

static void
test_keys(const char *name, Keys keys, uint32_t key_size, uint32_t most, bool direct)
{
	DpMemory	memory = {.allocate = allocate, .release = release, .breathe = breathe};
	DpKeyedRows lookup;
	size_t		size;

	dp_units_lookup_create(&lookup, &memory, &secret, key_size, key_size + sizeof(uint32_t));
	add_even(&lookup, keys, most);
	ok(dp_units_lookup_index(&lookup, SIZE_MAX), "%u keys %s of %u bytes have an index", most / 2, name, key_size);
	ok(lookup.direct == direct, "which is %s", direct ? "direct" : "hashed");
	size = dp_units_lookup_index_size(&lookup);
	ok(finds_even(&lookup, keys, most), "each is found, and no other");
	ok(tells_widths_apart(&lookup, keys), "nor one that is wider");
	ok(dp_units_lookup_index(&lookup, size), "which is as large as it says");
	if (keys == SPARSE)
	{
		ok(dp_units_lookup_index(&lookup, size - 1) && !lookup.direct, "in less memory it is hashed");
		ok(finds_even(&lookup, keys, most), "and finds the same");
	}
	ok(!dp_units_lookup_index(&lookup, sizeof(uint64_t) - 1), "and in almost none there is none");
	free_blocks();
}

/* A table without rows finds none. */
static void
test_empty(void)
{
	DpMemory	memory = {.allocate = allocate, .release = release, .breathe = breathe};
	DpKeyedRows lookup;

	dp_units_lookup_create(&lookup, &memory, &secret, sizeof(uint64_t), 2 * sizeof(uint64_t));
	ok(dp_units_lookup_index(&lookup, SIZE_MAX), "no rows have an index");
	ok(finds_even(&lookup, SCATTERED, 0), "which finds none");
	free_blocks();
}

int
main(void)
{
	static const uint32_t sizes[] = {sizeof(int32_t), sizeof(int64_t)};

	test_empty();
	for (int i = 0; i < 2; i++)
	{
		test_keys("side by side", DENSE, sizes[i], MOST, true);
		test_keys("side by side", DENSE, sizes[i], 2, true);
		test_keys("apart", SPARSE, sizes[i], MOST, true);
		test_keys("farther apart", SPARSER, sizes[i], MOST, false);
		test_keys("scattered", SCATTERED, sizes[i], MOST, false);
		test_keys("scattered", SCATTERED, sizes[i], 2000, false);
	}
	test_keys("at the ends", EXTREME, sizeof(int64_t), MOST, false);
	test_keys("in pairs", PAIRS, sizeof(DpUnitId), MOST, false);

	/* What tells them apart where all have one hash are the keys alone. */
	secret = (DpUnitsSecret) {0};
	for (int i = 0; i < 2; i++)
		test_keys("of one hash", SCATTERED, sizes[i], 500, false);
	test_keys("of one hash, in pairs", PAIRS, sizeof(DpUnitId), 500, false);
	return done_testing();
}
