/*
 * key_table.c
 *	  What is known of units, or values, of groups.
 */
#include "units/key_table.h"

/* Room of a table at least. */
#define LEAST_CAPACITY 1024

void
dp_key_table_create(DpKeyTable *table, const DpUnitsMemory *memory, const DpUnitsSecret *secret, size_t key)
{
	table->memory = memory;
	table->secret = secret;
	table->key = key;
	table->size = key + sizeof(uint32_t);
	table->capacity = LEAST_CAPACITY;
	table->count = 0;
	table->entry = memory->allocate(memory->context, dp_key_table_bytes(table, table->capacity));
}

void
dp_key_table_destroy(DpKeyTable *table)
{
	table->memory->release(table->memory->context, table->entry, dp_key_table_bytes(table, table->capacity));
}

void
dp_key_table_enlarge(DpKeyTable *table)
{
	DpKeyTable	old = *table;

	table->capacity *= 2;
	table->entry = table->memory->allocate(table->memory->context, dp_key_table_bytes(table, table->capacity));
	for (uint32_t i = 0; i < old.capacity; i++)
	{
		const uint8_t *entry = old.entry + i * old.size;

		if (i % DP_UNITS_STRIDE == 0)
			table->memory->breathe();
		if (dp_acc_load32(entry + old.key) != 0)
			memcpy(dp_key_table_find(table, entry) - old.key, entry, old.size);
	}
	dp_key_table_destroy(&old);
}
