/*
 * key_table.h
 *	  What is known of units, or values, of groups: a number for each key of so many bytes.
 *
 * Plain C: no server header.  Keys are placed by secret odd multipliers, so that nobody can choose
 * some that meet.
 */
#ifndef DP_UNITS_KEY_TABLE_H
#define DP_UNITS_KEY_TABLE_H

#include <string.h>

#include "units/accumulate.h"
#include "units/memory.h"
#include "units/record.h"

/* The part of a table that is in use at most, in eighths. */
#define DP_KEY_TABLE_MOST 6

typedef struct DpKeyTable
{
	const DpUnitsMemory *memory;
	const DpUnitsSecret *secret;
	uint8_t    *entry;
	size_t		key;			/* bytes of a key; and */
	size_t		size;			/* of an entry */
	uint32_t	capacity;		/* power of two */
	uint32_t	count;
} DpKeyTable;

extern void dp_key_table_create(DpKeyTable *table, const DpUnitsMemory *memory, const DpUnitsSecret *secret,
								size_t key);
extern void dp_key_table_destroy(DpKeyTable *table);

/* Make a table's room twice as large: the caller does before it is in use further than that. */
extern void dp_key_table_enlarge(DpKeyTable *table);

/* Bytes of a table of this capacity. */
static inline size_t
dp_key_table_bytes(const DpKeyTable *table, uint32_t capacity)
{
	return capacity * table->size;
}

/* Where in a table to look for a key first. */
static inline uint32_t
dp_key_table_home(const DpKeyTable *table, const uint8_t *key)
{
	uint64_t	x = table->secret->offset;
	size_t		at = 0;

	for (; at + sizeof(uint64_t) <= table->key; at += sizeof(uint64_t))
	{
		x = (x ^ dp_acc_load64(key + at)) * table->secret->factor[1];
		x ^= x >> 32;
	}
	if (at < table->key)
		x ^= dp_acc_load32(key + at);
	x *= table->secret->factor[0];
	return (uint32_t) (x >> 32) & (table->capacity - 1);
}

/* Where a key's number is, or belongs: it is 0 until it is set. */
static inline uint8_t *
dp_key_table_find(const DpKeyTable *table, const uint8_t *key)
{
	for (uint32_t i = dp_key_table_home(table, key);; i = (i + 1) & (table->capacity - 1))
	{
		uint8_t    *entry = table->entry + i * table->size;

		if (dp_acc_load32(entry + table->key) == 0 || memcmp(entry, key, table->key) == 0)
			return entry + table->key;
	}
}

/* Set a key's number, found there, to one that is not 0. */
static inline void
dp_key_table_set(DpKeyTable *table, uint8_t *number, const uint8_t *key, uint32_t value)
{
	if (dp_acc_load32(number) == 0)
	{
		memcpy(number - table->key, key, table->key);
		table->count++;
	}
	dp_acc_store32(number, value);
}

#endif							/* DP_UNITS_KEY_TABLE_H */
