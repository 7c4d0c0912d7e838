/*
 * groups.c
 *	  Interning group keys.
 */
#include "units/groups.h"

#define FIRST_CAPACITY 64
#define CHUNK_SIZE 8192

/* A piece of memory for keys; large keys have one of their own. */
typedef struct Chunk
{
	struct Chunk *next;
	size_t		size;
	size_t		used;
	uint8_t		data[];
} Chunk;

static void *
allocate(DpUnitsGroups *groups, size_t size)
{
	void	   *block = groups->memory.allocate(groups->memory.context, size);

	groups->used += size;
	return block;
}

static void
release(DpUnitsGroups *groups, void *block, size_t size)
{
	groups->memory.release(groups->memory.context, block, size);
	groups->used -= size;
}

/* Start with no group and nothing allocated. */
static void
start(DpUnitsGroups *groups)
{
	groups->count = 0;
	groups->keys = NULL;
	groups->capacity = FIRST_CAPACITY;
	groups->group = allocate(groups, groups->capacity * sizeof(DpUnitsGroup));
	groups->totals = allocate(groups, groups->capacity * sizeof(__int128) * groups->parts);
	groups->buckets = 2 * FIRST_CAPACITY;
	groups->bucket = allocate(groups, groups->buckets * sizeof(uint32_t));
}

void
dp_units_create_groups(DpUnitsGroups *groups, const DpUnitsMemory *memory,
					   const DpSipKey *secret, int parts)
{
	groups->memory = *memory;
	groups->secret = *secret;
	groups->parts = parts;
	groups->used = 0;
	start(groups);
}

static inline uint64_t
multiply_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128) a * b;

	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

/* A quick hash, keyed so that nobody can choose keys that collide. */
static uint32_t
quick_hash(const DpUnitsGroups *groups, const uint8_t *key, uint32_t length)
{
	uint64_t	hash = groups->secret.word[0] ^ length;
	uint64_t	word;

	for (; length >= 8; key += 8, length -= 8)
	{
		memcpy(&word, key, 8);
		hash = multiply_mix(hash ^ word, UINT64_C(0x9E3779B97F4A7C15));
	}
	word = 0;
	memcpy(&word, key, length);
	hash = multiply_mix(hash ^ word, groups->secret.word[1] | 1);
	return (uint32_t) (hash ^ (hash >> 32));
}

/* Keep a copy of a key's bytes. */
static const uint8_t *
keep_key(DpUnitsGroups *groups, const void *key, uint32_t length)
{
	Chunk	   *chunk = groups->keys;
	uint8_t    *copy;

	if (chunk == NULL || chunk->size - chunk->used < length)
	{
		size_t		size = length > CHUNK_SIZE / 8 ? length : CHUNK_SIZE;

		chunk = allocate(groups, sizeof(Chunk) + size);
		chunk->size = size;
		chunk->next = groups->keys;
		groups->keys = chunk;
	}
	copy = chunk->data + chunk->used;
	chunk->used += length;
	memcpy(copy, key, length);
	return copy;
}

/* The bucket that holds this key, or is free for it. */
static uint32_t *
find_bucket(const DpUnitsGroups *groups, uint32_t hash, const void *key, uint32_t length)
{
	uint32_t	mask = groups->buckets - 1;

	for (uint32_t i = hash & mask;; i = (i + 1) & mask)
	{
		uint32_t   *bucket = &groups->bucket[i];
		const DpUnitsGroup *group;

		if (*bucket == 0)
			return bucket;
		group = &groups->group[*bucket - 1];
		if (group->hash == hash && group->length == length &&
			memcmp(group->key, key, length) == 0)
			return bucket;
	}
}

/* A larger array with the same contents. */
static void *
enlarge(DpUnitsGroups *groups, void *old, size_t old_size, size_t size)
{
	void	   *larger = allocate(groups, size);

	dp_units_copy(&groups->memory, larger, old, old_size);
	release(groups, old, old_size);
	return larger;
}

/* Twice the room. */
static void
grow(DpUnitsGroups *groups)
{
	uint32_t	capacity = groups->capacity;
	size_t		total_size = sizeof(__int128) * groups->parts;
	uint32_t	mask;

	groups->group = enlarge(groups, groups->group, capacity * sizeof(DpUnitsGroup),
							2 * (size_t) capacity * sizeof(DpUnitsGroup));
	groups->totals = enlarge(groups, groups->totals, capacity * total_size,
							 2 * (size_t) capacity * total_size);
	groups->capacity = 2 * capacity;

	release(groups, groups->bucket, groups->buckets * sizeof(uint32_t));
	groups->buckets *= 2;
	groups->bucket = allocate(groups, groups->buckets * sizeof(uint32_t));
	mask = groups->buckets - 1;
	for (uint32_t number = 0; number < groups->count; number++)
	{
		uint32_t	i = groups->group[number].hash & mask;

		if (number % DP_UNITS_STRIDE == 0)
			groups->memory.breathe();
		while (groups->bucket[i] != 0)
			i = (i + 1) & mask;
		groups->bucket[i] = number + 1;
	}
}

uint32_t
dp_units_intern(DpUnitsGroups *groups, const void *key, uint32_t length)
{
	uint32_t	hash = quick_hash(groups, key, length);
	uint32_t   *bucket = find_bucket(groups, hash, key, length);
	DpUnitsGroup *group;

	if (*bucket != 0)
		return *bucket - 1;
	if (groups->count == groups->capacity)
	{
		grow(groups);
		bucket = find_bucket(groups, hash, key, length);
	}
	group = &groups->group[groups->count];
	group->key = keep_key(groups, key, length);
	group->length = length;
	group->hash = hash;
	group->digest = dp_sip64(&groups->secret, key, length);
	memset(dp_units_totals(groups, groups->count), 0, sizeof(__int128) * groups->parts);
	*bucket = ++groups->count;
	return groups->count - 1;
}

void
dp_units_destroy_groups(DpUnitsGroups *groups)
{
	while (groups->keys)
	{
		Chunk	   *chunk = groups->keys;

		groups->keys = chunk->next;
		release(groups, chunk, sizeof(Chunk) + chunk->size);
	}
	release(groups, groups->group, groups->capacity * sizeof(DpUnitsGroup));
	release(groups, groups->totals, groups->capacity * sizeof(__int128) * groups->parts);
	release(groups, groups->bucket, groups->buckets * sizeof(uint32_t));
}

void
dp_units_reset_groups(DpUnitsGroups *groups)
{
	dp_units_destroy_groups(groups);
	start(groups);
}
