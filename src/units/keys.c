/*
 * keys.c
 *	  Learning and forgetting what groups are known by in files.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "units/keys.h"

#define LEAST_CAPACITY 64

/* A larger array, zero where there was none. */
static void *
enlarge(void *array, uint32 *capacity, uint32 wanted, Size size)
{
	uint32		old = *capacity;
	char	   *larger;

	*capacity = Max(LEAST_CAPACITY, wanted);
	larger = array == NULL ? palloc_extended(*capacity * size, MCXT_ALLOC_HUGE)
		: repalloc_huge(array, *capacity * size);
	memset(larger + old * size, 0, (*capacity - old) * size);
	return larger;
}

void
dp_keys_make_room(DpKeysWritten *written, const DpUnitsGroups *groups)
{
	if (written->generation != groups->generation)
	{
		if (written->files)
			memset(written->files, 0, written->capacity * sizeof(uint64));
		written->generation = groups->generation;
		written->begun = 0;
	}
	if (written->capacity < groups->capacity)
		written->files = enlarge(written->files, &written->capacity, groups->capacity, sizeof(uint64));
}

uint32
dp_keys_find(DpKeysRead *read, DpUnitsGroups *groups, uint32 number)
{
	DpKey	   *key = &read->key[number];

	key->group = dp_units_intern(groups, key->bytes, key->length);
	key->generation = groups->generation;
	return key->group;
}

uint32
dp_keys_learn(DpKeysRead *read, DpUnitsGroups *groups, uint32 told,
			  const char *bytes, uint32 length)
{
	uint32		number = told & DP_KEYS_NUMBER;
	MemoryContext old;

	if (told & DP_KEYS_FORGET)
		dp_keys_forget(read);
	if (read->context == NULL)
		read->context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg keys of a file",
											  ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(read->context);
	if (number >= read->capacity)
		read->key = enlarge(read->key, &read->capacity, Max(number + 1, 2 * read->capacity),
							sizeof(DpKey));
	Assert(read->key[number].bytes == NULL);
	read->key[number].length = length;
	read->key[number].bytes = memcpy(palloc(length), bytes, length);
	MemoryContextSwitchTo(old);
	return dp_keys_find(read, groups, number);
}

void
dp_keys_forget(DpKeysRead *read)
{
	if (read->context)
		MemoryContextReset(read->context);
	read->key = NULL;
	read->capacity = 0;
}
