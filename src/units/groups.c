/* SPDX-License-Identifier: PostgreSQL */
/*
 * groups.c
 *	  Interning group keys.
 */
#include "units/groups.h"
#include "units/probe.h"

#define FIRST_CAPACITY 64
#define CHUNK_SIZE ((size_t) 8192)

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
	groups->bucket = allocate(groups, groups->buckets * sizeof(DpUnitsBucket));
}

void
dp_units_create_groups(DpUnitsGroups *groups, const DpMemory *memory,
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

/*
 * How large a piece is that a key of this length begins.  It has room for eight, unless keys are as
 * large as a piece: memory contexts round up small pieces to powers of two, and do not give
 * them back.
 */
static size_t
chunk_size(size_t length)
{
	if (length <= CHUNK_SIZE / 8)
		return CHUNK_SIZE;
	return length <= CHUNK_SIZE ? 8 * length : length;
}

/* Copy a long key's bytes. */
static const uint8_t *
copy_key(DpUnitsGroups *groups, const void *key, uint32_t length)
{
	Chunk	   *chunk = groups->keys;
	uint8_t    *copy;

	if (chunk == NULL || chunk->size - chunk->used < length)
	{
		size_t		size = chunk_size(length);

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

/* The first free bucket for a hash. */
static DpUnitsBucket *
free_bucket(const DpUnitsGroups *groups, uint32_t hash)
{
	DP_PROBE(i, hash, groups->buckets - 1)
	{
		if (groups->bucket[i].number == 0)
			return &groups->bucket[i];
	}
}

/* The number, from 1, of the group with this key; 0 if there is none. */
static uint32_t
find(const DpUnitsGroups *groups, uint32_t hash, const void *key, uint32_t length)
{
	DP_PROBE(i, hash, groups->buckets - 1)
	{
		DpUnitsBucket bucket = groups->bucket[i];
		const DpUnitsGroup *group;

		if (bucket.number == 0)
			return 0;
		if (bucket.hash != hash)
			continue;
		group = &groups->group[bucket.number - 1];
		__builtin_prefetch(dp_units_totals(groups, bucket.number - 1), 1);
		if (group->length == length && memcmp(dp_units_key(group), key, length) == 0)
			return bucket.number;
	}
}

/* A larger array with the same contents. */
static void *
enlarge(DpUnitsGroups *groups, void *old, size_t old_size, size_t size)
{
	void	   *larger = allocate(groups, size);

	dp_memory_copy(&groups->memory, larger, old, old_size);
	release(groups, old, old_size);
	return larger;
}

/* Twice the room. */
static void
grow(DpUnitsGroups *groups)
{
	uint32_t	capacity = groups->capacity;
	size_t		total_size = sizeof(__int128) * groups->parts;
	DpUnitsBucket *old = groups->bucket;
	uint32_t	buckets = groups->buckets;

	groups->group = enlarge(groups, groups->group, capacity * sizeof(DpUnitsGroup),
							2 * (size_t) capacity * sizeof(DpUnitsGroup));
	groups->totals = enlarge(groups, groups->totals, capacity * total_size,
							 2 * (size_t) capacity * total_size);
	groups->capacity = 2 * capacity;

	groups->bucket = allocate(groups, 2 * (size_t) buckets * sizeof(DpUnitsBucket));
	groups->buckets = 2 * buckets;
	for (uint32_t i = 0; i < buckets; i++)
	{
		if (i % DP_MEMORY_STRIDE == 0)
			groups->memory.breathe();
		if (old[i].number != 0)
			*free_bucket(groups, old[i].hash) = old[i];
	}
	release(groups, old, buckets * sizeof(DpUnitsBucket));
}

uint32_t
dp_units_intern(DpUnitsGroups *groups, const void *key, uint32_t length)
{
	uint32_t	hash = quick_hash(groups, key, length);
	uint32_t	number = find(groups, hash, key, length);
	DpUnitsGroup *group;

	if (number != 0)
		return number - 1;
	if (groups->count == groups->capacity)
		grow(groups);
	group = &groups->group[groups->count];
	if (length <= DP_NEAR_KEY)
		memcpy(group->key.near, key, length);
	else
		group->key.far = copy_key(groups, key, length);
	group->length = length;
	memset(dp_units_totals(groups, groups->count), 0, sizeof(__int128) * groups->parts);
	number = ++groups->count;
	*free_bucket(groups, hash) = (DpUnitsBucket) {hash, number};
	return number - 1;
}

uint32_t
dp_units_find(const DpUnitsGroups *groups, const void *key, uint32_t length)
{
	uint32_t	number = find(groups, quick_hash(groups, key, length), key, length);

	return number != 0 ? number - 1 : DP_NO_GROUP;
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
	release(groups, groups->bucket, groups->buckets * sizeof(DpUnitsBucket));
}

void
dp_units_reset_groups(DpUnitsGroups *groups)
{
	dp_units_destroy_groups(groups);
	start(groups);
}
