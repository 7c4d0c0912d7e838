/*
 * test_groups.c
 *	  Group keys of any length: each is found again, and they take the memory that is counted.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#include "units/groups.h"

#define KEYS 2000

/* Memory contexts have pieces of powers of two up to this, and keep them when they are freed. */
#define LARGEST_KEPT 8192

static size_t held;				/* bytes that a memory context would hold, */
static size_t kept;				/* and would not give back */

static size_t
rounded(size_t size)
{
	size_t		power = 8;

	while (power < size)
		power *= 2;
	return size > LARGEST_KEPT ? size : power;
}

static void *
allocate(void *context, size_t size)
{
	void	   *block = aligned_alloc(64, (size + 63) / 64 * 64);

	(void) context;
	held += rounded(size);
	if (size <= LARGEST_KEPT)
		kept += rounded(size);
	return memset(block, 0, size);
}

static void
release(void *context, void *block, size_t size)
{
	(void) context;
	held -= rounded(size);
	free(block);
}

static void
breathe(void)
{
}

/* The n-th key: no other has these bytes. */
static void
make_key(uint8_t *key, uint32_t length, uint32_t n)
{
	memset(key, 'k', length);
	memcpy(key, &n, sizeof(n));
}

/* Is every key found where it was put? */
static bool
all_found(const DpUnitsGroups *groups, uint8_t *key, uint32_t length)
{
	for (uint32_t n = 0; n < KEYS; n++)
	{
		make_key(key, length, n);
		if (dp_units_find(groups, key, length) != n ||
			memcmp(dp_units_key(&groups->group[n]), key, length) != 0)
			return false;
	}
	return true;
}

static void
test_length(uint32_t length)
{
	DpMemory	memory = {.allocate = allocate, .release = release, .breathe = breathe};
	DpSipKey	secret = {{1, 2}};
	DpUnitsGroups groups;
	uint8_t    *key = malloc(length);

	held = kept = 0;
	dp_units_create_groups(&groups, &memory, &secret, 2);
	for (uint32_t n = 0; n < KEYS; n++)
	{
		make_key(key, length, n);
		(void) dp_units_intern(&groups, key, length);
	}
	ok(all_found(&groups, key, length), "keys of %u bytes are found", length);
	ok(held <= groups.used + groups.used / 50, "and %zu bytes are held for %zu", held, groups.used);
	ok(kept <= 64 * 1024, "of which %zu are not given back", kept);
	dp_units_destroy_groups(&groups);
	ok(held == 0, "the others are");
	free(key);
}

int
main(void)
{
	static const uint32_t lengths[] = {4, 16, 17, 100, 1024, 1025, 1028, 2000, 4097, 8192, 8193, 20000};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		test_length(lengths[i]);
	return done_testing();
}
